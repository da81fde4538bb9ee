"""Results for cells as Zarr, with the attributes of the convention for discrete global grid
systems."""

from __future__ import annotations

from typing import Any

from ._packages import package

# https://github.com/zarr-conventions/dggs
_CONVENTION = {
    "uuid": "7b255807-140c-42ca-97f6-7a1cfecdbc38",
    "schema_url": "https://raw.githubusercontent.com/zarr-conventions/dggs/refs/tags/v1/schema.json",
    "spec_url": "https://github.com/zarr-conventions/dggs/blob/v1/README.md",
    "name": "dggs",
    "description": "Discrete Global Grid Systems convention for zarr",
}
_CHUNK = 1 << 16  # cells: those of one cell eight levels up, of HEALPix in nested order and of S2


def to_zarr(
    found: Any, path: Any, *, zarr_format: int = 3, mode: str = "w-", **options: Any
) -> None:
    """Write results for cells as a Zarr group with the attributes `zarr_conventions` and `dggs`;
    needs zarr.

    Parameters
    ----------
    found : xarray.DataArray or xarray.Dataset
        A result of `voronoi`, `nearest_value` or `regrid` with the coordinate `cell_ids`, or the
        NetCDF file of the command's ``--cells-of`` as xarray opens it. A part of the cells, too.
    path : str, path-like or store
        As of `xarray.Dataset.to_zarr`.
    zarr_format : {3, 2}
        The version of Zarr; 3 needs zarr 3.
    mode : str
        As of `xarray.Dataset.to_zarr`: an existing group is an error by default, and replaced with
        ``"w"``.
    options
        Other arguments of `xarray.Dataset.to_zarr`.

    Notes
    -----
    Chunks have 65,536 cells, in nested order and of S2 those of one cell eight levels up.
    ``xdggs.decode`` decodes both versions.

    Examples
    --------
    >>> import gpuvoronoi
    >>> found = gpuvoronoi.voronoi(([0.0, 90.0], [0.0, 0.0]), cells="healpix:2")  # doctest: +SKIP
    >>> gpuvoronoi.to_zarr(found, "nearest.zarr")  # doctest: +SKIP
    """
    zarr = package("zarr", "to_zarr")
    if int(zarr.__version__.split(".")[0]) >= 3:
        options["zarr_format"] = zarr_format
    elif zarr_format != 2:
        raise ImportError(f"zarr_format=3 needs zarr 3, not {zarr.__version__}; use zarr_format=2")
    dataset = (
        found.to_dataset(name=found.name or "value") if not hasattr(found, "data_vars") else found
    )
    if "cell_ids" not in dataset.variables or dataset["cell_ids"].ndim != 1:
        raise ValueError(
            "found has no coordinate cell_ids: use cells='healpix:LEVEL', 's2:LEVEL' or 'h3:LEVEL'"
        )
    if "grid_name" not in dataset["cell_ids"].attrs:
        raise ValueError("found: its cell_ids are numbers of a file, not of a grid system")
    dim = dataset["cell_ids"].dims[0]
    others = [one for one in dataset.attrs.get("zarr_conventions", []) if one != _CONVENTION]
    made = dataset.assign_attrs(zarr_conventions=[*others, _CONVENTION], dggs=_grid(dataset, dim))
    chunks = {
        name: {
            "chunks": tuple(min(_CHUNK, n) if d == dim else n for d, n in variable.sizes.items())
        }
        for name, variable in made.variables.items()
        if dim in variable.dims and variable.chunks is None
    }
    encoding = {**chunks, **options.pop("encoding", {})}
    made.to_zarr(path, mode=mode, encoding=encoding, **options)


def _grid(dataset: Any, dim: str) -> dict[str, Any]:
    """The convention's object, of what xdggs reads in `cell_ids`, and the ellipsoid of authalic
    latitudes."""
    attributes = dict(dataset["cell_ids"].attrs)
    grid = {
        "name": str(attributes["grid_name"]),
        "refinement_level": int(attributes["level"]),
        "spatial_dimension": str(dim),
        "coordinate": "cell_ids",
        "compression": "none",
    }
    if "indexing_scheme" in attributes:
        grid["indexing_scheme"] = str(attributes["indexing_scheme"])
    if "ellipsoid" in attributes:
        grid["ellipsoid"] = _ellipsoid(dataset, str(attributes["ellipsoid"]))
    return grid


def _ellipsoid(dataset: Any, name: str) -> dict[str, Any]:
    """By its name, with the sizes of the grid mapping, or those that PROJ knows."""
    for variable in dataset.variables.values():
        if {"semi_major_axis", "inverse_flattening"} <= set(variable.attrs):
            sizes = variable.attrs["semi_major_axis"], variable.attrs["inverse_flattening"]
            break
    else:
        geod = package("pyproj", "to_zarr of authalic latitudes").Geod(ellps=name)
        sizes = geod.a, 1.0 / geod.f if geod.f else 0.0
    made = {"name": name, "semimajor_axis": float(sizes[0])}
    return {**made, "inverse_flattening": float(sizes[1])} if sizes[1] else made
