"""Searches for the k nearest by the package."""

import gpuvoronoi
import numpy as np
import pandas

from ..arguments import Unsupported
from ..datasets import described, reference_of
from ..i18n import tr
from . import layers

ORDERS = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}


def run(options, job):
    """The job “search” of the command: a CSV file with a row for each query and neighbor."""
    reference, queries = layers.read(options.take("--reference")), options.take("--queries")
    metric, count = options.take("--metric", "euclidean"), int(options.take("-k", 1))
    limit, nearest = options.number("--max-distance", np.inf), options.take("--nearest")
    shape = {"edges": options.take("--edges", "straight")}
    shape["boundary"] = bool(options.take("--boundary", False))
    options.finish()
    points = reference if queries is None else layers.read(queries)
    if points.crs != reference.crs:
        raise Unsupported(tr("Layers in two coordinate systems"))
    at, globe = reference.geometry, metric not in ORDERS
    x, y = points.geometry.x.to_numpy(), points.geometry.y.to_numpy()
    more = {"k": list(range(1, count + 1)), "workers": job.workers, "progress": job.tick}
    of = {"metric": metric, "ellipsoid": gpuvoronoi.ellipsoid_of(reference.crs) if globe else None}
    places = None
    if nearest or not (at.geom_type == "Point").all():
        if count > 64:
            text = tr("k: out of range [1, 64] for lines and polygons with the Python package")
            raise ValueError(text)
        tree = gpuvoronoi.FeatureTree(reference, **shape, **of)
        distances, indices, places = tree.query(x, y, max_distance=limit, nearest=True, **more)
    elif globe:
        tree = gpuvoronoi.GlobeTree(at.x, at.y, backend=job.backend, **of)
        more["exclude_self"] = queries is None
        distances, indices = tree.query(x, y, max_distance=limit, **more)
    else:
        tree = gpuvoronoi.KDTree(np.column_stack([at.x, at.y]), backend=job.backend)
        more["distance_upper_bound"] = np.nextafter(limit, np.inf)  # exclusive
        more.update(p=ORDERS[metric], exclude_self=queries is None)
        distances, indices = tree.query(np.column_stack([x, y]), **more)
    count = distances.shape[1]
    columns = {"query_row": np.repeat(np.arange(len(points)), count)}
    columns["rank"] = np.tile(np.arange(1, count + 1), len(points))
    columns["row"] = np.where(indices >= len(reference), -1, indices).ravel()
    columns["distance"] = distances.ravel()
    pandas.DataFrame(columns).to_csv(options.positional[0], index=False)
    if nearest:
        np.save(nearest, np.ascontiguousarray(places.reshape(-1, 2), dtype=np.float64))
    used, crs = {"used": len(points)}, described(reference_of(reference.attrs["crs"]))
    references = {"used": len(reference)}
    return job.report(backend=job.engine, queries=used, references=references, crs=crs)
