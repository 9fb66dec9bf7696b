"""The truth: notes, logs and MEMORY.md as files; the only room that writes them."""
