#include "io/codes.h"

/* Each code once: its name, its meaning, and what to do. docs/messages.md is made of them
 * (cli/messages.c). */
static const gv_code_text texts[GV_CODES] = {
    [GV_CODE_NONE] = {"", "", ""},
    [GV_CODE_INVALID] = {"invalid", "A value or an input is invalid, and no other code applies.",
                         "Correct what the message names."},
    [GV_CODE_MEMORY] = {"memory", "Memory is exhausted, on the host or on a GPU.",
                        "Use fewer cells, points or threads, or a smaller --memory."},
    [GV_CODE_BACKEND_UNKNOWN] = {"backend-unknown", "The name of the backend is unknown.",
                                 "List the names: gpuvoronoi backends."},
    [GV_CODE_UNSUPPORTED] = {"unsupported", "The backend, index or format does not support this.",
                             "Use what the message proposes, or --backend auto."},
    [GV_CODE_UNAVAILABLE] = {"unavailable", "The backend is not available on this machine.",
                             "Read the reason: gpuvoronoi backends, gpuvoronoi devices."},
    [GV_CODE_FILE] = {"file", "A file cannot be read or written.",
                      "Check the path, the permissions and the free disk space."},
    [GV_CODE_PROJECTION] = {"projection", "A coordinate operation cannot be created, or fails.",
                            "Check the coordinate systems of all inputs."},
    [GV_CODE_INTERRUPTED] = {"interrupted",
                             "The run was interrupted by a signal, or cancelled. No output was changed.",
                             "Run it again."},
    [GV_CODE_INTERNAL] = {"internal", "A defect of this program, or of a device or its driver.",
                          "Use another backend, and report the message."},
    [GV_CODE_USAGE] = {"usage", "The command line is invalid (status 2).",
                       "Read gpuvoronoi --help, or --help of the subcommand."},
    [GV_CODE_CRS_UNKNOWN] = {"crs-unknown",
                             "PROJ does not know the coordinate system, or it is not one of a map.",
                             "Use a code like EPSG:4326, WKT, PROJJSON or a PROJ string."},
    [GV_CODE_CRS_MISSING] = {"crs-missing", "An input has no coordinate system, and one is required.",
                             "Use --seeds-crs, --reference-crs or --query-crs, or assign one to the file."},
    [GV_CODE_GRID_TOO_LARGE] =
        {"grid-too-large", "The grid has too many cells, or its cells are too small for their coordinates.",
         "Use larger cells (--res) or a smaller --extent, or increase --memory."},
    [GV_CODE_GRID_TOO_SMALL] = {"grid-too-small", "The extent is smaller than half a cell.",
                                "Use smaller cells (--res) or a larger --extent."},
    [GV_CODE_INPUT_TOO_LARGE] = {"input-too-large",
                                 "The data of an input need more memory than --memory allows.",
                                 "Increase --memory, or use fewer or coarser data."},
    [GV_CODE_LAYER_NEEDED] = {"layer-needed", "A source has several layers.",
                              "Choose one with --layer, --query-layer, --extent-layer or --mask-layer."},
    [GV_CODE_METRIC_REFUSED] =
        {"metric-refused",
         "The metric is not supported for this coordinate system, grid, weighting or these edges.",
         "Omit --metric for the default, or use the metric that the message names."},
    [GV_CODE_OUTPUT_EXISTS] = {"output-exists", "An output exists already, or is in use.",
                               "Use --overwrite or another name; close programs that use the file."},
    [GV_CODE_OUTPUT_FORMAT] =
        {"output-format", "The format of an output is unknown, or does not support the values.",
         "Use .tif for rasters and .gpkg for tables, or choose a format with --of and --ot."},
    [GV_CODE_OUTPUT_IS_INPUT] = {"output-is-input", "An output would replace an input.",
                                 "Use another name for the output."},
    [GV_CODE_SEED_UNUSABLE] = {"seed-unusable", "A seed has no valid coordinates, id, attribute or weight.",
                               "Correct it, or use --skip-invalid."},
    [GV_CODE_SEEDS_NONE] = {"seeds-none", "No seeds are left.",
                            "Check the source, --where, and why seeds were skipped."},
    [GV_CODE_ACCURACY] = {"accuracy",
                          "A PROJ grid that is not installed would make coordinate operations more accurate.",
                          "Install the grid: projsync, or the package proj-data."},
    [GV_CODE_BACKUP_LEFT] =
        {"backup-left",
         "An earlier run for this output was killed while it replaced files. The message names "
         "the directory with the previous files.",
         "Move the files back, or remove the directory."},
    [GV_CODE_BARRIERS_NONE] = {"barriers-none",
                               "The layer of barriers is empty: ways are those without barriers.",
                               "Check --barriers and --barriers-layer."},
    [GV_CODE_CELLS_CHOSEN] =
        {"cells-chosen", "A file of --cells-of has several coordinates, and those of its cells were chosen.",
         "For others use --cells-of FILE:VARIABLE."},
    [GV_CODE_CELLS_EMPTY] = {"cells-empty", "No cell has a seed.",
                             "Check --mask, --max-distance and --extent."},
    [GV_CODE_COLUMNS_LEFT_OUT] = {"columns-left-out",
                                  "Columns of a text file are read as ids, not as coordinates.",
                                  "Choose the coordinates with --columns."},
    [GV_CODE_CRS_ASSUMED] =
        {"crs-assumed",
         "An input has no coordinate system, and one was assumed: WGS 84 by its units, or that of the grid.",
         "If it is another one, assign it to the file."},
    [GV_CODE_CRS_DEPRECATED] =
        {"crs-deprecated",
         "The code of the coordinate system is deprecated. Programs that read the outputs may replace it.",
         "Use the current code, or set OSR_USE_NON_DEPRECATED=NO to keep it."},
    [GV_CODE_CRS_NOT_STORED] =
        {"crs-not-stored",
         "The format of an output does not support its coordinate system: coordinates are "
         "transformed to WGS 84, or the file has none.",
         "Use .gpkg for tables and .tif for rasters."},
    [GV_CODE_DEGREES_ON_PLANE] =
        {"degrees-on-plane",
         "No coordinate system is declared, but the coordinates may be degrees. Distances are on the plane.",
         "For longitudes and latitudes use --seeds-crs EPSG:4326 (--reference-crs in a search)."},
    [GV_CODE_ENCODING] = {"encoding", "Text that is not UTF-8 was read as Latin-1.",
                          "For another encoding use --oo ENCODING=NAME."},
    [GV_CODE_GDAL] = {"gdal", "GDAL has issued a warning.", "See the message."},
    [GV_CODE_HEADER_OF_NUMBERS] = {"heading-of-numbers",
                                   "The first line of a text file is read as a point, but may be a header.",
                                   "If it is a header use --header yes."},
    [GV_CODE_HEIGHTS_UNUSED] = {"heights-unused", "z is not used: these distances do not have heights.",
                                "For distances with z use a metric of the plane."},
    [GV_CODE_METRIC_ON_MAP] = {"metric-on-map", "Distances on this map differ from those on the ground.",
                               "Omit --metric, or use geodesic."},
    [GV_CODE_OUTSIDE_OPERATION] =
        {"outside-operation",
         "Positions are outside the area of the coordinate operation, and may be inaccurate.",
         "Use a coordinate system for this area."},
    [GV_CODE_PART_OUTPUT] =
        {"part-output",
         "The parts have distances, azimuths, statistics or polygons that merge does not write.",
         "Add the option that the message names."},
    [GV_CODE_SEEDS_CURVED] = {"seeds-curved", "Curves were converted to short lines.",
                              "None required; for other lines convert the source first."},
    [GV_CODE_SEEDS_INVALID] = {"seeds-invalid",
                               "Polygons are invalid, e.g. their rings cross. Their inside is given by the "
                               "even-odd rule. Thousands "
                               "of rings within each other are not checked.",
                               "Repair the polygons."},
    [GV_CODE_SEEDS_OUTSIDE] = {"seeds-outside",
                               "Seeds are outside the area of use of the grid's coordinate system.",
                               "Use --extent, or another --crs."},
    [GV_CODE_SEEDS_SKIPPED] = {"seeds-skipped", "--skip-invalid has skipped seeds or points.",
                               "Correct the first one, which the message names."},
    [GV_CODE_SEEDS_WIDE] = {"seeds-wide", "Edges span more than 180 degrees of longitude.",
                            "For the shorter way use --edges geodesic."},
    [GV_CODE_SEEDS_WITHOUT_CELLS] = {"seeds-without-cells",
                                     "Seeds have no cell: others are nearer to all cells.",
                                     "For small regions use smaller cells (--res)."},
    [GV_CODE_SECRET_LEFT_OUT] = {"secret-left-out", "A description was written without a password.",
                                 "Add the option with the password to --config."},
    [GV_CODE_STALE_FILE] =
        {"stale-file",
         "All outputs are in place, but a file that is not needed cannot be removed: a side file of "
         "a replaced output, or a temporary directory.",
         "Remove the file that the message names."},
    [GV_CODE_SUM_NEGATIVE] =
        {"sum-negative", "A --sum raster has negative values.",
         "If they stand for missing values, declare the value as nodata (gdal_edit.py -a_nodata)."},
    [GV_CODE_SUM_OUTSIDE] = {"sum-outside", "A part of a --sum raster is outside the grid and not counted.",
                             "Use a larger --extent."},
    [GV_CODE_TABLE_MISSING] = {"table-missing", "The raster has no attribute table with names and colors.",
                               "Use --polygons or --stats for the names."},
    [GV_CODE_VALUES_LOST] =
        {"values-lost",
         "The format of a table does not hold everything: a long text is cut, a time has no "
         "zone, or a field of an unsupported type is left out.",
         "Use .gpkg."},
};

const char *gv_code_name(gv_code code) {
  return texts[code].name;
}

const gv_code_text *gv_code_describe(gv_code code) {
  return &texts[code];
}

bool gv_code_is_note(gv_code code) {
  return code == GV_CODE_CELLS_CHOSEN || code == GV_CODE_CRS_ASSUMED || code == GV_CODE_COLUMNS_LEFT_OUT;
}

gv_code gv_code_of_status(gv_status status) {
  switch (status) {
  case GV_ERROR_INVALID_ARGUMENT:
    return GV_CODE_INVALID;
  case GV_ERROR_OUT_OF_MEMORY:
    return GV_CODE_MEMORY;
  case GV_ERROR_UNKNOWN_BACKEND:
    return GV_CODE_BACKEND_UNKNOWN;
  case GV_ERROR_UNSUPPORTED:
    return GV_CODE_UNSUPPORTED;
  case GV_ERROR_UNAVAILABLE:
    return GV_CODE_UNAVAILABLE;
  case GV_ERROR_IO:
    return GV_CODE_FILE;
  case GV_ERROR_PROJECTION:
    return GV_CODE_PROJECTION;
  case GV_ERROR_CANCELLED:
    return GV_CODE_INTERRUPTED;
  default:
    return GV_CODE_INTERNAL;
  }
}
