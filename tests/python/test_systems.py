"""The default metric and the ellipsoid of coordinate systems: the library's rule, the same as the command's."""

import inspect
import json
import pathlib
import re
import subprocess

import numpy as np
import pytest
from conftest import command

import gpuvoronoi
from gpuvoronoi import _crs

pytest.importorskip("pyproj")
PROLATE = (
    'GEOGCS["x",DATUM["x",SPHEROID["x",6378137,0.5]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433],'
    'AXIS["Longitude",EAST],AXIS["Latitude",NORTH]]'
)
SYSTEMS = {
    "EPSG:4326": "geodesic",
    "EPSG:3857": "geodesic",
    "EPSG:32633": "euclidean",
    "EPSG:3832": "geodesic",
    "EPSG:5641": "euclidean",
    "EPSG:4087": "geodesic",
    "EPSG:6933": "geodesic",
    "+proj=merc +lat_ts=-41 +type=crs": "euclidean",
    "+proj=merc +type=crs": "geodesic",
    "+proj=laea +type=crs": "euclidean",
    "+proj=eqc +lat_ts=0 +R=6371000 +type=crs": "geodesic",
}


@pytest.mark.parametrize("system,metric", SYSTEMS.items())
def test_default_metric_is_that_of_the_command(system, metric, tmp_path):
    name, reason = gpuvoronoi.default_metric(system)
    assert name == metric and reason.startswith("default for ")
    done = subprocess.run(
        [
            command(),
            "--seeds",
            "/vsistdin/",
            "--seeds-crs",
            system,
            "--extent",
            "0,0,1,1",
            "--size",
            "1,1",
            "--dry-run",
            "--json",
            str(tmp_path / "o.tif"),
        ],
        input="x,y\n0,0\n",
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["metric"] == {"name": name, "reason": reason}


def test_default_metric_without_a_system():
    assert gpuvoronoi.default_metric(None) == ("euclidean", "default without a coordinate system")


def test_rasters_have_it():
    seeds = np.array([1e6, 3e6]), np.array([8e6, 0.0])
    web, plane = (
        gpuvoronoi.proximity(seeds, shape=(8, 8), extent=(0, 0, 8e6, 9e6), crs=crs)
        for crs in ("EPSG:3857", "EPSG:3035")
    )
    euclidean = gpuvoronoi.proximity(
        seeds, shape=(8, 8), extent=(0, 0, 8e6, 9e6), metric="euclidean"
    )
    geodesic = gpuvoronoi.proximity(
        seeds, shape=(8, 8), extent=(0, 0, 8e6, 9e6), crs="EPSG:3857", metric="geodesic"
    )
    assert (
        np.array_equal(web, geodesic)
        and np.array_equal(plane, euclidean)
        and not np.array_equal(web, euclidean)
    )


def test_ellipsoids():
    assert gpuvoronoi.ellipsoid_of("EPSG:3857") == (6378137.0, 1.0 / 298.257223563)
    assert gpuvoronoi.ellipsoid_of("+proj=longlat +R=1737400 +type=crs") == (1737400.0, 0.0)
    with pytest.raises(ValueError, match=r"unsupported ellipsoid \(inverse flattening 0.5\)"):
        gpuvoronoi.ellipsoid_of(PROLATE)
    with pytest.raises(ValueError, match="unsupported ellipsoid"):
        gpuvoronoi.proximity(([0.0], [0.0]), shape=(2, 4), crs=PROLATE)


def test_rules_of_operations_are_the_command_s():
    """Projections that repeat the globe, and which positions an operation is chosen by: pyproj has no rule for them."""
    text = (pathlib.Path(__file__).parents[2] / "src" / "io" / "crs" / "crs.c").read_text()
    listed = re.search(
        r"bool gv_operation_is_cylindrical.*?names\[\] = \{(.*?), NULL\}", text, re.S
    )
    assert set(re.findall(r'"(\w+)"', listed[1])) == _crs._CYLINDRICAL
    (most,) = re.findall(r"i \+= 1 \+ p->count / (\d+)", text)
    assert f"1 + x.size // {most}\n" in inspect.getsource(_crs._area)
