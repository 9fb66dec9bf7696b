"""Rows as 8-bit numbers: near the real ones, and stable once they are made."""

import numpy as np

from memdir import int8


def rows(count: int, size: int) -> int8.Floats:
    made = np.random.default_rng(7).standard_normal((count, size)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float32)


def test_a_row_keeps_its_direction() -> None:
    exact = rows(200, 512)
    back = int8.unpack(int8.pack(exact))
    assert np.abs(np.linalg.norm(back, axis=1) - 1).max() < 1e-6
    assert (exact * back).sum(axis=1).min() > 0.9999


def test_packing_again_changes_nothing() -> None:
    for size in (1, 4, 512):
        packed = int8.pack(rows(500, size))
        assert np.array_equal(int8.pack(int8.unpack(packed)), packed)


def test_zeros_and_nothing_stay_what_they_are() -> None:
    assert not int8.unpack(int8.pack(np.zeros((2, 3), np.float32))).any()
    assert int8.pack(np.zeros((0, 3), np.float32)).shape == (0, 3)
