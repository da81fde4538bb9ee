"""Voronoi diagrams by the package."""

import math

from osgeo import ogr

from ..messages import REQUESTED
from .grids import GLOBE, default_metric
from .options import Unsupported
from .sources import Places, reference_of, wkt
from .tables import Writer


def run(options, job):
    """The job “diagram” of the command, for polygons in the coordinate system of the points."""
    import gpuvoronoi

    places = Places(options.take("--seeds"), options.take("--layer"), options.take("--seeds-crs"))
    id_field = options.take("--id")
    options.take("--skip-invalid")  # the plugin has left them out
    metric = options.take("--metric")
    default = default_metric(places.crs)
    name, reason = (metric, REQUESTED) if metric else default
    if name in GLOBE and default[0] == "euclidean":
        raise Unsupported("--metric")
    tolerance, cut = options.number("--tolerance", 1.0), not options.take("--no-cut", False)
    extent = options.take("--extent")
    options.finish()
    corners = None if extent is None else [float(number) for number in extent.split(",")]
    if corners is not None and name != "euclidean":
        raise Unsupported("--extent")
    if places.shapes is not None:
        raise Unsupported("--seeds")
    crs = None if places.crs is None else wkt(places.crs)
    table = gpuvoronoi.diagram(
        (places.x, places.y),
        metric=name,
        seeds_crs=crs,
        extent=corners,
        tolerance=tolerance,
        cut=cut,
        workers=job.workers,
        progress=job.tick,
    )
    ids = places.field(id_field) if id_field else [row + 1 for row in places.row.tolist()]
    kind = ogr.OFTString if any(isinstance(value, str) for value in ids) else ogr.OFTInteger64
    area = "area_km2" if "area_km2" in table.columns else "area"
    fields = [("seed", kind), (area, ogr.OFTReal), ("neighbours", ogr.OFTString), ("others", ogr.OFTString)]
    system = places.crs
    if system is not None and name in GLOBE and not system.IsGeographic():
        system = reference_of(table.crs.to_wkt())  # the longitudes and latitudes of the map
    writer = Writer(options.positional[0], "cells", system, ogr.wkbMultiPolygon, fields, places)
    shapes = table.geometry.to_wkb().tolist()
    edges = 0
    for seed, (size, near, others) in enumerate(zip(table[area].tolist(), table["neighbours"], table["others"])):
        edges += len(near)
        shape = ogr.CreateGeometryFromWkb(shapes[seed])
        if shape.IsEmpty():
            continue  # at the place of another seed
        values = [ids[seed], size if math.isfinite(size) else None, text(ids, near), text(ids, others)]
        writer.write(values, int(places.row[seed]), shape)
    writer.close()
    places_count = len(set(zip(places.x.tolist(), places.y.tolist())))
    used = int(places.x.size)
    return job.report(
        metric={"name": name, "reason": reason}, crs="" if system is None else system.GetName(),
        edges=edges // 2, unverified=0,
        seeds={"used": used, "left_out": 0, "places": places_count},
    )


def text(ids, seeds):
    """Ids, separated by blanks; nothing of none."""
    return " ".join(str(ids[seed]) for seed in seeds) or None
