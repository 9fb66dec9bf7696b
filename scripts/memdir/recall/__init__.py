"""Reading: from a question to evidence quoted from the files."""
