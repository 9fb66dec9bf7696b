"""Ways in: the command line now; each parses, calls one `Memory` method and prints."""
