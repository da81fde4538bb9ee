"""Rasters by the package: nearest seeds, distances, directions, values of fields; statistics; regions."""

import types

import gpuvoronoi
import numpy as np
from osgeo import gdal, gdal_array, ogr

from .. import datasets
from ..arguments import Options, Unsupported
from ..datasets import cells, open_dataset, opened, reference_of, wkt
from ..geodesics import GLOBE
from ..i18n import tr
from ..messages import REQUESTED
from ..styles import colored
from . import layers

ID_FIELDS = [("id", ogr.OFTInteger64), ("value", ogr.OFTInteger64)]


def run(options, job):
    """The main job of the command."""
    raster = options.take("--seeds-raster")
    seeds = Features(options) if raster is None else Cells(raster, options)
    paths = {name: options.take(f"--{name}") for name in ("distance", "azimuth")}
    polygons, stats = options.take("--polygons"), options.take("--stats")
    kind, creation = options.take("--ot"), options.take("--co", [])
    sums = dict(text.partition("=")[::2] for text in options.take("--sum", []))
    grid = Grid(seeds, options)
    metric = metric_of(options.take("--metric"), seeds, grid)
    mask = mask_of(options.take("--mask"), options.take("--mask-layer"), grid)
    arguments = seeds.on(grid, metric["name"] in GLOBE)
    arguments.update(metric=metric["name"], mask=mask)
    arguments["max_distance"] = options.number("--max-distance", np.inf)
    arguments.update(backend=job.backend, workers=job.workers, progress=job.tick)
    precision = options.take("--distance-type", "Float32").lower()
    options.finish()
    results = ["allocation"]
    results += ["proximity"] if paths["distance"] else []
    results += ["direction"] if paths["azimuth"] else []
    found = gpuvoronoi.voronoi(seeds.given, variables=results, dtype=precision, **arguments)
    shape = -1, grid.rows, grid.columns
    bands = {name: np.asarray(found[name]).reshape(shape) for name in results}
    values, nodata = seeds.values(bands["allocation"], kind)
    if options.positional:
        grid.write(options.positional[0], values, nodata, "", seeds.title, creation, seeds.names)
    if paths["distance"]:
        unit = "metre" if metric["name"] in GLOBE else grid.unit
        grid.write(paths["distance"], bands["proximity"], np.nan, unit, "distance to", creation)
    if paths["azimuth"]:
        grid.write(paths["azimuth"], bands["direction"], np.nan, "degree", "azimuth to", creation)
    if polygons:
        seeds.write_regions(polygons, grid, values[0], nodata)
    if stats:
        write_statistics(stats, sums, seeds, grid, arguments)
    count = grid.rows * grid.columns
    empty = int(((values[0] == nodata) | (values[0] != values[0])).sum())
    if empty == count:
        job.warn("cells-empty", f"0 of {count} cells have a seed", count)
    used = {"used": seeds.used, "left_out": seeds.left_out, "without_cells": None}
    counts = {"count": count, "without_seed": empty}
    return job.report(backend=job.engine, metric=metric, grid=grid.report, cells=counts, seeds=used)


def metric_of(metric, seeds, grid):
    if metric:
        return {"name": metric, "reason": REQUESTED}
    if seeds.level is not None:
        return {"name": "geodesic", "reason": "default for the mesh"}
    return dict(zip(("name", "reason"), gpuvoronoi.default_metric(wkt(grid.crs))))


class Grid:
    """Rows and columns of cells, `transform` in GDAL's order, and a coordinate system of GDAL, which may be None."""

    def __init__(self, seeds, options):
        like, given = options.take("--like"), reference_of(options.take("--crs"))
        extent, size = options.take("--extent"), options.take("--size")
        step = options.number("--res")
        if like is None and not any((given, extent, size, step)):
            like = seeds.path
        if like is not None:
            dataset = opened(like)
            self.crs = reference_of(wkt(dataset.GetSpatialRef())) or given
            self.transform = dataset.GetGeoTransform()
            self.rows, self.columns = dataset.RasterYSize, dataset.RasterXSize
        else:
            self.crs = given or seeds.crs
            shape = size and [int(number) for number in reversed(size.split(","))]
            box = extent and [float(number) for number in extent.split(",")]
            more = {"crs": wkt(self.crs), "level": seeds.level}
            made = gpuvoronoi.default_grid(
                seeds.given, extent=box, resolution=step, shape=shape, **more
            )
            self.transform, (self.rows, self.columns) = made["transform"], made["shape"]
        self.arguments = {"shape": (self.rows, self.columns), "transform": self.transform}
        self.arguments["crs"] = wkt(self.crs)
        self.unit, sides = datasets.unit_of(self.crs), [self.transform[1], -self.transform[5]]
        self.report = {"width": self.columns, "height": self.rows, "cell_size": sides}
        self.report.update(unit=self.unit, crs=datasets.described(self.crs))

    def in_memory(self, bands, dtype):
        kind = gdal_array.NumericTypeCodeToGDALTypeCode(np.dtype(dtype))
        return datasets.in_memory(self.columns, self.rows, self.transform, self.crs, bands, kind)

    def write(self, path, bands, nodata, unit, title, creation, names=None):
        """Makes a raster file. `names` of values become its attribute table."""
        table, nodata = None, int(nodata) if bands.dtype.kind in "iu" else float(nodata)
        if names and len(names) <= 65535:
            present = np.unique(bands[0]).tolist()
            names = {value: names[value] for value in present if value in names}
            table = datasets.attribute_table(names, colored(names))
        made, bands = self.in_memory(len(bands), bands.dtype), map(np.ascontiguousarray, bands)
        datasets.write_raster(path, made, list(bands), nodata, unit, title, table, creation)


def planned_grid(options, seeds, crs):
    """As engine.planned_grid()."""
    options = Options([*options, "--"])
    of = {"given": tuple(zip(*seeds)), "path": None, "level": options.take("--level")}
    of["level"] = of["level"] and int(of["level"])
    try:
        grid = Grid(types.SimpleNamespace(crs=reference_of(crs or None), **of), options)
    except (RuntimeError, TypeError, ValueError):
        return None  # the run gives the reason
    return grid.columns, grid.rows, *grid.report["cell_size"]


class Features:
    """Seeds are the features of a layer."""

    title, path, names, first = "id of", None, {}, {}

    def __init__(self, options):
        frame = layers.of_seeds(options)
        field, weight, self.attribute = map(options.take, ("--id", "--weight-field", "--attribute"))
        skip, weighting = options.take("--skip-invalid", False), options.take("--weighting")
        self.level = options.take("--level")
        self.level = None if self.level is None else int(self.level)
        ids, label = frame[field] if field else frame.index.to_series() + 1, None
        if field and frame.attrs["types"][field] == ogr.OFTString:
            label, ids = field, layers.numbers_of_text(ids)
        elif "name" in map(str.lower, frame.attrs["types"]):
            label = next(one for one in frame.attrs["types"] if one.lower() == "name")
        good = np.ones(len(frame), bool)
        for name in filter(None, (None if label == field else field, weight, self.attribute)):
            missing = frame[name].isna().to_numpy()
            if missing.any() and not skip:
                text = tr("“{field}” has empty values or text; expected numbers")
                raise ValueError(text.format(field=name))
            good &= ~missing
        self.frame, self.ids = frame[good], ids.to_numpy()[good].astype(np.int64)
        self.frame.attrs = frame.attrs
        self.crs, self.given = reference_of(frame.attrs["crs"]), self.frame[["geometry"]]
        self.used, self.left_out = int(good.sum()), int((~good).sum())
        labels = self.frame[label].fillna("").astype(str).tolist() if label else [""] * self.used
        self.first = dict(zip(self.ids[::-1].tolist(), range(self.used - 1, -1, -1)))
        self.names = {value: labels[row] for value, row in self.first.items()}
        self.arguments = {"k": int(options.take("-k", 1)), "level": self.level}
        self.arguments["edges"] = options.take("--edges", "straight")
        self.arguments.update(boundary=options.take("--boundary", False), skip_invalid=skip)
        if weighting is not None:
            self.arguments.update(weighting=weighting, weights=self.frame[weight].to_numpy(float))

    def on(self, grid, globe):
        """The arguments of the package for a grid, with distances on the globe or not."""
        moved = globe and self.crs is not None and not self.crs.IsGeographic()
        points = (self.given.geom_type == "Point").all()
        if (moved or self.given.crs != grid.arguments["crs"]) and not points:
            raise Unsupported(tr("Lines and polygons in another coordinate system than the raster"))
        return {**grid.arguments, **self.arguments}

    def values(self, numbers, kind):
        """The ids of the nearest, or their values of a field, and what stands for none."""
        values = self.ids
        kind = None if kind is None else np.dtype({"Byte": "uint8"}.get(kind, kind.lower()))
        if self.attribute:
            self.title, self.names = f"{self.attribute} of", {}
            given = self.frame[self.attribute].tolist()
            real = any(isinstance(one, float) for one in given)
            values = np.array(given, float if real else np.int64)
        if values.dtype.kind == "f" or (kind is not None and kind.kind == "f"):
            kind, nodata = kind or np.dtype(float), np.nan
        else:
            kind, nodata = gpuvoronoi.no_seed(values, kind)
        return np.where(numbers < 0, nodata, values[numbers]).astype(kind), nodata

    def write_regions(self, path, grid, values, nodata):
        """The regions as multipolygons, along the edges of the cells, with the attributes of their seeds."""
        present, numbers = np.unique(values, return_inverse=True)
        numbers = numbers.reshape(values.shape).astype(np.int32)
        inside, made = (values != nodata).astype(np.int32), grid.in_memory(2, np.int32)
        found = datasets.regions(made, numbers, inside)
        rows = ((int(present[number]), found[number]) for number in sorted(found))
        lines = (([value, value], self.first.get(value), shape) for value, shape in rows)
        kind = ogr.wkbMultiPolygon
        datasets.write_layer(path, "regions", grid.crs, kind, ID_FIELDS, lines, self.frame)


class Cells(Features):
    """Seeds are the cells of a raster, all of one value together."""

    level, left_out, frame = None, 0, None

    def __init__(self, path, options):
        dataset = opened(path)
        values, there = cells(dataset, int(options.take("--band", 1)))
        targets = [float(value) for value in options.take("--values", "").split(",") if value]
        there &= np.isin(values, targets) if targets else values != 0
        self.crs, self.path = reference_of(wkt(dataset.GetSpatialRef())), path
        self.given, self.used = np.ma.MaskedArray(values, ~there), int(there.sum())
        self.found = np.unique(values[there]).astype(np.int64)
        self.arguments = {"target_values": targets}

    def on(self, grid, globe):
        if grid.arguments != Grid(self, Options(["--"])).arguments:
            raise Unsupported(tr("Another raster than that of the seeds"))
        return {**self.arguments, "transform": grid.transform, "crs": grid.arguments["crs"]}

    def values(self, numbers, kind):
        return numbers, gpuvoronoi.no_seed(self.found)[1]


def mask_of(path, layer, grid):
    """Polygons as they are, or an array of the cells of another raster; None of nothing."""
    if path is None or open_dataset(path, gdal.OF_VECTOR) is not None:
        return None if path is None else layers.read(path, layer)[["geometry"]]
    dataset = opened(path)
    if (dataset.GetSpatialRef() is None) != (grid.crs is None):
        raise ValueError(tr("Missing coordinate system of a layer; set it in its properties"))
    values, there = cells(dataset)
    inside = (there & (values != 0)).astype(np.uint8)
    return datasets.sampled(dataset, grid.in_memory(1, np.uint8), inside) != 0


def write_statistics(path, sums, seeds, grid, arguments):
    """A row for each seed."""
    counts = {name: sum_of(name, raster, grid) for name, raster in sums.items()}
    table = gpuvoronoi.statistics(seeds.given, sums=counts, ids=np.arange(seeds.used), **arguments)
    rows, columns = table.pop("id").tolist(), [table[name].tolist() for name in table.columns]
    real = {name: table[name].dtype.kind == "f" for name in table.columns}
    fields = [(name, ogr.OFTReal if real[name] else ogr.OFTInteger64) for name in table.columns]
    ids, shapes = seeds.ids.tolist(), seeds.given.geometry.tolist()
    lines = (([ids[i], ids[i], *values], i, shapes[i].wkb) for i, *values in zip(rows, *columns))
    fields, kind = [*ID_FIELDS, *fields], ogr.wkbUnknown
    datasets.write_layer(path, "statistics", seeds.crs, kind, fields, lines, seeds.frame)


def sum_of(name, path, grid):
    """The values of a raster with the same cells; empty ones are 0."""
    dataset = opened(path)
    size = dataset.RasterYSize, dataset.RasterXSize
    if (size, dataset.GetGeoTransform()) != (grid.arguments["shape"], tuple(grid.transform)):
        raise Unsupported(tr("{name}: another grid than that of the result").format(name=name))
    values, there = cells(dataset)
    return np.where(there, values, 0.0)
