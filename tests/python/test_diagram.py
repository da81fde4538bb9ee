"""diagram(): tables of polygons; the command's and the library's tests check their geometry."""

import os
import subprocess

import numpy as np
import pytest

import gpuvoronoi

geopandas = pytest.importorskip("geopandas")

WHOLE = 510065621.7240884


def test_globe_of_arrays(random):
    x, y = random.uniform(-180, 180, 200), np.degrees(np.arcsin(random.uniform(-1, 1, 200)))
    cells = gpuvoronoi.diagram((x, y), tolerance=100)
    assert (
        isinstance(cells, geopandas.GeoDataFrame) and cells.crs == "OGC:CRS84" and len(cells) == 200
    )
    assert cells.is_valid.all() and cells.area.sum() == pytest.approx(360 * 180, rel=1e-12)
    assert cells["area_km2"].sum() == pytest.approx(WHOLE, rel=1e-9)
    assert cells.contains(geopandas.GeoSeries(geopandas.points_from_xy(x, y), crs=cells.crs)).all()
    for i, near in cells["neighbours"].items():
        assert all(i in cells["neighbours"][j] for j in near)


def test_areas_of_a_sphere(random):
    """Those of scipy's SphericalVoronoi."""
    spatial = pytest.importorskip("scipy.spatial")
    x, y = random.uniform(-180, 180, 60), np.degrees(np.arcsin(random.uniform(-1, 1, 60)))
    u, v = np.radians(x), np.radians(y)
    places = np.column_stack([np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)])
    expected = spatial.SphericalVoronoi(3.0 * places, radius=3.0).calculate_areas()
    cells = gpuvoronoi.diagram((x, y), metric="great-circle", radius=3.0)
    assert "area_km2" not in cells
    np.testing.assert_allclose(cells["area"], expected, rtol=1e-9)
    with pytest.raises(ValueError, match="radius: unsupported with metric geodesic"):
        gpuvoronoi.diagram((x, y), radius=1.0)


def test_points_of_multipoints_are_seeds():
    shapely = pytest.importorskip("shapely")
    several = [shapely.geometry.MultiPoint([(0, 0), (10, 5)]), shapely.geometry.Point(-60, 20)]
    frame = geopandas.GeoDataFrame({"name": ["a", "b"]}, geometry=several, crs="EPSG:4326")
    single = gpuvoronoi.diagram(frame.explode(index_parts=False))
    for seeds in (frame, frame.geometry):
        cells = gpuvoronoi.diagram(seeds)
        assert cells.index.tolist() == [0, 0, 1]
        assert cells.geometry.to_wkb().tolist() == single.geometry.to_wkb().tolist()
    assert gpuvoronoi.diagram(frame, group="name")["seeds"].tolist() == [2, 1]


def test_table_keeps_its_rows_and_columns():
    frame = geopandas.GeoDataFrame(
        {"name": ["a", "b", "c"]},
        index=["x", "y", "z"],
        crs="EPSG:4326",
        geometry=geopandas.points_from_xy([10, 50, 10], [20, 0, 20]),
    )
    cells = gpuvoronoi.diagram(frame)
    assert cells["name"].tolist() == ["a", "b", "c"] and cells.index.tolist() == ["x", "y", "z"]
    assert cells["neighbours"].tolist() == [("y",), ("x",), ()] and cells["others"].tolist() == [
        ("z",),
        (),
        (),
    ]
    assert cells.is_empty.tolist() == [False, False, True] and cells.crs == frame.crs
    frame.loc["y", "geometry"] = None
    left = gpuvoronoi.diagram(frame, skip_invalid=True)
    assert left["name"].tolist() == ["a", "c"] and left["area_km2"].iloc[0] == pytest.approx(
        WHOLE, rel=1e-12
    )


def test_plane(random):
    x, y = random.uniform(0, 1000, (2, 100))
    cells = gpuvoronoi.diagram((x, y), metric="euclidean", extent=(100, 100, 900, 600))
    assert cells.area.sum() == pytest.approx(800 * 500, rel=1e-12)
    np.testing.assert_allclose(cells["area"], cells.area, rtol=1e-9, atol=1e-9)
    centers = cells.geometry[~cells.is_empty].representative_point()
    d = np.hypot(np.asarray(centers.x)[:, None] - x, np.asarray(centers.y)[:, None] - y)
    assert (centers.index == d.argmin(axis=1)).all()
    mapped = gpuvoronoi.diagram(
        geopandas.GeoSeries(geopandas.points_from_xy(x, y), crs="EPSG:32633")
    )
    np.testing.assert_allclose(mapped["area_km2"], mapped.area / 1e6, rtol=1e-9)


def test_uncut():
    cells = gpuvoronoi.diagram(([170.0, -170.0, 0.0], [0.0, 0.0, 0.0]), cut=False)
    assert [len(g.geoms) for g in cells.geometry] == [1, 1, 1]
    cut = gpuvoronoi.diagram(([175.0, -150.0, 0.0], [0.0, 0.0, 0.0]))
    assert [len(g.geoms) for g in cut.geometry] == [2, 1, 1]


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"metric": "manhattan"}, "metric"),
        ({"tolerance": 0}, "tolerance"),
        ({"extent": (0, 0, 1, 1)}, "extent"),
        ({"metric": "euclidean", "extent": (1, 0, 0, 1)}, "extent"),
        ({"metric": "euclidean", "seeds_crs": "EPSG:4326"}, "metric"),
        ({"metric": "geodesic", "seeds_crs": "EPSG:32633"}, "metric"),
    ],
)
def test_errors(arguments, says):
    with pytest.raises(ValueError, match=says):
        gpuvoronoi.diagram(([1.0, 2.0], [3.0, 4.0]), **arguments)
    shapely = pytest.importorskip("shapely.geometry")
    shapes = [shapely.Point(0, 0), None, shapely.LineString([(0, 0), (1, 1)])]
    with pytest.raises(ValueError, match="row 2 is a LineString; lines and polygons are unsupp"):
        gpuvoronoi.diagram(geopandas.GeoSeries(shapes))
    with pytest.raises(ValueError, match="none"):
        gpuvoronoi.diagram(([], []))


def test_seeds_on_a_map_of_the_world():
    """Geodesics by default: polygons in the longitudes and latitudes of the map."""
    places = geopandas.GeoSeries(
        geopandas.points_from_xy([10.0, 60.0, -100.0], [50.0, 0.0, -20.0]), crs="EPSG:4326"
    )
    cells, expected = gpuvoronoi.diagram(places.to_crs("EPSG:3857")), gpuvoronoi.diagram(places)
    assert (
        cells.crs == "EPSG:4326" and cells["neighbours"].tolist() == expected["neighbours"].tolist()
    )
    assert cells["area_km2"].to_numpy() == pytest.approx(expected["area_km2"].to_numpy(), rel=1e-9)
    assert gpuvoronoi.diagram(places.to_crs("EPSG:3857"), metric="euclidean").crs == "EPSG:3857"
    assert gpuvoronoi.diagram(places[:1].to_crs("EPSG:3035")).crs == "EPSG:3035"


def test_unverified_borders_warn(monkeypatch):
    from gpuvoronoi import diagrams

    made = diagrams._make
    monkeypatch.setattr(diagrams, "_make", lambda *arguments: (made(*arguments)[0], 3))
    with pytest.warns(UserWarning, match="^3 corners or borders of cells are not verified"):
        gpuvoronoi.diagram(([0.0, 50.0], [0.0, 20.0]))


def test_columns_whose_names_are_taken():
    """The names that the command gives fields in this order."""
    names = ["others", "Seed_others", "seed_Seed_others", "other"]
    frame = geopandas.GeoDataFrame(
        dict.fromkeys(names, 1),
        index=[0, 1],
        crs="EPSG:4326",
        geometry=geopandas.points_from_xy([0, 50], [0, 5]),
    )
    renamed = ["seed_others", "seed_Seed_others", "seed_seed_Seed_others", "other"]
    assert list(gpuvoronoi.diagram(frame).columns[:4]) == renamed


def test_groups(random):
    x, y = random.uniform(-180, 180, 80), np.degrees(np.arcsin(random.uniform(-1, 1, 80)))
    frame = geopandas.GeoDataFrame(
        {
            "owner": np.where(x < -60, "west", np.where(x < 60, "middle", "east")),
            "area_km2": np.arange(80),
            "Others": 1,
        },
        crs="EPSG:4326",
        geometry=geopandas.points_from_xy(x, y),
    )
    cells, groups = (
        gpuvoronoi.diagram(frame, tolerance=1000),
        gpuvoronoi.diagram(frame, tolerance=1000, group="owner"),
    )
    assert (
        cells["seed_area_km2"].tolist() == list(range(80))
        and cells["seed_Others"].tolist() == [1] * 80
    )
    assert (
        groups.is_valid.all()
        and groups.index.name == "owner"
        and set(groups.index) == {"west", "middle", "east"}
    )
    for owner, row in groups.iterrows():
        mine = cells[cells["owner"] == owner]
        assert row["seeds"] == len(mine) and row["seed_area_km2"] == mine["seed_area_km2"].iloc[0]
        assert row["area_km2"] == pytest.approx(
            mine["area_km2"].sum()
        ) and row.geometry.area == pytest.approx(mine.area.sum())
        assert set(row["neighbours"]) == {
            cells["owner"][i] for near in mine["neighbours"] for i in near
        } - {owner}
    for wrong in ({"group": "no_column"}, {"group": "owner", "cut": False}):
        with pytest.raises(ValueError, match="group"):
            gpuvoronoi.diagram(frame, **wrong)


COMMAND = os.environ.get("GPUVORONOI_COMMAND")
STAR = [(0, 50), (30, -40), (-48, 15), (48, 15), (-30, -40)]  # the middle is outside (even-odd)
MASKS = {
    "across 180 degrees": [[(150, -40), (200, -40), (200, 20), (150, 20)]],
    "invalid": [STAR],
    "overlapping, other turns": [
        [(-30, 10), (60, 30), (40, 70)],
        [(20, 20), (100, 20), (100, 50), (20, 50)],
        [(-400, -80), (-350, -80), (-350, -20), (-400, -20)],
    ],
}


def of_command(folder, seeds, mask, *options):
    """The rows that `gpuvoronoi diagram --mask` writes, by `name`."""
    seeds.to_file(folder / "seeds.gpkg"), mask.to_file(folder / "mask.gpkg")
    files = ["--seeds", folder / "seeds.gpkg", "--mask", folder / "mask.gpkg"]
    subprocess.run(
        [COMMAND, "diagram", *files, *options, "--quiet", folder / "out.gpkg"], check=True
    )
    return geopandas.read_file(folder / "out.gpkg").set_index("name")


@pytest.mark.skipif(not COMMAND, reason="without the command")
@pytest.mark.parametrize("name, crs", [*((name, 4326) for name in MASKS), ("invalid", 32633)])
def test_mask_is_that_of_the_command(random, tmp_path, name, crs):
    polygon = pytest.importorskip("shapely.geometry").Polygon
    x, y = random.uniform(-180, 180, 200), np.degrees(np.arcsin(random.uniform(-1, 1, 200)))
    places = geopandas.points_from_xy(x, y)
    seeds = geopandas.GeoDataFrame({"name": np.arange(200)}, geometry=places, crs=crs)
    mask = geopandas.GeoSeries([polygon(ring) for ring in MASKS[name]], crs=crs)
    for group in (False, True):
        seeds["name"] = seeds["name"] // 40 if group else seeds["name"]
        folder = tmp_path / str(group)
        folder.mkdir()
        expected = of_command(folder, seeds, mask, *["--group", "name"] * group)
        cells = gpuvoronoi.diagram(seeds, mask=mask, group="name" if group else None)
        assert (cells["area_km2"] > 0).equals(~cells.is_empty) and len(cells) == (
            5 if group else 200
        )
        cells = cells[~cells.is_empty] if group else cells[~cells.is_empty].set_index("name")
        expected = expected.loc[cells.index]
        assert cells.is_valid.all() and set(cells.geom_type) == {"MultiPolygon"}
        for ours, theirs in zip(cells.geometry, expected.geometry):
            assert ours.symmetric_difference(theirs).area < 1e-9
        np.testing.assert_allclose(cells["area_km2"], expected["area_km2"], rtol=1e-11)


def test_mask_in_all_forms():
    shapely = pytest.importorskip("shapely.geometry")
    seeds = ([0.0, 20.0, 200.0], [0.0, 20.0, -20.0])
    box, point = shapely.box(-10, -10, 30, 25), shapely.Point(0, 0)
    expected = gpuvoronoi.diagram(seeds, mask=box)
    assert expected.is_empty.tolist() == [False, False, True]
    assert expected["neighbours"].tolist() == [(1, 2), (0, 2), (0, 1)]
    assert expected.area.sum() == pytest.approx(40 * 35)
    feature = {"type": "Feature", "geometry": box.__geo_interface__, "properties": {}}
    frame = geopandas.GeoDataFrame(geometry=[box, None], crs="EPSG:4326")
    halves = [shapely.box(-10, -10, 5, 25), shapely.box(4, -10, 30, 25)]
    collection = {"type": "FeatureCollection", "features": [feature]}
    several = shapely.GeometryCollection(halves)
    for mask in (frame, frame.geometry, box.wkb, [box.wkb], feature, collection, halves, several):
        cells = gpuvoronoi.diagram(seeds, mask=mask, cut=False)
        assert cells.geometry.symmetric_difference(expected.geometry).area.max() < 1e-9
        np.testing.assert_allclose(cells["area_km2"], expected["area_km2"], rtol=1e-12)
    sphere = gpuvoronoi.diagram(seeds, mask=box, metric="great-circle", radius=1.0)
    whole = np.radians(40) * (np.sin(np.radians(25)) + np.sin(np.radians(10)))
    assert sphere["area"].sum() == pytest.approx(whole, rel=1e-12)
    for mask, error, says in [
        (point, ValueError, r"mask: unsupported geometry \(Point\)"),
        (shapely.Polygon(), ValueError, "mask: missing polygons"),
        (shapely.box(0, 0, 1e6, 1), ValueError, "mask: longitude of a vertex out of range"),
        (shapely.Polygon([(0, 0), (1, 0), (np.nan, 1)]), ValueError, "mask: .* not finite"),
        (np.ones((3, 3), bool), TypeError, "mask must be polygons"),
        (frame.to_crs("EPSG:3857"), ValueError, r"mask: .* differs .* use to_crs\(\) first"),
    ]:
        with pytest.raises(error, match=says):
            gpuvoronoi.diagram(seeds, mask=mask)
    with pytest.raises(ValueError, match="mask: .* the seeds have none; use seeds_crs="):
        gpuvoronoi.diagram(seeds, metric="euclidean", mask=frame)
