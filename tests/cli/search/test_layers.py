"""Point layers: plane, space and globe, against PROJ's own geodesics."""
import shutil
import subprocess

import numpy as np
import pytest
from conftest import brute
from osgeo import ogr, osr

ogr.UseExceptions()
osr.UseExceptions()


def layer(runner, name, points, epsg):
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(epsg)
    crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    space = len(points[0]) == 3
    source = ogr.GetDriverByName("GPKG").CreateDataSource(runner.path(name))
    out = source.CreateLayer("points", crs, ogr.wkbPoint25D if space else ogr.wkbPoint)
    out.StartTransaction()
    for p in points:
        feature = ogr.Feature(out.GetLayerDefn())
        geometry = ogr.Geometry(ogr.wkbPoint25D if space else ogr.wkbPoint)
        if space:
            geometry.AddPoint(*map(float, p))
        else:
            geometry.AddPoint_2D(*map(float, p))
        feature.SetGeometry(geometry)
        out.CreateFeature(feature)
    out.CommitTransaction()
    return runner.path(name)


def globe_points(n, seed):
    random = np.random.default_rng(seed)
    return np.column_stack([random.uniform(-180, 180, n), np.degrees(np.arcsin(random.uniform(-1, 1, n)))])


def geodesics(lonlat, seeds):
    """All distances by PROJ's own command."""
    lines = "".join(f"{y!r} {x!r} {t!r} {s!r}\n" for x, y in lonlat.tolist() for s, t in seeds.tolist())
    done = subprocess.run(["geod", "+ellps=WGS84", "-I", "-F", "%.9f"], input=lines, capture_output=True, text=True,
                          check=True)
    return np.array([float(line.split()[-1]) for line in done.stdout.splitlines()]).reshape(len(lonlat), len(seeds))


@pytest.mark.parametrize("dim", [2, 3])
def test_plane(runner, dim):
    random = np.random.default_rng(1)
    reference, queries = random.random((200, dim)) * 1000, random.random((40, dim)) * 1000
    r, q = layer(runner, "r.gpkg", reference, 3035), layer(runner, "q.gpkg", queries, 3035)
    for metric in ["l2", "l1", "linf"]:
        got = runner.search("--reference", r, "--queries", q, "-k", 4, "--metric", metric)
        expected = brute(reference, queries, 4, metric)
        np.testing.assert_array_equal(got[0], expected[0])
        np.testing.assert_array_equal(got[1], expected[1])


def test_great_circle(runner):
    reference, queries = globe_points(300, 2), globe_points(60, 3)
    r, q = layer(runner, "r.gpkg", reference, 4326), layer(runner, "q.gpkg", queries, 4326)
    indices, distances = runner.search("--reference", r, "--queries", q, "-k", 5, "--metric", "great-circle")
    a, b = np.radians(queries)[:, None], np.radians(reference)[None]
    h = np.sin((a[..., 1] - b[..., 1]) / 2) ** 2 + np.cos(a[..., 1]) * np.cos(b[..., 1]) * np.sin((a[..., 0] - b[..., 0]) / 2) ** 2
    radius = 6378137.0 * (3 - 1 / 298.257223563) / 3
    arcs = 2 * radius * np.arcsin(np.sqrt(h))
    np.testing.assert_array_equal(indices, np.argsort(arcs, axis=1)[:, :5])
    np.testing.assert_allclose(distances, np.sort(arcs, axis=1)[:, :5], rtol=1e-9)


@pytest.mark.parametrize("n,k", [(3, 1), (3, 5), (400, 1), (400, 8)])
def test_geodesic_backends_agree(runner, n, k):
    """The default metric on a geographic CRS; k beyond the number of seeds; no distances asked for, and asked for."""
    reference, queries = globe_points(n, 4), globe_points(300, 5)
    r, q = layer(runner, "r.gpkg", reference, 4326), layer(runner, "q.gpkg", queries, 4326)
    indices, distances = runner.search("--reference", r, "--queries", q, "-k", k)
    runner.run("--reference", r, "--queries", q, "-k", k, runner.path("alone.npy"))
    np.testing.assert_array_equal(np.load(runner.path("alone.npy")), indices)
    have = min(n, k)
    assert (indices[:, have:] == -1).all() and np.isinf(distances[:, have:]).all()
    assert (np.diff(distances[:, :have], axis=1) >= 0).all()
    every, all_distances = runner.search("--reference", r, "--queries", q, "-k", n)
    for i in range(len(queries)):
        order = np.lexsort((every[i], all_distances[i]))[:have]
        np.testing.assert_array_equal(indices[i, :have], every[i][order])
        np.testing.assert_array_equal(distances[i, :have], all_distances[i][order])
    limit = float(np.median(distances[:, 0]))
    near, near_distances = runner.search("--reference", r, "--queries", q, "-k", k, "--max-distance", repr(limit))
    keep = distances <= limit
    np.testing.assert_array_equal(near, np.where(keep, indices, -1))
    np.testing.assert_array_equal(near_distances, np.where(keep, distances, np.inf))


@pytest.mark.skipif(shutil.which("geod") is None, reason="no geod command (package proj-bin)")
def test_geodesic_lengths(runner):
    reference, queries = globe_points(200, 6), globe_points(50, 7)
    r, q = layer(runner, "r.gpkg", reference, 4326), layer(runner, "q.gpkg", queries, 4326)
    indices, distances = runner.search("--reference", r, "--queries", q, "-k", 3)
    expected = geodesics(queries, reference)
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :3], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(indices, np.argsort(expected, axis=1, kind="stable")[:, :3])


def test_same_places(runner):
    """Antimeridian, poles and duplicates: equal places tie, and the lowest row wins; self-exclusion is by row."""
    r = runner.text("r.csv", "lon,lat\n180,10\n-180,10\n0,90\n77,90\n5,5\n5,5\n5,5\n")
    indices, distances = runner.search("--reference", r, "-k", 2)
    assert indices[:, 0].tolist() == [1, 0, 3, 2, 5, 4, 4]
    assert indices[4:, 1].tolist() == [6, 6, 5]
    assert (distances[:, 0] == 0).all()


def test_query_crs(runner):
    """Queries of another coordinate system are brought to the reference's."""
    seeds = np.array([[10.0, 50.0], [10.5, 50.2], [9.0, 51.0]])
    r = layer(runner, "r.gpkg", seeds, 4326)
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(4326)
    crs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    laea = osr.SpatialReference()
    laea.ImportFromEPSG(3035)
    laea.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    projected = np.array(osr.CoordinateTransformation(crs, laea).TransformPoints(seeds[::-1].tolist()))[:, :2]
    q = layer(runner, "q.gpkg", projected, 3035)
    indices, distances = runner.search("--reference", r, "--queries", q)
    assert indices[:, 0].tolist() == [2, 1, 0]
    assert (distances < 1.0).all()
