"""What the program says in JSON (docs/usage.md, "As JSON"), in the words of the dialogs: by code, as codes stay."""

from .i18n import tr

# The algorithms say these in the words of their dialogs, or the summary does.
SAID_ELSEWHERE = {"cells-empty", "seeds-without-cells"}

# These are about what the program alone knows, or about what the plugin never asks it for: its own words are best.
OWN_WORDS = {"usage", "invalid", "interrupted", "gdal", "secret-left-out", "backup-left", "part-output", "columns-left-out", "heading-of-numbers", "crs-assumed", "crs-deprecated", "encoding"}


def _errors():
    return {
        "memory": tr("There is not enough memory. A coarser raster takes less."),
        "backend-unknown": tr("The program has no such backend: choose another, or “auto”."),
        "file": tr("A file could not be read or written: look whether it is there, may be written, and whether the disk is full."),
        "projection": tr("The layers cannot be brought to one coordinate system: look whether theirs are right."),
        "internal": tr("This is a fault of the program or of the graphics card; another backend may do. Please report it."),
        "unavailable": tr("This backend cannot run on this computer: choose another, or “auto”."),
        "unsupported": tr("This backend or file format cannot do that: choose another."),
        "crs-unknown": tr("The coordinate system is unknown to the program."),
        "crs-missing": tr("A layer has no coordinate system: set it in its properties."),
        "grid-too-large": tr("The raster would have too many cells: choose a larger cell size, or a smaller area."),
        "grid-too-small": tr("The cells are larger than the area: choose a smaller cell size."),
        "layer-needed": tr("The file has several layers: add the right one to the project and choose that."),
        "metric-refused": tr("These distances make no sense here: choose others under “Distances”, or leave them automatic."),
        "output-exists": tr("The output is there already, or is in use: choose another name."),
        "output-format": tr("Results of this kind do not go into a file of this format: choose another, .tif or .gpkg, say."),
        "output-is-input": tr("The output would replace a file that is read: choose another name."),
        "seed-unusable": tr("A seed has no usable coordinates: mend it, or check “Leave out points without usable coordinates”."),
        "seeds-none": tr("No seed is left: look at the selection and the filter."),
    }


def _warnings():
    return {
        "accuracy": tr("The layers do not fit together as accurately as they could: a datum grid is not installed."),
        "degrees-on-plane": tr("The layer has no coordinate system and may be in degrees, which count as lengths here: set its coordinate system in its properties."),
        "metric-on-map": tr("Distances on this map are not those on the ground: choose others under “Distances”."),
        "heights-unused": tr("Heights do not count in these distances."),
        "table-missing": tr("The raster has no table of names and colours. Regions as polygons have the names."),
        "outside-operation": tr("{count} positions lie outside the area for which coordinates can be transformed well."),
        "seeds-curved": tr("The curves of {count} features were taken for lines of short pieces."),
        "seeds-wide": tr("{count} edges are more than 180° of longitude wide: choose geodesic edges if they should go the shorter way."),
        "seeds-invalid": tr("{count} polygons are not valid; what lies within them is told by the even-odd rule."),
        "seeds-outside": tr("{count} seeds lie beyond the area that the coordinate system is for, which the raster covers."),
        "seeds-skipped": tr("{count} seeds without usable coordinates were left out."),
        "sum-outside": tr("A part of the raster of quantities lies outside the area and is not counted."),
    }


def reasons():
    """Why distances are what they are."""
    return {
        "as asked for": tr("as asked for"),
        "default without a coordinate system": tr("default without a coordinate system"),
        "default for longitudes and latitudes": tr("default for longitudes and latitudes"),
        "default for maps": tr("default for maps"),
        "default for maps of the whole world": tr("default for maps of the whole world"),
        "default for the mesh": tr("default for the mesh"),
    }


def reason(words):
    return reasons().get(words, words)


def error(report):
    """The program's error: what to do about it, if that is known, and its own words."""
    said = report["error"]
    own = "gpuvoronoi: error: " + said["message"]
    return f"{_errors()[said['code']]}\n{own}" if said["code"] in _errors() else own


def warnings(report):
    words = _warnings()
    if "unverified" in report:
        del words["accuracy"]  # of a diagram it is about its corners
    for said in report["warnings"]:
        if said["code"] in SAID_ELSEWHERE:
            continue
        own = "gpuvoronoi: warning: " + said["message"]
        count = f"{said.get('count', 0):,}"
        yield f"{words[said['code']].format(count=count)} ({own})" if said["code"] in words else own


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
        backend=report["backend"]["name"], threads=report["backend"]["threads"], seconds=f"{report['seconds']:.2f}"
    )


def search_summary(report):
    yield tr("Searched for {points} points among {places}, {crs}").format(
        points=f"{report['queries']['used']:,}", places=f"{report['references']['used']:,}", crs=report["crs"]
    )


def diagram_summary(report):
    metric, seeds = report["metric"], report["seeds"]
    yield tr("Distances: {metric}, {reason}").format(metric=metric["name"], reason=reason(metric["reason"]))
    yield tr("Seeds: {used} used, {left_out} left out").format(used=f"{seeds['used']:,}", left_out=f"{seeds['left_out']:,}")
    yield tr("Diagram: {places} places, {edges} borders, {crs}").format(
        places=f"{seeds['places']:,}", edges=f"{report['edges']:,}", crs=report["crs"]
    )


def raster_summary(report):
    metric, grid, cells, seeds = report["metric"], report["grid"], report["cells"], report["seeds"]
    yield tr("Distances: {metric}, {reason}").format(metric=metric["name"], reason=reason(metric["reason"]))
    yield tr("Raster: {width} × {height} cells of {x} × {y} {unit}, {crs}").format(
        width=f"{grid['width']:,}", height=f"{grid['height']:,}", x=f"{grid['cell_size'][0]:.9g}", y=f"{grid['cell_size'][1]:.9g}",
        unit=grid["unit"], crs=grid["crs"],
    )
    if cells["without_seed"] is not None:
        yield tr("Cells without a seed: {count} of {cells}").format(count=f"{cells['without_seed']:,}", cells=f"{cells['count']:,}")
    yield tr("Seeds: {used} used, {left_out} left out").format(used=f"{seeds['used']:,}", left_out=f"{seeds['left_out']:,}")
    if seeds["without_cells"]:
        yield tr("Seeds without a cell: {count}").format(count=f"{seeds['without_cells']:,}")
