"""The cells of a raster, from the options of the command, with its defaults."""

import math

import numpy as np
from osgeo import gdal

from ..datasets import open_dataset
from ..i18n import tr
from .options import Unsupported
from .sources import clone, reference_of, same, wkt

LONGER_SIDE = 2048
GLOBE = ("geodesic", "great-circle")
PADDING = 0.1  # of the extent of the seeds, on each side


def default_metric(reference):
    """Name of the metric and the reason, as the library decides it."""
    import gpuvoronoi

    return gpuvoronoi.default_metric(None if reference is None else wkt(reference))


def ellipsoid_of(reference):
    """Semi-major axis and flattening, as the package accepts them."""
    import gpuvoronoi

    return gpuvoronoi.ellipsoid_of(wkt(reference))


class Grid:
    """Rows and columns of cells, `transform` in GDAL's order, and a coordinate system, which may be None."""

    def __init__(self, columns, rows, transform, crs):
        self.columns, self.rows, self.transform, self.crs = columns, rows, tuple(transform), crs
        if self.transform[2] != 0.0 or self.transform[4] != 0.0 or self.transform[1] <= 0.0 or self.transform[5] >= 0.0:
            raise Unsupported("--like")

    @property
    def lonlat(self):
        return self.crs is not None and bool(self.crs.IsGeographic())

    def centres(self, first, last):
        """x and y of the cells of rows, each as the package computes them."""
        g = self.transform
        x = (g[0] + (np.arange(self.columns) + 0.5) * g[1]) + 0.5 * g[2]
        y = (g[3] + 0.5 * g[4]) + (np.arange(first, last) + 0.5) * g[5]
        return np.broadcast_to(x, (last - first, self.columns)), np.broadcast_to(
            y[:, None], (last - first, self.columns)
        )

    def unit(self):
        """The unit of coordinates, as GDAL names it."""
        if self.crs is None:
            return ""
        if self.lonlat:
            return "degree"
        name = self.crs.GetLinearUnitsName()
        return "metre" if name.lower() in ("metre", "meter", "metres", "meters", "m") else name

    def described(self):
        """As in the report of the command."""
        name = ""
        if self.crs is not None:
            code = self.crs.GetAuthorityCode(None)
            name = self.crs.GetName() + (f" ({self.crs.GetAuthorityName(None)}:{code})" if code else "")
        size = [self.transform[1], -self.transform[5]]
        return {"width": self.columns, "height": self.rows, "cell_size": size, "unit": self.unit(), "crs": name}


def of_template(path):
    dataset = open_dataset(path)
    if dataset is None:
        raise OSError(tr("Cannot read {}").format(path))
    return Grid(dataset.RasterXSize, dataset.RasterYSize, dataset.GetGeoTransform(), clone(dataset.GetSpatialRef()))


def cells(length, resolution):
    """Cells along a side: a rest of half a cell or more is one more cell."""
    exact = length / resolution + 0.5
    if exact >= 2**31:
        raise ValueError(tr("Too many cells in the raster; choose a larger cell size or a smaller area"))
    if exact < 1.0:
        raise ValueError(tr("Cells larger than the area; choose a smaller cell size"))
    return int(exact)


def of_options(options, crs, box, level):
    """The grid that the options describe. `crs` and `box` are those of the seeds."""
    like = options.take("--like")
    if like is not None:
        made = of_template(like)
        made.crs = made.crs or reference_of(options.take("--crs"))
        return made
    given = options.take("--crs")
    reference = reference_of(given) if given else crs
    extent, size, resolution = options.take("--extent"), options.take("--size"), options.number("--res")
    lonlat = reference is not None and bool(reference.IsGeographic())
    if extent is not None:
        corners = [float(number) for number in extent.split(",")]
    elif lonlat:
        corners = [-180.0, -90.0, 180.0, 90.0]
    elif same(reference, crs):
        corners = padded(reference, box)
    else:
        raise Unsupported("--crs")
    width, height = corners[2] - corners[0], corners[3] - corners[1]
    if size is not None:
        columns, rows = map(int, size.split(","))
        return Grid(columns, rows, (corners[0], width / columns, 0.0, corners[3], 0.0, -(height / rows)), reference)
    if resolution is None and level is not None and lonlat:
        step = math.ldexp(360.0, -(level + 3))
    else:
        step = resolution or max(width, height) / LONGER_SIDE
    rows = 1 if resolution is None and height < 0.5 * step else cells(height, step)
    return Grid(cells(width, step), rows, (corners[0], step, 0.0, corners[3], 0.0, -step), reference)


def padded(reference, box):
    width, height = box[2] - box[0], box[3] - box[1]
    x, y = PADDING * width, PADDING * height
    if width == 0.0 and height == 0.0:
        x = y = 1000.0 / reference.GetLinearUnits() if reference is not None and reference.IsProjected() else 0.5
    elif width == 0.0:
        x = y
    elif height == 0.0:
        y = x
    return [box[0] - x, box[1] - y, box[2] + x, box[3] + y]


def mask_of(options, grid):
    """An array of the cells that are not left out; None if all are."""
    path, layer = options.take("--mask"), options.take("--mask-layer")
    if path is None:
        return None
    made = gdal.GetDriverByName("MEM").Create("", grid.columns, grid.rows, 1, gdal.GDT_Byte)
    made.SetGeoTransform(grid.transform)
    if grid.crs is not None:
        made.SetSpatialRef(grid.crs)
    polygons = open_dataset(path, gdal.OF_VECTOR)
    if polygons is not None:
        opened = polygons.GetLayerByName(layer) if layer else polygons.GetLayer(0)
        if not same(clone(opened.GetSpatialRef()), grid.crs):
            raise Unsupported("--mask")
        gdal.RasterizeLayer(made, [1], opened, burn_values=[1])
        return made.ReadAsArray() != 0
    raster = open_dataset(path)
    if raster is None:
        raise OSError(tr("Cannot read {}").format(path))
    other = of_template(path)
    if not same(other.crs, grid.crs):
        raise Unsupported("--mask")
    inside = cells_of_raster(raster)
    found = np.zeros((grid.rows, grid.columns), bool)
    x, y = grid.centres(0, grid.rows)
    column = np.floor((x - other.transform[0]) / other.transform[1])
    row = np.floor((y - other.transform[3]) / other.transform[5])
    there = (column >= 0) & (column < other.columns) & (row >= 0) & (row < other.rows)
    found[there] = inside[row[there].astype(int), column[there].astype(int)]
    return found


def cells_of_raster(dataset, number=1):
    """Which cells of a band are neither empty nor 0."""
    band = dataset.GetRasterBand(number)
    values = band.ReadAsArray()
    return (values != 0) & (band.GetMaskBand().ReadAsArray() != 0) & ~np.isnan(values.astype(float))
