"""What the answers must be, by numpy, scipy and PROJ: nothing here was written from the library's code."""

import ctypes
import ctypes.util
import math

import numpy as np
from scipy.spatial import cKDTree

import cases
import library

SEMI_MAJOR, FLATTENING = 6378137.0, 1 / 298.257223563
RADIUS = SEMI_MAJOR * (3 - FLATTENING) / 3  # (2a + b) / 3
EXACT = ("euclidean", "manhattan", "chebyshev")
# How far from the truth a distance may be that was found by another formula, meters or a part of it: great circles by chords
# of positions with sines that have an ulp of error, geodesics by PROJ's own.
SLACK = {"great-circle": 5e-6, "geodesic": 1e-6}


class Geodesic:
    """PROJ's geod_inverse."""

    class Ellipsoid(ctypes.Structure):
        _fields_ = [("values", ctypes.c_double * 256)]

    def __init__(self):
        self.proj = ctypes.CDLL(ctypes.util.find_library("proj") or "libproj.so.25")
        self.globe = self.Ellipsoid()
        self.proj.geod_init(
            ctypes.byref(self.globe), ctypes.c_double(SEMI_MAJOR), ctypes.c_double(FLATTENING)
        )
        d = ctypes.c_double
        self.proj.geod_inverse.argtypes = [
            ctypes.c_void_p,
            d,
            d,
            d,
            d,
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_void_p,
        ]

    def __call__(self, at, seeds):
        out, s = np.empty(len(seeds)), ctypes.c_double()
        for i, (lon, lat) in enumerate(seeds):
            self.proj.geod_inverse(
                ctypes.byref(self.globe), at[1], at[0], lat, lon, ctypes.byref(s), None, None
            )
            out[i] = s.value
        return out


GEODESIC = Geodesic()


def arcs(at, seeds):
    """Great-circle distances by haversines in long double."""
    lon, lat = np.radians(np.longdouble(1) * at[0]), np.radians(np.longdouble(1) * at[1])
    lons, lats = (
        np.radians(seeds[:, 0].astype(np.longdouble)),
        np.radians(seeds[:, 1].astype(np.longdouble)),
    )
    h = np.sin((lats - lat) / 2) ** 2 + np.cos(lat) * np.cos(lats) * np.sin((lons - lon) / 2) ** 2
    return (2 * RADIUS * np.arctan2(np.sqrt(h), np.sqrt(np.maximum(1 - h, 0)))).astype(float)


def canonical(metric, at, points):
    """The plane's canonical values: the header's formulas, term by term."""
    total = np.zeros(len(points))
    for d in range(points.shape[1]):
        difference = at[d] - points[:, d]
        if metric == "euclidean":
            total = total + difference * difference
        elif metric == "manhattan":
            total = total + np.abs(difference)
        else:
            total = np.maximum(total, np.abs(difference))
    return total


def weighted(case, value, distance):
    """What counts (value: the canonical one, where there is one, else the distance)."""
    w = case.weights
    if case.weighting == "multiplicative":
        return value / (w * w) if case.metric == "euclidean" else value / w
    if case.weighting == "additive":
        return (np.sqrt(value) if case.metric == "euclidean" else value) + w
    if case.weighting == "power":
        return (value if case.metric == "euclidean" else distance * distance) - w
    return value


def values(case, at):
    """For one place: what counts about each seed, and the plain distances."""
    if case.metric in EXACT:
        value = canonical(case.metric, at, case.seeds.astype(float))
        distance = np.sqrt(value) if case.metric == "euclidean" else value
    else:
        value = distance = (
            arcs(at, case.seeds) if case.metric == "great-circle" else GEODESIC(at, case.seeds)
        )
    return weighted(case, value, distance), distance


def check_row(case, at, row, distances, left_out=None):
    """One query's k answers; what is wrong, or None. Plane: the very numbers. Globe: each as near as can be, within the slack."""
    value, distance = values(case, at)
    slack = 0.0 if case.metric in EXACT else SLACK[case.metric]
    counts = np.ones(len(value), bool)
    if left_out is not None:
        counts[left_out] = False
    sure, perhaps = (
        counts & (distance <= case.limit - slack),
        counts & (distance <= case.limit + slack),
    )
    found = row[row >= 0]
    if not min(case.k, sure.sum()) <= len(found) <= min(case.k, perhaps.sum()):
        return f"{len(found)} neighbors, not {min(case.k, sure.sum())}"
    if (
        len(set(found)) != len(found)
        or found.max(initial=0) >= len(value)
        or not perhaps[found].all()
    ):
        return f"{row} holds a seed twice, or one that does not count"
    order = np.lexsort((np.arange(len(value)), np.where(perhaps, value, np.inf)))[: len(found)]
    if case.metric in EXACT:
        if not np.array_equal(order, found):
            return f"{found} instead of {order}"
    else:
        # The slack of what counts follows that of the distance.
        give = (
            2
            * slack
            * {
                "multiplicative": lambda: 1 / case.weights[found],
                "power": lambda: 2 * distance[found] + slack,
            }.get(case.weighting, lambda: 1.0)()
        )
        # Whether those at the limit itself count is not for the slack to say: none that surely counts is nearer.
        surely = np.sort(np.where(sure, value, np.inf))[: len(found)]
        if (value[found] > surely + give + 1e-12 * np.abs(value[found])).any():
            return f"{found} with {value[found]} instead of {order} with {value[order]}"
    if distances is not None:
        off = np.abs(distances[: len(found)] - distance[found])
        near_antipode = 0.5 if case.metric == "great-circle" else 0.0
        if (
            off
            > 1e-12 * distance[found]
            + 2 * slack
            + near_antipode * (distance[found] > 0.997 * math.pi * RADIUS)
        ).any():
            return f"distances {distances} instead of {distance[found]}"
    return None


def places(case):
    """Longitude and latitude, or x and y, of the cells in their order; NaN for those without a place."""
    x, y = cases.centers(case.grid)
    if "globe" in case.shape:
        pole = np.copysign(
            90.0, y
        )  # a row of centers that rounding puts beyond a pole is the pole's
        y = np.where(np.abs(y - pole) <= 1e-6 * abs(case.grid.geotransform[5]), pole, y)
    if case.inverse is not None:
        x, y = case.inverse(x, y)
    return np.column_stack([x.ravel(), y.ravel()])


def check_grid(case, out, distance, rng, most=12):
    """Some cells of a raster; the mesh's are compared between engines only, and in tests of their own."""
    grid = case.grid
    if grid.level >= 0 or grid.kind == library.QTM:
        return None
    at = places(case)
    flat, measured = (
        out.reshape(case.k, -1),
        None if distance is None else distance.reshape(case.k, -1),
    )
    for cell in rng.integers(0, len(at), most):
        row = flat[:, cell]
        if (case.mask is not None and not case.mask.ravel()[cell]) or not np.isfinite(
            at[cell]
        ).all():
            if (row != -1).any():
                return f"cell {cell} has {row} and should have none"
            continue
        wrong = check_row(case, at[cell], row, None if measured is None else measured[:, cell])
        if wrong:
            return f"cell {cell} at {at[cell].tolist()}: {wrong}"
    return None


def check_search(case, indices, distances, rng, most=12):
    asked = case.seeds if case.queries is None else case.queries
    for q in rng.integers(0, len(asked), most):
        wrong = check_row(
            case, asked[q].astype(float), indices[q], distances[q], q if case.exclude_self else None
        )
        if wrong:
            return f"query {q}: {wrong}"
    if case.metric == "euclidean" and not case.exclude_self and math.isinf(case.limit):
        found, _ = cKDTree(case.seeds.astype(float)).query(
            asked.astype(float), k=[min(case.k, len(case.seeds))]
        )
        theirs, ours = found[:, 0], distances[:, min(case.k, len(case.seeds)) - 1]
        scale = np.abs(case.seeds).max() + np.abs(asked).max()
        if (np.abs(theirs - ours) > 1e-12 * (theirs + scale)).any():
            return "scipy's cKDTree finds other distances"
    return None
