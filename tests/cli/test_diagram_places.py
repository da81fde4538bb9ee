"""Random places on maps lie in the polygon of their nearest seed, by gpuvoronoi's serial search,
unless a border is close: 20,000 of each system, extent and mask; with GPUVORONOI_LONG=1 a million.
"""

import os

import numpy as np
import pytest
from conftest import osr
from test_diagram import cells_of, places, rings
from test_diagram_maps import polygon

TOLERANCE = 100.0  # meters
COUNT = 1000000 if os.environ.get("GPUVORONOI_LONG") == "1" else 20000

# The system of the result, the extent in it, and the mask: its system and a rectangle.
CASES = {
    "UTM": ("EPSG:32632", (0, 4e6, 1e6, 7e6), None),
    "Lambert": ("EPSG:2154", (-3e5, 5.6e6, 1.4e6, 7.4e6), (4326, (-2, 43, 7, 50))),
    "Europe": ("EPSG:3035", (1.5e6, 9e5, 7.4e6, 5.5e6), (32632, (-2e5, 4.6e6, 1.2e6, 6.4e6))),
    "Pacific": ("EPSG:3832", (-1.4e7, -7e6, 1.4e7, 7e6), (3035, (2e6, 1e6, 6e6, 5e6))),
    "Robinson": ("ESRI:54030", (-1.7e7, -8.6e6, 1.7e7, 8.6e6), (6933, (-1e7, -5e6, 1.2e7, 6e6))),
    "grads": ("EPSG:4807", (-10, 44, 12, 57), (2154, (1e5, 6.1e6, 1.1e6, 7e6))),
    "pole": ("EPSG:3031", (-4e6, -4e6, 4e6, 4e6), (3031, (-2e6, -3e6, 3e6, 1e6))),
    "degrees": ("EPSG:4326", (150, -60, 230, 70), (3832, (-3e6, -2e6, 5e6, 6e6))),
}


def system(name):
    found = osr.SpatialReference()
    assert found.SetFromUserInput(name) == 0
    found.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return found


def transform(source, target, xy):
    way = osr.CoordinateTransformation(system(source), system(target))
    return np.array(way.TransformPoints(xy.tolist()))[:, :2]


def holds(geometry, x, y):
    """Of points sorted by x: which are within, by the even-odd rule."""
    found = np.zeros(len(x), dtype=bool)
    for ring in rings(geometry):
        begin = np.searchsorted(x, ring[:, 0].min(), "left")
        end = np.searchsorted(x, ring[:, 0].max(), "right")
        odd = np.zeros(end - begin, dtype=bool)
        for (ax, ay), (bx, by) in zip(ring[:-1], ring[1:]):
            if ay == by:
                continue
            across = (ay > y[begin:end]) != (by > y[begin:end])
            odd ^= across & (x[begin:end] < (bx - ax) * (y[begin:end] - ay) / (by - ay) + ax)
        found[begin:end] ^= odd
    return found


def nearest(work, lonlat):
    """The nearest seed of places, from 1, and by how many meters it is nearer than the next."""
    np.savetxt(
        work.path("places.csv"), lonlat, "%.17g", delimiter=",", header="lon,lat", comments=""
    )
    work.ok(
        *("search", "--reference", "seeds.csv", "--queries", "places.csv", "-k", "2"),
        *("--metric", "geodesic", "--backend", "serial", "found.csv"),
    )
    names = work.path("found.csv").read_text().split("\n", 1)[0].split(",")
    found = np.genfromtxt(work.path("found.csv"), delimiter=",", skip_header=1)
    reference = found[::2, names.index("reference")].astype(int)
    distance = found[:, names.index("distance")].reshape(-1, 2)
    return reference, distance[:, 1] - distance[:, 0]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_places_of_maps_lie_in_the_polygon_of_their_nearest_seed(work, name, masked):
    crs, (west, south, east, north), mask = CASES[name]
    if masked and mask is None:
        pytest.skip("no mask")
    seeds = np.column_stack(places(400, 11))
    seeds = np.concatenate([seeds, np.array([10.0, 50.0]) + seeds[:200] / [18.0, 9.0]])
    work.csv("seeds.csv", *seeds.T)
    options = []
    if masked:
        a, b, c, d = mask[1]
        polygon(work, "mask.geojson", [(a, b), (c, b), (c, d), (a, d)], mask[0])
        options = ["--mask", "mask.geojson"]
    work.ok(
        *("diagram", "--seeds", "seeds.csv", "--metric", "geodesic", "--crs", crs),
        *(f"--extent={west},{south},{east},{north}", "--tolerance", str(TOLERANCE)),
        *(*options, "cells.gpkg"),
    )
    if name == "Robinson":  # its inverse fails beside the map
        lonlat = np.column_stack(places(COUNT, 12))
        lonlat[:, 0] *= 179.99 / 180  # its edge is a curve
        xy = transform("EPSG:4326", crs, lonlat)
    else:
        random = np.random.default_rng(12)
        xy = np.column_stack(
            [random.uniform(west, east, COUNT), random.uniform(south, north, COUNT)]
        )
        lonlat = transform(crs, "EPSG:4326", xy)
    good = (
        (np.abs(lonlat[:, 1]) < 89.9) & (xy >= (west, south)).all(1) & (xy <= (east, north)).all(1)
    )
    xy, lonlat = xy[good], lonlat[good]
    if crs == "EPSG:4326":
        xy[:, 0] -= np.where(xy[:, 0] > 180, 360, 0)
    order = np.argsort(xy[:, 0])
    xy, lonlat = xy[order], lonlat[order]
    wanted, gap = nearest(work, lonlat)
    certain = gap > 2 * TOLERANCE  # a border is then farther than the tolerance
    if masked:
        a, b, c, d = mask[1]
        own = transform("EPSG:4326", f"EPSG:{mask[0]}", lonlat)
        near = 5 * TOLERANCE / (111e3 if mask[0] == 4326 else 1.0)
        inside = np.minimum(own - [a, b], [c, d] - own).min(axis=1)
        certain &= np.abs(inside) > near
        wanted = np.where(inside > 0, wanted, 0)
        assert COUNT / 500 < (wanted[certain] > 0).sum()
    assert certain.sum() > 0.7 * COUNT
    found = np.zeros(len(xy), dtype=int)
    times = np.zeros(len(xy), dtype=int)
    for seed, (geometry, _) in cells_of(work, "cells.gpkg").items():
        within = holds(geometry, *xy.T)
        found[within] = seed
        times += within
    wrong = certain & ((found != wanted) | (times != (wanted > 0)))
    assert not wrong.any(), (xy[wrong][:5], found[wrong][:5], wanted[wrong][:5], wrong.sum())
