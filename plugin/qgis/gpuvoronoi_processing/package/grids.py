"""The cells of a raster, and files of their values."""

import gpuvoronoi
import numpy as np
from osgeo import gdal_array

from .. import datasets
from ..datasets import opened, reference_of, wkt
from ..styles import coloured

MOST_NAMES = 65535


class Grid:
    """Rows and columns of cells, `transform` in GDAL's order, and a coordinate system of GDAL, which may be None."""

    def __init__(self, seeds, options):
        like, given = options.take("--like"), reference_of(options.take("--crs"))
        extent, size, step = options.take("--extent"), options.take("--size"), options.number("--res")
        if like is None and not any((given, extent, size, step)):
            like = seeds.path
        if like is not None:
            dataset = opened(like)
            self.crs = reference_of(wkt(dataset.GetSpatialRef())) or given
            self.transform = dataset.GetGeoTransform()
            self.rows, self.columns = dataset.RasterYSize, dataset.RasterXSize
        else:
            self.crs, box = given or seeds.crs, extent and [float(number) for number in extent.split(",")]
            made = gpuvoronoi.default_grid(
                seeds.given, crs=wkt(self.crs), extent=box, resolution=step, level=seeds.level
            )
            self.transform, (self.rows, self.columns) = made["transform"], made["shape"]
            if size is not None:
                self.columns, self.rows = map(int, size.split(","))
                width, height = (box[2] - box[0]) / self.columns, (box[3] - box[1]) / self.rows
                self.transform = (box[0], width, 0.0, box[3], 0.0, -height)
        self.arguments = {"shape": (self.rows, self.columns), "transform": self.transform, "crs": wkt(self.crs)}
        name = "" if self.crs is None else "degree" if self.crs.IsGeographic() else self.crs.GetLinearUnitsName()
        self.unit = "metre" if name.lower() in ("metre", "meter", "metres", "meters", "m") else name

    def described(self):
        """As in the report of the command."""
        return {"width": self.columns, "height": self.rows, "cell_size": [self.transform[1], -self.transform[5]],
                "unit": self.unit, "crs": datasets.described(self.crs)}

    def in_memory(self, bands, dtype):
        kind = gdal_array.NumericTypeCodeToGDALTypeCode(np.dtype(dtype))
        return datasets.in_memory(self.columns, self.rows, self.transform, self.crs, bands, kind)

    def write(self, path, bands, nodata, unit, title, creation, names=None):
        """Makes a raster file. `names` of values become its attribute table."""
        made = self.in_memory(len(bands), bands.dtype)
        for number, values in enumerate(bands, 1):
            band = made.GetRasterBand(number)
            # Bands of 64-bit integers accept integers only, with all digits.
            band.SetNoDataValue(int(nodata) if bands.dtype.kind in "iu" else float(nodata))
            band.SetUnitType(unit)
            ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
            band.SetDescription(f"{title} the {'' if number == 1 else f'{number}{ending} '}nearest seed")
            band.WriteArray(np.ascontiguousarray(values))
            if number == 1 and names and len(names) <= MOST_NAMES:
                names = {value: names[value] for value in np.unique(values).tolist() if value in names}
                band.SetDefaultRAT(datasets.attribute_table(names, coloured(names)))
        datasets.write_raster(path, made, creation)
