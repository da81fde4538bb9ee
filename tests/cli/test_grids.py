"""Extents, sizes, templates, defaults; what gdalwarp does with the same numbers."""

import numpy as np
import pytest
from osgeo import gdal

from conftest import centers, check_geodesic, check_great_circle, crs, globe, planar

LON, LAT = [-100.0, 10.0, 120.0, 178.0, -179.0], [40.0, 50.0, -30.0, -20.0, 10.0]


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT)
    work.csv("p.csv", [0, 100, 30], [0, 50, 20], header="x,y")
    return work


def test_the_globe_by_default(seeds):
    seeds.ok("--seeds", "s.csv", "out.tif")
    out = seeds.open("out.tif")
    assert (out.RasterXSize, out.RasterYSize) == (2048, 1024)
    assert out.GetGeoTransform() == (-180, 360 / 2048, 0, 90, 0, -180 / 1024)
    assert out.GetMetadataItem("GPUVORONOI_METRIC") == "geodesic"
    check_geodesic(out.ReadAsArray() - 1, *centers(out), LON, LAT)


def test_the_seeds_extent_by_default(seeds):
    seeds.ok("--seeds", "p.csv", "out.tif")
    out = seeds.open("out.tif")
    assert out.RasterXSize == 2048
    assert out.GetGeoTransform() == pytest.approx((-10, 120 / 2048, 0, 55, 0, -120 / 2048))
    assert out.RasterYSize == int(60 / (120 / 2048) + 0.5)
    assert out.GetMetadataItem("GPUVORONOI_METRIC") == "euclidean"
    assert np.array_equal(
        out.ReadAsArray(), planar("euclidean", *centers(out), [0, 100, 30], [0, 50, 20]) + 1
    )


def test_seeds_in_a_row(seeds):
    seeds.csv("row.csv", [0, 10, 20], [5, 5, 5], header="x,y")
    seeds.ok("--seeds", "row.csv", "--res", "0.5", "out.tif")
    assert seeds.open("out.tif").GetGeoTransform() == (-2, 0.5, 0, 7, 0, -0.5)
    assert seeds.read("out.tif").shape == (8, 48)


@pytest.mark.parametrize(
    "crs_option,half",
    [
        ([], 0.5),
        (["--seeds-crs", "EPSG:32633"], 1000),
        (["--seeds-crs", "EPSG:2263"], 1000 / (1200 / 3937)),
    ],
)
def test_one_seed_alone(work, crs_option, half):
    work.csv("s.csv", [500000], [5000000], header="x,y")
    work.ok("--seeds", "s.csv", *crs_option, "--size", "4,4", "out.tif")
    transform = work.open("out.tif").GetGeoTransform()
    assert transform == pytest.approx((500000 - half, half / 2, 0, 5000000 + half, 0, -half / 2))
    assert np.all(work.read("out.tif") == 1)


def test_one_seed_on_the_globe(work):
    work.csv("s.csv", [180], [-90])
    work.ok("--seeds", "s.csv", "--size", "4,2", "out.tif")
    assert work.read("out.tif").tolist() == [[1] * 4] * 2


@pytest.mark.parametrize(
    "extent,res",
    [
        ("0,0,10,10", "3"),
        ("0,0,10,10", "4"),
        ("0,0,10,10", "2.5,3"),
        ("-7.3,2,11,9.9", "0.7"),
        ("0,0,1,1", "0.3,0.7"),
        ("0,0,9,9", "2"),
    ],
)
def test_partial_cells_as_gdalwarp(seeds, extent, res):
    seeds.ok("--seeds", "p.csv", "--extent", extent, "--res", res, "out.tif")
    seeds.raster("source.tif", (-50, 1, 0, 50, 0, -1), (100, 100))
    x, y = (res.split(",") * 2)[:2]
    # gdalwarp wants a coordinate system to take -te in; any planar one will do.
    warped = gdal.Warp(
        str(seeds.path("warp.tif")),
        str(seeds.path("source.tif")),
        srcSRS="EPSG:32633",
        dstSRS="EPSG:32633",
        outputBounds=[float(v) for v in extent.split(",")],
        xRes=float(x),
        yRes=float(y),
    )
    out = seeds.open("out.tif")
    assert (out.RasterXSize, out.RasterYSize) == (warped.RasterXSize, warped.RasterYSize)
    assert out.GetGeoTransform() == pytest.approx(warped.GetGeoTransform(), rel=1e-15)


def test_size_and_extent(seeds):
    seeds.ok("--seeds", "p.csv", "--extent=-10,-20,30,40", "--size=7,5", "out.tif")
    out = seeds.open("out.tif")
    assert out.GetGeoTransform() == (-10, 40 / 7, 0, 40, 0, -12)
    assert (out.RasterXSize, out.RasterYSize) == (7, 5)


@pytest.mark.parametrize(
    "extent",
    ["0,-90,360,90", "170,-40,190,20", "-190,-10,-170,10", "-540,-90,540,90", "530,0,560,30"],
)
@pytest.mark.parametrize("metric", ["great-circle", "geodesic"])
def test_extents_beyond_180(seeds, extent, metric):
    seeds.ok(
        "--seeds", "s.csv", "--extent", extent, "--size", "120,60", "--metric", metric, "out.tif"
    )
    out = seeds.open("out.tif")
    lon, lat = centers(out)
    if metric == "geodesic":
        check_geodesic(out.ReadAsArray() - 1, lon, lat, LON, LAT)
    else:
        check_great_circle(out.ReadAsArray() - 1, lon, lat, LON, LAT)


def test_the_same_cells_at_other_longitudes(work):
    work.csv("s.csv", *globe(300))
    work.ok("--seeds", "s.csv", "--extent", "-180,-90,180,90", "--res", "1", "a.tif")
    work.ok("--seeds", "s.csv", "--extent", "0,-90,360,90", "--res", "1", "b.tif")
    a, b = work.read("a.tif"), work.read("b.tif")
    assert np.array_equal(np.roll(a, 180, axis=1), b)


def test_centers_at_the_poles_and_beyond(seeds):
    """A grid of points, as weather models have: the outer rows' centers are the poles."""
    seeds.ok("--seeds", "s.csv", "--extent", "-0.5,-90.5,359.5,90.5", "--res", "1", "out.tif")
    out = seeds.open("out.tif")
    assert out.RasterYSize == 181
    rows = out.ReadAsArray()
    assert len(set(rows[0])) == 1 and len(set(rows[-1])) == 1
    seeds.fails(
        "--seeds", "s.csv", "--extent", "0,-91,360,91", "--res", "1", "bad.tif", has="latitudes"
    )


ROTATED = (500000, 80, 30, 5400000, 25, -90)
SOUTH_UP = (480000, 100, 0, 5380000, 0, 100)


@pytest.mark.parametrize("transform", [ROTATED, SOUTH_UP])
@pytest.mark.parametrize(
    "metric", ["euclidean", "manhattan", "chebyshev", "great-circle", "geodesic"]
)
def test_templates(work, transform, metric):
    work.raster("like.tif", transform, (90, 70), 32633)
    random = np.random.default_rng(3)
    x, y = 480000 + random.uniform(0, 40000, 40), 5370000 + random.uniform(0, 40000, 40)
    work.points("s.gpkg", "GPKG", x.tolist(), y.tolist(), epsg=32633)
    work.ok("--seeds", "s.gpkg", "--like", "like.tif", "--metric", metric, "out.tif")
    out = work.open("out.tif")
    assert out.GetGeoTransform() == transform
    assert out.GetSpatialRef().GetAuthorityCode(None) == "32633"
    assert (out.RasterXSize, out.RasterYSize) == (90, 70)
    numbers, (cx, cy) = out.ReadAsArray() - 1, centers(out)
    if metric in ("euclidean", "manhattan", "chebyshev"):
        assert np.array_equal(numbers, planar(metric, cx, cy, x, y))
        return
    from osgeo import osr

    inverse = osr.CoordinateTransformation(crs(32633), crs(4326))
    cells = np.array(inverse.TransformPoints(np.stack([cx.ravel(), cy.ravel()], 1)))[:, :2].reshape(
        *cx.shape, 2
    )
    places = np.array(inverse.TransformPoints(np.stack([x, y], 1)))[:, :2]
    check_great_circle_or_geodesic(metric, numbers, cells, places)


def check_great_circle_or_geodesic(metric, numbers, cells, places):
    if metric == "great-circle":
        check_great_circle(numbers, cells[..., 0], cells[..., 1], places[:, 0], places[:, 1])
        return
    from conftest import WGS84, Geodesic

    geodesic = Geodesic(*WGS84)
    for cell in np.random.default_rng(5).integers(0, numbers.size, 60):
        at = cells.reshape(-1, 2)[cell]
        distances = [geodesic.distance(*at, *place) for place in places]
        assert (
            distances[numbers.ravel()[cell]] <= min(distances) + 1e-6
        )  # PROJ's round trip leaves nanometers


@pytest.mark.parametrize("transform", [(-20, 0.5, 0.1, 60, 0.05, -0.4), (-20, 0.5, 0, 10, 0, 0.5)])
@pytest.mark.parametrize("metric", ["great-circle", "geodesic"])
def test_rotated_and_south_up_degrees(work, transform, metric):
    work.raster("like.tif", transform, (80, 60), 4326)
    lon, lat = globe(3000)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--like", "like.tif", "--metric", metric, "out.tif")
    out = work.open("out.tif")
    if metric == "geodesic":
        check_geodesic(out.ReadAsArray() - 1, *centers(out), lon, lat, samples=10)
    else:
        check_great_circle(out.ReadAsArray() - 1, *centers(out), lon, lat)


def test_template_without_a_crs_takes_the_seeds(seeds):
    seeds.raster("like.tif", (0, 1, 0, 50, 0, -1), (50, 50))
    seeds.ok("--seeds", "s.csv", "--like", "like.tif", "out.tif")
    assert seeds.open("out.tif").GetSpatialRef().GetAuthorityCode(None) == "4326"
    seeds.ok("--seeds", "p.csv", "--like", "like.tif", "plane.tif")
    assert seeds.open("plane.tif").GetSpatialRef() is None


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_degrees_are_no_plane(seeds, metric):
    seeds.fails(
        "--seeds", "s.csv", "--metric", metric, "--res", "2", "out.tif", has=[metric, "unsupported"]
    )


def test_grads_and_other_meridians(work):
    """EPSG:4807: grads from Paris. Distances are those of the same places in degrees."""
    lon, lat = np.array([0.0, 3.0, 5.0]), np.array([50.0, 52.0, 49.0])  # grads
    work.points("s.gpkg", "GPKG", lon.tolist(), lat.tolist(), epsg=4807)
    work.ok("--seeds", "s.gpkg", "--extent", "-2,45,8,55", "--res", "0.1", "out.tif")
    out = work.open("out.tif")
    assert out.GetGeoTransform() == (-2, 0.1, 0, 55, 0, -0.1)
    x, y = centers(out)
    clarke = (6378249.2, 1 / 293.4660212936269)
    check_geodesic(out.ReadAsArray() - 1, x * 0.9, y * 0.9, lon * 0.9, lat * 0.9, clarke)
    work.ok("--seeds", "s.gpkg", "--size", "40,20", "globe.tif")
    assert work.open("globe.tif").GetGeoTransform() == (-200, 10, 0, 100, 0, -10)


@pytest.mark.parametrize(
    "target,extent",
    [
        ("EPSG:27572", "500000,2300000,700000,2500000"),
        ("EPSG:2263", "900000,100000,1100000,300000"),
        ("EPSG:32661", "1000000,1000000,3000000,3000000"),
        ("EPSG:3031", "-3000000,-3000000,3000000,3000000"),
        ("EPSG:3857", "19000000,-5000000,21000000,5000000"),
    ],
)
def test_great_circle_on_projected_grids(work, target, extent):
    from osgeo import osr

    lon, lat = globe(40000)
    work.csv("s.csv", lon, lat)
    grid = crs(target)
    base = grid.CloneGeogCS()
    base.SetAxisMappingStrategy(0)
    work.ok(
        "--seeds",
        "s.csv",
        "--crs",
        target,
        "--extent",
        extent,
        "--size",
        "50,50",
        "--metric",
        "great-circle",
        "--seeds-crs",
        base.ExportToWkt(),
        "out.tif",
    )
    out = work.open("out.tif")
    x, y = centers(out)
    cells = np.array(
        osr.CoordinateTransformation(grid, base).TransformPoints(
            np.stack([x.ravel(), y.ravel()], 1)
        )
    )
    unit = 0.9 if target == "EPSG:27572" else 1.0
    cells = cells[:, :2].reshape(50, 50, 2) * unit
    check_great_circle(out.ReadAsArray() - 1, cells[..., 0], cells[..., 1], lon * unit, lat * unit)


def test_cells_off_the_globe_are_nodata(work):
    """Mollweide's ellipse fills pi/4 of its box; the sinusoidal inverse would answer outside of the map, too."""
    work.csv("s.csv", *globe(50))
    for name, share in ("ESRI:54009", np.pi / 4), ("ESRI:54008", 2 / np.pi):
        extent = {
            "ESRI:54009": "-18040096,-9020048,18040096,9020048",
            "ESRI:54008": "-20037508,-10001966,20037508,10001966",
        }[name]
        work.ok(
            "--seeds",
            "s.csv",
            "--crs",
            name,
            "--extent",
            extent,
            "--size",
            "400,200",
            "--metric",
            "great-circle",
            "--overwrite",
            "out.tif",
        )
        numbers = work.read("out.tif")
        assert np.mean(numbers >= 0) == pytest.approx(share, abs=0.01)
        assert numbers[0, 0] == numbers[-1, -1] == -1 and numbers[100, 200] > 0


def test_rotated_pole(work):
    """Coordinates of a derived geographic system are not longitudes and latitudes."""
    wkt = (
        'GEOGCRS["rotated",BASEGEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,'
        '298.257223563]]],DERIVINGCONVERSION["pole",METHOD["PROJ ob_tran o_proj=longlat"],PARAMETER["o_lon_p",0,'
        'ANGLEUNIT["degree",0.0174532925199433]],PARAMETER["o_lat_p",39.25,ANGLEUNIT["degree",0.0174532925199433]],'
        'PARAMETER["lon_0",18,ANGLEUNIT["degree",0.0174532925199433]]],CS[ellipsoidal,2],AXIS["longitude",east],'
        'AXIS["latitude",north],ANGLEUNIT["degree",0.0174532925199433]]'
    )
    from osgeo import osr

    work.write("rotated.wkt", wkt)
    lon, lat = globe(20000)
    work.csv("s.csv", lon, lat)
    work.ok(
        "--seeds",
        "s.csv",
        "--crs",
        "rotated.wkt",
        "--extent",
        "-25,-20,20,20",
        "--res",
        "1",
        "--metric",
        "great-circle",
        "out.tif",
    )
    out = work.open("out.tif")
    x, y = centers(out)
    inverse = osr.CoordinateTransformation(crs(wkt), crs(4326))
    cells = np.array(inverse.TransformPoints(np.stack([x.ravel(), y.ravel()], 1)))[:, :2].reshape(
        *x.shape, 2
    )
    check_great_circle(out.ReadAsArray() - 1, cells[..., 0], cells[..., 1], lon, lat)


@pytest.mark.parametrize("size", ["1,1", "1,700", "700,1", "513,511", "1024,512"])
def test_sizes_around_the_tiles(seeds, size):
    seeds.ok("--seeds", "p.csv", "--extent", "-10,-10,110,60", "--size", size, "out.tif")
    out = seeds.open("out.tif")
    assert np.array_equal(
        out.ReadAsArray(), planar("euclidean", *centers(out), [0, 100, 30], [0, 50, 20]) + 1
    )
