"""gpuvoronoi diagram: polygons against scipy's spherical diagram, PROJ's geodesics and GEOS."""

import collections
import json
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from conftest import COMMAND, ogr

WHOLE = 510065621.7240884  # km2 of WGS 84
E = np.sqrt(1 / 298.257223563 * (2 - 1 / 298.257223563))


def layer_of(work, name):
    source = ogr.Open(str(work.path(name)))
    work.opened.append(source)
    return source[0]


def cells_of(work, name):
    """Geometries and attributes, by seed."""
    layer, found = layer_of(work, name), {}
    for feature in layer:
        found[feature["seed"]] = (feature.geometry().Clone(), feature.items())
    return found


def places(count, seed=1):
    random = np.random.default_rng(seed)
    return random.uniform(-180, 180, count), np.degrees(np.arcsin(random.uniform(-1, 1, count)))


def rings(geometry):
    for polygon in geometry:
        for ring in polygon:
            yield np.array(ring.GetPoints())[:, :2]


LATTICE = [c.ravel() for c in np.meshgrid(np.arange(-180, 180, 15.0), np.arange(-90, 91, 15.0))]
TURN = np.arange(60) * np.pi / 30
SETS = {
    "random": places(500),
    "lattice": LATTICE,
    "between lattice": [LATTICE[0] + 7.5, np.clip(LATTICE[1] + 7.5, -90, 82.5)],
    "one": ([20.0], [30.0]),
    "antipodes": ([20.0, -160.0], [30.0, -30.0]),
    "three": ([170.0, -170.0, 0.0], [0.0, 0.0, 10.0]),
    "equator": (np.arange(-180, 180, 20.0), np.zeros(18)),
    "hemisphere": [a / 4 for a in places(50, 2)],
    "great circle": [
        np.degrees(np.arctan2(np.sin(TURN) * np.cos(0.6), np.cos(TURN))),
        np.degrees(np.arcsin(np.sin(TURN) * np.sin(0.6))),
    ],
    "two close": ([0.0, 0.1], [10.0, 10.2]),
    "close": np.array([[170.0], [50.0]]) + np.random.default_rng(1).uniform(-0.1, 0.1, (2, 100)),
    "meters": np.array([[10.0], [0.0]]) + np.random.default_rng(2).uniform(-1e-4, 1e-4, (2, 50)),
    "close around a pole": (np.arange(-180, 180, 30.0), np.full(12, 89.9)),
    "close lattice": [
        c.ravel() for c in np.meshgrid(np.arange(-2, 3) * 0.01, 45 + np.arange(-2, 3) * 0.01)
    ],
    "clusters": np.concatenate(
        [
            np.array(places(20, 3)),
            np.array([[12.0], [50.0]]) + np.random.default_rng(4).normal(size=(2, 60)) * 0.01,
        ],
        axis=1,
    ),
}


@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
@pytest.mark.parametrize("name", SETS)
def test_polygons_cover_the_globe_once(work, name, metric):
    x, y = SETS[name]
    work.csv("seeds.csv", x, y)
    work.ok(
        "diagram", "--seeds", "seeds.csv", "--metric", metric, "--tolerance", "100", "cells.gpkg"
    )
    cells = cells_of(work, "cells.gpkg")
    sides = collections.Counter()
    for geometry, _ in cells.values():
        assert geometry.IsValid()
        for ring in rings(geometry):
            assert np.abs(ring[:, 0]).max() <= 180 and np.abs(ring[:, 1]).max() <= 90
            for a, b in zip(ring[:-1].tolist(), ring[1:].tolist()):
                frame = a[0] == b[0] and abs(a[0]) == 180 or a[1] == b[1] and abs(a[1]) == 90
                if not frame:
                    sides[tuple(a), tuple(b)] += 1
    # Each side once in each direction, with the same bytes.
    assert set(sides.values()) <= {1}
    assert all((b, a) in sides for a, b in sides)
    assert sum(g.GetArea() for g, _ in cells.values()) == pytest.approx(360 * 180, rel=1e-12)
    assert sum(items["area_km2"] for _, items in cells.values()) == pytest.approx(WHOLE, rel=1e-9)
    for seed, (_, items) in cells.items():
        for other in (items["neighbours"] or "").split():
            assert str(seed) in cells[int(other)][1]["neighbours"].split()


@pytest.fixture(scope="session")
def s2(tmp_path_factory):
    """Rings' areas, or complaints, by S2; skipped where its headers (libs2-dev) or a compiler are missing."""
    program, source = (
        tmp_path_factory.mktemp("s2") / "rings",
        pathlib.Path(__file__).with_name("rings_s2.cc"),
    )
    compiler = ["c++", "-std=c++17", "-w"]
    if (
        shutil.which("c++") is None
        or subprocess.run(
            [*compiler, "-E", "-x", "c++", "-"],
            input="#include <s2/s2loop.h>",
            text=True,
            capture_output=True,
        ).returncode
    ):
        pytest.skip("no <s2/s2loop.h> (libs2-dev) or no C++ compiler")
    subprocess.run([*compiler, "-O1", "-DNDEBUG", source, "-o", program, "-ls2"], check=True)

    def check(rings):
        text = "\n".join(" ".join(map(repr, ring.ravel().tolist())) for ring in rings) + "\n"
        return subprocess.run(
            [program], input=text, text=True, stdout=subprocess.PIPE, check=True
        ).stdout.splitlines()

    return check


def test_s2_finds_a_ring_that_crosses_itself(s2):
    said = s2(
        [
            np.array([[0, 0], [10, 0], [0, 10], [10, 10]], float),
            np.array([[0, 0], [10, 0], [10, 10], [0, 10]], float),
        ]
    )
    assert "crosses" in said[0] and 0 < float(said[1]) < 0.1


@pytest.mark.parametrize("metric", ["geodesic", "great-circle"])
@pytest.mark.parametrize("name", [name for name in SETS if name != "one"])
def test_polygons_are_valid_by_s2(work, s2, name, metric):
    work.csv("seeds.csv", *SETS[name])
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--metric",
        metric,
        "--tolerance",
        "100",
        "--no-cut",
        "cells.gpkg",
    )
    said = s2(
        [ring for geometry, _ in cells_of(work, "cells.gpkg").values() for ring in rings(geometry)]
    )
    assert [line for line in said if line[0] not in "0123456789"] == []
    assert sum(map(float, said)) == pytest.approx(4 * np.pi, rel=1e-9)


def test_places_lie_in_the_polygon_of_their_nearest_seed(work):
    geod = pytest.importorskip("pyproj").Geod(ellps="WGS84")
    x, y = places(150, 5)
    work.csv("seeds.csv", x, y)
    work.ok("diagram", "--seeds", "seeds.csv", "--tolerance", "1km", "cells.gpkg")
    cells = cells_of(work, "cells.gpkg")
    checked = 0
    for lon, lat in zip(*places(400, 6)):
        distance = geod.inv(np.full(150, lon), np.full(150, lat), x, y)[2]
        order = np.argsort(distance)
        if (
            distance[order[1]] - distance[order[0]] < 4000
        ):  # 1 km from a border at least, unless seeds are seen under a small angle
            continue
        point = ogr.CreateGeometryFromWkt(f"POINT ({lon!r} {lat!r})")
        inside = [seed for seed, (geometry, _) in cells.items() if geometry.Contains(point)]
        assert inside == [order[0] + 1]
        checked += 1
    assert checked > 300


def test_sphere_is_that_of_scipy(work):
    spatial = pytest.importorskip("scipy.spatial")
    x, y = places(300, 7)
    a, b = np.radians(x), np.radians(y)
    oracle = spatial.SphericalVoronoi(
        np.column_stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)])
    )
    work.csv("seeds.csv", x, y)
    sphere = "+proj=longlat +R=6371000 +type=crs"
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--seeds-crs",
        sphere,
        "--metric",
        "great-circle",
        "--tolerance",
        "1cm",
        "cells.gpkg",
    )
    cells = cells_of(work, "cells.gpkg")
    for seed, area in enumerate(oracle.calculate_areas(), 1):
        assert cells[seed][1]["area_km2"] == pytest.approx(area * 6371.0**2, rel=1e-7)
    pairs = collections.Counter()
    oracle.sort_vertices_of_regions()
    for seed, region in enumerate(oracle.regions, 1):
        for a, b in zip(region, region[1:] + region[:1]):
            pairs[frozenset((a, b))] += 1
    assert sum(len(items["neighbours"].split()) for _, items in cells.values()) == 2 * len(pairs)


def test_plane_is_cut_at_the_extent(work):
    spatial = pytest.importorskip("scipy.spatial")
    random = np.random.default_rng(8)
    x, y = random.uniform(0, 1000, (2, 200))
    work.csv("seeds.csv", x, y, header="x,y")
    work.ok("diagram", "--seeds", "seeds.csv", "--extent", "100,200,900,700", "cells.gpkg")
    cells = cells_of(work, "cells.gpkg")
    assert all(geometry.IsValid() for geometry, _ in cells.values())
    assert sum(items["area"] for _, items in cells.values()) == pytest.approx(800 * 500, rel=1e-12)
    tree = spatial.cKDTree(np.column_stack([x, y]))
    for place in random.uniform((100, 200), (900, 700), (500, 2)):
        point = ogr.CreateGeometryFromWkt(f"POINT ({place[0]!r} {place[1]!r})")
        assert cells[tree.query(place)[1] + 1][0].Contains(point)


def test_lattice_on_the_plane_with_borders_on_the_extent(work):
    x, y = (c.ravel() for c in np.meshgrid(np.arange(10.0), np.arange(10.0)))
    work.csv("seeds.csv", x, y, header="x,y")
    work.ok("diagram", "--seeds", "seeds.csv", "--extent", "0.5,0.5,8.5,6.5", "cells.gpkg")
    cells = cells_of(work, "cells.gpkg")
    assert len(cells) == 48
    assert all(
        geometry.IsValid() and geometry.GetArea() == pytest.approx(1, rel=1e-12)
        for geometry, _ in cells.values()
    )
    assert (
        cells[12][1]["neighbours"] == "13 22"
    )  # at the corner; those that touch in a point only are none


def test_attributes_ids_and_seeds_at_one_place(work):
    work.csv(
        "seeds.csv", [5, 40, 5, 5], [5, 10, 5, 5], name=["a", "b", "c", "d"], people=[1, 2, 3, 4]
    )
    work.ok("diagram", "--seeds", "seeds.csv", "--id", "name", "cells.gpkg")
    cells = cells_of(work, "cells.gpkg")
    assert set(cells) == {"a", "b"}
    assert cells["a"][1]["others"] == '["c", "d"]' and cells["a"][1]["neighbours"] == '["b"]'
    assert cells["b"][1]["others"] is None and cells["b"][1]["people"] == 2


def test_columns_with_names_of_fields_and_texts_with_blanks(work):
    """They become seed_NAME; those of formats too. No value is lost."""
    names = ["seed", "Area_km2", "neighbours", "others", "fid", "geom"]
    work.csv(
        "seeds.csv",
        [5, 40, 5],
        [5, 10, 5],
        name=['"San ""J"" Juan"', '"b, c"', "d e"],
        **{name: ["x", "y", "x"] for name in names},
    )
    for out in ("cells.gpkg", "cells.geojson"):
        work.ok("diagram", "--seeds", "seeds.csv", "--id", "name", "--tolerance", "10km", out)
        items = cells_of(work, out)['San "J" Juan'][1]
        assert all(items["seed_" + name] == "x" for name in names)
        others, neighbors = (
            items[name] if isinstance(items[name], list) else json.loads(items[name])
            for name in ("others", "neighbours")
        )
        assert others == ["d e"] and neighbors == ["b, c"]  # GDAL makes them arrays of GeoJSON


def test_triangulation_of_the_plane_is_complete(work):
    """Also where borders meet far outside of the seeds' extent."""
    x, y = np.random.default_rng(6).uniform(0, 1e5, (2, 120))
    work.csv("seeds.csv", x, y, header="x,y")
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--seeds-crs",
        "EPSG:32631",
        "--delaunay",
        "delaunay.gpkg",
    )
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--seeds-crs",
        "EPSG:32631",
        "--delaunay",
        "--extent=-1e9,-1e9,1e9,1e9",
        "wide.gpkg",
    )
    pairs, wide = (
        {frozenset((f["left"], f["right"])) for f in layer_of(work, name)}
        for name in ("delaunay.gpkg", "wide.gpkg")
    )
    assert pairs == wide


def test_lines_instead_of_polygons(work):
    work.csv("seeds.csv", *places(60, 9))
    work.ok("diagram", "--seeds", "seeds.csv", "--edges-only", "--tolerance", "1km", "edges.gpkg")
    work.ok("diagram", "--seeds", "seeds.csv", "--delaunay", "delaunay.gpkg")
    work.ok("diagram", "--seeds", "seeds.csv", "--tolerance", "1km", "cells.gpkg")
    edges, delaunay, cells = (
        layer_of(work, f"{name}.gpkg") for name in ("edges", "delaunay", "cells")
    )
    assert (edges.GetName(), delaunay.GetName(), cells.GetName()) == ("edges", "delaunay", "cells")
    pairs = {frozenset((f["left"], f["right"])) for f in edges}
    assert pairs == {frozenset((f["left"], f["right"])) for f in delaunay}
    assert pairs == {
        frozenset((f["seed"], int(other))) for f in cells for other in f["neighbours"].split()
    }
    assert len(pairs) == 3 * 60 - 6
    for feature in edges:
        assert all(abs(x) <= 180 for line in feature.geometry() for x, *_ in line.GetPoints())


def test_mask_and_extent_on_the_globe(work):
    work.csv("seeds.csv", *places(200, 10))
    work.write(
        "mask.geojson",
        json.dumps(
            {"type": "Polygon", "coordinates": [[[0, 0], [30, 0], [30, 30], [0, 30], [0, 0]]]}
        ),
    )
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--extent",
        "10,-20,50,20",
        "--mask",
        "mask.geojson",
        "cells.gpkg",
    )
    cells = cells_of(work, "cells.gpkg")
    assert sum(g.GetArea() for g, _ in cells.values()) == pytest.approx(20 * 20, rel=1e-12)


def zone(south, north, east):
    """Square kilometers on WGS 84, of so many degrees of longitude (Snyder, Map Projections, 3-12)."""

    def from_equator(lat):
        sine = np.sin(np.radians(lat))
        return 0.5 * 6356752.314245179**2 * (sine / (1 - E**2 * sine**2) + np.arctanh(E * sine) / E)

    return np.radians(east) * (from_equator(north) - from_equator(south)) / 1e6


def test_areas_of_clipped_cells(work):
    work.csv("seeds.csv", *places(200, 10))
    work.write(
        "mask.geojson",
        json.dumps(
            {
                "type": "Polygon",
                "coordinates": [
                    [[0, 0], [30, 0], [30, 30], [0, 30], [0, 0]],
                    [[5, 5], [5, 8], [9, 8], [9, 5], [5, 5]],
                ],
            }
        ),
    )
    expected = {
        "--extent=10,-20,50,20": zone(-20, 20, 40),
        "--extent=-180,-90,180,90": WHOLE,
        "--mask=mask.geojson": zone(0, 30, 30) - zone(5, 8, 4),
    }
    for clip, area in expected.items():
        work.ok("diagram", "--seeds", "seeds.csv", clip, "--overwrite", "cells.gpkg")
        assert sum(
            items["area_km2"] for _, items in cells_of(work, "cells.gpkg").values()
        ) == pytest.approx(area, rel=1e-9)
    # Equal-area coordinates: each polygon's own area.
    for crs, extent in (
        ("EPSG:3035", "3800000,2600000,4600000,3400000"),
        ("EPSG:6933", "-5000000,-3000000,5000000,3000000"),
        ("+proj=laea +lat_0=-90", "-3e6,-3e6,4e6,3e6"),
    ):
        work.ok(
            "diagram",
            "--seeds",
            "seeds.csv",
            "--metric",
            "geodesic",
            "--crs",
            crs,
            "--no-cut",
            "--extent",
            extent,
            "--overwrite",
            "cells.gpkg",
        )
        for geometry, items in cells_of(work, "cells.gpkg").values():
            assert items["area_km2"] == pytest.approx(geometry.GetArea() / 1e6, rel=2e-5, abs=1)
    work.csv("plane.csv", [0, 10, 0, 10], [0, 0, 10, 10], header="x,y")
    work.write("triangle.csv", 'id,WKT\n1,"POLYGON ((0 0, 10 0, 0 10, 0 0))"\n')
    work.ok("diagram", "--seeds", "plane.csv", "--mask", "triangle.csv", "planar.gpkg")
    assert {
        seed: items["area"] for seed, (_, items) in cells_of(work, "planar.gpkg").items()
    } == pytest.approx({1: 25, 2: 12.5, 3: 12.5})


def test_projected_cells(work):
    x, y = np.random.default_rng(11).uniform((0, 40), (20, 60), (80, 2)).T
    work.csv("seeds.csv", x, y)
    extent = ["--extent", "3800000,2600000,4600000,3400000"]
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--metric",
        "geodesic",
        "--crs",
        "EPSG:3035",
        *extent,
        "cells.gpkg",
    )
    cells = cells_of(work, "cells.gpkg")
    assert all(g.IsValid() for g, _ in cells.values())
    assert sum(g.GetArea() for g, _ in cells.values()) == pytest.approx(800000.0**2, rel=1e-6)
    assert layer_of(work, "cells.gpkg").GetSpatialRef().GetAuthorityCode(None) == "3035"


def test_no_cut_around_a_pole(work):
    around = np.arange(-180, 180, 30.0)
    work.csv("seeds.csv", [0, *around, *around], [-90, *np.full(12, -60.0), *np.full(12, 10.0)])
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--metric",
        "geodesic",
        "--crs",
        "EPSG:3031",
        "--no-cut",
        "polar.gpkg",
    )
    cells = cells_of(work, "polar.gpkg")
    pole = cells[1][0]
    assert pole.IsValid() and pole.Contains(ogr.CreateGeometryFromWkt("POINT (0 0)"))
    assert len(list(rings(pole))) == 1


def test_report_and_errors(work):
    work.csv("seeds.csv", *places(10, 12))
    done = work.ok("diagram", "--seeds", "seeds.csv", "--json", "cells.gpkg")
    report = json.loads(done.stdout)
    assert (
        report["seeds"] == {"used": 10, "left_out": 0, "places": 10}
        and report["edges"] == 24
        and report["unverified"] == 0
    )
    work.fails("diagram", "--seeds", "seeds.csv", "cells.gpkg", has="exists")
    work.fails("diagram", "--seeds", "seeds.csv", "seeds.csv", has="is an input, too")
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--weighting",
        "power",
        "new.gpkg",
        status=2,
        has=["--weighting", "--polygons"],
    )
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--metric",
        "manhattan",
        "new.gpkg",
        status=2,
        has="--metric",
    )
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--tolerance",
        "0",
        "new.gpkg",
        status=2,
        has="--tolerance",
    )
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--extent",
        "3,2,1,0",
        "new.gpkg",
        status=2,
        has="--extent",
    )
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--edges-only",
        "--delaunay",
        "new.gpkg",
        status=2,
        has="unsupported together",
    )
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--metric",
        "geodesic",
        "--crs",
        "+proj=ortho +lat_0=45",
        "new.gpkg",
        has=["--crs", "is outside"],
    )
    work.fails("diagram", "--seeds", "seeds.csv", "new.tif", has="unknown vector format")
    work.csv("many.csv", *places(1500, 12))
    work.fails(
        "diagram",
        "--seeds",
        "many.csv",
        "--memory",
        "1M",
        "new.gpkg",
        has=["--memory", "1500", "15M"],
    )
    coarse = ["--tolerance", "100", "--memory", "2M"]
    work.fails("diagram", "--seeds", "many.csv", *coarse, "new.gpkg", has=["--memory", "4M"])
    work.fails("diagram", "new.gpkg", status=2, has="--seeds")
    work.write("line.geojson", json.dumps({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}))
    work.fails("diagram", "--seeds", "line.geojson", "new.gpkg", has="--polygons")
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--mask",
        "line.geojson",
        "new.gpkg",
        has=["--mask", "polygons"],
    )


@pytest.mark.parametrize("field", ["owner", "number"])
def test_groups(work, field):
    """Cells of one owner are one polygon: its parts are those of the cells, its borders those between owners."""
    x, y = places(120, 21)
    owner = [
        "the rest" if a > 150 else "west" if a < -60 else "far east" if a > 60 else "middle"
        for a in x
    ]
    number, seeds = np.arange(120) % 3, np.arange(120)
    work.csv(
        "seeds.csv",
        [*x, x[0]],
        [*y, y[0]],
        owner=[*owner, "middle"],
        number=[*number, 7],
        seeds=[*seeds, 120],
    )
    options = ["--seeds", "seeds.csv", "--tolerance", "1km"]
    work.ok("diagram", *options, "cells.gpkg")
    work.ok(
        "diagram", *options, "--group", field, "--no-cut", "groups.gpkg"
    )  # there is no whole of cut parts
    work.ok("diagram", *options, "--group", field, "--edges-only", "edges.gpkg")
    values = [*owner, "middle"] if field == "owner" else [*map(int, number), 7]
    cells, groups = cells_of(work, "cells.gpkg"), {}
    for feature in layer_of(work, "groups.gpkg"):
        groups[feature["seed"]] = (feature.geometry().Clone(), feature.items())
    # The last seed is at the place of another, and alone in its group of numbers: it has no polygon.
    assert set(groups) == set(values) - {7}
    for value, (geometry, items) in groups.items():
        mine = [i for i, v in enumerate(values) if v == value]
        assert geometry.IsValid() and items["seeds"] == len(mine) and items["seed_seeds"] == mine[0]
        assert items["area_km2"] == pytest.approx(
            sum(cells[i + 1][1]["area_km2"] for i in mine if i + 1 in cells), rel=1e-12
        )
        assert geometry.GetArea() == pytest.approx(
            sum(cells[i + 1][0].GetArea() for i in mine if i + 1 in cells), rel=1e-9
        )
        near = {
            values[int(n) - 1]
            for i in mine
            if i + 1 in cells
            for n in cells[i + 1][1]["neighbours"].split()
        } - {value}
        listed = (
            json.loads(items["neighbours"])
            if field == "owner"
            else list(map(int, items["neighbours"].split()))
        )
        assert set(listed) == near and len(listed) == len(near)
    if field == "number":
        assert [items["others"] for _, items in groups.values()].count("7") == 1
    pairs, length = [], 0
    for feature in layer_of(work, "edges.gpkg"):
        pair = (feature["left"], feature["right"])
        pairs.append(frozenset(pair))
        assert pair[0] != pair[1]
        length += feature.geometry().Length()
        for (
            line
        ) in feature.geometry():  # the left one is on the left, as counterclockwise rings have it
            a, b = np.array(line.GetPoints())[:2, :2]
            side = 0.5 * (a + b) + 1e-6 * np.array([a[1] - b[1], b[0] - a[0]]) / np.hypot(*(b - a))
            assert groups[pair[0]][0].Contains(
                ogr.CreateGeometryFromWkt("POINT (%r %r)" % tuple(side.tolist()))
            )
    assert len(set(pairs)) == len(pairs)
    rims = (
        sum(g.Boundary().Length() for g, _ in groups.values()) - 2 * 180 - 2 * 360
    )  # at 180 degrees and the poles
    assert length == pytest.approx(rims / 2, rel=1e-9)


def test_groups_on_a_map_and_errors(work):
    x, y = places(60, 22)
    work.csv("seeds.csv", x, y, owner=["a" if v < 0 else "b" for v in x])
    work.ok(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--group",
        "owner",
        "--metric",
        "geodesic",
        "--crs",
        "EPSG:3031",
        "--extent=-4e6,-4e6,4e6,4e6",
        "groups.gpkg",
    )
    cells = cells_of(work, "groups.gpkg")
    assert set(cells) == {"a", "b"} and all(g.IsValid() for g, _ in cells.values())
    assert sum(g.GetArea() for g, _ in cells.values()) == pytest.approx(8e6**2, rel=1e-9)
    assert all(len(list(rings(g))) == 1 for g, _ in cells.values())
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--group",
        "no_field",
        "new.gpkg",
        has=["--group", "no_field", "owner"],
    )
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--group",
        "owner",
        "--delaunay",
        "new.gpkg",
        status=2,
        has="unsupported together",
    )
    work.fails(
        "diagram",
        "--seeds",
        "seeds.csv",
        "--group",
        "owner",
        "--id",
        "owner",
        "new.gpkg",
        status=2,
        has="unsupported together",
    )


def test_progress_goes_on_while_the_file_is_written(work):
    """Interrupted by the first report beyond the library's part: nothing is left."""
    import signal

    work.csv("seeds.csv", *places(3000, 5))
    command = subprocess.Popen(
        [
            COMMAND,
            "diagram",
            "--seeds",
            "seeds.csv",
            "--tolerance",
            "10km",
            "--progress",
            "cells.gpkg",
        ],
        cwd=work.directory,
        stderr=subprocess.PIPE,
    )
    seen = b""
    while b"70..." not in seen:
        byte = command.stderr.read(1)
        assert byte != b"", seen
        seen += byte
    command.send_signal(signal.SIGINT)
    rest = command.stderr.read()
    assert command.wait() == 130 and b"done" not in rest, rest
    assert [path.name for path in work.directory.iterdir()] == ["seeds.csv"]


def test_attributes_of_csv_are_the_same_whether_they_are_kept_or_read_again(work):
    """Beyond a share of --memory the file is read again."""
    random = np.random.default_rng(8)
    x, y = random.uniform(0, 1000, (2, 300))
    lines = ["x;y;id;price;code;note;last"]
    for i in range(300):
        price = "" if i % 7 == 0 else f"{i},25"
        note = f'"a ""{i}"" ; b{"ä" * 4000}"' if i % 3 else ""
        lines.append(f"{x[i]:.3f};{y[i]:.3f};{i};{price};{i:04d};{note}" + (";z" if i % 2 else ""))
    work.write("seeds.csv", "\n".join(lines) + "\n")
    found = []
    for memory in ("1G", "2M"):
        work.ok("diagram", "--seeds", "seeds.csv", "--memory", memory, f"{memory}.gpkg")
        found.append({seed: cell[1] for seed, cell in cells_of(work, f"{memory}.gpkg").items()})
    assert found[0] == found[1] and len(found[0]) == 300
    first = found[0][3]
    assert first["id"] == 2 and first["price"] == 2.25 and first["code"] == "0002"
    assert first["note"].startswith('a "2" ; bää') and first["last"] is None
    assert found[0][1]["price"] is None and found[0][2]["last"] == "z"
