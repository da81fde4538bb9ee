"""Layers for oracles: features as lists of parts (kind, rings), and query places."""

import os

import numpy as np

POINTS, LINE, POLYGON = range(3)
LAND = os.path.join(os.path.dirname(__file__), "../../../../shared/data/land/ne_50m_land.gpkg")


def part(kind, *rings):
    return kind, [[tuple(map(float, place)) for place in ring] for ring in rings]


def line(*places):
    return [part(LINE, places)]


def polygon(*rings):
    return [part(POLYGON, *([*ring, ring[0]] for ring in rings))]


def box(x, y, wide, high):
    return [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]


def simple(feature):
    """With points where lines have a single vertex, which others refuse."""
    return [(POINTS if len(rings[0]) == 1 else kind, rings) for kind, rings in feature]


def outlines(features):
    return [
        [
            (LINE if kind == POLYGON else kind, [places])
            for kind, rings in feature
            for places in rings
        ]
        for feature in features
    ]


def as_geojson(feature):
    names = {POINTS: "MultiPoint", LINE: "LineString", POLYGON: "Polygon"}
    parts = [
        {"type": names[kind], "coordinates": rings if kind == POLYGON else rings[0]}
        for kind, rings in feature
    ]
    return parts[0] if len(parts) == 1 else {"type": "GeometryCollection", "geometries": parts}


def as_wkt(feature):
    def ring(places):
        return "(" + ",".join(f"{x!r} {y!r}" for x, y in places) + ")"

    parts = []
    for kind, rings in feature:
        if kind == POINTS:
            parts.append("MULTIPOINT" + ring(rings[0]))
        elif kind == LINE:
            parts.append("LINESTRING" + ring(rings[0]))
        else:
            parts.append("POLYGON(" + ",".join(map(ring, rings)) + ")")
    return parts[0] if len(parts) == 1 else "GEOMETRYCOLLECTION(" + ",".join(parts) + ")"


def as_text(features, queries, radii):
    words = [len(features)]
    for feature in features:
        words.append(len(feature))
        for kind, rings in feature:
            words += [kind, len(rings)]
            for places in rings:
                words.append(len(places))
                words += [number for place in places for number in place]
    words.append(len(queries))
    words += [
        number
        for (x, y), radius in zip(queries.tolist(), radii.tolist())
        for number in (x, y, radius)
    ]
    return " ".join(map(repr, words))


def star(random, x, y, size, corners, low, high):
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    radii = size * random.uniform(0.4, 1, corners)
    return list(zip(x + radii * np.cos(angles), np.clip(y + radii * np.sin(angles), low, high)))


def mixed(random, count, low, high, size):
    """Points, lines, polygons with holes, and collections of them."""
    features = []
    for _ in range(count):
        feature = []
        for _ in range(3 if random.random() < 0.2 else 1):
            x, y = random.uniform(low, high)
            kind, s = random.random(), size * np.exp(random.uniform(-4, 0))
            if kind < 0.15:
                feature.append(part(POINTS, [(x, y)]))
            elif kind < 0.5:
                steps = random.uniform(-s, s, (6, 2))
                steps[3] = 0  # an edge without length
                places = np.cumsum([(x, y), *steps], axis=0)
                places[:, 1] = np.clip(places[:, 1], low[1], high[1])
                feature.append(part(LINE, places))
            else:
                hole = [star(random, x, y, 0.35 * s, 5, low[1], high[1])] if kind < 0.7 else []
                feature += polygon(star(random, x, y, s, 9, low[1], high[1]), *hole)
        features.append(feature)
    return features


def countries(x, y, wide, high, across, down):
    """Boxes that share their borders: from a border all of both are equally far."""
    return [
        polygon(box(x + wide * i, y + high * j, wide, high))
        for j in range(down)
        for i in range(across)
    ]


def lattice(random, count=40, size=64):
    """Whole numbers: many features are exactly as far as others. Twice the same, shared borders, touching rings, no length."""
    features = countries(8, 8, 4, 4, 3, 3)
    for _ in range(count):
        x, y, w, h = (int(n) for n in [*random.integers(0, size, 2), *random.integers(1, 9, 2)])
        features.append(
            [
                polygon(box(x, y, w, h)),
                line((x, y), (x + w, y + h)),
                line((x, y), (x, y + h), (x, y + h), (x + w, y)),
                polygon(box(x, y, 3 * w, 3 * h), box(x, y + h, w, w if w < 2 * h else h)),
                [part(POINTS, [(x, y), (x + w, y)])],
                polygon(
                    [
                        (x, y),
                        (x + w, y),
                        (x, y + h),
                        (x, y + 2 * h),
                        (x - w, y + 2 * h),
                        (x, y + h),
                        (x - w, y),
                    ]
                ),
            ][int(random.integers(6))]
        )
    return features + features[:5] + [line((30, 30), (30, 30)), line((3, 3)), features[12][::-1]]


def nasty(straight):
    """Poles, +-180 degrees, touching, holes, what has hardly a length or none. Geodesic edges: less than half round the globe."""
    features = [
        line((0, 80), (180, 80)) if not straight else line((0, 80), (90, 90), (180, 80)),
        line((10, 89), (-170, 89.5)) if not straight else line((10, 89), (190, 89.5)),
        line((30, 60), (40, 90)),
        line((-30, -60), (-40, -90)),
        line((0, -90), (120, -90)),
        polygon([(-180, 70), (-90, 72), (0, 70), (90, 72)])
        if not straight
        else polygon([(-180, 90), (-180, 70), (-90, 72), (0, 70), (90, 72), (180, 70), (180, 90)]),
        polygon([(lon, -85) for lon in range(-180, 180, 30)])
        if not straight
        else polygon([(-180, -90), *((lon, -85) for lon in range(-180, 181, 30)), (180, -90)]),
        line((179, 10), (-179, 12)) if not straight else line((179, 10), (181, 12)),
        polygon(box(175, -20, 10, 8)),
        polygon(box(-185, -32, 10, 8)),
        line((180, -5), (180, 5)),
        line((-180, 3), (-180, 9)),
        polygon(box(170, 20, 10, 10)),
        polygon(box(-180, 20, 10, 10)),
        polygon(box(20, 20, 10, 10), box(22, 22, 3, 3), box(26, 26, 2, 2)),
        polygon(box(23, 23, 1, 1)),
        polygon(box(40, 20, 10, 10), [(40, 25), (44, 23), (44, 27)]),  # a hole that touches
        polygon([(60, 20), (65, 20), (62, 25), (65, 30), (60, 30), (62, 25)]),  # touches itself
        line((70, 0), (70 + 1e-9, 1e-9)),
        line((72, 0), (72, 0)),
        line((74, 0)),
        [part(POINTS, [(76, 0), (76, 1e-9)])],
        line((80, 0), (100, 0)),
        line((80, -30), (100, -30)),
        line((100, -30), (80, -30)),
        polygon(box(100, -1e-6, 5, 2e-6)),
        line((-60, 0), (60, 1)),
        line((-120, 40), (-40, 70), (-120, 70)),
        line((-100, -50), (-100, 50)),
        [
            *polygon(box(-60, -40, 5, 5)),
            *polygon(box(-55, -35, 5, 5)),
            part(LINE, [(-57, -37), (-30, -37)]),
        ],
    ]
    return features + countries(110, 40, 3, 2, 3, 3)


def land():
    """The features of Natural Earth 1:50m land, or None."""
    from osgeo import ogr

    if not os.path.exists(LAND):
        return None
    source = ogr.Open(LAND)
    features = []
    for row in source.GetLayer(0):
        shape = row.GetGeometryRef()
        multi = "MULTI" in shape.GetGeometryName()
        polygons = (
            [shape.GetGeometryRef(i) for i in range(shape.GetGeometryCount())] if multi else [shape]
        )
        features.append(
            [
                part(
                    POLYGON,
                    *(
                        [p[:2] for p in one.GetGeometryRef(i).GetPoints()]
                        for i in range(one.GetGeometryCount())
                    ),
                )
                for one in polygons
            ]
        )
    return features


def places(features):
    return np.array(
        [
            place
            for feature in features
            for _, rings in feature
            for places in rings
            for place in places
        ]
    )


def around_globe(random, features, count):
    """Everywhere, at vertices and near them, half-way along edges, opposite to them, at poles and +-180 degrees."""
    at = places(features)
    chosen = at[random.integers(0, len(at), count)]
    next_to = at[np.minimum(random.integers(0, len(at), count), len(at) - 2)]
    lat = np.degrees(np.arcsin(random.uniform(-1, 1, count)))
    q = np.concatenate(
        [
            np.column_stack([random.uniform(-180, 180, count), lat]),
            chosen[: count // 4],
            chosen[: count // 4]
            + random.normal(0, 1, (count // 4, 2)) * 10.0 ** random.uniform(-8, 0, (count // 4, 1)),
            (next_to + chosen)[: count // 8] / 2,
            (chosen * (1, -1) + (180, 0))[: count // 8],
            [
                (0, 90),
                (55, 90),
                (0, -90),
                (180, 0),
                (-180, 0),
                (180, 25),
                (-180, -15),
                (180, 89.9),
                (0, 0),
            ],
        ]
    )
    q[:, 1] = np.clip(q[:, 1], -90, 90)
    return q
