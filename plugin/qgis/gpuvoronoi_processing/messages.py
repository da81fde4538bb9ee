"""What the program says in JSON (docs/messages.md), in the words of the dialogs: by code, as codes stay."""

from .i18n import number_text, tr

REQUESTED = "as requested"  # the program's reason for a metric that an option names

# The algorithms say these in the words of their dialogs, or the summary does.
REPORTED_BY_ALGORITHMS = {"cells-empty", "seeds-without-cells"}

# These are about what the program alone knows, or about what the plugin never asks it for: its own words are best.
OWN_WORDS = {
    "usage",
    "invalid",
    "interrupted",
    "gdal",
    "input-too-large",
    "secret-left-out",
    "backup-left",
    "stale-file",
    "cells-chosen",
    "part-output",
    "columns-left-out",
    "heading-of-numbers",
    "crs-assumed",
    "crs-deprecated",
    "crs-not-stored",
    "encoding",
}


# The errors of the Python package begin with an argument: the codes of the command for these.
OF_PACKAGE = {
    "metric": "metric-refused",
    "resolution": "grid-too-large",
    "ids": "unsupported",
    "seeds: row": "seed-unusable",
    "seeds have no coordinate": "crs-missing",
    "mask: the polygons or": "crs-missing",
}


def _errors():
    return {
        "memory": tr("Out of memory; a coarser raster needs less"),
        "backend-unknown": tr("Unknown backend; choose another, or “auto”"),
        "file": tr(
            "Cannot read or write a file; check that it exists, its permissions and the free disk space"
        ),
        "projection": tr("Cannot transform the layers to one coordinate system; check theirs"),
        "internal": tr(
            "Internal error of the command or the graphics card; try another backend and report the error"
        ),
        "unavailable": tr("Backend unavailable on this computer; choose another, or “auto”"),
        "unsupported": tr("Unsupported by this backend or file format; choose another"),
        "crs-unknown": tr("Unknown coordinate system"),
        "crs-missing": tr("Missing coordinate system of a layer; set it in its properties"),
        "grid-too-large": tr(
            "Too many cells in the raster; choose a larger cell size or a smaller area"
        ),
        "grid-too-small": tr("Cells larger than the area; choose a smaller cell size"),
        "layer-needed": tr(
            "Several layers in the file; add the right one to the project and choose it"
        ),
        "metric-refused": tr(
            "Unsupported distances here; choose others under “Distances”, or automatic"
        ),
        "output-exists": tr("The output exists or is in use; choose another name"),
        "output-format": tr(
            "Unsupported file format for this result; choose another, for example .tif or .gpkg"
        ),
        "output-is-input": tr("The output is an input too; choose another name"),
        "seed-unusable": tr(
            "A seed has an empty or invalid value or invalid coordinates; correct them, or check “Leave out points "
            "without usable coordinates”"
        ),
        "seeds-none": tr("No seeds; check the selection and the filter"),
    }


def _warnings():
    return {
        "accuracy": tr("A datum grid for a more accurate transformation is not installed."),
        "barriers-none": tr("The layer of barriers is empty: ways are those without barriers."),
        "degrees-on-plane": tr(
            "The layer has no coordinate system and may be in degrees, which are used as lengths; set its coordinate "
            "system in its properties."
        ),
        "metric-on-map": tr(
            "Distances on this map are not those on the ground; choose others under “Distances”."
        ),
        "heights-unused": tr("Heights are not used in these distances."),
        "table-missing": tr(
            "The raster has no table of names and colors. Regions as polygons have the names."
        ),
        "outside-operation": tr("Positions outside the area of the coordinate operation: {count}."),
        "seeds-curved": tr(
            "Features with curves, which are approximated by line segments: {count}."
        ),
        "seeds-wide": tr(
            "Edges wider than 180° of longitude: {count}. Geodesic edges go the shorter way."
        ),
        "seeds-invalid": tr("Invalid polygons: {count}. The even-odd rule decides what is inside."),
        "seeds-outside": tr(
            "Seeds outside the area of the coordinate system, which the raster covers: {count}."
        ),
        "seeds-skipped": tr("Seeds left out for empty or invalid values or coordinates: {count}."),
        "sum-negative": tr(
            "A raster of counts has negative values; if they stand for missing values, declare them as no data in its "
            "properties."
        ),
        "sum-outside": tr("A part of the raster of counts is outside the area and is not counted."),
        "values-lost": tr(
            "The format of the result does not hold everything; use a GeoPackage to keep all values."
        ),
    }


def reasons():
    """Why distances are what they are."""
    return {
        REQUESTED: tr("requested"),
        "default without a coordinate system": tr("default without a coordinate system"),
        "default for longitudes and latitudes": tr("default for longitudes and latitudes"),
        "default for projected CRSs": tr("default for projected CRSs"),
        "default for projected CRSs of the whole world": tr(
            "default for projected CRSs of the whole world"
        ),
        "default for the mesh": tr("default for the mesh"),
    }


def reason(words):
    return reasons().get(words, words)


def metric(name):
    """A metric of the command, in words."""
    return {
        "geodesic": tr("geodesic"),
        "great-circle": tr("great-circle"),
        "euclidean": tr("euclidean"),
        "manhattan": tr("manhattan"),
        "chebyshev": tr("chebyshev"),
    }.get(name, name)


def unit(name):
    """A unit of the command's report, in words; units of the system's own stay."""
    return {"degree": tr("degree"), "metre": tr("meter")}.get(name, name)


def error(report):
    """The program's error: what to do about it, if that is known, and its own words."""
    said = report["error"]
    own = "gpuvoronoi: error: " + said["message"]
    if "libh3-dev" in own:
        return (
            tr("H3 cells need the library libh3; install it, or choose HEALPix or S2") + f"\n{own}"
        )
    return f"{_errors()[said['code']]}\n{own}" if said["code"] in _errors() else own


def command_only(what):
    return tr(
        "“{option}” is not supported by the Python package gpuvoronoi; install the gpuvoronoi command"
    ).format(option=what)


def of_package(error):
    """An error of the Python package: what to do about it, if that is known, or the package's own words."""
    code = next((code for start, code in OF_PACKAGE.items() if str(error).startswith(start)), None)
    return _errors()[code] if code is not None else f"gpuvoronoi: error: {error}"


def warnings(report):
    words = _warnings()
    if "unverified" in report:
        del words["accuracy"]  # of a diagram it is about its corners
    for said in report["warnings"]:
        if said["code"] in REPORTED_BY_ALGORITHMS:
            continue
        own = "gpuvoronoi: warning: " + said["message"]
        count = number_text(said.get("count", 0))
        yield f"{words[said['code']].format(count=count)} ({own})" if said["code"] in words else own


def show(report, feedback):
    for line in warnings(report):
        feedback.pushWarning(line)
    for line in summary(report):
        feedback.pushInfo(line)


def summary(report):
    """What the run came to, line by line."""
    if "unverified" in report:
        yield from diagram_summary(report)
    if "backend" not in report:
        return  # a description or a diagram was written
    yield from search_summary(report) if "queries" in report else raster_summary(report)
    if "seconds" not in report:
        return  # nothing was computed
    yield tr("Computed by {backend}, {threads} threads, in {seconds} s").format(
        backend=report["backend"]["name"],
        threads=report["backend"]["threads"],
        seconds=number_text(report["seconds"], digits=2),
    )


def search_summary(report):
    yield tr("Searched for {points} points among {places}, {crs}").format(
        points=number_text(report["queries"]["used"]),
        places=number_text(report["references"]["used"]),
        crs=report["crs"],
    )


def diagram_summary(report):
    used, seeds = report["metric"], report["seeds"]
    yield tr("Distances: {metric}, {reason}").format(
        metric=metric(used["name"]), reason=reason(used["reason"])
    )
    yield tr("Seeds: {used} used, {left_out} left out").format(
        used=number_text(seeds["used"]), left_out=number_text(seeds["left_out"])
    )
    yield tr("Diagram: {places} places, {edges} borders, {crs}").format(
        places=number_text(seeds["places"]), edges=number_text(report["edges"]), crs=report["crs"]
    )


def raster_summary(report):
    used, grid, cells, seeds = report["metric"], report["grid"], report["cells"], report["seeds"]
    yield tr("Distances: {metric}, {reason}").format(
        metric=metric(used["name"]), reason=reason(used["reason"])
    )
    if "cells_of" in grid:
        yield tr("Cells: {count} of {system}, {crs}").format(
            count=number_text(cells["count"]), system=grid["cells_of"], crs=grid["crs"]
        )
    else:
        yield raster_size(grid)
    if cells["without_seed"] is not None:
        yield tr("Cells without a seed: {count} of {cells}").format(
            count=number_text(cells["without_seed"]), cells=number_text(cells["count"])
        )
    yield tr("Seeds: {used} used, {left_out} left out").format(
        used=number_text(seeds["used"]), left_out=number_text(seeds["left_out"])
    )
    if seeds["without_cells"]:
        yield tr("Seeds without a cell: {count}").format(count=number_text(seeds["without_cells"]))


def raster_size(grid):
    return tr("Raster: {width} × {height} cells of {x} × {y} {unit}, {crs}").format(
        width=number_text(grid["width"]),
        height=number_text(grid["height"]),
        x=number_text(grid["cell_size"][0], "g", 9),
        y=number_text(grid["cell_size"][1], "g", 9),
        unit=unit(grid["unit"]),
        crs=grid["crs"],
    )
