/* gpuvoronoi --seeds SRC [options] OUT: the options of the main job. */
#include "cli/commands.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "cli/cli.h"
#include "io/out/output.h"
#include "io/source_name.h"
#include "job/job.h"

/* In two: compilers need not take longer strings. */
static const char *const help[] = {
    "Usage: gpuvoronoi --seeds SRC [options] OUT\n"
    "       gpuvoronoi search | qtm | backends | devices | bench\n"
    "\n"
    "Writes a raster in which every cell holds the id of its nearest seed: an exact Voronoi allocation, on the "
    "plane,\n"
    "the sphere or the ellipsoid. Ties go to the seed that comes first.\n"
    "\n"
    "Seeds\n"
    "  --seeds SRC           any vector source that GDAL reads, with points or multipoints; a CSV file with "
    "columns\n"
    "                        lon and lat (lng, long, longitude, latitude; EPSG:4326) or x and y needs nothing "
    "else\n"
    "  --layer NAME          layer to read, needed if there are several\n"
    "  --where SQL           use only the features that fulfil this\n"
    "  --seeds-crs CRS       coordinate system of the seeds, in place of the source's own\n"
    "  --id FIELD            write this integer field (default: the feature id; a CSV file's rows count from 1). "
    "With\n"
    "                        a text field: the row number from 0, with the text in the attribute table\n"
    "  --skip-invalid        leave out seeds without usable coordinates, and say how many\n"
    "\n"
    "Grid: a template, or an extent with a cell size or a number of cells\n"
    "  --like RASTER         extent, cells and coordinate system of this raster\n"
    "  --res X[,Y]           cell size in the grid's units; a last cell that is half inside counts, as in "
    "gdalwarp\n"
    "  --size W,H            number of cells (default: 2048 on the longer side, square cells)\n"
    "  --extent XMIN,YMIN,XMAX,YMAX\n"
    "                        in the grid's coordinate system; longitudes may go beyond 180 (default: the globe, "
    "or\n"
    "                        the seeds' extent plus 10 % a side; 1 km around a seed that is alone)\n"
    "  --level L             the triangles of level L (0 to 20) of the QTM mesh ask for their nearest seed, and "
    "each\n"
    "                        pixel of the grid carries its triangle's answer (default grid: the globe in "
    "2^(L+3) x\n"
    "                        2^(L+2) pixels)\n"
    "  --snap-seeds          with --level: seeds move to the centre of their own triangle\n"
    "  --crs CRS             coordinate system of the grid (default: the seeds')\n"
    "\n",
    "Which seeds\n"
    "  -k K                  bands 1 to K hold the nearest, the 2nd nearest ... K-th nearest seed (1 to 64)\n"
    "  --max-distance D      seeds farther away do not count: metres on the globe, else the grid's unit; "
    "inclusive\n"
    "  --mask SRC            a raster (nodata, masked and 0 are left out) or polygons: other cells hold nodata\n"
    "  --mask-layer NAME     layer of the polygons, needed if there are several\n"
    "  --weighting NAME      multiplicative (d/w), additive (d+w) or power (d*d-w) instead of the distance d\n"
    "  --weight-field FIELD  the seeds' weights w\n"
    "\n"
    "Computing\n"
    "  --metric NAME         geodesic (default on geographic grids), great-circle, euclidean (default on others),\n"
    "                        manhattan, chebyshev; the first two work on projected grids too\n"
    "  --backend NAME        auto (default) or one of `gpuvoronoi backends`; all give the same result\n"
    "  --threads N           threads to use (default: one a processor)\n"
    "  --device N            GPU for the CUDA backends, as `gpuvoronoi devices` numbers them (default: the first; "
    "for\n"
    "                        cuda-tile all)\n"
    "\n"
    "Output\n"
    "  --of DRIVER           GDAL driver (default: by the extension of OUT; GTiff for .tif)\n"
    "  --cells FILE          with --level: the triangles as polygons too, with id, id64, lon, lat, seed, distance "
    "and\n"
    "                        area_km2; .gpkg, .fgb, .csv, .geojson or any other vector format's extension\n"
    "  --mesh FILE.nc        with --level (up to 13): the triangles as a UGRID mesh with seed, distance and area; "
    "with\n"
    "                        --cells or --mesh, OUT may be left out\n"
    "  --distance FILE       distances as a raster too (K bands); metres on the globe, else the grid's unit\n"
    "  --distance-type TYPE  Float32 (default) or Float64\n"
    "  --azimuth FILE        directions to the seeds, degrees clockwise from north, as a raster too\n"
    "  --stats FILE          a table with a row a seed: its attributes, cells, area, mean and largest distance,\n"
    "                        centroid, sums; .csv, .gpkg, .fgb, .geojson ...\n"
    "  --stats-layer NAME    the table's name in a file of several layers (default: statistics)\n"
    "  --sum [NAME=]RASTER   with --stats: add up this raster of counts (people, say) over each region, and the "
    "mean\n"
    "                        distance weighted by it; may be repeated\n"
    "  --no-stats-distances  leave the distances out of the table, which is faster\n"
    "  --polygons FILE       the regions as polygons too\n"
    "  --polygons-layer NAME their name in a file of several layers (default: regions)\n"
    "  --co NAME=VALUE       creation option, may be repeated; each replaces just that default\n"
    "  --nodata V            value of cells without a seed (default: -1, or the lowest integer if -1 is an id)\n"
    "  --no-style            no attribute table with names and colours\n"
    "  --overwrite           replace outputs that exist; in files of several layers (.gpkg, .sqlite, .xlsx ...) "
    "only "
    "the\n"
    "                        layer of that name: new ones are added without this\n"
    "  --sync WHEN           wait for the disk, so that a loss of power leaves the old files or the new ones: "
    "auto\n"
    "                        (default: if files are replaced), always, never\n"
    "  --quiet               no progress bar and no warnings\n"
    "  --progress            the progress bar even if the output is no terminal\n"
    "\n"
    "  --help, --version\n"
    "\n"
    "Examples\n"
    "  gpuvoronoi --seeds cities.csv --res 0.1 cities.tif\n"
    "  gpuvoronoi --seeds cities.csv --level 9 triangles.tif\n"
    "  gpuvoronoi --seeds shops.gpkg --id shop_no --like population.tif nearest_shop.tif\n"
    "  gpuvoronoi --seeds stations.geojson --crs EPSG:3035 --res 1000 --metric geodesic -of COG stations.tif\n"};

enum {
  KEY_SEEDS = 1,
  KEY_LAYER,
  KEY_WHERE,
  KEY_SEEDS_CRS,
  KEY_ID,
  KEY_SKIP_INVALID,
  KEY_LIKE,
  KEY_RES,
  KEY_SIZE,
  KEY_EXTENT,
  KEY_LEVEL,
  KEY_CELLS,
  KEY_MESH,
  KEY_K,
  KEY_MAX_DISTANCE,
  KEY_MASK,
  KEY_MASK_LAYER,
  KEY_WEIGHTING,
  KEY_WEIGHT_FIELD,
  KEY_DISTANCE,
  KEY_DISTANCE_TYPE,
  KEY_AZIMUTH,
  KEY_STATS,
  KEY_STATS_LAYER,
  KEY_SUM,
  KEY_NO_STATS_DISTANCES,
  KEY_POLYGONS,
  KEY_POLYGONS_LAYER,
  KEY_SNAP_SEEDS,
  KEY_CRS,
  KEY_METRIC,
  KEY_BACKEND,
  KEY_THREADS,
  KEY_DEVICE,
  KEY_OF,
  KEY_CO,
  KEY_NODATA,
  KEY_NO_STYLE,
  KEY_OVERWRITE,
  KEY_SYNC,
  KEY_QUIET,
  KEY_PROGRESS,
  KEY_HELP,
  KEY_VERSION
};

static const cli_option table[] = {
    {"seeds", KEY_SEEDS, true},
    {"layer", KEY_LAYER, true},
    {"where", KEY_WHERE, true},
    {"seeds-crs", KEY_SEEDS_CRS, true},
    {"id", KEY_ID, true},
    {"skip-invalid", KEY_SKIP_INVALID, false},
    {"like", KEY_LIKE, true},
    {"res", KEY_RES, true},
    {"size", KEY_SIZE, true},
    {"extent", KEY_EXTENT, true},
    {"level", KEY_LEVEL, true},
    {"cells", KEY_CELLS, true},
    {"mesh", KEY_MESH, true},
    {"k", KEY_K, true},
    {"max-distance", KEY_MAX_DISTANCE, true},
    {"mask", KEY_MASK, true},
    {"mask-layer", KEY_MASK_LAYER, true},
    {"weighting", KEY_WEIGHTING, true},
    {"weight-field", KEY_WEIGHT_FIELD, true},
    {"distance", KEY_DISTANCE, true},
    {"distance-type", KEY_DISTANCE_TYPE, true},
    {"azimuth", KEY_AZIMUTH, true},
    {"stats", KEY_STATS, true},
    {"stats-layer", KEY_STATS_LAYER, true},
    {"sum", KEY_SUM, true},
    {"no-stats-distances", KEY_NO_STATS_DISTANCES, false},
    {"polygons", KEY_POLYGONS, true},
    {"polygons-layer", KEY_POLYGONS_LAYER, true},
    {"snap-seeds", KEY_SNAP_SEEDS, false},
    {"crs", KEY_CRS, true},
    {"metric", KEY_METRIC, true},
    {"backend", KEY_BACKEND, true},
    {"threads", KEY_THREADS, true},
    {"device", KEY_DEVICE, true},
    {"of", KEY_OF, true},
    {"co", KEY_CO, true},
    {"nodata", KEY_NODATA, true},
    {"no-style", KEY_NO_STYLE, false},
    {"overwrite", KEY_OVERWRITE, false},
    {"sync", KEY_SYNC, true},
    {"quiet", KEY_QUIET, false},
    {"progress", KEY_PROGRESS, false},
    {"help", KEY_HELP, false},
    {"version", KEY_VERSION, false},
    {NULL, 0, false},
};

typedef voronoi_job job;

/* ------------------------------------------------------------------------------------------------- options */

static bool parse_metric(const char *text, gv_metric *out) {
  for (int metric = 0; gv_metric_name((gv_metric)metric) != NULL; metric++) {
    if (strcmp(text, gv_metric_name((gv_metric)metric)) == 0) {
      *out = (gv_metric)metric;
      return true;
    }
  }
  return false;
}

static int take_weighting(job *j, const char *value) {
  static const char *const names[] = {"multiplicative", "additive", "power"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(value, names[i]) != 0) continue;
    j->weighting = (gv_weighting)(GV_MULTIPLICATIVE + i);
    return EXIT_OK;
  }
  return cli_fail(EXIT_USAGE, "--weighting: '%s' is none of multiplicative, additive, power", value);
}

/* NAME=FILE where NAME is a plain name and no file is called so as a whole; otherwise FILE. */
static int take_sum(job *j, const char *value) {
  struct stat found;
  const char *equals = strchr(value, '=');
  size_t length = equals != NULL ? (size_t)(equals - value) : 0;
  bool named = length > 0 && stat(value, &found) != 0;
  for (size_t i = 0; i < length; i++)
    named = named && (isalnum((unsigned char)value[i]) || value[i] == '_' || value[i] == '-');
  if (j->sum_count == MAX_SUMS) return cli_fail(EXIT_USAGE, "--sum can be given %d times", MAX_SUMS);
  voronoi_sum *sum = &j->sums[j->sum_count++];
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

/* Fills `j` from one option; EXIT_OK, or EXIT_USAGE with the error printed. */
static int take_option(job *j, int key, const char *value, bool *has_distance_type) {
  int64_t integer;
  switch (key) {
  case KEY_SEEDS:
    if (j->seeds.source != NULL) return cli_fail(EXIT_USAGE, "--seeds can be given only once");
    j->seeds.source = value;
    return EXIT_OK;
  case KEY_LAYER:
    j->seeds.layer = value;
    return EXIT_OK;
  case KEY_WHERE:
    j->seeds.where = value;
    return EXIT_OK;
  case KEY_SEEDS_CRS:
    j->seeds.crs = value;
    return EXIT_OK;
  case KEY_ID:
    j->seeds.id_field = value;
    return EXIT_OK;
  case KEY_SKIP_INVALID:
    j->seeds.skip_invalid = true;
    return EXIT_OK;
  case KEY_LIKE:
    j->grid.like = value;
    return EXIT_OK;
  case KEY_RES:
    j->grid.has_resolution = true;
    if (cli_numbers(value, j->grid.resolution, 2)) return EXIT_OK;
    j->grid.resolution[1] = 0.0;
    if (!cli_numbers(value, j->grid.resolution, 1))
      return cli_fail(EXIT_USAGE, "--res: '%s' is not X or X,Y", value);
    j->grid.resolution[1] = j->grid.resolution[0];
    return EXIT_OK;
  case KEY_SIZE:
    j->grid.has_size = true;
    if (!cli_integers(value, j->grid.size, 2)) {
      return cli_fail(EXIT_USAGE, "--size: '%s' is not W,H in whole 64-bit numbers", value);
    }
    return EXIT_OK;
  case KEY_EXTENT:
    j->grid.has_extent = true;
    if (!cli_numbers(value, j->grid.extent, 4)) {
      return cli_fail(EXIT_USAGE, "--extent: '%s' is not XMIN,YMIN,XMAX,YMAX", value);
    }
    return EXIT_OK;
  case KEY_LEVEL:
    j->grid.has_level = true;
    if (!cli_integers(value, &integer, 1) || integer < 0 || integer > GV_QTM_MAX_GRID_LEVEL) {
      return cli_fail(EXIT_USAGE, "--level: '%s' is not a level of the QTM mesh, 0 to %d", value,
                      GV_QTM_MAX_GRID_LEVEL);
    }
    j->grid.level = (int)integer;
    return EXIT_OK;
  case KEY_CELLS:
    j->cells = value;
    return EXIT_OK;
  case KEY_MESH:
    j->mesh = value;
    return EXIT_OK;
  case KEY_K:
    return cli_whole("k", value, 1, GV_VORONOI_MAX_K, &j->k);
  case KEY_MAX_DISTANCE:
    if (!cli_numbers(value, &j->max_distance, 1) || !(j->max_distance >= 0.0) || !isfinite(j->max_distance)) {
      return cli_fail(EXIT_USAGE, "--max-distance: '%s' is not a number, 0 or above", value);
    }
    return EXIT_OK;
  case KEY_MASK:
    j->mask.source = value;
    return EXIT_OK;
  case KEY_MASK_LAYER:
    j->mask.layer = value;
    return EXIT_OK;
  case KEY_WEIGHTING:
    return take_weighting(j, value);
  case KEY_WEIGHT_FIELD:
    j->seeds.weight_field = value;
    return EXIT_OK;
  case KEY_DISTANCE:
    j->distance = value;
    return EXIT_OK;
  case KEY_DISTANCE_TYPE:
    *has_distance_type = true;
    j->distance_type = GDALGetDataTypeByName(value);
    if (j->distance_type == GDT_Float32 || j->distance_type == GDT_Float64) return EXIT_OK;
    return cli_fail(EXIT_USAGE, "--distance-type: '%s' is neither Float32 nor Float64", value);
  case KEY_AZIMUTH:
    j->azimuth = value;
    return EXIT_OK;
  case KEY_STATS:
    j->stats = value;
    return EXIT_OK;
  case KEY_STATS_LAYER:
    j->stats_layer = value;
    return EXIT_OK;
  case KEY_SUM:
    return take_sum(j, value);
  case KEY_NO_STATS_DISTANCES:
    j->no_stats_distances = true;
    return EXIT_OK;
  case KEY_POLYGONS:
    j->polygons = value;
    return EXIT_OK;
  case KEY_POLYGONS_LAYER:
    j->polygons_layer = value;
    return EXIT_OK;
  case KEY_SNAP_SEEDS:
    j->grid.snap_seeds = true;
    return EXIT_OK;
  case KEY_CRS:
    j->grid.crs = value;
    return EXIT_OK;
  case KEY_METRIC:
    j->grid.has_metric = true;
    if (!parse_metric(value, &j->grid.metric)) {
      return cli_fail(EXIT_USAGE,
                      "--metric: '%s' is none of geodesic, great-circle, euclidean, manhattan, chebyshev", value);
    }
    return EXIT_OK;
  case KEY_BACKEND:
    j->backend = value;
    return EXIT_OK;
  case KEY_THREADS:
    return cli_whole("threads", value, 1, 4096, &j->threads);
  case KEY_DEVICE:
    return cli_whole("device", value, 0, 1023, &j->device);
  case KEY_OF:
    j->raster.driver = value;
    return EXIT_OK;
  case KEY_CO:
    j->raster.creation_options = CSLAddString(j->raster.creation_options, value);
    return EXIT_OK;
  case KEY_NODATA:
    j->has_nodata = true;
    if (!cli_integers(value, &j->nodata, 1)) return cli_fail(EXIT_USAGE, "--nodata: '%s' is not an integer", value);
    return EXIT_OK;
  case KEY_NO_STYLE:
    j->no_style = true;
    return EXIT_OK;
  case KEY_OVERWRITE:
    j->raster.overwrite = true;
    return EXIT_OK;
  case KEY_SYNC:
    return cli_sync(value, &j->sync);
  case KEY_QUIET:
    j->quiet = true;
    return EXIT_OK;
  default:
    j->progress = true;
    return EXIT_OK;
  }
}

/* Options that need each other. */
static int check_usage(const job *j, bool has_distance_type) {
  const struct {
    bool given, has;
    const char *option, *needs;
  } rules[] = {
      {j->weighting != GV_UNWEIGHTED, j->seeds.weight_field != NULL, "--weighting", "--weight-field"},
      {j->seeds.weight_field != NULL, j->weighting != GV_UNWEIGHTED, "--weight-field", "--weighting"},
      {j->mask.layer != NULL, j->mask.source != NULL, "--mask-layer", "--mask"},
      {has_distance_type, j->distance != NULL, "--distance-type", "--distance"},
      {j->stats_layer != NULL, j->stats != NULL, "--stats-layer", "--stats"},
      {j->polygons_layer != NULL, j->polygons != NULL, "--polygons-layer", "--polygons"},
      {j->sum_count > 0, j->stats != NULL, "--sum", "--stats"},
      {j->no_stats_distances, j->stats != NULL, "--no-stats-distances", "--stats"},
  };
  const char *const layers[] = {j->stats_layer, j->polygons_layer};
  const char *const paths[] = {j->raster.path, j->distance, j->azimuth, j->stats, j->polygons, j->cells, j->mesh};
  bool triangles = j->cells != NULL || j->mesh != NULL;
  bool regions = j->distance != NULL || j->azimuth != NULL || j->stats != NULL || j->polygons != NULL;
  if (j->raster.path == NULL && (!triangles || regions)) return cli_fail(EXIT_USAGE, "the output file is missing");
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    if (paths[i] != NULL && paths[i][0] == '\0') return cli_fail(EXIT_USAGE, "an output file has an empty name");
  }
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    if (layers[i] != NULL && layers[i][0] == '\0') return cli_fail(EXIT_USAGE, "a layer has an empty name");
  }
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (rules[i].given && !rules[i].has)
      return cli_fail(EXIT_USAGE, "%s needs %s", rules[i].option, rules[i].needs);
  }
  return EXIT_OK;
}

/* EXIT_OK: go on. -1: --help or --version did all there was to do. */
static int parse(job *j, int argc, char **argv) {
  cli_parser parser = {.options = table, .argc = argc, .argv = argv};
  const char *value;
  bool has_distance_type = false;
  for (;;) {
    int key = cli_next(&parser, &value);
    if (key == CLI_END) break;
    if (key == CLI_WRONG) return EXIT_USAGE;
    if (key == CLI_POSITIONAL) {
      if (j->raster.path != NULL) {
        return cli_fail(EXIT_USAGE, "one output only, not both '%s' and '%s'", j->raster.path, value);
      }
      j->raster.path = value;
    } else if (key == KEY_HELP) {
      fputs(help[0], stdout);
      fputs(help[1], stdout);
      return -1;
    } else if (key == KEY_VERSION) {
      printf("gpuvoronoi %s\n", gv_version());
      return -1;
    } else {
      int status = take_option(j, key, value, &has_distance_type);
      if (status != EXIT_OK) return status;
    }
  }
  if (j->seeds.source == NULL)
    return cli_fail(EXIT_USAGE, "--seeds is missing (gpuvoronoi --help tells how it is used)");
  return check_usage(j, has_distance_type);
}

int voronoi_command(int argc, char **argv) {
  job j = {.backend = "auto", .device = -1, .k = 1, .max_distance = (double)INFINITY, .distance_type = GDT_Float32};
  int result = parse(&j, argc, argv);
  if (result != EXIT_OK) {
    CSLDestroy(j.raster.creation_options);
    return result < 0 ? EXIT_OK : result;
  }
  cli_catch_signals(gv_outputs_abandon);
  gv_io_initialize();
  if (j.threads == 0) {
    gv_context *context = NULL;
    j.threads = gv_context_create(NULL, &context) == GV_OK ? gv_context_threads(context) : 1;
    gv_context_destroy(context);
  }
  j.raster.threads = j.threads;
  gv_io io = {.cancelled = cli_interrupted};
  gv_status status = voronoi_run(&io, &j);
  CSLDestroy(j.raster.creation_options);
  char warning[512];
  if (status == GV_OK) {
    while (!j.quiet && gv_io_next_warning(warning, sizeof warning))
      fprintf(stderr, "gpuvoronoi: warning: %s\n", warning);
    return EXIT_OK;
  }
  if (cli_interrupted(NULL)) {
    cli_fail(EXIT_ERROR, "interrupted");
    return cli_signal_status();
  }
  return cli_fail(EXIT_ERROR, "%s", io.message);
}
