"""The questions: one question is one command line without backend, threads and instruction set, and its outputs.

Names contain the options: kind of grid / metric / seeds / k / selection / outputs / format. A question's name and its options
must not change; new questions get new names.
"""

import dataclasses

SPHERE = "+proj=longlat +R=6371000 +no_defs"
FLAT = "+proj=longlat +a=6378137 +rf=60 +no_defs"


@dataclasses.dataclass
class Question:
    name: str
    arguments: list
    outputs: list  # file names; the command writes them in a folder of their own, OUT/
    grid: bool = True  # else a search of points, or qtm
    weighted: bool = False
    projected: bool = False  # PROJ transforms: its versions may differ
    geodesic: bool = False  # PROJ's geod_inverse decides
    large: bool = False  # only backends that cull
    dimensions: int = 2  # of points that are searched
    standard_input: str = ""
    backends: bool = True  # there are backends to choose from


# kind: (family, options, seeds in turn, selections' limit). Families: plane, globe (longitude, latitude), map (projected).
GRIDS = {
    "plane": (
        "plane",
        "--extent 0,0,100,75 --size 200,150",
        "uniform clustered duplicates collinear diagonal outside one lattice",
        9.0,
    ),
    "tied": ("plane", "--extent 0,0,100,75 --res 1", "lattice collinear diagonal duplicates", 7.5),
    "row": ("plane", "--extent 0,37,100,38 --size 180,1", "uniform lattice collinear", 12.0),
    "column": ("plane", "--extent 40,0,41,75 --size 1,170", "clustered diagonal duplicates", 12.0),
    "rotated": ("plane", "--like like_rotated.tif", "uniform lattice duplicates clustered", 8.0),
    "southup": ("plane", "--like like_southup.tif", "lattice uniform clustered collinear", 6.25),
    "large": ("plane", "--extent 0,0,1000,700 --size 1000,700", "many", 11.0),
    "world": (
        "globe",
        "--size 200,100",
        "uniform nasty lattice duplicates clustered meridian outside one",
        1.5e6,
    ),
    "globe-tied": (
        "globe",
        "--extent=-60,-45,60,45 --res 1",
        "fine lattice meridian nasty",
        400000.0,
    ),
    "seam": (
        "globe",
        "--extent 150,-40,210,20 --size 150,150",
        "clustered nasty uniform lattice",
        900000.0,
    ),
    "polar": ("globe", "--extent=-180,60,180,90 --size 200,60", "nasty meridian uniform", 1.2e6),
    "pole-rows": ("globe", "--extent=-180,-91,180,91 --res 2", "nasty uniform lattice", 2e6),
    "east": ("globe", "--extent 0,-90,360,90 --size 180,90", "uniform duplicates nasty", 2.5e6),
    "globe-row": ("globe", "--extent=-180,10,180,11 --size 190,1", "uniform nasty", 2e6),
    "globe-column": ("globe", "--extent 179,-90,181,90 --size 1,180", "nasty duplicates", 2e6),
    "globe-rotated": (
        "globe",
        "--like like_globe_rotated.tif",
        "uniform fine nasty europe",
        800000.0,
    ),
    "globe-southup": ("globe", "--like like_globe_southup.tif", "uniform lattice nasty", 2e6),
    "sphere": (
        "globe",
        ["--seeds-crs", SPHERE, "--crs", SPHERE, "--size", "160,80"],
        "uniform nasty lattice",
        1.5e6,
    ),
    "flat": (
        "globe",
        ["--seeds-crs", FLAT, "--crs", FLAT, "--size", "160,80"],
        "uniform nasty",
        1.5e6,
    ),
    "globe-large": ("globe", "--size 1000,700", "many", 300000.0),
    "laea": (
        "map",
        "--crs EPSG:3035 --extent 2500000,1500000,6500000,4500000 --size 160,120",
        "europe fine",
        300000.0,
    ),
    "mollweide": (
        "map",
        "--crs ESRI:54009 --extent=-18040096,-9020048,18040096,9020048 --size 160,80",
        "uniform clustered",
        1.5e6,
    ),
    "antarctic": (
        "map",
        "--crs EPSG:3031 --extent=-4e6,-4e6,4e6,4e6 --size 120,120",
        "nasty uniform",
        1.5e6,
    ),
    "map-rotated": ("map", "--like like_map_rotated.tif", "europe fine", 300000.0),
    "triangles-3": ("triangles", "--level 3", "uniform nasty lattice duplicates", 1.5e6),
    "triangles-5": (
        "triangles",
        "--level 5 --extent=-100,-60,100,60 --size 160,120",
        "uniform meridian clustered",
        1.2e6,
    ),
    "triangles-10": (
        "triangles",
        "--level 10 --extent 0,40,20,55 --size 150,120",
        "europe uniform",
        400000.0,
    ),
    "triangles-map": (
        "map-triangles",
        "--level 5 --crs EPSG:3031 --extent=-4e6,-4e6,4e6,4e6 --size 100,100",
        "uniform nasty",
        1.5e6,
    ),
    "mesh-2": ("mesh", "--level 2", "uniform nasty duplicates", 2e6),
    "mesh-4": ("mesh", "--level 4", "lattice uniform clustered meridian", 1.2e6),
    "mesh-snapped": ("mesh", "--level 4 --snap-seeds", "uniform clustered", 1.2e6),
}

# Kinds of which half of the selections is enough.
THIN = (
    "row",
    "column",
    "east",
    "globe-row",
    "globe-column",
    "sphere",
    "flat",
    "laea",
    "mollweide",
    "antarctic",
    "map-rotated",
    "triangles-map",
)
METRICS = {
    "plane": ("euclidean", "manhattan", "chebyshev"),
    "map": ("euclidean", "manhattan", "geodesic", "great-circle"),
}
WEIGHTS = {"multiplicative": "wm", "additive": "wa", "power": "wp"}
SELECTIONS = (
    "all",
    "limit",
    "mask-raster",
    "mask-polygons",
    "multiplicative",
    "additive",
    "power",
    "together",
)
# Formats that everything can read here; one question after the other takes the next.
RASTER_OPTIONS = (
    ("tif", ["--co", "COMPRESS=NONE"]),
    ("tif", ["--co", "COMPRESS=DEFLATE", "--co", "BLOCKXSIZE=64", "--co", "BLOCKYSIZE=48"]),
    ("tif", ["--co", "COMPRESS=NONE", "--co", "BLOCKXSIZE=128", "--co", "BLOCKYSIZE=32"]),
    ("tif", ["--co", "COMPRESS=NONE", "--co", "TILED=NO"]),
    ("bin", ["--of", "ENVI"]),
)
TABLES = ("csv", "geojson", "gpkg")


def words(options):
    return list(options) if isinstance(options, list) else options.split()


def selection_options(selection, family, metric, limit):
    """Options of a selection; None if it is not supported."""
    plane = family == "plane"
    limits = ["--max-distance", repr(limit)]
    masks = {
        "mask-raster": ["--mask", "mask_plane.tif" if plane else "mask_globe.tif"],
        "mask-polygons": ["--mask", "mask_plane.csv" if plane else "mask_globe.geojson"],
    }
    weights = {w: ["--weighting", w, "--weight-field", f] for w, f in WEIGHTS.items()}
    if selection == "power" and metric not in ("euclidean", "great-circle"):
        return None
    if family == "mesh" and selection.startswith("mask"):
        return None
    if selection == "all":
        return []
    if selection == "limit":
        return limits
    if selection == "together":
        return limits + weights["additive"] + ([] if family == "mesh" else masks["mask-raster"])
    return masks[selection] if selection in masks else weights[selection]


def sums_of(kind, family):
    if family == "plane":
        return ["--sum", "p=sum_plane.tif"] + (
            ["--sum", "c=sum_cells.tif"] if kind in ("plane", "southup") else []
        )
    if family.startswith("map"):
        return ["--sum", "g=sum_globe.tif"] + (
            ["--sum", "m=sum_map.tif"] if kind in ("laea", "map-rotated") else []
        )
    return ["--sum", "g=sum_globe.tif", "--sum", "w=sum_world.tif"]


def outputs_of(kind, family, number, k):
    """Name, options and files of one of five sets of outputs, in turn."""
    if family == "mesh":
        table = TABLES[number % 3]
        return f"cells-{table}", ["--cells", f"OUT/cells.{table}"], [f"cells.{table}"]
    turn, table, writing = number % 5, TABLES[number % 3], number // 5 % len(RASTER_OPTIONS)
    if kind == "globe-rotated":
        turn %= 2  # no statistics there
    if turn == 4 and k > 1 and writing == 1:
        writing = 0  # GDAL 3.6 cannot trace regions in several compressed bands by several threads
    form, options = RASTER_OPTIONS[writing]
    out = [f"out.{form}"]
    options = options + [f"OUT/out.{form}"]
    distances = ["--distance", f"OUT/distance.{form}"]
    azimuths = ["--azimuth", f"OUT/azimuth.{form}"]
    stats = ["--stats", f"OUT/stats.{table}"]
    name = f"{form}{writing}"
    if turn == 0:
        return f"plain/{name}", options, out
    if turn == 1:
        return (
            f"measured/{name}",
            distances + azimuths + ["--distance-type", "Float64"] + options,
            out + [f"distance.{form}", f"azimuth.{form}"],
        )
    if turn == 2:
        return (
            f"stats-{table}/{name}",
            stats + sums_of(kind, family) + options,
            out + [f"stats.{table}"],
        )
    if turn == 3:
        return (
            f"counted-{table}/{name}",
            stats + ["--no-stats-distances"] + sums_of(kind, family) + options,
            out + [f"stats.{table}"],
        )
    polygons = ["--polygons", "OUT/polygons." + TABLES[(number + 1) % 3]]
    return (
        f"everything-{table}/{name}",
        distances + azimuths + stats + polygons + sums_of(kind, family) + options,
        out + [f"distance.{form}", f"azimuth.{form}", f"stats.{table}", polygons[1][4:]],
    )


def voronoi_questions():
    number = 0
    for kind, (family, grid, seeds, limit) in GRIDS.items():
        seeds = seeds.split()
        large = seeds == ["many"]
        for metric in METRICS.get(family, ("geodesic", "great-circle")):
            for rank, k in enumerate((1, 3, 12)):
                for turn, selection in enumerate(SELECTIONS):
                    chosen = selection_options(selection, family, metric, limit)
                    number += 1
                    if (
                        chosen is None
                        or large
                        and selection not in ("all", "limit", "mask-raster", "additive")
                    ):
                        continue
                    if kind in THIN and (rank + turn) % 2:
                        continue
                    seed = seeds[(number + number // len(SELECTIONS)) % len(seeds)]
                    what, options, outputs = outputs_of(kind, family, number, k)
                    source = ("plane_" if family == "plane" else "globe_") + seed + ".csv"
                    yield Question(
                        f"{kind}/{metric}/{seed}/{k}/{selection}/{what}",
                        [
                            "--seeds",
                            source,
                            *words(grid),
                            "--metric",
                            metric,
                            "-k",
                            str(k),
                            *chosen,
                            *options,
                        ],
                        outputs,
                        weighted=selection in WEIGHTS or selection == "together",
                        large=large,
                        projected=family.startswith("map"),
                        geodesic=metric == "geodesic",
                    )


def identity_questions():
    """Which value is written: ids, names, nodata, features left out, multipoints, the default grid."""
    cases = {
        "repeated": "--seeds globe_uniform.csv --id zone --polygons OUT/polygons.gpkg --stats OUT/stats.csv",
        "broad": "--seeds globe_uniform.csv --id code -k 2",
        "text": "--seeds globe_duplicates.csv --id name --stats OUT/stats.gpkg",
        "where": "--seeds globe_uniform.csv --where wm>1.1 --polygons OUT/polygons.csv",
        "nodata": "--seeds globe_uniform.csv --nodata 77777 --max-distance 900000",
        "unstyled": "--seeds globe_uniform.csv --no-style",
        "multi": "--seeds globe_multi.geojson --id code --stats OUT/stats.csv --distance OUT/distance.tif",
        "float32": "--seeds globe_nasty.csv -k 3 --distance OUT/distance.tif --azimuth OUT/azimuth.tif",
    }
    for name, options in cases.items():
        options = options.split()
        outputs = ["out.tif"] + [o[4:] for o in options if o.startswith("OUT/")]
        yield Question(
            f"identity/{name}",
            options + ["--size", "180,90", "--co", "COMPRESS=NONE", "OUT/out.tif"],
            outputs,
            geodesic=True,
        )
    yield Question(
        "identity/default-plane",
        "--seeds plane_clustered.csv --size 100,80 --co COMPRESS=NONE OUT/out.tif".split(),
        ["out.tif"],
    )


def format_questions():
    """What only GDAL's bindings can read, and the formats' own ways: defaults, COG with overviews, NetCDF, FlatGeobuf."""
    plane = "--seeds plane_uniform.csv --extent 0,0,100,75 --size 700,600"
    globe = "--seeds globe_uniform.csv --size 1100,550 --metric great-circle"
    cases = {
        "zstd": (f"{plane} --distance OUT/distance.tif OUT/out.tif", "out.tif distance.tif"),
        "zstd-globe": (f"{globe} -k 3 --max-distance 2e6 OUT/out.tif", "out.tif"),
        "pixels": (
            f"{plane} -k 3 --co INTERLEAVE=PIXEL --co COMPRESS=DEFLATE OUT/out.tif",
            "out.tif",
        ),
        "cog": (f"{plane} --of COG OUT/out.tif", "out.tif"),
        "cog-globe": (
            f"{globe} --of COG --max-distance 2e6 --distance OUT/distance.tif OUT/out.tif",
            "out.tif distance.tif",
        ),
        "cog-deflate": (
            f"{globe} --of COG --co COMPRESS=DEFLATE --co BLOCKSIZE=128 -k 2 OUT/out.tif",
            "out.tif",
        ),
        "flatgeobuf": (
            f"{plane} --stats OUT/stats.fgb --polygons OUT/polygons.fgb OUT/out.tif",
            "out.tif stats.fgb polygons.fgb",
        ),
        "netcdf": ("--seeds globe_nasty.csv --level 4 -k 2 --mesh OUT/mesh.nc", "mesh.nc"),
        "netcdf-limit": (
            "--seeds globe_uniform.csv --level 5 --metric great-circle --max-distance 1e6 --mesh OUT/mesh.nc "
            "--cells OUT/cells.fgb",
            "mesh.nc cells.fgb",
        ),
    }
    for name, (options, outputs) in cases.items():
        yield Question(
            f"format/{name}", options.split(), outputs.split(), geodesic="netcdf" == name
        )


def search_questions():
    from inputs import ARRAYS

    number = 0
    for dim in ARRAYS:
        for metric in ("l2", "l1", "linf"):
            for kind in ("double", "float"):
                for points in ("spread", "tied"):
                    for k in (1, 3, 12, 100):
                        number += 1
                        if number % 2 == 0 and k in (1, 12) or dim == 40 and k == 3:
                            continue
                        name = f"{points}{dim}_{kind}"
                        options = ["--reference", f"{name}.npy", "--metric", metric, "-k", str(k)]
                        how = "queries" if number % 7 else "self"
                        if how == "queries":
                            options += ["--queries", f"{name}_queries.npy"]
                        if number % 3 == 0:
                            how += "-limit"
                            options += ["--max-distance", "0.5" if points == "spread" else "1"]
                        yield Question(
                            f"search/{metric}/{name}/{k}/{how}",
                            [
                                "search",
                                *options,
                                "--distances",
                                "OUT/distances.npy",
                                "OUT/found.npy",
                            ],
                            ["found.npy", "distances.npy"],
                            grid=False,
                            dimensions=dim,
                        )
    for metric in ("geodesic", "great-circle"):
        for k in (1, 3, 12, 100):
            for limit in ([], ["--max-distance", "1500000"]):
                for how in ("queries", "self"):
                    asked = ["--queries", "askers.csv"] if how == "queries" else []
                    yield Question(
                        f"search/{metric}/places/{k}/{how}" + ("-limit" if limit else ""),
                        [
                            "search",
                            "--reference",
                            "places.csv",
                            *asked,
                            "--metric",
                            metric,
                            "-k",
                            str(k),
                            *limit,
                            "--distances",
                            "OUT/distances.npy",
                            "OUT/found.csv",
                        ],
                        ["found.csv", "distances.npy"],
                        grid=False,
                        geodesic=metric == "geodesic",
                    )


def qtm_questions():
    for level in (0, 1, 5, 14, 29):
        for form in ([], ["--integer"]):
            yield Question(
                "/".join(["qtm/encode", str(level), *[f[2:] for f in form]]),
                ["qtm", "encode", "--level", str(level), *form],
                ["stdout.txt"],
                backends=False,
                standard_input="places.txt",
            )
    for what in ("decode", "neighbors", "info"):
        yield Question(
            f"qtm/{what}", ["qtm", what], ["stdout.txt"], backends=False, standard_input="cells.txt"
        )


def all_questions():
    questions = [
        *voronoi_questions(),
        *identity_questions(),
        *format_questions(),
        *search_questions(),
        *qtm_questions(),
    ]
    assert len({q.name for q in questions}) == len(questions), "two questions of one name"
    return questions
