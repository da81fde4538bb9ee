"""--level: rasters of QTM triangles against a mesh made here, from its definition, with scipy's KD-tree over its centres."""

import numpy as np
import pytest

from conftest import check_geodesic, centres, crs, globe, unit_vectors


def lattice(lon, lat, level):
    """Octant, row from the pole, western vertex and direction of the triangle of each place: the ZOT plane's lattice."""
    n = 2**level
    lon = (np.asarray(lon, float) + 180) % 360 - 180
    quarter = np.floor(lon / 90).astype(int) % 4
    part = (lon - np.where(quarter > 1, quarter - 4, quarter) * 90) / 90
    rows = (1 - np.abs(lat) / 90) * n
    row = np.minimum(np.floor(rows), n - 1)
    east = rows * part
    west = rows - east
    down = np.floor(east) + np.floor(west) < row
    edge = np.minimum.reduce([np.abs(v - np.round(v)) for v in (rows, east, west)]) < 1e-7
    return quarter + 4 * (np.asarray(lat) < 0), row.astype(int), np.floor(east).astype(int), down, edge


def triangle_centres(octant, row, east, down, level):
    n = 2**level

    def vertex(r, j):
        part = np.divide(j, r, out=np.zeros(np.broadcast(r, j).shape), where=r > 0)
        lat = 90 * (1 - r / n) * np.where(octant < 4, 1, -1)
        return unit_vectors((octant % 4) * 90 + 90 * part, lat)

    total = (vertex(row, east) + vertex(row + 1, east + 1)
             + np.where(down[..., None], vertex(row, east + 1), vertex(row + 1, east)))
    return total / np.linalg.norm(total, axis=-1, keepdims=True)


def check(numbers, lon, lat, level, seed_lon, seed_lat):
    """Every pixel's seed must be the nearest to its triangle's centre."""
    from scipy.spatial import cKDTree
    octant, row, east, down, edge = lattice(lon, lat, level)
    cells = triangle_centres(octant, row, east, down, level)
    seeds = unit_vectors(seed_lon, seed_lat)
    best = cKDTree(seeds).query(cells)[0]
    mine = np.linalg.norm(cells - seeds[numbers], axis=-1)
    assert np.all((mine <= best + 1e-13) | edge)
    assert edge.mean() < 0.1


@pytest.mark.parametrize("level", [0, 1, 4, 7, 9])
def test_default_grid(work, level):
    lon, lat = globe(400)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--level", level, "--metric", "great-circle", "out.tif")
    out = work.open("out.tif")
    assert (out.RasterXSize, out.RasterYSize) == (2**(level + 3), 2**(level + 2))
    assert out.GetGeoTransform() == (-180, 360 / 2**(level + 3), 0, 90, 0, -360 / 2**(level + 3))
    assert out.GetSpatialRef().GetAuthorityCode(None) == "4326"
    assert out.GetMetadataItem("GPUVORONOI_QTM_LEVEL") == str(level)
    check(out.ReadAsArray() - 1, *centres(out), level, lon, lat)
    octant, row, east, down, _ = lattice(*centres(out), level)
    triangles = ((octant * 2**level + row) * 2**level + east) * 2 + down
    assert len(np.unique(triangles)) == 8 * 4**level


@pytest.mark.parametrize("options", [("--size", "333,217"), ("--res", "0.7,0.9"),
                                     ("--extent", "170,-40,200,20", "--size", "300,600"),
                                     ("--extent", "3,40,3.5,40.5", "--res", "0.001")])
@pytest.mark.parametrize("level", [3, 8, 15])
def test_other_grids(work, options, level):
    lon, lat = globe(3000)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--level", level, *options, "--metric", "great-circle", "out.tif")
    out = work.open("out.tif")
    check(out.ReadAsArray() - 1, *centres(out), level, lon, lat)


@pytest.mark.parametrize("backend", ["serial", "openmp", "kdtree", "octree", "tile"])
@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
def test_backends_agree(work, backend, metric):
    work.csv("s.csv", *globe(50))
    common = ["--seeds", "s.csv", "--level", "5", "--metric", metric, "--size", "300,150"]
    work.ok(*common, "auto.tif")
    work.ok(*common, "--backend", backend, "out.tif")
    assert np.array_equal(work.read("auto.tif"), work.read("out.tif"))


def test_geodesic_is_the_default(work):
    lon, lat = globe(80)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--level", "6", "out.tif")
    out = work.open("out.tif")
    assert out.GetMetadataItem("GPUVORONOI_METRIC") == "geodesic"
    x, y = centres(out)
    octant, row, east, down, _ = lattice(x, y, 6)
    v = triangle_centres(octant, row, east, down, 6)
    cell_lon = np.degrees(np.arctan2(v[..., 1], v[..., 0]))
    cell_lat = np.degrees(np.arctan2(v[..., 2], np.hypot(v[..., 0], v[..., 1])))
    check_geodesic(out.ReadAsArray() - 1, cell_lon, cell_lat, lon, lat)


def test_projected_grid(work):
    from osgeo import osr
    lon, lat = globe(40000)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--level", "9", "--crs", "EPSG:3031", "--extent", "-3000000,-3000000,3000000,3000000",
            "--size", "200,200", "--metric", "great-circle", "out.tif")
    out = work.open("out.tif")
    x, y = centres(out)
    inverse = osr.CoordinateTransformation(crs(3031), crs(4326))
    place = np.array(inverse.TransformPoints(np.stack([x.ravel(), y.ravel()], 1)))[:, :2].reshape(200, 200, 2)
    check(out.ReadAsArray() - 1, place[..., 0], place[..., 1], 9, lon, lat)


def test_projected_seeds_get_a_globe(work):
    work.points("s.gpkg", "GPKG", [500000.0, 700000.0], [5400000.0, 5600000.0], epsg=32633)
    work.ok("--seeds", "s.gpkg", "--level", "3", "out.tif")
    out = work.open("out.tif")
    assert out.GetSpatialRef().GetAuthorityCode(None) == "4326" and out.RasterXSize == 64
    assert set(np.unique(out.ReadAsArray())) == {1, 2}


def test_template(work):
    work.raster("like.tif", (0, 0.5, 0, 50, 0, -0.5), (60, 40), 4326)
    lon, lat = globe(5000)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--level", "6", "--like", "like.tif", "--metric", "great-circle", "out.tif")
    out = work.open("out.tif")
    assert out.GetGeoTransform() == (0, 0.5, 0, 50, 0, -0.5)
    check(out.ReadAsArray() - 1, *centres(out), 6, lon, lat)


def test_snapped_seeds(work):
    """The published algorithm measures from the seed's own cell; the share of cells this changes is what one expects of
    seeds that move by up to half a cell: about the share of cells along the borders."""
    lon, lat = globe(1024)
    work.csv("s.csv", lon, lat)
    share = {}
    for level in 6, 7, 8:
        common = ["--seeds", "s.csv", "--level", level, "--metric", "great-circle", "--overwrite"]
        work.ok(*common, "true.tif")
        work.ok(*common, "--snap-seeds", "snapped.tif")
        true, snapped = work.read("true.tif"), work.read("snapped.tif")
        share[level] = np.mean(true != snapped)
        out = work.open("snapped.tif")
        octant, row, east, down, _ = lattice(lon, lat, level)
        v = triangle_centres(octant, row, east, down, level)
        snapped_lon, snapped_lat = np.degrees(np.arctan2(v[:, 1], v[:, 0])), np.degrees(np.arcsin(v[:, 2]))
        check(out.ReadAsArray() - 1, *centres(out), level, snapped_lon, snapped_lat)
    assert 0.02 < share[6] < 0.3
    assert share[6] > 1.6 * share[7] > 2.5 * share[8] > 0


def test_bad_input(work):
    work.csv("s.csv", [0, 10], [0, 10])
    for level in "21", "-1", "x", "3.5", "":
        work.fails("--seeds", "s.csv", "--level", level, "out.tif", status=2, has="level")
    for metric in "euclidean", "manhattan", "chebyshev":
        work.fails("--seeds", "s.csv", "--level", "3", "--metric", metric, "out.tif", has=["mesh", metric])
    work.fails("--seeds", "s.csv", "--snap-seeds", "out.tif", has="--level")
    work.csv("p.csv", [0, 10], [0, 10], header="x,y")
    work.fails("--seeds", "p.csv", "--level", "3", "out.tif", has="--seeds-crs")


@pytest.mark.parametrize("extension", ["gpkg", "fgb", "csv", "geojson"])
@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
def test_triangles_as_features(work, extension, metric):
    from conftest import WGS84, Geodesic
    from osgeo import gdal, ogr
    lon, lat = globe(40)
    work.csv("s.csv", lon, lat)
    level, name = 3, f"cells.{extension}"
    work.ok("--seeds", "s.csv", "--level", level, "--metric", metric, "--cells", name, "out.tif")
    numbers = work.read("out.tif")
    source = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR,
                         open_options=["AUTODETECT_TYPE=YES", "KEEP_GEOM_COLUMNS=NO"] if extension == "csv" else [])
    layer = source.GetLayer(0)
    assert layer.GetFeatureCount() == 8 * 4**level
    if extension != "csv":
        assert layer.GetSpatialRef().IsGeographic()
    geodesic, radius = Geodesic(*WGS84), 6371.0087714150598
    ids, on_map, on_globe = set(), 0.0, 0.0
    for feature in layer:
        ids.add((feature.GetFieldAsString("id"), int(feature.GetFieldAsString("id64"))))
        x, y, seed = feature.GetField("lon"), feature.GetField("lat"), int(feature.GetField("seed")) - 1
        shape = feature.GetGeometryRef()
        assert shape.IsValid()
        box = shape.GetEnvelope()
        assert box[0] >= -180 and box[1] <= 180 and box[2] >= -90 and box[3] <= 90 and box[1] - box[0] <= 90
        assert shape.Contains(ogr.CreateGeometryFromWkt(f"POINT ({x} {y})"))
        on_map += shape.GetArea()
        on_globe += feature.GetField("area_km2")
        column, row = int((x + 180) / 360 * numbers.shape[1]), int((90 - y) / 180 * numbers.shape[0])
        assert numbers[row, column] == seed + 1 or abs(y) > 85
        distance = feature.GetField("distance")
        if metric == "geodesic":
            expected = [geodesic.distance(x, y, *place) for place in zip(lon, lat)]
        else:
            chord = np.linalg.norm(unit_vectors(x, y) - unit_vectors(lon, lat), axis=-1)
            expected = 2000 * radius * np.arcsin(chord / 2)
        assert distance == pytest.approx(min(expected), rel=1e-9)
        assert distance == pytest.approx(expected[seed], rel=1e-9)
    assert len(ids) == 8 * 4**level
    assert on_map == pytest.approx(360 * 180, rel=1e-12)
    assert on_globe == pytest.approx(4 * np.pi * radius**2, rel=1e-9)


def test_triangles_refused(work):
    work.csv("s.csv", [0, 10], [0, 10])
    work.fails("--seeds", "s.csv", "--cells", "c.gpkg", "out.tif", has="--level")
    work.fails("--seeds", "s.csv", "--level", "2", "--cells", "c.nothing", "out.tif", has="c.nothing")
    work.fails("--seeds", "s.csv", "--level", "2", "--cells", "s.csv", "--overwrite", "out.tif", has="s.csv")
    work.fails("--seeds", "s.csv", "--level", "2", "--cells", "missing/c.gpkg", "out.tif", has="missing")
    work.write("c.gpkg", "old")
    work.fails("--seeds", "s.csv", "--level", "2", "--cells", "c.gpkg", "out.tif", has=["c.gpkg", "--overwrite"])
    work.ok("--seeds", "s.csv", "--level", "2", "--cells", "c.gpkg", "--overwrite", "out.tif")
    assert work.path("c.gpkg").stat().st_size > 4096
