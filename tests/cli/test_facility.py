"""Nearest facilities: ranks, limits, masks, weights, distances, azimuths, against oracles."""

import ctypes
import math

import numpy as np
import pytest
from osgeo import gdal, ogr, osr

from conftest import WGS84, Geodesic, centers, crs, globe, unit_vectors

LON, LAT = globe(40, seed=4)
GLOBE = ["--size", "90,45"]
PLANE = ["--extent", "0,0,40,30", "--res", "1"]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, name=[f"place {i}" for i in range(40)])
    return work


@pytest.fixture
def plane(work):
    """Seeds on a lattice: many exact ties."""
    random = np.random.default_rng(3)
    x, y = random.integers(0, 41, 25), random.integers(0, 31, 25)
    work.csv("p.csv", x, y, header="x,y", weight=random.integers(1, 6, 25))
    work.x, work.y = x.astype(float), y.astype(float)
    return work


def bands(work, name):
    data = work.read(name)
    return data[None] if data.ndim == 2 else data


def ranked(values):
    """Numbers of seeds by (value, number), nearest first; values is cells x seeds."""
    return np.argsort(values, axis=-1, kind="stable")


def plane_distances(work, dataset):
    x, y = centers(dataset)
    return (x[..., None] - work.x) ** 2 + (y[..., None] - work.y) ** 2


# ----------------------------------------------------------------------------------------------------------- ranks


@pytest.mark.parametrize("k", [1, 2, 5, 25, 30])
def test_ranks_on_the_plane(plane, k):
    plane.ok("--seeds", "p.csv", *PLANE, "-k", k, "out.tif")
    out = plane.open("out.tif")
    assert out.RasterCount == k
    expected = ranked(plane_distances(plane, out))
    got = bands(plane, "out.tif")
    # Seeds at one place are neighbors like any other.
    for b in range(min(k, 25)):
        assert np.array_equal(got[b] - 1, expected[..., b]), b
    assert np.all(got[25:] == -1)
    assert out.GetRasterBand(1).GetDescription() == "id of the nearest seed"
    if k > 1:
        assert out.GetRasterBand(2).GetDescription() == "id of the 2nd nearest seed"
        assert out.GetRasterBand(2).GetDefaultRAT() is None
    assert out.GetRasterBand(1).GetDefaultRAT() is not None


@pytest.mark.parametrize("metric", ["great-circle", "geodesic"])
def test_ranks_on_the_globe(seeds, metric):
    seeds.ok("--seeds", "s.csv", *GLOBE, "--metric", metric, "-k", 3, "out.tif")
    out = seeds.open("out.tif")
    x, y = centers(out)
    got = bands(seeds, "out.tif") - 1
    geodesic = Geodesic(*WGS84)
    random = np.random.default_rng(1)
    for cell in random.integers(0, x.size, 60):
        lon, lat = x.ravel()[cell], y.ravel()[cell]
        if metric == "geodesic":
            values = [geodesic.distance(lon, lat, a, b) for a, b in zip(LON, LAT)]
        else:
            values = ((unit_vectors(lon, lat) - unit_vectors(LON, LAT)) ** 2).sum(axis=-1)
        assert list(got.reshape(3, -1)[:, cell]) == list(ranked(np.array(values))[:3])


def test_ranks_with_wide_ids(seeds):
    seeds.csv("w.csv", LON, LAT, no=[10**12 + i for i in range(40)])
    seeds.ok("--seeds", "w.csv", "--id", "no", *GLOBE, "-k", 2, "wide.tif")
    seeds.ok("--seeds", "s.csv", *GLOBE, "-k", 2, "out.tif")
    assert seeds.open("wide.tif").GetRasterBand(2).DataType == gdal.GDT_Int64
    assert np.array_equal(seeds.read("wide.tif") - 10**12, seeds.read("out.tif") - 1)


# ---------------------------------------------------------------------------------------------------- limited distance


def test_maximum_distance_counts_the_boundary(work):
    work.csv("p.csv", [20.5], [15.5], header="x,y")
    work.ok("--seeds", "p.csv", *PLANE, "--max-distance", 5, "out.tif")
    out = work.open("out.tif")
    x, y = centers(out)
    expected = (x - 20.5) ** 2 + (y - 15.5) ** 2 <= 25
    assert expected[14 - 4, 20 + 3] and not expected[14 - 4, 20 + 4]
    assert np.array_equal(out.ReadAsArray() == 1, expected)
    assert set(np.unique(out.ReadAsArray())) == {-1, 1}
    work.ok("--seeds", "p.csv", *PLANE, "--max-distance", np.nextafter(5, 0), "less.tif")
    assert np.array_equal(
        work.read("less.tif") == 1, expected & ((x - 20.5) ** 2 + (y - 15.5) ** 2 < 25)
    )


def test_maximum_distance_is_the_reported_one(seeds):
    """Great circles: the limit and the raster of distances round alike."""
    command = ["--seeds", "s.csv", *GLOBE, "--metric", "great-circle", "--overwrite"]
    seeds.ok(*command, "--distance", "d.tif", "--distance-type", "Float64", "full.tif")
    full, d = seeds.read("full.tif"), seeds.read("d.tif")
    for limit in np.random.default_rng(3).choice(d.ravel(), 30):
        for bound in limit, np.nextafter(limit, 0):
            seeds.ok(*command, "--max-distance", repr(float(bound)), "out.tif")
            assert np.array_equal(seeds.read("out.tif"), np.where(d <= bound, full, -1))


def test_maximum_distance_on_the_ellipsoid(seeds):
    geodesic = Geodesic(*WGS84)
    seeds.ok("--seeds", "s.csv", *GLOBE, "full.tif")
    x, y = centers(seeds.open("full.tif"))
    full = seeds.read("full.tif")
    exact = np.array(
        [
            geodesic.distance(a, b, LON[i], LAT[i])
            for a, b, i in zip(x.ravel(), y.ravel(), full.ravel() - 1)
        ]
    ).reshape(full.shape)
    limit = float(np.sort(exact.ravel())[exact.size // 3])  # exactly one cell's distance
    for d, reached in (limit, exact <= limit), (float(np.nextafter(limit, 0)), exact < limit):
        seeds.ok("--seeds", "s.csv", *GLOBE, "--max-distance", repr(d), "--overwrite", "out.tif")
        assert np.array_equal(seeds.read("out.tif"), np.where(reached, full, -1))


# --------------------------------------------------------------------------------------------------------------- masks


def make_raster(
    work,
    name,
    values,
    transform,
    epsg=4326,
    nodata=None,
    mask=None,
    kind=None,
    scale=None,
    options=(),
):
    kind = kind or gdal.GDT_Float64
    height, width = values.shape
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path(name)), width, height, 1, kind, list(options)
    )
    made.SetGeoTransform(transform)
    if epsg is not None:
        made.SetSpatialRef(crs(epsg))
    band = made.GetRasterBand(1)
    if nodata is not None:
        band.SetNoDataValue(nodata)
    band.WriteArray(values)
    if scale is not None:
        band.SetScale(scale)
    if mask is not None:
        made.CreateMaskBand(gdal.GMF_PER_DATASET)
        band.GetMaskBand().WriteArray(mask)
    made = None
    return name


def check_mask(work, keep, *options, source="s.csv", grid=GLOBE):
    work.ok("--seeds", source, *grid, "--overwrite", "full.tif")
    work.ok("--seeds", source, *grid, *options, "--overwrite", "masked.tif")
    full = work.read("full.tif")
    assert np.array_equal(work.read("masked.tif"), np.where(keep, full, -1))
    assert 0 < keep.sum() < keep.size


RANDOM = np.random.default_rng(8)


@pytest.mark.parametrize("how", ["zero", "nodata", "nan", "mask", "bytes"])
def test_mask_of_the_same_cells(seeds, how):
    keep = RANDOM.random((45, 90)) < 0.4
    transform = (-180, 4, 0, 90, 0, -4)
    if how == "zero":
        make_raster(seeds, "m.tif", keep * 0.25, transform)
    elif how == "bytes":
        make_raster(seeds, "m.tif", keep * 7, transform, kind=gdal.GDT_Byte)
    elif how == "nodata":
        make_raster(seeds, "m.tif", np.where(keep, 3, -99), transform, nodata=-99)
    elif how == "nan":
        make_raster(seeds, "m.tif", np.where(keep, 3, np.nan), transform)
    else:
        make_raster(seeds, "m.tif", np.ones((45, 90)), transform, mask=keep * 255)
    check_mask(seeds, keep, "--mask", "m.tif")


def test_mask_by_an_alpha_band(seeds):
    keep = RANDOM.random((45, 90)) < 0.4
    made = gdal.GetDriverByName("GTiff").Create(
        str(seeds.path("m.tif")), 90, 45, 2, gdal.GDT_Byte, ["ALPHA=YES"]
    )
    made.SetGeoTransform((-180, 4, 0, 90, 0, -4))
    made.SetSpatialRef(crs(4326))
    made.GetRasterBand(1).Fill(9)
    made.GetRasterBand(2).SetColorInterpretation(gdal.GCI_AlphaBand)
    made.GetRasterBand(2).WriteArray(keep * 255)
    made = None
    check_mask(seeds, keep, "--mask", "m.tif")


def look_up(values, transform, x, y):
    """The pixel each position lies in; False outside."""
    inverse = gdal.InvGeoTransform(transform)
    column = np.floor(inverse[0] + x * inverse[1] + y * inverse[2])
    row = np.floor(inverse[3] + x * inverse[4] + y * inverse[5])
    inside = (column >= 0) & (row >= 0) & (column < values.shape[1]) & (row < values.shape[0])
    found = np.zeros(x.shape, values.dtype)
    found[inside] = values[row[inside].astype(int), column[inside].astype(int)]
    return found


@pytest.mark.parametrize(
    "size,transform",
    [
        ((20, 10), (-180, 18, 0, 90, 0, -18)),
        ((700, 300), (-100, 0.3, 0, 80, 0, -0.37)),
        ((50, 40), (150, 4.1, 0, -70, 0, 3.3)),
        ((60, 60), (-90, 2, 1, 10, 1, -2)),
    ],
    ids=["coarse", "fine, a part", "south-up, over 180", "rotated"],
)
def test_mask_of_other_cells(seeds, size, transform):
    values = RANDOM.integers(0, 2, size[::-1])
    make_raster(seeds, "m.tif", values, transform)
    column, row = np.meshgrid(np.arange(90) + 0.5, np.arange(45) + 0.5)
    x, y = -180 + column * 4, 90 - row * 4
    turned = np.where(x < transform[0], x + 360, x) if transform[2] == 0 else x
    check_mask(seeds, look_up(values, transform, turned, y) != 0, "--mask", "m.tif")


def test_mask_wider_than_the_globe(seeds):
    """Pixels of its own place come before those a turn away."""
    keep = np.random.default_rng(2).random((45, 100)) < 0.5
    transform = (-200, 4, 0, 90, 0, -4)
    make_raster(seeds, "m.tif", keep * 1, transform)
    assert (keep[:, :10] != keep[:, 90:]).any()
    check_mask(seeds, keep, "--mask", "m.tif", grid=["--like", "m.tif"])


def test_mask_of_the_whole_globe(seeds):
    """A center on the western edge of the first pixel, except for rounding, is not a gap."""
    make_raster(seeds, "m.tif", np.ones((2, 33)), (-0.3, 360 / 33, 0, 90, 0, -90))
    for width, west in (11, -0.3 - 360 / 22), (7, -0.3 - 360 / 14), (360, -0.8), (9, -20.3):
        seeds.ok(
            "--seeds",
            "s.csv",
            f"--extent={west!r},-90,{west + 360!r},90",
            "--size",
            f"{width},2",
            "--mask",
            "m.tif",
            "--overwrite",
            "out.tif",
        )
        assert np.all(seeds.read("out.tif") > 0), width


def test_rotated_mask_a_turn_away(seeds):
    values, transform = (
        np.random.default_rng(6).integers(0, 2, (50, 50)),
        (-100, 2, 0.5, 60, 0.4, -2),
    )
    make_raster(seeds, "m.tif", values, transform)
    grid = ["--extent", "100,-90,460,90", "--size", "90,45"]
    seeds.ok("--seeds", "s.csv", *grid, "full.tif")
    x, y = centers(seeds.open("full.tif"))
    check_mask(seeds, look_up(values, transform, x - 360, y) != 0, "--mask", "m.tif", grid=grid)


def test_mask_in_another_coordinate_system(seeds):
    """Cells go to the mask through PROJ, one by one."""
    values = RANDOM.integers(0, 2, (80, 100))
    transform = (2500000, 50000, 0, 5500000, 0, -50000)
    make_raster(seeds, "m.tif", values, transform, epsg=3035)
    grid = ["--extent", "-20,30,50,70", "--res", "0.9,0.5"]
    seeds.ok("--seeds", "s.csv", *grid, "full.tif")
    x, y = centers(seeds.open("full.tif"))
    there = osr.CoordinateTransformation(crs(4326), crs(3035))
    moved = np.array([there.TransformPoint(a, b)[:2] for a, b in zip(x.ravel(), y.ravel())])
    keep = look_up(values, transform, moved[:, 0], moved[:, 1]).reshape(x.shape) != 0
    check_mask(seeds, keep, "--mask", "m.tif", grid=grid)
    # ... and on a projected grid with a mask in degrees.
    values = RANDOM.integers(0, 2, (60, 90))
    make_raster(seeds, "d.tif", values, (-30, 1, 0, 80, 0, -1))
    grid = ["--crs", "EPSG:3035", "--extent", "2500000,1500000,7000000,5500000", "--res", "100000"]
    seeds.ok("--seeds", "s.csv", *grid, "--overwrite", "full.tif")
    x, y = centers(seeds.open("full.tif"))
    back = osr.CoordinateTransformation(crs(3035), crs(4326))
    moved = np.array([back.TransformPoint(a, b)[:2] for a, b in zip(x.ravel(), y.ravel())])
    keep = look_up(values, (-30, 1, 0, 80, 0, -1), moved[:, 0], moved[:, 1]).reshape(x.shape) != 0
    check_mask(seeds, keep, "--mask", "d.tif", grid=grid)


def make_polygons(work, name, wkts, epsg=4326, driver="GPKG", layer="land"):
    source = ogr.GetDriverByName(driver).CreateDataSource(str(work.path(name)))
    made = source.CreateLayer(layer, crs(epsg) if epsg else None, ogr.wkbUnknown)
    for wkt in wkts:
        feature = ogr.Feature(made.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        made.CreateFeature(feature)
    source = None
    return name


def burnt(work, name, like):
    """GDAL's own answer to which centers lie inside."""
    target = gdal.GetDriverByName("MEM").Create(
        "", like.RasterXSize, like.RasterYSize, 1, gdal.GDT_Byte
    )
    target.SetGeoTransform(like.GetGeoTransform())
    target.SetSpatialRef(like.GetSpatialRef())
    source = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
    gdal.RasterizeLayer(target, [1], source.GetLayer(0), burn_values=[1])
    return target.ReadAsArray() != 0


STAR = "POLYGON ((10.3 60.1, 71.7 -61.9, -70.2 21.3, 90.1 20.7, -60.9 -50.3, 10.3 60.1))"
HOLE = (
    "POLYGON ((-170.1 -80.3, -100.2 -80.1, -101 40.7, -171 33.1, -170.1 -80.3), "
    "(-150 -60.2, -120.3 -60.1, -130.7 20.3, -150 -60.2))"
)
MANY = (
    "MULTIPOLYGON (((100.1 10.3, 150.3 10.2, 120.7 50.1, 100.1 10.3)), ((100.2 -70.3, 170.9 -71.1, 110.3 -20.3, "
    "100.2 -70.3)))"
)


def test_mask_of_polygons(seeds):
    make_polygons(
        seeds, "m.gpkg", [HOLE, MANY, "POLYGON ((110 20, 140 20, 140 30, 110 30, 110 20))"]
    )
    seeds.ok("--seeds", "s.csv", "--size", "733,391", "full.tif")
    check_mask(
        seeds,
        burnt(seeds, "m.gpkg", seeds.open("full.tif")),
        "--mask",
        "m.gpkg",
        grid=["--size", "733,391"],
    )
    make_raster(seeds, "like.tif", np.zeros((45, 90)), (180, -4, 0, -90, 0, 4))
    check_mask(
        seeds,
        burnt(seeds, "m.gpkg", seeds.open("like.tif")),
        "--mask",
        "m.gpkg",
        grid=["--like", "like.tif"],
    )


def test_mask_of_polygons_is_even_odd(seeds):
    make_polygons(seeds, "m.geojson", [STAR], driver="GeoJSON")
    seeds.ok("--seeds", "s.csv", *GLOBE, "full.tif")
    like = seeds.open("full.tif")
    check_mask(seeds, burnt(seeds, "m.geojson", like), "--mask", "m.geojson")


def test_mask_of_polygons_shares_no_cell(work):
    """Edges through centers: halves take every cell once."""
    work.csv("p.csv", [1.0], [1.0], header="x,y")
    make_polygons(
        work,
        "left.shp",
        ["POLYGON ((0 0, 20.5 0, 20.5 30, 0 30, 0 0))"],
        epsg=None,
        driver="ESRI Shapefile",
    )
    make_polygons(
        work,
        "right.shp",
        ["POLYGON ((20.5 0, 40 0, 40 30, 20.5 30, 20.5 0))"],
        epsg=None,
        driver="ESRI Shapefile",
    )
    make_polygons(
        work,
        "low.shp",
        ["POLYGON ((0 0, 40 0, 40 10.5, 0 10.5, 0 0))"],
        epsg=None,
        driver="ESRI Shapefile",
    )
    make_polygons(
        work,
        "high.shp",
        ["POLYGON ((0 10.5, 40 10.5, 40 30, 0 30, 0 10.5))"],
        epsg=None,
        driver="ESRI Shapefile",
    )
    count = {}
    for name in "left", "right", "low", "high":
        work.ok("--seeds", "p.csv", *PLANE, "--mask", f"{name}.shp", f"{name}.tif")
        count[name] = work.read(f"{name}.tif") == 1
    assert np.all(count["left"] ^ count["right"]) and count["right"][:, 20].all()
    assert np.all(count["low"] ^ count["high"]) and count["high"][30 - 11].all()


def test_mask_of_polygons_over_the_antimeridian(seeds):
    make_polygons(
        seeds, "m.gpkg", ["POLYGON ((170.3 -30, 200.7 -30, 200.7 40.3, 170.3 40.3, 170.3 -30))"]
    )
    seeds.ok("--seeds", "s.csv", *GLOBE, "full.tif")
    x, y = centers(seeds.open("full.tif"))
    keep = ((x > 170.3) | (x < -159.3)) & (y > -30) & (y < 40.3)
    check_mask(seeds, keep, "--mask", "m.gpkg")
    grid = ["--extent", "100,-90,460,90", "--size", "90,45"]
    seeds.ok("--seeds", "s.csv", *grid, "--overwrite", "full.tif")
    x, y = centers(seeds.open("full.tif"))
    check_mask(
        seeds, (x > 170.3) & (x < 200.7) & (y > -30) & (y < 40.3), "--mask", "m.gpkg", grid=grid
    )


def test_mask_of_polygons_in_another_coordinate_system(seeds):
    wkt = "POLYGON ((3000000 2000000, 6000000 2100000, 5500000 4800000, 3100000 4000000, 3000000 2000000))"
    make_polygons(seeds, "m.gpkg", [wkt], epsg=3035)
    grid = ["--extent", "-20,30,50,70", "--res", "0.9,0.5"]
    seeds.ok("--seeds", "s.csv", *grid, "full.tif")
    x, y = centers(seeds.open("full.tif"))
    shape = ogr.CreateGeometryFromWkt(wkt)
    there = osr.CoordinateTransformation(crs(4326), crs(3035))
    keep = []
    for a, b in zip(x.ravel(), y.ravel()):
        point = ogr.Geometry(ogr.wkbPoint)
        point.AddPoint_2D(*there.TransformPoint(a, b)[:2])
        keep.append(shape.Contains(point))
    check_mask(seeds, np.array(keep).reshape(x.shape), "--mask", "m.gpkg", grid=grid)


def test_mask_layers(seeds):
    make_polygons(seeds, "m.gpkg", [HOLE], layer="a")
    source = gdal.OpenEx(str(seeds.path("m.gpkg")), gdal.OF_UPDATE | gdal.OF_VECTOR)
    source.CreateLayer("b", crs(4326), ogr.wkbPolygon)
    source = None
    seeds.fails(
        "--seeds", "s.csv", *GLOBE, "--mask", "m.gpkg", "out.tif", has=["--mask-layer", "2 layers"]
    )
    seeds.fails(
        "--seeds", "s.csv", *GLOBE, "--mask", "m.gpkg", "--mask-layer", "c", "out.tif", has="(c)"
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--mask",
        "m.gpkg",
        "--mask-layer",
        "b",
        "out.tif",
        has="missing polygons",
    )
    seeds.ok("--seeds", "s.csv", *GLOBE, "--mask", "m.gpkg", "--mask-layer", "a", "out.tif")


def test_all_masked(seeds):
    make_polygons(
        seeds, "m.geojson", ["POLYGON ((0.1 0.1, 0.2 0.1, 0.2 0.2, 0.1 0.1))"], driver="GeoJSON"
    )
    seeds.ok(
        "--seeds",
        "s.csv",
        *GLOBE,
        "-k",
        2,
        "--mask",
        "m.geojson",
        "--distance",
        "d.tif",
        "--azimuth",
        "a.tif",
        "--stats",
        "t.csv",
        "out.tif",
    )
    assert np.all(seeds.read("out.tif") == -1)
    assert np.isnan(seeds.read("d.tif")).all() and np.isnan(seeds.read("a.tif")).all()


# -------------------------------------------------------------------------------------------- distances and azimuths


@pytest.mark.parametrize("k", [1, 3])
def test_distances_on_the_ellipsoid(seeds, k):
    seeds.ok(
        "--seeds",
        "s.csv",
        *GLOBE,
        "-k",
        k,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "out.tif",
    )
    seeds.ok("--seeds", "s.csv", *GLOBE, "-k", k, "--distance", "f.tif", "--overwrite", "out.tif")
    d = seeds.open("d.tif")
    assert d.RasterCount == k and d.GetRasterBand(1).DataType == gdal.GDT_Float64
    assert d.GetRasterBand(1).GetUnitType() == "metre" and math.isnan(
        d.GetRasterBand(1).GetNoDataValue()
    )
    assert d.GetRasterBand(k).GetDescription().startswith("distance to the ")
    x, y = centers(d)
    got, ids = bands(seeds, "d.tif"), bands(seeds, "out.tif") - 1
    geodesic = Geodesic(*WGS84)
    for cell in np.random.default_rng(2).integers(0, x.size, 200):
        for b in range(k):
            i = ids[b].ravel()[cell]
            exact = geodesic.distance(x.ravel()[cell], y.ravel()[cell], LON[i], LAT[i])
            assert abs(got[b].ravel()[cell] - exact) < 1e-3
    assert seeds.open("f.tif").GetRasterBand(1).DataType == gdal.GDT_Float32
    assert np.array_equal(bands(seeds, "f.tif"), got.astype(np.float32))


def test_distances_are_the_same_with_statistics(seeds):
    more = ["--stats", "t.csv", "-k", 2, "--azimuth", "a.tif", "--overwrite"]
    seeds.ok(
        "--seeds", "s.csv", *GLOBE, "-k", 2, "--distance", "d.tif", "--azimuth", "a.tif", "out.tif"
    )
    first = [seeds.read(n) for n in ("out.tif", "d.tif", "a.tif")]
    seeds.ok("--seeds", "s.csv", *GLOBE, *more, "--distance", "d.tif", "out.tif")
    assert all(
        np.array_equal(a, seeds.read(n)) for a, n in zip(first, ("out.tif", "d.tif", "a.tif"))
    )


def test_distances_on_the_plane(plane):
    plane.ok(
        "--seeds",
        "p.csv",
        *PLANE,
        "--max-distance",
        4,
        "--distance",
        "d.tif",
        "--distance-type",
        "Float64",
        "--azimuth",
        "a.tif",
        "out.tif",
    )
    squares = plane_distances(plane, plane.open("out.tif"))
    least = np.sqrt(squares.min(axis=-1))
    assert np.array_equal(plane.read("d.tif"), np.where(least <= 4, least, np.nan), equal_nan=True)
    assert plane.open("d.tif").GetRasterBand(1).GetUnitType() == ""
    x, y = centers(plane.open("out.tif"))
    seed = plane.read("out.tif") - 1
    azimuth = np.degrees(np.arctan2(plane.x[seed] - x, plane.y[seed] - y)) % 360
    reached = least <= 4
    assert np.allclose(plane.read("a.tif")[reached], azimuth[reached], atol=1e-4)
    assert np.isnan(plane.read("a.tif")[~reached]).all()
    assert plane.open("a.tif").GetRasterBand(1).GetUnitType() == "degree"


def test_distance_units(work):
    work.csv("p.csv", [500000], [4000000], header="x,y")
    for code, unit in (32633, "metre"), (2263, "US survey foot"):
        work.ok(
            "--seeds",
            "p.csv",
            "--seeds-crs",
            f"EPSG:{code}",
            "--size",
            "10,10",
            "--distance",
            "d.tif",
            "--overwrite",
            "out.tif",
        )
        assert work.open("d.tif").GetRasterBand(1).GetUnitType() == unit


def test_azimuths_on_the_ellipsoid(seeds):
    seeds.ok("--seeds", "s.csv", *GLOBE, "--azimuth", "a.tif", "out.tif")
    x, y = centers(seeds.open("out.tif"))
    ids, got = seeds.read("out.tif") - 1, seeds.read("a.tif")
    geodesic = Geodesic(*WGS84)
    for cell in np.random.default_rng(2).integers(0, x.size, 200):
        i = ids.ravel()[cell]
        azimuth = ctypes.c_double()
        geodesic.library.geod_inverse(
            geodesic.geodesic,
            ctypes.c_double(y.ravel()[cell]),
            ctypes.c_double(x.ravel()[cell]),
            ctypes.c_double(LAT[i]),
            ctypes.c_double(LON[i]),
            None,
            ctypes.byref(azimuth),
            None,
        )
        assert abs((got.ravel()[cell] - azimuth.value + 180) % 360 - 180) < 1e-4
    assert got.min() >= 0 and got.max() < 360


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--co", "TILED=NO"],
        ["--co", "COMPRESS=NONE", "--co", "BLOCKXSIZE=64", "--co", "BLOCKYSIZE=128"],
    ],
)
def test_many_rasters_at_once(seeds, options):
    seeds.ok(
        "--seeds",
        "s.csv",
        "--size",
        "733,391",
        "--metric",
        "great-circle",
        "-k",
        3,
        "--distance",
        "d.tif",
        "--azimuth",
        "a.tif",
        *options,
        "out.tif",
    )
    seeds.ok(
        "--seeds",
        "s.csv",
        "--size",
        "733,391",
        "--metric",
        "great-circle",
        "--distance",
        "e.tif",
        "one.tif",
    )
    assert np.array_equal(seeds.read("out.tif")[0], seeds.read("one.tif"))
    assert np.array_equal(seeds.read("d.tif")[0], seeds.read("e.tif"))
    assert np.all(np.diff(seeds.read("d.tif"), axis=0) >= 0)


def test_rasters_of_other_formats(seeds):
    seeds.ok(
        "--seeds",
        "s.csv",
        *GLOBE,
        "--distance",
        "d.asc",
        "--azimuth",
        "a.img",
        "-k",
        2,
        "out.bin",
        "--of",
        "ENVI",
    )
    assert seeds.open("d.asc").GetDriver().ShortName == "ENVI"  # --of is for all
    seeds.ok("--seeds", "s.csv", *GLOBE, "--distance", "d2.img", "--azimuth", "a2.asc", "out2.tif")
    assert seeds.open("a2.asc").GetDriver().ShortName == "AAIGrid"
    assert np.array_equal(seeds.read("d2.img"), seeds.read("d.asc")[0])
    seeds.ok("--seeds", "s.csv", *GLOBE, "--of", "COG", "--distance", "dc.tif", "-k", 2, "outc.tif")
    assert np.array_equal(seeds.read("dc.tif"), seeds.read("d.asc"))
    assert np.array_equal(seeds.read("outc.tif"), seeds.read("out.bin"))


# ------------------------------------------------------------------------------------------------------------- weights


def weighted(kind, d, w):
    return {"multiplicative": d / w, "additive": d + w, "power": d * d - w}[kind]


@pytest.mark.parametrize("kind", ["multiplicative", "additive", "power"])
@pytest.mark.parametrize("metric", ["euclidean", "great-circle", "geodesic"])
def test_weights(plane, kind, metric):
    random = np.random.default_rng(5)
    if metric == "euclidean":
        weights = plane_weights = random.uniform(1, 6, 25)
        plane.csv("w.csv", plane.x, plane.y, header="x,y", importance=plane_weights)
        grid = PLANE
    else:
        weights = random.uniform(1, 3, 40)
        if kind != "multiplicative":
            weights = weights * (1e6 if kind == "additive" else 1e12)
        plane.csv("w.csv", LON, LAT, importance=weights)
        grid = GLOBE
    command = [
        "--seeds",
        "w.csv",
        *grid,
        "--metric",
        metric,
        "--weighting",
        kind,
        "--weight-field",
        "importance",
    ]
    if (kind, metric) == ("power", "geodesic"):
        plane.fails(*command, "out.tif", has=["power", "geodesic"])
        return
    plane.ok(*command, "-k", 2, "--distance", "d.tif", "--distance-type", "Float64", "out.tif")
    out = plane.open("out.tif")
    assert out.GetMetadataItem("GPUVORONOI_WEIGHTING") == f"{kind} (field importance)"
    x, y = centers(out)
    if metric == "euclidean":
        d = np.sqrt(plane_distances(plane, out))
    else:
        geodesic = Geodesic(*WGS84)
        radius = (2 * WGS84[0] + WGS84[0] * (1 - WGS84[1])) / 3
        rows = np.random.default_rng(6).integers(0, x.size, 200)
        x, y = x.ravel()[rows], y.ravel()[rows]
        if metric == "geodesic":
            d = np.array(
                [[geodesic.distance(a, b, p, q) for p, q in zip(LON, LAT)] for a, b in zip(x, y)]
            )
        else:
            chords = np.linalg.norm(
                unit_vectors(x, y)[:, None] - unit_vectors(LON, LAT)[None], axis=-1
            )
            d = 2 * radius * np.arcsin(np.minimum(1, chords / 2))
    values = weighted(kind, d, weights)
    order = ranked(values)[..., :2]
    got = np.moveaxis(plane.read("out.tif"), 0, -1) - 1
    plain = np.moveaxis(plane.read("d.tif"), 0, -1)
    if metric != "euclidean":
        got, plain = got.reshape(-1, 2)[rows], plain.reshape(-1, 2)[rows]
    same = np.take_along_axis(values, got.astype(int), -1)
    least = np.take_along_axis(values, order, -1)
    assert np.allclose(same, least, rtol=1e-9, atol=1e-9)  # ties apart, the same seeds
    assert np.mean(got == order) > 0.99
    assert np.allclose(
        plain, np.take_along_axis(d, got.astype(int), -1), rtol=1e-7
    )  # distances are plain


@pytest.mark.parametrize(
    "values,kind,has",
    [
        (["1", "-1", "2"], "multiplicative", ["row 2", "-1", "above 0"]),
        (["1", "0", "2"], "multiplicative", ["row 2", "above 0"]),
        (["1", "1e-300", "2"], "multiplicative", ["row 2", "1e-300", "1e-100"]),
        (["1", "", "2"], "additive", ["row 2", "empty"]),
        (["1", "heavy", "2"], "power", ["row 2", "heavy", "not a number"]),
        (["1", "nan", "2"], "additive", ["row 2", "not finite"]),
        (["1", "inf", "2"], "multiplicative", ["row 2", "not finite"]),
    ],
)
def test_weights_refused(work, values, kind, has):
    work.csv("w.csv", [0, 1, 2], [0, 1, 2], header="x,y", w=values)
    command = ["--seeds", "w.csv", *PLANE, "--weighting", kind, "--weight-field", "w"]
    work.fails(*command, "out.tif", has=has)
    done = work.ok(*command, "--skip-invalid", "out.tif")
    assert "1 seeds skipped" in done.stderr


def test_negative_weights_may_be_added(work):
    work.csv("w.csv", [10.5, 30.5], [15.5, 15.5], header="x,y", w=[0, -4])
    work.ok("--seeds", "w.csv", *PLANE, "--weighting", "additive", "--weight-field", "w", "out.tif")
    assert (
        work.read("out.tif")[14].tolist().count(1) == 19
    )  # the border moves by 2 cells, the tie goes to the first


def test_weight_field_of_text(work):
    work.points(
        "w.gpkg", "GPKG", [0, 1], [0, 1], fields=[("w", ogr.OFTString)], rows=[["1"], ["2"]]
    )
    work.fails(
        "--seeds",
        "w.gpkg",
        "--weighting",
        "additive",
        "--weight-field",
        "w",
        "out.tif",
        has=["w", "String"],
    )


# ------------------------------------------------------------------------------------------------------------ bad input

OUTPUT_OPTIONS = [
    ("--distance", "d.tif"),
    ("--azimuth", "a.tif"),
    ("--stats", "t.csv"),
    ("--polygons", "r.gpkg"),
]


@pytest.mark.parametrize(
    "arguments,has",
    [
        (["-k", "0"], "-k"),
        (["-k", "65"], "64"),
        (["-k", "two"], "two"),
        (["--max-distance", "-1"], "--max-distance"),
        (["--max-distance", "far"], "far"),
        (["--max-distance", "nan"], "nan"),
        (["--weighting", "heavy", "--weight-field", "w"], "heavy"),
        (["--weighting", "additive"], "--weight-field"),
        (["--weight-field", "w"], "--weighting"),
        (["--distance-type", "Float32"], "--distance"),
        (["--distance", "d.tif", "--distance-type", "Int16"], "Int16"),
        (["--sum", "x.tif"], "--stats"),
        (["--no-stats-distances"], "--stats"),
        (["--mask-layer", "a"], "--mask"),
        (
            ["--stats", "t.csv", "--sum", "a/x.tif", "--sum", "b/X.tif"],
            ["two rasters", "NAME=FILE"],
        ),
        (["--stats", "t.csv", "--sum", "p=x.tif", "--sum", "p=y.tif"], "two rasters"),
        (["--stats", "t.csv", "--sum", "=" + "x" * 100 + ".tif"], "NAME=FILE"),
        (["--stats", ""], "name is empty"),
    ],
)
def test_usage(seeds, arguments, has):
    seeds.fails("--seeds", "s.csv", *arguments, "out.tif", status=2, has=has)


@pytest.mark.parametrize("option,name", OUTPUT_OPTIONS)
def test_outputs_that_collide(seeds, option, name):
    seeds.fails("--seeds", "s.csv", option, "out.tif", "out.tif", has=[option, "out.tif"])
    seeds.fails("--seeds", "s.csv", option, "./out.tif", "out.tif", has=[option, "out.tif"])
    seeds.fails(
        "--seeds", "s.csv", "--overwrite", option, "s.csv", "out.tif", has=[option, "s.csv"]
    )
    others = [o for o in OUTPUT_OPTIONS if o[0] != option]
    seeds.fails("--seeds", "s.csv", option, name, others[0][0], name, "out.tif", has=name)
    seeds.fails("--seeds", "s.csv", option, f"missing/{name}", "out.tif", has="missing")
    seeds.fails("--seeds", "s.csv", option, "name.nothing", "out.tif", has="name.nothing")
    seeds.write(name, "precious")
    seeds.fails("--seeds", "s.csv", option, name, "out.tif", has=[name, "--overwrite"])
    make_raster(seeds, "m.tif", np.ones((4, 4)), (-180, 90, 0, 90, 0, -45))
    seeds.fails(
        "--seeds",
        "s.csv",
        "--overwrite",
        "--mask",
        "m.tif",
        option,
        "m.tif",
        "out.tif",
        has=[option, "m.tif"],
    )


def test_all_outputs_or_none(seeds):
    """A creation option that one of the rasters cannot have spoils the run, and nothing is lost."""
    for _, name in OUTPUT_OPTIONS:
        seeds.write(name, "precious")
    seeds.write("out.tif", "precious")
    everything = [a for pair in OUTPUT_OPTIONS for a in pair]
    seeds.fails(
        "--seeds",
        "s.csv",
        "--size",
        "20,10",
        *everything,
        "--overwrite",
        "--co",
        "COMPRESS=ZSTD",
        "--co",
        "PREDICTOR=3",
        "out.tif",
        has="PREDICTOR",
    )
    seeds.ok("--seeds", "s.csv", "--size", "20,10", *everything, "--overwrite", "out.tif")
    assert all(
        seeds.path(n).read_bytes() != b"precious"
        for n in ("out.tif", *(n for _, n in OUTPUT_OPTIONS))
    )


@pytest.mark.parametrize(
    "arguments,has",
    [
        (["--stats", "t.dbf", "--polygons", "t.shp", "out.tif"], ["t.shp"]),
        (["--of", "ENVI", "--distance", "out.dst", "out.bin"], ["out.dst", "out.hdr"]),
    ],
)
def test_side_files_that_collide(seeds, arguments, has):
    seeds.fails("--seeds", "s.csv", *GLOBE, "--overwrite", *arguments, has=[*has, "another output"])


@pytest.mark.parametrize(
    "name,arguments",
    [("t.dbf", ["--stats", "t.shp", "out.tif"]), ("out.hdr", ["--of", "ENVI", "out.bin"])],
)
def test_side_files_of_others(seeds, name, arguments):
    """A file that comes along replaces nothing unasked, but for what an output that is gone has left behind."""
    seeds.write(name, "precious")
    seeds.fails("--seeds", "s.csv", *GLOBE, *arguments, has=[name, "--overwrite"])
    seeds.ok("--seeds", "s.csv", *GLOBE, "--overwrite", *arguments)
    assert seeds.path(name).read_bytes() != b"precious"
    seeds.write("x.tif.aux.xml", "left behind")
    seeds.ok("--seeds", "s.csv", *GLOBE, "x.tif")
    assert seeds.path("x.tif.aux.xml").read_bytes() != b"left behind"


@pytest.mark.parametrize("where", ["out.tif.aux.xml", "r.shx", "r.dbf"])
def test_moves_are_undone(seeds, where):
    """A directory in the place of a side file: what was moved before it goes back, what was there is there again."""
    for name in "out.tif", "t.csv", "r.shp", "r.prj":
        seeds.write(name, f"precious {name}")
    seeds.path(where).mkdir()
    seeds.write(f"{where}/inside", "precious")
    seeds.fails(
        "--seeds",
        "s.csv",
        "--size",
        "20,10",
        "--stats",
        "t.csv",
        "--polygons",
        "r.shp",
        "--overwrite",
        "out.tif",
        has=[where, "directory"],
    )
    seeds.path(where).joinpath("inside").unlink()
    seeds.path(where).rmdir()
    seeds.ok(
        "--seeds",
        "s.csv",
        "--size",
        "20,10",
        "--stats",
        "t.csv",
        "--polygons",
        "r.shp",
        "--overwrite",
        "out.tif",
    )
    assert seeds.path(where).is_file() and b"precious" not in seeds.path("t.csv").read_bytes()


@pytest.mark.parametrize(
    "arguments,has",
    [
        (["--mask", "nothing.tif"], ["--mask", "nothing.tif"]),
        (["--mask", "plain.tif"], ["--mask", "coordinate system"]),
        (["--mask", "plain.shp"], ["--mask", "coordinate system"]),
        (["--mask", "s.csv"], ["--mask", "s.csv"]),
        (["--mask", "points.gpkg"], ["--mask", "Point"]),
        (["--mask", "bent.fgb"], ["--mask", "vertex"]),
        (["--stats", "t.csv", "--sum", "nothing.tif"], ["--sum", "nothing.tif"]),
        (["--stats", "t.csv", "--sum", "plain.tif"], ["--sum", "coordinate system"]),
        (
            ["--stats", "t.csv", "--sum", "far.tif", "--extent", "0,0,10,10"],
            ["--sum", "outside the grid"],
        ),
        (
            ["--stats", "t.csv", "--sum", "utm.tif", "--extent", "-10,-10,-5,-5"],
            ["--sum", "outside the grid"],
        ),
        (
            [
                "--stats",
                "t.csv",
                "--sum",
                "far.tif",
                "--crs",
                "EPSG:32633",
                "--extent",
                "300000,0,700000,900000",
                "--res",
                "50000",
            ],
            ["--sum", "outside the grid"],
        ),
        (["--stats", "t.csv", "--sum", "inf.tif"], ["--sum", "infinite"]),
        (["--weighting", "additive", "--weight-field", "nope"], ["--weight-field", "nope", "name"]),
    ],
)
def test_refused(seeds, arguments, has):
    make_raster(seeds, "plain.tif", np.ones((4, 4)), (0, 1, 0, 0, 0, -1), epsg=None)
    make_raster(seeds, "far.tif", np.ones((4, 4)), (60, 1, 0, 60, 0, -1))
    make_raster(seeds, "utm.tif", np.ones((4, 4)), (400000, 1000, 0, 5000000, 0, -1000), epsg=32633)
    make_raster(seeds, "inf.tif", np.full((4, 4), np.inf), (0, 1, 0, 0, 0, -1))
    make_polygons(seeds, "plain.shp", [STAR], epsg=None, driver="ESRI Shapefile")
    make_polygons(seeds, "points.gpkg", ["POINT (0 0)"])
    make_polygons(seeds, "bent.fgb", ["POLYGON ((0 0, 1 0, 1e999 1, 0 0))"], driver="FlatGeobuf")
    seeds.fails("--seeds", "s.csv", *arguments, "out.tif", has=has)


def test_mesh_takes_no_mask(seeds):
    seeds.fails(
        *["--seeds", "s.csv", "--mesh", "m.nc", "--level", "2", "--mask", "m.shp", "out.tif"],
        status=2,
        has=["--mesh", "--mask"],
    )


def test_mask_with_a_system_on_a_grid_without(plane):
    make_raster(plane, "m.tif", np.ones((4, 4)), (0, 1, 0, 0, 0, -1))
    plane.fails(
        "--seeds", "p.csv", *PLANE, "--mask", "m.tif", "out.tif", has="no coordinate system"
    )
    make_raster(plane, "n.tif", np.ones((30, 40)), (0, 1, 0, 30, 0, -1), epsg=None)
    plane.ok("--seeds", "p.csv", *PLANE, "--mask", "n.tif", "out.tif")
    assert np.all(plane.read("out.tif") > 0)


def test_with_triangles(seeds):
    """--level: pixels carry their triangles' answers, distances are from the triangles' centers to the seed."""
    seeds.ok(
        "--seeds",
        "s.csv",
        "--level",
        3,
        "-k",
        2,
        "--max-distance",
        3000000,
        "--distance",
        "d.tif",
        "--polygons",
        "r.gpkg",
        "--stats",
        "t.csv",
        "out.tif",
    )
    seeds.ok("--seeds", "s.csv", "--level", 3, "one.tif")
    out, d = seeds.read("out.tif"), seeds.read("d.tif")
    assert np.array_equal(out == -1, np.isnan(d)) and np.nanmax(d) <= 3000000
    assert np.array_equal(out[0][out[0] > 0], seeds.read("one.tif")[out[0] > 0])
