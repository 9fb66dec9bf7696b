"""A look at a workspace: which files are new or worth a note, and what they say in short; writes nothing."""
