"""Lines and polygons as seeds against CGAL (plane), S2 (sphere), GeographicLib (ellipsoid), GEOS and PostGIS."""

import numpy as np
import pytest

import layers
import oracles
from gpuvoronoi import FeatureTree

K = 5
ALL = 1e300


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("oracles")

    def get(name):
        try:
            return oracles.compiled(name, folder)
        except oracles.Missing as missing:
            pytest.skip(str(missing))

    return get


def ours(features, queries, metric, edges="straight", k=K):
    tree = FeatureTree([layers.as_geojson(f) for f in features], metric=metric, edges=edges)
    k = min(k, len(features))
    distance, number = tree.query(queries[:, 0], queries[:, 1], k=list(range(1, k + 1)))
    nearest = tree.query(queries[:, 0], queries[:, 1])  # the nearest alone goes another way
    np.testing.assert_array_equal(nearest[0], distance[:, 0])
    np.testing.assert_array_equal(nearest[1], number[:, 0])
    return distance, number


def radii_of(distance, slack):
    last = distance.max(axis=1, where=np.isfinite(distance), initial=0)
    return np.array([d + 2 * slack(d)[1] + 1e-9 for d in last.tolist()])


def arc_slack(straight):
    """Squares of chords have an error of some 1e-15 of themselves, which matters most near the antipode; straight edges are tessellated."""

    def slack(d):
        error = 1e-7 + oracles.RADIUS * min(1e-7, 2e-14 * abs(np.tan(d / oracles.RADIUS / 2)))
        return (error + 0.02, error + 0.02) if straight else (error, error)

    return slack


def ellipsoid_slack(d):
    """Ours is at most 0.07 mm farther than the nearest place, and never nearer."""
    return 1e-6, 1e-4


def plane_slack(d):
    return 1e-14 * d + 1e-12, 1e-14 * d + 1e-12


def lattice_case(random):
    return layers.lattice(random), np.concatenate(
        [random.integers(-4, 80, (250, 2)), random.integers(-8, 160, (150, 2)) / 2]
    ) * 1.0


def plane_case(random):
    features = layers.mixed(random, 40, (0, 0), (50, 40), 9) + layers.countries(
        10, 10, 1.1, 0.7, 3, 3
    )
    at = layers.places(features)
    some = at[random.integers(0, len(at), 100)]
    return features, np.concatenate(
        [
            random.uniform((-5, -5), (55, 45), (200, 2)),
            some,
            some + random.normal(0, 1, (100, 2)) * 10.0 ** random.uniform(-12, 0, (100, 1)),
        ]
    )


PLANES = {"lattice": lattice_case, "random": plane_case}


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("case", PLANES)
def test_cgal(program, metric, case):
    features, queries = PLANES[case](np.random.default_rng(11))
    if metric != "euclidean":
        queries = queries[::4]
    distance, number = ours(features, queries, metric)
    said = oracles.ask(
        program("plane"), [metric], features, queries, radii_of(distance, plane_slack)
    )
    oracles.check(
        said, distance, number, plane_slack, metric != "euclidean", exact_order=case == "lattice"
    )


GLOBES = {
    "random": lambda straight: layers.mixed(
        np.random.default_rng(3), 40, (-180, -90), (180, 90), 25
    ),
    "small": lambda straight: layers.mixed(np.random.default_rng(4), 60, (9, 50), (11, 52), 0.4),
    "nasty": layers.nasty,
}


def globe_case(case, straight, count):
    features = layers.land() if case == "land" else GLOBES[case](straight)
    if features is None:
        pytest.skip("no ne_50m_land.gpkg")
    return features, layers.around_globe(np.random.default_rng(12), features, count)


def with_inside(said, features, queries, straight):
    if straight:
        for i, number in oracles.within_straight(features, queries, True):
            said[i][number] = 0.0
    return said


@pytest.mark.parametrize("edges", ["geodesic", "straight"])
@pytest.mark.parametrize("case", [*GLOBES, "land"])
def test_s2(program, case, edges):
    straight = edges == "straight"
    features, queries = globe_case(case, straight, 2000 if case == "land" else 400)
    slack = arc_slack(straight)
    distance, number = ours(features, queries, "great-circle", edges)
    said = oracles.ask(
        program("arcs"), [oracles.RADIUS, edges], features, queries, radii_of(distance, slack)
    )
    oracles.check(
        with_inside(said, features, queries, straight), distance, number, slack, canonical=False
    )


@pytest.mark.parametrize("edges", ["geodesic", "straight"])
@pytest.mark.parametrize("case", [*GLOBES, "land"])
def test_geographiclib(program, case, edges):
    straight = edges == "straight"
    features, queries = globe_case(case, straight, 24 if case == "land" else 150)
    distance, number = ours(features, queries, "geodesic", edges, 1 if case == "land" else K)
    said = oracles.ask(
        program("ellipsoid"), [edges], features, queries, radii_of(distance, ellipsoid_slack)
    )
    oracles.check(with_inside(said, features, queries, straight), distance, number, ellipsoid_slack)


def land_degrees():
    features = layers.land()
    if features is None:
        pytest.skip("no ne_50m_land.gpkg")
    return features, layers.around_globe(np.random.default_rng(12), features, 300)


@pytest.mark.parametrize("case", [*PLANES, "land"])
def test_geos(case):
    features, queries = (
        land_degrees() if case == "land" else PLANES[case](np.random.default_rng(13))
    )
    distance, number = ours(features, queries, "euclidean")
    said = oracles.geos(features, queries, radii_of(distance, plane_slack))
    oracles.check(said, distance, number, plane_slack, canonical=False)


@pytest.fixture(scope="session")
def postgis():
    try:
        server = oracles.PostGIS()
    except oracles.Missing as missing:
        pytest.skip(str(missing))
    yield server
    server.close()


@pytest.mark.parametrize("case", PLANES)
def test_postgis_plane(postgis, case):
    features, queries = PLANES[case](np.random.default_rng(14))
    distance, number = ours(features, queries, "euclidean")
    oracles.check(
        postgis.distances(features, queries, "geometry"),
        distance,
        number,
        plane_slack,
        canonical=False,
    )


def geography_case(case):
    """PostGIS is wrong about what lies in Eurasia and Africa, which are one polygon: land is its coast."""
    features, queries = globe_case(case, False, 60)
    return (layers.outlines(features) if case == "land" else features), queries


@pytest.mark.parametrize("case", ["small", "land"])
def test_postgis_sphere(postgis, case):
    features, queries = geography_case(case)
    distance, number = ours(features, queries, "great-circle", "geodesic")
    oracles.check(
        postgis.distances(features, queries, "sphere"),
        distance,
        number,
        arc_slack(True),
        canonical=False,
    )


def postgis_slack(d):
    """It measures, on the ellipsoid, to the place that is nearest on the sphere."""
    return 2400.0, 2400.0


@pytest.mark.parametrize("case", ["small", "land"])
def test_postgis_ellipsoid(postgis, case):
    features, queries = geography_case(case)
    distance, number = ours(features, queries, "geodesic", "geodesic")
    oracles.check(postgis.distances(features, queries, "spheroid"), distance, number, postgis_slack)
