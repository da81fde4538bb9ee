"""S2 ids and centers are s2sphere's."""

import ctypes

import numpy as np
import pytest

from gpuvoronoi import _places
from gpuvoronoi._library import library

s2sphere = pytest.importorskip("s2sphere")


@pytest.mark.parametrize("level", [0, 1, 2, 5, 9, 13, 18])
def test_ids_and_centers(random, level):
    c, count = library(), 6 * 4**level
    assert c.gv_s2_count(level) == count
    numbers = np.unique(
        np.concatenate(
            [
                np.arange(min(count, 300)),
                count - 1 - np.arange(min(count, 300)),
                random.integers(0, count, 500),
            ]
        )
    )
    x, y = ctypes.c_double(), ctypes.c_double()
    ours, theirs = np.empty((numbers.size, 3)), np.empty((numbers.size, 3))
    for i, number in enumerate(numbers.tolist()):
        cell = s2sphere.CellId(c.gv_s2_id(level, number))
        assert cell.is_valid() and cell.level() == level
        assert c.gv_s2_center(level, number, ctypes.byref(x), ctypes.byref(y)) == 0
        a, b = np.radians(x.value), np.radians(y.value)
        ours[i] = np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)
        theirs[i] = tuple(cell.to_point())
    assert np.max(np.linalg.norm(ours - theirs, axis=-1)) < 1e-13


def test_the_order_is_that_of_ids():
    for level in (0, 1, 4):
        ids = _places.cell_ids(_places.cells(f"s2:{level}"))
        assert ids.dtype == np.uint64 and np.all(ids[1:] > ids[:-1])
        cell, end, walked = s2sphere.CellId.begin(level), s2sphere.CellId.end(level), []
        while cell != end:
            walked.append(cell.id())
            cell = cell.next()
        assert ids.tolist() == walked
