"""HEALPix numbers and centers are healpy's."""

import ctypes

import numpy as np
import pytest

from gpuvoronoi._library import library

healpy = pytest.importorskip("healpy")


@pytest.mark.parametrize("order", [0, 1, 2, 5, 9, 13, 18])
def test_centers_and_schemes(random, order):
    c, nside = library(), 2**order
    count = c.gv_healpix_count(order)
    assert count == healpy.nside2npix(nside)
    numbers = np.unique(
        np.concatenate(
            [
                np.arange(min(count, 500)),
                count - 1 - np.arange(min(count, 500)),
                random.integers(0, count, 2000),
            ]
        )
    )
    ring = healpy.nest2ring(nside, numbers)
    x, y = ctypes.c_double(), ctypes.c_double()
    ours = np.empty((numbers.size, 2))
    for i, number in enumerate(numbers.tolist()):
        assert c.gv_healpix_center(order, number, ctypes.byref(x), ctypes.byref(y)) == 0
        ours[i] = x.value, y.value
        assert (
            c.gv_healpix_to_ring(order, number) == ring[i]
            and c.gv_healpix_from_ring(order, int(ring[i])) == number
        )

    def unit(a, b):
        return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], -1)

    away = unit(*np.radians(ours.T)) - np.stack(healpy.pix2vec(nside, numbers, nest=True), -1)
    assert np.max(np.linalg.norm(away, axis=-1)) < 1e-13
