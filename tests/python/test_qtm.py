"""The mesh on arrays; what the mesh is, tests/cells and tests/cli/test_qtm.py ask."""

from ctypes import byref, c_int64, create_string_buffer

import numpy as np
import pytest
from conftest import globe

from gpuvoronoi import _c, qtm
from gpuvoronoi._library import library


def test_round_trips(random):
    lon, lat = globe(random, 300)
    for level in (0, 3, 12, 29):
        cells = qtm.encode(lon, lat, level)
        assert cells.dtype == np.int64 and np.all(qtm.level(cells) == level)
        assert np.array_equal(qtm.encode(*qtm.centers(cells), level), cells)
        assert np.array_equal(qtm.from_string(qtm.to_string(cells)), cells)
        assert np.array_equal(qtm.from_number(level, qtm.number(cells)), cells)
        assert np.array_equal(qtm.octant(cells), [int(text[0]) for text in qtm.to_string(cells)])


def test_ids_are_the_library_s(random):
    """What is computed here from the bits of ids, by the functions of C; of invalid numbers, too."""
    c = library()
    text, found, four = create_string_buffer(_c.QTM_STRING_SIZE), c_int64(), (c_int64 * 4)()
    for level in range(30):
        for cell in qtm.encode(*globe(random, 20), level).tolist():
            assert c.gv_qtm_level(cell) == qtm.level(cell) == level
            assert c.gv_qtm_octant(cell) == qtm.octant(cell)
            assert c.gv_qtm_number(cell) == qtm.number(cell)
            assert c.gv_qtm_to_string(cell, text, _c.QTM_STRING_SIZE) == 0
            assert text.value.decode() == qtm.to_string(cell)
            assert c.gv_qtm_from_number(level, qtm.number(cell), byref(found)) == 0
            assert found.value == cell == qtm.from_number(level, qtm.number(cell))
            assert cell == qtm.from_string(qtm.to_string(cell))
            for coarser in range(level + 1):
                assert c.gv_qtm_ancestor(cell, coarser, byref(found)) == 0
                assert found.value == qtm.ancestors(cell, coarser)
            if level < 29:
                assert c.gv_qtm_children(cell, four) == 0
                assert qtm.children(cell).tolist() == list(four)
    ends = [0, -1, -(2**63), 2**63 - 1, 2**62, 2**57, 2**58, 2**59 + 1, 2**59 + 2**57, 2**62 + 1]
    for cell in ends + random.integers(-(2**63), 2**63 - 1, 500).tolist():
        if c.gv_qtm_is_valid(cell):
            assert c.gv_qtm_level(cell) == qtm.level(cell)
        else:
            for function in (qtm.level, qtm.octant, qtm.number, qtm.to_string, qtm.children):
                with pytest.raises(ValueError, match=f"invalid cell.*{cell}"):
                    function([cell])


def test_facts_of_many_cells_are_those_of_one(random):
    levels = np.arange(30)
    cells = np.array([qtm.encode(*globe(random, 4), int(level)) for level in levels])
    for function in (qtm.centers, qtm.corners, qtm.neighbors, qtm.areas, qtm.from_string):
        given = qtm.to_string(cells) if function is qtm.from_string else cells
        many, one = np.array(function(given)), [[function(c) for c in row] for row in given]
        axes = (2, 0, 1, 3)[: many.ndim] if many.shape[0] == 2 else range(many.ndim)
        assert np.array_equal(np.array(one).transpose(axes), many), function.__name__
        turned = np.array(function(given.T))
        two = int(many.shape[0] == 2)
        assert np.array_equal(turned, np.swapaxes(many, two, two + 1)), function.__name__
    found = c_int64()
    for cell in cells.ravel().tolist():
        area, text = library().gv_qtm_area(cell), qtm.to_string(cell).encode()
        assert qtm.areas(cell) == area
        assert library().gv_qtm_from_string(text, byref(found)) == 0 and found.value == cell


def test_family(random):
    cells = qtm.encode(*globe(random, 50), 7).reshape(5, 10)
    children = qtm.children(cells)
    assert children.shape == (5, 10, 4) and np.all(
        qtm.ancestors(children, 7) == cells[..., np.newaxis]
    )
    around = qtm.neighbors(cells)
    assert around.shape == (5, 10, 3)
    assert np.all(np.any(qtm.neighbors(around) == cells[..., np.newaxis, np.newaxis], axis=-1))
    lon, lat = qtm.corners(cells)
    assert lon.shape == lat.shape == (5, 10, 3) and np.all(np.abs(lat) <= 90)


def test_a_level_covers_the_sphere():
    cells = qtm.from_number(4, np.arange(qtm.count(4)))
    assert qtm.areas(cells).sum() == pytest.approx(4 * np.pi, rel=1e-12)


def test_scalars_and_nothing():
    cell = qtm.encode(13.4, 52.5, 8)
    assert (
        isinstance(cell, int)
        and isinstance(qtm.to_string(cell), str)
        and isinstance(qtm.areas(cell), float)
    )
    assert qtm.encode([], [], 3).shape == (0,) and qtm.neighbors(
        np.empty(0, dtype=np.int64)
    ).shape == (0, 3)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: qtm.encode(0.0, 90.5, 3), ValueError, "lon, lat"),
        (lambda: qtm.encode(np.nan, 0.0, 3), ValueError, "lon, lat"),
        (lambda: qtm.encode(0.0, 0.0, 30), ValueError, "level"),
        (lambda: qtm.encode(0.0, 0.0, 1.5), TypeError, "level"),
        (lambda: qtm.centers(0), ValueError, r"cells: .*\(0\)"),
        (lambda: qtm.centers([1.5]), TypeError, "cells"),
        (lambda: qtm.level(np.uint64(2**63)), ValueError, "cells"),
        (lambda: qtm.children(qtm.encode(0.0, 0.0, 29)), ValueError, "cells"),
        (lambda: qtm.from_string("9"), ValueError, "texts"),
        (lambda: qtm.from_string(7), TypeError, "texts"),
        (lambda: qtm.from_string(["1", "014"]), ValueError, r"texts: .*\('014'\)"),
        (lambda: qtm.from_string(["1", "1041"]), ValueError, r"texts: .*\('1041'\)"),
        (lambda: qtm.from_string("1" + "0" * 30), ValueError, "texts: invalid cell"),
        (lambda: qtm.from_string(""), ValueError, "texts: invalid cell"),
        (lambda: qtm.from_string(np.array(["1", 1], object)), ValueError, r"texts: .*\(1\)"),
        (lambda: qtm.from_number(0, 8), ValueError, "numbers"),
    ],
)
def test_bad_input_names_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()
