"""What the command decides by a coordinate system: its default metric and its ellipsoid."""

from __future__ import annotations

from typing import Any

from . import _crs


def default_metric(crs: Any) -> tuple[str, str]:
    """The default metric of a coordinate system and the reason for it, as in the command.

    Parameters
    ----------
    crs : Any
        Whatever pyproj accepts as a coordinate system; None for none.

    Returns
    -------
    tuple of str
        The metric is "geodesic" for longitudes and latitudes and for projected CRSs of the whole
        world that stretch distances without bound (Web Mercator), else "euclidean".

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.default_metric("EPSG:3857")
    ('geodesic', 'default for projected CRSs of the whole world')
    """
    return _crs.default_metric(None if crs is None else _crs.parse(crs, "crs"))


def ellipsoid_of(crs: Any) -> tuple[float, float]:
    """Semi-major axis in meters and flattening of a coordinate system's ellipsoid; the flattening
    of a sphere is 0.

    Parameters
    ----------
    crs : Any
        Whatever pyproj accepts as a coordinate system.

    Returns
    -------
    tuple of float
        As the argument `ellipsoid` of `GlobeTree` and `FeatureTree`.

    Examples
    --------
    >>> import gpuvoronoi
    >>> gpuvoronoi.ellipsoid_of("+proj=longlat +R=6371000")
    (6371000.0, 0.0)
    """
    return _crs.ellipsoid(_crs.parse(crs, "crs"))
