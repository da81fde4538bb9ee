"""Programs on libraries that others wrote, and what it means that they say the same as ours."""

import glob
import os
import shutil
import subprocess
import tempfile

import numpy as np

import layers

HERE = os.path.dirname(os.path.abspath(__file__))
SEMI_MAJOR, FLATTENING = 6378137.0, 1 / 298.257223563
RADIUS = SEMI_MAJOR * (3 - FLATTENING) / 3
# What is linked, and a header that says whether the library is there with what its headers need.
PROGRAMS = {
    "arcs": (["-ls2"], "s2/s2closest_edge_query.h", "libs2-dev"),
    "ellipsoid": (
        ["-lGeographicLib", "-ls2"],
        "GeographicLib/GeodesicExact.hpp",
        "libgeographiclib-dev, libs2-dev, libboost-dev",
    ),
    "plane": (["-lgmp", "-lmpfr"], "CGAL/Polygon_2_algorithms.h", "libcgal-dev"),
}


class Missing(Exception):
    pass


def compiled(name, folder):
    """The program, or Missing."""
    libraries, header, packages = PROGRAMS[name]
    compiler = ["c++", "-std=c++17", "-w"]
    question = f"#if !__has_include(<{header}>)\n#error\n#endif\n"
    if (
        shutil.which("c++") is None
        or subprocess.run(
            [*compiler, "-E", "-x", "c++", "-"], input=question, text=True, capture_output=True
        ).returncode
    ):
        raise Missing(f"no <{header}> ({packages})")
    program = os.path.join(folder, name)
    if not os.path.exists(program):
        subprocess.run(
            [
                *compiler,
                "-O2",
                "-DNDEBUG",
                os.path.join(HERE, name + ".cc"),
                "-o",
                program,
                *libraries,
            ],
            check=True,
        )
    return program


def ask(program, arguments, features, queries, radii):
    """For each query a dict of the features within its radius: number to distance, in the program's order."""
    ran = subprocess.run(
        [program, *map(str, arguments)],
        input=layers.as_text(features, queries, radii),
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    rows = [row.split() for row in ran.stdout.splitlines()]
    return [{int(f): float(d) for f, d in zip(row[::2], row[1::2])} for row in rows]


def within_straight(features, queries, globe):
    """By GEOS: pairs (query, feature) of places in polygons or on their borders, on the globe for whole turns."""
    from shapely.geometry import Point, shape
    from shapely.prepared import prep

    found = set()
    shapes = []
    for number, feature in enumerate(features):
        for kind, rings in feature:
            if kind == layers.POLYGON and len(set(rings[0])) > 2:
                polygon = shape(layers.as_geojson([(kind, rings)]))
                shapes.append((number, polygon.bounds, prep(polygon)))
    turns = (-360.0, 0.0, 360.0) if globe else (0.0,)
    for i, (x, y) in enumerate(queries.tolist()):
        for turn in turns:
            for number, (x0, y0, x1, y1), polygon in shapes:
                if x0 <= x + turn <= x1 and y0 <= y <= y1 and polygon.covers(Point(x + turn, y)):
                    found.add((i, number))
    return found


def geos(features, queries, radii):
    """Distances on the plane, as by the programs."""
    from shapely.geometry import Point, shape

    shapes = [shape(layers.as_geojson(layers.simple(f))) for f in features]
    box = np.array([s.bounds for s in shapes]).T
    said = []
    for (x, y), radius in zip(queries.tolist(), radii.tolist()):
        away = np.maximum(np.maximum(box[0] - x, x - box[2]), np.maximum(box[1] - y, y - box[3]))
        said.append(
            {int(f): shapes[f].distance(Point(x, y)) for f in np.flatnonzero(away <= radius)}
        )
    return said


class PostGIS:
    """A separate server, used by no other process."""

    def __init__(self):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        if not programs or not glob.glob("/usr/share/postgresql/*/extension/postgis.control"):
            raise Missing("no PostGIS (postgresql-15-postgis-3)")
        self.bin, self.folder = os.path.dirname(programs[-1]), tempfile.mkdtemp(prefix="gis")
        # It does not run as root.
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres")
        data = os.path.join(self.folder, "data")
        self.control = [
            *self.user,
            os.path.join(self.bin, "pg_ctl"),
            "-D",
            data,
            "-s",
            "-w",
            "-t",
            "600",
        ]
        quiet = dict(check=True, cwd=self.folder, stdin=subprocess.DEVNULL)
        subprocess.run(
            [
                *self.user,
                os.path.join(self.bin, "initdb"),
                "-D",
                data,
                "-U",
                "asker",
                "-A",
                "trust",
                "-N",
                "--no-locale",
                "-E",
                "UTF8",
            ],
            stdout=subprocess.DEVNULL,
            **quiet,
        )
        subprocess.run(
            [
                *self.control,
                "-o",
                f"-F -k {self.folder} -h ''",
                "-l",
                os.path.join(self.folder, "log"),
                "start",
            ],
            **quiet,
        )
        self.ask("CREATE EXTENSION postgis;")

    def ask(self, sql):
        ran = subprocess.run(
            [
                os.path.join(self.bin, "psql"),
                "-XqAt",
                "-F",
                " ",
                "-h",
                self.folder,
                "-U",
                "asker",
                "-d",
                "postgres",
                "-v",
                "ON_ERROR_STOP=1",
            ],
            input=sql,
            text=True,
            stdout=subprocess.PIPE,
            check=True,
        )
        return ran.stdout.splitlines()

    def distances(self, features, queries, how):
        """All of them: of geometry, or of geography on the sphere or the spheroid."""
        kind = "geometry" if how == "geometry" else "geography"
        rows = [
            f"{i}\t{layers.as_wkt(layers.simple(feature))}" for i, feature in enumerate(features)
        ]
        asked = [f"{i}\tPOINT({x!r} {y!r})" for i, (x, y) in enumerate(queries.tolist())]
        which = {"geometry": "", "sphere": ", false", "spheroid": ", true"}[how]
        found = self.ask(
            "\n".join(
                [
                    f"CREATE TEMP TABLE f (i int, at {kind});",
                    f"CREATE TEMP TABLE q (i int, at {kind});",
                    "COPY f FROM STDIN;",
                    *rows,
                    "\\.",
                    "COPY q FROM STDIN;",
                    *asked,
                    "\\.",
                    f"SELECT q.i, f.i, ST_Distance(f.at, q.at{which}) FROM f, q;",
                ]
            )
            + "\n"
        )
        said = [{} for _ in asked]
        for i, number, value in map(str.split, found):
            said[int(i)][int(number)] = float(value)
        return said

    def close(self):
        subprocess.run([*self.control, "-m", "immediate", "stop"], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def disagreement(said, distance, number, slack, canonical=True, exact_order=False):
    """What is wrong about our answers to one layer, or None. `said`: a dict a query, of all features that are at most `slack` farther
    than our last; distance, number: ours, queries x k; slack(d): how much ours may be less and more than theirs at a distance;
    canonical: distances are what decides, of equal ones the lower number; exact_order: theirs come in an order that is exact."""
    for i, theirs in enumerate(said):
        found = [(int(n), float(d)) for n, d in zip(number[i], distance[i]) if np.isfinite(d)]
        for n, d in found:
            if n not in theirs or not -slack(d)[0] <= d - theirs[n] <= slack(d)[1]:
                return f"query {i}: feature {n} at {d!r}, not {theirs.get(n)!r}"
        if len({n for n, _ in found}) < len(found):
            return f"query {i}: {found} has a feature twice"
        if any(
            a[1] > b[1] or (canonical and a[1] == b[1] and a[0] > b[0])
            for a, b in zip(found, found[1:])
        ):
            return f"query {i}: {found} is out of order"
        if exact_order and [n for n, _ in found] != list(theirs)[: len(found)]:
            return f"query {i}: {[n for n, _ in found]}, not {list(theirs)[: len(found)]}"
        last = found[-1][1] if found else -1.0
        for n, d in theirs.items():
            if d < last - slack(last)[1] and n not in dict(found):
                return f"query {i}: feature {n} at {d!r} is missing before {last!r}"
    return None


def planted(said, distance, number, slack, canonical=True, exact_order=False):
    """Our answers with one fault each, by name, as far as there is a place for it."""
    first, last = distance[:, 0], distance[:, -1]
    little = np.array([slack(d)[0] for d in np.where(np.isfinite(first), first, 0).tolist()])
    much = np.array([slack(d)[1] for d in np.where(np.isfinite(last), last, 0).tolist()])

    def fault(name, rows, spoil):
        spoiled = distance.copy(), number.copy()
        for row in np.flatnonzero(rows)[:1]:
            spoil(*(a[row] for a in spoiled), row)
            yield name, said[row : row + 1], spoiled[0][row : row + 1], spoiled[1][row : row + 1]

    def farther(d, n, row):
        d[-1] += 3 * much[row]

    def nearer(d, n, row):
        d[0] -= 3 * little[row]

    def other(d, n, row):
        n[0] = next(i for i in range(len(said[row]) + 1) if i not in said[row])

    def left_out(d, n, row):
        d[:-1], n[:-1], d[-1] = d[1:].copy(), n[1:].copy(), np.inf

    def swapped(d, n, row):
        n[:2] = n[1::-1].copy()

    yield from fault("farther", np.isfinite(last) & (last > 0), farther)
    yield from fault("nearer", np.isfinite(first) & (first > 4 * little), nearer)
    yield from fault("other feature", np.isfinite(first), other)
    if distance.shape[1] > 2:
        yield from fault(
            "left out", np.isfinite(last) & (distance[:, -2] > first + 4 * much), left_out
        )
        if canonical or exact_order:
            yield from fault("tie", np.isfinite(first) & (first == distance[:, 1]), swapped)


def check(said, distance, number, slack, canonical=True, exact_order=False):
    """They say the same, and would be seen not to if one answer were wrong."""
    rules = slack, canonical, exact_order
    wrong = disagreement(said, distance, number, *rules)
    assert wrong is None, wrong
    names = []
    for name, *answers in planted(said, distance, number, *rules):
        assert disagreement(*answers, *rules) is not None, f"a fault is not noticed: {name}"
        names.append(name)
    assert {"farther", "nearer", "other feature"} <= set(names)
