"""Data sets, measurements and reports; drives `Memory` and the command line like any interface."""
