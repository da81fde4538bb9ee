"""--cells-of: HEALPix, S2, H3 and files of places, as tables and NetCDF; statistics and masks of them. Oracles: centers and areas of healpy,
s2sphere and h3, scipy's tree, PROJ's geodesics, GDAL's rasters and OGR's polygons."""

import csv
import json
import math

import numpy as np
import pytest
from conftest import globe
from osgeo import gdal, ogr, osr
from scipy.spatial import cKDTree
from test_facility import make_raster
from test_random_sums import points_of

COUNT = 120
LON, LAT = globe(COUNT, seed=21)
VALUES = np.random.default_rng(8).normal(size=COUNT)


def unit(lon, lat):
    a, b = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], -1)


def nearest(lon, lat, k=1):
    chord, number = cKDTree(unit(LON, LAT)).query(unit(lon, lat), k=k)
    return 2 * np.arcsin(chord / 2) * 6371008.7714, number


def healpix(level, ring=False):
    healpy = pytest.importorskip("healpy")
    lon, lat = healpy.pix2ang(2**level, np.arange(12 * 4**level), nest=not ring, lonlat=True)
    return (lon + 180) % 360 - 180, lat


def s2(level):
    """Ids, tokens, centers and solid angles of all cells of a level."""
    s2sphere = pytest.importorskip("s2sphere")
    cells = [s2sphere.CellId((2 * i + 1) << 2 * (30 - level)) for i in range(6 * 4**level)]
    places = np.array(
        [(c.to_lat_lng().lng().degrees, c.to_lat_lng().lat().degrees) for c in cells]
    ).T
    return (
        [c.id() for c in cells],
        [c.to_token() for c in cells],
        *places,
        np.array([s2sphere.Cell(c).exact_area() for c in cells]),
    )


def h3(resolution):
    package = pytest.importorskip("h3")
    cells = sorted(
        package.str_to_int(c)
        for base in package.get_res0_cells()
        for c in package.cell_to_children(base, resolution)
    )
    tokens = [package.int_to_str(c) for c in cells]
    lat, lon = np.array([package.cell_to_latlng(c) for c in tokens]).T
    return cells, tokens, lon, lat, np.array([package.cell_area(c, "rads^2") for c in tokens])


def areas_km2(lat, solid):
    """Solid angles times WGS 84's area by solid angle at the geodetic latitude."""
    square = (2 - 1 / 298.257223563) / 298.257223563
    return solid * 6378.137**2 * (1 - square) / (1 - square * np.sin(np.radians(lat)) ** 2) ** 2


@pytest.fixture
def built_with_h3(seeds):
    """Skips tests of H3 where the command has no libh3."""
    run = seeds.run("--seeds", "s.csv", "--cells-of", "h3:0", "--overwrite", "--cells", "probe.csv")
    if run.returncode != 0 and "not supported by this build" in run.stderr:
        pytest.skip("the command is built without libh3")


@pytest.fixture
def seeds(work):
    work.csv("s.csv", LON, LAT, t=[repr(float(v)) for v in VALUES], code=range(-1, COUNT - 1))
    return work


def table(work, name, layer="cells", without=()):
    """Columns of numbers by name; NaN where a value is missing."""
    opened = gdal.OpenEx(
        str(work.path(name)),
        gdal.OF_VECTOR,
        open_options=["AUTODETECT_TYPE=YES"] if name.endswith(".csv") else [],
    )
    made = opened.GetLayer(0 if name.endswith(".csv") else layer)
    names = [f.GetName() for f in made.schema if f.GetName() not in without]
    rows = [
        [feature.GetField(n) for n in names]
        + [feature.geometry() and feature.geometry().GetPoint_2D()]
        for feature in made
    ]
    columns = {
        n: np.array([np.nan if row[i] is None else row[i] for row in rows], float)
        for i, n in enumerate(names)
    }
    columns["point"] = [row[-1] for row in rows]
    return columns


def variables(work, name):
    root = gdal.OpenEx(str(work.path(name)), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    arrays = {n: root.OpenMDArray(n) for n in root.GetMDArrayNames(["SHOW_ALL=YES"])}
    return (
        {n: a.ReadAsArray() for n, a in arrays.items() if a.GetDimensionCount() == 1},
        {n: {t.GetName(): t.Read() for t in a.GetAttributes()} for n, a in arrays.items()},
        {n: a.GetNoDataValue() for n, a in arrays.items()},
    )


@pytest.mark.parametrize("scheme", ["nested", "ring"])
@pytest.mark.parametrize("level", [0, 2, 4])
def test_healpix(seeds, level, scheme):
    lon, lat = healpix(level, scheme == "ring")
    name = f"healpix:{level}" + (",ring" if scheme == "ring" else "")
    seeds.ok(
        "--seeds",
        "s.csv",
        "--cells-of",
        name,
        "--metric",
        "great-circle",
        "-k",
        "2",
        "--cells",
        "out.gpkg",
    )
    seeds.ok(
        "--seeds",
        "s.csv",
        "--cells-of",
        name,
        "--metric",
        "great-circle",
        "-k",
        "2",
        "--cells",
        "out.nc",
    )
    away, number = nearest(lon, lat, 2)
    rows, (arrays, attributes, _) = table(seeds, "out.gpkg"), variables(seeds, "out.nc")
    assert np.array_equal(rows["cell"], np.arange(12 * 4**level)) and np.array_equal(
        arrays["cell_ids"], rows["cell"]
    )
    for found in (rows, arrays):
        assert np.allclose(
            (found["lon"] - lon + 180) % 360, 180, rtol=0, atol=1e-10
        ) and np.allclose(found["lat"], lat, rtol=0, atol=1e-10)
        for rank, end in enumerate(("", "_2")):
            assert np.array_equal(found["seed" + end], number[:, rank] + 1)
            assert np.allclose(found["distance" + end], away[:, rank], rtol=0, atol=1e-3)
    assert np.allclose(np.array(rows["point"]), np.stack([rows["lon"], rows["lat"]], -1))
    assert attributes["cell_ids"] == {
        "grid_name": "healpix",
        "indexing_scheme": scheme,
        "level": level,
    }
    assert (
        attributes["healpix"]["grid_mapping_name"] == "healpix"
        and attributes["healpix"]["refinement_level"] == level
    )


def check_system(work, name, cells, tokens, lon, lat, solid):
    work.ok(
        "--seeds",
        "s.csv",
        "--cells-of",
        name,
        "--metric",
        "great-circle",
        "-k",
        "2",
        "--cells",
        "out.gpkg",
    )
    work.ok(
        "--seeds",
        "s.csv",
        "--cells-of",
        name,
        "--metric",
        "great-circle",
        "-k",
        "2",
        "--cells",
        "out.nc",
    )
    away, number = nearest(lon, lat, 2)
    opened = gdal.OpenEx(str(work.path("out.gpkg")))
    layer = opened.GetLayer("cells")
    assert [f.GetField("token") for f in layer] == tokens
    assert [f.GetField("cell") % 2**64 for f in layer] == cells
    opened = layer = None
    rows, (arrays, attributes, _) = (
        table(work, "out.gpkg", without=["token"]),
        variables(work, "out.nc"),
    )
    assert arrays["cell_ids"].dtype == np.uint64 and arrays["cell_ids"].tolist() == cells
    for found in (rows, arrays):
        assert (
            np.max(np.linalg.norm(unit(found["lon"], found["lat"]) - unit(lon, lat), axis=1))
            < 1e-13
        )
        for rank, end in enumerate(("", "_2")):
            assert np.array_equal(found["seed" + end], number[:, rank] + 1)
            assert np.allclose(found["distance" + end], away[:, rank], rtol=0, atol=1e-3)
    assert np.allclose(rows["area_km2"], areas_km2(lat, solid), rtol=1e-9)
    system, level = name.split(":")
    assert attributes["cell_ids"] == {"grid_name": system, "level": int(level)}


@pytest.mark.parametrize("level", [0, 1, 4])
def test_s2(seeds, level):
    check_system(seeds, f"s2:{level}", *s2(level))


@pytest.mark.parametrize("level", [0, 2])
def test_h3(seeds, built_with_h3, level):
    check_system(seeds, f"h3:{level}", *h3(level))


def test_h3_needs_memory_and_a_library(seeds):
    message = seeds.fails(
        "--seeds",
        "s.csv",
        "--cells-of",
        "h3:15",
        "--cells",
        "no.csv",
        status=1,
        has=["--cells-of", "h3:15"],
    )
    assert ("libh3-dev" in message and "python" in message.lower()) or (
        "--memory" in message and "569707381193162 cells" in message
    )


def test_authalic_s2(seeds):
    """Areas are in proportion to those on the sphere."""
    *_, solid = s2(3)
    seeds.ok("--seeds", "s.csv", "--cells-of", "s2:3,authalic", "--cells", "out.csv")
    rows = table(seeds, "out.csv", without=["token"])
    assert np.allclose(rows["area_km2"] / solid, 510065621.724088 / (4 * np.pi), rtol=1e-12)


PLACES = np.random.default_rng(12)
PLACES_LON, PLACES_LAT = (
    PLACES.uniform(-180, 180, 400),
    np.degrees(np.arcsin(PLACES.uniform(-1, 1, 400))),
)


@pytest.fixture(params=["healpix:3", "healpix:3,ring", "s2:3", "h3:1", "places.csv"])
def cells(request, seeds):
    """Some cells: the value of --cells-of, ids, centers, and areas (None: unknown)."""
    seeds.csv("places.csv", PLACES_LON, PLACES_LAT)
    if request.param == "h3:1":
        request.getfixturevalue("built_with_h3")
        ids, _, lon, lat, solid = h3(1)
    elif request.param == "s2:3":
        ids, _, lon, lat, solid = s2(3)
    elif request.param == "places.csv":
        return request.param, np.arange(1, 401), PLACES_LON, PLACES_LAT, None
    else:
        lon, lat = healpix(3, request.param.endswith("ring"))
        ids, solid = np.arange(lon.size), np.full(lon.size, 4 * np.pi / lon.size)
    return request.param, np.array(ids, np.uint64), lon, lat, areas_km2(lat, solid)


def make_mask(work, kind):
    """A mask, and which places count."""
    corners = np.array([(-20, -40), (95, -35), (60, 70), (-30, 50)], float)
    if kind == "polygons":
        ring = [*corners.tolist(), corners[0].tolist()]
        work.path("mask.geojson").write_text(
            json.dumps(
                {
                    "type": "FeatureCollection",
                    "features": [
                        {
                            "type": "Feature",
                            "properties": {},
                            "geometry": {"type": "Polygon", "coordinates": [ring]},
                        }
                    ],
                }
            )
        )
        polygon = ogr.CreateGeometryFromJson(json.dumps({"type": "Polygon", "coordinates": [ring]}))

        def counts(lon, lat):
            return np.array(
                [
                    polygon.Contains(ogr.CreateGeometryFromWkt(f"POINT ({x!r} {y!r})"))
                    for x, y in zip(lon.tolist(), lat.tolist())
                ]
            )

        return "mask.geojson", counts
    made = gdal.GetDriverByName("GTiff").Create(
        str(work.path("mask.tif")), 72, 36, 1, gdal.GDT_Byte
    )
    made.SetGeoTransform((-180, 5, 0, 90, 0, -5))
    made.SetProjection(
        'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
        'UNIT["degree",0.0174532925199433],AUTHORITY["EPSG","4326"]]'
    )
    pixels = (np.random.default_rng(2).random((36, 72)) < 0.3).astype(np.uint8)
    made.WriteArray(pixels)
    return (
        "mask.tif",
        lambda lon, lat: (
            pixels[
                np.floor((90 - lat) / 5).astype(int), np.floor(((lon + 180) % 360) / 5).astype(int)
            ]
            != 0
        ),
    )


@pytest.mark.parametrize("kind", ["none", "polygons", "raster"])
def test_statistics_and_masks(seeds, cells, kind):
    name, ids, lon, lat, area = cells
    mask, counts = (
        ("", lambda x, y: np.ones(x.size, bool)) if kind == "none" else make_mask(seeds, kind)
    )
    run = [
        "--seeds",
        "s.csv",
        "--cells-of",
        name,
        "--metric",
        "great-circle",
        "--max-distance",
        "2500km",
        *(["--mask", mask] if mask else []),
    ]
    kept = counts(lon, lat)
    away, number = nearest(lon, lat)
    near = kept & (away <= 2500e3)
    assert 0 < near.sum() < lon.size and (kind == "none" or 0 < kept.sum() < lon.size)
    seeds.ok(*run, "--cells", "out.csv")
    seeds.ok(*run, "--cells", "out.nc")
    seeds.ok(*run, "--stats", "stats.csv")
    rows, (arrays, _, nodata) = (
        table(seeds, "out.csv", without=["token"]),
        variables(seeds, "out.nc"),
    )
    with open(seeds.path("out.csv")) as text:
        assert [int(row["cell"]) % 2**64 for row in csv.DictReader(text)] == ids[kept].tolist()
    assert np.array_equal(arrays["cell_ids"], ids[kept])
    for found in (rows, arrays):
        assert (
            np.max(np.linalg.norm(unit(found["lon"], found["lat"]) - unit(lon, lat)[kept], axis=1))
            < 1e-12
        )
        assert np.allclose(
            found["distance"], np.where(near, away, np.nan)[kept], rtol=0, atol=1e-3, equal_nan=True
        )
    assert area is None or np.allclose(rows["area_km2"], area[kept], rtol=1e-9)
    expected = np.where(near, number + 1.0, np.nan)[kept]
    assert np.array_equal(rows["seed"], expected, equal_nan=True)
    assert np.array_equal(
        np.where(arrays["seed"] == nodata["seed"], np.nan, arrays["seed"]), expected, equal_nan=True
    )
    found = table(seeds, "stats.csv", without=["WKT", "id"])
    weight = np.ones(lon.size) if area is None else area
    own = np.bincount(number[near], weight[near], minlength=COUNT)
    assert np.array_equal(found["cells"], np.bincount(number[near], minlength=COUNT))
    assert ("area_km2" in found) == (area is not None)
    if area is not None:
        assert np.allclose(found["area_km2"], own, rtol=1e-9)
    some = own > 0
    assert np.allclose(
        found["distance_mean"][some],
        (np.bincount(number[near], (weight * away)[near], minlength=COUNT)[some] / own[some]),
        rtol=1e-7,
    )
    assert np.all(np.isnan(found["distance_mean"][~some]))
    sums = np.stack(
        [np.bincount(number[near], (weight * v)[near], minlength=COUNT) for v in unit(lon, lat).T],
        -1,
    )[some]
    assert (
        np.max(
            np.linalg.norm(
                unit(found["centroid_x"], found["centroid_y"])[some]
                - sums / np.linalg.norm(sums, axis=1)[:, None],
                axis=1,
            )
        )
        < 1e-6
    )


def test_a_mask_in_another_system(seeds):
    """And cells given in a map's coordinates: centers go to the mask's system."""
    pyproj = pytest.importorskip("pyproj")
    lon, lat = healpix(4)
    source = ogr.GetDriverByName("GPKG").CreateDataSource(str(seeds.path("mask.gpkg")))
    system = osr.SpatialReference()
    system.ImportFromEPSG(3035)
    layer = source.CreateLayer("square", system)
    feature = ogr.Feature(layer.GetLayerDefn())
    feature.SetGeometry(
        ogr.CreateGeometryFromWkt("POLYGON ((3e6 1.5e6, 6e6 1.5e6, 6e6 4e6, 3e6 4e6, 3e6 1.5e6))")
    )
    layer.CreateFeature(feature)
    source = layer = feature = None
    x, y = pyproj.Transformer.from_crs("EPSG:4326", "EPSG:3035", always_xy=True).transform(lon, lat)
    inside = (x > 3e6) & (x < 6e6) & (y > 1.5e6) & (y < 4e6)
    for more in ([], ["--crs", "EPSG:3035"]):
        seeds.ok(
            "--seeds",
            "s.csv",
            "--cells-of",
            "healpix:4",
            "--mask",
            "mask.gpkg",
            *more,
            "--overwrite",
            "--cells",
            "out.csv",
        )
        assert table(seeds, "out.csv")["cell"].tolist() == np.flatnonzero(inside).tolist()
    assert 5 < inside.sum() < 100


@pytest.mark.parametrize("kind", ["polygons", "raster"])
@pytest.mark.parametrize(
    "grid", [[], ["--crs", "EPSG:3035", "--extent", "2500000,1500000,6000000,4000000"]]
)
def test_a_mask_of_triangles(seeds, kind, grid):
    """Triangles count by their own centers, those outside the raster too; pixels of the raster by theirs."""
    mask, counts = make_mask(seeds, kind)
    run = ["--seeds", "s.csv", "--level", "4", "--metric", "great-circle", "-k", "2", *grid]
    seeds.ok(*run, "--cells", "all.csv", "alone.tif")
    seeds.ok(*run, "--mask", mask, "--cells", "some.csv", "masked.tif")
    seeds.ok(*run, "--mask", mask, "masked_alone.tif")
    every, some = ([*csv.DictReader(open(seeds.path(name)))] for name in ("all.csv", "some.csv"))
    lon, lat = (np.array([float(row[axis]) for row in every]) for axis in ("lon", "lat"))
    kept, on_edge = (
        counts(lon, lat),
        np.abs(lon / 5 - np.round(lon / 5)) < 1e-12,
    )  # digits of CSV do not decide the side of an edge
    assert 0 < kept.sum() < len(every) == 8 * 4**4 and on_edge.mean() < 0.1
    inside = [row for row, edge in zip(every, on_edge) if not edge]
    assert [row for row in some if row in inside] == [
        row for row, count in zip(inside, kept[~on_edge]) if count
    ]
    assert all(row in every for row in some)
    assert np.array_equal(seeds.read("masked.tif"), seeds.read("masked_alone.tif"))
    assert not np.array_equal(seeds.read("masked.tif"), seeds.read("alone.tif"))


def cells_that_contain(name, lon, lat):
    """Numbers of cells, by the system's own package."""
    system, level = name.replace(",", ":").split(":")[:2]
    level = int(level)
    if name.endswith(
        "authalic"
    ):  # PROJ's cylindrical equal-area map has y = the sine of the authalic latitude, scaled
        project = (
            pytest.importorskip("pyproj")
            .Transformer.from_crs("EPSG:4326", "+proj=cea +ellps=WGS84", always_xy=True)
            .transform
        )
        lat = np.degrees(np.arcsin(project(np.zeros(lat.size), lat)[1] / project(0, 90)[1]))
    if system == "healpix":
        return pytest.importorskip("healpy").ang2pix(
            2**level, lon, lat, nest="ring" not in name, lonlat=True
        )
    if system == "s2":
        package = pytest.importorskip("s2sphere")
        ids = [
            package.CellId.from_lat_lng(package.LatLng.from_degrees(y, x)).parent(level).id()
            for x, y in zip(lon.tolist(), lat.tolist())
        ]
        return np.array([i >> (2 * (30 - level) + 1) for i in ids])
    package = pytest.importorskip("h3")
    ids = np.array(
        [
            package.str_to_int(package.latlng_to_cell(y, x, level))
            for x, y in zip(lon.tolist(), lat.tolist())
        ]
    )
    return np.searchsorted(np.array(h3(level)[0]), ids)


@pytest.mark.parametrize(
    "name",
    [
        "healpix:3",
        "healpix:6",
        "healpix:4,ring",
        "healpix:3,authalic",
        "s2:2",
        "s2:5",
        "s2:3,authalic",
        "h3:1",
    ],
)
@pytest.mark.parametrize("epsg", [4326, 3035])
@pytest.mark.parametrize("limit", [[], ["--max-distance", "2500km"]])
def test_sums(seeds, request, name, epsg, limit):
    """A pixel's points belong to the cells that contain them, computed here point by point."""
    if name.startswith("h3"):
        request.getfixturevalue("built_with_h3")
    system, level = name.replace(",", ":").split(":")[:2]
    lon, lat = {
        "healpix": lambda: healpix(int(level), "ring" in name),
        "s2": lambda: s2(int(level))[2:4],
        "h3": lambda: h3(int(level))[2:4],
    }[system]()
    if "authalic" in name:
        seeds.ok("--seeds", "s.csv", "--cells-of", name, "--cells", "all.csv")
        made = table(seeds, "all.csv", without=["token"])
        lon, lat = made["lon"], made["lat"]
    transform = (
        (-179.877, 17.95, 0, 89.3, 0, -14.8)
        if epsg == 4326
        else (2.5e6, 310321.7, 0, 5.4e6, 0, -290123.4)
    )
    values = (
        np.random.default_rng(3)
        .integers(-5, 1000, (12, 20) if epsg == 4326 else (9, 8))
        .astype(float)
    )
    make_raster(seeds, "people.tif", values, transform, epsg)
    side = math.sqrt(4 * math.pi / lon.size) * 6378137
    n = min(
        max(
            math.ceil(
                2
                * max(transform[1], -transform[5])
                * (math.radians(6378137) if epsg == 4326 else 1)
                / side
            ),
            1,
        ),
        64,
    )
    square = (2 - 1 / 298.257223563) / 298.257223563
    x, y, terms, unit = points_of(values, transform, n, square if epsg == 4326 else None)
    if epsg != 4326:
        x, y = (
            pytest.importorskip("pyproj")
            .Transformer.from_crs(epsg, 4326, always_xy=True)
            .transform(x, y)
        )
    away, number = nearest(lon, lat)
    cell = cells_that_contain(name, x.ravel(), y.ravel())
    people = np.bincount(cell, terms.ravel() * unit, minlength=lon.size)
    assert people.sum() == values.sum()
    near = away <= 2500e3 if limit else np.ones(lon.size, bool)
    seeds.ok(
        "--seeds",
        "s.csv",
        "--cells-of",
        name,
        "--metric",
        "great-circle",
        *limit,
        "--sum",
        "people=people.tif",
        "--stats",
        "stats.csv",
    )
    found = table(seeds, "stats.csv", without=["WKT", "id"])
    assert np.allclose(
        found["people_sum"],
        np.bincount(number[near], people[near], minlength=COUNT),
        rtol=1e-13,
        atol=1e-9,
    )
    some = np.abs(found["people_sum"]) > 1
    mean = (
        np.bincount(number[near], (people * away)[near], minlength=COUNT)[some]
        / found["people_sum"][some]
    )
    assert np.allclose(found["people_distance_mean"][some], mean, rtol=1e-6)
    first = seeds.path("stats.csv").read_bytes()
    for more in (["--threads", "1"], ["--backend", "serial", "--memory", "64M"]):
        seeds.ok(
            "--seeds",
            "s.csv",
            "--cells-of",
            name,
            "--metric",
            "great-circle",
            *limit,
            "--sum",
            "people=people.tif",
            *more,
            "--overwrite",
            "--stats",
            "stats.csv",
        )
        assert seeds.path("stats.csv").read_bytes() == first


def test_a_mask_that_holds_no_cell(seeds):
    seeds.path("m.geojson").write_text(
        '{"type": "Polygon", "coordinates": [[[0, 0], [0.001, 0], [0, 0.001], [0, 0]]]}'
    )
    run = ["--seeds", "s.csv", "--cells-of", "healpix:1", "--mask", "m.geojson"]
    seeds.ok(*run, "--cells", "out.csv")
    assert len(seeds.path("out.csv").read_text().splitlines()) == 1
    seeds.fails(*run, "--cells", "out.nc", status=1, has=["--mask", "out.nc"])


def test_xarray_and_xdggs(seeds):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    seeds.ok("--seeds", "s.csv", "--cells-of", "healpix:3", "--cells", "out.nc")
    opened = xarray.open_dataset(seeds.path("out.nc"))
    assert (
        set(opened.coords) == {"cell_ids", "lon", "lat"}
        and opened.attrs["healpix_latitudes"] == "geodetic"
    )
    assert opened.seed.attrs["grid_mapping"] == "healpix" and opened.distance.attrs["units"] == "m"
    xdggs = pytest.importorskip("xdggs")
    for found in (xdggs.decode(opened), xdggs.decode(opened, convention="cf", name="cell_ids")):
        assert found.dggs.grid_info.level == 3 and found.dggs.grid_info.indexing_scheme == "nested"
        assert np.allclose(found.dggs.cell_centers().latitude, opened.lat, rtol=0, atol=1e-10)


def test_geodesics_and_azimuths(seeds):
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    lon, lat = healpix(2)
    seeds.ok("--seeds", "s.csv", "--cells-of", "healpix:2", "--cells", "out.csv")
    rows = table(seeds, "out.csv")
    azimuth, _, away = geod.inv(*np.broadcast_arrays(lon[:, None], lat[:, None], LON, LAT))
    number = away.argmin(axis=1)
    assert np.array_equal(rows["seed"], number + 1)
    assert np.allclose(rows["distance"], away.min(axis=1), rtol=0, atol=1e-6)
    turned = np.take_along_axis(azimuth, number[:, None], 1)[:, 0]
    assert np.max(np.abs((rows["azimuth"] - turned + 180) % 360 - 180)) < 1e-3
    # The same as the area element at the center; sums are within a ten-thousandth of the globe's.
    assert abs(rows["area_km2"].sum() / 510065621.724 - 1) < 1e-3


def test_units_of_distances(seeds):
    run = ["--seeds", "s.csv", "--cells-of", "healpix:1"]
    seeds.ok(*run, "--cells", "m.csv")
    seeds.ok(*run, "--distance-unit", "km", "--cells", "km.csv")
    seeds.ok(*run, "--distance-unit", "km", "--cells", "km.nc")
    meters, kilometers, (arrays_, attributes, _) = (
        table(seeds, "m.csv"),
        table(seeds, "km.csv"),
        variables(seeds, "km.nc"),
    )
    assert np.allclose(kilometers["distance"] * 1000, meters["distance"], rtol=1e-12)
    assert np.allclose(arrays_["distance"], kilometers["distance"], rtol=1e-12)
    root = gdal.OpenEx(str(seeds.path("km.nc")), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
    assert (
        root.OpenMDArray("distance").GetUnit() == "km"
        or attributes["distance"].get("units") == "km"
    )


def test_authalic_latitudes(seeds):
    pyproj = pytest.importorskip("pyproj")
    lon, lat = healpix(3)
    seeds.ok("--seeds", "s.csv", "--cells-of", "healpix:3,authalic", "--cells", "out.csv")
    rows = table(seeds, "out.csv")
    assert np.ptp(rows["area_km2"]) < 1e-6 and abs(rows["area_km2"].sum() - 510065621.724) < 1
    # PROJ's cylindrical equal-area map has y = the sine of the authalic latitude, scaled.
    project = pyproj.Transformer.from_crs(
        "EPSG:4326", "+proj=cea +ellps=WGS84", always_xy=True
    ).transform
    y = np.array([project(0, b)[1] for b in rows["lat"]]) / project(0, 90)[1]
    assert np.allclose(y, np.sin(np.radians(lat)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["out.gpkg", "out.csv", "out.nc"])
@pytest.mark.parametrize("attribute", [None, "t", "code"])
def test_a_file_of_places(seeds, name, attribute):
    """In the file's order; with a limit and an attribute of the nearest."""
    random = np.random.default_rng(4)
    lon, lat = random.uniform(-180, 180, 700), np.degrees(np.arcsin(random.uniform(-1, 1, 700)))
    seeds.csv("places.csv", lon, lat)
    more = [] if attribute is None else ["--attribute", attribute]
    seeds.ok(
        "--seeds",
        "s.csv",
        "--id",
        "code",
        "--cells-of",
        "places.csv",
        "--metric",
        "great-circle",
        "--max-distance",
        "1200km",
        *more,
        "--cells",
        name,
    )
    away, number = nearest(lon, lat)
    there = away <= 1200e3

    def close(a, b):  # GDAL writes 15 digits of a number into CSV
        return np.allclose(a, b, rtol=1e-14 if name.endswith(".csv") else 0, atol=0, equal_nan=True)

    assert 0 < there.sum() < 700
    if name.endswith(".nc"):
        found, _, nodata = variables(seeds, name)
        ids = found["seed"].astype(float)
        assert nodata["seed"] < -1  # -1 is an id
        ids[found["seed"] == nodata["seed"]] = np.nan
        numbers = found["cell_ids"]
    else:
        found = table(seeds, name)
        ids, numbers = found["seed"], found["cell"]
    assert (
        np.array_equal(numbers, np.arange(1, 701))
        and close(found["lon"], lon)
        and close(found["lat"], lat)
    )
    assert np.array_equal(ids, np.where(there, number - 1.0, np.nan), equal_nan=True)
    assert np.allclose(
        found["distance"], np.where(there, away, np.nan), rtol=0, atol=1e-3, equal_nan=True
    )
    if attribute == "t":
        assert close(found["t"], np.where(there, VALUES[number], np.nan))
    elif attribute == "code":
        codes = found["code"].astype(float)
        codes[~there] = np.nan
        assert np.array_equal(codes, np.where(there, number - 1.0, np.nan), equal_nan=True)


def arrays(work, name, lon, lat, units=("degrees_east", "degrees_north"), nodata=None, more=()):
    """A NetCDF file with coordinates of one or two dimensions."""
    root = (
        gdal.GetDriverByName("netCDF")
        .CreateMultiDimensional(str(work.path(name)), options=["FORMAT=NC4"])
        .GetRootGroup()
    )
    sizes = {n: root.CreateDimension(f"d{n}", None, None, n) for n in set(lon.shape)}
    kind = gdal.ExtendedDataType.Create(gdal.GDT_Float64)
    for called, values, unit in (("geolon", lon, units[0]), ("geolat", lat, units[1]), *more):
        made = root.CreateMDArray(called, [sizes[n] for n in values.shape], kind)
        made.SetUnit(unit)
        if nodata is not None:
            made.SetNoDataValueDouble(nodata)
        if unit == "radian":
            made.CreateAttribute("standard_name", [], gdal.ExtendedDataType.CreateString()).Write(
                "longitude" if called == "geolon" else "latitude"
            )
        made.Write(np.ascontiguousarray(values))
    made = root = None


def test_two_dimensional_coordinates(seeds):
    j, i = np.meshgrid(np.linspace(-1, 1, 30), np.linspace(-1, 1, 41), indexing="ij")
    lon, lat = 60 * i + 9 * j, 40 * j + 8 * i * i
    expected = nearest(lon.ravel(), lat.ravel())[1] + 1.0
    for name, out in (("swath.nc", "a.nc"), ("radians.nc", "b.csv")):
        if name == "radians.nc":
            arrays(seeds, name, np.radians(lon), np.radians(lat), ("radian", "radian"))
        else:
            arrays(seeds, name, lon, lat)
        seeds.ok("--seeds", "s.csv", "--cells-of", name, "--metric", "great-circle", "--cells", out)
        found = variables(seeds, out)[0] if out.endswith(".nc") else table(seeds, out)
        assert np.array_equal(found["seed"], expected)
        assert np.allclose(found["lon"], lon.ravel(), rtol=0, atol=1e-10) and np.allclose(
            found["lat"], lat.ravel(), rtol=0, atol=1e-10
        )
        assert np.array_equal(
            found["cell_ids" if out.endswith(".nc") else "cell"], np.arange(30 * 41)
        )


def test_coordinates_that_are_missing(seeds):
    lon, lat = np.linspace(-170, 170, 50), np.linspace(-80, 80, 50)
    lon[7] = lat[7] = -999.0
    arrays(seeds, "mesh.nc", lon, lat, nodata=-999.0)
    seeds.ok(
        "--seeds",
        "s.csv",
        "--cells-of",
        "mesh.nc",
        "--metric",
        "great-circle",
        "--cells",
        "out.csv",
    )
    rows = table(seeds, "out.csv")
    kept = np.arange(50) != 7
    assert np.isnan(rows["seed"][7]) and np.isnan(rows["distance"][7])
    assert np.array_equal(rows["seed"][kept], nearest(lon[kept], lat[kept])[1] + 1)
    seeds.fails(
        "--seeds",
        "s.csv",
        "--cells-of",
        "mesh.nc",
        "--cells",
        "mesh.nc",
        "--overwrite",
        has=["mesh.nc", "input"],
    )
    arrays(
        seeds,
        "two.nc",
        lon,
        lat,
        more=(("clon", lon, "degrees_east"), ("clat", lat, "degrees_north")),
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        "--cells-of",
        "two.nc",
        "--cells",
        "no.csv",
        has=["--cells-of", "geolon", "clon", "ambiguous coordinates", "FILE:VARIABLE"],
    )
    seeds.ok(
        "--seeds", "s.csv", "--cells-of", "two.nc:clat", "--skip-invalid", "--cells", "two.csv"
    )
    lat[3] = 95.0
    arrays(seeds, "far.nc", lon, lat, nodata=-999.0)
    seeds.fails(
        "--seeds",
        "s.csv",
        "--cells-of",
        "far.nc",
        "--cells",
        "no.csv",
        has=["--cells-of", "cell 3", "95"],
    )


def model(work, name, variables):
    """A NetCDF file of (name, "dimension dimension", values, attributes)."""
    root = (
        gdal.GetDriverByName("netCDF")
        .CreateMultiDimensional(str(work.path(name)), options=["FORMAT=NC4"])
        .GetRootGroup()
    )
    text, sizes = gdal.ExtendedDataType.CreateString(), {}
    for called, dimensions, values, attributes in variables:
        values = np.asarray(values, float)
        for d, n in zip(dimensions.split(), values.shape):
            sizes.setdefault(d, None) or sizes.update({d: root.CreateDimension(d, None, None, n)})
        made = root.CreateMDArray(
            called,
            [sizes[d] for d in dimensions.split()],
            gdal.ExtendedDataType.Create(gdal.GDT_Float64),
        )
        for key, value in attributes.items():
            if key == "units":
                made.SetUnit(value)
            else:
                made.CreateAttribute(key, [], text).Write(value)
        if values.ndim:
            made.Write(np.ascontiguousarray(values))
    made = root = None


EAST, NORTH = {"units": "degrees_east"}, {"units": "degrees_north"}
J, I = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 7), indexing="ij")
X, Y = 60 * I + 9 * J, 40 * J + 8 * I  # centers
X2, Y2 = X + 3, Y + 2  # other points
NODES = np.array([[0.0, 0], [10, 0], [10, 20], [0, 20], [30, 5]])
FACES = np.array([[0, 1, 2, 3], [1, 4, 2, -1]])


def centroids():
    places = [unit(*NODES[[n for n in face if n >= 0]].T).sum(0) for face in FACES]
    return tuple(
        np.degrees(
            [[math.atan2(p[1], p[0]), math.atan2(p[2], math.hypot(p[0], p[1]))] for p in places]
        ).T
    )


def radians(standard):
    return {"units": "radian", "standard_name": standard}


def mesh(more):
    return [
        (
            "m",
            "",
            0,
            {
                "cf_role": "mesh_topology",
                "node_coordinates": "nx ny",
                "face_node_connectivity": "fn",
                **more,
            },
        ),
        ("nx", "node", NODES[:, 0], EAST),
        ("ny", "node", NODES[:, 1], NORTH),
        ("fn", "face four", FACES, {}),
    ]


MODELS = {
    "roms": [
        ("lon_rho", "e x", X, EAST),
        ("lat_rho", "e x", Y, NORTH),
        ("lon_u", "e u", X2[:, 1:], EAST),
        ("lat_u", "e u", Y2[:, 1:], NORTH),
        ("h", "e x", X, {"coordinates": "lon_rho lat_rho"}),
        ("u", "e u", X[:, 1:], {"coordinates": "lon_u lat_u"}),
    ],
    "wrf": [
        ("XLAT", "t j i", Y[None], NORTH),
        ("XLONG", "t j i", X[None], EAST),
        ("XLAT_V", "t j i", Y2[None], NORTH),
        ("XLONG_V", "t j i", X2[None], EAST),
    ],
    "pop": [
        ("ULONG", "j i", X2, EAST),
        ("ULAT", "j i", Y2, NORTH),
        ("TLONG", "j i", X, EAST),
        ("TLAT", "j i", Y, NORTH),
    ],
    "cmip": [
        ("a", "j i", X, {**EAST, "bounds": "ab"}),
        ("b", "j i", Y, {**NORTH, "bounds": "bb"}),
        ("ab", "j i four", np.stack([X] * 4, -1), EAST),
        ("bb", "j i four", np.stack([Y] * 4, -1), NORTH),
    ],
    "data": [
        ("east_lon", "j i", X2, EAST),
        ("east_lat", "j i", Y2, NORTH),
        ("p", "j i", X, EAST),
        ("q", "j i", Y, NORTH),
        ("t", "j i", X, {"coordinates": "p q"}),
    ],
    "icon": [
        ("vlon", "v", np.radians(X2.ravel()[1:]), radians("grid_longitude")),
        ("vlat", "v", np.radians(Y2.ravel()[1:]), radians("grid_latitude")),
        ("clon", "c", np.radians(X.ravel()), radians("grid_longitude")),
        ("clat", "c", np.radians(Y.ravel()), radians("grid_latitude")),
    ],
    "mpas": [
        ("lonCell", "c", np.radians(X.ravel()), {}),
        ("latCell", "c", np.radians(Y.ravel()), {}),
        ("lonEdge", "e", np.radians(X2.ravel()), {"units": "rad"}),
        ("latEdge", "e", np.radians(Y2.ravel()), {"units": "rad"}),
    ],
    "scrip": [
        ("grid_center_lon", "c", X.ravel(), {"units": "degrees"}),
        ("grid_center_lat", "c", Y.ravel(), {"units": "degrees"}),
        ("grid_corner_lon", "c four", np.stack([X.ravel()] * 4, -1), {"units": "degrees"}),
    ],
    "axes": [("y", "y", Y[:, 0], NORTH), ("x", "x", X[0], EAST), ("t", "y x", X, {})],
    "turned": [("y", "y", Y[:, 0], NORTH), ("x", "x", X[0], EAST), ("t", "x y", X.T, {})],
    "faces": mesh({"face_coordinates": "fx fy"})
    + [("fx", "face", X[0, :2], EAST), ("fy", "face", Y[0, :2], NORTH)],
    "corners": mesh({}),
}
PLACES = {
    "axes": (np.tile(X[0], 5), np.repeat(Y[:, 0], 7)),
    "turned": (np.repeat(X[0], 5), np.tile(Y[:, 0], 7)),
    "faces": (X[0, :2], Y[0, :2]),
    "corners": centroids(),
}


@pytest.mark.parametrize("name", MODELS)
def test_cells_of_models(seeds, name):
    model(seeds, f"{name}.nc", MODELS[name])
    lon, lat = PLACES.get(name, (X.ravel(), Y.ravel()))
    seeds.ok(
        "--seeds",
        "s.csv",
        "--cells-of",
        f"{name}.nc",
        "--metric",
        "great-circle",
        "--cells",
        "out.csv",
    )
    found = table(seeds, "out.csv")
    assert np.allclose(found["lon"], lon, rtol=0, atol=1e-9) and np.allclose(
        found["lat"], lat, rtol=0, atol=1e-9
    )
    assert np.array_equal(found["seed"], nearest(lon, lat)[1] + 1.0)


@pytest.mark.parametrize(
    "name, variable, lon",
    [
        ("roms", "u", X2[:, 1:]),
        ("roms", "lat_u", X2[:, 1:]),
        ("pop", "ULONG", X2),
        ("data", "east_lon", X2),
        ("faces", "nx", NODES[:, 0]),
        ("faces", "m", X[0, :2]),
        ("corners", "m", centroids()[0]),
        ("axes", "t", np.tile(X[0], 5)),
    ],
)
def test_cells_of_a_variable(seeds, name, variable, lon):
    model(seeds, f"{name}.nc", MODELS[name])
    seeds.ok("--seeds", "s.csv", "--cells-of", f"{name}.nc:{variable}", "--cells", "out.csv")
    assert np.allclose(table(seeds, "out.csv")["lon"], lon.ravel(), rtol=0, atol=1e-9)
    seeds.fails(
        "--seeds",
        "s.csv",
        "--cells-of",
        f"{name}.nc:{variable}",
        "--cells",
        f"{name}.nc",
        "--overwrite",
        has="input",
    )
    seeds.fails(
        "--seeds",
        "s.csv",
        "--cells-of",
        f"{name}.nc:none",
        "--cells",
        "no.csv",
        has=["--cells-of", "unknown variable (none)"],
    )


def test_advice_for_cells(seeds):
    """Errors name what --cells-of has, not options of the seeds."""
    model(seeds, "roms.nc", MODELS["roms"])
    seeds.points("two.gpkg", "GPKG", LON, LAT)
    source = ogr.Open(str(seeds.path("two.gpkg")), 1)
    source.CopyLayer(source.GetLayer(0), "others")
    source = None
    message = seeds.fails(
        "--seeds",
        "s.csv",
        "--cells-of",
        "two.gpkg",
        "--cells",
        "no.csv",
        has=["2 layers", "--cells-of FILE:LAYER"],
    )
    assert "--layer" not in message
    seeds.ok("--seeds", "s.csv", "--cells-of", "two.gpkg:others", "--cells", "two.csv")
    seeds.write("named.csv", "station,decimalLatitude,decimalLongitude\na,1,2\n")
    message = seeds.fails(
        "--seeds", "s.csv", "--cells-of", "named.csv", "--cells", "no.csv", has="rename the columns"
    )
    assert "-x and -y" not in message
    model(seeds, "fill.nc", [("lon", "c", [1.0, -999], EAST), ("lat", "c", [1.0, -999], NORTH)])
    message = seeds.fails(
        "--seeds",
        "s.csv",
        "--cells-of",
        "fill.nc",
        "--cells",
        "no.csv",
        has=["cell 1", "-999", "--skip-invalid"],
    )
    assert "map" not in message
    seeds.fails(
        "--seeds", "s.csv", "--cells-of", "roms.nc", status=2, has=["missing output", "--cells"]
    )


def test_faces_of_a_mesh_of_this_command(seeds):
    seeds.ok("--seeds", "s.csv", "--level", "2", "--metric", "great-circle", "--mesh", "m.nc")
    seeds.ok(
        "--seeds", "s.csv", "--cells-of", "m.nc", "--metric", "great-circle", "--cells", "out.csv"
    )
    assert len(table(seeds, "out.csv")["cell"]) == 128


def test_places_in_another_system(seeds):
    x, y = np.meshgrid(np.linspace(3e6, 5e6, 20), np.linspace(2e6, 4e6, 15))
    seeds.points("p.gpkg", "GPKG", x.ravel(), y.ravel(), epsg=3035)
    pyproj = pytest.importorskip("pyproj")
    lon, lat = pyproj.Transformer.from_crs("EPSG:3035", "EPSG:4326", always_xy=True).transform(
        x.ravel(), y.ravel()
    )
    seeds.ok(
        "--seeds", "s.csv", "--cells-of", "p.gpkg", "--metric", "great-circle", "--cells", "out.fgb"
    )
    rows = table(seeds, "out.fgb")
    order = np.argsort(rows["cell"])
    assert np.allclose(rows["lon"][order], lon, rtol=0, atol=1e-8) and np.array_equal(
        rows["seed"][order], nearest(lon, lat)[1] + 1
    )


def test_every_backend_gives_the_same_bytes(seeds, cells):
    mask, _ = make_mask(seeds, "polygons")
    written = set()
    for backend in ("serial", "openmp", "kdtree", "octree", "tile", "auto"):
        for threads in ("1", "2"):
            seeds.ok(
                "--seeds",
                "s.csv",
                "--cells-of",
                cells[0],
                "--mask",
                mask,
                "--backend",
                backend,
                "--threads",
                threads,
                "--overwrite",
                "--cells",
                "out.csv",
                "--stats",
                "stats.csv",
            )
            written.add((seeds.path("out.csv").read_bytes(), seeds.path("stats.csv").read_bytes()))
    assert len(written) == 1


def test_lines_and_triangles(seeds):
    source = ogr.GetDriverByName("GeoJSON").CreateDataSource(str(seeds.path("line.geojson")))
    layer = source.CreateLayer("lines")
    for text in ("LINESTRING (-170 0, 170 0)", "POINT (0 80)"):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(text))
        layer.CreateFeature(feature)
    source = None
    seeds.ok(
        "--seeds",
        "line.geojson",
        "--cells-of",
        "healpix:1",
        "--metric",
        "great-circle",
        "--edges",
        "straight",
        "--cells",
        "out.csv",
    )
    rows = table(seeds, "out.csv")
    assert rows["seed"][np.abs(rows["lat"]) < 1e-9].tolist() == [0] * 8 and set(rows["seed"]) == {
        0.0,
        1.0,
    }
    seeds.ok("--seeds", "s.csv", "--cells-of", "qtm:2", "--cells", "a.csv")
    seeds.ok("--seeds", "s.csv", "--level", "2", "--cells", "b.csv")
    assert seeds.path("a.csv").read_bytes() == seeds.path("b.csv").read_bytes()


def test_descriptions_and_reports(seeds):
    run = ["--seeds", "s.csv", "--cells-of", "healpix:3,ring", "--cells", "out.csv"]
    seeds.ok(*run, "--describe", "run.voronoi.json")
    described = json.loads(seeds.path("run.voronoi.json").read_text())
    assert described["cells-of"] == "healpix:3,ring"
    seeds.ok(*run)
    expected = seeds.path("out.csv").read_bytes()
    seeds.ok("--config", "run.voronoi.json", "--overwrite")
    assert seeds.path("out.csv").read_bytes() == expected
    report = json.loads(seeds.ok(*run, "--overwrite", "--json").stdout)
    assert report["grid"]["width"] == 768 and "HEALPix level 3 (RING" in report["grid"]["cells_of"]


@pytest.mark.parametrize(
    "options,words,status",
    [
        (["--cells-of", "healpix:19", "--cells", "no.csv"], ["healpix:19", "0 to 18"], 2),
        (
            ["--cells-of", "healpix:3,sideways", "--cells", "no.csv"],
            ["healpix:3,sideways", "authalic"],
            2,
        ),
        (["--cells-of", "qtm:21", "--cells", "no.csv"], ["qtm:21", "0 to 20"], 2),
        (["--cells-of", "h3:16", "--cells", "no.csv"], ["h3:16", "0 to 15"], 2),
        (["--cells-of", "s2:19", "--cells", "no.csv"], ["s2:19", "0 to 18"], 2),
        (["--cells-of", "s2:3,ring", "--cells", "no.csv"], ["s2:3,ring", "s2:LEVEL[,authalic]"], 2),
        (["--cells-of", "healpix:3"], ["missing output"], 2),
        (["--cells-of", "healpix:3", "--mask", "s.csv"], ["missing output"], 2),
        (["--cells-of", "healpix:3", "--cells", "no.csv", "no.tif"], ["--cells-of", "OUT"], 2),
        (
            ["--cells-of", "s.csv", "--stats", "no.csv", "--sum", "n=s.csv"],
            ["--cells-of s.csv", "--sum", "no areas"],
            2,
        ),
        (["--cells-of", "healpix:3", "--polygons", "no.gpkg"], ["--cells-of", "--polygons"], 2),
        (
            ["--cells-of", "qtm:3", "--mask", "s.csv", "--mesh", "no.nc"],
            ["--mesh", "--mask", "--cells"],
            2,
        ),
        (
            ["--cells-of", "healpix:3", "--cells", "no.csv", "--size", "4,4"],
            ["two grid definitions", "--cells-of"],
            2,
        ),
        (
            ["--cells-of", "healpix:3", "--level", "3", "--cells", "no.csv"],
            ["--cells-of", "--level"],
            2,
        ),
        (
            ["--cells-of", "healpix:3", "--cells", "no.csv", "--metric", "euclidean"],
            ["--cells-of", "euclidean"],
            1,
        ),
        (["--cells-of", "none.csv", "--cells", "no.csv"], ["--cells-of", "none.csv"], 1),
        (["--cells-of", "plane.csv", "--cells", "no.csv"], ["--cells-of", "coordinate system"], 1),
        (["--cells-of", "s.csv", "--cells", "s.csv", "--overwrite"], ["s.csv", "input"], 1),
    ],
)
def test_refusals(seeds, options, words, status):
    seeds.csv("plane.csv", [1, 2], [1, 2], header="x,y")
    seeds.fails("--seeds", "s.csv", *options, status=status, has=words)


@pytest.mark.parametrize(
    "name",
    [
        "lat",
        "LON",
        "cell",
        "seed",
        "distance",
        "azimuth_2",
        "token",
        "area_km2",
        "cell_ids",
        "crs",
        "geom",
        "fid",
    ],
)
def test_attributes_with_names_of_columns(seeds, name):
    seeds.csv("named.csv", LON[:5], LAT[:5], **{name: [3, 1, 4, 1, 5]}, header="x,y")
    run = [
        "--seeds",
        "named.csv",
        "--seeds-crs",
        "EPSG:4326",
        "--cells-of",
        "s2:0",
        "-k",
        "2",
        "--attribute",
        name,
        "--cells",
    ]
    for file in ("out.csv", "out.gpkg", "out.nc", "out.zarr"):
        seeds.ok(*run, file)
    header = seeds.path("out.csv").read_text().split("\n")[0].split(",")
    assert (
        header[8] == "seed_" + name
        and header[12] == f"seed_{name}_2"
        and len({one.lower() for one in header}) == len(header)
    )


def test_areas_of_shapefiles_have_no_warnings(seeds):
    assert (
        seeds.ok("--seeds", "s.csv", "--cells-of", "healpix:0", "--cells", "areas.shp").stderr == ""
    )
