"""Under `vault.files`: system calls, the tree of a vault, names that are safe, history, recovery after a crash."""
