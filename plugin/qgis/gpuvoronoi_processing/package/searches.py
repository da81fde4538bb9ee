"""Searches for the k nearest by the package."""

import gpuvoronoi
import numpy as np
import pandas

from ..datasets import described
from ..i18n import tr
from . import layers
from ..arguments import Unsupported

ORDERS = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}


def run(options, job):
    """The job “search” of the command: a CSV file with a row for each query and neighbor."""
    reference, queries = layers.read(options.take("--reference")), options.take("--queries")
    metric, count = options.take("--metric", "euclidean"), int(options.take("-k", 1))
    limit, nearest = options.number("--max-distance", np.inf), options.take("--nearest")
    edges, boundary = options.take("--edges", "straight"), bool(options.take("--boundary", False))
    options.finish()
    points = reference if queries is None else layers.read(queries)
    if points.crs != reference.crs:
        raise Unsupported(tr("Layers in two coordinate systems"))
    x, y, globe = points.geometry.x.to_numpy(), points.geometry.y.to_numpy(), metric not in ORDERS
    more = {"k": list(range(1, count + 1)), "workers": job.workers, "progress": job.tick}
    ellipsoid = gpuvoronoi.ellipsoid_of(reference.crs) if globe else None
    places = None
    if nearest or not (reference.geom_type == "Point").all():
        if count > 64:
            raise ValueError(
                tr("k: out of range [1, 64] for lines and polygons with the Python package")
            )
        tree = gpuvoronoi.FeatureTree(
            reference, metric=metric, edges=edges, boundary=boundary, ellipsoid=ellipsoid
        )
        distances, indices, places = tree.query(x, y, max_distance=limit, nearest=True, **more)
    elif globe:
        at = reference.geometry
        tree = gpuvoronoi.GlobeTree(
            at.x, at.y, metric=metric, ellipsoid=ellipsoid, backend=job.backend
        )
        distances, indices = tree.query(
            x, y, max_distance=limit, exclude_self=queries is None, **more
        )
    else:
        at = np.column_stack([reference.geometry.x, reference.geometry.y])
        tree = gpuvoronoi.KDTree(at, backend=job.backend)
        more["distance_upper_bound"] = np.nextafter(limit, np.inf)  # exclusive
        more.update(p=ORDERS[metric], exclude_self=queries is None)
        distances, indices = tree.query(np.column_stack([x, y]), **more)
    count = distances.shape[1]
    pandas.DataFrame(
        {
            "query_row": np.repeat(np.arange(len(points)), count),
            "rank": np.tile(np.arange(1, count + 1), len(points)),
            "row": np.where(indices >= len(reference), -1, indices).ravel(),
            "distance": distances.ravel(),
        }
    ).to_csv(options.positional[0], index=False)
    if nearest:
        np.save(nearest, np.ascontiguousarray(places.reshape(-1, 2), dtype=np.float64))
    used, crs = {"used": len(points)}, described(reference.attrs["crs"])
    return job.report(
        backend=job.engine, queries=used, references={"used": len(reference)}, crs=crs
    )
