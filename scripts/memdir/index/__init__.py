"""The index: derived from the files, outside the vault, deletable at any time."""

import os

# numpy starts OpenBLAS threads on import: 0.17 CPU s against 0.11 with one. No matrix here is worth dividing.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
