"""--cell-borders: HEALPix, S2 and H3 cells as polygons. Oracles: the cells cover the globe once, areas, corners of healpy, s2sphere and h3."""

import numpy as np
import pytest
from osgeo import gdal, ogr
from test_cells_of import areas_km2, built_with_h3, h3, seeds, unit  # noqa: F401


def rings(work, name):
    """The points of each cell's border, longitudes and latitudes, and its parts as polygons of OGR."""
    opened = gdal.OpenEx(str(work.path(name)), gdal.OF_VECTOR)
    layer = opened.GetLayer("cells")
    shapes = [feature.geometry().Clone() for feature in layer]
    assert all(shape.IsValid() for shape in shapes)
    return shapes, [
        np.concatenate([np.array(p.GetGeometryRef(0).GetPoints())[:, :2] for p in shape])
        for shape in shapes
    ]


def solid_angle(shape):
    """Of a polygon with lines that are straight in degrees: the integral of the sine of the latitude."""
    total = 0.0
    for part in shape:
        lon, lat = np.radians(np.array(part.GetGeometryRef(0).GetPoints())[:, :2]).T
        flat = np.diff(lat) == 0
        mean = np.where(
            flat, np.sin(lat[1:]), -np.diff(np.cos(lat)) / np.where(flat, 1, np.diff(lat))
        )
        total -= np.sum(mean * np.diff(lon))
    return total


@pytest.mark.parametrize(
    "name", ["healpix:0", "healpix:3", "healpix:3,ring", "s2:0", "s2:1", "s2:4", "h3:0", "h3:2"]
)
def test_borders(seeds, request, name):
    """The cells cover the globe once, each has its center and its area; corners are those of the systems' own packages."""
    if name.startswith("h3"):
        request.getfixturevalue("built_with_h3")
    seeds.ok("--seeds", "s.csv", "--cells-of", name, "--cells", "out.gpkg", "--cell-borders")
    opened = gdal.OpenEx(str(seeds.path("out.gpkg")))
    layer = opened.GetLayer("cells")
    lon, lat = np.array([(f.GetField("lon"), f.GetField("lat")) for f in layer]).T
    area = np.array([f.GetField("area_km2") for f in layer])
    shapes, borders = rings(seeds, "out.gpkg")
    solid = np.array([solid_angle(shape) for shape in shapes])
    assert solid.sum() == pytest.approx(4 * np.pi, rel=1e-12)
    assert np.allclose(areas_km2(lat, solid), area, rtol=0.02)
    centers = [ogr.CreateGeometryFromWkt(f"POINT ({x} {y})") for x, y in zip(lon, lat)]
    assert all(shape.Intersects(center) for shape, center in zip(shapes, centers))
    assert all(len(border) > 16 and np.abs(border[:, 0]).max() <= 180 for border in borders)
    for cell in range(0, len(shapes), 7):
        for corner in corners(name, cell):
            gap = np.linalg.norm(unit(*borders[cell].T) - corner, axis=1).min()
            assert gap < 1e-12, (cell, corner)


def corners(name, cell):
    """Of a cell by another package, as unit vectors; none without it."""
    system, _, level = name.partition(":")
    level, _, scheme = level.partition(",")
    if system == "healpix":
        try:
            import healpy
        except ImportError:
            return []
        return healpy.boundaries(2 ** int(level), cell, nest=scheme == "").T
    if system == "s2":
        try:
            import s2sphere
        except ImportError:
            return []
        made = s2sphere.Cell(s2sphere.CellId((2 * cell + 1) << 2 * (30 - int(level))))
        points = [made.get_vertex(i) for i in range(4)]
        return [np.array([p[0], p[1], p[2]]) for p in points]
    try:
        import h3 as package
    except ImportError:
        return []
    tokens = h3(int(level))[1]
    return [unit(x, y) for y, x in package.cell_to_boundary(tokens[cell])]


def test_borders_of_authalic_latitudes(seeds):
    """Equal areas on the ellipsoid: all latitudes of corners move as those of centers do."""
    for name in ("healpix:2", "healpix:2,authalic"):
        seeds.ok(
            "--seeds", "s.csv", "--cells-of", name, "--cells", f"{len(name)}.gpkg", "--cell-borders"
        )
    geodetic, authalic = (
        rings(seeds, f"{len(name)}.gpkg")[1] for name in ("healpix:2", "healpix:2,authalic")
    )
    e2 = (2 - 1 / 298.257223563) / 298.257223563
    e = np.sqrt(e2)

    def q(sine):
        return (1 - e2) * (
            sine / (1 - e2 * sine**2) - np.log((1 - e * sine) / (1 + e * sine)) / (2 * e)
        )

    for one, other in zip(geodetic, authalic):
        expected = np.arcsin(q(np.sin(np.radians(other[:, 1]))) / q(1.0))
        assert np.allclose(one[:, 0], other[:, 0], rtol=0, atol=1e-12)
        assert np.allclose(np.radians(one[:, 1]), expected, rtol=0, atol=1e-7)  # arcsin


@pytest.mark.parametrize(
    "options, words",
    [
        (
            ["--cells-of", "s2:1", "--cells", "no.csv"],
            ["--cell-borders", "no.csv", "no geometries"],
        ),
        (["--cells-of", "s2:1", "--cells", "no.nc"], ["--cell-borders", "no.nc", "no geometries"]),
        (["--cells-of", "s.csv", "--cells", "no.gpkg"], ["--cell-borders", "--cells-of"]),
        (["--level", "2", "--cells", "no.gpkg"], ["--cell-borders", "--cells-of"]),
        (["--cells-of", "s2:1", "--stats", "no.csv"], ["--cell-borders", "--cells"]),
    ],
)
def test_refused_borders(seeds, options, words):
    seeds.fails(
        "--seeds",
        "s.csv",
        "--cell-borders",
        *options,
        status=2 if len(words) == 2 else 1,
        has=words,
    )
