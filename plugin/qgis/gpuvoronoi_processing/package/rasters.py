"""
Rasters by the package: nearest seeds, distances, directions, values of fields; from points, lines, polygons and cells.
"""

import numpy as np

from ..datasets import open_dataset
from ..i18n import tr
from ..messages import REQUESTED
from . import grids, tables, writing
from .grids import GLOBE, cells_of_raster
from .options import Unsupported
from .sources import Places, same, wkt

WGS84 = 6378137.0, 298.257223563
ROWS = 1 << 20  # cells of a block, where lines and polygons are searched


def run(options, job):
    """The main job of the command."""
    raster = options.take("--seeds-raster")
    question = OfCells(raster, options, job) if raster is not None else OfPlaces(options, job)
    results = {name: options.take(f"--{name}") for name in ("distance", "azimuth", "polygons", "stats")}
    ids = writing.Ids(options.take("--ot"), options.take("--attribute"))
    distance_type = np.dtype(options.take("--distance-type", "Float32").lower())
    creation = options.take("--co", [])
    statistics = tables.Wishes(options) if results["stats"] else None
    options.finish()
    output = options.positional[0] if options.positional else None

    grid = question.grid
    found = question.compute(bool(results["distance"]), bool(results["azimuth"]), distance_type)
    values = question.values(found.numbers, ids)
    if output:
        writing.write_ids(output, grid, values, question, creation)
    if results["distance"]:
        unit = "metre" if question.metric in GLOBE else grid.unit()
        writing.write_reals(results["distance"], grid, found.distance, "distance", unit, creation)
    if results["azimuth"]:
        writing.write_reals(results["azimuth"], grid, found.azimuth, "azimuth", "degree", creation)
    if results["polygons"]:
        tables.write_regions(results["polygons"], grid, values, question)
    if statistics is not None:
        tables.write_statistics(results["stats"], statistics, question, values, job)
    empty = (
        int((found.numbers[0] < 0).sum())
        if found.numbers is not None
        else int((values.bands[0] == values.nodata).sum())
    )
    count = grid.rows * grid.columns
    if empty == count:
        job.warn(
            "cells-empty", tr("0 of {cells} cells have a seed; all are outside the globe").format(cells=count), count
        )
    return job.report(
        metric={"name": question.metric, "reason": question.reason}, grid=grid.described(),
        cells={"count": count, "without_seed": empty}, backend={"name": "gpuvoronoi", "threads": job.threads},
        seeds={"used": question.used, "left_out": question.left_out, "without_cells": None},
    )


class Found:
    """Arrays of bands, rows and columns; those that were not wanted are None."""

    def __init__(self, numbers=None, distance=None, azimuth=None):
        self.numbers, self.distance, self.azimuth = numbers, distance, azimuth


class Question:
    """What all questions have in common: the grid, the metric and the limits."""

    def __init__(self, options, job, crs, box, level=None):
        self.job = job
        self.grid = grids.of_options(options, crs, box, level)
        metric = options.take("--metric")
        default = grids.default_metric(self.grid.crs)
        self.metric, self.reason = (metric, REQUESTED) if metric else default
        if level is not None and metric is None:
            self.metric, self.reason = "geodesic", "default for the mesh"
        if self.metric not in GLOBE and self.grid.lonlat:
            raise ValueError(tr("Unsupported distances here; choose others under “Distances”, or automatic"))
        self.k = int(options.take("-k", 1))
        self.max_distance = options.number("--max-distance", float("inf"))
        self.mask = grids.mask_of(options, self.grid)
        self.crs = crs

    def arguments(self):
        """Of the functions of the package."""
        g = self.grid
        made = {
            "shape": (g.rows, g.columns),
            "transform": g.transform,
            "metric": self.metric,
            "max_distance": self.max_distance,
            "mask": self.mask,
            "backend": self.job.backend,
            "workers": self.job.workers,
            "progress": self.job.tick,
        }
        if not same(self.crs, g.crs) or (self.metric in GLOBE and not self.on_wgs84()):
            if g.crs is not None:
                made["crs"] = wkt(g.crs)
            if self.crs is not None:
                made["seeds_crs"] = wkt(self.crs)
        return made

    def on_wgs84(self):
        crs = self.grid.crs
        return crs is not None and self.grid.lonlat and (crs.GetSemiMajor(), crs.GetInvFlattening()) == WGS84

    def ask(self, seeds, distance, azimuth, kind, **more):
        """The answers of the package, with an axis of bands."""
        import gpuvoronoi

        wanted = ["allocation"] + ["proximity"] * distance + ["direction"] * azimuth
        answer = gpuvoronoi.voronoi(seeds, variables=wanted, dtype=kind, **self.arguments(), **more)
        arrays = {name: np.asarray(answer[name]) for name in wanted}
        bands = {name: array if array.ndim == 3 else array[None] for name, array in arrays.items()}
        return Found(bands["allocation"], bands.get("proximity"), bands.get("direction"))


class OfPlaces(Question):
    """Seeds are points, or lines and polygons."""

    def __init__(self, options, job):
        crs = options.take("--seeds-crs")
        self.places = Places(options.take("--seeds"), options.take("--layer"), crs)
        self.id_field = options.take("--id")
        level = options.take("--level")
        self.level = None if level is None else int(level)
        super().__init__(options, job, self.places.crs, self.places.box(), self.level)
        weighting, field = options.take("--weighting"), options.take("--weight-field")
        self.edges, self.boundary = options.take("--edges", "straight"), bool(options.take("--boundary", False))
        self.skip = bool(options.take("--skip-invalid", False))
        self.left_out = 0
        self.check_points()
        self.weights = {}
        if weighting is not None:
            self.weights = {"weighting": weighting, "weights": np.array(self.places.field(field), float)}
        if self.places.shapes is not None and (self.weights or level is not None):
            raise Unsupported("--weighting" if self.weights else "--level")
        self.used = len(self.places.rows_of_seeds())

    def check_points(self):
        """Points without a place on the globe, and seeds with an empty id."""
        if self.places.shapes is not None:
            return
        good = np.isfinite(self.places.x) & np.isfinite(self.places.y)
        if self.places.crs is not None and self.places.crs.IsGeographic():
            good &= np.abs(self.places.y) <= 90.0
        if self.id_field:
            good &= np.array([value is not None for value in self.places.field(self.id_field)], bool)
        if not good.all() and not self.skip:
            message = tr(
                "Invalid coordinates of a seed; correct them, or check “Leave out points without usable coordinates”"
            )
            raise ValueError(message)
        self.left_out = int((~good).sum())
        self.places.keep(good)

    def compute(self, distance, azimuth, kind):
        if self.places.shapes is not None:
            return self.compute_shapes(distance, azimuth, kind)
        more = {"k": self.k, **self.weights, **({} if self.level is None else {"level": self.level})}
        return self.ask((self.places.x, self.places.y), distance, azimuth, kind, **more)

    def compute_shapes(self, distance, azimuth, kind):
        """Searches the centres of the cells, block by block."""
        import gpuvoronoi

        grid = self.grid
        if azimuth:
            raise Unsupported("--azimuth")
        if not same(self.crs, grid.crs) or (self.metric in GLOBE and not grid.lonlat):
            raise Unsupported("--crs")
        ellipsoid = grids.ellipsoid_of(grid.crs) if self.metric in GLOBE else None
        tree = gpuvoronoi.FeatureTree(
            self.places.shapes, metric=self.metric, edges=self.edges, boundary=self.boundary, ellipsoid=ellipsoid
        )
        numbers = np.full((self.k, grid.rows, grid.columns), -1, np.int32)
        far = np.full((self.k, grid.rows, grid.columns), np.nan, kind) if distance else None
        step = max(1, ROWS // grid.columns)
        for first in range(0, grid.rows, step):
            self.job.tick(first / grid.rows)
            last = min(first + step, grid.rows)
            x, y = grid.centres(first, last)
            d, i = tree.query(x, y, k=self.k, max_distance=self.max_distance, workers=self.job.workers)
            d, i = (d[..., None], i[..., None]) if self.k == 1 else (d, i)
            outside = i >= tree.n
            if self.mask is not None:
                outside |= ~self.mask[first:last, :, None]
            numbers[:, first:last] = np.moveaxis(np.where(outside, -1, i), -1, 0)
            if distance:
                far[:, first:last] = np.moveaxis(np.where(outside, np.nan, d), -1, 0)
        return Found(numbers, far)

    def ids(self):
        """The id of each seed as a whole number, and the texts, by number, if they are texts."""
        if not self.id_field:
            return self.places.rows_of_seeds() + 1, {}
        values = self.places.field(self.id_field)
        if not any(isinstance(value, str) for value in values):
            return np.array(values, np.int64), {}
        first = {}
        for number, value in enumerate(values):
            first.setdefault(value, number)
        return np.array([first[value] for value in values], np.int64), {number: text for text, number in first.items()}

    def names(self):
        """{value of the raster: name}."""
        numbers, texts = self.ids()
        if texts:
            return texts
        name = next((name for name in self.places.names if name.lower() == "name"), None)
        labels = self.places.field(name) if name else [None] * len(numbers)
        made = {}
        for number, label in zip(numbers.tolist(), labels):
            made.setdefault(number, "" if label is None else str(label))
        return made

    def values(self, numbers, wishes):
        """What the raster has for the numbers of seeds."""
        if wishes.attribute:
            return wishes.of_field(self.places, numbers)
        return wishes.of_numbers(self.ids()[0], numbers)


class OfCells(Question):
    """Seeds are the cells of a raster, all of one value together."""

    left_out = 0

    def __init__(self, path, options, job):
        own = grids.of_template(path)
        dataset, band = open_dataset(path), int(options.take("--band", 1))
        values = dataset.GetRasterBand(band).ReadAsArray()
        targets = options.take("--values")
        given = [] if targets is None else [float(value) for value in targets.split(",")]
        there = cells_of_raster(dataset, band)
        if given:
            there = np.isin(values, given) & (dataset.GetRasterBand(band).GetMaskBand().ReadAsArray() != 0)
        self.raster = np.ma.MaskedArray(values, ~there)
        self.own, self.targets = own, given or np.unique(values[there]).tolist()
        grid_given = any(name in options.values for name in ("--like", "--extent", "--res", "--size", "--crs"))
        if not grid_given:
            options.values["--like"] = path
        super().__init__(options, job, own.crs, None)
        self.used = int(there.sum())
        if self.k != 1:
            raise Unsupported("-k")

    def compute(self, distance, azimuth, kind):
        from_other = self.grid.described() != self.own.described() or self.grid.transform != self.own.transform
        if from_other:
            raise Unsupported("--like")
        return self.ask(self.raster, distance, azimuth, kind, target_values=self.targets)

    def arguments(self):
        made = super().arguments()
        del made["shape"]
        return made

    def values(self, numbers, wishes):
        nothing = -1 if -1 not in self.targets else np.iinfo(numbers.dtype).min
        return writing.Values(numbers, nothing)

    def names(self):
        return {}
