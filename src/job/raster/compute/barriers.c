#include "job/raster/compute/barriers.h"

#include <math.h>
#include <string.h>

#include "io/crs/metric.h"
#include "io/overlay/mask_polygons.h"
#include "job/raster/compute/block.h"

static gv_status barriers_solve(gv_io *io, gv_run_work *w, gv_barriers *barriers) {
  gv_context *context = w->in->context;
  const gv_seed_list *seeds = w->in->seeds;
  const gv_status status =
      gv_barriers_solve(context, barriers, seeds->x, seeds->y, seeds->count, &w->left_out);
  GV_TRY(gv_io_pass_on_library(io, context, status));
  return gv_seeds_check_left_out(io, seeds, w->left_out, "--barriers", NULL, "inside polygons of",
                                 w->plan->job->barriers.path);
}

static gv_status barriers_begin(gv_io *io, gv_run_work *w) {
  gv_barriers_options options;
  gv_barriers_options_init(&options);
  options.metric = w->in->grid.metric;
  options.max_distance = w->in->max_distance;
  options.semi_major = w->in->grid.grid.semi_major;
  options.flattening = w->in->grid.grid.flattening;
  gv_barriers *barriers = NULL;
  GV_TRY(gv_job_barriers_make(io, w->in->context, &w->plan->job->barriers, &w->in->barriers, &options,
                              &barriers));
  w->source.state = barriers;
  return barriers_solve(io, w, barriers);
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
  return gv_io_pass_on_library(io, w->in->context,
                               gv_barriers_get_way(w->in->context, w->source.state, &found));
}

/* Centers: longitudes and latitudes on the globe. Those that the mask leaves out are NaN. */
static gv_status barriers_centers(const gv_run_work *w, gv_run_worker *worker, const gv_rectangle *p,
                                  const gv_labels *out) {
  const double *g = w->in->grid.grid.geotransform;
  const bool globe = gv_metric_on_globe(w->in->grid.metric);
  double *x = worker->center, *y = x + p->w * p->h;
  if (globe) GV_TRY(gv_voronoi_cell_centers(worker->context, w->voronoi, p->x, p->y, p->w, p->h, x, y, 0));
  for (int64_t i = 0; i < p->w * p->h; i++) {
    const int64_t column = i % p->w, row = i / p->w;
    if (!globe) {
      x[i] = gv_center_x(g, p->x + column, p->y + row);
      y[i] = gv_center_y(g, p->x + column, p->y + row);
    }
    if (out->mask != NULL && out->mask[row * out->mask_stride + column] == 0) x[i] = (double)NAN;
  }
  return GV_OK;
}

/* And the lengths of ways into the worker's distances, and azimuths into their raster. */
static gv_status barriers_seeds(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                                const gv_rectangle *p, const gv_labels *out, int *uniform) {
  const int64_t cells = p->w * p->h;
  const int a = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  gv_barrier_places places;
  (void)uniform;
  gv_barrier_places_init(&places);
  GV_TRY(barriers_centers(w, worker, p, out));
  places.x = worker->center;
  places.y = worker->center + cells;
  places.count = cells;
  places.seed = worker->own;
  places.distance = worker->distance;
  places.azimuth = worker->azimuth;
  GV_TRY(gv_barriers_get(worker->context, w->source.state, &places));
  /* From rows without gaps to those of the block: the last one first, where rows move within an array. */
  for (int64_t row = p->h - 1; row >= 0; row--) {
    memmove(worker->distance + row * w->block_w, worker->distance + row * p->w,
            (size_t)p->w * sizeof(double));
    memcpy(out->out + row * out->stride, worker->own + row * p->w, (size_t)p->w * sizeof(int32_t));
    if (a >= 0)
      memcpy((float *)block->out[a] + row * block->stride, worker->azimuth + row * p->w,
             (size_t)p->w * sizeof(float));
  }
  return GV_OK;
}

static gv_status barriers_measure(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                                  const gv_rectangle *p, const gv_labels *numbers) {
  (void)numbers;
  gv_run_put_band(w, worker, block, p, 0);
  return GV_OK;
}

static void barriers_close(void *state) {
  gv_barriers_destroy(state);
}

const gv_block_source gv_barrier_blocks = {.name = "tile",
                                           .block = gv_run_compute_block,
                                           .seeds = barriers_seeds,
                                           .measure = barriers_measure,
                                           .begin = barriers_begin,
                                           .sum = gv_run_sum_of_raster,
                                           .way = barriers_way,
                                           .close = barriers_close};
