"""--level: rasters of QTM triangles against a mesh made here, from its definition, with scipy's KD-tree over its centers."""

import numpy as np
import pytest

from conftest import check_geodesic, centers, crs, globe, unit_vectors


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
    return (
        quarter + 4 * (np.asarray(lat) < 0),
        row.astype(int),
        np.floor(east).astype(int),
        down,
        edge,
    )


def triangle_centers(octant, row, east, down, level):
    n = 2**level

    def vertex(r, j):
        part = np.divide(j, r, out=np.zeros(np.broadcast(r, j).shape), where=r > 0)
        lat = 90 * (1 - r / n) * np.where(octant < 4, 1, -1)
        return unit_vectors((octant % 4) * 90 + 90 * part, lat)

    total = (
        vertex(row, east)
        + vertex(row + 1, east + 1)
        + np.where(down[..., None], vertex(row, east + 1), vertex(row + 1, east))
    )
    return total / np.linalg.norm(total, axis=-1, keepdims=True)


def check(numbers, lon, lat, level, seed_lon, seed_lat):
    """Every pixel's seed must be the nearest to its triangle's center."""
    from scipy.spatial import cKDTree

    octant, row, east, down, edge = lattice(lon, lat, level)
    cells = triangle_centers(octant, row, east, down, level)
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
    assert (out.RasterXSize, out.RasterYSize) == (2 ** (level + 3), 2 ** (level + 2))
    assert out.GetGeoTransform() == (
        -180,
        360 / 2 ** (level + 3),
        0,
        90,
        0,
        -360 / 2 ** (level + 3),
    )
    assert out.GetSpatialRef().GetAuthorityCode(None) == "4326"
    assert out.GetMetadataItem("GPUVORONOI_QTM_LEVEL") == str(level)
    check(out.ReadAsArray() - 1, *centers(out), level, lon, lat)
    octant, row, east, down, _ = lattice(*centers(out), level)
    triangles = ((octant * 2**level + row) * 2**level + east) * 2 + down
    assert len(np.unique(triangles)) == 8 * 4**level


@pytest.mark.parametrize(
    "options",
    [
        ("--size", "333,217"),
        ("--res", "0.7,0.9"),
        ("--extent", "170,-40,200,20", "--size", "300,600"),
        ("--extent", "3,40,3.5,40.5", "--res", "0.001"),
    ],
)
@pytest.mark.parametrize("level", [3, 8, 15])
def test_other_grids(work, options, level):
    lon, lat = globe(3000)
    work.csv("s.csv", lon, lat)
    work.ok("--seeds", "s.csv", "--level", level, *options, "--metric", "great-circle", "out.tif")
    out = work.open("out.tif")
    check(out.ReadAsArray() - 1, *centers(out), level, lon, lat)


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
    x, y = centers(out)
    octant, row, east, down, _ = lattice(x, y, 6)
    v = triangle_centers(octant, row, east, down, 6)
    cell_lon = np.degrees(np.arctan2(v[..., 1], v[..., 0]))
    cell_lat = np.degrees(np.arctan2(v[..., 2], np.hypot(v[..., 0], v[..., 1])))
    check_geodesic(out.ReadAsArray() - 1, cell_lon, cell_lat, lon, lat)


def test_projected_grid(work):
    from osgeo import osr

    lon, lat = globe(40000)
    work.csv("s.csv", lon, lat)
    work.ok(
        "--seeds",
        "s.csv",
        "--level",
        "9",
        "--crs",
        "EPSG:3031",
        "--extent",
        "-3000000,-3000000,3000000,3000000",
        "--size",
        "200,200",
        "--metric",
        "great-circle",
        "out.tif",
    )
    out = work.open("out.tif")
    x, y = centers(out)
    inverse = osr.CoordinateTransformation(crs(3031), crs(4326))
    place = np.array(inverse.TransformPoints(np.stack([x.ravel(), y.ravel()], 1)))[:, :2].reshape(
        200, 200, 2
    )
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
    work.ok(
        "--seeds",
        "s.csv",
        "--level",
        "6",
        "--like",
        "like.tif",
        "--metric",
        "great-circle",
        "out.tif",
    )
    out = work.open("out.tif")
    assert out.GetGeoTransform() == (0, 0.5, 0, 50, 0, -0.5)
    check(out.ReadAsArray() - 1, *centers(out), 6, lon, lat)


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
        v = triangle_centers(octant, row, east, down, level)
        snapped_lon, snapped_lat = (
            np.degrees(np.arctan2(v[:, 1], v[:, 0])),
            np.degrees(np.arcsin(v[:, 2])),
        )
        check(out.ReadAsArray() - 1, *centers(out), level, snapped_lon, snapped_lat)
    assert 0.02 < share[6] < 0.3
    assert share[6] > 1.6 * share[7] > 2.5 * share[8] > 0


def test_bad_input(work):
    work.csv("s.csv", [0, 10], [0, 10])
    for level in "21", "-1", "x", "3.5", "":
        work.fails("--seeds", "s.csv", "--level", level, "out.tif", status=2, has="level")
    for metric in "euclidean", "manhattan", "chebyshev":
        work.fails(
            "--seeds", "s.csv", "--level", "3", "--metric", metric, "out.tif", has=["mesh", metric]
        )
    work.fails("--seeds", "s.csv", "--snap-seeds", "out.tif", status=2, has="--level")
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
    source = gdal.OpenEx(
        str(work.path(name)),
        gdal.OF_VECTOR,
        open_options=["AUTODETECT_TYPE=YES", "KEEP_GEOM_COLUMNS=NO"] if extension == "csv" else [],
    )
    layer = source.GetLayer(0)
    assert layer.GetFeatureCount() == 8 * 4**level
    if extension != "csv":
        assert layer.GetSpatialRef().IsGeographic()
    geodesic, radius = Geodesic(*WGS84), 6371.0087714150598
    ids, on_map, on_globe = set(), 0.0, 0.0
    for feature in layer:
        ids.add((feature.GetFieldAsString("id"), int(feature.GetFieldAsString("id64"))))
        x, y, seed = (
            feature.GetField("lon"),
            feature.GetField("lat"),
            int(feature.GetField("seed")) - 1,
        )
        shape = feature.GetGeometryRef()
        assert shape.IsValid()
        box = shape.GetEnvelope()
        assert (
            box[0] >= -180
            and box[1] <= 180
            and box[2] >= -90
            and box[3] <= 90
            and box[1] - box[0] <= 90
        )
        assert shape.Contains(ogr.CreateGeometryFromWkt(f"POINT ({x} {y})"))
        on_map += shape.GetArea()
        on_globe += feature.GetField("area_km2")
        column, row = (
            int((x + 180) / 360 * numbers.shape[1]),
            int((90 - y) / 180 * numbers.shape[0]),
        )
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
    assert on_globe == pytest.approx(
        510065621.724088, rel=1e-12
    )  # WGS 84's surface, by GeographicLib


def test_triangles_refused(work):
    work.csv("s.csv", [0, 10], [0, 10])
    work.fails("--seeds", "s.csv", "--cells", "c.gpkg", "out.tif", status=2, has="--level")
    work.fails(
        "--seeds", "s.csv", "--level", "2", "--cells", "c.nothing", "out.tif", has="c.nothing"
    )
    work.fails(
        "--seeds",
        "s.csv",
        "--level",
        "2",
        "--cells",
        "s.csv",
        "--overwrite",
        "out.tif",
        has="s.csv",
    )
    work.fails(
        "--seeds",
        "s.csv",
        "--level",
        "2",
        "--cells",
        "missing/c.gpkg",
        "out.tif",
        has="missing/c.gpkg",
    )
    work.write("c.gpkg", "old")
    work.fails(
        "--seeds",
        "s.csv",
        "--level",
        "2",
        "--cells",
        "c.gpkg",
        "out.tif",
        has=["c.gpkg", "--overwrite"],
    )
    work.ok("--seeds", "s.csv", "--level", "2", "--cells", "c.gpkg", "--overwrite", "out.tif")
    assert work.path("c.gpkg").stat().st_size > 4096


def ugrid(path):
    """Arrays and attributes of a NetCDF file, through GDAL's multidimensional interface."""
    from osgeo import gdal

    dataset = gdal.OpenEx(str(path), gdal.OF_MULTIDIM_RASTER)
    root = dataset.GetRootGroup()
    arrays = {name: root.OpenMDArray(name) for name in root.GetMDArrayNames(["SHOW_ZERO_DIM=YES"])}
    # GDAL takes units and grid mappings out of the attributes.
    attributes = {
        name: {
            "units": array.GetUnit(),
            "crs": array.GetSpatialRef(),
            **{a.GetName(): a.Read() for a in array.GetAttributes()},
        }
        for name, array in arrays.items()
    }
    values = {
        name: array.ReadAsArray() for name, array in arrays.items() if array.GetDimensionCount() > 0
    }
    return values, attributes, {a.GetName(): a.Read() for a in root.GetAttributes()}


def rings(path):
    """Corners of the triangles as features have them; the two at a pole become one, between them."""
    from osgeo import gdal

    source = gdal.OpenEx(str(path), gdal.OF_VECTOR)
    layer = source.GetLayer(0)
    for feature in layer:
        points = feature.GetGeometryRef().GetGeometryRef(0).GetPoints()[:-1]
        pole = [x for x, y in points if abs(y) == 90]
        corners = {(x, y) for x, y in points if abs(y) < 90}
        if pole:
            corners.add((sum(pole) / len(pole), points[[abs(y) for _, y in points].index(90)][1]))
        yield (
            corners,
            feature.GetField("seed"),
            feature.GetField("distance"),
            feature.GetField("area_km2"),
        )


@pytest.mark.parametrize("level,first_id", [(0, 1), (1, 1), (4, 1), (5, 10**12)])
def test_ugrid_holds_what_the_features_hold(work, level, first_id):
    lon, lat = globe(40)
    work.csv("s.csv", lon, lat, no=[first_id + i for i in range(40)])
    common = ["--seeds", "s.csv", "--id", "no", "--level", level]
    work.ok(*common, "--mesh", "m.nc", "--cells", "c.gpkg", "out.tif")
    values, attributes, globals_ = ugrid(work.path("m.nc"))
    n, cells = 2**level, 8 * 4**level

    topology = attributes["mesh"]
    assert "UGRID-1.0" in globals_["Conventions"] and topology["cf_role"] == "mesh_topology"
    assert topology["topology_dimension"] == 2
    x, y = (values[name] for name in topology["node_coordinates"].split())
    faces = values[topology["face_node_connectivity"]]
    assert attributes[topology["face_node_connectivity"]]["start_index"] == 0
    assert x.shape == y.shape == (4 * n * n + 2 * n + 7,) and faces.shape == (cells, 3)
    assert set(faces.ravel()) == set(range(len(x)))  # every node belongs to a face
    assert len(set(zip(x, y))) == len(x)  # and to one place of the map
    assert np.all(np.ptp(x[faces], axis=1) <= 90)
    for name, units in ("seed", ""), ("distance", "m"), ("area", "m2"):
        assert attributes[name]["mesh"] == "mesh" and attributes[name]["location"] == "face"
        assert attributes[name]["units"] == units and values[name].shape == (cells,)
        assert attributes[name]["crs"].IsSame(crs(4326))
    assert attributes["mesh_node_lon"]["units"] == "degrees_east"
    assert attributes["mesh_node_lat"]["units"] == "degrees_north"
    # Counter-clockwise, as UGRID wants.
    a, b, c = (np.stack([x[faces[:, i]], y[faces[:, i]]], -1) for i in range(3))
    assert np.all(np.cross(b - a, c - a) > 0)

    for i, (corners, seed, distance, area) in enumerate(rings(work.path("c.gpkg"))):
        assert {(x[k], y[k]) for k in faces[i]} == corners
        assert values["seed"][i] == seed and values["distance"][i] == distance
        assert values["area"][i] == pytest.approx(area * 1e6, rel=1e-15)
    assert i == cells - 1


def test_outputs_do_not_depend_on_each_other_or_on_threads(work):
    work.csv("s.csv", *globe(40))
    common = ["--seeds", "s.csv", "--level", "7", "--metric", "great-circle"]
    work.ok(*common, "--threads", "1", "--mesh", "a.nc")
    work.ok(
        *common, "--threads", "5", "--mesh", "b.nc", "--cells", "b.fgb", "--size", "64,32", "b.tif"
    )
    work.ok(*common, "--threads", "2", "--cells", "c.fgb")
    a, b = ugrid(work.path("a.nc"))[0], ugrid(work.path("b.nc"))[0]
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert work.path("b.fgb").read_bytes() == work.path("c.fgb").read_bytes()
    assert not work.path("out.tif").exists()


def test_degrees_whatever_the_unit_of_the_coordinate_system(work):
    """NTF (Paris) counts grads from Paris; CF wants degrees, and triangles are counted from Greenwich."""
    work.csv("s.csv", *globe(40))
    work.ok("--seeds", "s.csv", "--crs", "EPSG:4807", "--level", "3", "--mesh", "m.nc")
    values, attributes, _ = ugrid(work.path("m.nc"))
    made = crs(attributes["crs"]["crs_wkt"])
    assert made.GetAngularUnits() == pytest.approx(
        np.pi / 180
    ) and made.GetSemiMajor() == pytest.approx(6378249.2)
    assert attributes["crs"]["longitude_of_prime_meridian"] == 0
    assert values["mesh_node_lon"].max() == 180 and values["mesh_node_lat"].max() == 90


def test_mesh_refused(work):
    work.csv("s.csv", [0, 10], [0, 10])
    work.fails("--seeds", "s.csv", "--mesh", "m.nc", "out.tif", status=2, has="--level")
    work.fails("--seeds", "s.csv", "--level", "2", "--mesh", "m.gpkg", "out.tif", has=".nc")
    work.fails("--seeds", "s.csv", "--level", "14", "--mesh", "m.nc", has=["13", "14"])
    work.fails("--seeds", "s.csv", "--level", "2", "--mesh", "missing/m.nc", has="missing")
    work.fails("--seeds", "s.csv", "--level", "2", "--mesh", "m.nc", "m.nc", has="m.nc")
    work.fails("--seeds", "s.csv", "--level", "2", "--mesh", "m.nc", "--cells", "m.nc", has="m.nc")
    work.fails("--seeds", "s.csv", "--level", "2", status=2, has="output")
    work.write("m.nc", "old")
    work.fails("--seeds", "s.csv", "--level", "2", "--mesh", "m.nc", has=["m.nc", "--overwrite"])
    work.ok("--seeds", "s.csv", "--level", "2", "--mesh", "m.nc", "--overwrite")
    assert work.path("m.nc").stat().st_size > 4096


@pytest.mark.parametrize(
    "options,weighted",
    [
        (["-k", "3"], False),
        (["-k", "3", "--max-distance", "3e6"], False),
        (["-k", "7"], False),
        (["--weighting", "multiplicative"], True),
    ],
)
def test_several_limited_and_weighted_seeds(work, options, weighted):
    """Features and mesh against all distances, computed here; bands without a seed are null, or the fill value."""
    from osgeo import gdal

    lon, lat = globe(5 if "7" in options else 60, seed=3)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(lon))
    work.csv("s.csv", lon, lat, w=weights)
    if weighted:
        options = [*options, "--weight-field", "w"]
    k = int(options[1]) if options[0] == "-k" else 1
    work.ok(
        "--seeds",
        "s.csv",
        "--level",
        "4",
        "--metric",
        "great-circle",
        *options,
        "--mesh",
        "m.nc",
        "--cells",
        "c.gpkg",
    )
    source = gdal.OpenEx(str(work.path("c.gpkg")), gdal.OF_VECTOR)
    features = list(source.GetLayer(0))
    values, attributes, _ = ugrid(work.path("m.nc"))
    centers_ = unit_vectors(
        [f.GetField("lon") for f in features], [f.GetField("lat") for f in features]
    )
    chord = np.linalg.norm(centers_[:, None] - unit_vectors(lon, lat)[None], axis=-1)
    distance = 2 * 6371008.7714150598 * np.arcsin(chord / 2)
    order = np.argsort(distance / weights if weighted else distance, axis=1)
    sorted_ = np.take_along_axis(distance, order, 1)
    limit = float(options[3]) if len(options) > 2 and not weighted else np.inf
    some = none = 0
    for rank in range(k):
        name = "" if rank == 0 else f"_{rank + 1}"
        seed, far = values["seed" + name], values["distance" + name]
        assert attributes["distance" + name]["units"] == "m"
        for i, feature in enumerate(features):
            expected = sorted_[i, rank] if rank < len(lon) and sorted_[i, rank] <= limit else None
            if expected is None:
                assert (
                    feature.GetField("seed" + name) is None
                    and feature.GetField("distance" + name) is None
                )
                assert seed[i] == -1 and np.isnan(far[i])
                none += 1
            else:
                assert feature.GetField("seed" + name) == order[i, rank] + 1 == seed[i]
                assert feature.GetField("distance" + name) == pytest.approx(expected, rel=1e-9)
                assert far[i] == feature.GetField("distance" + name)
                some += 1
    assert some > 0 and (none > 0) == (np.isfinite(limit) or k > len(lon))
    assert f"seed_{k + 1}" not in values


def test_masks_are_for_rasters(work):
    work.csv("s.csv", [0, 10], [0, 10])
    work.raster("mask.tif", (-180, 1, 0, 90, 0, -1), (360, 180), 4326)
    work.fails(
        "--seeds",
        "s.csv",
        "--level",
        "2",
        "--mask",
        "mask.tif",
        "--mesh",
        "m.nc",
        status=2,
        has=["--mesh", "--mask"],
    )
