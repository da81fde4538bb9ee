"""gpuvoronoi diagram on maps: extents and masks across 180 degrees, around poles, of other systems, and cut at the map's own edge."""

import json

import numpy as np
import pytest
from conftest import gdal, ogr
from test_diagram import WHOLE, cells_of, layer_of, places, rings, zone


def seeds(work, count=80, seed=1):
    work.csv("seeds.csv", *places(count, seed))


def polygon(work, name, ring, crs=None):
    feature = {
        "type": "Feature",
        "properties": {},
        "geometry": {
            "type": "Polygon",
            "coordinates": [[list(map(float, p)) for p in [*ring, ring[0]]]],
        },
    }
    document = {"type": "FeatureCollection", "features": [feature]}
    if crs:
        document["crs"] = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:EPSG::{crs}"}}
    work.write(name, json.dumps(document))


def areas(work, *options, out="cells.gpkg"):
    work.ok("diagram", "--seeds", "seeds.csv", "--tolerance", "1km", "--overwrite", *options, out)
    cells = cells_of(work, out)
    for geometry, _ in cells.values():
        assert geometry.IsValid()
        for part in geometry:
            ring = np.array(part.GetGeometryRef(0).GetPoints())[:, :2]
            ring -= ring[0]
            assert (
                np.sum(ring[:-1, 0] * ring[1:, 1] - ring[1:, 0] * ring[:-1, 1]) > 0
            )  # counterclockwise
    return cells, sum(items["area_km2"] for _, items in cells.values())


@pytest.mark.parametrize(
    "west,south,east,north",
    [
        (170, -25, 190, -10),
        (0, -60, 360, 60),
        (350, -10, 370, 10),
        (-190, 0, -170, 90),
        (-200, -90, 400, 90),
    ],
)
def test_extents_and_masks_across_180(work, west, south, east, north):
    seeds(work)
    wide = min(east - west, 360)
    _, area = areas(work, f"--extent={west},{south},{east},{north}")
    assert area == pytest.approx(zone(south, north, wide), rel=1e-9)
    polygon(work, "mask.geojson", [(west, south), (east, south), (east, north), (west, north)])
    cells, area = areas(work, "--mask", "mask.geojson")
    assert area == pytest.approx(zone(south, north, wide), rel=1e-9)
    assert all(
        np.abs(ring[:, 0]).max() <= 180
        for geometry, _ in cells.values()
        for ring in rings(geometry)
    )


def test_masks_of_other_systems(work):
    """As many square kilometers as the mask itself has on the ground, by equal-area systems."""
    seeds(work)

    def square(x, y, side):
        return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]

    for crs, ring, area in (
        (3035, square(3.2e6, 1.4e6, 3e6), 9e6),
        (6931, square(-3e6, -3e6, 6e6), 36e6),
        (6932, square(0, -2e6, 2e6), 4e6),
    ):
        polygon(work, "mask.geojson", ring, crs)
        assert areas(work, "--mask", "mask.geojson")[1] == pytest.approx(area, rel=1e-3)
    # Across 180 degrees: Mercator with a meridian of 150 degrees, so that x = 0 ... 60 degrees is 150 ... 210.
    polygon(
        work,
        "mask.geojson",
        [(0, -2e6), (6378137 * np.pi / 3, -2e6), (6378137 * np.pi / 3, 2e6), (0, 2e6)],
        3832,
    )
    north = np.degrees(2 * np.arctan(np.exp(2e6 / 6378137)) - np.pi / 2)  # of a sphere
    assert areas(work, "--mask", "mask.geojson")[1] == pytest.approx(
        zone(-north, north, 60), rel=1e-2
    )
    # Holes around a pole, and both poles inside.
    work.write(
        "ring.geojson",
        json.dumps(
            {
                "type": "FeatureCollection",
                "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::6931"}},
                "features": [
                    {
                        "type": "Feature",
                        "properties": {},
                        "geometry": {
                            "type": "Polygon",
                            "coordinates": [
                                [*square(-3e6, -3e6, 6e6), [-3e6, -3e6]],
                                [*square(-1e6, -1e6, 2e6), [-1e6, -1e6]],
                            ],
                        },
                    }
                ],
            }
        ),
    )
    assert areas(work, "--mask", "ring.geojson")[1] == pytest.approx(32e6, rel=1e-3)


def test_invalid_masks_follow_the_even_odd_rule(work):
    seeds(work)
    polygon(work, "bow.geojson", [(0, 0), (20, 20), (20, 0), (0, 20)])  # two triangles
    assert areas(work, "--mask", "bow.geojson")[1] == pytest.approx(zone(0, 20, 20) / 2, rel=0.02)
    # Twice around the inner square: outside, as in rasters.
    polygon(
        work,
        "twice.geojson",
        [(0, 0), (20, 0), (20, 20), (0, 20), (0, 0), (5, 5), (10, 5), (10, 10), (5, 10), (5, 5)],
    )
    assert areas(work, "--mask", "twice.geojson")[1] == pytest.approx(
        zone(0, 20, 20) - zone(5, 10, 5), rel=1e-9
    )
    # As a raster has it, cell by cell.
    star = [
        (10 + 9 * np.sin(4 * np.pi * i / 5), 10 + 9 * np.cos(4 * np.pi * i / 5)) for i in range(5)
    ]
    polygon(work, "star.geojson", star)
    cells, _ = areas(work, "--mask", "star.geojson")
    work.ok(
        "--seeds",
        "seeds.csv",
        "--mask",
        "star.geojson",
        "--extent",
        "0,0,20,20",
        "--res",
        "0.5",
        "raster.tif",
    )
    kept = work.read("raster.tif") > 0
    for row, column in np.ndindex(kept.shape):
        point = ogr.CreateGeometryFromWkt(f"POINT ({column / 2 + 0.25} {19.75 - row / 2})")
        assert kept[row, column] == any(g.Contains(point) for g, _ in cells.values()), (row, column)


def test_masks_on_the_plane(work):
    x, y = np.random.default_rng(3).uniform((200000, 5200000), (800000, 6000000), (60, 2)).T
    work.csv("seeds.csv", x, y, header="x,y")
    plane = ["--seeds-crs", "EPSG:32632"]
    polygon(
        work, "zone.geojson", [(6, 48), (366 + 3, 48), (366 + 3, 52), (6, 52)]
    )  # 6 ... 9 degrees, and all others
    cells, area = areas(work, *plane, "--mask", "zone.geojson")
    assert area == pytest.approx(zone(48, 52, 1) * 9.5, rel=0.15)
    polygon(
        work,
        "square.geojson",
        [(3900000, 2800000), (4300000, 2800000), (4300000, 3200000), (3900000, 3200000)],
        3035,
    )
    assert areas(work, *plane, "--mask", "square.geojson")[1] == pytest.approx(160000, rel=2e-3)


@pytest.mark.parametrize(
    "crs",
    [
        "EPSG:3832",
        "+proj=robin +lon_0=11 +datum=WGS84",
        "+proj=eqc +lon_0=180 +datum=WGS84",
        "EPSG:8859",
        "EPSG:4807",
    ],
)
def test_maps_are_cut_at_their_own_edge(work, crs):
    seeds(work)
    cells, area = areas(work, "--metric", "geodesic", "--crs", crs)
    assert len(cells) == 80
    assert area == pytest.approx(WHOLE if crs != "EPSG:3832" else WHOLE * 0.9963, rel=2e-3)
    for kind in ("--edges-only", "--delaunay"):
        work.ok(
            "diagram",
            "--seeds",
            "seeds.csv",
            "--metric",
            "geodesic",
            "--crs",
            crs,
            "--tolerance",
            "1km",
            kind,
            "--no-cut",
            "--overwrite",
            "lines.gpkg",
        )
        layer = layer_of(work, "lines.gpkg")
        west, east, *_ = layer.GetExtent()
        for feature in layer:
            for line in feature.geometry():
                assert np.abs(np.diff(np.array(line.GetPoints())[:, 0])).max(initial=0) < 0.5 * (
                    east - west
                )


@pytest.mark.parametrize(
    "crs,extent",
    [
        ("EPSG:3035", "3900000,2500000,4800000,3700000"),
        ("EPSG:32632", "200000,5200000,900000,6150000"),
        ("EPSG:27700", "0,0,700000,1300000"),
        ("EPSG:2154", "100000,6000000,1300000,7200000"),
        ("EPSG:3031", "-4e6,-4e6,4e6,4e6"),
        ("EPSG:2193", "1000000,4700000,2200000,6200000"),
        ("EPSG:3857", "1.9e7,-2e6,2.2e7,3e6"),
        ("EPSG:3857", "-1e6,-1e6,1e6,3e7"),
        ("EPSG:2263", "900000,100000,1100000,300000"),
    ],
)
def test_far_seeds_and_a_map_of_a_region(work, crs, extent):
    """The polygons cover the extent once, whatever is elsewhere on the globe."""
    work.csv(
        "seeds.csv",
        *np.concatenate(
            [places(60, 1), np.random.default_rng(2).uniform((-5, 40), (15, 60), (20, 2)).T], axis=1
        ),
    )
    west, south, east, north = map(float, extent.split(","))
    cells, _ = areas(work, "--metric", "geodesic", "--crs", crs, f"--extent={extent}")
    assert sum(g.GetArea() for g, _ in cells.values()) == pytest.approx(
        (east - west) * (north - south), rel=1e-9
    )
    bounds = layer_of(work, "cells.gpkg").GetExtent()
    assert bounds == pytest.approx((west, east, south, north))


def test_the_default_system_is_that_of_the_seeds(work):
    work.csv("seeds.csv", [1e6, 6e6, -6e6], [6e6, 0, -3e6], header="x,y")
    cells, _ = areas(work, "--seeds-crs", "EPSG:3857")
    assert layer_of(work, "cells.gpkg").GetSpatialRef().GetAuthorityCode(None) == "3857"
    assert layer_of(work, "cells.gpkg").GetExtent() == pytest.approx(
        (-20037508.34, 20037508.34, -20037508.34, 20037508.34)
    )
    cells, _ = areas(work, "--seeds-crs", "EPSG:3857", "--extent=-7e6,-4e6,7e6,7e6")
    assert sum(g.GetArea() for g, _ in cells.values()) == pytest.approx(14e6 * 11e6)
    work.csv("seeds.csv", [400000, 600000, 500000], [5300000, 5300000, 5400000], header="x,y")
    areas(work, "--seeds-crs", "EPSG:32632", "--metric", "geodesic")
    assert layer_of(work, "cells.gpkg").GetExtent() == pytest.approx(
        (380000, 620000, 5290000, 5410000)
    )  # as a raster's
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--seeds-crs",
        "EPSG:32632",
        "--crs",
        "EPSG:4978",
        "new.gpkg",
        has="geocentric",
    )
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--seeds-crs",
        "EPSG:4326",
        "--extent",
        "170,0,-170,10",
        "new.gpkg",
        status=2,
        has="add 360 to xmax",
    )


def test_tolerance_holds_on_the_ground(work):
    seeds(work, 12)
    lon, lat = map(np.radians, places(12, 1))
    unit = np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--metric",
        "great-circle",
        "--crs",
        "ESRI:54008",
        "--tolerance",
        "100",
        "--edges-only",
        "edges.gpkg",
    )
    layer, worst = layer_of(work, "edges.gpkg"), 0
    back = pytest.importorskip("pyproj").Transformer.from_crs(
        "ESRI:54008", "EPSG:4326", always_xy=True
    )
    for feature in layer:
        axis = unit[feature["left"] - 1] - unit[feature["right"] - 1]
        axis /= np.linalg.norm(axis)
        for line in feature.geometry():
            points = np.array(line.GetPoints())[:, :2]
            for t in (0.25, 0.5, 0.75):
                x, y = map(
                    np.radians, back.transform(*(points[:-1] + t * np.diff(points, axis=0)).T)
                )
                off = (
                    np.abs(
                        np.column_stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)])
                        @ axis
                    )
                    * 6371008.8
                )
                worst = max(worst, off.max(initial=0))
    assert 10 < worst <= 101


def test_masks_of_many_vertices(work):
    """Cells inside and outside of a mask keep their polygons, or have none; the others add up to it."""
    seeds(work, 400)
    turn = np.arange(20000) * 2 * np.pi / 20000
    radius = 30 + 10 * np.sin(9 * turn) + np.random.default_rng(1).normal(size=turn.size) * 1e-3
    x, y = 100 + radius * np.cos(turn), radius * np.sin(turn)
    polygon(work, "mask.geojson", np.column_stack([x, y]))
    cells, area = areas(work, "--mask", "mask.geojson")
    assert sum(g.GetArea() for g, _ in cells.values()) == pytest.approx(
        0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y), rel=1e-9
    )
    assert 20 < len(cells) < 200


def test_empty_results_are_reported(work):
    seeds(work, 20)
    polygon(work, "mask.geojson", [(0, 0), (1, 0), (1, 1), (0, 1)])
    done = work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--json",
        "--mask",
        "mask.geojson",
        "--extent",
        "50,0,60,10",
        "cells.gpkg",
    )
    report = json.loads(done.stdout)
    assert [w["code"] for w in report["warnings"]] == ["cells-empty"] and report["features"] == 0
    done = work.ok(
        "diagram", "--seeds", "seeds.csv", "--json", "--extent", "50,0,60,10", "cells.geojson"
    )
    assert json.loads(done.stdout)["features"] == layer_of(work, "cells.geojson").GetFeatureCount()
    for name, cells in (
        ("cells.csv", ["--cells-of", "healpix:1"]),
        ("triangles.csv", ["--level", "1"]),
    ):  # tables of cells too
        polygon(work, "mask.geojson", [(0.01, 0.01), (0.02, 0.01), (0.02, 0.02)])
        done = work.ok(
            "--seeds", "seeds.csv", *cells, "--mask", "mask.geojson", "--cells", name, "--json"
        )
        assert [warning["code"] for warning in json.loads(done.stdout)["warnings"]] == [
            "cells-empty"
        ]


SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
STAR = [
    (0.5 + 0.5 * np.sin(4 * np.pi * i / 5), 0.5 + 0.5 * np.cos(4 * np.pi * i / 5)) for i in range(5)
]
# The system and extent of the result; the mask: a shape, where it is, how wide and high, in which system.
AS_RASTERS = [
    ("EPSG:4326", "160,-60,200,10", (STAR, 165, -40, 25, 25, None)),
    ("EPSG:4326", None, (SQUARE, 350, 35, 25, 25, None)),
    ("EPSG:4326", "-180,50,180,90", (STAR, -3e6, -3e6, 6e6, 6e6, 3413)),
    ("EPSG:4326", "-20,30,40,70", (STAR, 3.2e6, 1.4e6, 3e6, 3e6, 3035)),
    ("EPSG:3035", "2e6,1e6,7e6,6e6", (STAR, -15, 30, 50, 40, None)),
    ("EPSG:32632", "-5e5,4e6,1.5e6,7e6", (SQUARE, 3.5e6, 1.9e6, 2e6, 2e6, 3035)),
    ("EPSG:3031", "-4e6,-4e6,4e6,4e6", (SQUARE, -200, -90, 300, 25, None)),
    ("EPSG:3413", None, None),
    ("EPSG:3832", "-2.2e7,-1e6,-1.8e7,2e6", None),
    ("EPSG:3460", "1.5e6,3.5e6,2.5e6,4.5e6", (STAR, 170, -25, 15, 15, None)),
    ("ESRI:54030", "-2e6,3e6,3e6,7e6", (SQUARE, 100000, 100000, 500000, 800000, 27700)),
    ("+proj=moll +lon_0=150 +datum=WGS84", None, (STAR, 120, -50, 120, 100, None)),
    ("EPSG:2263", "900000,100000,1100000,300000", None),
]


@pytest.mark.parametrize("crs,extent,mask", AS_RASTERS, ids=range(len(AS_RASTERS)))
def test_diagrams_are_as_rasters(work, crs, extent, mask):
    """The polygons burnt into cells are the nearest-seed raster of the same seeds, extent, mask and system, but for centers beside borders."""
    near = np.random.default_rng(2).uniform((-10, 35), (25, 65), (30, 2)).T
    work.csv("seeds.csv", *np.concatenate([places(120, 1), near], axis=1))
    options = [
        "--seeds",
        "seeds.csv",
        "--metric",
        "geodesic",
        "--crs",
        crs,
        *([f"--extent={extent}"] if extent else []),
    ]
    if mask:
        shape, x, y, wide, high, system = mask
        polygon(work, "mask.geojson", [(x + wide * a, y + high * b) for a, b in shape], system)
        options += ["--mask", "mask.geojson"]
    work.ok(*options, "--no-style", "--size", "40,40", "raster.tif")
    work.ok("diagram", *options, "--tolerance", "1km", "cells.gpkg")
    raster, layer = work.open("raster.tif"), layer_of(work, "cells.gpkg")
    expected, transform = raster.ReadAsArray(), raster.GetGeoTransform()
    degrees = layer.GetSpatialRef().IsGeographic()
    drawn = np.full(expected.shape, -1)
    for turn in (0, -360, 360) if degrees else (0,):
        burnt = gdal.GetDriverByName("MEM").Create("", 40, 40, 1, gdal.GDT_Int32)
        burnt.SetGeoTransform((transform[0] + turn, *transform[1:]))
        burnt.SetSpatialRef(layer.GetSpatialRef())
        burnt.GetRasterBand(1).Fill(-1)
        gdal.RasterizeLayer(burnt, [1], layer, options=["ATTRIBUTE=seed"])
        drawn = np.where(drawn < 0, burnt.ReadAsArray(), drawn)
    shapes = {seed: geometry for seed, (geometry, _) in cells_of(work, "cells.gpkg").items()}
    assert all(geometry.IsValid() for geometry in shapes.values()) and (expected > 0).any()
    for row, column in np.argwhere(drawn != expected):
        x, y = (
            transform[0] + (column + 0.5) * transform[1],
            transform[3] + (row + 0.5) * transform[5],
        )
        center = ogr.CreateGeometryFromWkt(
            "POINT (%r %r)" % ((x + 180) % 360 - 180 if degrees else x, y)
        )
        close = (
            2000 / (111e3 * np.cos(np.radians(y)))
            if degrees
            else 2000 / layer.GetSpatialRef().GetLinearUnits()
        )
        shape = shapes.get(expected[row, column]) or shapes[drawn[row, column]].Boundary()
        assert center.Distance(shape) < close, (x, y, expected[row, column], drawn[row, column])


@pytest.mark.parametrize("lon", [180, -180, 25])
def test_seeds_on_one_meridian_in_another_system(work, lon):
    """An area of interest without width."""
    work.csv("seeds.csv", [lon, lon], [-40, 40])
    work.ok(
        "--seeds",
        "seeds.csv",
        "--metric",
        "geodesic",
        "--crs",
        "ESRI:54030",
        "--size",
        "4,4",
        "raster.tif",
    )
    assert areas(work, "--metric", "geodesic", "--crs", "ESRI:54030")[1] == pytest.approx(
        WHOLE, rel=1e-5
    )
