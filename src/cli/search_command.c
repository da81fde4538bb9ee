/*
 * gpuvoronoi search --reference R [--queries Q] -k K OUT: nearest neighbours of rows of numbers, or of points of
 * vector layers, also among lines and polygons. Arrays of queries are read, searched and written in batches, so that memory is bounded by the
 * reference set; the reference set, and layers, are held in memory.
 */
#include "cli/commands.h"

#include <cpl_conv.h>
#include <gdal.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/process.h"
#include "cli/search_options.h"
#include "cli/search_results.h"
#include "cli/standard_input.h"
#include "io/crs.h"
#include "io/in/arrays.h"
#include "io/in/raster_seeds.h"
#include "io/in/seeds.h"
#include "io/metric.h"
#include "io/out/array_out.h"
#include "io/units.h"

enum { BATCH_BYTES = 64 << 20 };

typedef search_settings settings;

/* -------------------------------------------------------------------------------------------------- points */

/* Points of a file: an open array, or a layer in memory. */
typedef struct source {
  source_options options;
  gv_array_reader *array; /* NULL: a layer */
  gv_seed_list seeds;     /* layer ... */
  gv_seed_options layer;  /* ... and how it was read */
  double *rows;           /* layer on the plane: count x dim */
  int32_t dim;
} source;

static gv_status find_kind(gv_io *io, source_options *options, bool globe) {
  const char *path = options->path;
  options->is_layer = options->layer != NULL || options->crs != NULL || options->raster != NULL ||
                      options->where != NULL || options->x != NULL || options->open_options != NULL ||
                      (path != NULL && strncmp(path, "/vsi", 4) == 0); /* arrays are files of the system's */
  if (path == NULL || options->is_layer || !gv_array_is_text(path)) return GV_OK;
  bool text = cli_ends_with(path, ".csv") || cli_ends_with(path, ".txt") || cli_ends_with(path, ".tsv") ||
              cli_ends_with(path, ".dat");
  options->is_layer = !text || globe;
  return options->is_layer ? GV_OK : gv_array_has_lonlat(io, path, &options->is_layer);
}

/* Whether the metric that was asked for measures on the globe. */
static bool wants_globe(const settings *j) {
  return j->has_metric && gv_metric_on_globe(j->metric);
}

/* As the reader of layers takes them. */
static gv_seed_options layer_options(const settings *j, const source_options *options) {
  return (gv_seed_options){.source = options->path,
                           .layer = options->layer,
                           .where = options->where,
                           .crs = options->crs,
                           .crs_option = options->crs_option,
                           .x_field = options->x,
                           .y_field = options->y,
                           .z_field = options->z,
                           .open_options = options->open_options,
                           .heights = true,
                           .skip_invalid = j->skip_invalid};
}

static gv_status read_raster(gv_io *io, gv_context *context, const source_options *options, source *s) {
  gv_raster_seed_options how = *options->raster;
  gv_raster_seed_reader reader;
  gv_raster_seed_content content = {.cells = NULL};
  const gv_raster_seed_question question = {.all = true};
  how.option = "--reference-raster";
  how.by_cell = true;
  how.crs = options->crs;
  how.crs_option = options->crs_option;
  how.open_options = options->open_options;
  gv_status status = gv_raster_seeds_open(io, &how, &reader);
  if (status == GV_OK) status = gv_raster_seeds_read(io, context, &reader, &question, &content);
  s->seeds = content.seeds;
  content.seeds = (gv_seed_list)GV_SEED_LIST_INIT;
  gv_raster_seeds_free(&content);
  gv_raster_seeds_close(&reader);
  return status;
}

static gv_status open_source(gv_io *io, gv_context *context, const settings *j, const source_options *options,
                             source *s) {
  *s = (source){.options = *options, .seeds = GV_SEED_LIST_INIT};
  if (!options->is_layer) {
    gv_status status = gv_array_open(io, options->path, &s->array);
    if (status == GV_OK) s->dim = gv_array_dim(s->array);
    return status;
  }
  s->layer = layer_options(j, options);
  s->layer.shapes = options == &j->reference;
  s->layer.edges = j->edges;
  s->layer.boundary = j->boundary;
  s->dim = 2;
  if (options->raster != NULL) return read_raster(io, context, options, s);
  gv_status status = gv_seeds_read(io, &s->layer, &s->seeds);
  return status == GV_OK ? gv_seeds_require_some(io, &s->seeds) : status;
}

static void close_source(source *s) {
  gv_array_close(s->array);
  gv_seeds_free(&s->seeds);
  free(s->rows);
}

/* A layer's x, y and z if there is one, as rows. */
static gv_status make_rows(gv_io *io, source *s) {
  const double *z = s->seeds.z;
  s->dim = z != NULL ? 3 : 2;
  s->rows = malloc((size_t)s->seeds.count * (size_t)s->dim * sizeof *s->rows);
  if (s->rows == NULL) return gv_io_fail_memory(io, "the points");
  for (int64_t i = 0; i < s->seeds.count; i++) {
    s->rows[i * s->dim] = s->seeds.x[i];
    s->rows[i * s->dim + 1] = s->seeds.y[i];
    if (z != NULL) s->rows[i * s->dim + 2] = z[i];
  }
  return GV_OK;
}

/* ------------------------------------------------------------------------------------------------ progress */

/* GDAL's bar. What the library reports for the build or for a batch of queries is a part of it, from `from` to `to`. */
typedef struct bar {
  bool shown;
  double from, to;
} bar;

static const double build_share = 0.1;

static int go_on(double fraction, void *user) {
  const bar *b = user;
  if (b->shown) cli_show_progress(b->from + (b->to - b->from) * fraction, NULL);
  return !cli_interrupted(NULL);
}

/* The next part is the search of `count` queries after `done` of `total` (0: nobody knows how many). */
static void next_part(bar *b, int64_t done, int64_t count, int64_t total) {
  b->from = total > 0 ? build_share + (1.0 - build_share) * (double)done / (double)total : b->to;
  b->to = total > 0 ? build_share + (1.0 - build_share) * (double)(done + count) / (double)total : b->to;
}

/* ----------------------------------------------------------------------------------------------- searching */

static gv_status library_failed(gv_io *io, gv_status status, const gv_context *context, const char *path) {
  return gv_io_fail(io, status, "%s: %s", path, gv_context_message(context));
}

/* Queries of one batch, by memory. */
static int64_t batch_rows(int32_t dim, int k) {
  int64_t row = (int64_t)dim * 8 + (int64_t)k * 16;
  return BATCH_BYTES / row > 1 ? BATCH_BYTES / row : 1;
}

/* Searches all queries: an array batch by batch, rows in memory, or the reference set against itself (q NULL). */
static gv_status search_plane(gv_io *io, const settings *j, gv_context *context, const gv_index *index, source *q,
                              cli_results *r) {
  bool self = q == NULL;
  gv_search_options options = GV_SEARCH_OPTIONS_INIT;
  options.k = j->k;
  options.max_distance = j->max_distance;
  options.exclude_self = self;
  int32_t dim = gv_index_dim(index);
  bool need_distances = cli_results_need_distances(r);
  bool stream = !self && q->array != NULL;
  int64_t rows = self ? gv_index_count(index) : stream ? batch_rows(dim, j->k) : q->seeds.count;
  if (stream && gv_array_count(q->array) >= 0 && gv_array_count(q->array) < rows) rows = gv_array_count(q->array);
  int64_t places = rows > 0 ? rows : 1;
  gv_status status = GV_OK;
  void *data = stream ? malloc((size_t)(places * dim) * sizeof(double)) : NULL;
  int64_t *indices = malloc((size_t)(places * j->k) * sizeof *indices);
  double *distances = need_distances ? malloc((size_t)(places * j->k) * sizeof *distances) : NULL;
  if (indices == NULL || (need_distances && distances == NULL) || (stream && data == NULL)) {
    status = gv_io_fail_memory(io, "the results");
    goto done;
  }
  for (;;) {
    gv_points queries = {self ? NULL : q->rows, rows, dim, GV_FLOAT64};
    if (stream) {
      status = gv_array_read(io, q->array, rows, data, &queries.count);
      if (status != GV_OK || queries.count == 0) break;
      queries.data = data;
      queries.dtype = gv_array_dtype(q->array);
    }
    next_part(r->progress, r->queries, queries.count, stream ? gv_array_count(q->array) : rows);
    status = gv_index_search(context, index, self ? NULL : &queries, &options, indices, distances);
    if (status != GV_OK) {
      library_failed(io, status, context, self ? j->reference.path : j->query.path);
      break;
    }
    status = cli_results_write(io, r, queries.count, indices, distances);
    if (status != GV_OK || !stream) break;
  }

done:
  free(data);
  free(indices);
  free(distances);
  return status;
}

static gv_status run_plane(gv_io *io, const settings *j, gv_context *context, source *reference, source *q,
                           cli_results *r) {
  gv_points points = {NULL, 0, 0, GV_FLOAT64};
  void *data = NULL;
  gv_index *index = NULL;
  gv_status status = GV_OK;
  if (reference->array != NULL) {
    status = gv_array_read_all(io, reference->array, &data, &points.count);
    points.data = data;
    points.dtype = gv_array_dtype(reference->array);
  } else {
    status = make_rows(io, reference);
    points.data = reference->rows;
    points.count = reference->seeds.count;
  }
  points.dim = reference->dim;
  if (status == GV_OK && points.count == 0) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: there are no points in the file", j->reference.path);
  }
  if (status == GV_OK && q != NULL && q->array == NULL) status = make_rows(io, q);
  if (status == GV_OK && q != NULL && q->dim != reference->dim) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s has %d coordinates a point, %s %d", j->query.path,
                        (int)q->dim, j->reference.path, (int)reference->dim);
  }
  if (status == GV_OK) {
    gv_index_options options = GV_INDEX_OPTIONS_INIT;
    options.backend = j->backend;
    options.metric = j->metric;
    options.expected_k = j->k;
    options.expected_queries = q == NULL          ? points.count
                               : q->array != NULL ? gv_array_count(q->array)
                                                  : q->seeds.count;
    if (options.expected_queries < 0) options.expected_queries = 0;
    status = gv_index_build(context, &points, &options, &index);
    if (status != GV_OK) library_failed(io, status, context, j->reference.path);
  }
  free(data);
  if (status == GV_OK) {
    r->report->references.used = points.count;
    r->report->dimensions = points.dim;
    r->report->backend = gv_index_backend(index);
    status = search_plane(io, j, context, index, q, r);
  }
  gv_index_destroy(index);
  return status;
}

/* Brings a layer to longitude and latitude in degrees on the globe of the system `globe`. */
static gv_status to_globe(gv_io *io, source *s, OGRSpatialReferenceH globe) {
  gv_operation *operation = NULL;
  gv_status status = GV_OK;
  double scale = 1.0;
  if (gv_crs_is_lonlat(globe) && gv_crs_same(s->seeds.crs, globe)) {
    scale = gv_crs_unit_degrees(globe);
  } else {
    const double *x, *y;
    int64_t count;
    gv_seeds_places(&s->seeds, &x, &y, &count);
    status = gv_operation_to_globe(io, s->seeds.crs, globe, x, y, count, &operation);
  }
  if (status == GV_OK) status = gv_seeds_carry_shapes(io, &s->seeds, operation, globe, true, scale);
  if (status == GV_OK) status = gv_seeds_transform(io, &s->seeds, operation, true, scale);
  gv_operation_destroy(operation);
  return status;
}

static gv_status run_globe(gv_io *io, const settings *j, gv_context *context, source *reference, source *q,
                           cli_results *r) {
  gv_globe_index *index = NULL;
  int64_t *indices = NULL;
  double *distances = NULL;
  gv_globe_options build = GV_GLOBE_OPTIONS_INIT;
  build.backend = j->backend;
  build.metric = j->metric;
  gv_status status = gv_crs_ellipsoid(io, reference->seeds.crs, &build.semi_major, &build.flattening);
  if (status == GV_OK && q != NULL) status = to_globe(io, q, reference->seeds.crs);
  if (status == GV_OK) status = to_globe(io, reference, reference->seeds.crs);
  if (status != GV_OK) return status;
  gv_seeds seeds = {reference->seeds.x, reference->seeds.y, reference->seeds.count}, queries = seeds;
  if (q != NULL) queries = (gv_seeds){q->seeds.x, q->seeds.y, q->seeds.count};
  bool need_distances = cli_results_need_distances(r);
  indices = malloc((size_t)(queries.count * j->k) * sizeof *indices);
  distances = need_distances ? malloc((size_t)(queries.count * j->k) * sizeof *distances) : NULL;
  if (indices == NULL || (need_distances && distances == NULL)) {
    status = gv_io_fail_memory(io, "the results");
    goto done;
  }
  status = gv_globe_index_build(context, &seeds, &build, &index);
  if (status != GV_OK) {
    library_failed(io, status, context, j->reference.path);
    goto done;
  }
  r->report->references.used = seeds.count;
  r->report->backend = gv_globe_index_backend(index);
  gv_search_options options = GV_SEARCH_OPTIONS_INIT;
  options.k = j->k;
  options.max_distance = j->max_distance;
  options.exclude_self = q == NULL;
  next_part(r->progress, 0, queries.count, queries.count);
  status = gv_globe_index_search(context, index, &queries, &options, indices, distances);
  if (status != GV_OK) {
    library_failed(io, status, context, q != NULL ? j->query.path : j->reference.path);
    goto done;
  }
  status = cli_results_write(io, r, queries.count, indices, distances);

done:
  gv_globe_index_destroy(index);
  free(indices);
  free(distances);
  return status;
}

/* Points among lines and polygons. */
static gv_status run_features(gv_io *io, const settings *j, gv_context *context, source *reference, source *q,
                              cli_results *r) {
  gv_feature_index *index = NULL;
  int64_t *indices = NULL;
  double *distances = NULL, *nearest = NULL;
  gv_feature_index_options build = GV_FEATURE_INDEX_OPTIONS_INIT;
  build.metric = j->metric;
  bool globe = gv_metric_on_globe(j->metric);
  gv_status status = GV_OK;
  if (globe) {
    status = gv_crs_ellipsoid(io, reference->seeds.crs, &build.semi_major, &build.flattening);
    if (status == GV_OK) status = to_globe(io, q, reference->seeds.crs);
    if (status == GV_OK) status = to_globe(io, reference, reference->seeds.crs);
  }
  if (status != GV_OK) return status;
  gv_seeds queries = {q->seeds.x, q->seeds.y, q->seeds.count};
  size_t places = (size_t)(queries.count * j->k);
  bool need_distances = cli_results_need_distances(r);
  indices = malloc(places * sizeof *indices);
  distances = need_distances ? malloc(places * sizeof *distances) : NULL;
  bool need_nearest = r->nearest != NULL || r->content.lines;
  nearest = need_nearest ? malloc(2 * places * sizeof *nearest) : NULL;
  if (indices == NULL || (need_distances && distances == NULL) || (need_nearest && nearest == NULL)) {
    status = gv_io_fail_memory(io, "the results");
    goto done;
  }
  gv_features features = gv_seeds_features(&reference->seeds);
  gv_search_options options = GV_SEARCH_OPTIONS_INIT;
  options.k = j->k;
  options.max_distance = j->max_distance;
  status = gv_feature_index_build(context, &features, &build, &index);
  if (status != GV_OK) {
    library_failed(io, status, context, j->reference.path);
    goto done;
  }
  r->report->references.used = features.count;
  next_part(r->progress, 0, queries.count, queries.count);
  status = gv_feature_index_search(context, index, &queries, &options, indices, distances, nearest);
  if (status != GV_OK) {
    library_failed(io, status, context, j->query.path);
    goto done;
  }
  r->content.nearest = nearest;
  status = cli_results_write(io, r, queries.count, indices, distances);
  if (status == GV_OK && r->nearest != NULL) status = gv_array_write(io, r->nearest, nearest, queries.count);

done:
  gv_feature_index_destroy(index);
  free(indices);
  free(distances);
  free(nearest);
  return status;
}

/* What lines and polygons are not searched with, and what is of them alone. */
static gv_status check_shapes(gv_io *io, const settings *j, const source *reference, const source *q) {
  const char *why = NULL;
  if (reference->seeds.shapes == NULL) {
    if (j->nearest == NULL) return GV_OK;
    why = "--nearest is about lines and polygons";
  } else if (q == NULL) {
    why = "lines and polygons are searched with points: give --queries";
  } else if (q->array != NULL) {
    why = "lines and polygons are searched with points of a layer, not with an array";
  } else if (strcmp(j->backend, "auto") != 0) {
    why = "there is one way to search lines and polygons: leave --backend out";
  }
  return why == NULL ? GV_OK : gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s", j->reference.path, why);
}

/* Layers can be compared if both are in some coordinate system, or neither is. */
static gv_status check_alignable(gv_io *io, const source *reference, const source *q) {
  const source *without = reference->seeds.crs == NULL ? reference : q, *with = without == q ? reference : q;
  if ((reference->seeds.crs == NULL) == (q->seeds.crs == NULL)) return GV_OK;
  char name[256];
  gv_crs_describe(with->seeds.crs, name, sizeof name);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s has no coordinate system, %s is in %s: give %s",
                    without->options.path, with->options.path, name, without->options.crs_option);
}

/* Arrays have no coordinate system, and none can be given them. */
static gv_status refuse_array(gv_io *io, const settings *j, const source *s) {
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: --metric %s needs a layer in a coordinate system, or the columns lon and lat; an array of "
                    "longitudes and latitudes has neither",
                    s->options.path, gv_metric_name(j->metric));
}

/* The globe is a surface, and lines and polygons are on it or on a plane. */
static gv_status check_heights(gv_io *io, const settings *j, const source *s) {
  char what[64] = "to lines and polygons";
  if (s->seeds.z == NULL && s->options.z == NULL) return GV_OK;
  if (gv_metric_on_globe(j->metric)) snprintf(what, sizeof what, "by the metric %s", gv_metric_name(j->metric));
  if (s->options.z != NULL)
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--z: distances %s know no heights", what);
  gv_io_warn(GV_CODE_HEIGHTS_UNUSED, 0, "%s: z is not used: distances %s know no heights", s->options.path, what);
  return GV_OK;
}

/* Settles the metric, as rasters do, and brings query layers on the plane to the reference's coordinate system. */
static gv_status settle(gv_io *io, settings *j, const source *reference, source *q, cli_search_report *report) {
  char places[4096];
  snprintf(places, sizeof places, "%s has", reference->options.path);
  gv_metric_question question = {.crs = reference->seeds.crs,
                                 .asked = j->has_metric,
                                 .metric = j->metric,
                                 .places = places,
                                 .remedy = reference->options.crs_option};
  if (reference->array != NULL && wants_globe(j)) return refuse_array(io, j, reference);
  gv_status status = gv_metric_choose(io, &question, &j->metric);
  report->metric = j->metric;
  report->metric_reason = gv_metric_reason(&question);
  gv_crs_describe(reference->seeds.crs, report->crs, sizeof report->crs);
  bool globe = gv_metric_on_globe(j->metric);
  if (status == GV_OK) {
    status = gv_unit_of_distance(io, "--max-distance", &j->max_distance_unit, globe, reference->seeds.crs,
                                 &j->max_distance);
  }
  bool flat = globe || reference->seeds.shapes != NULL;
  if (status == GV_OK && flat) status = check_heights(io, j, reference);
  if (status == GV_OK && flat && q != NULL) status = check_heights(io, j, q);
  if (status != GV_OK || q == NULL) return status;
  if (globe && q->array != NULL) return refuse_array(io, j, q);
  if (q->array != NULL || reference->array != NULL) return GV_OK;
  status = check_alignable(io, reference, q);
  if (status != GV_OK || globe || q->seeds.crs == NULL || gv_crs_same(q->seeds.crs, reference->seeds.crs)) {
    return status;
  }
  gv_operation *operation = NULL;
  status = gv_operation_between(io, q->seeds.crs, reference->seeds.crs, q->seeds.x, q->seeds.y, q->seeds.count,
                                &operation);
  if (status == GV_OK) status = gv_seeds_transform(io, &q->seeds, operation, false, 1.0);
  gv_operation_destroy(operation);
  return status;
}

/* No output may be a file of an input, nor two of them one file. */
static gv_status check_files(gv_io *io, const settings *j, gv_inputs *inputs) {
  const char *const outputs[] = {j->out, j->distances, j->nearest};
  for (int i = 0; i < 3; i++) {
    if (gv_inputs_find(inputs, outputs[i]) != NULL) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT, "the output %s is an input too",
                           outputs[i]);
    }
    for (int other = 0; other < i; other++) {
      if (gv_same_file(outputs[other], outputs[i]))
        return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "both outputs are %s", outputs[i]);
    }
  }
  return GV_OK;
}

/* Before work starts: what a table tells of. */
static gv_status plan_table(gv_io *io, const settings *j, cli_results *r, const source *reference,
                            const source *q) {
  const source *both[2] = {q != NULL ? q : reference, reference};
  const source_options *of[2] = {q != NULL ? &j->query : &j->reference, &j->reference};
  for (int i = 0; i < 2; i++) {
    if (both[i]->array == NULL) continue;
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: a table is of layers, and this is an array: write .npy or plain .csv", of[i]->path);
  }
  gv_neighbour_content *c = &r->content;
  c->queries = (gv_neighbour_side){&both[0]->layer,
                                   &both[0]->seeds,
                                   q != NULL ? "--query-id" : "--id",
                                   of[0]->id,
                                   q != NULL ? "--query-keep" : "--keep",
                                   of[0]->keep};
  c->references =
      (gv_neighbour_side){&reference->layer, &reference->seeds, "--id", of[1]->id, "--keep", of[1]->keep};
  c->lines = j->lines;
  c->k = j->k;
  c->globe = gv_metric_on_globe(j->metric);
  gv_status status = GV_OK;
  if (c->globe) status = gv_crs_ellipsoid(io, reference->seeds.crs, &c->semi_major, &c->flattening);
  if (c->globe && j->metric == GV_GREAT_CIRCLE) c->flattening = 0.0;
  if (reference->seeds.crs != NULL) {
    c->crs = c->globe ? OSRCloneGeogCS(reference->seeds.crs) : OSRClone(reference->seeds.crs);
    if (status == GV_OK && c->crs == NULL) status = gv_io_fail_memory(io, "a coordinate system");
  }
  if (status == GV_OK && c->crs != NULL) {
    OSRSetAxisMappingStrategy(c->crs, OAMS_TRADITIONAL_GIS_ORDER);
    if (c->globe) OSRSetAngularUnits(c->crs, SRS_UA_DEGREE, CPLAtof(SRS_UA_DEGREE_CONV));
  }
  return status == GV_OK ? gv_neighbours_plan(io, j->out, j->overwrite, &r->table) : status;
}

static void warn_of_skipped(const source *s) {
  if (s->seeds.skipped == 0) return;
  gv_io_warn(GV_CODE_SEEDS_SKIPPED, s->seeds.skipped,
             "%s: %" PRId64 " points skipped, %" PRId64 " used; the first skipped: %s", s->options.path,
             s->seeds.skipped, s->seeds.count, s->seeds.skipped_first);
}

static gv_status run_search(gv_io *io, settings *j, gv_context *context, bar *progress, cli_search_report *report) {
  source reference = {.seeds = GV_SEED_LIST_INIT}, queries = {.seeds = GV_SEED_LIST_INIT};
  source *q = j->query.path != NULL ? &queries : NULL;
  source_options *of[] = {&j->reference, &j->query};
  gv_input list[2] = {{.source = NULL}};
  gv_inputs inputs = {.list = list, .count = 2};
  cli_results r = {.k = j->k, .progress = progress, .report = report};
  const cli_results_options outputs = {j->out, j->distances, j->nearest, cli_ends_with(j->out, ".csv"),
                                       j->overwrite};
  gv_status status = GV_OK;
  for (int i = 0; i < 2 && status == GV_OK; i++) {
    status = find_kind(io, of[i], wants_globe(j));
    unsigned kind = of[i]->raster != NULL ? GDAL_OF_RASTER : of[i]->is_layer ? GDAL_OF_VECTOR : 0;
    list[i] = (gv_input){of[i]->path, kind, of[i]->layer, of[i]->open_options, NULL};
  }
  if (status == GV_OK) status = check_files(io, j, &inputs);
  if (status == GV_OK) status = open_source(io, context, j, &j->reference, &reference);
  if (status == GV_OK && q != NULL) status = open_source(io, context, j, &j->query, q);
  if (status == GV_OK) status = check_shapes(io, j, &reference, q);
  r.cell = reference.seeds.are_cells ? reference.seeds.fids : NULL;
  if (status == GV_OK) status = settle(io, j, &reference, q, report);
  if (status == GV_OK && cli_search_wants_table(j)) {
    status = plan_table(io, j, &r, &reference, q);
  } else if (status == GV_OK) {
    status = cli_results_create(io, &outputs, &r);
  }
  if (status == GV_OK && reference.seeds.shapes != NULL) {
    status = run_features(io, j, context, &reference, q, &r);
  } else if (status == GV_OK) {
    status = (gv_metric_on_globe(j->metric) ? run_globe : run_plane)(io, j, context, &reference, q, &r);
  }
  warn_of_skipped(&reference);
  warn_of_skipped(&queries);
  report->references.left_out = reference.seeds.skipped;
  report->queries = (cli_search_side){r.queries, q != NULL ? queries.seeds.skipped : reference.seeds.skipped};
  report->missing = r.missing;
  if (status == GV_OK) status = cli_results_finish(io, &r, &inputs, j->sync);
  if (status == GV_OK && progress->shown) cli_show_progress(1.0, NULL);
  cli_results_free(&r);
  close_source(&reference);
  close_source(&queries);
  gv_inputs_free(&inputs);
  return status;
}

static int run(settings *j, double begun) {
  gv_io io = {.cancelled = cli_interrupted};
  gv_context_options options = GV_CONTEXT_OPTIONS_INIT;
  options.threads = j->threads;
  options.device = j->device;
  bar progress = {j->progress && !j->quiet, 0.0, build_share};
  options.progress = go_on;
  options.progress_user = &progress;
  gv_context *context = NULL;
  if (gv_context_create(&options, &context) != GV_OK) return cli_fail(EXIT_ERROR, "out of memory");
  cli_search_report report = {
      .dimensions = 2, .k = j->k, .backend_asked = j->backend, .threads = gv_context_threads(context)};
  gv_status status = run_search(&io, j, context, &progress, &report);
  gv_context_destroy(context);
  if (status != GV_OK) return cli_report_failure(&io);
  double seconds = cli_seconds() - begun;
  if (j->json) {
    cli_report_search_json(&report, seconds);
  } else if (!j->quiet) {
    cli_report_search_lines(&report, seconds);
  }
  return EXIT_OK;
}

int search_command(int argc, char **argv) {
  double begun = cli_seconds();
  settings j = {.raster.band = 1, .k = 1, .device = -1, .backend = "auto", .max_distance = INFINITY};
  j.reference.crs_option = "--reference-crs";
  j.query.crs_option = "--query-crs";
  cli_answer_as_asked(argc, argv);
  int result = cli_search_parse(&j, argc, argv);
  if (result == EXIT_OK) result = cli_prepare();
  if (result == EXIT_OK) result = cli_read_standard_input(&j.reference.path);
  if (result == EXIT_OK) result = cli_read_standard_input(&j.query.path);
  if (j.raster.source != NULL) {
    j.reference.path = j.raster.source;
    j.reference.raster = &j.raster;
  }
  if (result == EXIT_OK) result = run(&j, begun);
  cli_search_free(&j);
  if (result == CLI_DONE) return EXIT_OK;
  return cli_answers_in_json() ? cli_answered(result) : result;
}
