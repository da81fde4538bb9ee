/*
 * gpuvoronoi search --reference R [--queries Q] -k K OUT: nearest neighbours of rows of numbers, or of points of
 * vector layers, also among lines and polygons. Arrays of queries are read, searched and written in batches, so that memory is bounded by the
 * reference set. Of that an array that is no text is read into the index; text, and layers, are held in memory.
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
#include "cli/launched.h"
#include "cli/process.h"
#include "cli/search_rounds.h"
#include "cli/search_source.h"
#include "cli/standard_input.h"
#include "core/machine.h"
#include "gpuvoronoi_source.h"
#include "io/crs.h"
#include "io/metric.h"
#include "io/units.h"

typedef search_settings settings;

/* Whether the metric that was asked for measures on the globe. */
static bool wants_globe(const settings *j) {
  return j->has_metric && gv_metric_on_globe(j->metric);
}

/* ------------------------------------------------------------------------------------------------ progress */

static int go_on(double fraction, void *user) {
  const cli_search_bar *b = user;
  if (b->shown) cli_show_progress(b->from + (b->to - b->from) * fraction, NULL);
  return !cli_interrupted(NULL);
}

/* ------------------------------------------------------------------------------------------------------ building */

/* A search: what it is told, and what it has made. */
typedef struct search {
  settings *j;
  const gv_communicator *communicator; /* NULL: alone */
  bool first;                          /* alone, or rank 0: it writes */
  gv_context *context;
  cli_source reference, queries, again; /* `again`: the array of the reference set, whose points are queries too */
  cli_source *q;                        /* NULL: the reference set itself */
  bool sharded;
  cli_search_index index;
  cli_search_queries asked;
  cli_search_bar bar;
  cli_search_report report;
  cli_results results;
} search;

static gv_status library_failed(gv_io *io, gv_status status, const gv_context *context, const char *path) {
  return gv_io_fail(io, status, "%s: %s", path, gv_context_message(context));
}

/* Whether each rank is to have some of the reference points, of which there are more than ranks: if that was asked for, or where the
 * index of all of them, with what they are read into, would take more memory than a rank has. */
static gv_status choose_sharding(gv_io *io, search *s, int64_t points, int32_t dim) {
  const gv_communicator *c = s->communicator;
  if (c == NULL || points < c->all.ranks) return GV_OK;
  bool large = points > gv_machine_memory() / c->host_ranks / (3 * (int64_t)sizeof(double)) / dim;
  int any = s->j->shard_reference || large;
  gv_status status = gv_communicator_largest(io, c, &any);
  s->sharded = any != 0;
  return status;
}

/* Points of the reference set that are this rank's, of an array or of rows. Of an array that is no text only how many: they are read into
 * the index. */
static gv_status take_reference(gv_io *io, search *s, int64_t total, gv_points *points, void **data) {
  cli_source *reference = &s->reference;
  int64_t first = 0, end = total, got = 0;
  if (s->sharded) cli_search_deal(s->communicator, total, s->communicator->all.rank, &first, &end);
  s->index.first = first;
  points->count = end - first;
  if (reference->array == NULL) {
    points->data = reference->rows + first * points->dim;
    return GV_OK;
  }
  points->dtype = gv_array_dtype(reference->array);
  if (gv_array_count(reference->array) >= 0) return GV_OK;
  gv_status status = GV_OK;
  if (!s->sharded) {
    status = gv_array_read_all(io, reference->array, data, &points->count);
  } else {
    *data = malloc((size_t)(points->count * points->dim) * sizeof(double));
    if (*data == NULL) return gv_io_fail_memory(io, "an array");
    status = gv_array_skip(io, reference->array, first, &got);
    if (status == GV_OK) status = gv_array_read(io, reference->array, points->count, *data, &got);
  }
  points->data = *data;
  return status;
}

static gv_status build_index(gv_io *io, search *s, const gv_points *points) {
  const settings *j = s->j;
  gv_index_options options = GV_INDEX_OPTIONS_INIT;
  options.backend = j->backend;
  options.metric = j->metric;
  options.expected_k = j->k;
  options.expected_queries = s->asked.total > 0 ? s->asked.total : 0;
  if (points->data != NULL) {
    gv_status status = gv_index_build(s->context, points, &options, &s->index.plane);
    return status == GV_OK ? GV_OK : library_failed(io, status, s->context, j->reference.path);
  }
  cli_source_reading reading = {io, s->reference.array, s->index.first, INT64_MAX, PTHREAD_MUTEX_INITIALIZER};
  const gv_point_source source = {points->count, points->dim, points->dtype, cli_source_read, &reading};
  gv_status status = gv_index_build_from(s->context, &source, &options, &s->index.plane);
  pthread_mutex_destroy(&reading.lock);
  if (status == GV_OK || reading.failed < INT64_MAX) return status;
  return library_failed(io, status, s->context, j->reference.path);
}

/* What is asked of points on the plane: an array, rows, or the reference set itself. */
static gv_status choose_queries(gv_io *io, search *s, int64_t points) {
  cli_source *q = s->q;
  s->asked.dim = s->reference.dim;
  if (q == NULL && s->sharded && s->reference.array != NULL) {
    q = &s->again;
    gv_status status = cli_source_open(io, s->context, s->j, &s->j->reference, q);
    if (status != GV_OK) return status;
  }
  s->asked.total = q == NULL ? points : q->array != NULL ? gv_array_count(q->array) : q->seeds.count;
  s->asked.array = q != NULL ? q->array : NULL;
  s->asked.rows = q != NULL ? q->rows : s->reference.rows;
  return GV_OK;
}

static gv_status build_plane(gv_io *io, search *s) {
  const settings *j = s->j;
  cli_source *reference = &s->reference, *q = s->q;
  gv_points points = {NULL, 0, 0, GV_FLOAT64};
  void *data = NULL;
  int64_t total = -1;
  gv_status status = reference->array == NULL ? cli_source_make_rows(io, reference) : GV_OK;
  points.dim = reference->dim;
  if (status == GV_OK && s->communicator != NULL) status = cli_source_count(io, reference, &total);
  status = cli_search_together(io, s->communicator, status);
  if (status == GV_OK) status = choose_sharding(io, s, total, points.dim);
  if (status == GV_OK && reference->array == NULL) total = reference->seeds.count;
  if (status == GV_OK && reference->array != NULL && s->communicator == NULL)
    total = gv_array_count(reference->array);
  if (status == GV_OK) status = take_reference(io, s, total, &points, &data);
  if (status == GV_OK && points.count == 0) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: there are no points in the file", j->reference.path);
  }
  if (!s->sharded) total = points.count;
  if (status == GV_OK && q != NULL && q->array == NULL) status = cli_source_make_rows(io, q);
  if (status == GV_OK && q != NULL && q->dim != reference->dim) {
    status = gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s has %d coordinates a point, %s %d", j->query.path,
                        (int)q->dim, j->reference.path, (int)reference->dim);
  }
  if (status == GV_OK) status = choose_queries(io, s, total);
  if (status == GV_OK) status = build_index(io, s, &points);
  free(data);
  if (status != GV_OK) return status;
  s->report.references.used = total;
  s->report.dimensions = points.dim;
  s->report.backend = gv_index_backend(s->index.plane);
  return GV_OK;
}

static gv_status build_globe(gv_io *io, search *s) {
  const gv_seed_list *seeds = &s->reference.seeds, *q = s->q != NULL ? &s->q->seeds : seeds;
  gv_globe_options build = GV_GLOBE_OPTIONS_INIT;
  int64_t end = seeds->count;
  build.backend = s->j->backend;
  build.metric = s->j->metric;
  gv_status status = gv_crs_ellipsoid(io, seeds->crs, &build.semi_major, &build.flattening);
  if (status == GV_OK && s->q != NULL) status = cli_source_to_globe(io, s->q, seeds->crs);
  if (status == GV_OK) status = cli_source_to_globe(io, &s->reference, seeds->crs);
  status = cli_search_together(io, s->communicator, status);
  if (status == GV_OK) status = choose_sharding(io, s, seeds->count, 3);
  if (status != GV_OK) return status;
  end = seeds->count;
  if (s->sharded) cli_search_deal(s->communicator, seeds->count, s->communicator->all.rank, &s->index.first, &end);
  const gv_seeds own = {seeds->x + s->index.first, seeds->y + s->index.first, end - s->index.first};
  status = gv_globe_index_build(s->context, &own, &build, &s->index.globe);
  if (status != GV_OK) return library_failed(io, status, s->context, s->j->reference.path);
  s->asked = (cli_search_queries){.x = q->x, .y = q->y, .total = q->count, .dim = 2};
  s->report.references.used = seeds->count;
  s->report.backend = gv_globe_index_backend(s->index.globe);
  return GV_OK;
}

/* Points among lines and polygons. */
static gv_status build_features(gv_io *io, search *s) {
  cli_source *reference = &s->reference;
  gv_feature_index_options build = GV_FEATURE_INDEX_OPTIONS_INIT;
  build.metric = s->j->metric;
  gv_status status = GV_OK;
  if (gv_metric_on_globe(s->j->metric)) {
    status = gv_crs_ellipsoid(io, reference->seeds.crs, &build.semi_major, &build.flattening);
    if (status == GV_OK) status = cli_source_to_globe(io, s->q, reference->seeds.crs);
    if (status == GV_OK) status = cli_source_to_globe(io, reference, reference->seeds.crs);
  }
  if (status != GV_OK) return status;
  gv_features features = gv_seeds_features(&reference->seeds);
  status = gv_feature_index_build(s->context, &features, &build, &s->index.features);
  if (status != GV_OK) return library_failed(io, status, s->context, s->j->reference.path);
  s->asked = (cli_search_queries){.x = s->q->seeds.x, .y = s->q->seeds.y, .total = s->q->seeds.count, .dim = 2};
  s->report.references.used = features.count;
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- what goes together */

/* What lines and polygons are not searched with, and what is of them alone. */
static gv_status check_shapes(gv_io *io, const settings *j, const cli_source *reference, const cli_source *q) {
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
static gv_status check_alignable(gv_io *io, const cli_source *reference, const cli_source *q) {
  const cli_source *without = reference->seeds.crs == NULL ? reference : q, *with = without == q ? reference : q;
  if ((reference->seeds.crs == NULL) == (q->seeds.crs == NULL)) return GV_OK;
  char name[256];
  gv_crs_describe(with->seeds.crs, name, sizeof name);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s has no coordinate system, %s is in %s: give %s",
                    without->options.path, with->options.path, name, without->options.crs_option);
}

/* Arrays have no coordinate system, and none can be given them. */
static gv_status refuse_array(gv_io *io, const settings *j, const cli_source *s) {
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: --metric %s needs a layer in a coordinate system, or the columns lon and lat; an array of "
                    "longitudes and latitudes has neither",
                    s->options.path, gv_metric_name(j->metric));
}

/* The globe is a surface, and lines and polygons are on it or on a plane. */
static gv_status check_heights(gv_io *io, const settings *j, const cli_source *s) {
  char what[64] = "to lines and polygons";
  if (s->seeds.z == NULL && s->options.z == NULL) return GV_OK;
  if (gv_metric_on_globe(j->metric)) snprintf(what, sizeof what, "by the metric %s", gv_metric_name(j->metric));
  if (s->options.z != NULL)
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--z: distances %s know no heights", what);
  gv_io_warn(GV_CODE_HEIGHTS_UNUSED, 0, "%s: z is not used: distances %s know no heights", s->options.path, what);
  return GV_OK;
}

/* Settles the metric, as rasters do, and brings query layers on the plane to the reference's coordinate system. */
static gv_status settle(gv_io *io, settings *j, const cli_source *reference, cli_source *q,
                        cli_search_report *report) {
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
  if (status == GV_OK && reference->array == NULL && !globe)
    gv_seeds_warn_of_degrees(&reference->seeds, places, reference->options.crs_option);
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
static gv_status plan_table(gv_io *io, const settings *j, cli_results *r, const cli_source *reference,
                            const cli_source *q) {
  const cli_source *both[2] = {q != NULL ? q : reference, reference};
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

static void warn_of_skipped(cli_source *s, int64_t used) {
  const char *first = s->seeds.skipped_first;
  if (s->array != NULL) s->seeds.skipped = gv_array_skipped(s->array, &first);
  if (s->seeds.skipped == 0) return;
  gv_io_warn(GV_CODE_SEEDS_SKIPPED, s->seeds.skipped,
             "%s: %" PRId64 " points skipped, %" PRId64 " used; the first skipped: %s", s->options.path,
             s->seeds.skipped, used, first);
}

/* Inputs, outputs and the index. */
static gv_status prepare(gv_io *io, search *s, gv_inputs *inputs) {
  settings *j = s->j;
  source_options *of[] = {&j->reference, &j->query};
  const cli_results_options outputs = {j->out, j->distances, j->nearest, cli_search_writes_text(j), j->overwrite};
  gv_status status = GV_OK;
  for (int i = 0; i < 2 && status == GV_OK; i++) {
    status = cli_source_find_kind(io, of[i], wants_globe(j));
    unsigned kind = of[i]->raster != NULL ? GDAL_OF_RASTER : of[i]->is_layer ? GDAL_OF_VECTOR : 0;
    if (status == GV_OK)
      status = gv_inputs_add(io, inputs, (gv_input){of[i]->path, kind, of[i]->layer, of[i]->open_options, NULL});
  }
  if (status == GV_OK) status = check_files(io, j, inputs);
  if (status == GV_OK) status = cli_source_open(io, s->context, j, &j->reference, &s->reference);
  if (status == GV_OK && s->q != NULL) status = cli_source_open(io, s->context, j, &j->query, s->q);
  if (status == GV_OK) status = check_shapes(io, j, &s->reference, s->q);
  s->results.cell = s->reference.seeds.are_cells ? s->reference.seeds.fids : NULL;
  if (status == GV_OK) status = settle(io, j, &s->reference, s->q, &s->report);
  if (status == GV_OK && s->first && cli_search_wants_table(j)) {
    status = plan_table(io, j, &s->results, &s->reference, s->q);
  } else if (status == GV_OK && s->first) {
    status = cli_results_create(io, &outputs, &s->results);
  }
  status = cli_search_together(io, s->communicator, status);
  if (status != GV_OK) return status;
  status = s->reference.seeds.shapes != NULL ? build_features(io, s)
           : gv_metric_on_globe(j->metric)   ? build_globe(io, s)
                                             : build_plane(io, s);
  return cli_search_together(io, s->communicator, status);
}

static gv_status answer(gv_io *io, search *s) {
  const settings *j = s->j;
  bool table = cli_search_wants_table(j);
  cli_search_rounds rounds = {.communicator = s->communicator,
                              .sharded = s->sharded,
                              .context = s->context,
                              .index = &s->index,
                              .queries = s->asked,
                              .options = GV_SEARCH_OPTIONS_INIT,
                              .distances = table || j->distances != NULL || cli_search_writes_text(j),
                              .nearest = j->nearest != NULL || (table && j->lines && s->index.features != NULL),
                              .name = s->q != NULL ? j->query.path : j->reference.path,
                              .bar = &s->bar};
  rounds.options.k = j->k;
  rounds.options.max_distance = j->max_distance;
  rounds.options.exclude_self = s->q == NULL;
  return cli_search_rounds_run(io, &rounds, &s->results);
}

static gv_status run_search(gv_io *io, search *s) {
  gv_inputs inputs = {0};
  cli_results *r = &s->results;
  cli_search_report *report = &s->report;
  const gv_seed_list *asked = s->q != NULL ? &s->queries.seeds : &s->reference.seeds;
  gv_status status = prepare(io, s, &inputs);
  if (status == GV_OK) status = answer(io, s);
  warn_of_skipped(&s->reference, report->references.used);
  warn_of_skipped(&s->queries, r->queries);
  report->references.left_out = s->reference.seeds.skipped;
  report->queries = (cli_search_side){r->queries, asked->skipped};
  report->missing = r->missing;
  if (status == GV_OK && s->first) status = cli_results_finish(io, r, &inputs, s->j->sync);
  if (status == GV_OK && s->bar.shown) cli_show_progress(1.0, NULL);
  cli_results_free(r);
  gv_index_destroy(s->index.plane);
  gv_globe_index_destroy(s->index.globe);
  gv_feature_index_destroy(s->index.features);
  cli_source_close(&s->reference);
  cli_source_close(&s->queries);
  cli_source_close(&s->again);
  gv_inputs_free(&inputs);
  return status;
}

static int run(settings *j, const gv_communicator *communicator, double begun) {
  gv_io io = {.cancelled = cli_interrupted};
  gv_context_options options = GV_CONTEXT_OPTIONS_INIT;
  search s = {.j = j,
              .communicator = communicator,
              .first = gv_launcher_rank() == 0,
              .reference = {.seeds = GV_SEED_LIST_INIT},
              .queries = {.seeds = GV_SEED_LIST_INIT},
              .again = {.seeds = GV_SEED_LIST_INIT},
              .results = {.k = j->k}};
  s.q = j->query.path != NULL ? &s.queries : NULL;
  s.bar = (cli_search_bar){j->progress && !j->quiet && s.first, 0.0, CLI_SEARCH_BUILD_SHARE};
  options.threads = j->threads;
  options.device = j->device;
  options.progress = go_on;
  options.progress_user = &s.bar;
  if (gv_context_create(&options, &s.context) != GV_OK) return cli_fail(EXIT_ERROR, "out of memory");
  s.report = (cli_search_report){
      .dimensions = 2, .k = j->k, .backend_asked = j->backend, .threads = gv_context_threads(s.context)};
  gv_status status = run_search(&io, &s);
  gv_context_destroy(s.context);
  if (status != GV_OK) return cli_report_failure(&io);
  double seconds = cli_seconds() - begun;
  if (j->json && s.first) {
    cli_report_search_json(&s.report, seconds);
  } else if (!j->quiet && s.first) {
    cli_report_search_lines(&s.report, seconds);
  }
  return EXIT_OK;
}

/* With all other ranks, where there are some. */
static int run_launched(settings *j, double begun) {
  gv_io io = {.cancelled = cli_interrupted};
  gv_communicator c = {.finish = NULL};
  if (gv_launcher_ranks() == 1) return run(j, NULL, begun);
  int result = cli_open_communicator(&io, &c);
  if (result == EXIT_OK) {
    if (j->threads == 0) j->threads = c.threads;
    j->device = gv_communicator_device(&c, j->device);
    result = run(j, &c, begun);
  }
  gv_communicator_close(&io, &c);
  return result;
}

int search_command(int argc, char **argv) {
  double begun = cli_seconds();
  settings j = {.raster.band = 1, .k = 1, .device = -1, .backend = "auto", .max_distance = INFINITY};
  j.reference.crs_option = "--reference-crs";
  j.query.crs_option = "--query-crs";
  j.reference.array.columns_option = "--columns";
  j.query.array.columns_option = "--query-columns";
  cli_answer_as_asked(argc, argv);
  int result = cli_search_parse(&j, argc, argv);
  if (result == EXIT_OK && gv_launcher_ranks() > 1) result = cli_check_launched_source(j.reference.path);
  if (result == EXIT_OK && gv_launcher_ranks() > 1) result = cli_check_launched_source(j.query.path);
  if (result == EXIT_OK) result = cli_prepare();
  if (result == EXIT_OK) result = cli_read_standard_input(&j.reference.path, j.memory);
  if (result == EXIT_OK) result = cli_read_standard_input(&j.query.path, j.memory);
  if (j.raster.source != NULL) {
    j.reference.path = j.raster.source;
    j.reference.raster = &j.raster;
  }
  if (result == EXIT_OK) result = run_launched(&j, begun);
  cli_search_free(&j);
  if (result == CLI_DONE) return EXIT_OK;
  return cli_answers_in_json() ? cli_answered(result) : result;
}
