/* The steps of a diagram: seeds, metric, positions, the library's diagram, the layer. */
#include "job/diagram/diagram_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/crs/metric.h"
#include "job/diagram/windows.h"
#include "job/raster/plan/budget.h"

/* For progress and cancellation: the library's part of the work, and that of writing. */
typedef struct diagram_watcher {
  const gv_io *io;
  const gv_diagram_job *job;
  double from, to;
} diagram_watcher;

static int diagram_go_on(double fraction, void *user) {
  const diagram_watcher *w = user;
  double share = w->from + fraction * (w->to - w->from);
  bool stopped = w->job->progress != NULL && w->job->progress(share, w->job->progress_user) == 0;
  return !stopped && !gv_io_cancelled(w->io);
}

typedef struct diagram_run {
  const gv_diagram_job *job;
  gv_diagram_report *report;
  gv_seed_options source; /* the job's; ids are those of --group */
  gv_seed_list seeds;
  OGRSpatialReferenceH requested, crs; /* that of --crs, NULL: none; that of the layer */
  OGRSpatialReferenceH degrees;        /* globe: longitudes and latitudes of the lines */
  gv_operation *operation, *inverse;   /* between them and the layer's system; NULL: the same */
  gv_writer out;
  gv_inputs inputs;
  gv_context *context;
  diagram_watcher *watcher; /* of the context */
  gv_diagram *diagram;
  gv_diagram_parts parts;
  gv_diagram_content content;
  double *area, *turned; /* turned: longitudes from the map's center */
} diagram_run;

static gv_status diagram_check_files(gv_io *io, diagram_run *run) {
  const gv_diagram_job *j = run->job;
  gv_input seeds = {j->seeds.source, GDAL_OF_VECTOR, j->seeds.layer, j->seeds.open_options, NULL};
  gv_input mask = {j->mask, GDAL_OF_VECTOR, j->mask_layer, NULL, NULL};
  GV_TRY(gv_inputs_add(io, &run->inputs, seeds));
  GV_TRY(gv_inputs_add(io, &run->inputs, mask));
  if (gv_inputs_find(&run->inputs, j->out) != NULL)
    return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                         "output %s is an input, too; use another name", j->out);
  return gv_layer_plan(io, &run->out, "OUT", j->out,
                       j->delaunay     ? "delaunay"
                       : j->edges_only ? "edges"
                                       : "cells",
                       j->overwrite);
}

/* The seeds' own positions, or in the system of --crs where distances are measured in that. */
static gv_status diagram_place_on_plane(gv_io *io, diagram_run *run) {
  gv_seed_list *seeds = &run->seeds;
  gv_operation *operation = NULL;
  OGRSpatialReferenceH crs = run->requested != NULL ? run->requested : seeds->crs;
  if (run->requested == NULL || gv_crs_same(seeds->crs, run->requested)) {
    if (crs == NULL) gv_seeds_warn_of_degrees(seeds, "the seeds have", "--seeds-crs");
  } else {
    gv_status status =
        gv_operation_between(io, seeds->crs, run->requested, seeds->x, seeds->y, seeds->count, &operation);
    if (status == GV_OK) status = gv_seeds_transform(io, seeds, operation, false, 1.0);
    gv_operation_destroy(operation);
    GV_TRY(gv_io_of_option(io, status, "seeds"));
  }
  run->crs = crs != NULL ? OSRClone(crs) : NULL;
  if (crs != NULL && run->crs == NULL) return gv_io_fail_memory(io, "a coordinate system");
  run->content.crs = run->crs;
  if (crs == NULL || !OSRIsProjected(crs)) return GV_OK;
  double meter = OSRGetLinearUnits(crs, NULL);
  run->content.square_meter = meter * meter;
  return GV_OK;
}

/* Longitudes and latitudes; lines are drawn on the map of the layer's system afterwards. */
static gv_status diagram_place_on_globe(gv_io *io, diagram_run *run) {
  gv_seed_list *seeds = &run->seeds;
  gv_diagram_content *c = &run->content;
  OGRSpatialReferenceH globe = run->requested != NULL ? run->requested : seeds->crs;
  gv_operation *operation = NULL;
  double scale = 1.0;
  gv_status status = GV_OK;
  if (gv_crs_is_lonlat(globe) && gv_crs_same(seeds->crs, globe)) {
    scale = gv_crs_unit_degrees(globe);
  } else {
    status = gv_operation_to_globe(io, seeds->crs, globe, seeds->x, seeds->y, seeds->count, &operation);
  }
  if (status == GV_OK) status = gv_seeds_transform(io, seeds, operation, true, scale);
  gv_operation_destroy(operation);
  GV_TRY(gv_io_of_option(io, status, "seeds"));
  GV_TRY(gv_crs_ellipsoid(io, globe, &c->semi_major, &c->flattening));
  GV_TRY(gv_crs_degrees(io, globe, &run->degrees));
  c->globe = true;
  c->square_meter = 1.0;
  run->crs = OSRClone(globe);
  if (run->crs == NULL) return gv_io_fail_memory(io, "a coordinate system");
  c->crs = run->crs;
  if (!gv_crs_same(run->degrees, globe)) {
    GV_TRY(gv_operation_between(io, run->degrees, globe, NULL, NULL, 0, &run->operation));
    GV_TRY(gv_operation_between(io, globe, run->degrees, NULL, NULL, 0, &run->inverse));
  }
  c->tolerance = 0.5 * run->job->tolerance;
  return gv_map_examine(io, globe, run->operation, run->inverse, &c->map);
}

static gv_status diagram_read(gv_io *io, diagram_run *run) {
  const gv_diagram_job *j = run->job;
  gv_diagram_report *r = run->report;
  if (j->crs != NULL) GV_TRY(gv_crs_parse(io, j->crs, "--crs", &run->requested));
  GV_TRY(gv_seeds_read(io, &run->source, &run->seeds));
  GV_TRY(gv_seeds_require_some(io, &run->seeds));
  if (run->seeds.shapes != NULL)
    return gv_io_fail(
        io, GV_ERROR_UNSUPPORTED,
        "%s: lines and polygons are unsupported as seeds of a diagram; use the raster's: gpuvoronoi "
        "--seeds %s --polygons FILE",
        j->seeds.source, j->seeds.source);
  if (run->requested != NULL && run->seeds.crs == NULL)
    return gv_io_fail_as(io, GV_CODE_CRS_MISSING, GV_ERROR_INVALID_ARGUMENT,
                         "--crs: missing coordinate system of %s; use --seeds-crs", j->seeds.source);
  gv_metric_request request = {.crs = run->requested != NULL ? run->requested : run->seeds.crs,
                               .requested = j->has_metric,
                               .metric = j->metric,
                               .places = "the seeds have",
                               .remedy = "--seeds-crs"};
  GV_TRY(gv_crs_require_map(io, request.crs, "a diagram"));
  GV_TRY(gv_metric_choose(io, &request, &r->metric));
  r->metric_reason = gv_metric_reason(&request);
  GV_TRY(gv_metric_on_globe(r->metric) ? diagram_place_on_globe(io, run) : diagram_place_on_plane(io, run));
  gv_crs_describe(run->crs, r->crs, sizeof r->crs);
  gv_warn_of_skipped(j->seeds.source, "points", run->seeds.skipped, run->seeds.count,
                     run->seeds.skipped_first);
  return gv_seeds_require_some(io, &run->seeds);
}

/* Around all seeds, so far that nearly all common borders of cells are within. */
static void diagram_extend(const gv_seed_list *seeds, double extent[4]) {
  static const double times = 1000.0;
  double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (int64_t i = 0; i < seeds->count; i++) {
    box[0] = fmin(box[0], seeds->x[i]);
    box[1] = fmin(box[1], seeds->y[i]);
    box[2] = fmax(box[2], seeds->x[i]);
    box[3] = fmax(box[3], seeds->y[i]);
  }
  double margin = times * fmax(box[2] - box[0], box[3] - box[1]);
  for (int i = 0; i < 4 && margin > 0.0; i++)
    extent[i] = i < 2 ? box[i] - margin : box[i] + margin;
}

/*
 * How many points the lines of a cell have: those of seeds that are evenly spread over the globe, which have
 * the longest borders. A border of length L that bends by 1 / R is within the tolerance of a line where L^2 /
 * (8 R) is within six tenths of it (diagram/trace.h).
 */
static double diagram_points_a_seed(const diagram_run *run, double tolerance) {
  const gv_diagram_content *c = &run->content;
  if (!c->globe) return 0.0;
  double radius = c->semi_major, length = 0.6 * radius * sqrt(4.0 * M_PI / (double)run->seeds.count);
  return 3.0 * (1.0 + length / sqrt(4.8 * radius * tolerance));
}

/*
 * Memory is checked against an estimate. Measured of the command, less 45 MB of the program, as bytes a seed,
 * with a tolerance of 1 m: on the plane 870 (10^5 seeds; FlatGeobuf 1,050) and 690 (10^6), on the ellipsoid
 * 1,470 (1,840) and 870; with 0.01 m 10,500 for 10^5.
 */
static gv_status diagram_check_memory(gv_io *io, const diagram_run *run, double tolerance) {
  static const double seed_bytes = 1100.0, point_bytes = 45.0;
  double needed =
      (double)run->seeds.count * (seed_bytes + point_bytes * diagram_points_a_seed(run, tolerance));
  int64_t bytes = needed < 1e18 ? (int64_t)needed : INT64_C(1000000000000000000);
  if (run->job->memory == 0 || bytes <= run->job->memory) return GV_OK;
  return gv_io_fail_as(io, GV_CODE_MEMORY, GV_ERROR_OUT_OF_MEMORY,
                       "--memory: too small for a diagram of %" PRId64 " seeds; use at least %" PRId64 "M",
                       run->seeds.count, (bytes + 999999) / 1000000);
}

/* Of the lines of the library: half of it is left for those on a map. */
static double diagram_tolerance(const diagram_run *run) {
  const gv_diagram_content *c = &run->content;
  return c->map.operation != NULL && !c->map.lonlat ? c->tolerance : run->job->tolerance;
}

static gv_status diagram_make(gv_io *io, diagram_run *run) {
  const gv_diagram_job *j = run->job;
  gv_diagram_content *c = &run->content;
  gv_diagram_options options;
  gv_diagram_options_init(&options);
  options.metric = run->report->metric;
  options.tolerance = diagram_tolerance(run);
  options.semi_major = c->semi_major;
  options.flattening = c->flattening;
  if (!c->globe && j->has_extent) memcpy(options.extent, j->extent, sizeof options.extent);
  if (!c->globe && !j->has_extent && j->delaunay) diagram_extend(&run->seeds, options.extent);
  const gv_points points = gv_points_xy(run->seeds.x, run->seeds.y, run->seeds.count);
  gv_diagram_parts_init(&run->parts);
  gv_status status = gv_diagram_create(run->context, &points, &options, &run->diagram);
  if (status == GV_OK) status = gv_diagram_get(run->context, run->diagram, &run->parts);
  if (status == GV_OK) {
    run->area = malloc((size_t)run->seeds.count * sizeof *run->area);
    if (run->area == NULL) return gv_io_fail_memory(io, "the areas");
    run->watcher->from = run->watcher->to;
    run->watcher->to = 0.7;
    status = gv_diagram_areas(run->context, run->diagram, run->area);
  }
  GV_TRY(gv_io_pass_on_library(io, run->context, status));
  run->report->places = run->parts.place_count;
  run->report->edges = run->parts.edge_count;
  run->report->unverified = run->parts.unverified;
  if (run->parts.unverified > 0)
    gv_io_warn(GV_CODE_ACCURACY, run->parts.unverified,
               "%" PRId64
               " corners or borders of cells are not verified; they are near the antipodes of the seeds, "
               "with errors of up to 250 km",
               run->parts.unverified);
  return GV_OK;
}

/* Longitudes of lines from the map's center: cells are cut where the map is. */
static gv_status diagram_turn(gv_io *io, diagram_run *run) {
  gv_diagram_parts *p = &run->parts;
  double center = run->content.map.center;
  int64_t count = p->line[p->edge_count];
  if (!run->content.globe || center == 0.0) return GV_OK;
  run->turned = malloc((size_t)(count + 1) * sizeof *run->turned);
  if (run->turned == NULL) return gv_io_fail_memory(io, "the lines");
  for (int64_t i = 0; i < count; i++) {
    double x = p->line_x[i] - center;
    run->turned[i] = x > 180.0 ? x - 360.0 : x <= -180.0 ? x + 360.0 : x;
  }
  p->line_x = run->turned;
  return GV_OK;
}

static gv_status diagram_write(gv_io *io, diagram_run *run) {
  const gv_diagram_job *j = run->job;
  gv_diagram_content *c = &run->content;
  gv_place *place = &run->out.place;
  c->layer = j->delaunay ? GV_DIAGRAM_DELAUNAY : j->edges_only ? GV_DIAGRAM_EDGES : GV_DIAGRAM_CELLS;
  c->context = run->context;
  c->parts = &run->parts;
  c->area = run->area;
  c->source = &run->source;
  c->grouped = j->group != NULL;
  c->seeds = &run->seeds;
  c->crs = run->crs;
  GV_TRY(diagram_turn(io, run));
  c->cut = !j->no_cut || c->grouped || c->map.operation != NULL || c->region != NULL;
  GV_TRY(gv_diagram_write(io, &run->out, c, &run->report->features));
  run->report->lines = c->layer != GV_DIAGRAM_CELLS;
  gv_crs_warn_of_deprecated(run->crs);
  if (run->report->features == 0)
    gv_io_warn(GV_CODE_CELLS_EMPTY, run->seeds.count, "OUT has no features: %s",
               j->mask != NULL && j->has_extent ? "no cell is within --mask and --extent"
               : j->mask != NULL                ? "no cell is within --mask"
               : j->has_extent                  ? "no cell is within --extent"
                                                : "the seeds have no borders");
  return gv_places_commit(io, &place, 1, &run->inputs, j->sync);
}

static gv_status diagram_run_stages(gv_io *io, diagram_run *run) {
  GV_TRY(diagram_check_files(io, run));
  GV_TRY(diagram_read(io, run));
  GV_TRY(run->content.globe ? gv_diagram_windows_globe(io, run->job, &run->seeds, run->degrees, &run->content)
                            : gv_diagram_windows_plane(io, run->job, &run->seeds, &run->content));
  GV_TRY(diagram_check_memory(io, run, diagram_tolerance(run)));
  GV_TRY(diagram_make(io, run));
  return diagram_write(io, run);
}

gv_status gv_diagram_job_run(gv_io *io, const gv_diagram_job *job, gv_diagram_report *report) {
  diagram_run run = {.job = job, .report = report, .source = job->seeds, .seeds = GV_SEED_LIST_INIT};
  if (job->group != NULL) run.source.id_field = job->group;
  if (job->group != NULL) run.source.id_option = "--group";
  run.source.keep_texts = !job->edges_only && !job->delaunay;
  diagram_watcher watcher = {io, job, 0.0, 0.5}, writing = {io, job, 0.7, 1.0};
  run.watcher = &watcher;
  run.content.progress = diagram_go_on;
  run.content.progress_user = &writing;
  io->memory = job->memory > 0 ? job->memory : gv_budget_default();
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = job->threads;
  options.progress = diagram_go_on;
  options.progress_user = &watcher;
  if (gv_context_create(&options, &run.context) != GV_OK) return gv_io_fail_memory(io, "the diagram");
  *report = (gv_diagram_report){.threads = gv_context_threads(run.context)};
  gv_status status = diagram_run_stages(io, &run);
  report->seeds = run.seeds.count;
  report->left_out = run.seeds.skipped;
  gv_diagram_destroy(run.diagram);
  gv_context_destroy(run.context);
  gv_writer_abandon(&run.out);
  gv_inputs_free(&run.inputs);
  gv_operation_destroy(run.operation);
  gv_operation_destroy(run.inverse);
  gv_window_free(run.content.region);
  gv_window_free(run.content.within);
  if (run.degrees != NULL) OSRRelease(run.degrees);
  if (run.requested != NULL) OSRRelease(run.requested);
  if (run.crs != NULL) OSRRelease(run.crs);
  gv_seeds_free(&run.seeds);
  free(run.area);
  free(run.turned);
  return status;
}
