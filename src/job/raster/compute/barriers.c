#include "job/raster/compute/barriers.h"

#include "job/raster/compute/block.h"

static gv_status barriers_solve(gv_io *io, gv_run_work *w, gv_barriers *barriers) {
  gv_context *context = w->in->context;
  const gv_seed_list *seeds = w->in->seeds;
  const gv_status status = gv_barriers_solve(context, barriers, seeds->x, seeds->y, seeds->count, &w->left_out);
  GV_TRY(gv_io_pass_on_library(io, context, status));
  return gv_seeds_check_left_out(io, seeds, w->left_out, "--barriers", NULL, "inside polygons of",
                                 w->plan->job->barriers.path);
}

static gv_status barriers_begin(gv_io *io, gv_run_work *w, gv_raster_out *const *rasters) {
  (void)rasters;
  gv_barriers_options options;
  gv_barriers_options_init(&options);
  options.metric = w->in->grid.metric;
  options.max_distance = w->in->max_distance;
  options.semi_major = w->in->grid.grid.semi_major;
  options.flattening = w->in->grid.grid.flattening;
  GV_TRY(
      gv_job_barriers_make(io, w->in->context, &w->plan->job->barriers, &w->in->barriers, &options, &w->barriers));
  w->source.state = w->barriers;
  return barriers_solve(io, w, w->barriers);
}

static gv_status barriers_way(gv_io *io, gv_run_work *w, const double from[2], gv_way *way) {
  gv_barrier_way found;
  gv_barrier_way_init(&found);
  found.x = from[0];
  found.y = from[1];
  found.room = way->room;
  found.way_x = way->x;
  found.way_y = way->y;
  found.count = &way->count;
  found.seed = &way->seed;
  found.distance = &way->length;
  return gv_io_pass_on_library(io, w->in->context, gv_barriers_get_way(w->in->context, w->barriers, &found));
}

static void barriers_close(void *state) {
  gv_barriers_destroy(state);
}

const gv_block_source gv_barrier_blocks = {.name = "tile",
                                           .block = gv_run_compute_block,
                                           .begin = barriers_begin,
                                           .sum = gv_run_sum_of_raster,
                                           .identifies_seeds = gv_run_blocks_identify_seeds,
                                           .way = barriers_way,
                                           .close = barriers_close};
