"""Coordinate systems by pyproj, which is imported only where one is given.

pyproj's transformers belong to one thread each, so every thread makes its own of the same
definition; the library's own threads never call it. Of the operations between two systems the one
that PROJ ranks first for the seeds' area is used for all positions, as the command does.
"""

from __future__ import annotations

import ctypes
import math
import re
import threading
import warnings
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _c
from ._library import library

Floats = npt.NDArray[np.float64]

_TO_DEGREES = re.compile(
    r"^proj=pipeline (step proj=unitconvert xy_in=(?P<unit>[a-z][a-z-]*) xy_out=m )?"
    r"step inv (?P<inverse>proj=(?!pipeline)(?:(?! step ).)*) "
    r"step proj=unitconvert xy_in=rad xy_out=deg$"
)
# Projections in which the plane repeats the globe: positions beyond its edge are valid.
_CYLINDRICAL = {"merc", "webmerc", "eqc", "cea", "mill", "gall", "longlat", "latlong", "ob_tran"}


def parse(value: Any, argument: str) -> Any:
    """A pyproj CRS, two-dimensional, of whatever stands for one."""
    try:
        import pyproj
    except ImportError as error:
        raise ImportError(
            f"{argument}: coordinate systems need pyproj: `pip install pyproj`. Without one, "
            "positions are "
            "longitudes and latitudes on WGS 84 (or plain plane coordinates, for the plane's "
            "metrics)"
        ) from error
    try:
        crs = pyproj.CRS.from_user_input(value)
    except pyproj.exceptions.CRSError as error:
        raise ValueError(f"{argument}: unknown coordinate system {value!r}: {error}") from None
    if crs.is_compound:
        crs = crs.sub_crs_list[0]
    if len(crs.axis_info) > 2 and hasattr(crs, "to_2d"):  # pyproj 3.6
        crs = crs.to_2d()
    if crs.is_geocentric:
        raise ValueError(f"{argument}: {name(crs)} is geocentric: a grid needs a map's coordinates")
    return crs


def name(crs: Any) -> str:
    authority = crs.to_authority()
    return f"{crs.name} ({':'.join(authority)})" if authority else str(crs.name)


def is_lonlat(crs: Any) -> bool:
    """True for longitude and latitude; a rotated pole is not."""
    return bool(crs.is_geographic and not crs.is_derived)


def is_degrees(crs: Any) -> bool:
    """True for longitude and latitude in degrees, from any meridian."""
    return is_lonlat(crs) and unit_degrees(crs) == 1.0


def same(a: Any, b: Any) -> bool:
    return bool(a.equals(b, ignore_axis_order=True))


def unit_degrees(crs: Any) -> float:
    """Degrees in one unit of longitudes and latitudes, without the rounding of its value in
    radians: 1, 0.9 (grads); 1 of other systems."""
    if not crs.is_geographic or not crs.axis_info:
        return 1.0
    degrees = float(crs.axis_info[0].unit_conversion_factor) * (180.0 / math.pi)
    rounded = float(f"{degrees:.12g}")
    return rounded if abs(rounded - degrees) < 1e-13 * degrees else degrees


def base(crs: Any, argument: str) -> Any:
    """The geographic system that `crs` is built on, in its own unit."""
    found = crs.geodetic_crs if not crs.is_geographic else crs.source_crs if crs.is_derived else crs
    if found is None:
        raise ValueError(
            f"{argument}: {name(crs)} is not tied to the globe, so it has no geodesics"
        )
    return found


_IN_DEGREES = {
    "subtype": "ellipsoidal",
    "axis": [
        {
            "name": "Geodetic longitude",
            "abbreviation": "Lon",
            "direction": "east",
            "unit": "degree",
        },
        {
            "name": "Geodetic latitude",
            "abbreviation": "Lat",
            "direction": "north",
            "unit": "degree",
        },
    ],
}


def from_greenwich(crs: Any) -> tuple[Any, float]:
    """A geographic system as cells of grid systems are defined, from Greenwich and in degrees, and
    its meridian's longitude, in degrees."""
    import pyproj

    meridian = crs.prime_meridian
    # The degree as GDAL rounds it, so that results have the bytes of the command.
    east = (
        float(meridian.longitude) * float(meridian.unit_conversion_factor) / 0.0174532925199433
        if meridian is not None
        else 0.0
    )
    if east == 0.0 and unit_degrees(crs) == 1.0:
        return crs, 0.0
    made = {
        key: value
        for key, value in crs.to_json_dict().items()
        if key in ("$schema", "type", "name", "datum", "datum_ensemble")
    }
    made["coordinate_system"] = _IN_DEGREES
    if east != 0.0:
        datum = {
            key: value
            for key, value in made["datum"].items()
            if key not in ("id", "ids", "prime_meridian")
        }
        ending = f" ({meridian.name})"
        made["name"], datum["name"] = (
            made["name"].removesuffix(ending),
            datum["name"].removesuffix(ending),
        )
        made["datum"] = datum
    found = pyproj.CRS.from_json_dict(made)
    code = found.to_epsg(20)
    coded = None if code is None else pyproj.CRS.from_epsg(code)
    return (coded if coded is not None and same(coded, found) else found), east


def ellipsoid(crs: Any) -> tuple[float, float]:
    """Semi-major axis in meters and flattening, 0 for a sphere. Prolate ellipsoids are refused."""
    found = crs.ellipsoid
    if found is None:
        raise ValueError(f"coordinate system {name(crs)}: missing ellipsoid")
    inverse = float(found.inverse_flattening)
    if inverse != 0.0 and not inverse > 1.0:
        raise ValueError(
            f"coordinate system {name(crs)}: unsupported ellipsoid (inverse flattening "
            f"{inverse:g}); its polar axis must be "
            f"above 0 and not longer than the equatorial axis"
        )
    return float(found.semi_major_metre), 1.0 / inverse if inverse else 0.0


def ellipsoid_name(crs: Any) -> str:
    """PROJ's name ("WGS84", "bessel") of the ellipsoid with the nearest flattening, of several that
    with the nearest axis."""
    from pyproj.list import get_ellps_map

    a, f = ellipsoid(crs)

    def distance(name: str) -> tuple[float, float]:
        one = get_ellps_map()[name]
        own = (one["a"] - one["b"]) / one["a"] if "b" in one else 1.0 / one["rf"]
        return round(abs(own - f), 12), abs(one["a"] - a)

    return min(get_ellps_map(), key=distance)


def default_metric(crs: Any) -> tuple[str, str]:
    """The library's default metric for a system, or for none, and the reason."""
    facts = _c.CrsFacts()
    if crs is not None:
        facts.kind = (
            _c.CRS_GEOGRAPHIC
            if crs.is_geographic
            else _c.CRS_PROJECTED
            if crs.is_projected
            else _c.CRS_OTHER
        )
    if facts.kind == _c.CRS_PROJECTED:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyproj's, that the string does not hold all
            try:
                facts.proj = (crs.to_proj4() or "").encode()
            except (
                RuntimeError
            ):  # pyproj's CRSError: not all systems can be expressed by such a string
                facts.proj = None
        area = crs.area_of_use
        if area is not None:
            facts.west, facts.east = area.west, area.east
    reason = ctypes.c_char_p()
    metric = library().gv_default_metric(ctypes.byref(facts), ctypes.byref(reason))
    return _c.METRICS[metric], (reason.value or b"").decode()


def linear_unit(crs: Any) -> Optional[float]:
    """Meters in a unit of a map; None for other systems."""
    return (
        float(crs.axis_info[0].unit_conversion_factor)
        if crs.is_projected and crs.axis_info
        else None
    )


class Operation:
    """One operation between two systems; may be pickled, and used by any number of threads.

    `globe`: the results are degrees, whatever the unit of `target`, plus `east` in longitude."""

    def __init__(
        self,
        source: Any,
        target: Any,
        x: Optional[Floats] = None,
        y: Optional[Floats] = None,
        *,
        globe: bool = False,
        east: float = 0.0,
    ) -> None:
        from pyproj.transformer import TransformerGroup

        area = None if x is None or y is None else _area(source, x, y)
        group = TransformerGroup(source, target, always_xy=True, area_of_interest=area)
        if not group.transformers:
            raise ValueError(f"PROJ: missing operation from {name(source)} to {name(target)}")
        self.definition: str = group.transformers[0].definition
        undone = _TO_DEGREES.match(self.definition)
        # PROJ's own steps between units may differ from what the command does in the last bit: a
        # multiplication for
        # degrees, the projection's own unit for feet.
        self.inverse: Optional[str] = None
        if undone is not None:
            self.inverse = undone["inverse"] + (
                f" units={undone['unit']}" if undone["unit"] else ""
            )
        self.unit, self.east = unit_degrees(target) if globe else 1.0, east
        self._local = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.definition, self.inverse, self.unit, self.east)

    @property
    def is_cylindrical(self) -> bool:
        found = re.search(r"\bproj=(?!pipeline|unitconvert|axisswap)(\w+)", self.definition)
        return found is not None and found[1] in _CYLINDRICAL

    def _transformer(self) -> Any:
        if not hasattr(self._local, "made"):
            from pyproj import Transformer

            # Kept as a whole pipeline, so that pyproj does not turn units by itself.
            self._local.made = Transformer.from_pipeline(
                f"proj=pipeline step inv {self.inverse}" if self.inverse else self.definition
            )
        return self._local.made

    def __call__(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """New arrays; inf where a position has no image."""
        made = self._transformer()
        if self.inverse is None:
            a, b = made.transform(x, y, errcheck=False)
        else:
            a, b = made.transform(x, y, errcheck=False, radians=True)
            a, b = np.asarray(a) * (180.0 / math.pi), np.asarray(b) * (180.0 / math.pi)
        lost = ~(np.isfinite(a) & np.isfinite(b))
        return np.where(lost, np.inf, a * self.unit + self.east), np.where(
            lost, np.inf, b * self.unit
        )

    def back(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        from pyproj.enums import TransformDirection

        made = self._transformer()
        x, y = (x - self.east) / self.unit, y / self.unit
        if self.inverse is not None:
            x, y = x * (math.pi / 180.0), y * (math.pi / 180.0)
        a, b = made.transform(
            x,
            y,
            errcheck=False,
            direction=TransformDirection.INVERSE,
            radians=self.inverse is not None,
        )
        return np.asarray(a), np.asarray(b)


def _restored(definition: str, inverse: Optional[str], unit: float, east: float) -> Operation:
    made = Operation.__new__(Operation)
    made.definition, made.inverse, made.unit, made.east, made._local = (
        definition,
        inverse,
        unit,
        east,
        threading.local(),
    )
    return made


def _area(source: Any, x: Floats, y: Floats) -> Any:
    """Where the seeds are, for PROJ to rank operations by."""
    from pyproj.aoi import AreaOfInterest

    step = 1 + x.size // 10000
    lon, lat = x[::step], y[::step]
    if is_lonlat(source):
        lon, lat = lon * unit_degrees(source), lat * unit_degrees(source)
    elif source.geodetic_crs is None:
        return None
    else:
        lon, lat = Operation(source, source.geodetic_crs, globe=True)(lon, lat)
    good = np.isfinite(lon) & (np.abs(lat) <= 90)
    if not good.any():
        return None
    lon = np.remainder(lon[good] + 180.0, 360.0) - 180.0
    return AreaOfInterest(
        float(lon.min()), float(lat[good].min()), float(lon.max()), float(lat[good].max())
    )


class Inverse:
    """From the coordinates of a projected grid to longitude and latitude."""

    def __init__(
        self, crs: Any, lattice: tuple[Floats, Floats], cell: float, east: float = 0.0
    ) -> None:
        """`east`: added to longitudes."""
        self.operation = Operation(crs, base(crs, "crs"), globe=True, east=east)
        self.tolerance = 0.0
        # Some inverses answer for positions outside the projected globe too: looked for on a
        # lattice of positions.
        if not (self.operation.is_cylindrical or is_lonlat(crs)):
            plain = self.operation(*lattice)[0]
            self.tolerance = 0.5 * cell
            if not np.any(np.isfinite(plain) & ~np.isfinite(self(*lattice)[0])):
                self.tolerance = 0.0

    def __call__(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        lon, lat = self.operation(x, y)
        if self.tolerance > 0:
            a, b = self.operation.back(lon, lat)
            with np.errstate(invalid="ignore"):
                lost = ~((np.abs(a - x) <= self.tolerance) & (np.abs(b - y) <= self.tolerance))
            lon, lat = np.where(lost, np.inf, lon), np.where(lost, np.inf, lat)
        beyond = np.abs(lat) > 90
        near = beyond & (np.abs(lat) < 90 + 1e-9)
        lat = np.where(near, np.copysign(90.0, lat), lat)
        lost = beyond & ~near
        return np.where(lost, np.inf, lon), np.where(lost, np.inf, lat)
