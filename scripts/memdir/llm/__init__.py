"""The oracle: asks a model, reads its replies, embeds texts. Knows no notes; memdir works without it."""

import os

# numpy starts OpenBLAS threads on import: 0.17 CPU s against 0.11 with one. One text is too small to divide: with two
# threads it takes 8 times the CPU. A program that imports numpy before memdir should set this itself.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
