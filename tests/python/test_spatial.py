"""Voronoi and SphericalVoronoi: corners and regions are those of scipy's objects."""

import numpy as np
import pytest

import gpuvoronoi

spatial = pytest.importorskip("scipy.spatial")


def rounded(place, digits=9):
    return tuple(np.round(np.asarray(place, dtype=float), digits).tolist())


def of_regions(diagram, numbers):
    """The corners of each point's region, in a cycle that begins at the least; None: at infinity."""
    found = []
    for number in numbers:
        region = [None if i < 0 else rounded(diagram.vertices[i]) for i in diagram.regions[number]]
        first = region.index(min((one for one in region if one is not None), default=None))
        cycle = region[first:] + region[:first]
        other = [cycle[0], *cycle[:0:-1]]
        found.append(min(cycle, other, key=lambda one: [(place is None, place) for place in one]))
    return found


def of_ridges(diagram):
    """From pairs of points to places, None for infinity."""
    pairs = np.asarray(diagram.ridge_points).tolist()
    return {
        frozenset(pair): frozenset(None if i < 0 else rounded(diagram.vertices[i]) for i in ends)
        for pair, ends in zip(pairs, diagram.ridge_vertices)
    }


@pytest.mark.parametrize("n", [3, 4, 50, 2000])
def test_plane(random, n):
    points = random.normal(size=(n, 2)) * [1.0, 3.0] + [10.0, -20.0]
    ours, theirs = gpuvoronoi.Voronoi(points), spatial.Voronoi(points)
    assert len(ours.vertices) == len(theirs.vertices)
    assert of_ridges(ours) == of_ridges(theirs)
    assert of_regions(ours, ours.point_region) == of_regions(theirs, theirs.point_region)
    pairs = {frozenset(pair): set(ends) for pair, ends in ours.ridge_dict.items()}
    assert len(pairs) == len(ours.ridge_points) == len(ours.ridge_vertices)
    for name in ("npoints", "ndim", "furthest_site", "min_bound", "max_bound", "points"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    for region in ours.regions:
        assert region.count(-1) <= 1
        if -1 not in region:
            assert polygon_area(ours.vertices[region]) > 0


def polygon_area(places):
    x, y = places.T
    return 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))


def test_grids_duplicates_and_lines():
    grid = np.stack(np.meshgrid(np.arange(5.0), np.arange(4.0)), axis=-1).reshape(-1, 2)
    ours = gpuvoronoi.Voronoi(np.vstack([grid, grid[:3]]).tolist())
    assert ours.point_region.tolist() == [*range(20), 0, 1, 2]
    assert ours.regions[20:] == [[], [], []] and len(ours.vertices) == 4 * 3
    assert of_regions(ours, range(20)) == of_regions(
        spatial.Voronoi(grid), spatial.Voronoi(grid).point_region
    )
    line = gpuvoronoi.Voronoi([(0, 0), (1, 0), (5, 0)])
    assert line.ridge_vertices == [[-1, -1]] * 2 and line.regions == [[-1]] * 3
    assert {frozenset(pair) for pair in line.ridge_points.tolist()} == {
        frozenset(one) for one in ((0, 1), (1, 2))
    }
    one = gpuvoronoi.Voronoi([(3, 4)])
    assert (
        one.regions == [[-1]] and one.vertices.shape == (0, 2) and one.ridge_points.shape == (0, 2)
    )


def test_plot_of_scipy(random):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = spatial.voronoi_plot_2d(gpuvoronoi.Voronoi(random.random((30, 2))))
    assert len(figure.axes[0].collections) == 2


@pytest.mark.parametrize(
    "n, radius, center", [(4, 1.0, None), (60, 3.0, (1.0, -2.0, 5.0)), (900, 1.0, None)]
)
def test_sphere(random, n, radius, center):
    places = random.normal(size=(n, 3))
    places *= radius / np.linalg.norm(places, axis=1, keepdims=True)
    places += 0 if center is None else center
    ours = gpuvoronoi.SphericalVoronoi(places, radius, center)
    theirs = spatial.SphericalVoronoi(places, radius, center)
    theirs.sort_vertices_of_regions(), ours.sort_vertices_of_regions()
    assert len(ours.vertices) == len(theirs.vertices) == 2 * n - 4
    assert of_regions(ours, range(n)) == of_regions(theirs, range(n))
    np.testing.assert_allclose(ours.calculate_areas(), theirs.calculate_areas(), rtol=1e-9)
    for i, region in enumerate(ours.regions):
        a, b, c = (ours.vertices[region] - ours.center)[:3]
        assert np.cross(b - a, c - b) @ (places[i] - ours.center) > 0


def test_regular_bodies():
    cube = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 3**0.5
    ours = gpuvoronoi.SphericalVoronoi(cube)
    assert len(ours.vertices) == 6 and [len(region) for region in ours.regions] == [3] * 8
    np.testing.assert_allclose(ours.calculate_areas(), np.pi / 2, rtol=1e-12)
    circle = [(np.cos(a), np.sin(a), 0.0) for a in np.radians([0, 60, 120, 180, 240, 300])]
    ours = gpuvoronoi.SphericalVoronoi(circle)  # scipy refuses it
    assert len(ours.vertices) == 2 and [sorted(region) for region in ours.regions] == [[0, 1]] * 6
    np.testing.assert_allclose(np.abs(ours.vertices), [[0, 0, 1]] * 2, atol=1e-15)


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: gpuvoronoi.Voronoi(np.zeros((4, 3))), r"points must have the shape \(n, 2\)"),
        (lambda: gpuvoronoi.Voronoi(np.zeros((0, 2))), r"points must have the shape \(n, 2\)"),
        (lambda: gpuvoronoi.Voronoi([(0, 0), (1, np.nan)]), "points: row 1 is not finite"),
        (lambda: gpuvoronoi.Voronoi([(0, 0), (1, 1)], furthest_site=True), "furthest_site: unsup"),
        (lambda: gpuvoronoi.SphericalVoronoi([(0, 0, 1), (0, 1, 1)]), "row 1 is not on the sphere"),
        (lambda: gpuvoronoi.SphericalVoronoi([(0, 0, 1), (1, 0, 0), (0, 0, 1)]), "same place"),
        (lambda: gpuvoronoi.SphericalVoronoi([(0, 0, 1)], center=(0, 0)), "center must have"),
    ],
)
def test_errors(make, says):
    with pytest.raises(ValueError, match=says):
        make()
