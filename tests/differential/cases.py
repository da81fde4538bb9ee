"""Random cases: a number makes the same case always. Sizes are small so that thousands can be run; shapes are difficult."""

import dataclasses
import math

import numpy as np

import library

PLANE_METRICS, GLOBE_METRICS = library.METRICS[:3], library.METRICS[3:]
ARRANGEMENTS = (
    "uniform",
    "duplicates",
    "lattice",
    "on cells",
    "collinear",
    "almost one",
    "clusters",
    "poles",
    "antimeridian",
)


@dataclasses.dataclass
class Case:
    """A case. `grid` None: a search, of `queries` (None: of the reference itself)."""

    number: int
    seeds: np.ndarray
    metric: str
    k: int = 1
    limit: float = math.inf
    arrangement: str = ""
    shape: str = ""
    grid: object = None
    inverse: object = None  # of projected grids: x, y -> longitude, latitude by numpy
    weighting: str = "unweighted"
    weights: object = None
    mask: object = None
    queries: object = None
    exclude_self: bool = False
    measured: bool = False

    def __str__(self):
        grid = (
            ""
            if self.grid is None
            else (
                f"{self.grid.width} x {self.grid.height} {list(self.grid.geotransform)} level {self.grid.level}, "
            )
        )
        return (
            f"case {self.number}: {self.shape}, {grid}{len(self.seeds)} seeds {self.arrangement}, {self.metric}, k {self.k}, "
            f"limit {self.limit!r}, {self.weighting}{'' if self.mask is None else ', mask'}"
        )


def sinusoidal(x, y):
    """Inverse sinusoidal projection of the sphere of radius 1e6, with no inverse outside the map."""
    lat = y / 1e6 * 180 / math.pi
    scale = np.cos(np.radians(lat))
    with np.errstate(all="ignore"):
        lon = np.where(scale > 0, x / 1e6 / scale * 180 / math.pi, np.inf)
    inside = (np.abs(lat) <= 90) & (np.abs(lon) <= 180)
    return np.where(inside, lon, np.inf), np.where(inside, lat, np.inf)


def callback(inverse):
    def call(x, y, n, _):
        xs, ys = np.ctypeslib.as_array(x, (n,)), np.ctypeslib.as_array(y, (n,))
        xs[:], ys[:] = inverse(xs.copy(), ys.copy())
        return 0

    return library.INVERSE(call)


def centers(grid):
    """x and y of the cells, height x width, as the header says."""
    g = list(grid.geotransform)
    column, row = np.arange(grid.width)[None, :] + 0.5, np.arange(grid.height)[:, None] + 0.5
    return (g[0] + column * g[1]) + row * g[2], (g[3] + column * g[4]) + row * g[5]


def make_grid(rng):
    """A grid, the name of its shape, and the inverse of a projected one."""
    width, height = (int(n) for n in rng.integers(1, [60, 40]))
    shape = rng.choice(
        [
            "plane",
            "plane rotated",
            "plane south-up",
            "plane one row",
            "plane tiny cells",
            "plane far away",
            "globe",
            "globe from 0",
            "globe piece",
            "globe pole",
            "globe centers on poles",
            "globe antimeridian",
            "globe more than once around",
            "globe tiny cells",
            "projected",
            "mesh",
            "globe by mesh",
        ]
    )
    level = library.c.QTM_NONE
    kind, inverse = library.LONLAT, None
    if shape.startswith("plane"):
        kind = library.PLANE
        size, x, y = 10.0 ** rng.integers(-3, 4), *rng.uniform(-100, 100, 2)
        if "tiny" in shape:
            size = 1e-9
        if "far" in shape:
            x, y = 1e7, -1e7
        t = [x, size, 0, y, 0, -size * rng.uniform(0.5, 2)]
        if "rotated" in shape:
            t[2], t[4] = size * rng.uniform(-1, 1), size * rng.uniform(-1, 1)
        if "south-up" in shape:
            t[5] = -t[5]
        if "one row" in shape:
            width, height = (width * 5, 1) if rng.random() < 0.5 else (1, height * 5)
    elif shape == "projected":
        kind, inverse = library.PROJECTED, sinusoidal
        t = [-3.2e6, 6.4e6 / width, 0, 1.6e6, 0, -3.2e6 / height]
    elif shape == "mesh":
        kind, level = library.QTM, int(rng.integers(0, 5))
        t = [0, 1, 0, 0, 0, 1]
        width = height = 0
    else:
        t = [-180, 360 / width, 0, 90, 0, -180 / height]
        if "from 0" in shape:
            t[0] = 0
        if "piece" in shape:
            size = 10.0 ** rng.integers(-4, 0)
            t = [rng.uniform(-170, 100), size, 0, rng.uniform(0, 80), 0, -size]
        if shape == "globe pole":
            t = [-180, 360 / width, 0, 90, 0, -0.05]
        if "centers on poles" in shape:
            height = max(height, 2)
            t = [-180, 360 / width, 0, 90 + 90 / (height - 1), 0, -180 / (height - 1)]
        if "antimeridian" in shape:
            t = [179.0, 2.5 / width, 0, 10, 0, -0.3]
        if "more than" in shape:
            t = [-400, 900 / width, 0, 80, 0, -160 / height]
        if "tiny" in shape:
            t = [20, 1e-9, 0, 35, 0, -1e-9]
        if "by mesh" in shape:
            level = int(rng.integers(0, 8))
    grid = library.Grid(
        kind=kind, width=width, height=height, level=level, inverse=library.INVERSE()
    )
    grid.geotransform[:] = [float(v) for v in t]
    if inverse is not None:
        grid.inverse = callback(inverse)
    return grid, str(shape), inverse


def make_positions(rng, box, n, globe, cells=None):
    """n positions in and around a box (x0, y0, x1, y1), arranged in one way or another; `cells`: places to lie on."""
    x0, y0, x1, y1 = box
    wide, high = x1 - x0, y1 - y0
    p = np.column_stack(
        [
            rng.uniform(x0 - 0.1 * wide, x1 + 0.1 * wide, n),
            rng.uniform(y0 - 0.1 * high, y1 + 0.1 * high, n),
        ]
    )
    arrangement = str(rng.choice(ARRANGEMENTS))
    if arrangement == "duplicates":
        p = p[rng.integers(0, max(1, n // 3), n)]
    elif arrangement == "lattice":
        side = max(2, math.isqrt(n))
        p = np.column_stack(
            [
                x0 + wide * rng.integers(0, side, n) / (side - 1),
                y0 + high * rng.integers(0, side, n) / (side - 1),
            ]
        )
    elif arrangement == "on cells" and cells is not None and len(cells):
        p = cells[rng.integers(0, len(cells), n)]
    elif arrangement == "collinear":
        p[:, rng.integers(0, 2)] = p[0, 0] if globe else p[0, 1]
        if globe:
            p[:, 0] = p[0, 0]
    elif arrangement == "almost one":
        p = p[0] + rng.integers(-3, 4, (n, 2)) * 1e-12
    elif arrangement == "clusters":
        heart = p[rng.integers(0, max(1, n // 8), n)]
        p = heart + (p - heart) * 0.5 ** rng.integers(0, 20, (n, 1))
    elif arrangement == "poles" and globe:
        p[: n // 2 + 1, 1] = rng.choice([90.0, -90.0, 90.0 - 1e-9], n // 2 + 1)
    elif arrangement == "antimeridian" and globe:
        p[:, 0] = rng.choice([180.0, -180.0, 180.0 - 1e-9, 179.0, -179.0], n)
    if globe:
        p[:, 1] = np.clip(p[:, 1], -90, 90)
    return np.ascontiguousarray(p), arrangement


def make_weights(rng, metric, n, box):
    """A weighting that the metric has, or none."""
    allowed = {"euclidean": 4, "great-circle": 4}.get(metric, 3)
    weighting = library.WEIGHTINGS[rng.integers(0, allowed)]
    scale = 1e6 if metric in GLOBE_METRICS else max(box[2] - box[0], 1e-12)
    values = {
        "unweighted": None,
        "multiplicative": 10.0 ** rng.uniform(-2, 2, n),
        "additive": rng.uniform(-scale, scale, n),
        "power": rng.uniform(-scale, scale, n) * scale,
    }[weighting]
    if values is not None and rng.random() < 0.3:
        values[:] = values[0]
    return weighting, values


def grid_case(number, rng):
    grid, shape, inverse = make_grid(rng)
    globe = grid.kind != library.PLANE
    if grid.kind == library.QTM:
        cells, box = None, (-180.0, -90.0, 180.0, 90.0)
    else:
        x, y = centers(grid)
        if inverse is not None:
            x, y = inverse(x, y)
        cells = np.column_stack([x.ravel(), y.ravel()])
        cells = cells[np.isfinite(cells).all(1)]
        box = (*cells.min(0), *cells.max(0)) if len(cells) else (-180.0, -90.0, 180.0, 90.0)
    if globe and rng.random() < 0.3:
        box = (-180.0, -90.0, 180.0, 90.0)
    n = int(rng.choice([1, 2, 3, 10, 60, 300, 2000]))
    seeds, arrangement = make_positions(rng, box, n, globe, cells)
    metric = str(rng.choice(GLOBE_METRICS if globe else PLANE_METRICS))
    case = Case(
        number, seeds, metric, shape=shape, arrangement=arrangement, grid=grid, inverse=inverse
    )
    case.k = int(rng.choice([1, 1, 1, 2, 3, 5, 12, 64]))
    if rng.random() < 0.3:
        case.weighting, case.weights = make_weights(rng, metric, n, box)
    if rng.random() < 0.3 and grid.kind != library.QTM:
        mask = (rng.random((grid.height, grid.width)) < rng.choice([0.0, 0.1, 0.5, 0.99])).astype(
            np.uint8
        )
        case.mask = np.ascontiguousarray(mask)
    case.measured = bool(rng.random() < 0.3)
    if rng.random() < 0.3:
        apart = max(box[2] - box[0], box[3] - box[1]) / math.sqrt(n)
        case.limit = float(apart * (111e3 if globe else 1) * rng.choice([0.0, 0.2, 0.7, 2.0]))
    return case


def search_case(number, rng):
    n, m = int(rng.choice([1, 2, 30, 300, 3000])), int(rng.choice([1, 7, 200]))
    k = int(rng.choice([1, 2, 10, 40]))
    if rng.random() < 0.4:
        box = (-180.0, -90.0, 180.0, 90.0)
        reference, arrangement = make_positions(rng, box, n, True)
        queries, _ = make_positions(rng, box, m, True, reference)
        case = Case(number, reference, str(rng.choice(GLOBE_METRICS)), shape="search on the globe")
        apart = 1e7 / math.sqrt(n)
    else:
        dim = int(rng.choice([1, 2, 3, 5, 16, 40, 130]))
        arrangement = str(rng.choice(["uniform", "lattice", "far away", "one hot column"]))
        reference, queries = rng.uniform(-1, 1, (n, dim)), rng.uniform(-1, 1, (m, dim))
        if arrangement == "lattice":
            reference, queries = (
                rng.integers(0, 3, (n, dim)) * 1.0,
                rng.integers(0, 3, (m, dim)) * 0.5,
            )
        elif arrangement == "far away":
            reference, queries = reference + 1e6, queries + 1e6
        elif arrangement == "one hot column":
            reference[:, 0] *= 1e9
            queries[:, 0] *= 1e9
        if rng.random() < 0.5:
            reference, queries = reference.astype(np.float32), queries.astype(np.float32)
        case = Case(
            number, reference, str(rng.choice(PLANE_METRICS)), shape=f"search in {dim} dimensions"
        )
        apart = float(np.ptp(reference)) or 1.0
    case.k, case.arrangement, case.queries = k, arrangement, queries
    if rng.random() < 0.2:
        case.queries, case.exclude_self = None, bool(rng.random() < 0.5)
    if rng.random() < 0.3:
        case.limit = float(apart * rng.choice([0.0, 0.1, 1.0]))
    return case


def make(number):
    rng = np.random.default_rng(number)
    return grid_case(number, rng) if rng.random() < 0.7 else search_case(number, rng)
