"""Other people's formats, read into turns; streams, writes nothing."""
