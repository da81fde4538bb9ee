/*
 * gpuvoronoi --seeds SRC [options] OUT: seeds in, grid decided, blocks computed and written, table of regions
 * added. Everything that can fail cheaply is looked at first: options, output, seeds, grid.
 */
#include "cli/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "cli/cli.h"
#include "io/grid.h"
#include "io/mesh_out.h"
#include "io/raster_out.h"
#include "io/seeds.h"
#include "io/style.h"

static const char help[] =
    "Usage: gpuvoronoi --seeds SRC [options] OUT\n"
    "       gpuvoronoi backends | bench | devices | qtm\n"
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
    "\n"
    "Computing\n"
    "  --metric NAME         geodesic (default on geographic grids), great-circle, euclidean (default on others),\n"
    "                        manhattan, chebyshev; the first two work on projected grids too\n"
    "  --backend NAME        auto (default) or one of `gpuvoronoi backends`; all give the same result\n"
    "  --threads N           threads to use (default: one a processor)\n"
    "  --device N            GPU for the CUDA backends, as `gpuvoronoi devices` numbers them (default: the first)\n"
    "\n"
    "Output\n"
    "  --of DRIVER           GDAL driver (default: by the extension of OUT; GTiff for .tif)\n"
    "  --cells FILE          with --level: the triangles as polygons too, with id, id64, lon, lat, seed, distance "
    "and\n"
    "                        area_km2; .gpkg, .fgb, .csv, .geojson or any other vector format's extension\n"
    "  --mesh FILE.nc        with --level (up to 13): the triangles as a UGRID mesh with seed, distance and area; "
    "with\n"
    "                        --cells or --mesh, OUT may be left out\n"
    "  --co NAME=VALUE       creation option, may be repeated; each replaces just that default\n"
    "  --nodata V            value of cells without a seed (default: -1, or the lowest integer if -1 is an id)\n"
    "  --no-style            no attribute table with names and colours\n"
    "  --overwrite           replace OUT if it exists\n"
    "  --quiet               no progress bar and no warnings\n"
    "  --progress            the progress bar even if the output is no terminal\n"
    "\n"
    "  --help, --version\n"
    "\n"
    "Examples\n"
    "  gpuvoronoi --seeds cities.csv --res 0.1 cities.tif\n"
    "  gpuvoronoi --seeds cities.csv --level 9 triangles.tif\n"
    "  gpuvoronoi --seeds shops.gpkg --id shop_no --like population.tif nearest_shop.tif\n"
    "  gpuvoronoi --seeds stations.geojson --crs EPSG:3035 --res 1000 --metric geodesic -of COG stations.tif\n";

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
    {"quiet", KEY_QUIET, false},
    {"progress", KEY_PROGRESS, false},
    {"help", KEY_HELP, false},
    {"version", KEY_VERSION, false},
    {NULL, 0, false},
};

typedef struct job {
  gv_seed_options seeds;
  gv_grid_options grid;
  gv_raster_options raster;
  const char *backend;
  const char *cells; /* file for the triangles as polygons, or NULL */
  const char *mesh;  /* file for them as a UGRID mesh, or NULL */
  int threads, device;
  bool has_nodata, no_style, quiet, progress;
  int64_t nodata;
} job;

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

/* Fills `j` from one option; EXIT_OK, or EXIT_USAGE with the error printed. */
static int take_option(job *j, int key, const char *value) {
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
  case KEY_QUIET:
    j->quiet = true;
    return EXIT_OK;
  default:
    j->progress = true;
    return EXIT_OK;
  }
}

/* EXIT_OK: go on. -1: --help or --version did all there was to do. */
static int parse(job *j, int argc, char **argv) {
  cli_parser parser = {.options = table, .argc = argc, .argv = argv};
  const char *value;
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
      fputs(help, stdout);
      return -1;
    } else if (key == KEY_VERSION) {
      printf("gpuvoronoi %s\n", gv_version());
      return -1;
    } else {
      int status = take_option(j, key, value);
      if (status != EXIT_OK) return status;
    }
  }
  if (j->seeds.source == NULL)
    return cli_fail(EXIT_USAGE, "--seeds is missing (gpuvoronoi --help tells how it is used)");
  bool triangles = j->cells != NULL || j->mesh != NULL;
  if (triangles ? j->raster.path != NULL && j->raster.path[0] == '\0'
                : j->raster.path == NULL || j->raster.path[0] == '\0')
    return cli_fail(EXIT_USAGE, "the output file is missing");
  return EXIT_OK;
}

/* ------------------------------------------------------------------------------------------------- the run */

/* What the threads that compute blocks share. */
typedef struct run {
  gv_voronoi *voronoi;
  gv_context **contexts;   /* one a worker */
  gv_adjacency *adjacency; /* one a worker; NULL = no style */
  int32_t *numbers;        /* one block a worker, only for Int64 ids */
  const int64_t *ids;
  int64_t nodata, width, height;
  int32_t block_w, block_h;
} run;

static gv_status compute_block(void *user, int worker, const gv_raster_block *block, char *message,
                               size_t message_size) {
  run *r = user;
  gv_context *context = r->contexts[worker];
  int64_t x = block->column * r->block_w, y = block->row * r->block_h;
  int64_t w = r->width - x < r->block_w ? r->width - x : r->block_w;
  int64_t h = r->height - y < r->block_h ? r->height - y : r->block_h;
  int32_t *values = block->out[0];
  int64_t values_stride = block->stride;
  if (r->numbers != NULL) {
    values = r->numbers + (int64_t)worker * r->block_w * r->block_h;
    values_stride = r->block_w;
  }
  gv_status status = gv_voronoi_block(context, r->voronoi, block->column, block->row, values, values_stride);
  if (status != GV_OK) {
    snprintf(message, message_size, "%s", gv_context_message(context));
    return status;
  }
  if (r->adjacency != NULL) gv_adjacency_scan(&r->adjacency[worker], values, w, h, values_stride, y);
  if (r->numbers != NULL) {
    int64_t *ids = block->out[0];
    for (int64_t i = 0; i < h; i++) {
      for (int64_t k = 0; k < w; k++) {
        int32_t number = values[i * values_stride + k];
        ids[i * block->stride + k] = number >= 0 ? r->ids[number] : r->nodata;
      }
    }
  }
  return GV_OK;
}

/* Value type and nodata from the ids. */
static gv_status choose_values(gv_io *io, const job *j, const gv_seed_list *seeds, GDALDataType *type,
                               int64_t *nodata) {
  int64_t lowest, highest;
  gv_seeds_id_range(seeds, &lowest, &highest);
  bool narrow = lowest >= INT32_MIN && highest <= INT32_MAX;
  *type = narrow ? GDT_Int32 : GDT_Int64;
  int64_t least = narrow ? INT32_MIN : INT64_MIN;
  bool minus_one = false, least_used = lowest == least, given_used = false;
  for (int64_t i = 0; i < seeds->count; i++) {
    minus_one = minus_one || seeds->ids[i] == -1;
    given_used = given_used || seeds->ids[i] == j->nodata;
  }
  if (j->has_nodata) {
    *nodata = j->nodata;
    if (given_used) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--nodata: %" PRId64 " is the id of a seed", j->nodata);
    }
    if (narrow && (j->nodata < INT32_MIN || j->nodata > INT32_MAX)) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                        "--nodata: %" PRId64 " does not fit into Int32, the ids' type", j->nodata);
    }
    return GV_OK;
  }
  if (minus_one && least_used) {
    return gv_io_fail(
        io, GV_ERROR_INVALID_ARGUMENT,
        "both -1 and the lowest integer are ids: choose a value for cells without a seed by --nodata");
  }
  *nodata = minus_one ? least : -1;
  return GV_OK;
}

static char **make_metadata(const job *j, const gv_seed_list *seeds, const gv_raster_grid *grid) {
  char **items = NULL;
  char source[512];
  snprintf(source, sizeof source, "%s%s%s", CPLGetFilename(j->seeds.source),
           j->seeds.layer != NULL ? ", layer " : "", j->seeds.layer != NULL ? j->seeds.layer : "");
  items = CSLSetNameValue(items, "GPUVORONOI_VERSION", gv_version());
  items = CSLSetNameValue(items, "GPUVORONOI_SEEDS", source);
  if (j->seeds.where != NULL) items = CSLSetNameValue(items, "GPUVORONOI_WHERE", j->seeds.where);
  items = CSLSetNameValue(items, "GPUVORONOI_SEED_COUNT", CPLSPrintf("%" PRId64, seeds->count));
  items = CSLSetNameValue(items, "GPUVORONOI_METRIC", gv_metric_name(grid->metric));
  if (j->grid.has_level) items = CSLSetNameValue(items, "GPUVORONOI_QTM_LEVEL", CPLSPrintf("%d", j->grid.level));
  const char *id = j->seeds.id_field == NULL ? "feature id" : j->seeds.id_field;
  items = CSLSetNameValue(items, "GPUVORONOI_ID",
                          seeds->ids_are_rows ? CPLSPrintf("row number from 0 (names: %s)", id) : id);
  return items;
}

/* Progress: GDAL's bar, and the place where long GDAL calls learn of signals. */
typedef struct bar {
  bool shown;
  double from, to;
} bar;

static int CPL_STDCALL report(double fraction, const char *message, void *user) {
  const bar *b = user;
  if (cli_interrupted(NULL)) return FALSE;
  if (b->shown) GDALTermProgress(b->from + (b->to - b->from) * fraction, message, NULL);
  return TRUE;
}

static int go_on(double fraction, void *user) {
  (void)fraction;
  (void)user;
  return !cli_interrupted(NULL);
}

static gv_status make_contexts(gv_io *io, run *r, int threads, int device, bool style, bool wide) {
  gv_context_options options = GV_CONTEXT_OPTIONS_INIT;
  options.threads = threads;
  options.device = device;
  options.progress = go_on;
  r->contexts = calloc((size_t)threads, sizeof *r->contexts);
  if (r->contexts == NULL) return gv_io_fail_memory(io, "the worker threads");
  for (int i = 0; i < threads; i++) {
    if (gv_context_create(&options, &r->contexts[i]) != GV_OK) return gv_io_fail_memory(io, "the worker threads");
  }
  if (style) {
    r->adjacency = calloc((size_t)threads, sizeof *r->adjacency);
    if (r->adjacency == NULL) return gv_io_fail_memory(io, "the attribute table");
    for (int i = 0; i < threads; i++)
      gv_adjacency_init(&r->adjacency[i], r->width, r->height);
  }
  if (wide) {
    r->numbers = malloc((size_t)threads * (size_t)r->block_w * (size_t)r->block_h * sizeof *r->numbers);
    if (r->numbers == NULL) return gv_io_fail_memory(io, "the output blocks");
  }
  return GV_OK;
}

static void free_run(run *r, int threads) {
  gv_voronoi_destroy(r->voronoi);
  for (int i = 0; i < threads; i++) {
    if (r->contexts != NULL) gv_context_destroy(r->contexts[i]);
    if (r->adjacency != NULL) gv_adjacency_free(&r->adjacency[i]);
  }
  free(r->contexts);
  free(r->adjacency);
  free(r->numbers);
}

static gv_status add_style(gv_io *io, run *r, int threads, const gv_seed_list *seeds, const int32_t *values,
                           gv_raster_out *raster) {
  GDALRasterAttributeTableH attributes = NULL;
  for (int i = 1; i < threads; i++)
    gv_adjacency_merge(&r->adjacency[0], &r->adjacency[i]);
  gv_status status = gv_style_table(io, seeds, values, &r->adjacency[0], &attributes);
  if (status == GV_OK) status = gv_raster_set_table(io, raster, attributes);
  if (attributes != NULL) GDALDestroyRasterAttributeTable(attributes);
  return status;
}

static gv_status compute_raster(gv_io *io, const job *j, const gv_seed_list *seeds, const gv_raster_grid *grid,
                                gv_raster_out *raster) {
  run r = {.ids = seeds->ids, .width = grid->grid.width, .height = grid->grid.height};
  GDALDataType type = GDT_Int32;
  int32_t *labels = NULL;
  char **metadata = NULL;
  bool style = !j->no_style && seeds->count <= GV_MAX_NAMED_SEEDS;
  bar progress = {!j->quiet && (j->progress || isatty(STDOUT_FILENO)), 0.0, gv_raster_copies(raster) ? 0.7 : 1.0};
  gv_status status = choose_values(io, j, seeds, &type, &r.nodata);
  if (status != GV_OK) goto end;

  metadata = make_metadata(j, seeds, grid);
  char *names[] = {"id of the nearest seed"};
  gv_raster_description description = {.width = r.width,
                                       .height = r.height,
                                       .geotransform = grid->geotransform,
                                       .crs = grid->crs,
                                       .type = type,
                                       .nodata = r.nodata,
                                       .bands = 1,
                                       .names = names,
                                       .metadata = metadata};
  status = gv_raster_create(io, raster, &description);
  if (status != GV_OK) goto end;
  gv_raster_block_size(&raster, 1, &r.block_w, &r.block_h);
  status = make_contexts(io, &r, j->threads, j->device, style, type == GDT_Int64);
  if (status != GV_OK) goto end;

  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  options.backend = j->backend;
  options.metric = grid->metric;
  options.block_width = r.block_w;
  options.block_height = r.block_h;
  if (type == GDT_Int32) {
    labels = malloc((size_t)seeds->count * sizeof *labels);
    if (labels == NULL) {
      status = gv_io_fail_memory(io, "the ids");
      goto end;
    }
    for (int64_t i = 0; i < seeds->count; i++)
      labels[i] = (int32_t)seeds->ids[i];
    options.labels = labels;
    options.nodata = (int32_t)r.nodata;
  }
  gv_seeds positions = {seeds->x, seeds->y, seeds->count};
  status = gv_voronoi_create(r.contexts[0], &grid->grid, &positions, &options, &r.voronoi);
  if (status != GV_OK) {
    gv_io_fail(io, status, "%s", gv_context_message(r.contexts[0]));
    goto end;
  }
  status = gv_raster_write(io, &raster, 1, compute_block, &r, j->threads, report, &progress);
  if (status == GV_OK && style) status = add_style(io, &r, j->threads, seeds, labels, raster);
  if (status == GV_OK) {
    progress.from = progress.to;
    progress.to = 1.0;
    status = gv_raster_finish(io, raster, report, &progress);
  }
end:
  free_run(&r, j->threads);
  free(labels);
  CSLDestroy(metadata);
  return status;
}

/* The triangles' own files must be neither an input nor another output. */
static gv_status check_triangles(gv_io *io, const job *j) {
  const struct {
    const char *option, *path, *other;
  } files[] = {{"--cells", j->cells, j->mesh}, {"--mesh", j->mesh, j->cells}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *path = files[i].path, *others[] = {j->raster.path, files[i].other};
    if (path == NULL) continue;
    if (!j->grid.has_level) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s needs --level: it writes the mesh's triangles",
                        files[i].option);
    }
    bool taken = gv_same_file(j->seeds.source, path) || gv_same_file(j->grid.like, path);
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
      taken = taken || gv_same_file(others[o], path);
    if (taken) {
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s is an input or another output too", files[i].option,
                        path);
    }
  }
  return GV_OK;
}

static gv_status make_outputs(gv_io *io, job *j) {
  gv_mesh_out *mesh = NULL;
  gv_mesh_options mesh_options = {j->cells, j->mesh, j->raster.overwrite};
  gv_mesh_run mesh_run = {j->backend, j->threads, j->device, go_on};
  gv_seed_list seeds = GV_SEED_LIST_INIT;
  gv_raster_grid grid;
  gv_raster_out *raster = NULL;
  bool triangles = j->cells != NULL || j->mesh != NULL, pixels = j->raster.path != NULL;
  memset(&grid, 0, sizeof grid);
  gv_status status = GV_OK;
  if (gv_same_file(j->seeds.source, j->raster.path) || gv_same_file(j->grid.like, j->raster.path)) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "the output %s is an input too", j->raster.path);
  }
  if (status == GV_OK) status = check_triangles(io, j);
  if (status == GV_OK && pixels) status = gv_raster_plan(io, &j->raster, &raster);
  if (status == GV_OK && triangles) status = gv_mesh_plan(io, &mesh_options, j->grid.level, &mesh);
  if (status == GV_OK) status = gv_seeds_read(io, &j->seeds, &seeds);
  if (status == GV_OK) status = gv_raster_grid_make(io, &j->grid, &seeds, &grid);
  /* All outputs are made before any is put in its place. */
  if (status == GV_OK && triangles) status = gv_mesh_write(io, mesh, &grid, &seeds, &mesh_run);
  if (status == GV_OK && pixels) status = compute_raster(io, j, &seeds, &grid, raster);
  if (status == GV_OK) {
    gv_output *outputs[1 + GV_MESH_FORMATS];
    int count = triangles ? gv_mesh_outputs(mesh, outputs) : 0;
    if (pixels) outputs[count++] = gv_raster_output(raster);
    status = gv_outputs_commit(io, outputs, count);
  }
  if (status == GV_OK && seeds.skipped > 0) {
    gv_io_warn("%" PRId64 " seeds skipped, %" PRId64 " used; the first skipped: %s", seeds.skipped, seeds.count,
               seeds.skipped_first);
  }
  gv_mesh_close(mesh);
  gv_raster_close(raster);
  gv_raster_grid_free(&grid);
  gv_seeds_free(&seeds);
  return status;
}

int voronoi_command(int argc, char **argv) {
  job j = {.backend = "auto", .device = -1};
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
  gv_status status = make_outputs(&io, &j);
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
