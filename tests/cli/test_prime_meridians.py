"""Coordinates are written in the unit and from the meridian of their system; cells of grid systems count from Greenwich."""

import csv
import json

import numpy as np
import pytest
from osgeo import gdal, osr

FERRO, GRAD = -(17 + 2 / 3), 0.9
LON, LAT = [-120.0, 3.5, 14.0, 88.0, 151.0, -40.0], [31.0, 46.0, 48.5, -12.0, -33.0, 71.0]
BESSEL = "+proj=longlat +ellps=bessel +type=crs"


def layer(work, name):
    dataset = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
    return dataset, dataset.GetLayer(0)


def seeds_of(work, name, x, y, header="lon,lat"):
    work.csv(name, x, y, header=header, id=list(range(1, len(x) + 1)))


def columns_of(work, name):
    with open(work.path(name), newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        column: np.array([float(row[column]) for row in rows])
        for column in ("lon", "lat", "seed", "distance")
    }


def geometries(work, name):
    dataset, rows = layer(work, name)
    return [feature.GetGeometryRef().Clone() for feature in rows], rows.GetSpatialRef()


@pytest.fixture
def in_grads(work):
    """Seeds of EPSG:4807: grads from Paris."""
    seeds_of(work, "g.csv", [0.0, -7.0, 150.0, 4.0], [50.0, 52.0, -20.0, 99.0])
    return work


@pytest.mark.parametrize("name", ["out.gpkg", "out.geojson", "out.shp"])
def test_points_of_a_search_in_grads(in_grads, name):
    work = in_grads
    work.ok(
        "search",
        "--reference",
        "g.csv",
        "--reference-crs",
        "EPSG:4807",
        "-k",
        1,
        "--id",
        "id",
        name,
    )
    found, crs = geometries(work, name)
    assert [(round(g.GetX(), 9), round(g.GetY(), 9)) for g in found] == [
        (0, 50),
        (-7, 52),
        (150, -20),
        (4, 99),
    ]
    assert crs.GetAuthorityCode(None) == "4807"


def test_lines_of_a_search_in_grads(in_grads):
    work = in_grads
    work.ok(
        "search",
        "--reference",
        "g.csv",
        "--reference-crs",
        "EPSG:4807",
        "-k",
        1,
        "--lines",
        "out.gpkg",
    )
    found, _ = geometries(work, "out.gpkg")
    ends = found[0].GetGeometryRef(0)
    assert np.allclose(ends.GetPoint_2D(0), (0, 50)) and np.allclose(
        ends.GetPoint_2D(ends.GetPointCount() - 1), (-7, 52)
    )


@pytest.mark.parametrize("kind", [[], ["--edges-only"], ["--delaunay"]])
def test_diagram_in_grads(in_grads, kind):
    work = in_grads
    seeds = ["--seeds", "g.csv", "--seeds-crs", "EPSG:4807", "--tolerance", 5000]
    work.ok("diagram", *seeds, *kind, "out.gpkg")
    dataset, rows = layer(work, "out.gpkg")
    assert rows.GetSpatialRef().GetAuthorityCode(None) == "4807"
    work.ok("diagram", *seeds, *kind, "--crs", "EPSG:4275", "degrees.gpkg")
    other, degrees = layer(work, "degrees.gpkg")
    assert np.allclose(np.array(rows.GetExtent()[2:]) * GRAD, degrees.GetExtent()[2:], atol=0.2)
    assert kind != [] or np.allclose(rows.GetExtent(), (-200, 200, -100, 100))


@pytest.mark.parametrize("code", [4267, 4277, 4805])
def test_geojson_has_the_code(work, code):
    """Degrees of another datum or meridian were written without "crs", which is WGS 84."""
    seeds_of(work, "s.csv", LON, LAT)
    seeds, crs = (
        ["--seeds", "s.csv", "--seeds-crs", f"EPSG:{code}"],
        ["--reference-crs", f"EPSG:{code}"],
    )
    work.ok(*seeds, "--size", "20,10", "--stats", "stats.geojson", "--polygons", "polygons.geojson")
    work.ok("search", "--reference", "s.csv", *crs, "-k", 1, "--id", "id", "points.geojson")
    work.ok("search", "--reference", "s.csv", *crs, "-k", 1, "--lines", "lines.geojson")
    work.ok("diagram", *seeds, "--tolerance", 1000, "diagram.geojson")
    for name in "stats", "polygons", "points", "lines", "diagram":
        with open(work.path(f"{name}.geojson")) as file:
            assert (
                json.load(file)["crs"]["properties"]["name"] == f"urn:ogc:def:crs:EPSG::{code}"
            ), name


def test_geojson_of_systems_without_a_code(work):
    seeds_of(work, "s.csv", [4e5, 5e5], [5.1e6, 5.2e6], header="x,y")
    utm = "+proj=utm +zone=32 +ellps=intl +towgs84=-87,-98,-121 +type=crs"
    done = work.run(
        "--json",
        "--seeds",
        "s.csv",
        "--seeds-crs",
        utm,
        "--size",
        "20,10",
        "--stats",
        "stats.geojson",
    )
    assert [w["code"] for w in json.loads(done.stdout)["warnings"]] == ["crs-not-stored"]
    with open(work.path("stats.geojson")) as file:
        found = json.load(file)
    assert "crs" not in found and found["features"][0]["geometry"]["coordinates"] == pytest.approx(
        [7.70, 46.05], abs=0.01
    )
    work.ok(
        "--seeds",
        "s.csv",
        "--seeds-crs",
        "+proj=utm +zone=32 +datum=WGS84 +type=crs",
        "--size",
        "20,10",
        "--overwrite",
        "--stats",
        "stats.geojson",
    )
    with open(work.path("stats.geojson")) as file:
        assert json.load(file)["crs"]["properties"]["name"].endswith("EPSG::32632")


def test_geojson_of_a_rotated_pole(work):
    """Positions are those of the globe that is rotated."""
    seeds_of(work, "s.csv", [-3.0, 8.0], [5.0, 1.0], header="x,y")
    pole = (
        "+proj=ob_tran +o_proj=longlat +o_lon_p=0 +o_lat_p=39.25 +lon_0=18 +datum=WGS84 +type=crs"
    )
    work.ok(
        "search",
        "--reference",
        "s.csv",
        "--reference-crs",
        pole,
        "--metric",
        "geodesic",
        "-k",
        1,
        "--id",
        "id",
        "out.gpkg",
    )
    found, crs = geometries(work, "out.gpkg")
    there, globe = osr.SpatialReference(), osr.SpatialReference()
    there.SetFromUserInput(pole)
    globe.ImportFromEPSG(4326)
    for system in there, globe:
        system.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    x, y, _ = osr.CoordinateTransformation(there, globe).TransformPoint(-3, 5)
    assert (found[0].GetX(), found[0].GetY()) == pytest.approx(
        (x, y)
    ) and not crs.IsDerivedGeographic()


# --------------------------------------------------------------------------------------------------------------- cells


@pytest.fixture
def from_ferro(work):
    seeds_of(work, "ferro.csv", np.array(LON) - FERRO, LAT)
    seeds_of(work, "greenwich.csv", LON, LAT)
    return work


def both(work, *options, name):
    """The same run from both meridians."""
    work.ok("--seeds", "ferro.csv", "--seeds-crs", "EPSG:4805", *options, f"f{name}")
    work.ok("--seeds", "greenwich.csv", "--seeds-crs", BESSEL, *options, f"g{name}")


@pytest.mark.parametrize("cells", ["healpix:2", "healpix:1,ring,authalic", "s2:2"])
def test_cells_count_from_greenwich(from_ferro, cells):
    work = from_ferro
    both(work, "--cells-of", cells, "--cells", name="c.csv")
    a, b = (columns_of(work, f"{m}c.csv") for m in "fg")
    for column in "lon", "lat", "seed":
        assert np.array_equal(a[column], b[column]), column
    assert np.allclose(a["distance"], b["distance"], rtol=1e-12)


def test_cells_of_projected_seeds(work):
    """Zones of Lambert are counted from Paris."""
    seeds_of(work, "paris.csv", [6e5, 4e5, 8e5], [2e5, 3e5, 1e5], header="x,y")
    work.ok(
        "--seeds",
        "paris.csv",
        "--seeds-crs",
        "EPSG:27561",
        "--cells-of",
        "healpix:3",
        "--cells",
        "p.csv",
    )
    work.ok(
        "search",
        "--reference",
        "paris.csv",
        "--reference-crs",
        "EPSG:27561",
        "--metric",
        "geodesic",
        "-k",
        1,
        "--id",
        "id",
        "s.gpkg",
    )
    grads, _ = geometries(work, "s.gpkg")
    seeds_of(
        work,
        "g.csv",
        [p.GetX() * GRAD + 2.33722917 for p in grads],
        [p.GetY() * GRAD for p in grads],
    )
    work.ok(
        "--seeds",
        "g.csv",
        "--seeds-crs",
        "EPSG:4275",
        "--cells-of",
        "healpix:3",
        "--cells",
        "g2.csv",
    )
    a, b = (columns_of(work, n) for n in ("p.csv", "g2.csv"))
    assert np.array_equal(a["seed"], b["seed"]) and np.allclose(
        a["distance"], b["distance"], atol=0.01
    )


def test_places_of_a_list(from_ferro):
    """lon is the longitude from Greenwich, whatever the seeds' is."""
    work = from_ferro
    seeds_of(work, "places.csv", [10.0, 170.0], [40.0, -40.0])
    both(work, "--cells-of", "places.csv", "--cells", name="c.csv")
    a, b = (columns_of(work, f"{m}c.csv") for m in "fg")
    assert np.allclose(a["lon"], b["lon"], atol=0.01) and np.array_equal(a["seed"], b["seed"])


def test_triangles_count_from_greenwich(from_ferro):
    work = from_ferro
    both(work, "--level", 2, "--cells", "t.gpkg", "--overwrite", "--distance", "d.tif", name=".tif")
    assert np.array_equal(work.read("f.tif"), work.read("g.tif"))
    work.ok("--seeds", "ferro.csv", "--seeds-crs", "EPSG:4805", "--level", 2, "--cells", "f.gpkg")
    work.ok("--seeds", "greenwich.csv", "--seeds-crs", BESSEL, "--level", 2, "--cells", "g.gpkg")
    (one, a), (other, b) = (layer(work, n) for n in ("f.gpkg", "g.gpkg"))
    assert [(r["id"], r["seed"]) for r in a] == [(r["id"], r["seed"]) for r in b]


def test_raster_of_triangles_from_ferro(from_ferro):
    """Pixels of a raster in another meridian's longitudes have the triangle of their place."""
    work = from_ferro
    work.ok(
        "--seeds",
        "ferro.csv",
        "--seeds-crs",
        "EPSG:4805",
        "--crs",
        "EPSG:4805",
        "--level",
        2,
        "--extent",
        "20,40,21,41",
        "--size",
        "4,4",
        "f.tif",
    )
    work.ok(
        "--seeds",
        "greenwich.csv",
        "--seeds-crs",
        BESSEL,
        "--level",
        2,
        "--extent",
        f"{20 + FERRO},40,{21 + FERRO},41",
        "--size",
        "4,4",
        "g.tif",
    )
    assert np.array_equal(work.read("f.tif"), work.read("g.tif"))


@pytest.mark.parametrize("code,name", [(4326, "WGS84"), (4312, "bessel")])
def test_ellipsoid_of_authalic_cells(work, code, name):
    """xdggs takes latitudes for a sphere's, unless cell_ids names the ellipsoid."""
    seeds_of(work, "s.csv", LON, LAT)
    for cells, expected in ("healpix:1,authalic", name), ("healpix:1", None):
        work.ok(
            "--seeds",
            "s.csv",
            "--seeds-crs",
            f"EPSG:{code}",
            "--cells-of",
            cells,
            "--cells",
            f"{cells}.nc",
        )
        root = gdal.OpenEx(str(work.path(f"{cells}.nc")), gdal.OF_MULTIDIM_RASTER).GetRootGroup()
        found = {a.GetName(): a.Read() for a in root.OpenMDArray("cell_ids").GetAttributes()}
        assert found.get("ellipsoid") == expected


@pytest.mark.parametrize("options", [[], ["--co", "WRITE_BOTTOMUP=NO"], ["--co", "FORMAT=NC4"]])
def test_netcdf_of_a_plane_has_no_degrees(work, options):
    """GDAL wrote x and y as longitudes and latitudes, which were read as WGS 84."""
    seeds_of(work, "s.csv", [1.0, 17.0, 9.0], [2.0, 5.0, 14.0], header="x,y")
    grid = ["--seeds", "s.csv", "--extent", "0,0,20,15", "--size", "20,10"]
    work.ok(*grid, "p.tif")
    work.ok(*grid, *options, "p.nc")
    made = work.open("p.nc")
    assert np.array_equal(work.read("p.nc"), work.read("p.tif")) and made.GetSpatialRef() is None
    assert np.allclose(made.GetGeoTransform(), work.open("p.tif").GetGeoTransform())
    metadata = made.GetMetadata()
    assert (
        not any("degree" in v or "latitude" in v for v in metadata.values())
        and metadata["x#axis"] == "X"
    )
    work.ok("--seeds", "s.csv", "--like", "p.nc", "again.tif")
    assert np.array_equal(work.read("again.tif"), work.read("p.tif"))


# -------------------------------------------------------------------------------------------------------------- columns


def test_columns_by_exact_name(work):
    work.write("s.csv", "lon,lat,v,V\n0,0,5,6\n90,0,7,8\n")
    for name in "v", "V":
        work.ok(
            "--seeds",
            "s.csv",
            "--attribute",
            name,
            "--res",
            90,
            f"attribute-{name}.tif",
            "--overwrite",
        )
        work.ok("--seeds", "s.csv", "--id", name, "--res", 90, f"id-{name}.tif")
        assert set(np.unique(work.read(f"id-{name}.tif"))) == ({5, 7} if name == "v" else {6, 8})
        assert set(np.unique(work.read(f"attribute-{name}.tif"))) == (
            {5, 7} if name == "v" else {6, 8}
        )
    work.write("t.csv", "lon,lat,vV,Vv\n0,0,5,6\n")
    work.fails(
        "--seeds", "t.csv", "--attribute", "vv", "--res", 90, "out.tif", has="ambiguous field (vv)"
    )


def test_decimal_commas_and_missing_values_of_attributes(work):
    work.write("comma.csv", "lon;lat;v\n0,5;0;5,5\n90;0;-7,25\n")
    work.ok("--seeds", "comma.csv", "--attribute", "v", "--res", 90, "comma.tif")
    assert set(np.unique(work.read("comma.tif"))) == {5.5, -7.25}
    for first, kind in ("5.5", float), ("5", int):
        work.write("na.csv", f"lon,lat,v\n0,0,{first}\n90,0,NA\n")
        work.fails(
            "--seeds", "na.csv", "--attribute", "v", "--res", 90, "out.tif", has=["row 2", "'NA'"]
        )
        work.ok(
            "--seeds",
            "na.csv",
            "--attribute",
            "v",
            "--skip-invalid",
            "--res",
            90,
            "na.tif",
            "--overwrite",
        )
        assert set(np.unique(work.read("na.tif"))) == {kind(first)}
