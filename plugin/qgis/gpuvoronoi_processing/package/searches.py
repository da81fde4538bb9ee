"""Searches for the k nearest by the package."""

import csv

import numpy as np

from ..i18n import tr
from .grids import GLOBE, ellipsoid_of
from .options import Unsupported
from .sources import Places, same

ORDERS = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}
MOST_OF_SHAPES = 64  # neighbours, of lines and polygons


def run(options, job):
    """The job “search” of the command: a CSV file with a row for each query and neighbour."""
    reference, queries = Places(options.take("--reference")), options.take("--queries")
    metric, count = options.take("--metric", "euclidean"), int(options.take("-k", 1))
    limit = options.number("--max-distance", np.inf)
    edges, boundary = options.take("--edges", "straight"), bool(options.take("--boundary", False))
    places = options.take("--nearest")
    options.finish()
    points = reference if queries is None else Places(queries)
    if metric in GLOBE and not (reference.crs is not None and reference.crs.IsGeographic()):
        raise Unsupported("--metric")
    if not same(points.crs, reference.crs):
        raise Unsupported("--queries")
    found = None
    if reference.shapes is not None:
        distances, indices, found = search_shapes(
            reference, points, metric, count, limit, edges, boundary, bool(places), job
        )
    else:
        distances, indices = search_points(reference, points, metric, count, limit, queries is None, job)
    missing = indices >= reference.count if reference.shapes is not None else indices >= reference.x.size
    write(options.positional[0], distances, np.where(missing, -1, indices))
    if places:
        if found is None:
            raise Unsupported("--nearest")
        np.save(places, np.ascontiguousarray(found.reshape(-1, 2), dtype=np.float64))
    crs = reference.crs
    name = "" if crs is None else crs.GetName()
    if crs is not None and crs.GetAuthorityCode(None):
        name += f" ({crs.GetAuthorityName(None)}:{crs.GetAuthorityCode(None)})"
    return job.report(
        queries={"used": int(points.x.size)}, references={"used": len(reference.rows_of_seeds())}, crs=name,
        backend={"name": "gpuvoronoi", "threads": job.threads},
    )


def search_points(reference, points, metric, count, limit, alone, job):
    import gpuvoronoi

    more = {"k": list(range(1, count + 1)), "workers": job.workers, "exclude_self": alone, "progress": job.tick}
    if metric in GLOBE:
        ellipsoid = ellipsoid_of(reference.crs)
        tree = gpuvoronoi.GlobeTree(reference.x, reference.y, metric=metric, ellipsoid=ellipsoid, backend=job.backend)
        return tree.query(points.x, points.y, max_distance=limit, **more)
    tree = gpuvoronoi.KDTree(np.column_stack([reference.x, reference.y]), backend=job.backend)
    # Its bound is exclusive.
    bound = np.nextafter(limit, np.inf)
    return tree.query(np.column_stack([points.x, points.y]), p=ORDERS[metric], distance_upper_bound=bound, **more)


def search_shapes(reference, points, metric, count, limit, edges, boundary, nearest, job):
    import gpuvoronoi

    if count > MOST_OF_SHAPES:
        raise ValueError(tr("k: out of range [1, 64] for lines and polygons with the Python package"))
    ellipsoid = ellipsoid_of(reference.crs) if metric in GLOBE else None
    tree = gpuvoronoi.FeatureTree(reference.shapes, metric=metric, edges=edges, boundary=boundary, ellipsoid=ellipsoid)
    found = tree.query(
        points.x, points.y, k=list(range(1, count + 1)), max_distance=limit, workers=job.workers, nearest=nearest,
        progress=job.tick,
    )
    return found if nearest else (*found, None)


def write(path, distances, indices):
    """As the command: query, rank, index or −1, distance."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["query", "rank", "index", "distance"])
        for query, (far, near) in enumerate(zip(distances.tolist(), indices.tolist())):
            rows.writerows((query, rank, index, repr(d)) for rank, (index, d) in enumerate(zip(near, far), 1))
