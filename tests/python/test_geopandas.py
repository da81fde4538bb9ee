"""GeoPandas' own tests of sjoin_nearest, from the installed package, on ours."""

import inspect

import pytest

geopandas = pytest.importorskip("geopandas")
theirs = pytest.importorskip("geopandas.tools.tests.test_sjoin")

from gpuvoronoi import sjoin_nearest  # noqa: E402

# Tests that fail on purpose, and why. One that passes is an error too, and so is a name that GeoPandas does not have.
EXPECTED_FAILURES = {}


@pytest.fixture(autouse=True)
def ours(monkeypatch):
    monkeypatch.setattr(theirs, "sjoin_nearest", sjoin_nearest)
    monkeypatch.setattr(geopandas.GeoDataFrame, "sjoin_nearest", sjoin_nearest)


@pytest.fixture
def naturalearth_cities(tmp_path):
    """Files that GeoPandas' installed tests have not: points and polygons."""
    return _written(tmp_path / "cities.geojson", geopandas.points_from_xy([0.5, 3.0], [0.5, 3.0]))


@pytest.fixture
def naturalearth_lowres(tmp_path):
    return _written(
        tmp_path / "countries.geojson", geopandas.points_from_xy([0.5, 3.0], [0.5, 3.0]).buffer(0.5)
    )


def _written(path, geometry):
    geopandas.GeoDataFrame({"name": ["a", "b"]}, geometry=geometry, crs=4326).to_file(
        path, driver="GeoJSON"
    )
    return str(path)


def _taken(name, function):
    def run(self, *arguments, **named):
        return function(self, *arguments, **named)

    run.__signature__, run.__name__ = inspect.signature(function), name
    run.pytestmark = list(getattr(function, "pytestmark", []))
    reason = EXPECTED_FAILURES.get(name)
    return (
        run
        if reason is None
        else pytest.mark.xfail(strict=True, raises=ValueError, reason=reason)(run)
    )


# The class's own marks are left behind: they are about what GeoPandas' search needs.
TestNearest = type(
    "TestNearest",
    (),
    {
        name: _taken(name, function)
        for name, function in vars(theirs.TestNearest).items()
        if name.startswith("test_")
    },
)


def test_the_expected_failures_are_tests_of_theirs():
    assert set(EXPECTED_FAILURES) <= set(vars(theirs.TestNearest))
