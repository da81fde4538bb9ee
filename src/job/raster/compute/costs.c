#include "job/raster/compute/costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/cost.h"
#include "io/in/input_limit.h"
#include "io/in/raster_in.h"
#include "io/transaction/remote.h"
#include "job/backends.h"
#include "job/raster/compute/block.h"

enum { CELL_BYTES = 28 /* of gv_cost_options.folder NULL */, WAY_BYTES = 5 /* of gv_cost_get_way */ };

/* Rasters that do not fit into memory, whatever the size of their files, are kept in a file, if the backend
 * can do so. */
static gv_status costs_choose_place(gv_io *io, const gv_run_work *w, const gv_grid *grid,
                                    gv_cost_options *options) {
  const gv_input_data data = {.option = "--cost",
                              .items = "cells",
                              .count = grid->width * grid->height,
                              .bytes = w->plan->job->ways != NULL ? CELL_BYTES + WAY_BYTES : CELL_BYTES};
  if (gv_job_backend_keeps_costs_in_memory(options->backend)) return gv_input_fits(io, &data);
  if (data.count <= w->in->budget.memory / data.bytes) return GV_OK;
  options->folder = gv_remote_temporary();
  options->resident = 0.5 * (double)w->in->budget.memory;
  return GV_OK;
}

/* Some rows of the raster, which has the grid's cells. *open: a cell so far is not a barrier. */
static gv_status costs_read_rows(gv_io *io, const gv_raster_in *raster, int64_t first, int64_t count,
                                 double *values, uint8_t *valid, gv_context *context, gv_cost *cost,
                                 bool *open) {
  GV_TRY(gv_raster_in_valid(io, raster, 0, 0, first, raster->width, count, values, valid));
  for (int64_t i = 0; i < count * raster->width && !*open; i++)
    *open = values[i] >= 0.0 && isfinite(values[i]);
  return gv_io_pass_on_library(io, context,
                               gv_cost_set_rows(context, cost, first, count, values, raster->width));
}

static gv_status costs_read(gv_io *io, const gv_run_work *w, gv_cost *cost) {
  const gv_job_cost *of = &w->plan->job->cost;
  const gv_raster_source source = {of->path, of->open_options, of->band};
  gv_raster_in raster;
  gv_status status = gv_raster_in_open(io, "--cost", source,
                                       (gv_readers){1, 1, w->in->budget.memory, &w->in->grid}, &raster);
  const int64_t rows = status == GV_OK ? gv_raster_in_rows_at_once(&raster) : 0;
  double *values = rows > 0 ? malloc((size_t)(rows * raster.width) * sizeof *values) : NULL;
  uint8_t *valid = rows > 0 ? malloc((size_t)(rows * raster.width)) : NULL;
  if (rows > 0 && (values == NULL || valid == NULL)) status = gv_io_fail_memory(io, "the raster of friction");
  bool open = false;
  for (int64_t y = 0; y < raster.height && status == GV_OK; y += rows) {
    const int64_t count = raster.height - y < rows ? raster.height - y : rows;
    status = costs_read_rows(io, &raster, y, count, values, valid, w->in->context, cost, &open);
    if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  free(values);
  free(valid);
  gv_raster_in_close(&raster);
  GV_TRY(status);
  GV_REQUIRE(io, open, "--cost: all cells of %s are barriers; use one with values of 0 or more", of->path);
  return GV_OK;
}

/* A seed, or a vertex of one, is within the raster. */
static bool costs_overlap(const gv_grid *grid, bool globe, int64_t count, const double *x, const double *y) {
  double inverse[6], geotransform[6];
  memcpy(geotransform, grid->geotransform, sizeof geotransform);
  if (!GDALInvGeoTransform(geotransform, inverse)) return true;
  const double turn = globe ? 360.0 / fabs(geotransform[1]) : 0.0;
  for (int64_t i = 0; i < count; i++) {
    double column, row;
    GDALApplyGeoTransform(inverse, x[i], y[i], &column, &row);
    if (turn > 0.0) column -= turn * floor(column / turn);
    if (column >= 0.0 && column <= (double)grid->width && row >= 0.0 && row <= (double)grid->height)
      return true;
  }
  return false;
}

static gv_status costs_solve(gv_io *io, gv_run_work *w, gv_cost *cost) {
  gv_context *context = w->in->context;
  const gv_seed_list *seeds = w->in->seeds;
  gv_cost_seeds from;
  gv_cost_seeds_init(&from);
  from.x = seeds->x;
  from.y = seeds->y;
  from.count = seeds->count;
  from.at_cells = w->in->cells.cells != NULL;
  if (seeds->shapes != NULL) from.features = &w->in->features;
  const gv_status status = gv_cost_solve(context, cost, &from, &w->left_out);
  if (status == GV_ERROR_UNSUPPORTED) /* starts in more cells than the file's share of --memory allows */
    return gv_io_fail_as(io, GV_CODE_INPUT_TOO_LARGE, GV_ERROR_OUT_OF_MEMORY, "%s; increase --memory",
                         gv_context_message(context));
  GV_TRY(gv_io_pass_on_library(io, context, status));
  const gv_features *f = from.features;
  const bool outside = w->left_out == seeds->count &&
                       !costs_overlap(&w->in->grid.grid, w->in->grid.metric != GV_EUCLIDEAN,
                                      f != NULL ? f->vertex[f->ring[f->part[f->count]]] : seeds->count,
                                      f != NULL ? f->x : seeds->x, f != NULL ? f->y : seeds->y);
  return gv_seeds_check_left_out(io, seeds, w->left_out, "--cost", NULL,
                                 outside ? "outside of" : "in barriers or outside of",
                                 w->plan->job->cost.path);
}

static gv_status costs_begin(gv_io *io, gv_run_work *w) {
  const gv_grid *grid = &w->in->grid.grid;
  gv_cost_options options;
  gv_cost_options_init(&options);
  options.backend = w->plan->job->backend;
  options.metric = w->in->grid.metric;
  options.moves = w->plan->job->cost.moves;
  options.max_cost = w->in->max_distance;
  GV_TRY(costs_choose_place(io, w, grid, &options));
  gv_cost *cost = NULL;
  GV_TRY(gv_io_pass_on_library(io, w->in->context, gv_cost_create(w->in->context, grid, &options, &cost)));
  w->source.state = cost;
  GV_TRY(costs_read(io, w, cost));
  GV_TRY(costs_solve(io, w, cost));
  w->source.name = gv_cost_backend(cost);
  return GV_OK;
}

static gv_status costs_way(gv_io *io, gv_run_work *w, const double from[2], gv_way *way) {
  gv_cost_way found;
  gv_cost_way_init(&found);
  found.x = from[0];
  found.y = from[1];
  found.room = way->room;
  found.way_x = way->x;
  found.way_y = way->y;
  found.count = &way->count;
  found.seed = &way->seed;
  found.cost = &way->cost;
  found.length = &way->length;
  return gv_io_pass_on_library(io, w->in->context, gv_cost_get_way(w->in->context, w->source.state, &found));
}

/* Results of a block; the arrays are to be set. */
static gv_cost_cells costs_cells_of(const gv_rectangle *p, int64_t stride) {
  gv_cost_cells cells;
  gv_cost_cells_init(&cells);
  GV_RUN_SET_CELLS(cells, p);
  cells.stride = stride;
  return cells;
}

static gv_status costs_seeds(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                             const gv_rectangle *p, const gv_labels *numbers, int *uniform) {
  const int32_t *region = w->plan->by_region ? w->in->cells.region : NULL;
  gv_cost_cells cells = costs_cells_of(p, numbers->stride);
  cells.seed = numbers->out;
  (void)block;
  (void)uniform;
  GV_TRY(gv_cost_get(worker->context, w->source.state, &cells));
  for (int64_t y = 0; y < p->h; y++) {
    int32_t *row = numbers->out + y * numbers->stride;
    for (int64_t x = 0; x < p->w; x++) {
      const bool kept = numbers->mask == NULL || numbers->mask[y * numbers->mask_stride + x] != 0;
      if (!kept) row[x] = -1;
      if (region != NULL && row[x] >= 0) row[x] = region[row[x]];
    }
  }
  return GV_OK;
}

static gv_status costs_measure(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                               const gv_rectangle *p, const gv_labels *numbers) {
  const int a = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  gv_cost_cells costs = costs_cells_of(p, w->block_w), azimuths = costs_cells_of(p, block->stride);
  costs.cost = worker->distance;
  if (a >= 0) azimuths.azimuth = block->out[a];
  GV_TRY(gv_cost_get(worker->context, w->source.state, &costs));
  if (a >= 0) GV_TRY(gv_cost_get(worker->context, w->source.state, &azimuths));
  for (int64_t y = 0; y < p->h; y++) {
    double *row = worker->distance + y * w->block_w;
    for (int64_t x = 0; x < p->w; x++) {
      if (numbers->out[y * numbers->stride + x] >= 0) continue; /* masked, or without a seed */
      row[x] = (double)NAN;
      if (a >= 0) azimuths.azimuth[y * block->stride + x] = (float)NAN;
    }
  }
  gv_run_put_band(w, worker, block, p, 0);
  return GV_OK;
}

static void costs_close(void *state) {
  gv_cost_destroy(state);
}

const gv_block_source gv_cost_blocks = {.name = "tile",
                                        .block = gv_run_compute_block,
                                        .seeds = costs_seeds,
                                        .measure = costs_measure,
                                        .begin = costs_begin,
                                        .sum = gv_run_sum_of_raster,
                                        .way = costs_way,
                                        .close = costs_close};
