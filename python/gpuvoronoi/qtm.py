"""Dutton's quaternary triangular mesh, on arrays: places to cells, cells to places, neighbors,
texts.

A cell is an int64 id, which knows its level (0 ... 29). Every function takes scalars or arrays of
any shape.

Examples
--------
>>> from gpuvoronoi import qtm
>>> cell = qtm.encode(13.4, 52.5, 8)
>>> qtm.to_string(cell)
'113013123'
>>> lon, lat = qtm.centers(cell)
>>> qtm.encode(lon, lat, 8) == cell
True
"""

from __future__ import annotations

from typing import Any, Union, overload

import numpy as np
import numpy.typing as npt

from . import _c
from ._library import library
from ._search import Arrays, Floats, SupportsArray, as_degrees, number_in

__all__ = [
    "ancestors",
    "areas",
    "centers",
    "children",
    "corners",
    "count",
    "encode",
    "from_number",
    "from_string",
    "level",
    "neighbors",
    "number",
    "octant",
    "to_string",
]

_OCTANT, _END = 59, 58  # bits of an id: the octant's lowest, the last of level 0

Ids = npt.NDArray[np.int64]
Texts = npt.NDArray[np.str_]


def _ids(cells: npt.ArrayLike) -> Ids:
    array = np.asarray(cells)
    if array.dtype.kind not in "iu":
        raise TypeError(f"cells must be integers, not {array.dtype}")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"cells: invalid cell ({array.max()})")
    return np.asarray(array, dtype=np.int64)


def _levels(cells: Ids, name: str = "cells") -> Ids:
    """The levels, by the bits of an id that gpuvoronoi/cells.h defines: the octant, two bits a
    digit, a 1, zeros."""
    ends = np.bitwise_and(cells, -cells)  # the 1 at bit 58 - 2 * level
    exponents = np.frexp(ends.astype(np.float64))[1].astype(np.int64) - 1
    octants = cells >> _OCTANT
    bad = (cells <= 0) | (exponents % 2 != 0) | (exponents > _END) | (octants < 1) | (octants > 8)
    if bad.any():
        raise _invalid(name, cells[bad].flat[0])
    return (_END - exponents) // 2


def _invalid(name: str, cell: Any) -> ValueError:
    return ValueError(f"{name}: invalid cell, or result not available ({cell})")


def _ints(array: Ids) -> Union[int, Ids]:
    return int(array) if array.ndim == 0 else array


def _floats(array: Floats) -> Union[float, Floats]:
    return float(array) if array.ndim == 0 else array


@overload
def encode(lon: float, lat: float, level: int) -> int: ...
@overload
def encode(lon: Arrays, lat: npt.ArrayLike, level: int) -> Ids: ...
@overload
def encode(lon: float, lat: Arrays, level: int) -> Ids: ...
def encode(lon: npt.ArrayLike, lat: npt.ArrayLike, level: int) -> Union[int, Ids]:
    """The cells that places belong to.

    Parameters
    ----------
    lon, lat : array_like
        Degrees, of shapes that broadcast.
    level : int
        0 to 29.

    Returns
    -------
    int or ndarray of int64

    Examples
    --------
    >>> from gpuvoronoi import qtm
    >>> qtm.encode([0.0, 180.0], 10.0, 0)
    array([ 864691128455135232, 2017612633061982208])
    """
    wanted = number_in(level, "level", 0, _c.QTM_MAX_LEVEL)
    x, y = np.broadcast_arrays(as_degrees(lon, "lon"), as_degrees(lat, "lat"))
    out, flat_x, flat_y = (
        np.empty(x.shape, dtype=np.int64),
        np.ascontiguousarray(x).ravel(),
        np.ascontiguousarray(y).ravel(),
    )
    library().gv_qtm_from_lonlat_array(
        wanted, flat_x.ctypes.data, flat_y.ctypes.data, out.size, out.ctypes.data
    )
    bad = np.flatnonzero(out.reshape(-1) == 0)
    if bad.size:
        raise ValueError(f"lon, lat: out of range ({flat_x[bad[0]]}, {flat_y[bad[0]]})")
    return _ints(out)


@overload
def centers(cells: int) -> tuple[float, float]: ...
@overload
def centers(cells: Arrays) -> tuple[Floats, Floats]: ...
def centers(cells: npt.ArrayLike) -> tuple[Union[float, Floats], Union[float, Floats]]:
    """Longitudes and latitudes of the cells' centers, in degrees."""
    lon, lat = _places_of("gv_qtm_center_array", cells, ())
    return _floats(lon), _floats(lat)


def corners(cells: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Longitudes and latitudes of the corners, with a last axis of 3, counter-clockwise from
    outside."""
    return _places_of("gv_qtm_corner_array", cells, (3,))


def _valid(cells: npt.ArrayLike) -> Ids:
    """Ids of cells, one after the other in memory."""
    ids = np.ascontiguousarray(_ids(cells)).reshape(np.shape(cells))
    _levels(ids)
    return ids


def _places_of(function: str, cells: npt.ArrayLike, each: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Longitudes and latitudes: an array of this shape of each cell."""
    ids = _valid(cells)
    lon, lat = np.empty((*ids.shape, *each)), np.empty((*ids.shape, *each))
    getattr(library(), function)(ids.ctypes.data, ids.size, lon.ctypes.data, lat.ctypes.data)
    return lon, lat


def neighbors(cells: npt.ArrayLike) -> Ids:
    """The three cells across the edges, with a last axis of 3; number i lies opposite corner i."""
    ids = _valid(cells)
    found = np.empty((*ids.shape, 3), dtype=np.int64)
    library().gv_qtm_neighbor_array(ids.ctypes.data, ids.size, found.ctypes.data)
    return found


def children(cells: npt.ArrayLike) -> Ids:
    """The four cells one level down, with a last axis of 4; the center first."""
    ids = _ids(cells)
    levels = _levels(ids)
    if (levels == _c.QTM_MAX_LEVEL).any():
        raise _invalid("cells", ids[levels == _c.QTM_MAX_LEVEL].flat[0])
    end = (np.int64(1) << (_END - 2 * levels))[..., None]
    return (ids[..., None] ^ end) | np.arange(4) * (end >> 1) | end >> 2


@overload
def ancestors(cells: int, level: int) -> int: ...
@overload
def ancestors(cells: Arrays, level: int) -> Ids: ...
def ancestors(cells: npt.ArrayLike, level: int) -> Union[int, Ids]:
    """The cells of a coarser (or the same) level that contain these."""
    wanted = number_in(level, "level", 0, _c.QTM_MAX_LEVEL)
    ids = _ids(cells)
    finer = _levels(ids) < wanted
    if finer.any():
        raise _invalid("cells", ids[finer].flat[0])
    end = np.int64(1) << (_END - 2 * wanted)
    return _ints(ids & -(2 * end) | end)


@overload
def level(cells: int) -> int: ...
@overload
def level(cells: Arrays) -> Ids: ...
def level(cells: npt.ArrayLike) -> Union[int, Ids]:
    """The levels of cells."""
    return _ints(_levels(_ids(cells)))


@overload
def octant(cells: int) -> int: ...
@overload
def octant(cells: Arrays) -> Ids: ...
def octant(cells: npt.ArrayLike) -> Union[int, Ids]:
    """The octants of cells: 1 ... 4 north from 0 degrees eastward, 5 ... 8 south."""
    ids = _ids(cells)
    _levels(ids)
    return _ints(ids >> _OCTANT)


@overload
def number(cells: int) -> int: ...
@overload
def number(cells: Arrays) -> Ids: ...
def number(cells: npt.ArrayLike) -> Union[int, Ids]:
    """The cells' numbers within their level, in the order of ``allocation(..., level=...)``."""
    ids = _ids(cells)
    levels = _levels(ids)
    digits = (ids & ((1 << _OCTANT) - 1)) >> (_OCTANT - 2 * levels)
    return _ints(((ids >> _OCTANT) - 1 << 2 * levels) + digits)


@overload
def areas(cells: int) -> float: ...
@overload
def areas(cells: Arrays) -> Floats: ...
def areas(cells: npt.ArrayLike) -> Union[float, Floats]:
    """Areas on the unit sphere, in steradians."""
    ids = _valid(cells)
    found = np.empty(ids.shape)
    library().gv_qtm_area_array(ids.ctypes.data, ids.size, found.ctypes.data)
    return _floats(found)


def count(level: int) -> int:
    """How many cells a level has: 8 x 4**level."""
    return int(library().gv_qtm_count(number_in(level, "level", 0, _c.QTM_MAX_LEVEL)))


@overload
def from_number(level: int, numbers: int) -> int: ...
@overload
def from_number(level: int, numbers: Arrays) -> Ids: ...
def from_number(level: int, numbers: npt.ArrayLike) -> Union[int, Ids]:
    """The cells with these numbers within a level."""
    wanted = number_in(level, "level", 0, _c.QTM_MAX_LEVEL)
    given = _ids(numbers)
    bad = (given < 0) | (given >= count(wanted))
    if bad.any():
        raise _invalid("numbers", given[bad].flat[0])
    digits = given & ((1 << 2 * wanted) - 1)
    octants = (given >> 2 * wanted) + 1
    return _ints(octants << _OCTANT | digits << (_OCTANT - 2 * wanted) | 1 << (_END - 2 * wanted))


@overload
def to_string(cells: int) -> str: ...
@overload
def to_string(cells: Arrays) -> Texts: ...
def to_string(cells: npt.ArrayLike) -> Union[str, Texts]:
    """Dutton's notation: the octant's digit and one digit a level."""
    ids = _ids(cells)
    levels = _levels(ids)
    letters = np.zeros((*ids.shape, _c.QTM_STRING_SIZE - 1), np.uint32)
    letters[..., 0] = (ids >> _OCTANT) + ord("0")
    for place in range(1, int(levels.max(initial=0)) + 1):
        digit = ids >> (_OCTANT - 2 * place) & 3
        letters[..., place] = np.where(place <= levels, digit + ord("0"), 0)
    texts = letters.view(f"U{_c.QTM_STRING_SIZE - 1}")[..., 0]
    return str(texts) if texts.ndim == 0 else texts


@overload
def from_string(texts: str) -> int: ...
@overload
def from_string(texts: Union[list[str], npt.NDArray[Any], SupportsArray]) -> Ids: ...
def from_string(texts: npt.ArrayLike) -> Union[int, Ids]:
    """Reads Dutton's notation."""
    array = np.asarray(texts)
    if array.dtype.kind not in "UO":
        raise TypeError(f"texts must be strings, not {array.dtype}")
    if array.dtype.kind == "O":
        others = [one for one in array.ravel().tolist() if not isinstance(one, str)]
        if others:
            raise ValueError(f"texts: invalid cell ({others[0]!r})")
    most = _c.QTM_STRING_SIZE - 1
    letters = np.zeros((*array.shape, most + 1), np.uint32)
    letters.view(f"U{most + 1}")[..., 0] = array  # longer ones are cut, and invalid
    octants, digits = letters[..., 0].astype(np.int64) - ord("0"), letters[..., 1:]
    there = digits != 0
    levels = there.sum(axis=-1)
    bad = (octants < 1) | (octants > 8) | (levels > most - 1)
    bad |= (there & ((digits < ord("0")) | (digits > ord("3")))).any(axis=-1)
    bad |= (there[..., 1:] & ~there[..., :-1]).any(axis=-1)
    if bad.any():
        raise ValueError(f"texts: invalid cell ({str(array[bad].flat[0])!r})")
    ids = octants << _OCTANT | np.int64(1) << (_END - 2 * levels)
    for place in range(1, int(levels.max(initial=0)) + 1):
        digit = digits[..., place - 1].astype(np.int64) - ord("0")
        ids |= np.where(place <= levels, digit << (_OCTANT - 2 * place), 0)
    return _ints(ids)
