"""Rasters by the package: nearest seeds, distances, directions, values of fields; statistics; regions."""

import gpuvoronoi
import numpy as np
from osgeo import gdal, gdal_array, ogr

from .. import datasets
from ..datasets import cells, open_dataset, opened, reference_of, wkt
from ..geodesics import GLOBE
from ..i18n import tr
from ..messages import REQUESTED
from ..styles import colored
from . import layers
from ..arguments import Options, Unsupported

ID_FIELDS = [("id", ogr.OFTInteger64), ("value", ogr.OFTInteger64)]


def run(options, job):
    """The main job of the command."""
    raster = options.take("--seeds-raster")
    seeds = Cells(raster, options) if raster is not None else Features(options)
    results = {
        name: options.take(f"--{name}") for name in ("distance", "azimuth", "polygons", "stats")
    }
    kind, creation = options.take("--ot"), options.take("--co", [])
    sums = dict(text.partition("=")[::2] for text in options.take("--sum", []))
    grid = Grid(seeds, options)
    metric = options.take("--metric")
    name, reason = (metric, REQUESTED) if metric else gpuvoronoi.default_metric(wkt(grid.crs))
    if seeds.level is not None:
        name, reason = metric or "geodesic", reason if metric else "default for the mesh"
    arguments = {
        **seeds.on(grid, name in GLOBE),
        "metric": name,
        "max_distance": options.number("--max-distance", np.inf),
        "mask": mask_of(options.take("--mask"), options.take("--mask-layer"), grid),
        "backend": job.backend,
        "workers": job.workers,
        "progress": job.tick,
    }
    wanted = [
        "allocation",
        *["proximity"] * bool(results["distance"]),
        *["direction"] * bool(results["azimuth"]),
    ]
    precision = options.take("--distance-type", "Float32").lower()
    options.finish()
    answer = gpuvoronoi.voronoi(seeds.given, variables=wanted, dtype=precision, **arguments)
    bands = {key: np.asarray(answer[key]).reshape(-1, grid.rows, grid.columns) for key in wanted}
    values, nodata = seeds.values(bands["allocation"], kind)
    if options.positional:
        grid.write(options.positional[0], values, nodata, "", seeds.title, creation, seeds.names)
    unit = "metre" if name in GLOBE else grid.unit
    for key, text, unit in (("distance", "distance to", unit), ("azimuth", "azimuth to", "degree")):
        if results[key]:
            band = bands["proximity" if key == "distance" else "direction"]
            grid.write(results[key], band, np.nan, unit, text, creation)
    if results["polygons"]:
        seeds.write_regions(results["polygons"], grid, values[0], nodata)
    if results["stats"]:
        write_statistics(results["stats"], sums, seeds, grid, arguments, job)
    count, empty = (
        grid.rows * grid.columns,
        int(((values[0] == nodata) | (values[0] != values[0])).sum()),
    )
    if empty == count:
        job.warn("cells-empty", f"0 of {count} cells have a seed", count)
    return job.report(
        backend=job.engine,
        metric={"name": name, "reason": reason},
        grid=grid.report,
        cells={"count": count, "without_seed": empty},
        seeds={"used": seeds.used, "left_out": seeds.left_out, "without_cells": None},
    )


class Grid:
    """Rows and columns of cells, `transform` in GDAL's order, and a coordinate system of GDAL, which may be None."""

    def __init__(self, seeds, options):
        like, given = options.take("--like"), reference_of(options.take("--crs"))
        extent, size, step = (
            options.take("--extent"),
            options.take("--size"),
            options.number("--res"),
        )
        if like is None and not any((given, extent, size, step)):
            like = seeds.path
        if like is not None:
            dataset = opened(like)
            self.crs = reference_of(wkt(dataset.GetSpatialRef())) or given
            self.transform = dataset.GetGeoTransform()
            self.rows, self.columns = dataset.RasterYSize, dataset.RasterXSize
        else:
            self.crs, box = (
                given or seeds.crs,
                extent and [float(number) for number in extent.split(",")],
            )
            made = gpuvoronoi.default_grid(
                seeds.given, crs=wkt(self.crs), extent=box, resolution=step, level=seeds.level
            )
            self.transform, (self.rows, self.columns) = made["transform"], made["shape"]
            if size is not None:
                self.columns, self.rows = map(int, size.split(","))
                width, height = (box[2] - box[0]) / self.columns, (box[3] - box[1]) / self.rows
                self.transform = (box[0], width, 0.0, box[3], 0.0, -height)
        self.arguments = {
            "shape": (self.rows, self.columns),
            "transform": self.transform,
            "crs": wkt(self.crs),
        }
        name = (
            ""
            if self.crs is None
            else "degree"
            if self.crs.IsGeographic()
            else self.crs.GetLinearUnitsName()
        )
        self.unit = "metre" if name.lower() in ("metre", "meter", "metres", "meters", "m") else name
        size, crs = [self.transform[1], -self.transform[5]], datasets.described(self.crs)
        self.report = {
            "width": self.columns,
            "height": self.rows,
            "cell_size": size,
            "unit": self.unit,
            "crs": crs,
        }

    def in_memory(self, bands, dtype):
        kind = gdal_array.NumericTypeCodeToGDALTypeCode(np.dtype(dtype))
        return datasets.in_memory(self.columns, self.rows, self.transform, self.crs, bands, kind)

    def write(self, path, bands, nodata, unit, title, creation, names=None):
        """Makes a raster file. `names` of values become its attribute table."""
        table, nodata = None, int(nodata) if bands.dtype.kind in "iu" else float(nodata)
        if names and len(names) <= 65535:
            names = {
                value: names[value] for value in np.unique(bands[0]).tolist() if value in names
            }
            table = datasets.attribute_table(names, colored(names))
        made = self.in_memory(len(bands), bands.dtype)
        datasets.write_raster(
            path, made, list(map(np.ascontiguousarray, bands)), nodata, unit, title, table, creation
        )


class Features:
    """Seeds are the features of a layer."""

    title, path, names, first = "id of", None, {}, {}

    def __init__(self, options):
        frame = layers.read(
            options.take("--seeds"), options.take("--layer"), options.take("--seeds-crs")
        )
        field, weight, self.attribute = map(options.take, ("--id", "--weight-field", "--attribute"))
        skip, weighting = options.take("--skip-invalid", False), options.take("--weighting")
        self.level = None if "--level" not in options.values else int(options.take("--level"))
        ids = frame[field] if field else frame.index.to_series() + 1
        text = field and frame.attrs["types"][field] == ogr.OFTString
        if text:  # the number of the first feature with the text; those without have their own
            names, numbers = ids.fillna(""), frame.index.to_series()
            ids = numbers.where(names == "", numbers.groupby(names.to_numpy()).transform("first"))
        good = np.ones(len(frame), bool)
        for name in filter(None, (None if text else field, weight, self.attribute)):
            missing = frame[name].isna().to_numpy()
            if missing.any() and not skip:
                raise ValueError(
                    tr("“{field}” has empty values or text; expected numbers").format(field=name)
                )
            good &= ~missing
        self.frame, self.ids = frame[good], ids.to_numpy()[good].astype(np.int64)
        self.frame.attrs = frame.attrs
        self.crs, self.given, self.used = (
            frame.attrs["crs"],
            self.frame[["geometry"]],
            int(good.sum()),
        )
        self.left_out = len(frame) - self.used
        label = (
            field
            if text
            else next((one for one in frame.attrs["types"] if one.lower() == "name"), None)
        )
        labels = self.frame[label].fillna("").astype(str).tolist() if label else [""] * self.used
        self.first = dict(zip(self.ids[::-1].tolist(), range(self.used - 1, -1, -1)))
        self.names = {value: labels[row] for value, row in self.first.items()}
        self.arguments = {
            "k": int(options.take("-k", 1)),
            "edges": options.take("--edges", "straight"),
            "boundary": options.take("--boundary", False),
            "skip_invalid": skip,
            "level": self.level,
        }
        if weighting is not None:
            self.arguments.update(weighting=weighting, weights=self.frame[weight].to_numpy(float))

    def on(self, grid, globe):
        """The arguments of the package for a grid, with distances on the globe or not."""
        moved = globe and self.crs is not None and not self.crs.IsGeographic()
        if (moved or self.given.crs != grid.arguments["crs"]) and not (
            self.given.geom_type == "Point"
        ).all():
            raise Unsupported(tr("Lines and polygons in another coordinate system than the raster"))
        return {**grid.arguments, **self.arguments}

    def values(self, numbers, kind):
        """The ids of the nearest, or their values of a field, and what stands for none."""
        values, kind = (
            self.ids,
            None if kind is None else np.dtype({"Byte": "uint8"}.get(kind, kind.lower())),
        )
        if self.attribute:
            self.title, self.names = f"{self.attribute} of", {}
            given = self.frame[self.attribute].tolist()
            values = np.array(
                given, float if any(isinstance(one, float) for one in given) else np.int64
            )
        if values.dtype.kind == "f" or (kind is not None and kind.kind == "f"):
            kind, nodata = kind or np.dtype(float), np.nan
        else:
            kind, nodata = gpuvoronoi.no_seed(values, kind)
        return np.where(numbers < 0, nodata, values[numbers]).astype(kind), nodata

    def write_regions(self, path, grid, values, nodata):
        """The regions as multipolygons, along the edges of the cells, with the attributes of their seeds."""
        present, numbers = np.unique(values, return_inverse=True)
        numbers = numbers.reshape(values.shape).astype(np.int32)
        found = datasets.regions(
            grid.in_memory(2, np.int32), numbers, (values != nodata).astype(np.int32)
        )
        rows = ((int(present[number]), found[number]) for number in sorted(found))
        lines = (([value, value], self.first.get(value), shape) for value, shape in rows)
        datasets.write_layer(
            path, "regions", grid.crs, ogr.wkbMultiPolygon, ID_FIELDS, lines, self.frame
        )


class Cells(Features):
    """Seeds are the cells of a raster, all of one value together."""

    level, left_out, frame = None, 0, None

    def __init__(self, path, options):
        dataset = opened(path)
        values, there = cells(dataset, int(options.take("--band", 1)))
        targets = [float(value) for value in options.take("--values", "").split(",") if value]
        there &= np.isin(values, targets) if targets else values != 0
        self.crs, self.path, self.used = (
            reference_of(wkt(dataset.GetSpatialRef())),
            path,
            int(there.sum()),
        )
        self.given, self.found = (
            np.ma.MaskedArray(values, ~there),
            np.unique(values[there]).astype(np.int64),
        )
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
    return (
        datasets.sampled(
            dataset, grid.in_memory(1, np.uint8), (there & (values != 0)).astype(np.uint8)
        )
        != 0
    )


def write_statistics(path, sums, seeds, grid, arguments, job):
    """A row for each seed."""
    counts = {name: sum_of(name, raster, grid, job) for name, raster in sums.items()}
    table = gpuvoronoi.statistics(seeds.given, sums=counts, ids=np.arange(seeds.used), **arguments)
    rows, columns = table.pop("id").tolist(), [table[name].tolist() for name in table.columns]
    kinds = [
        ogr.OFTReal if table[name].dtype.kind == "f" else ogr.OFTInteger64 for name in table.columns
    ]
    ids, shapes = seeds.ids.tolist(), seeds.given.geometry.tolist()
    lines = (
        ([ids[row], ids[row], *values], row, shapes[row].wkb)
        for row, *values in zip(rows, *columns)
    )
    fields = [*ID_FIELDS, *zip(table.columns, kinds)]
    datasets.write_layer(path, "statistics", seeds.crs, ogr.wkbUnknown, fields, lines, seeds.frame)


def sum_of(name, path, grid, job):
    """The values of a raster with the same cells; empty ones are 0."""
    dataset = opened(path)
    size = dataset.RasterYSize, dataset.RasterXSize
    if (size, dataset.GetGeoTransform()) != (grid.arguments["shape"], tuple(grid.transform)):
        raise Unsupported(tr("{name}: another grid than that of the result").format(name=name))
    values, there = cells(dataset)
    count = int((there & (values < 0)).sum())
    if count > 0:
        job.warn("sum-negative", f"--sum {name}: {count} cells with negative values", count)
    return np.where(there, values, 0.0)
