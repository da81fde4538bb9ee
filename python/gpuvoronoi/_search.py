"""What searches of both trees share: their arguments, their answers, and going through many
queries."""

from __future__ import annotations

import math
import operator
import time
from ctypes import byref
from typing import Any, Callable, Optional, Protocol, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _c
from ._library import Bar, Context, Handle, Progress, interruptible, library, run

Neighbors = Union[int, Sequence[int], npt.NDArray[np.integer[Any]]]
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Nearest = tuple[Floats, Indices]
OneNearest = tuple[Union[float, Floats], Union[int, Indices]]  # of one position: numbers if k is 1


class SupportsArray(Protocol):
    """A pandas Series, an xarray DataArray, ..."""

    def __array__(self) -> Any: ...


Arrays = Union[npt.NDArray[Any], Sequence[Any], SupportsArray]

# Work (queries x references x coordinates) from which a search may take long enough to be
# interrupted.
LARGE_WORK = 2e8
_LEAST_PART, _MOST_PART = 1 << 4, 1 << 22


def number_in(value: Any, name: str, least: int, most: int) -> int:
    """An integer argument within bounds."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if isinstance(value, bool) or not least <= count <= most:
        raise ValueError(f"{name} must be from {least} to {most}, not {value}")
    return count


def real(value: Any, name: str, least: float = -math.inf) -> float:
    """A number that is not NaN and not below `least`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None
    if not number >= least:
        raise ValueError(
            f"{name} must be a number >= {least:g}, not {number}"
            if least > -math.inf
            else f"{name} must be a number, not {number}"
        )
    return number


def ellipsoid_numbers(ellipsoid: Optional[tuple[float, float]]) -> tuple[float, float]:
    """Semi-major axis and flattening as the library takes them; zeros stand for WGS 84."""
    if ellipsoid is None:
        return 0.0, 0.0
    try:
        a, f = ellipsoid
    except (TypeError, ValueError):
        raise TypeError(
            "ellipsoid must be a pair: semi-major axis in meters and flattening"
        ) from None
    if not 0 < (a := real(a, "ellipsoid")) < math.inf:
        raise ValueError(f"ellipsoid: the semi-major axis must be above 0, not {a}")
    if not -0.5 <= (f := real(f, "ellipsoid")) <= 0.5:
        raise ValueError(
            f"ellipsoid: the flattening must be from -0.5 to 0.5, not {f}; it is (a - b) / a, not "
            "its inverse"
        )
    return a, f


def plain_array(value: Any, name: str) -> npt.NDArray[Any]:
    """A numpy array of real numbers on the host; masked arrays and arrays of other devices are
    refused."""
    if isinstance(value, np.ma.MaskedArray):
        if np.any(value.mask):
            raise ValueError(f"{name}: unsupported masked values; remove or fill them")
        value = value.data
    if not isinstance(value, np.ndarray) and hasattr(value, "__cuda_array_interface__"):
        raise TypeError(
            f"{name} is an array on a GPU, which only KDTree supports: copy it to the host first, "
            "e.g. by "
            f"cupy.asnumpy"
        )
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name}: not a rectangular array: {error}") from None
    if array.dtype.kind not in "biuf":
        if array.dtype.kind != "O":
            raise TypeError(f"{name} must be an array of real numbers, not of {array.dtype}")
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be an array of real numbers") from None
    return array


def as_coordinates(value: Any, name: str) -> npt.NDArray[Any]:
    """A C-contiguous array of float32 or float64: the array itself where it is one."""
    array = plain_array(value, name)
    kind = np.float32 if array.dtype in (np.float32, np.float16) else np.float64
    return np.asarray(array, dtype=kind, order="C")


def as_degrees(value: Any, name: str) -> Floats:
    return np.asarray(plain_array(value, name), dtype=np.float64, order="C")


def wanted(k: Neighbors, most: int = _c.MAX_K) -> tuple[int, Optional[npt.NDArray[np.intp]]]:
    """The largest k, and which columns are wanted if not all."""
    if isinstance(k, int) or np.ndim(k) == 0:
        return number_in(k, "k", 1, most), None
    ranks = (
        [number_in(one, "k", 1, most) for one in np.asarray(k).ravel().tolist()]
        if np.size(k)
        else []
    )
    if not ranks or np.ndim(k) != 1:
        raise ValueError("k must be an integer or a sequence of one and more integers")
    return max(ranks), np.asarray(ranks, dtype=np.intp) - 1


def search(
    index: Optional[Handle],
    queries: Callable[[int, int], Any],
    count: int,
    k: int,
    max_distance: float,
    missing: int,
    work: float,
    threads: int,
    device: int,
    progress: Progress,
    argument: str,
    nearest: Optional[Floats] = None,
    function: Any = None,
    measured: bool = True,
) -> tuple[Floats, Indices]:
    """Distances (none if not `measured`) and indices, count x k. `queries(first, end)` makes the C
    struct of a part of the queries, `nearest`: where the nearest points go, count x k x 2;
    `function`: the library's, by default gv_index_search."""
    distances = np.empty((count, k) if measured else (0, k), dtype=np.float64)
    indices = np.empty((count, k), dtype=np.int64)
    if index is None or count == 0:
        distances.fill(np.inf)
        indices.fill(missing)
        return distances, indices
    address = index.address

    def part(first: int, end: int, **more: Any) -> None:
        options = _c.SearchOptions(k=k, max_distance=max_distance)
        if nearest is not None:
            options.nearest = nearest.ctypes.data + 16 * first * k
        run(
            function or library().gv_index_search,
            address,
            byref(queries(first, end)),
            byref(options),
            indices.ctypes.data + 8 * first * k,
            distances.ctypes.data + 8 * first * k if measured else None,
            threads=threads,
            device=device,
            argument=argument,
            **more,
        )

    large = work * count > LARGE_WORK
    if not (large and interruptible()) and progress in (False, None):
        part(0, count)
    else:
        _in_parts(part, count, work if function is None else 0.0, progress)
    if missing >= 0 and (max_distance < math.inf or k > missing):
        indices[indices < 0] = missing
    return distances, indices.astype(np.intp, copy=False)


def _in_parts(part: Callable[..., None], count: int, work: float, progress: Progress) -> None:
    """Parts of some seconds: the library looks a hundred times a call whether it is to stop. `work`
    of 0: all at once, as it looks often."""
    with Bar(progress) as bar:
        first, size = 0, int(min(max(1e10 / work, _LEAST_PART), _MOST_PART)) if work else count
        while first < count:
            end, start = min(first + size, count), time.monotonic()

            def report(fraction: float, first: int = first, end: int = end) -> None:
                assert bar.report is not None
                bar.report((first + fraction * (end - first)) / count)

            part(first, end, large=True, progress=report if bar.report is not None else None)
            seconds = time.monotonic() - start
            if seconds < 2:
                size = min(
                    (64 if seconds < 1 / 32 else 4) * size, 1 << 40
                )  # trees search near ones of many queries together
            elif seconds > 10:
                size = max(size // 4, _LEAST_PART)
            first = end


class Fixed:
    """Public attributes are set once: an object of the library does not change with them."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__}.{name} cannot be set; make another {type(self).__name__}"
            )
        object.__setattr__(self, name, value)


def usable(
    columns: Sequence[npt.NDArray[Any]],
    skip_invalid: bool,
    globe: bool = False,
    mask: Optional[npt.NDArray[np.bool_]] = None,
) -> Optional[Indices]:
    """The rows of the mask with finite coordinates, and on the globe latitudes in [-90, 90]; None
    for all rows, or if nothing is skipped."""
    if not skip_invalid and mask is None:
        return None
    good = np.ones(len(columns[0]), dtype=bool) if mask is None else mask.copy()
    if skip_invalid:
        good &= np.logical_and.reduce([np.isfinite(column) for column in columns])
    if skip_invalid and globe:
        good &= np.abs(columns[1]) <= 90.0
    return None if good.all() else np.flatnonzero(good)


def mask_of(mask: Any, shape: tuple[int, ...], n: int) -> Optional[npt.NDArray[np.bool_]]:
    """Which queries of a shape count: those where the mask is neither 0 nor NaN. `n`: the tree's
    points."""
    if mask is None:
        return None
    array = plain_array(getattr(mask, "values", mask), "mask")
    if array.shape != shape:
        of_data = (
            " (that of the data, as pykdtree's mask has it: build the tree without these points)"
        )
        hint = of_data if array.shape == (n,) else ""
        raise ValueError(
            f"mask must have the shape of the queries {shape}, not {array.shape}{hint}"
        )
    counts = (array != 0) & (array == array)
    return np.ascontiguousarray(counts).reshape(-1)


def spread(
    distances: Floats,
    indices: Indices,
    rows: Optional[Indices],
    n: int,
    usable_rows: Optional[Indices],
    count: int,
) -> tuple[Floats, Indices]:
    """What the queries `usable_rows` of `count` found among the references `rows` of `n` (None: all
    of them), for all queries."""
    if rows is not None:
        indices = np.append(rows, n)[indices]
    if usable_rows is None:
        return distances, indices
    all_distances, all_indices = (
        np.full((count, distances.shape[1]), np.inf),
        np.full((count, distances.shape[1]), n),
    )
    all_distances[usable_rows], all_indices[usable_rows] = distances, indices
    return all_distances, all_indices


def queries_are_points(count: int, n: int) -> None:
    """What exclude_self needs."""
    if count != n:
        raise ValueError(
            f"exclude_self needs the tree's own {n} points as queries, in their order, not {count} "
            "queries"
        )


def without_self(distances: Floats, indices: Indices) -> tuple[Floats, Indices]:
    """Of the k + 1 nearest of each point of a tree those that are not itself; the last goes where
    it is behind others in its place."""
    own = indices == np.arange(len(indices))[:, np.newaxis]
    own[~own.any(axis=1), -1] = True
    shape = (len(indices), indices.shape[1] - 1)
    return distances[~own].reshape(shape), indices[~own].reshape(shape)


def shaped(
    distances: Floats,
    indices: Indices,
    shape: tuple[int, ...],
    k: Neighbors,
    columns: Optional[npt.NDArray[np.intp]],
) -> OneNearest:
    """Answers in scipy's shapes: scalars for one query and one neighbor, no last axis for k that is
    1."""
    if columns is not None:
        return (
            distances[:, columns].reshape(*shape, columns.size),
            indices[:, columns].reshape(*shape, columns.size),
        )
    if distances.shape[1] > 1:
        return distances.reshape(*shape, distances.shape[1]), indices.reshape(
            *shape, distances.shape[1]
        )
    if shape == ():
        return float(distances[0, 0]), int(indices[0, 0])
    return distances.reshape(shape), indices.reshape(shape)


def strictly_below(bound: float) -> float:
    """The largest distance below scipy's bound, which is strict where the library's is not."""
    return bound if math.isinf(bound) else float(np.nextafter(bound, -np.inf))


def made(
    function: Any,
    destroy: Any,
    source: Any,
    options: Any,
    address: Any,
    *,
    threads: int,
    device: int,
    large: bool,
    argument: str,
) -> Handle:
    """Builds an index."""
    used: Context = run(
        function,
        byref(source),
        byref(options),
        byref(address),
        threads=threads,
        device=device,
        large=large,
        argument=argument,
    )
    return Handle(address.value, destroy, used)


def backend_name(backend: Any) -> bytes:
    if not isinstance(backend, str):
        raise TypeError(f"backend must be a string, not {type(backend).__name__}")
    return backend.encode()
