"""Writing: from what happened and what stands around the vault to notes that are worth keeping; yields values."""
