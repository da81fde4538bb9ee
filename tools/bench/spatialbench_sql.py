#!/usr/bin/env python3
"""SpatialBench's query 12 in its geography form in SQL, from Parquet files into a Parquet file, by DuckDB. Needs duckdb and pyarrow.

    GPUVORONOI_LIBRARY=build/src/libgpuvoronoi.so PYTHONPATH=python tools/bench/spatialbench_sql.py [SCALE [SPATIAL]]

The trips and buildings of spatialbench.py. SPATIAL: the file of DuckDB's extension spatial, where it cannot be installed. Rows:

    nearest            gpuvoronoi.duckdb, the buildings' centers
    nearest_features   gpuvoronoi.duckdb, the polygons
    DuckDB             ST_Distance_Spheroid of all pairs of trips and centers, for few trips; left out without the extension

Seconds are wall time and CPU time of the whole query: reading both files, searching, and writing. Neighbors of all three are compared for the few trips.
"""

import pathlib
import resource
import sys
import tempfile
import time

import numpy as np
import pyarrow
import pyarrow.parquet
import spatialbench
from shapely import polygons, to_wkb

import duckdb
import gpuvoronoi.duckdb

K, PAIRS = spatialbench.K, 20_000_000

PAIRWISE = f"""COPY (SELECT trip, building AS reference_building, distance FROM (
  SELECT trip, building, distance, row_number() OVER (PARTITION BY trip ORDER BY distance, building) AS place FROM (
    SELECT trip, building, ST_Distance_Spheroid(ST_Point(t.lat, t.lon), ST_Point(b.lat, b.lon)) AS distance FROM few t, buildings b))
  WHERE place <= {K}) TO 'pairs.parquet'"""


def write(folder, count):
    random = np.random.default_rng(1)
    cities = np.column_stack(
        [random.uniform(-180, 180, 500), np.degrees(np.arcsin(random.uniform(-0.9, 0.9, 500)))]
    )
    lon, lat, made = spatialbench.make_buildings(random, cities)
    shapes = to_wkb([polygons(one["coordinates"][0]) for one in made])
    table = {"building": np.arange(lon.size), "lon": lon, "lat": lat, "wkb": shapes}
    pyarrow.parquet.write_table(pyarrow.table(table), folder / "buildings.parquet")
    writer = None
    for batch in spatialbench.make_batches(cities, count):
        writer = writer or pyarrow.parquet.ParquetWriter(folder / "trips.parquet", batch.schema)
        writer.write_batch(batch)
    writer.close()


def timed(name, base, trips, query):
    begun, process = time.perf_counter(), time.process_time()
    base.execute(query)
    wall, taken = time.perf_counter() - begun, time.process_time() - process
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"| {name} | {trips:,} | {wall:.2f} | {taken:.2f} | {1e6 * taken / trips:.2f} | {memory} |",
        flush=True,
    )


def compare(base, one, other):
    """How many neighbors of the few trips differ, and the largest difference of distances in meters."""
    return base.execute(
        f"""SELECT count(*) FILTER (a.distance IS NULL OR b.distance IS NULL), max(abs(a.distance - b.distance))
        FROM (FROM '{one}' WHERE trip IN (SELECT trip FROM few)) a FULL JOIN '{other}' b
        ON a.trip = b.trip AND a.reference_building = b.reference_building"""
    ).fetchone()


def main():
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    count = int(spatialbench.TRIPS * scale)
    few = PAIRS // spatialbench.BUILDINGS
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder, count)
        base = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        base.execute(f"SET file_search_path = '{folder}'")
        gpuvoronoi.duckdb.register(base)
        base.execute("CREATE VIEW trips AS FROM 'trips.parquet'")
        base.execute("CREATE VIEW buildings AS FROM 'buildings.parquet'")
        base.execute(f"CREATE TABLE few AS FROM trips WHERE trip < {few}")
        print(
            f"DuckDB {duckdb.__version__}, {count:,} trips, {spatialbench.BUILDINGS:,} buildings\n"
        )
        print(
            "| | trips | seconds | CPU seconds | µs a trip | most memory so far, MB |\n|---|---|---|---|---|---|"
        )
        for function, file in (("nearest", "centers"), ("nearest_features", "shapes")):
            query = f"FROM {function}('trips', 'buildings', k := {K})"
            select = f"SELECT trip, reference_building, distance {query}"
            out = folder / f"{file}.parquet"
            timed(f"`{function}`", base, count, f"COPY ({select}) TO '{out}'")
        try:
            base.execute(
                f"LOAD '{sys.argv[2]}'" if len(sys.argv) > 2 else "INSTALL spatial; LOAD spatial"
            )
            query = PAIRWISE.replace("pairs.parquet", str(folder / "pairs.parquet"))
            timed("`ST_Distance_Spheroid`, all pairs", base, few, query)
            print(
                "\nneighbors that differ, meters:",
                compare(base, folder / "centers.parquet", folder / "pairs.parquet"),
            )
        except duckdb.Error as error:
            print(f"DuckDB's spatial: left out: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
