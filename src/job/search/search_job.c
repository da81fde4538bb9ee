/* The steps of a search: inputs, checks of combinations, outputs, index, results. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cpl_conv.h>
#include <gdal.h>

#include "io/crs/crs.h"
#include "io/crs/metric.h"
#include "io/crs/units.h"
#include "io/path.h"
#include "job/backends.h"
#include "job/raster/plan/budget.h"
#include "job/search/run.h"

gv_search_output gv_search_job_output(const gv_search_job *j) {
  const gv_search_source *q = &j->query, *r = &j->reference;
  if (j->lines || q->id != NULL || r->id != NULL || q->keep != NULL || r->keep != NULL)
    return GV_SEARCH_TABLE;
  if (gv_path_ends(j->out, ".csv") || gv_array_is_stream(j->out)) return GV_SEARCH_TEXT;
  return gv_path_ends(j->out, ".npy") || gv_path_ends(j->out, ".ivecs") ? GV_SEARCH_ARRAY : GV_SEARCH_TABLE;
}

/* ------------------------------------------------------------------------------------------- combinations */

/* Options and queries that lines and polygons exclude or require. */
static gv_status check_shapes(gv_io *io, const gv_search_run *run) {
  const char *why = NULL;
  GV_REQUIRE(io, !run->job->by_radius || run->communicator == NULL, "--radius: unsupported with mpirun");
  if (run->reference.seeds.shapes == NULL) {
    if (run->job->nearest == NULL) return GV_OK;
    why = "--nearest: unsupported for points; it is for lines and polygons";
  } else if (run->q == NULL) {
    why = "--queries: missing; lines and polygons are searched with points";
  } else if (run->q->array != NULL) {
    why = "--queries: unsupported array; lines and polygons are searched with points of a layer";
  } else if (!gv_job_backend_is_automatic(run->job->backend)) {
    why = "--backend: unsupported for lines and polygons; remove --backend";
  } else if (run->job->by_radius && run->job->lines) {
    why = "--lines: unsupported with --radius for lines and polygons; remove it, or use -k";
  }
  return why == NULL ? GV_OK : gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s", run->reference.path, why);
}

/* Arrays have no coordinate system, and no option sets one. */
static gv_status fail_array(gv_io *io, const gv_search_run *run, const gv_search_points *s) {
  return gv_io_fail(
      io, GV_ERROR_INVALID_ARGUMENT,
      "%s: --metric %s: missing coordinate system; use a layer with one, or the columns lon and lat", s->path,
      gv_metric_name(run->metric));
}

/* Distances on the globe and to lines and polygons are two-dimensional. */
static gv_status check_heights(gv_io *io, const gv_search_run *run, const gv_search_points *s) {
  char what[64] = "to lines and polygons";
  if (s->seeds.z == NULL && s->source->z == NULL) return GV_OK;
  if (gv_metric_on_globe(run->metric))
    snprintf(what, sizeof what, "by the metric %s", gv_metric_name(run->metric));
  GV_REQUIRE(io, s->source->z == NULL, "--z: unsupported for distances %s", what);
  gv_io_warn(GV_CODE_HEIGHTS_UNUSED, 0, "%s: z is not used; it is unsupported for distances %s", s->path,
             what);
  return GV_OK;
}

/* Transforms a layer of queries or barriers on the plane to the reference's coordinate system. Either both
 * layers have a coordinate system or neither. */
static gv_status search_job_align(gv_io *io, gv_search_run *run, gv_search_points *q) {
  gv_search_points *reference = &run->reference;
  gv_operation *operation = NULL;
  if ((reference->seeds.crs == NULL) != (q->seeds.crs == NULL)) {
    const gv_search_points *without = reference->seeds.crs == NULL ? reference : q;
    const gv_search_points *with = without == q ? reference : q;
    char name[256];
    gv_crs_describe(with->seeds.crs, name, sizeof name);
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: missing coordinate system, but %s is in %s; use %s",
                      without->path, with->path, name, without->crs_option);
  }
  if (gv_metric_on_globe(run->metric) || q->seeds.crs == NULL ||
      gv_crs_same(q->seeds.crs, reference->seeds.crs))
    return GV_OK;
  gv_status status = gv_operation_between(io, q->seeds.crs, reference->seeds.crs, q->seeds.x, q->seeds.y,
                                          q->seeds.count, &operation);
  if (status == GV_OK)
    status = gv_seeds_transform_shapes(io, &q->seeds, operation, reference->seeds.crs, false, 1.0);
  if (status == GV_OK) status = gv_seeds_transform(io, &q->seeds, operation, false, 1.0);
  gv_operation_destroy(operation);
  return gv_io_of_option(io, status, q->option);
}

/* Chooses the metric, by the rule of rasters, and checks what depends on it. */
static gv_status choose_metric(gv_io *io, gv_search_run *run) {
  const gv_search_job *j = run->job;
  const gv_search_points *reference = &run->reference, *q = run->q;
  char places[4096];
  snprintf(places, sizeof places, "%s has", reference->path);
  gv_metric_request request = {.crs = reference->seeds.crs,
                               .requested = j->has_metric,
                               .metric = j->metric,
                               .places = places,
                               .remedy = reference->crs_option};
  if (reference->array != NULL && j->has_metric && gv_metric_on_globe(j->metric))
    return fail_array(io, run, reference);
  if (j->has_metric && (j->metric == GV_COSINE || j->metric == GV_INNER_PRODUCT)) {
    GV_REQUIRE(io, reference->array != NULL && (q == NULL || q->array != NULL),
               "--metric %s: unsupported for layers (%s); use arrays of vectors", gv_metric_name(j->metric),
               reference->array == NULL ? reference->path : q->path);
  }
  GV_TRY(gv_metric_choose(io, &request, &run->metric));
  bool globe = gv_metric_on_globe(run->metric), flat = globe || reference->seeds.shapes != NULL;
  run->report->metric = run->metric;
  run->report->metric_reason = gv_metric_reason(&request);
  gv_crs_describe(reference->seeds.crs, run->report->crs, sizeof run->report->crs);
  GV_TRY(gv_length_as_distance(io, j->by_radius ? "--radius" : "--max-distance", &j->max_distance, globe,
                               reference->seeds.crs, &run->max_distance));
  if (flat) GV_TRY(check_heights(io, run, reference));
  if (flat && q != NULL) GV_TRY(check_heights(io, run, q));
  if (reference->array == NULL && !globe)
    gv_seeds_warn_of_degrees(&reference->seeds, places, reference->crs_option);
  return globe && q != NULL && q->array != NULL ? fail_array(io, run, q) : GV_OK;
}

/* No output may be a file of an input, nor two of them one file. */
static gv_status check_files(gv_io *io, const gv_search_job *j, gv_inputs *inputs) {
  const char *const outputs[] = {j->out, j->distances, j->nearest, j->offsets};
  for (int i = 0; i < 4; i++) {
    if (gv_inputs_find(inputs, outputs[i]) != NULL) {
      return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                           "output %s is an input, too; use another name", outputs[i]);
    }
    for (int other = 0; other < i; other++)
      GV_REQUIRE(io, !gv_same_file(outputs[other], outputs[i]), "outputs: two have the same name (%s)",
                 outputs[i]);
  }
  return GV_OK;
}

/* Checks and describes a table of neighbors before the search starts. */
static gv_status plan_table(gv_io *io, gv_search_run *run) {
  const gv_search_job *j = run->job;
  const gv_search_points *reference = &run->reference, *q = run->q != NULL ? run->q : reference;
  gv_neighbor_content *c = &run->results.content;
  GV_REQUIRE(io, q->array == NULL && reference->array == NULL,
             "%s: unsupported table of an array; use .npy or plain .csv",
             q->array != NULL ? q->path : reference->path);
  c->queries = (gv_neighbor_side){&q->layer,
                                  &q->seeds,
                                  q != reference ? "--query-id" : "--id",
                                  q->source->id,
                                  q != reference ? "--query-keep" : "--keep",
                                  q->source->keep};
  c->references = (gv_neighbor_side){&reference->layer,     &reference->seeds, "--id",
                                     reference->source->id, "--keep",          reference->source->keep};
  c->lines = j->lines;
  c->k = j->k;
  c->globe = gv_metric_on_globe(run->metric);
  if (c->globe) GV_TRY(gv_crs_ellipsoid(io, reference->seeds.crs, &c->semi_major, &c->flattening));
  if (c->globe && run->metric == GV_GREAT_CIRCLE) c->flattening = 0.0;
  if (reference->seeds.crs != NULL) {
    if (c->globe) {
      GV_TRY(gv_crs_geographic(io, reference->seeds.crs, &c->crs));
      c->unit = gv_crs_unit_degrees(c->crs);
    } else {
      c->crs = OSRClone(reference->seeds.crs);
      if (c->crs == NULL) return gv_io_fail_memory(io, "a coordinate system");
      OSRSetAxisMappingStrategy(c->crs, OAMS_TRADITIONAL_GIS_ORDER);
    }
  }
  return gv_table_plan(io, "OUT", j->out, "neighbours", j->overwrite, &run->results.table);
}

/* -------------------------------------------------------------------------------------------------- steps */

/* Lists the inputs and checks the outputs against them. */
static gv_status list_inputs(gv_io *io, gv_search_run *run, gv_inputs *inputs) {
  gv_search_points *const both[] = {&run->reference, run->q};
  bool globe = run->job->has_metric && gv_metric_on_globe(run->job->metric);
  for (int i = 0; i < 2 && both[i] != NULL; i++) {
    const gv_search_source *o = both[i]->source;
    GV_TRY(gv_search_points_find_kind(io, both[i], globe));
    unsigned kind = o->path == NULL ? GDAL_OF_RASTER : both[i]->is_layer ? GDAL_OF_VECTOR : 0;
    GV_TRY(gv_inputs_add(io, inputs, (gv_input){both[i]->path, kind, o->layer, o->open_options, NULL}));
  }
  const gv_job_barriers *b = &run->job->barriers;
  if (b->path != NULL)
    GV_TRY(gv_inputs_add(io, inputs, (gv_input){b->path, GDAL_OF_VECTOR, b->layer, b->open_options, NULL}));
  return check_files(io, run->job, inputs);
}

/* Opens the inputs and creates the outputs. */
static gv_status search_job_prepare(gv_io *io, gv_search_run *run, gv_inputs *inputs) {
  gv_search_points *q = run->q;
  GV_TRY(list_inputs(io, run, inputs));
  GV_TRY(gv_search_points_open(io, run, &run->reference));
  if (q != NULL) GV_TRY(gv_search_points_open(io, run, q));
  GV_TRY(check_shapes(io, run));
  if (run->job->barriers.path != NULL) GV_TRY(gv_search_barriers_open(io, run));
  GV_TRY(choose_metric(io, run));
  if (q != NULL && q->array == NULL && run->reference.array == NULL) GV_TRY(search_job_align(io, run, q));
  if (run->barriers.seeds.count > 0) GV_TRY(search_job_align(io, run, &run->barriers));
  if (!run->first) return GV_OK;
  return run->output == GV_SEARCH_TABLE ? plan_table(io, run) : gv_search_results_create(io, run);
}

/* Either all ranks continue or none. */
static gv_status search_job_search(gv_io *io, gv_search_run *run, gv_inputs *inputs) {
  GV_TRY(gv_cluster_agree(io, run->communicator, search_job_prepare(io, run, inputs)));
  if (run->job->barriers.path != NULL) {
    GV_TRY(gv_search_barriers_build(io, run));
    return gv_search_barriers_rounds(io, run);
  }
  GV_TRY(gv_cluster_agree(io, run->communicator, gv_search_build(io, run)));
  return run->job->by_radius ? gv_search_radius_rounds(io, run) : gv_search_rounds(io, run);
}

/* Warns of points that were left out, and returns their number. */
static int64_t skipped_points(gv_search_points *s, int64_t used) {
  const char *first = s->seeds.skipped_first;
  int64_t skipped = s->array != NULL ? gv_array_skipped(s->array, &first) : s->seeds.skipped;
  gv_warn_of_skipped(s->path, "points", skipped, used, first);
  return skipped;
}

static gv_status search_job_run_stages(gv_io *io, gv_search_run *run) {
  gv_search_report *report = run->report;
  gv_search_results *r = &run->results;
  gv_inputs inputs = {0};
  gv_status status = search_job_search(io, run, &inputs);
  report->references.left_out = skipped_points(&run->reference, report->references.used) + run->unused;
  const gv_seed_list *barriers = &run->barriers.seeds;
  gv_warn_of_skipped(run->barriers.option, "lines or polygons", barriers->skipped, barriers->count,
                     barriers->skipped_first);
  report->queries.used = r->queries;
  report->queries.left_out =
      run->q != NULL ? skipped_points(run->q, r->queries) : report->references.left_out;
  report->missing = r->missing;
  report->by_radius = run->job->by_radius;
  report->pairs = r->pairs;
  if (status == GV_OK && run->first) status = gv_search_results_finish(io, run, &inputs);
  if (status == GV_OK && run->first && run->job->progress != NULL)
    (void)run->job->progress(1.0, run->job->progress_user);
  gv_search_results_free(r);
  gv_inputs_free(&inputs);
  gv_index_destroy(run->index);
  gv_barriers_destroy(run->ways);
  gv_search_points_close(&run->barriers);
  gv_search_points_close(&run->reference);
  gv_search_points_close(&run->queries);
  gv_search_points_close(&run->again);
  return status;
}

/* For the library's progress and cancellation. */
typedef struct watcher {
  const gv_io *io;
  const gv_search_run *run;
} watcher;

static int search_job_go_on(double fraction, void *user) {
  const watcher *w = user;
  const gv_search_run *run = w->run;
  const gv_search_job *j = run->job;
  double whole = run->bar_from + (run->bar_to - run->bar_from) * fraction;
  bool stopped = run->first && j->progress != NULL && j->progress(whole, j->progress_user) == 0;
  return !stopped && !gv_io_cancelled(w->io);
}

gv_status gv_search_job_run(gv_io *io, const gv_search_job *job, const gv_cluster *communicator,
                            gv_search_report *report) {
  const char *reference = job->reference.path != NULL ? job->reference.path : job->raster.source;
  gv_search_run run = {
      .job = job,
      .output = gv_search_job_output(job),
      .communicator = communicator,
      .report = report,
      .first = communicator == NULL || communicator->all.rank == 0,
      .metric = job->metric,
      .reference = gv_search_points_of(&job->reference, reference, false),
      .queries = gv_search_points_of(&job->query, job->query.path, true),
      .again = {.seeds = GV_SEED_LIST_INIT},
      .barriers = {.path = job->barriers.path, .option = "--barriers", .seeds = GV_SEED_LIST_INIT},
      .bar_to = GV_SEARCH_BUILD_SHARE};
  watcher watch = {io, &run};
  io->memory = job->memory > 0 ? job->memory : gv_budget_default();
  gv_context_options options;
  gv_context_options_init(&options);
  run.q = job->query.path != NULL ? &run.queries : NULL;
  options.threads = job->threads == 0 && communicator != NULL ? communicator->threads : job->threads;
  options.device = communicator != NULL ? gv_cluster_device(communicator, job->device) : job->device;
  options.progress = search_job_go_on;
  options.progress_user = &watch;
  if (gv_context_create(&options, &run.context) != GV_OK) return gv_io_fail_memory(io, "the search");
  *report = (gv_search_report){.dimensions = 2,
                               .k = job->k,
                               .requested_backend = job->backend,
                               .threads = gv_context_threads(run.context)};
  gv_status status = search_job_run_stages(io, &run);
  gv_context_destroy(run.context);
  return status;
}
