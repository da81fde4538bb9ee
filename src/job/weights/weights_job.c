/*
 * The steps of weights: the cells of both sides, the source's as points, the nearest of them to each cell of
 * the target, the file. The number of weights must be known when the file is made: unless each cell has as
 * many, the target is searched twice.
 */
#include "job/weights/weights_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cells/facts.h"
#include "gpuvoronoi/weights.h"
#include "io/crs/crs.h"
#include "io/in/input_limit.h"
#include "io/inputs.h"
#include "io/parallel.h"
#include "job/raster/plan/budget.h"
#include "job/weights/weights_file.h"

/* One thread's share. */
typedef struct weights_worker {
  gv_weights_block block;
  int32_t *seed;    /* k for each cell, band by band */
  double *distance; /* then weights */
  int64_t *row, *col;
  double *weight;
  bool *reached;
  int64_t found; /* weights of the block */
} weights_worker;

typedef struct weights_run {
  const gv_weights_job *job;
  gv_weights_report *report;
  gv_context *context;
  gv_weights_side side[GV_WEIGHTS_SIDES];
  gv_seed_list from; /* the source's cells as points of the target's coordinates; fids are their numbers */
  gv_voronoi *voronoi;
  gv_writer out;
  gv_weights_file file;
  gv_inputs inputs;
  weights_worker *workers;
  int threads, k; /* k: neighbors that there are */
  double max_distance;
  double done, part; /* progress: before this pass, and of it */
  /* Of a pass: */
  int now;       /* the side */
  int64_t first; /* block of the round */
  atomic_llong count;
} weights_run;

static int weights_go_on(double fraction, void *user) {
  const weights_run *run = user;
  const gv_weights_job *j = run->job;
  return j->progress == NULL || j->progress(run->done + run->part * fraction, j->progress_user) != 0;
}

/* ------------------------------------------------------------------------------------------------ threads */

static gv_status weights_make_worker(gv_io *io, const weights_run *run, weights_worker *w) {
  const size_t cells = GV_WEIGHTS_BLOCK, all = cells * (size_t)run->job->k;
  gv_weights_block *b = &w->block;
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = 1;
  options.device = run->job->device;
  options.progress = gv_io_go_on;
  options.progress_user = io;
  if (gv_context_create(&options, &b->context) != GV_OK) return gv_io_fail_memory(io, "the cells");
  b->lon = malloc(4 * cells * sizeof *b->lon);
  b->valid = malloc(cells);
  w->reached = malloc(cells * sizeof *w->reached);
  w->seed = malloc(all * sizeof *w->seed);
  w->distance = malloc(2 * all * sizeof *w->distance);
  w->row = malloc(2 * all * sizeof *w->row);
  if (b->lon == NULL || b->valid == NULL || w->reached == NULL || w->seed == NULL || w->distance == NULL ||
      w->row == NULL)
    return gv_io_fail_memory(io, "the cells");
  b->lat = b->lon + cells;
  b->area = b->lat + cells;
  b->values = b->area + cells;
  w->weight = w->distance + all;
  w->col = w->row + all;
  return GV_OK;
}

static void weights_free_worker(weights_worker *w) {
  gv_context_destroy(w->block.context);
  free(w->block.lon);
  free(w->block.valid);
  free(w->reached);
  free(w->seed);
  free(w->distance);
  free(w->row);
}

/* Blocks by all threads, and what follows of each in order; `follow` may be NULL. */
typedef gv_status weights_follow(gv_io *io, weights_run *run, weights_worker *w);

static gv_status weights_pass(gv_io *io, weights_run *run, int side, double share, gv_io_loop_body *body,
                              weights_follow *follow) {
  const int64_t blocks = gv_weights_side_blocks(&run->side[side]);
  run->now = side;
  run->part = share;
  for (run->first = 0; run->first < blocks; run->first += run->threads) {
    const int64_t rest = blocks - run->first, count = rest < run->threads ? rest : run->threads;
    gv_io_loop loop = {.threads = run->threads, .count = count, .grain = 1, .user = run};
    GV_TRY(gv_io_parallel_for(io, &loop, body));
    for (int64_t i = 0; i < count && follow != NULL; i++)
      GV_TRY(follow(io, run, &run->workers[i]));
    if (weights_go_on((double)(run->first + count) / (double)blocks, run) == 0)
      return gv_io_fail_cancelled(io);
  }
  run->done += share;
  return GV_OK;
}

/* --------------------------------------------------------------------------------------------- the source */

static gv_status weights_read_some(gv_io *io, void *user, int number, int64_t first, int64_t end) {
  weights_run *run = user;
  for (int64_t i = first; i < end; i++)
    GV_TRY(gv_weights_side_block(io, &run->side[run->now], number, run->first + i, &run->workers[i].block));
  return GV_OK;
}

/* Adds the cells of a block that have a position and a value. */
static gv_status weights_add_source(gv_io *io, weights_run *run, weights_worker *w) {
  gv_seed_list *from = &run->from;
  (void)io;
  for (int64_t i = 0; i < w->block.count; i++) {
    if (!isfinite(w->block.lon[i])) continue;
    from->x[from->count] = w->block.lon[i];
    from->y[from->count] = w->block.lat[i];
    from->ids[from->count] = from->fids[from->count] = w->block.first + i;
    from->rows[from->count] = w->block.first + i + 1;
    from->count++;
  }
  return GV_OK;
}

/* The source's cells as points, in the target's coordinate system. */
static gv_status weights_read_source(gv_io *io, weights_run *run) {
  const gv_weights_side *s = &run->side[GV_WEIGHTS_A];
  gv_seed_list *from = &run->from;
  const size_t count = (size_t)s->count;
  GV_REQUIRE(io, s->count <= INT32_MAX, "--source: too many cells (%" PRId64 "); at most %d are supported",
             s->count, INT32_MAX);
  GV_TRY(gv_input_fits(io, &(gv_input_data){s->option, s->path, "cells", s->count, GV_BYTES_A_SEED}));
  from->x = malloc(count * sizeof *from->x);
  from->y = malloc(count * sizeof *from->y);
  from->ids = malloc(count * sizeof *from->ids);
  from->rows = malloc(count * sizeof *from->rows);
  from->fids = malloc(count * sizeof *from->fids);
  if (from->x == NULL || from->y == NULL || from->ids == NULL || from->rows == NULL || from->fids == NULL)
    return gv_io_fail_memory(io, "the cells");
  from->skip_invalid = true;
  GV_TRY(weights_pass(io, run, GV_WEIGHTS_A, 0.1, weights_read_some, weights_add_source));
  run->report->unused = s->count - from->count;
  if (from->count == 0)
    return gv_io_name(io, GV_CODE_SEEDS_NONE,
                      gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                                 "--source: %s: no cell has a value and a position", s->path));
  GV_TRY(gv_crs_degrees(io, gv_raster_grid_globe(&s->grid), &from->crs));
  return gv_io_of_option(io, gv_raster_grid_transform(io, &run->side[GV_WEIGHTS_B].grid, from), "--source");
}

/* --------------------------------------------------------------------------------------------- the search */

static gv_status weights_prepare_search(gv_io *io, weights_run *run) {
  const gv_weights_job *j = run->job;
  const gv_weights_side *target = &run->side[GV_WEIGHTS_B];
  const gv_points points = gv_points_xy(run->from.x, run->from.y, run->from.count);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  run->k = run->from.count < j->k ? (int)run->from.count : j->k;
  options.backend = j->backend;
  options.metric = j->metric;
  options.k = run->k;
  options.max_distance = run->max_distance;
  options.block_width = GV_WEIGHTS_BLOCK;
  if (target->grid.grid.width < GV_WEIGHTS_BLOCK) options.block_width = (int32_t)target->grid.grid.width;
  options.block_height = GV_WEIGHTS_BLOCK / options.block_width;
  GV_TRY(gv_io_pass_on_library(
      io, run->context,
      gv_voronoi_create(run->context, &target->grid.grid, &points, &options, &run->voronoi)));
  run->report->backend = gv_voronoi_backend(run->voronoi);
  return GV_OK;
}

/* The nearest of the source of each cell of a block. */
static gv_status weights_find(gv_io *io, const weights_run *run, weights_worker *w) {
  gv_weights_block *b = &w->block;
  gv_labels labels;
  gv_labels_init(&labels);
  labels.column = b->x;
  labels.row = b->y;
  labels.columns = b->w;
  labels.rows = b->h;
  labels.out = w->seed;
  labels.stride = b->w;
  labels.band_stride = b->count;
  GV_TRY(gv_io_pass_on_library(io, b->context, gv_voronoi_fill(b->context, run->voronoi, &labels, NULL)));
  w->found = 0;
  for (int64_t i = 0; i < run->k * b->count; i++)
    w->found += w->seed[i] >= 0;
  return GV_OK;
}

/* Shares of the neighbors of each cell. */
static gv_status weights_weigh(gv_io *io, const weights_run *run, weights_worker *w) {
  gv_weights_block *b = &w->block;
  gv_measure measure;
  gv_measure_init(&measure);
  measure.column = b->x;
  measure.row = b->y;
  measure.columns = b->w;
  measure.rows = b->h;
  measure.seed = w->seed;
  measure.bands = run->k;
  measure.type = GV_FLOAT64;
  measure.distance = w->distance;
  measure.stride = measure.out_stride = b->w;
  measure.band_stride = measure.out_band_stride = b->count;
  gv_status status = gv_voronoi_measure(b->context, run->voronoi, &measure);
  if (status == GV_OK)
    status =
        gv_inverse_distance_weights(b->context, w->distance, b->count, run->k, run->job->power, w->distance);
  return gv_io_pass_on_library(io, b->context, status);
}

/* The weights of a block as the file has them: by row, nearest first. */
static void weights_list(const weights_run *run, weights_worker *w) {
  const gv_weights_block *b = &w->block;
  int64_t at = 0;
  for (int64_t i = 0; i < b->count; i++) {
    w->reached[i] = w->seed[i] >= 0;
    for (int64_t j = i; j < run->k * b->count; j += b->count) {
      if (w->seed[j] < 0) continue;
      w->row[at] = b->first + i + 1;
      w->col[at] = run->from.fids[w->seed[j]] + 1;
      w->weight[at++] = run->job->k > 1 ? w->distance[j] : 1.0;
    }
  }
}

static gv_status weights_count_some(gv_io *io, void *user, int number, int64_t first, int64_t end) {
  weights_run *run = user;
  for (int64_t i = first; i < end; i++) {
    weights_worker *w = &run->workers[i];
    GV_TRY(gv_weights_side_block(io, &run->side[run->now], number, run->first + i, &w->block));
    GV_TRY(weights_find(io, run, w));
    atomic_fetch_add(&run->count, (long long)w->found);
  }
  return GV_OK;
}

static gv_status weights_compute_some(gv_io *io, void *user, int number, int64_t first, int64_t end) {
  weights_run *run = user;
  for (int64_t i = first; i < end; i++) {
    weights_worker *w = &run->workers[i];
    GV_TRY(gv_weights_side_block(io, &run->side[run->now], number, run->first + i, &w->block));
    GV_TRY(weights_find(io, run, w));
    if (run->job->k > 1) GV_TRY(weights_weigh(io, run, w));
    weights_list(run, w);
  }
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- the file */

static gv_status weights_write_source(gv_io *io, weights_run *run, weights_worker *w) {
  return gv_weights_file_put_cells(io, &run->file, GV_WEIGHTS_A, &w->block, NULL);
}

static gv_status weights_write_target(gv_io *io, weights_run *run, weights_worker *w) {
  const int64_t written = run->report->weights;
  for (int64_t i = 0; i < w->block.count; i++)
    run->report->empty += !w->reached[i];
  run->report->weights += w->found;
  GV_TRY(gv_weights_file_put_cells(io, &run->file, GV_WEIGHTS_B, &w->block, w->reached));
  return gv_weights_file_put(io, &run->file, written, w->found, w->row, w->col, w->weight);
}

static gv_status weights_write(gv_io *io, weights_run *run) {
  const gv_weights_side *source = &run->side[GV_WEIGHTS_A], *target = &run->side[GV_WEIGHTS_B];
  gv_weights_facts facts = {.side = {source, target},
                            .weights = target->count * run->k,
                            .k = run->job->k,
                            .power = run->job->power,
                            .metric = run->job->metric};
  if (isfinite(run->max_distance) || gv_facts_of(&target->grid.grid)->may_lack_places) {
    atomic_init(&run->count, 0);
    GV_TRY(weights_pass(io, run, GV_WEIGHTS_B, 0.35, weights_count_some, NULL));
    facts.weights = atomic_load(&run->count);
  }
  if (facts.weights == 0)
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "--max-distance: no cell of the target is so near to the source");
  GV_TRY(gv_weights_file_begin(io, &run->file, &facts));
  GV_TRY(weights_pass(io, run, GV_WEIGHTS_A, 0.1, weights_read_some, weights_write_source));
  return weights_pass(io, run, GV_WEIGHTS_B, 0.95 - run->done, weights_compute_some, weights_write_target);
}

/* ---------------------------------------------------------------------------------------------- all of it */

static gv_status weights_open(gv_io *io, weights_run *run) {
  const gv_weights_job *j = run->job;
  gv_weights_side *a = &run->side[GV_WEIGHTS_A], *b = &run->side[GV_WEIGHTS_B];
  *a =
      (gv_weights_side){.option = "--source", .path = j->source, .masked = true, .places = GV_SEED_LIST_INIT};
  *b = (gv_weights_side){.option = "--target", .path = j->target, .places = GV_SEED_LIST_INIT};
  for (int i = 0; i < GV_WEIGHTS_SIDES; i++)
    GV_TRY(gv_weights_side_open(io, &run->side[i], j->metric, run->threads));
  for (int i = 0; i < GV_WEIGHTS_SIDES; i++) {
    const gv_weights_side *s = &run->side[i];
    const char *source = s->is_raster ? s->path : gv_cells_of_are_read(&s->cells) ? s->cells.source : NULL;
    const unsigned kind = s->is_raster ? GDAL_OF_RASTER : GDAL_OF_VECTOR;
    GV_TRY(gv_inputs_add(io, &run->inputs, (gv_input){source, kind, s->cells.name, NULL, NULL}));
  }
  if (gv_inputs_find(&run->inputs, j->out) != NULL)
    return gv_io_fail_as(io, GV_CODE_OUTPUT_IS_INPUT, GV_ERROR_INVALID_ARGUMENT,
                         "OUT: %s is an input, too; use another name", j->out);
  GV_TRY(gv_weights_file_plan(io, j->out, j->overwrite, &run->out));
  OGRSpatialReferenceH degrees = NULL, crs = gv_weights_side_crs(b);
  if (crs == NULL) crs = gv_weights_side_crs(a);
  if (crs == NULL) GV_TRY(gv_crs_parse(io, "EPSG:4326", "--target", &degrees));
  gv_status status = GV_OK;
  for (int i = GV_WEIGHTS_SIDES - 1; i >= 0 && status == GV_OK; i--) {
    gv_weights_side *s = &run->side[i];
    OGRSpatialReferenceH own = gv_weights_side_crs(s);
    status = gv_weights_side_place(io, run->context, s,
                                   own != NULL   ? own
                                   : crs != NULL ? crs
                                                 : degrees,
                                   j->metric, run->threads);
  }
  gv_crs_describe(b->grid.crs, run->report->crs, sizeof run->report->crs);
  if (degrees != NULL) OSRRelease(degrees);
  GV_TRY(status);
  return gv_length_as_distance(io, "--max-distance", &j->max_distance, true, b->grid.crs, &run->max_distance);
}

static gv_status weights_compute(gv_io *io, weights_run *run) {
  gv_place *place = &run->out.place;
  GV_TRY(weights_open(io, run));
  run->workers = calloc((size_t)run->threads, sizeof *run->workers);
  if (run->workers == NULL) return gv_io_fail_memory(io, "the cells");
  for (int i = 0; i < run->threads; i++)
    GV_TRY(weights_make_worker(io, run, &run->workers[i]));
  GV_TRY(weights_read_source(io, run));
  run->part = 0.0;
  GV_TRY(weights_prepare_search(io, run));
  gv_status status = weights_write(io, run);
  if (run->file.file.int32 != NULL) status = gv_weights_file_finish(io, &run->file, status);
  GV_TRY(status);
  return gv_places_commit(io, &place, 1, &run->inputs, run->job->sync);
}

gv_status gv_weights_job_run(gv_io *io, const gv_weights_job *job, gv_weights_report *report) {
  weights_run run = {.job = job, .report = report, .from = GV_SEED_LIST_INIT};
  run.file.file.writer = &run.out;
  io->memory = job->memory > 0 ? job->memory : gv_budget_default();
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = job->threads;
  options.device = job->device;
  options.progress = gv_io_go_on;
  options.progress_user = io;
  if (gv_context_create(&options, &run.context) != GV_OK) return gv_io_fail_memory(io, "the weights");
  run.threads = gv_context_threads(run.context);
  *report = (gv_weights_report){.metric = job->metric,
                                .metric_reason = job->has_metric ? "as requested" : "default for weights",
                                .threads = run.threads};
  gv_status status = weights_compute(io, &run);
  report->source = run.side[GV_WEIGHTS_A].count;
  report->target = run.side[GV_WEIGHTS_B].count;
  for (int i = 0; i < run.threads && run.workers != NULL; i++)
    weights_free_worker(&run.workers[i]);
  free(run.workers);
  free(run.file.numbers);
  gv_voronoi_destroy(run.voronoi);
  for (int i = 0; i < GV_WEIGHTS_SIDES; i++)
    gv_weights_side_close(&run.side[i]);
  gv_writer_abandon(&run.out);
  gv_inputs_free(&run.inputs);
  gv_seeds_free(&run.from);
  gv_context_destroy(run.context);
  return status;
}
