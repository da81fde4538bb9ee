#!/usr/bin/env python3
"""SpatialBench's query 12 in its geography form: the five nearest buildings of each trip's pickup, in meters on the globe. Needs pyarrow.

    GPUVORONOI_LIBRARY=build/src/libgpuvoronoi.so PYTHONPATH=python tools/bench/spatialbench.py [SCALE]

Scale 1 (the default) has 6,000,000 trips and 20,000 buildings; SCALE divides the trips, not the buildings. Data are generated: places in clusters, as
cities are, and buildings as polygons of 5 to 12 corners, 10 to 100 m wide. Trips are generated, searched and dropped batch by batch, so that
memory does not grow with their number. Rows:

    FeatureTree       the polygons, geodesics on WGS 84
    GlobeTree         the buildings' centers, geodesics; and great circles, which have scipy's order
    scipy             cKDTree over unit vectors of the centers: the five nearest by chords, without meters
    DuckDB            the polygons in degrees (ST_Distance, all pairs), for few trips; left out if DuckDB or its extension spatial is missing

Seconds are wall time and processor time of searching; generating is not counted. Answers of scipy and the great circles are compared.
"""

import resource
import sys
import time

import numpy as np
import pyarrow

import gpuvoronoi
from gpuvoronoi.arrow import search_batches

TRIPS, BUILDINGS, BATCH, K, PAIRS = 6_000_000, 20_000, 1 << 18, 5, 4_000_000


def places(random, cities, count):
    """Around cities, of which some are large."""
    weight = 1 / np.arange(1, len(cities) + 1)
    city = cities[random.choice(len(cities), count, p=weight / weight.sum())]
    lon, lat = city[:, 0] + random.normal(0, 0.2, count), city[:, 1] + random.normal(0, 0.15, count)
    return lon, np.clip(lat, -89.0, 89.0)


def make_buildings(random, cities):
    lon, lat = places(random, cities, BUILDINGS)
    made = []
    for x, y, corners, size in zip(
        lon, lat, random.integers(5, 13, BUILDINGS), random.uniform(5, 50, BUILDINGS) / 111_000
    ):
        angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
        ring = np.column_stack(
            [x + size / np.cos(np.radians(y)) * np.cos(angle), y + size * np.sin(angle)]
        ).tolist()
        made.append({"type": "Polygon", "coordinates": [ring + ring[:1]]})
    return lon, lat, made


def make_batches(cities, count):
    random = np.random.default_rng(2)
    for first in range(0, count, BATCH):
        lon, lat = places(random, cities, min(BATCH, count - first))
        yield pyarrow.record_batch(
            {"trip": np.arange(first, first + lon.size), "lon": lon, "lat": lat}
        )


def unit_vectors(lon, lat):
    lon, lat = np.radians(lon), np.radians(lat)
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def timed(name, batches, search):
    """Searches all batches; returns a digest of the neighbors."""
    wall = taken = 0.0
    trips, digest = 0, 0
    for batch in batches:
        begun, process = time.perf_counter(), time.process_time()
        found = search(batch)
        wall, taken = wall + time.perf_counter() - begun, taken + time.process_time() - process
        trips += batch.num_rows
        digest += int(np.asarray(found).astype(np.uint64).sum())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"| {name} | {trips:,} | {wall:.2f} | {taken:.2f} | {1e6 * taken / trips:.2f} | {memory} |",
        flush=True,
    )
    return digest


def joined(tree):
    def search(batch):
        return pyarrow.Table.from_batches(search_batches(tree, [batch], k=K))[
            "reference"
        ].to_numpy()

    return search


def duckdb_row(cities, polygons):
    import duckdb

    base = duckdb.connect()
    base.execute("INSTALL spatial; LOAD spatial")
    rings = [
        "POLYGON((" + ",".join(f"{x} {y}" for x, y in one["coordinates"][0]) + "))"
        for one in polygons
    ]
    base.register("texts", pyarrow.table({"building": np.arange(len(rings)), "wkt": rings}))
    base.execute(
        "CREATE TABLE buildings AS SELECT building, ST_GeomFromText(wkt) AS shape FROM texts"
    )
    query = """SELECT building FROM (SELECT trip, building, row_number() OVER (PARTITION BY trip ORDER BY ST_Distance(shape, ST_Point(lon, lat)), building)
               AS place FROM batch, buildings) WHERE place <= 5"""

    def search(batch):
        base.register("batch", batch)
        return base.execute(query).fetch_arrow_table()["building"].to_numpy()

    timed("DuckDB spatial, degrees, all pairs", make_batches(cities, PAIRS // BUILDINGS), search)


def main():
    count = int(TRIPS * float(sys.argv[1] if len(sys.argv) > 1 else 1))
    random = np.random.default_rng(1)
    cities = np.column_stack(
        [random.uniform(-180, 180, 500), np.degrees(np.arcsin(random.uniform(-0.9, 0.9, 500)))]
    )
    lon, lat, polygons = make_buildings(random, cities)
    print(f"{K} nearest of {BUILDINGS:,} buildings, {count:,} trips in batches of {BATCH:,}\n")
    print(
        "| | trips | seconds | processor seconds | µs a trip | most memory so far, MB |\n|---|---|---|---|---|---|",
        flush=True,
    )
    begun = time.process_time()
    tree = gpuvoronoi.FeatureTree(polygons)
    built = time.process_time() - begun
    timed("`FeatureTree`, polygons, geodesic", make_batches(cities, count), joined(tree))
    timed(
        "`GlobeTree`, centers, geodesic",
        make_batches(cities, count),
        joined(gpuvoronoi.GlobeTree(lon, lat)),
    )
    ours = timed(
        "`GlobeTree`, centers, great circles",
        make_batches(cities, count),
        joined(gpuvoronoi.GlobeTree(lon, lat, "great-circle")),
    )
    try:
        from scipy.spatial import cKDTree

        theirs = cKDTree(unit_vectors(lon, lat))

        def search(batch):
            return theirs.query(
                unit_vectors(batch["lon"].to_numpy(), batch["lat"].to_numpy()), K, workers=-1
            )[1]

        if (
            timed(
                "scipy `cKDTree`, unit vectors of the centers", make_batches(cities, count), search
            )
            != ours
        ):
            print("scipy's neighbors differ from those by great circles")
    except ImportError as error:
        print(f"scipy: left out: {error}")
    try:
        duckdb_row(cities, polygons)
    except Exception as error:  # DuckDB's own, e.g. without a network for its extension
        print(f"DuckDB: left out: {str(error).splitlines()[0]}")
    print(f"\nbuilding FeatureTree, reading included: {built:.2f} s")


if __name__ == "__main__":
    main()
