"""Extents of grids by default and from other data, and sizes with units."""

import csv

import numpy as np
import pytest
from osgeo import ogr, osr

from conftest import crs, globe
from test_facility import make_raster

EUROPE = [5.0, 14.0, 9.0, 11.5], [44.0, 46.5, 59.0, 51.0]


def box(dataset):
    g = dataset.GetGeoTransform()
    return g[0], g[3] + g[5] * dataset.RasterYSize, g[0] + g[1] * dataset.RasterXSize, g[3]


def on_map(lon, lat, code):
    to = osr.CoordinateTransformation(crs(4326), crs(code))
    x, y, _ = np.array(to.TransformPoints(np.column_stack([lon, lat]).tolist())).T
    return x, y


def area_of_use(code):
    """The box around the area that a system states, by GDAL."""
    area = crs(code).GetAreaOfUse()
    lon, lat = np.meshgrid(
        np.linspace(area.west_lon_degree, area.east_lon_degree, 201),
        np.linspace(area.south_lat_degree, area.north_lat_degree, 201),
    )
    x, y = on_map(lon.ravel(), lat.ravel(), code)
    return x.min(), y.min(), x.max(), y.max()


@pytest.mark.parametrize("code", [3035, 32633, 2056, 3857, 3031])
@pytest.mark.parametrize("metric", ["euclidean", "geodesic"])
def test_seeds_beyond_the_system(work, code, metric):
    """A map of Europe by the cities of the world was a map of the world, of which most is nonsense."""
    lon, lat = globe(60, seed=3)
    lon, lat = np.append(lon, 10.0), np.append(lat, 89.9)
    work.csv("s.csv", lon, lat)
    done = work.ok(
        "--seeds",
        "s.csv",
        "--crs",
        f"EPSG:{code}",
        "--metric",
        metric,
        "--size",
        "50,40",
        "--skip-invalid",
        "o.tif",
    )
    expected = np.array(area_of_use(code))
    if code == 3857:  # the southernmost seed is far from the end
        _, y = on_map(lon, lat, code)
        expected[1] = y.min() - np.ptp(y) / 10
    size = max(expected[2] - expected[0], expected[3] - expected[1])
    assert np.allclose(box(work.open("o.tif")), expected, atol=2e-3 * size)
    line = [one for one in done.stderr.splitlines() if "are outside the area of use" in one]
    assert (
        len(line) == 1
        and " seeds are" in line[0]
        and crs(code).GetName() in line[0]
        and "--extent" in line[0]
    )
    assert int(line[0].split("warning: ")[1].split(" of ")[0]) >= 1
    work.ok(
        "--seeds",
        "s.csv",
        "--crs",
        f"EPSG:{code}",
        "--metric",
        metric,
        "--size",
        "50,40",
        "--extent",
        "0,0,50000,40000",
        "--quiet",
        "--skip-invalid",
        "e.tif",
    )
    assert box(work.open("e.tif")) == (0, 0, 50000, 40000)


GERMANY = [6.1, 13.4, 9.0, 12.0], [50.8, 52.5, 47.5, 54.5]  # UTM's zone 32 ends at 12 degrees


def test_seeds_just_outside_the_area_of_use(work):
    """One seed in Berlin made a map of the whole zone, from Italy to the pole, without Berlin."""
    work.csv("s.csv", *GERMANY)
    work.points("s.gpkg", "GPKG", *on_map(*GERMANY, 25832), epsg=25832)
    done = work.ok("--seeds", "s.csv", "--crs", "EPSG:25832", "--size", "50,40", "o.tif")
    (line,) = [one for one in done.stderr.splitlines() if "are outside the area of use" in one]
    assert "1 of 4 seeds" in line and "at which the grid ends" not in line
    work.ok("--seeds", "s.gpkg", "--size", "50,40", "e.tif")
    assert np.allclose(box(work.open("o.tif")), box(work.open("e.tif")), atol=1e-3)


def test_one_seed_far_outside_the_area_of_use(work):
    """The grid has the other seeds' extent in all directions but that of the seed, where the area of use ends."""
    lon, lat = GERMANY
    work.csv("s.csv", lon + [24.0], lat + [52.0])
    done = work.ok("--seeds", "s.csv", "--crs", "EPSG:25832", "--size", "50,40", "o.tif")
    (line,) = [one for one in done.stderr.splitlines() if "are outside the area of use" in one]
    assert "2 of 5 seeds" in line and "at which the grid ends" in line
    x, y = on_map(lon + [24.0], lat + [52.0], 25832)
    west, south, east, north = box(work.open("o.tif"))
    assert np.allclose([south, north], [y.min() - np.ptp(y) / 10, y.max() + np.ptp(y) / 10])
    area = area_of_use(25832)
    assert np.allclose([west, east], [max(area[0], x.min() - np.ptp(x) / 10), area[2]], rtol=1e-3)


def test_seeds_in_the_system_itself(work):
    """For example all of Germany in UTM's zone 32, which ends at 12 degrees: the extent is that of the seeds."""
    work.points("s.gpkg", "GPKG", [300000.0, 900000.0], [5300000.0, 6000000.0], epsg=25832)
    done = work.ok("--seeds", "s.gpkg", "--size", "50,40", "o.tif")
    assert done.stderr == "" and box(work.open("o.tif")) == (240000, 5230000, 960000, 6070000)


def test_seeds_within_the_system(work):
    work.csv("s.csv", *EUROPE)
    done = work.ok("--seeds", "s.csv", "--crs", "EPSG:3035", "--size", "50,40", "o.tif")
    assert done.stderr == ""
    x, y = on_map(*EUROPE, 3035)
    w, h = np.ptp(x) / 10, np.ptp(y) / 10
    assert np.allclose(
        box(work.open("o.tif")), (x.min() - w, y.min() - h, x.max() + w, y.max() + h), atol=1e-2
    )


# ---------------------------------------------------------------------------------------------------------- --extent-of


def test_extent_of(work):
    work.csv("s.csv", *EUROPE)
    make_raster(
        work, "r.tif", np.ones((10, 20)), (4000000, 10000, 0, 3000000, 0, -10000), epsg=3035
    )
    work.points("p.gpkg", "GPKG", [5.0, 10.0], [45.0, 50.0])
    work.ok(
        "--seeds", "s.csv", "--crs", "EPSG:3035", "--extent-of", "r.tif", "--size", "40,20", "a.tif"
    )
    assert box(work.open("a.tif")) == (4000000, 2900000, 4200000, 3000000)
    work.ok("--seeds", "s.csv", "--extent-of", "p.gpkg", "--res", "0.5", "b.tif")
    assert box(work.open("b.tif")) == (5, 45, 10, 50) and work.open("b.tif").RasterXSize == 10
    work.ok("--seeds", "s.csv", "--extent-of", "r.tif", "--size", "40,20", "c.tif")
    assert np.allclose(
        box(work.open("c.tif")),
        (bounds := transformed(3035, 4326, 4000000, 2900000, 4200000, 3000000)),
        atol=1e-3,
    ), bounds
    work.ok(
        "--seeds",
        "s.csv",
        "--crs",
        "EPSG:3035",
        "--extent-of",
        "p.gpkg",
        "--size",
        "40,20",
        "d.tif",
    )
    assert np.allclose(box(work.open("d.tif")), transformed(4326, 3035, 5, 45, 10, 50), atol=50)


def transformed(source, target, *bounds):
    x, y = np.meshgrid(
        np.linspace(bounds[0], bounds[2], 301), np.linspace(bounds[1], bounds[3], 301)
    )
    points = osr.CoordinateTransformation(crs(source), crs(target)).TransformPoints(
        np.column_stack([x.ravel(), y.ravel()]).tolist()
    )
    x, y, _ = np.array(points).T
    return x.min(), y.min(), x.max(), y.max()


def test_extent_of_across_180(work):
    make_raster(
        work,
        "r.tif",
        np.ones((10, 10)),
        (-500000, 100000, 0, 500000, 0, -100000),
        epsg="+proj=aeqd +lon_0=179 +datum=WGS84",
    )
    work.csv("s.csv", [170.0, -170.0], [0.0, 0.0])
    work.ok("--seeds", "s.csv", "--extent-of", "r.tif", "--size", "40,40", "o.tif")
    west, south, east, north = box(work.open("o.tif"))
    assert (
        east - west < 10 and abs((west + east) / 2 % 360 - 179) < 0.1 and abs(south + north) < 0.1
    )


def box_of(n, west, south, east, north):
    """A rectangle n of WKT."""
    return f"(({west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}))"


LAYERS = {  # in longitude and latitude, and the short box around them
    "points": (["POINT (178 -18)", "POINT (-179 -17)", "POINT (179.5 -16)"], (178, -18, 181, -16)),
    "cut": (
        [f"MULTIPOLYGON ({box_of(0, 177, -19, 180, -16)}, {box_of(1, -180, -18, -178.5, -17)})"],
        (177, -19, 181.5, -16),
    ),
    "collection": (
        ["GEOMETRYCOLLECTION (POINT (-170 0), LINESTRING (175 1, 180 2))", "POINT EMPTY"],
        (175, 0, 190, 2),
    ),
    "east first": (["POINT (-179 -17)", "POINT (178 -18)"], (178, -18, 181, -17)),
    "on one side beyond 180": (["POINT (170 0)", "POINT (190 1)"], (170, 0, 190, 1)),
    "less than half the globe": (
        ["POINT (91 0)", "POINT (-90 1)", "POINT (180 0)"],
        (91, 0, 270, 1),
    ),
    "more than half": (["POINT (89 0)", "POINT (-90 1)", "POINT (180 0)"], (-90, 0, 180, 1)),
    "the world": (["POINT (-179 0)", "POINT (0 1)", "POINT (179 0)"], (-179, 0, 179, 1)),
    "Russia": (["POINT (19.6 54)", "POINT (180 70)", "POINT (-169 66)"], (19.6, 54, 191, 70)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_extent_of_layers_on_both_sides_of_180(work, name):
    texts, expected = LAYERS[name]
    work.csv("s.csv", [170.0, -170.0], [0.0, 0.0])
    made = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("l.gpkg")))
    layer = made.CreateLayer("l", crs(4326), ogr.wkbUnknown)
    for text in texts:
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        layer.CreateFeature(feature)
    layer = made = feature = None
    work.ok("--seeds", "s.csv", "--extent-of", "l.gpkg", "--size", "8,8", "--quiet", "o.tif")
    assert np.allclose(box(work.open("o.tif")), expected, atol=1e-12)
    if all(text.startswith("POINT (") for text in texts):  # a table too
        lon, lat = np.array([text[7:-1].split() for text in texts], dtype=float).T
        work.csv("t.csv", lon, lat)
        work.ok("--seeds", "s.csv", "--extent-of", "t.csv", "--size", "8,8", "--quiet", "t.tif")
        assert np.allclose(box(work.open("t.tif")), expected, atol=1e-12)
    if name in ("points", "cut"):  # carried to a map
        work.ok(
            "--seeds",
            "s.csv",
            "--crs",
            "EPSG:3832",
            "--extent-of",
            "l.gpkg",
            "--size",
            "8,8",
            "--quiet",
            "m.tif",
        )
        assert np.allclose(box(work.open("m.tif")), transformed(4326, 3832, *expected), rtol=1e-6)


def test_extent_of_a_layer_in_other_degrees(work):
    """Of the axis order latitude, longitude, and of a system that --seeds-crs gives."""
    work.csv("s.csv", [170.0, -170.0], [0.0, 0.0])
    for name, places, expected in (
        ("l", ["-17 -179", "-18 178"], (178, -18, 181, -17)),
        ("e", ["50 10", "51 12"], (10, 50, 12, 51)),
    ):
        members = (
            f"""<gml:featureMember><ogr:l gml:id="l.{i}"><ogr:g><gml:Point srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>{place}</gml:pos></gml:Point></ogr:g></ogr:l></gml:featureMember>"""
            for i, place in enumerate(places)
        )
        work.write(
            f"{name}.gml",
            """<ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml">"""
            + "".join(members)
            + "</ogr:FeatureCollection>",
        )
        for options in [], ["--extent-oo", "INVERT_AXIS_ORDER_IF_LAT_LONG=NO"]:
            work.ok(
                "--seeds",
                "s.csv",
                "--extent-of",
                f"{name}.gml",
                *options,
                "--size",
                "8,8",
                "--quiet",
                "--overwrite",
                "o.tif",
            )
            assert np.allclose(box(work.open("o.tif")), expected)
    work.points("n.shp", "ESRI Shapefile", [178.0, -179.0], [-18.0, -17.0], layer="n")
    work.path("n.prj").unlink()
    work.ok(
        "--seeds",
        "n.shp",
        "--seeds-crs",
        "EPSG:4326",
        "--extent-of",
        "n.shp",
        "--size",
        "8,8",
        "--quiet",
        "n.tif",
    )
    assert np.allclose(box(work.open("n.tif")), (178, -18, 181, -17))


def test_extents_that_are_none(work):
    work.csv("s.csv", *EUROPE)
    make_raster(
        work, "r.tif", np.ones((10, 20)), (4000000, 10000, 0, 3000000, 0, -10000), epsg=3035
    )
    make_raster(work, "n.tif", np.ones((10, 20)), (0, 1, 0, 10, 0, -1), epsg=None)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(work.path("two.gpkg")))
    for name, where in ("one", 1), ("two", 20):
        layer = source.CreateLayer(name, crs(4326), ogr.wkbPoint)
        for step in 0, 5:
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({where + step} {where + step})"))
            layer.CreateFeature(feature)
    layer = source = feature = None
    run = ["--seeds", "s.csv", "--size", "20,10"]
    work.fails(
        *run,
        "--extent-of",
        "r.tif",
        "--extent",
        "0,0,1,1",
        "o.tif",
        status=2,
        has=["--extent or --extent-of"],
    )
    work.fails(
        "--seeds",
        "s.csv",
        "--like",
        "r.tif",
        "--extent-of",
        "r.tif",
        "o.tif",
        status=2,
        has=["--like or --extent-of"],
    )
    work.fails(*run, "--extent-of", "no.tif", "o.tif", has=["--extent-of", "no.tif"])
    work.fails(
        *run, "--extent-of", "n.tif", "o.tif", has=["--extent-of", "missing coordinate system"]
    )
    work.fails(*run, "--extent-of", "two.gpkg", "o.tif", has=["2 layers", "--extent-layer"])
    work.fails(
        *run,
        "--extent-of",
        "two.gpkg",
        "--extent-layer",
        "three",
        "o.tif",
        has=["--extent-layer", "three"],
    )
    work.fails(
        *run, "--extent-layer", "one", "o.tif", status=2, has="--extent-layer: missing --extent-of"
    )
    work.fails(*run, "--extent-of", "r.tif", "--overwrite", "r.tif", has=["r.tif", "input"])
    work.ok(*run, "--extent-of", "two.gpkg", "--extent-layer", "two", "o.tif")
    assert box(work.open("o.tif")) == (20, 20, 25, 25)


# ---------------------------------------------------------------------------------------------------------------- units


@pytest.mark.parametrize(
    "code,text,expected",
    [
        (3035, "30km", 30000),
        (3035, "30000m", 30000),
        (3035, "20nmi", 37040),
        (3035, "30mi", 48280.32),
        (3035, "100000ft", 30480),
        (2263, "3000m", 3000 * 3937 / 1200),
        (2263, "3000us-ft", 3000),
        (4326, '1800"', 0.5),
        (4326, "30'", 0.5),
        (4326, "0.5deg", 0.5),
        (4326, "0.5°", 0.5),
        (4326, "30arcmin", 0.5),
        (4326, "60nmi", 111120 / (6378137 * np.pi / 180)),
        (4326, "30 ' ", 0.5),
        (4326, "2", 2),
        (3035, "1km,2km", 1000),
        (4807, "0.9deg", 1),
    ],
)
def test_cell_sizes(work, code, text, expected):
    work.csv("s.csv", *EUROPE)
    local = {
        2263: ["--extent", "900000,100000,1000000,200000"],
        3035: ["--extent", "4000000,2000000,4500000,2400000"],
    }
    done = work.run(
        "--seeds",
        "s.csv",
        "--crs",
        f"EPSG:{code}",
        *local.get(code, []),
        "--res",
        text,
        "--quiet",
        "o.tif",
    )
    assert done.returncode == 0, done.stderr
    g = work.open("o.tif").GetGeoTransform()
    assert g[1] == pytest.approx(expected, rel=1e-15) and g[5] == pytest.approx(
        -(2000 if "," in text else expected), rel=1e-15
    )


def test_units_that_do_not_fit(work):
    work.csv("s.csv", *EUROPE)
    work.csv("x.csv", *EUROPE, header="x,y")
    work.fails(
        "--seeds",
        "s.csv",
        "--crs",
        "EPSG:3035",
        "--res",
        "30'",
        "o.tif",
        has=["--res", "angle", "LAEA Europe"],
    )
    work.fails(
        "--seeds",
        "x.csv",
        "--res",
        "3m",
        "o.tif",
        has=["--res", "(m is", "without a coordinate system"],
    )
    work.fails(
        "--seeds",
        "x.csv",
        "--max-distance",
        "3m",
        "o.tif",
        has=["--max-distance", "without a coordinate system"],
    )
    work.fails("--seeds", "s.csv", "--res", "3parsec", "o.tif", status=2, has=["--res", "nmi"])
    work.fails(
        "--seeds", "s.csv", "--max-distance", "3'", "o.tif", status=2, has=["--max-distance", "km"]
    )
    work.fails("--seeds", "s.csv", "--max-distance=-3km", "o.tif", status=2, has="--max-distance")
    work.fails(
        "search",
        "--reference",
        "x.csv",
        "--max-distance",
        "3km",
        "o.npy",
        has=["--max-distance", "without a coordinate system"],
    )


@pytest.mark.parametrize(
    "code,metric,number,texts",
    [
        (4326, "geodesic", "185200", ["185.2km", "100nmi", "185200m"]),
        (3035, "euclidean", "160934.4", ["100mi", "160.9344km"]),
        (3035, "geodesic", "160934.4", ["100mi"]),
    ],
)
def test_largest_distances(work, code, metric, number, texts):
    work.csv("s.csv", *EUROPE)
    grid = (
        ["--extent", "4000000,2000000,4500000,2400000"]
        if code == 3035
        else ["--extent", "0,40,20,60"]
    )
    run = [
        "--seeds",
        "s.csv",
        "--crs",
        f"EPSG:{code}",
        "--metric",
        metric,
        *grid,
        "--size",
        "50,40",
        "--overwrite",
    ]
    work.ok(*run, "--max-distance", number, "a.tif")
    assert (work.read("a.tif") == -1).any() and (work.read("a.tif") != -1).any()
    for text in texts:
        work.ok(*run, "--max-distance", text, "b.tif")
        assert np.array_equal(work.read("a.tif"), work.read("b.tif"))


def test_largest_distances_of_searches(work):
    work.csv("s.csv", *EUROPE)
    for text in "500000", "500km":
        work.ok("search", "--reference", "s.csv", "-k", 3, "--max-distance", text, f"{text}.npy")
    assert np.array_equal(np.load(work.path("500000.npy")), np.load(work.path("500km.npy")))
    assert (np.load(work.path("500km.npy")) == -1).any()


@pytest.mark.parametrize("system", [["--metric", "geodesic"], ["--crs", "EPSG:3035"]])
@pytest.mark.parametrize(
    "unit,size", [("km", 1000), ("m", 1), ("nmi", 1852), ("mi", 1609.344), ("ft", 0.3048)]
)
def test_distance_unit(work, system, unit, size):
    """Every band, the table and its sums are the meters divided by the unit, which the bands name."""
    work.csv("s.csv", [5.0, 7.5, 11.0, 12.0, 9.0], [45.0, 47.0, 46.0, 49.0, 50.0])
    grid = [
        "--seeds",
        "s.csv",
        *system,
        "--size",
        "60,50",
        "-k",
        "3",
        "--overwrite",
        "--distance-type",
    ]
    work.ok("--seeds", "s.csv", *system, "--size", "60,50", "p.tif")
    for kind in "Float32", "Float64":
        for table in [], ["--stats", "t.csv", "--sum", "p=p.tif"]:
            rasters, tables = {}, {}
            for name, more in ("m", []), ("u", ["--distance-unit", unit]):
                work.ok(
                    *grid,
                    kind,
                    "--distance",
                    f"{name}.tif",
                    "--azimuth",
                    f"{name}a.tif",
                    *table,
                    *more,
                    f"{name}o.tif",
                )
                rasters[name] = [work.read(f"{name}{what}.tif") for what in ("", "a", "o")]
                if table:
                    with open(work.path("t.csv"), encoding="utf-8") as rows:
                        tables[name] = list(csv.DictReader(rows))
            assert np.allclose(
                rasters["u"][0],
                rasters["m"][0] / size,
                rtol=2e-7 if kind == "Float32" else 1e-15,
                atol=0,
            )
            assert all(np.array_equal(a, b) for a, b in zip(rasters["u"][1:], rasters["m"][1:]))
            assert [work.open("u.tif").GetRasterBand(b).GetUnitType() for b in (1, 2, 3)] == [
                unit
            ] * 3
            for meters, units in zip(*tables.values()):
                for column, value in meters.items():
                    if "distance" in column:
                        assert float(units[column]) == pytest.approx(float(value) / size, rel=1e-14)
                    else:
                        assert units[column] == value


def test_distance_unit_that_is_none(work):
    work.csv("s.csv", [1, 2], [3, 4])
    work.csv("p.csv", [1, 2], [3, 4], header="x,y")
    out = ["--distance", "d.tif", "out.tif"]
    work.fails(
        "--seeds",
        "s.csv",
        "--distance-unit",
        "km",
        "out.tif",
        status=2,
        has="--distance or --stats",
    )
    for unit in "deg", "", "5km", "furlong":
        work.fails("--seeds", "s.csv", "--distance-unit", unit, *out, status=2, has="unknown unit")
    work.fails(
        "--seeds",
        "p.csv",
        "--distance-unit",
        "km",
        *out,
        has=["--distance-unit", "without a coordinate system"],
    )
