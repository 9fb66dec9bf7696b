"""Rows of length 1 as 8-bit numbers, and back: what the index and the paid cache hold of a vector.

A row is scaled so that its largest number is 127 or -127; the scale is not kept, because every row has length 1.
Of 512 numbers the cosine to the exact row is 0.9999. Pure; loads numpy when it is called.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Rows = NDArray[np.int8]
else:
    Floats = Rows = Any


def pack(rows: Floats) -> Rows:
    """(n, d) float32 → (n, d) int8. `pack(unpack(x))` is x for every x that `pack` gave."""
    import numpy as np

    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    return np.rint(rows * (127.0 / np.where(largest > 0, largest, 1.0))).astype(np.int8)


def unpack(rows: Rows) -> Floats:
    """(n, d) int8 → (n, d) float32 of length 1; a row of zeros stays one."""
    import numpy as np

    wide = rows.astype(np.float32)
    length = np.sqrt(np.einsum("ij,ij->i", wide, wide, dtype=np.float64))[:, None]
    return (wide / np.where(length > 0, length, 1.0)).astype(np.float32)
