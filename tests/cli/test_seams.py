"""Polygons cut at 180 degrees or at a pole: the cut is not a coast, in any coordinate system. The oracle is the same land in one piece."""

import json

import numpy as np
import pytest
from osgeo import ogr

from conftest import crs

# A land across the meridian as one ring, beyond 180, and in two pieces.
WHOLE = [
    [(170, 65), (180, 64.5), (190, 65), (188, 68), (190, 70), (180, 70.5), (170, 70), (170, 65)]
]
WEST = [[(170, 65), (180, 64.5), (180, 66), (180, 70.5), (170, 70), (170, 65)]]
EAST = [[(-180, 64.5), (-170, 65), (-172, 68), (-170, 70), (-180, 70.5), (-180, 68), (-180, 64.5)]]
FORMS = {
    "exact": (180.0, -180.0),
    "one ulp": (np.nextafter(180, 0), -180.0),
    "beyond": (180.000002, -180.0),
    "gap": (179.999997, -179.999998),
    "turns": (180.0, 180.0),
}


def pieces(form):
    """The two pieces, their edges along the meridian at these longitudes."""
    west, east = FORMS[form]
    turn = 360.0 if form == "turns" else 0.0
    a = [[(west if x == 180 else x, y) for x, y in ring] for ring in WEST]
    b = [[(east if x == -180 else x + turn, y) for x, y in ring] for ring in EAST]
    return [a, b]


def geojson(work, name, polygons, together):
    geometries = (
        [{"type": "MultiPolygon", "coordinates": polygons}]
        if together
        else [{"type": "Polygon", "coordinates": p} for p in polygons]
    )
    features = [{"type": "Feature", "properties": {}, "geometry": g} for g in geometries]
    work.write(name, json.dumps({"type": "FeatureCollection", "features": features}))
    return name


def reprojected(work, name, source, epsg):
    """The same polygons in another system, their straight edges in many steps."""
    from osgeo import osr

    to, opened = crs(epsg), ogr.Open(str(work.path(source)))
    change = osr.CoordinateTransformation(crs(4326), to)
    made = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path(name)))
    layer = made.CreateLayer("a", to, ogr.wkbMultiPolygon)
    for feature in opened.GetLayer(0):
        copy = ogr.Feature(layer.GetLayerDefn())
        geometry = ogr.ForceToMultiPolygon(feature.GetGeometryRef().Clone())
        geometry.Segmentize(0.05)
        geometry.Transform(change)
        copy.SetGeometry(geometry)
        layer.CreateFeature(copy)
    copy = layer = made = None
    return name


GRIDS = {
    "lonlat": ["--extent", "160,60,200,75", "--res", "2"],
    "polar": [
        "--crs",
        "EPSG:3995",
        "--metric",
        "geodesic",
        "--extent=-3000000,-1000000,1000000,3000000",
        "--res",
        "200000",
    ],
    "polar plane": [
        "--crs",
        "EPSG:3995",
        "--metric",
        "euclidean",
        "--extent=-3000000,-1000000,1000000,3000000",
        "--res",
        "200000",
    ],
    "pacific": [
        "--crs",
        "EPSG:3832",
        "--metric",
        "geodesic",
        "--extent",
        "2000000,8000000,5000000,11000000",
        "--res",
        "200000",
    ],
    "pacific plane": [
        "--crs",
        "EPSG:3832",
        "--metric",
        "euclidean",
        "--extent",
        "2000000,8000000,5000000,11000000",
        "--res",
        "200000",
    ],
}


def distances(work, seeds, grid, *options):
    work.ok("--seeds", seeds, *options, *GRIDS[grid], "--distance", "d.tif", "--overwrite", "o.tif")
    return work.read("d.tif")


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("form", FORMS)
def test_a_cut_is_no_coast(work, form, grid):
    whole = geojson(work, "whole.geojson", [WHOLE], True)
    for together in True, False:
        cut = geojson(work, "cut.geojson", pieces(form), together)
        for options in ["--boundary"], ["--signed-distance"]:
            if not together and (options == ["--signed-distance"] or form != "exact"):
                continue  # signed distances are to the boundary of the cell's own feature
            expected, found = (
                distances(work, whole, grid, *options),
                distances(work, cut, grid, *options),
            )
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=2.0)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("epsg", [4269, 4258, 3832, 3995, 6932])
def test_systems_of_the_seeds(work, epsg, grid):
    """By their own datum or on a map, where the cut lies within the map."""
    geojson(work, "cut.geojson", pieces("exact"), True)
    geojson(work, "whole.geojson", [WHOLE], True)
    if epsg in (4269, 4258):
        cut, whole, system = "cut.geojson", "whole.geojson", ["--seeds-crs", f"EPSG:{epsg}"]
    else:
        if epsg == 6932 or (epsg == 3995 and grid == "pacific plane"):
            pytest.skip(
                "the system is of the other hemisphere"
                if epsg == 6932
                else "far from the map's center"
            )
        cut, whole, system = (
            reprojected(work, "cut.gpkg", "cut.geojson", epsg),
            reprojected(work, "whole.gpkg", "whole.geojson", epsg),
            [],
        )
    expected, found = (
        distances(work, whole, grid, "--boundary", *system),
        distances(work, cut, grid, "--boundary", *system),
    )
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=20.0)


def test_antarctica_is_cut_at_the_pole_and_at_180(work):
    ring = [
        (-180, -90),
        (-180, -80),
        (-90, -75),
        (0, -70),
        (90, -68),
        (180, -80),
        (180, -90),
        (-180, -90),
    ]
    geojson(work, "a.geojson", [[ring]], True)
    for crs_options, name in (
        ([], "lonlat"),
        (["--crs", "EPSG:3031"], "plane"),
        (["--crs", "EPSG:3031", "--metric", "geodesic"], "map"),
    ):
        size = (
            ["--res", "1"]
            if name == "lonlat"
            else ["--extent=-3000000,-3000000,3000000,3000000", "--res", "50000"]
        )
        work.ok(
            "--seeds",
            "a.geojson",
            "--boundary",
            *crs_options,
            *size,
            "--distance",
            "d.tif",
            "--overwrite",
            "o.tif",
        )
        read = work.read("d.tif")
        assert (read[-2].min() if name == "lonlat" else read[59:61, 59:61].min()) > 800_000


@pytest.mark.parametrize("what", ["one side", "off the meridian", "elsewhere"])
def test_other_edges_stay_coasts(work, what):
    """An edge along 180 with nothing against it, edges 0.0001 degrees from it, and polygons that meet at another meridian."""
    if what == "one side":
        polygons, at = [WEST], (179.5, 67.5)
    elif what == "off the meridian":
        polygons, at = (
            [
                [[(min(x, 179.9999), y) for x, y in WEST[0]]],
                [[(max(x, -179.9999), y) for x, y in EAST[0]]],
            ],
            (179.5, 67.5),
        )
    else:
        polygons, at = (
            [[[(x - 30, y) for x, y in WEST[0]]], [[(x + 330, y) for x, y in EAST[0]]]],
            (149.5, 67.5),
        )
    geojson(work, "s.geojson", polygons, True)
    for crs_options in [], ["--crs", "EPSG:3995", "--metric", "geodesic"]:
        size = [
            "--extent",
            f"{at[0] - 0.5},{at[1] - 0.5},{at[0] + 0.5},{at[1] + 0.5}",
            "--size",
            "1,1",
        ]
        if crs_options:
            from osgeo import osr

            x, y, _ = osr.CoordinateTransformation(crs(4326), crs(3995)).TransformPoint(*at)
            size = [f"--extent={x - 500},{y - 500},{x + 500},{y + 500}", "--size", "1,1"]
        work.ok(
            "--seeds",
            "s.geojson",
            "--boundary",
            *crs_options,
            *size,
            "--distance",
            "d.tif",
            "--overwrite",
            "o.tif",
        )
        assert work.read("d.tif")[0, 0] < 25_000
