"""Voronoi diagrams by the package."""

import json
import math

import gpuvoronoi
from osgeo import ogr

from ..arguments import Unsupported
from ..datasets import reference_of, write_layer
from ..i18n import tr
from ..messages import REQUESTED
from . import layers


def run(options, job):
    """The job “diagram” of the command, for polygons in the coordinate system of the points."""
    frame, id_field = layers.of_seeds(options), options.take("--id")
    metric, extent = options.take("--metric"), options.take("--extent")
    options.take("--skip-invalid")  # the plugin has left them out
    default = gpuvoronoi.default_metric(frame.crs)
    name, reason = (metric, REQUESTED) if metric else default
    if (extent is not None or default[0] == "euclidean") and name != "euclidean":
        on_map = tr("Distances on the globe from a map")
        raise Unsupported(on_map if extent is None else tr("Extent"))
    tolerance, cut = options.number("--tolerance", 1.0), not options.take("--no-cut", False)
    options.finish()
    ids = frame[id_field].tolist() if id_field else (frame.index + 1).tolist()
    box = None if extent is None else [float(number) for number in extent.split(",")]
    more = {"metric": name, "extent": box, "tolerance": tolerance, "cut": cut}
    table = gpuvoronoi.diagram(
        frame[["geometry"]].set_axis(ids), workers=job.workers, progress=job.tick, **more
    )
    kind = frame.attrs["types"][id_field] if id_field else ogr.OFTInteger64
    area = "area_km2" if "area_km2" in table.columns else "area"
    lists = [("neighbours", ogr.OFTString), ("others", ogr.OFTString)]
    fields = [("seed", kind), (area, ogr.OFTReal), *lists]

    def text(listed):
        if kind == ogr.OFTString and listed:
            return json.dumps(listed, ensure_ascii=False)
        return " ".join(map(str, listed)) or None

    lines = (
        ([seed, size if math.isfinite(size) else None, text(near), text(others)], row, shape.wkb)
        for row, (seed, size, near, others, shape) in enumerate(
            zip(table.index, table[area], table["neighbours"], table["others"], table.geometry)
        )
        if not shape.is_empty  # others are at that place
    )
    system = reference_of(frame.attrs["crs"] if table.crs == frame.crs else table.crs.to_wkt())
    write_layer(options.positional[0], "cells", system, ogr.wkbMultiPolygon, fields, lines, frame)
    places = len(table) - int(table.is_empty.sum())
    return job.report(
        metric={"name": name, "reason": reason},
        crs="" if system is None else system.GetName(),
        edges=sum(map(len, table["neighbours"])) // 2,
        unverified=0,
        seeds={"used": len(frame), "left_out": 0, "places": places},
    )
