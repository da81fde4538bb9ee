"""Results for cells as Parquet tables with the ids of the cells."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _grid, _pairing, _places
from ._packages import package

_BOX = ("xmin", "ymin", "xmax", "ymax")
_VERSIONS = {
    "1.1": "1.1.0",
    "2.0": "2.0-dev",
}  # that of the specification, as there is no 2.0.0 yet


def to_parquet(
    found: Any,
    path: Any,
    *,
    geometry: Optional[str] = None,
    compression: str = "zstd",
    geoparquet: str = "1.1",
) -> None:
    """Write results for cells as a Parquet table with a row a cell; needs pyarrow.

    Parameters
    ----------
    found : xarray.DataArray or xarray.Dataset
        A result of `voronoi`, `nearest_value` or `regrid` with the coordinate `cell_ids`, or the
        NetCDF file of the command's ``--cells-of`` as xarray opens it. A part of the cells, too, in
        any order.
    path : str or path-like
        The file. One that exists is replaced once the new one is complete.
    geometry : str, optional
        The cells as `cells` of `voronoi` has them, for example ``"h3:4"``: the table is GeoParquet
        then, with the columns `lon`, `lat`, the centers of the cells as points, `bbox` and the
        coordinate system of `found`.
    compression : str
        Of pyarrow.
    geoparquet : {"1.1", "2.0"}
        The version of GeoParquet. In 2.0 the points have Parquet's type `GEOGRAPHY`, and there is
        no column `bbox`, as the file has boxes in its statistics; needs pyarrow 21.

    Notes
    -----
    The column `cell_ids` is uint64. Each variable is a column; with `rank` the further neighbors
    are `NAME_2` and so on. Cells without a seed are null. The schema's metadata has the system of
    the cells as `dggs`.

    Examples
    --------
    >>> import gpuvoronoi
    >>> found = gpuvoronoi.voronoi(([0.0, 90.0], [0.0, 0.0]), cells="s2:2")  # doctest: +SKIP
    >>> gpuvoronoi.to_parquet(found, "nearest.parquet", geometry="s2:2")  # doctest: +SKIP
    """
    pyarrow = package("pyarrow", "to_parquet")
    package("pyarrow.parquet", "to_parquet")
    if not hasattr(found, "data_vars") and not hasattr(found, "to_dataset"):
        raise TypeError(
            "found must be an xarray.DataArray or Dataset with cell_ids, not "
            f"{type(found).__name__}"
        )
    dataset = (
        found.to_dataset(name=found.name or "value") if not hasattr(found, "data_vars") else found
    )
    if "cell_ids" not in dataset.variables or dataset["cell_ids"].ndim != 1:
        raise ValueError(
            "found has no coordinate cell_ids: use cells='healpix:LEVEL', 's2:LEVEL' or 'h3:LEVEL'"
        )
    ids = dataset["cell_ids"]
    columns: dict[str, Any] = {"cell_ids": pyarrow.array(ids.values.astype(np.uint64))}
    metadata = {
        "dggs": json.dumps({str(key): value for key, value in ids.attrs.items()}, default=str)
    }
    if geoparquet not in _VERSIONS:
        raise ValueError(f"geoparquet must be one of {', '.join(_VERSIONS)}, not {geoparquet!r}")
    if geometry is not None:
        lon, lat = _centers_of(ids.values.astype(np.uint64), geometry)
        columns["lon"], columns["lat"] = pyarrow.array(lon), pyarrow.array(lat)
        described = _geoparquet(dataset, lon, lat, geoparquet)
        points = _points(pyarrow, lon, lat)
        if geoparquet == "1.1":
            columns["geometry"], columns["bbox"] = points, _boxes(pyarrow, lon, lat)
        else:
            crs = described["columns"]["geometry"].get("crs")
            columns["geometry"] = _geography(pyarrow, points, crs)
        metadata["geo"] = json.dumps(described)
    for name, variable in dataset.data_vars.items():
        if ids.dims[0] in variable.dims:
            columns.update(_columns(pyarrow, str(name), variable, ids.dims[0]))
    table = pyarrow.table(columns)
    with _replaced(path) as made:
        pyarrow.parquet.write_table(
            table.replace_schema_metadata(metadata), made, compression=compression
        )


@contextlib.contextmanager
def _replaced(path: Any) -> Iterator[str]:
    """A path to write to; the file is moved to `path` when it is complete, and until then a file
    there stays."""
    target = os.path.realpath(path)
    with tempfile.TemporaryDirectory(prefix=".", dir=os.path.dirname(target)) as folder:
        made = os.path.join(folder, os.path.basename(target))
        yield made
        if os.path.exists(target):
            shutil.copymode(target, made)
        os.replace(made, target)


def _geography(pyarrow: Any, points: Any, crs: Any) -> Any:
    """Points of the type that pyarrow writes as GEOGRAPHY: GeoArrow's extension of binary."""
    said = json.dumps({"edges": "spherical", **({"crs": crs} if crs is not None else {})}).encode()

    class Points(pyarrow.ExtensionType):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(points.type, "geoarrow.wkb")

        def __arrow_ext_serialize__(self) -> bytes:
            return said

        @classmethod
        def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> Any:
            return cls()

    return pyarrow.ExtensionArray.from_storage(Points(), points)


def _geoparquet(dataset: Any, lon: Any, lat: Any, version: str) -> dict[str, Any]:
    """GeoParquet's metadata of the centers, which are longitudes and latitudes: their system, and
    the column with a box of each row."""
    mapping = _grid._grid_mapping(dataset)
    stated = mapping.get("crs_wkt") or mapping.get("spatial_ref")
    crs = _grid._crs_of(dataset, mapping) if stated else None
    column: dict[str, Any] = {"encoding": "WKB", "geometry_types": ["Point"], "edges": "spherical"}
    if version == "1.1":
        column["covering"] = {"bbox": {name: ["bbox", name] for name in _BOX}}
    if crs is not None:  # without it readers take OGC:CRS84
        column["crs"] = crs.to_json_dict()
    if lon.size:
        column["bbox"] = [float(n) for n in (lon.min(), lat.min(), lon.max(), lat.max())]
    return {
        "version": _VERSIONS[version],
        "primary_column": "geometry",
        "columns": {"geometry": column},
    }


def _boxes(pyarrow: Any, lon: Any, lat: Any) -> Any:
    """The box of each point, by which readers leave out parts of a file."""
    sides = [pyarrow.array(side) for side in (lon, lat, lon, lat)]
    return pyarrow.StructArray.from_arrays(sides, list(_BOX))


def _columns(pyarrow: Any, name: str, variable: Any, dim: str) -> dict[str, Any]:
    others = [d for d in variable.dims if d != dim]
    if others not in ([], ["rank"]):
        raise ValueError(
            f"found: {name!r} has the dimensions {tuple(variable.dims)}; select one element of "
            f"each but {dim!r} and 'rank'"
        )
    values = variable.transpose(*others, dim).values
    fill = variable.attrs.get("_FillValue", variable.encoding.get("_FillValue"))
    columns = {}
    for number, band in enumerate(values if others else values[np.newaxis], 1):
        missing = (
            np.isnan(band)
            if band.dtype.kind == "f"
            else band == fill
            if fill is not None
            else np.zeros(band.shape, bool)
        )
        columns[name if number == 1 else f"{name}_{number}"] = pyarrow.array(band, mask=missing)
    return columns


def _centers_of(ids: npt.NDArray[np.uint64], cells: str) -> tuple[Any, Any]:
    """Longitudes and latitudes of these cells of a system."""
    of = _places.cells(cells) if isinstance(cells, str) else None
    if of is None:
        raise ValueError(
            f"geometry must be 'healpix:LEVEL', 's2:LEVEL' or 'h3:LEVEL', not {cells!r}"
        )
    known = _places.cell_ids(of).astype(np.uint64)
    at = np.minimum(np.searchsorted(known, ids), known.size - 1)
    if not np.array_equal(known[at], ids):
        raise ValueError(f"geometry: found has other cells than {cells!r}")
    lon, lat = _pairing.centers(cells)
    return lon[at], lat[at]


def _points(pyarrow: Any, lon: npt.NDArray[np.float64], lat: npt.NDArray[np.float64]) -> Any:
    """Well-known binary of points."""
    made = np.empty(lon.size, dtype=[("order", "u1"), ("type", "<u4"), ("x", "<f8"), ("y", "<f8")])
    made["order"], made["type"], made["x"], made["y"] = 1, 1, lon, lat
    size = made.dtype.itemsize
    small = lon.size * size < 2**31
    offsets = np.arange(lon.size + 1, dtype=np.int32 if small else np.int64) * size
    return pyarrow.Array.from_buffers(
        pyarrow.binary() if small else pyarrow.large_binary(),
        lon.size,
        [None, pyarrow.py_buffer(offsets), pyarrow.py_buffer(made)],
    )
