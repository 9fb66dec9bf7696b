"""The oracle: asks a model, reads its replies. Knows no notes; memdir works without it."""
