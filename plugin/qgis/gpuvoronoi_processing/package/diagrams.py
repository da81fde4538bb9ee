"""Voronoi diagrams by the package."""

import json
import math

import gpuvoronoi
from osgeo import ogr

from ..datasets import reference_of, write_layer
from ..i18n import tr
from ..messages import REQUESTED
from . import layers
from ..arguments import Unsupported


def run(options, job):
    """The job “diagram” of the command, for polygons in the coordinate system of the points."""
    frame = layers.read(
        options.take("--seeds"), options.take("--layer"), options.take("--seeds-crs")
    )
    id_field, metric, extent = (
        options.take("--id"),
        options.take("--metric"),
        options.take("--extent"),
    )
    options.take("--skip-invalid")  # the plugin has left them out
    default = gpuvoronoi.default_metric(frame.crs)
    name, reason = (metric, REQUESTED) if metric else default
    if (extent is not None or default[0] == "euclidean") and name != "euclidean":
        raise Unsupported(
            tr("Extent") if extent is not None else tr("Distances on the globe from a map")
        )
    tolerance, cut = options.number("--tolerance", 1.0), not options.take("--no-cut", False)
    options.finish()
    seeds = frame[["geometry"]].reset_index(drop=True)
    table = gpuvoronoi.diagram(
        seeds,
        metric=name,
        extent=None if extent is None else [float(number) for number in extent.split(",")],
        tolerance=tolerance,
        cut=cut,
        workers=job.workers,
        progress=job.tick,
    )
    ids = frame[id_field].tolist() if id_field else (frame.index + 1).tolist()
    kind = frame.attrs["types"][id_field] if id_field else ogr.OFTInteger64
    area = "area_km2" if "area_km2" in table.columns else "area"
    fields = [
        ("seed", kind),
        (area, ogr.OFTReal),
        ("neighbours", ogr.OFTString),
        ("others", ogr.OFTString),
    ]
    system = frame.attrs["crs"] if table.crs == frame.crs else reference_of(table.crs.to_wkt())
    rows = enumerate(zip(table[area], table["neighbours"], table["others"], table.geometry))

    def text(numbers):
        listed = [ids[number] for number in numbers]
        if kind == ogr.OFTString and listed:
            return json.dumps(listed, ensure_ascii=False)
        return " ".join(map(str, listed)) or None

    lines = (
        (
            [ids[row], size if math.isfinite(size) else None, text(near), text(others)],
            row,
            shape.wkb,
        )
        for row, (size, near, others, shape) in rows
        if not shape.is_empty  # others are at that place
    )
    write_layer(options.positional[0], "cells", system, ogr.wkbMultiPolygon, fields, lines, frame)
    used = {"used": len(frame), "left_out": 0, "places": len(seeds) - int(table.is_empty.sum())}
    edges, crs = sum(map(len, table["neighbours"])) // 2, "" if system is None else system.GetName()
    return job.report(
        metric={"name": name, "reason": reason}, crs=crs, edges=edges, unverified=0, seeds=used
    )
