/* gpuvoronoi --seeds SRC [options] OUT: the options of the main job. */
#include "cli/commands.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "cli/cli.h"
#include "cli/process.h"
#include "cli/standard_input.h"
#include "io/source_name.h"
#include "job/job.h"

typedef struct settings {
  gv_job job;
  bool has_distance_type, quiet, progress;
} settings;

/* ------------------------------------------------------------------------------------------------- setters */

static int set_seeds(void *to, const char *value) {
  gv_job *j = &((settings *)to)->job;
  if (j->seeds.source != NULL) return cli_fail(EXIT_USAGE, "--seeds can be given only once");
  j->seeds.source = value;
  return EXIT_OK;
}

static int set_values(void *to, const char *value) {
  gv_raster_seed_options *o = &((settings *)to)->job.raster_seeds;
  return cli_whole_list("--values", value, &o->values, &o->value_count);
}

static int set_resolution(void *to, const char *value) {
  gv_grid_options *grid = &((settings *)to)->job.grid;
  grid->has_resolution = true;
  if (cli_numbers(value, grid->resolution, 2)) return EXIT_OK;
  int count = cli_measures(value, grid->resolution, grid->resolution_unit, 2);
  if (count == 0)
    return cli_fail(EXIT_USAGE, "--res: '%s' is not X or X,Y, with units or without: %s", value, gv_unit_names);
  if (count == 1) grid->resolution[1] = grid->resolution[0];
  if (count == 1) grid->resolution_unit[1] = grid->resolution_unit[0];
  return EXIT_OK;
}

static int set_max_distance(void *to, const char *value) {
  gv_job *j = &((settings *)to)->job;
  return cli_distance("--max-distance", value, &j->max_distance, &j->max_distance_unit);
}

static int set_distance_unit(void *to, const char *value) {
  return cli_length_unit("--distance-unit", value, &((settings *)to)->job.distance_unit);
}

static int set_size(void *to, const char *value) {
  gv_grid_options *grid = &((settings *)to)->job.grid;
  grid->has_size = true;
  if (cli_integers(value, grid->size, 2)) return EXIT_OK;
  return cli_fail(EXIT_USAGE, "--size: '%s' is not W,H in whole 64-bit numbers", value);
}

static int set_extent(void *to, const char *value) {
  gv_grid_options *grid = &((settings *)to)->job.grid;
  grid->has_extent = true;
  if (cli_numbers(value, grid->extent, 4)) return EXIT_OK;
  return cli_fail(EXIT_USAGE, "--extent: '%s' is not XMIN,YMIN,XMAX,YMAX", value);
}

static int set_memory(void *to, const char *value) {
  char *end;
  double bytes = strtod(value, &end);
  static const char units[] = "kMGT";
  const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
  for (const char *u = units; unit != NULL && u <= unit; u++)
    bytes *= 1024.0;
  bool good = end != value && (*end == '\0' || (unit != NULL && end[1] == '\0')) && bytes >= 1e6 && bytes < 1e18;
  if (!good) return cli_fail(EXIT_USAGE, "--memory: '%s' is no size of at least 1M, like 512M or 4G", value);
  ((settings *)to)->job.memory = (int64_t)bytes;
  return EXIT_OK;
}

/* GDAL's names, in any case. */
static int set_distance_type(void *to, const char *value) {
  settings *s = to;
  s->has_distance_type = true;
  s->job.distance_type = GDALGetDataTypeByName(value);
  if (s->job.distance_type == GDT_Float32 || s->job.distance_type == GDT_Float64) return EXIT_OK;
  return cli_fail(EXIT_USAGE, "--distance-type: '%s' is neither Float32 nor Float64", value);
}

static int set_id_type(void *to, const char *value) {
  settings *s = to;
  static const GDALDataType types[] = {GDT_Byte, GDT_Int16, GDT_UInt16, GDT_Int32, GDT_UInt32, GDT_Int64};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (GDALGetDataTypeByName(value) != types[i]) continue;
    s->job.id_type = types[i];
    return EXIT_OK;
  }
  return cli_fail(EXIT_USAGE, "--ot: '%s' is none of Byte, Int16, UInt16, Int32, UInt32, Int64", value);
}

/* NAME=FILE where NAME is a plain name and no file is called so as a whole; otherwise FILE. */
static int set_sum(void *to, const char *value) {
  gv_job *j = &((settings *)to)->job;
  struct stat found;
  const char *equals = strchr(value, '=');
  size_t length = equals != NULL ? (size_t)(equals - value) : 0;
  bool named = length > 0 && stat(value, &found) != 0;
  for (size_t i = 0; i < length; i++)
    named = named && (isalnum((unsigned char)value[i]) || value[i] == '_' || value[i] == '-');
  if (j->sum_count == GV_JOB_MAX_SUMS) return cli_fail(EXIT_USAGE, "--sum can be given %d times", GV_JOB_MAX_SUMS);
  gv_job_sum *sum = &j->sums[j->sum_count++];
  sum->path = named ? equals + 1 : value;
  gv_source_remember(sum->path);
  char *shown = gv_source_name(sum->path);
  if (shown == NULL) return cli_fail(EXIT_ERROR, "out of memory");
  const char *stem = CPLGetBasename(shown);
  free(shown);
  if (!named) length = strlen(stem);
  if (length == 0 || length >= sizeof sum->name) {
    return cli_fail(EXIT_USAGE, "--sum: '%s' gives no name of 1 to %zu letters; write NAME=FILE", value,
                    sizeof sum->name - 1);
  }
  snprintf(sum->name, sizeof sum->name, "%.*s", (int)length, named ? value : stem);
  for (int i = 0; i + 1 < j->sum_count; i++) {
    if (strcasecmp(j->sums[i].name, sum->name) == 0) {
      return cli_fail(EXIT_USAGE, "--sum: two rasters are called '%s'; write NAME=FILE", sum->name);
    }
  }
  return EXIT_OK;
}

/* ------------------------------------------------------------------------------------------------- options */

static const cli_choice weightings[] = {
    {"multiplicative", GV_MULTIPLICATIVE}, {"additive", GV_ADDITIVE}, {"power", GV_POWER}, {NULL, 0}};

static const cli_choice metrics[] = {{"geodesic", GV_GEODESIC},   {"great-circle", GV_GREAT_CIRCLE},
                                     {"euclidean", GV_EUCLIDEAN}, {"manhattan", GV_MANHATTAN},
                                     {"chebyshev", GV_CHEBYSHEV}, {NULL, 0}};

static const cli_choice edges[] = {{"straight", GV_EDGES_STRAIGHT}, {"geodesic", GV_EDGES_GEODESIC}, {NULL, 0}};

static const cli_option table[] = {
    CLI_SECTION("Seeds"),
    {"seeds", "SRC",
     "any vector source that GDAL reads, with points, lines, polygons; a CSV file with columns lon and lat (lng, "
     "long, longitude, latitude; EPSG:4326) or x and y needs nothing else; - is CSV or GeoJSON from the standard "
     "input. Each point of a layer of points is a "
     "seed; "
     "where there are lines or polygons, each feature, at the distance of its nearest point (0 within a polygon)",
     CLI_BY(set_seeds)},
    {"seeds-raster", "R",
     "instead of --seeds: the cells of a raster that are neither nodata, masked nor 0 are seeds, at their centres. "
     "OUT holds "
     "the value of the nearest; equal distances go to the lowest value, -k finds values. Default grid: that of R",
     CLI_INTO(job.raster_seeds.source)},
    {"band", "N", "of --seeds-raster (default: 1)", CLI_RANGE(job.raster_seeds.band, 1, 1 << 30)},
    {"values", "V[,V...]", "only cells of R with these values are seeds, 0 too if it is listed",
     CLI_BY(set_values)},
    {"by-cell", NULL,
     "OUT holds the nearest cell's number instead (row by row from 0, Int64); ties go to the lowest",
     CLI_INTO(job.raster_seeds.by_cell)},
    {"layer", "NAME", "layer to read, needed if there are several", CLI_INTO(job.seeds.layer)},
    {"where", "SQL", "use only the features that fulfil this", CLI_INTO(job.seeds.where)},
    {"seeds-crs", "CRS", "coordinate system of the seeds, in place of the source's own", CLI_INTO(job.seeds.crs)},
    {"x", "FIELD", "the positions' columns, where they have other names, or in place of geometries ...",
     CLI_INTO(job.seeds.x_field)},
    {"y", "FIELD", "... (plane coordinates without --seeds-crs, unless they are called lon and lat)",
     CLI_INTO(job.seeds.y_field)},
    {"oo", "NAME=VALUE", "open option of the seeds' driver, may be repeated", CLI_INTO(job.seeds.open_options)},
    {"id", "FIELD",
     "write this integer field (default: the feature id; a CSV file's rows count from 1). With a text field: the "
     "row number from 0, with the text in the attribute table",
     CLI_INTO(job.seeds.id_field)},
    {"skip-invalid", NULL, "leave out seeds without usable coordinates, and say how many",
     CLI_INTO(job.seeds.skip_invalid)},

    {"edges", "NAME",
     "of lines and polygons: straight (default: in the seeds' own coordinates, longitudes as they are written) or "
     "geodesic (the shorter way between vertices; great-circle arcs with that metric)",
     CLI_ONE_OF(job.seeds.edges, edges)},
    {"boundary", NULL, "polygons count as their boundaries, with nothing within", CLI_INTO(job.seeds.boundary)},

    CLI_SECTION("Grid: a template, or an extent with a cell size or a number of cells"),
    {"like", "RASTER", "extent, cells and coordinate system of this raster", CLI_INTO(job.grid.like)},
    {"res", "X[,Y]",
     "cell size in the grid's units, or with a unit: 30m, 1km, 1nmi, 30\" (degrees of a length are those of the "
     "equator); a last cell "
     "that is half inside counts, as in gdalwarp",
     CLI_BY(set_resolution)},
    {"size", "W,H", "number of cells (default: 2048 on the longer side, square cells)", CLI_BY(set_size)},
    {"extent", "XMIN,YMIN,XMAX,YMAX",
     "in the grid's coordinate system; longitudes may go beyond 180 (default: the globe, or the seeds' extent plus "
     "10 % a side; 1 km around a seed that is alone; the area that the system is for, if seeds lie beyond it)",
     CLI_BY(set_extent)},
    {"extent-of", "SRC", "the extent of this raster or layer", CLI_INTO(job.grid.extent_of)},
    {"extent-layer", "NAME", "layer of --extent-of, needed if there are several", CLI_INTO(job.grid.extent_layer)},
    {"level", "L",
     "the triangles of level L (0 to 20) of the QTM mesh ask for their nearest seed, and each pixel of the grid "
     "carries its triangle's answer (default grid: the globe in 2^(L+3) x 2^(L+2) pixels)",
     CLI_RANGE(job.grid.level, 0, GV_QTM_MAX_GRID_LEVEL), CLI_AND(job.grid.has_level)},
    {"snap-seeds", NULL, "with --level: seeds move to the centre of their own triangle",
     CLI_INTO(job.grid.snap_seeds)},
    {"crs", "CRS", "coordinate system of the grid (default: the seeds')", CLI_INTO(job.grid.crs)},

    CLI_SECTION("Which seeds"),
    {"k", "K", "bands 1 to K hold the nearest, the 2nd nearest ... K-th nearest seed (1 to 64)",
     CLI_RANGE(job.k, 1, GV_VORONOI_MAX_K)},
    {"max-distance", "D",
     "seeds farther away do not count: metres on the globe, else the grid's unit, or with a unit: 100km, 5mi; "
     "inclusive",
     CLI_BY(set_max_distance)},
    {"mask", "SRC", "a raster (nodata, masked and 0 are left out) or polygons: other cells hold nodata",
     CLI_INTO(job.mask.source)},
    {"mask-layer", "NAME", "layer of the polygons, needed if there are several", CLI_INTO(job.mask.layer)},
    {"weighting", "NAME", "multiplicative (d/w), additive (d+w) or power (d*d-w) instead of the distance d",
     CLI_ONE_OF(job.weighting, weightings)},
    {"weight-field", "FIELD", "the seeds' weights w", CLI_INTO(job.seeds.weight_field)},

    CLI_SECTION("Computing"),
    {"metric", "NAME",
     "geodesic (default on geographic grids), great-circle, euclidean (default on others), manhattan, chebyshev; "
     "the first two work on projected grids too",
     CLI_ONE_OF(job.grid.metric, metrics), CLI_AND(job.grid.has_metric)},
    {"backend", "NAME", "auto (default) or one of `gpuvoronoi backends`; all give the same result",
     CLI_INTO(job.backend), .add_help = backends_add_limits_of_grids},
    CLI_THREADS_ROW(job.threads),
    {"memory", "SIZE",
     "memory over all threads, e.g. 512M or 4G, beside what the seeds take (default: a quarter of what there is, 1 "
     "GiB at most); with less of it fewer threads work",
     CLI_BY(set_memory)},
    {"device", "N",
     "GPU for the CUDA backends, as `gpuvoronoi devices` numbers them (default: the first; for cuda-tile all)",
     CLI_RANGE(job.device, 0, 1023)},

    CLI_SECTION("Output"),
    {"of", "DRIVER", "GDAL driver (default: by the extension of OUT; GTiff for .tif)", CLI_INTO(job.raster.driver)},
    {"ot", "TYPE",
     "type of the ids: Byte, Int16, UInt16, Int32, UInt32 or Int64, which must hold them all (default: Int32, or "
     "Int64 where needed); PNG, JPEG 2000 and GeoPackage rasters need Byte or UInt16",
     CLI_BY(set_id_type)},
    {"cells", "FILE",
     "with --level: the triangles as polygons too, with id, id64, lon, lat, seed, distance and area_km2; .gpkg, "
     ".fgb, .csv, .geojson or any other vector format's extension",
     CLI_INTO(job.cells)},
    {"mesh", "FILE.nc",
     "with --level (up to 13): the triangles as a UGRID mesh with seed, distance and area; with --cells or --mesh, "
     "OUT may be left out",
     CLI_INTO(job.mesh)},
    {"distance", "FILE", "distances as a raster too (K bands); metres on the globe, else the grid's unit",
     CLI_INTO(job.distance)},
    {"distance-per-value", NULL, "with --distance and --seeds-raster: a band for each value instead of K",
     CLI_INTO(job.distance_per_value)},
    {"distance-type", "TYPE", "Float32 (default) or Float64", CLI_BY(set_distance_type)},
    {"signed-distance", NULL,
     "with --distance: within a polygon minus the distance to the boundary of the cell's own feature",
     CLI_INTO(job.signed_distance)},
    {"distance-unit", "UNIT",
     "unit of the distances of --distance and --stats: m, km, nmi, mi, ft, yd, us-ft, cm (default: metres on the "
     "globe, else the grid's unit)",
     CLI_BY(set_distance_unit)},
    {"azimuth", "FILE", "directions to the seeds, degrees clockwise from north, as a raster too",
     CLI_INTO(job.azimuth)},
    {"stats", "FILE",
     "a table with a row a seed: its attributes, cells, area, mean and largest distance, centroid, sums; .csv, "
     ".gpkg, .fgb, .geojson ...",
     CLI_INTO(job.stats)},
    {"stats-layer", "NAME", "the table's name in a file of several layers (default: statistics)",
     CLI_INTO(job.stats_layer)},
    {"sum", "[NAME=]RASTER",
     "with --stats: add up this raster of counts (people, say) over each region, and the mean distance weighted by "
     "it; may be repeated",
     CLI_BY(set_sum)},
    {"no-stats-distances", NULL, "leave the distances out of the table, which is faster",
     CLI_INTO(job.no_stats_distances)},
    {"polygons", "FILE", "the regions as polygons too", CLI_INTO(job.polygons)},
    {"polygons-layer", "NAME", "their name in a file of several layers (default: regions)",
     CLI_INTO(job.polygons_layer)},
    {"co", "NAME=VALUE", "creation option, may be repeated; each replaces just that default",
     CLI_INTO(job.raster.creation_options)},
    {"nodata", "V",
     "value of cells without a seed (default: -1, or the lowest integer if -1 is an id; of unsigned types the "
     "highest "
     "integer, or 0 if that is an id)",
     CLI_INTO(job.nodata), CLI_AND(job.has_nodata)},
    {"no-style", NULL,
     "no attribute table with names and colours, no palette, and no style for QGIS (OUT.qml) beside OUT",
     CLI_INTO(job.no_style)},
    {"overwrite", NULL,
     "replace outputs that exist; in files of several layers (.gpkg, .sqlite, .xlsx ...) only the layer of that "
     "name: "
     "new ones are added without this. Modes and owners stay, links are followed, read-only files are refused",
     CLI_INTO(job.raster.overwrite)},
    CLI_SYNC_ROW(job.sync),
    {"quiet", NULL, "no progress bar and no warnings", CLI_INTO(quiet)},
    {"progress", NULL, "the progress bar even if the output is no terminal", CLI_INTO(progress)},
    CLI_HELP_ROW,
    {"version", NULL, "print the version", .kind = CLI_VERSION},
};

static int set_output(void *to, char *value) {
  gv_job *j = &((settings *)to)->job;
  if (j->raster.path != NULL) {
    return cli_fail(EXIT_USAGE, "one output only, not both '%s' and '%s'", j->raster.path, value);
  }
  j->raster.path = value;
  return EXIT_OK;
}

const cli_syntax voronoi_syntax = {
    .name = "gpuvoronoi",
    .usage =
        "Usage: gpuvoronoi --seeds SRC | --seeds-raster R [options] OUT\n"
        "       gpuvoronoi search | qtm | backends | devices | bench\n"
        "\n"
        "Writes a raster in which every cell holds the id of its nearest seed: an exact Voronoi allocation, on\n"
        "the plane, the sphere or the ellipsoid. Ties go to the seed that comes first.\n",
    CLI_ROWS(table),
    .examples =
        "  gpuvoronoi --seeds cities.csv --res 0.1 cities.tif\n"
        "  gpuvoronoi --seeds cities.csv --level 9 triangles.tif\n"
        "  gpuvoronoi --seeds shops.gpkg --id shop_no --like population.tif nearest_shop.tif\n"
        "  gpuvoronoi --seeds-raster landcover.tif --values 80,90 --distance metres.tif nearest_water.tif\n"
        "  gpuvoronoi --seeds stations.geojson --crs EPSG:3035 --res 1000 --metric geodesic -of COG stations.tif\n",
    .positional = set_output};

/* Options that need each other. */
static int check_usage(const settings *s) {
  const gv_job *j = &s->job;
  bool cells = j->raster_seeds.source != NULL;
  if (j->seeds.source != NULL && cells) return cli_fail(EXIT_USAGE, "--seeds or --seeds-raster, not both");
  if (j->seeds.source == NULL && !cells)
    return cli_fail(EXIT_USAGE, "--seeds is missing: which points? gpuvoronoi --seeds points.gpkg %s",
                    j->raster.path != NULL ? j->raster.path : "out.tif");
  const struct {
    bool given, has;
    const char *option, *needs;
  } rules[] = {
      {j->weighting != GV_UNWEIGHTED, j->seeds.weight_field != NULL, "--weighting", "--weight-field"},
      {j->seeds.weight_field != NULL, j->weighting != GV_UNWEIGHTED, "--weight-field", "--weighting"},
      {j->seeds.x_field != NULL, j->seeds.y_field != NULL, "--x", "--y"},
      {j->seeds.y_field != NULL, j->seeds.x_field != NULL, "--y", "--x"},
      {j->mask.layer != NULL, j->mask.source != NULL, "--mask-layer", "--mask"},
      {j->grid.extent_layer != NULL, j->grid.extent_of != NULL, "--extent-layer", "--extent-of"},
      {s->has_distance_type, j->distance != NULL, "--distance-type", "--distance"},
      {j->signed_distance, j->distance != NULL, "--signed-distance", "--distance"},
      {j->distance_unit.kind != GV_UNIT_NONE, j->distance != NULL || j->stats != NULL, "--distance-unit",
       "--distance or --stats"},
      {j->stats_layer != NULL, j->stats != NULL, "--stats-layer", "--stats"},
      {j->polygons_layer != NULL, j->polygons != NULL, "--polygons-layer", "--polygons"},
      {j->sum_count > 0, j->stats != NULL, "--sum", "--stats"},
      {j->no_stats_distances, j->stats != NULL, "--no-stats-distances", "--stats"},
      {j->raster_seeds.band != 1, cells, "--band", "--seeds-raster"},
      {j->raster_seeds.values != NULL, cells, "--values", "--seeds-raster"},
      {j->raster_seeds.by_cell, cells, "--by-cell", "--seeds-raster"},
      {j->distance_per_value, cells, "--distance-per-value", "--seeds-raster"},
      {j->distance_per_value, j->distance != NULL, "--distance-per-value", "--distance"},
      {j->seeds.layer != NULL, !cells, "--layer", "--seeds"},
      {j->seeds.where != NULL, !cells, "--where", "--seeds"},
      {j->seeds.x_field != NULL, !cells, "--x", "--seeds"},
      {j->seeds.open_options != NULL, !cells, "--oo", "--seeds"},
      {j->seeds.id_field != NULL, !cells, "--id", "--seeds"},
      {j->seeds.boundary, !cells, "--boundary", "--seeds"},
      {j->seeds.edges != GV_EDGES_STRAIGHT, !cells, "--edges", "--seeds"},
      {j->signed_distance, !cells, "--signed-distance", "--seeds"},
      {j->weighting != GV_UNWEIGHTED, !cells, "--weighting", "--seeds"},
  };
  const char *const layers[] = {j->stats_layer, j->polygons_layer};
  const char *const paths[] = {j->raster.path, j->distance, j->azimuth, j->stats, j->polygons, j->cells, j->mesh};
  bool triangles = j->cells != NULL || j->mesh != NULL;
  bool regions = j->distance != NULL || j->azimuth != NULL || j->stats != NULL || j->polygons != NULL;
  if (j->raster.path == NULL && (!triangles || regions)) return cli_fail(EXIT_USAGE, "the output file is missing");
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    if (paths[i] != NULL && paths[i][0] == '\0') return cli_fail(EXIT_USAGE, "an output file has an empty name");
    int lasting = cli_check_lasting(paths[i]);
    if (lasting != EXIT_OK) return lasting;
  }
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    if (layers[i] != NULL && layers[i][0] == '\0') return cli_fail(EXIT_USAGE, "a layer has an empty name");
  }
  if (j->distance_per_value && j->raster_seeds.by_cell)
    return cli_fail(EXIT_USAGE, "--distance-per-value has a band a value, which --by-cell does without");
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (rules[i].given && !rules[i].has)
      return cli_fail(EXIT_USAGE, "%s needs %s", rules[i].option, rules[i].needs);
  }
  return EXIT_OK;
}

/* Where HDF5 could not write a file, it ends the process with a fault when that ends in the usual way. */
static bool writes_hdf5(const gv_job *j) {
  const char *const paths[] = {j->raster.path, j->distance, j->azimuth, j->mesh};
  bool writes = j->raster.driver != NULL && EQUAL(j->raster.driver, "netCDF");
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    writes = writes || (paths[i] != NULL && EQUAL(CPLGetExtension(paths[i]), "nc"));
  return writes;
}

int voronoi_command(int argc, char **argv) {
  settings s = {.job = {.raster_seeds.band = 1,
                        .backend = "auto",
                        .device = -1,
                        .k = 1,
                        .max_distance = (double)INFINITY,
                        .distance_type = GDT_Float32}};
  gv_job *j = &s.job;
  int result = cli_parse(&voronoi_syntax, &s, argc, argv);
  if (result == EXIT_OK) result = check_usage(&s);
  if (result == EXIT_OK) result = cli_read_standard_input(&j->seeds.source);
  if (result != EXIT_OK) {
    CSLDestroy(j->raster.creation_options);
    CSLDestroy(j->seeds.open_options);
    free(j->raster_seeds.values);
    return result == CLI_DONE ? EXIT_OK : result;
  }
  if (!cli_catch_signals()) return cli_fail(EXIT_ERROR, "the system gives no thread for signals");
  cli_prepare_gdal();
  if (j->threads == 0) {
    gv_context *context = NULL;
    j->threads = gv_context_create(NULL, &context) == GV_OK ? gv_context_threads(context) : 1;
    gv_context_destroy(context);
  }
  j->raster.threads = j->threads;
  if (!s.quiet && (s.progress || isatty(STDOUT_FILENO))) j->progress = cli_show_progress;
  gv_io io = {.cancelled = cli_interrupted};
  gv_status status = gv_job_run(&io, j);
  CSLDestroy(j->raster.creation_options);
  CSLDestroy(j->seeds.open_options);
  free(j->raster_seeds.values);
  result = cli_report(status, &io, s.quiet);
  if (status != GV_OK && writes_hdf5(j)) _exit(result);
  return result;
}
