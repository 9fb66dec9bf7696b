"""The index: derived from the files, outside the vault, deletable at any time."""
