"""Other people's formats, read into turns, notes and files; streams, writes nothing."""
