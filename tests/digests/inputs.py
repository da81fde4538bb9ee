"""Inputs of the digests: seeds, masks, templates, counts and arrays, the same bytes on every machine.

Nothing here may depend on a library: numbers come from SplitMix64 and four operations, files are text or written byte by
byte. A change here changes every digest.
"""

import json
import pathlib
import struct

PLANE = (0.0, 0.0, 100.0, 75.0)
GLOBE_LIMITS = (-180.0, -90.0, 180.0, 90.0)


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def number(self, low, high):
        return low + (high - low) * ((self.bits() >> 11) * 2.0**-53)

    def below(self, n):
        return self.bits() % n


def uniform(seed, n, box):
    random = Random(seed)
    return [(random.number(box[0], box[2]), random.number(box[1], box[3])) for _ in range(n)]


def clustered(seed, n, centers, radius):
    random = Random(seed)
    points = []
    for i in range(n):
        x, y = centers[i % len(centers)]
        points.append((x + random.number(-radius, radius), y + random.number(-radius, radius)))
    return points


def lattice(box, step):
    across, down = int((box[2] - box[0]) // step), int((box[3] - box[1]) // step)
    return [
        (box[0] + i * step, box[1] + j * step) for j in range(down + 1) for i in range(across + 1)
    ]


def plane_seeds():
    some = uniform(1, 40, PLANE)
    return {
        "uniform": uniform(2, 60, PLANE),
        "clustered": clustered(3, 240, [(20.0, 20.0), (22.0, 24.0), (70.0, 60.0)], 2.0),
        "lattice": lattice(PLANE, 5.0),
        "duplicates": some + some[::2] + some[::-1] + [some[0]] * 15,
        "collinear": [(x * 2.5, 37.5) for x in range(41)] + [(50.0, 37.5)],
        "diagonal": [(float(i), float(i)) for i in range(0, 76, 3)],
        "outside": uniform(4, 30, (300.0, -500.0, 320.0, -480.0))
        + uniform(5, 10, (-900.0, 10.0, -899.0, 11.0)),
        "one": [(33.25, 41.0)],
        "many": uniform(6, 3000, (0.0, 0.0, 1000.0, 700.0)),
    }


def globe_seeds():
    nasty = [
        (0.0, 90.0),
        (37.0, 90.0),
        (-180.0, 90.0),
        (10.0, -90.0),
        (180.0, -90.0),
        (180.0, 0.0),
        (-180.0, 0.0),
        (180.0, 45.0),
        (-180.0, 45.0),
        (0.0, 0.0),
        (0.0, -0.0),
        (90.0, 0.0),
        (-90.0, 0.0),
        (179.999999, 10.0),
        (-179.999999, 10.0),
        (180.0, -33.0),
        (45.0, 89.9999),
        (-135.0, 89.9999),
        (1e-9, 1e-9),
        (0.0, 45.0),
    ]
    some = uniform(11, 30, GLOBE_LIMITS)
    return {
        "uniform": uniform(12, 70, GLOBE_LIMITS),
        "nasty": nasty,
        "clustered": clustered(13, 200, [(170.0, -10.0), (-179.9, -10.5), (5.0, 50.0)], 0.09),
        "lattice": lattice((-180.0, -90.0, 175.0, 90.0), 15.0),
        "fine": lattice((-60.0, -40.0, 60.0, 40.0), 5.0),
        "duplicates": some + some[::3] + some[::-1] + [some[3]] * 14,
        "meridian": [(20.0, y * 5.0) for y in range(-18, 19)] + [(-160.0, 10.0), (-160.0, -10.0)],
        "outside": uniform(14, 25, (-60.0, -30.0, -59.0, -29.5)) + [(120.0, 30.0), (120.0, 30.0)],
        "europe": uniform(15, 80, (-5.0, 38.0, 30.0, 62.0)),
        "one": [(-70.5, -33.25)],
        "many": uniform(16, 3000, GLOBE_LIMITS),
    }


def write_seeds(path, points, names, additive, power):
    """CSV with a name, weights of each kind, ids that repeat, and ids beyond 32 bits."""
    random = Random(len(points))
    lines = [",".join(names) + ",name,wm,wa,wp,zone,code"]
    for i, (x, y) in enumerate(points):
        lines.append(
            f"{x!r},{y!r},n{i % 7}-{i},{random.number(0.5, 2.0)!r},{random.number(0.0, additive)!r},"
            f"{random.number(0.0, power)!r},{i // 3},{5000000000 + 7 * i}"
        )
    path.write_text("\n".join(lines) + "\n")


# ---------------------------------------------------------------------------------------------------------- rasters

TIFF_TYPES = {
    "B": (1, 8),
    "h": (2, 16),
    "i": (2, 32),
    "f": (3, 32),
    "d": (3, 64),
}  # SampleFormat, BitsPerSample


def write_tiff(path, width, height, transform, values, code="f", epsg=0, nodata=None, tile=0):
    """One band, little-endian, uncompressed; strips of one row each, or tiles of `tile` x `tile`."""
    sample, bits = TIFF_TYPES[code]
    if tile:
        pieces = []
        for y in range(0, height, tile):
            for x in range(0, width, tile):
                rows = [
                    [
                        values[r * width + c] if r < height and c < width else 0
                        for c in range(x, x + tile)
                    ]
                    for r in range(y, y + tile)
                ]
                pieces.append(
                    struct.pack(f"<{tile * tile}{code}", *[v for row in rows for v in row])
                )
    else:
        pieces = [
            struct.pack(f"<{width}{code}", *values[r * width : (r + 1) * width])
            for r in range(height)
        ]
    a, b, c, d, e, f = transform
    keys = [1, 1, 0, 2, 1024, 0, 1, 2 if epsg == 4326 else 1, 1025, 0, 1, 1]
    if epsg:
        keys[3] = 3
        keys += [2048 if epsg == 4326 else 3072, 0, 1, epsg]
    layout = [(322, "H", [tile]), (323, "H", [tile])] if tile else [(278, "H", [1])]
    offsets, counts = (324, 325) if tile else (273, 279)
    data_at, at = [], 8
    for piece in pieces:
        data_at.append(at)
        at += len(piece)
    tags = [
        (256, "I", [width]),
        (257, "I", [height]),
        (258, "H", [bits]),
        (259, "H", [1]),
        (262, "H", [1]),
        (277, "H", [1]),
        (284, "H", [1]),
        (339, "H", [sample]),
        *layout,
        (offsets, "I", data_at),
        (counts, "I", [len(p) for p in pieces]),
        (34264, "d", [b, c, 0.0, a, e, f, 0.0, d, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    ]
    if epsg:
        tags.append((34735, "H", keys))
    if nodata is not None:
        tags.append((42113, "s", str(nodata).encode() + b"\0"))
    tags.sort()
    codes = {"H": 3, "I": 4, "d": 12, "s": 2}
    entries, extra, extra_at = [], b"", at + 2 + 12 * len(tags) + 4
    for tag, kind, value in tags:
        raw = value if kind == "s" else struct.pack(f"<{len(value)}{kind}", *value)
        if len(raw) <= 4:
            field = raw.ljust(4, b"\0")
        else:
            field = struct.pack("<I", extra_at + len(extra))
            extra += raw + b"\0" * (len(raw) % 2)
        entries.append(struct.pack("<HHI", tag, codes[kind], len(value)) + field)
    path.write_bytes(
        struct.pack("<2sHI", b"II", 42, at)
        + b"".join(pieces)
        + struct.pack("<H", len(entries))
        + b"".join(entries)
        + b"\0\0\0\0"
        + extra
    )


def counts(seed, n, code, nodata):
    """Counts as people have them: many zeros, a few large ones, holes."""
    random = Random(seed)
    values = []
    for _ in range(n):
        kind = random.below(10)
        if kind < 4:
            values.append(0)
        elif kind == 4 and nodata is not None:
            values.append(nodata)
        elif code == "f":
            values.append(random.below(1 << 20) / 64.0)
        else:
            values.append(random.below(30000))
    return values


def patches(seed, width, height, size):
    """A mask: squares that count (1) and that do not (0), in the pattern of a coast."""
    random = Random(seed)
    across = width // size + 1
    on = [random.below(3) > 0 for _ in range(across * (height // size + 1))]
    return [int(on[(r // size) * across + c // size]) for r in range(height) for c in range(width)]


def ring(box):
    x0, y0, x1, y1 = box
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]


def write_polygons(folder):
    """Polygon masks: a plane's as CSV without a coordinate system, the globe's as GeoJSON; holes, shared edges."""
    text = ["WKT,number"]
    for rings in (
        [ring((10, 10, 60, 70)), ring((20, 20, 40, 40.25))],
        [ring((60, 10, 95, 30))],
        [[[70, 35], [99, 50], [70, 74], [70, 35]]],
    ):
        inner = ",".join(
            "(" + ",".join(f"{float(x)!r} {float(y)!r}" for x, y in r) + ")" for r in rings
        )
        text.append(f'"POLYGON({inner})",{len(text)}')
    (folder / "mask_plane.csv").write_text("\n".join(text) + "\n")
    features = []
    for rings in (
        [ring((-20.0, -60.0, 60.0, 70.0)), ring((0.0, 0.0, 20.0, 30.5))],
        [ring((60.0, -60.0, 180.0, 20.0))],
        [ring((-180.0, -80.0, -150.0, 80.0))],
        [[[-100.0, 0.0], [-40.0, 30.0], [-80.0, 60.0], [-100.0, 0.0]]],
    ):
        features.append(
            {
                "type": "Feature",
                "properties": {},
                "geometry": {"type": "Polygon", "coordinates": rings},
            }
        )
    (folder / "mask_globe.geojson").write_text(
        json.dumps({"type": "FeatureCollection", "features": features})
    )


def write_rasters(folder):
    def blank(w, h):
        return [0] * (w * h)

    write_tiff(
        folder / "like_rotated.tif",
        120,
        90,
        (10.0, 0.5, 0.25, 60.0, 0.25, -0.5),
        blank(120, 90),
        "B",
    )
    write_tiff(
        folder / "like_southup.tif", 200, 150, (0.0, 0.5, 0.0, 0.0, 0.0, 0.5), blank(200, 150), "B"
    )
    write_tiff(
        folder / "like_globe_rotated.tif",
        120,
        90,
        (-30.0, 0.5, 0.125, 40.0, 0.125, -0.5),
        blank(120, 90),
        "B",
        4326,
    )
    write_tiff(
        folder / "like_globe_southup.tif",
        180,
        90,
        (-180.0, 2.0, 0.0, -90.0, 0.0, 2.0),
        blank(180, 90),
        "B",
        4326,
    )
    write_tiff(
        folder / "like_map_rotated.tif",
        120,
        90,
        (3e6, 16000.0, 5000.0, 4e6, 5000.0, -16000.0),
        blank(120, 90),
        "B",
        3035,
    )
    write_tiff(
        folder / "mask_plane.tif",
        50,
        40,
        (0.0, 2.0, 0.0, 75.0, 0.0, -1.875),
        patches(21, 50, 40, 5),
        "B",
    )
    write_tiff(
        folder / "mask_globe.tif",
        72,
        36,
        (-180.0, 5.0, 0.0, 90.0, 0.0, -5.0),
        patches(22, 72, 36, 3),
        "B",
        4326,
    )
    write_tiff(
        folder / "sum_plane.tif",
        130,
        90,
        (-3.0, 0.8, 0.0, 72.0, 0.0, -0.8),
        counts(23, 130 * 90, "f", -9999.0),
        "f",
        0,
        -9999,
        64,
    )
    write_tiff(
        folder / "sum_cells.tif",
        200,
        150,
        (0.0, 0.5, 0.0, 75.0, 0.0, -0.5),
        counts(24, 200 * 150, "h", None),
        "h",
    )
    write_tiff(
        folder / "sum_globe.tif",
        180,
        90,
        (-180.0, 2.0, 0.0, 90.0, 0.0, -2.0),
        counts(25, 180 * 90, "f", -1.0),
        "f",
        4326,
        -1,
    )
    write_tiff(
        folder / "sum_world.tif",
        200,
        100,
        (-180.0, 1.8, 0.0, 90.0, 0.0, -1.8),
        counts(26, 200 * 100, "i", None),
        "i",
        4326,
        None,
        128,
    )
    write_tiff(
        folder / "sum_map.tif",
        100,
        100,
        (2.5e6, 40000.0, 0.0, 5.5e6, 0.0, -40000.0),
        counts(27, 10000, "i", -5),
        "i",
        3035,
        -5,
    )


# ------------------------------------------------------------------------------------------------------------- arrays


def write_array(path, rows, code):
    header = "{'descr': '<%s%d', 'fortran_order': False, 'shape': (%d, %d), }" % (
        "f",
        struct.calcsize(code),
        len(rows),
        len(rows[0]),
    )
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack(f"<{len(rows) * len(rows[0])}{code}", *[v for row in rows for v in row])
    )


ARRAYS = {
    1: (900, 150),
    2: (700, 200),
    3: (600, 200),
    8: (400, 100),
    40: (300, 60),
}  # dimension: points, queries


def write_arrays(folder):
    for dim, (points, queries) in ARRAYS.items():
        random = Random(100 + dim)
        spread = [[random.number(-1.0, 1.0) for _ in range(dim)] for _ in range(points)]
        tied = [
            [float(random.below(4)) for _ in range(dim)] for _ in range(points)
        ]  # duplicates, equal distances
        asked = [[random.number(-1.2, 1.2) for _ in range(dim)] for _ in range(queries)] + spread[
            :10
        ]
        halves = [[random.below(8) / 2.0 for _ in range(dim)] for _ in range(queries)]
        for code, name in (("d", "double"), ("f", "float")):
            write_array(folder / f"spread{dim}_{name}.npy", spread, code)
            write_array(folder / f"tied{dim}_{name}.npy", tied, code)
            write_array(folder / f"spread{dim}_{name}_queries.npy", asked, code)
            write_array(folder / f"tied{dim}_{name}_queries.npy", halves, code)
    for name, points in (
        ("places", uniform(31, 500, GLOBE_LIMITS) + globe_seeds()["nasty"]),
        ("askers", uniform(32, 150, GLOBE_LIMITS) + globe_seeds()["nasty"]),
    ):
        (folder / f"{name}.csv").write_text(
            "lon,lat\n" + "".join(f"{x!r},{y!r}\n" for x, y in points)
        )


def write_places(folder):
    """Places and cells of the mesh, for `qtm`."""
    random = Random(41)
    places = uniform(42, 150, GLOBE_LIMITS) + globe_seeds()["nasty"]
    places += [
        (360.0, 0.0),
        (-540.0, 12.0),
        (45.0, 45.0),
        (22.5, 67.5),
        (30.0, 60.0),
        (15.0, 75.0),
        (60.0, 30.0),
    ]
    (folder / "places.txt").write_text("".join(f"{x!r} {y!r}\n" for x, y in places))
    cells = [str(1 + i) for i in range(8)]
    for _ in range(150):
        cells.append(
            str(1 + random.below(8))
            + "".join(str(random.below(4)) for _ in range(random.below(30)))
        )
    (folder / "cells.txt").write_text("\n".join(cells) + "\n")


def write_all(folder):
    folder = pathlib.Path(folder)
    for name, points in plane_seeds().items():
        write_seeds(folder / f"plane_{name}.csv", points, ("x", "y"), 10.0, 100.0)
    for name, points in globe_seeds().items():
        write_seeds(folder / f"globe_{name}.csv", points, ("lon", "lat"), 1e6, 1e12)
    points = uniform(51, 40, GLOBE_LIMITS)
    features = [
        {
            "type": "Feature",
            "properties": {"name": f"m{i}", "code": i * 10},
            "geometry": {
                "type": "MultiPoint",
                "coordinates": [list(points[i]), list(points[39 - i])],
            },
        }
        for i in range(20)
    ]
    (folder / "globe_multi.geojson").write_text(
        json.dumps({"type": "FeatureCollection", "features": features})
    )
    write_polygons(folder)
    write_rasters(folder)
    write_arrays(folder)
    write_places(folder)
