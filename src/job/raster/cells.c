/*
 * Seeds that are cells of a raster. Of each group of cells only those are seeds of the Voronoi grid that others may have for their nearest;
 * where OUT's cells are the raster's, its seed cells do not ask: each has its own region, at distance 0.
 */
#include <math.h>
#include <stdlib.h>

#include "job/raster/compute.h"

/* --------------------------------------------------------------------------------------------------- distances by value */

/* The seeds of a region: number `first` of all places and those that follow. */
static gv_seeds seeds_of(const gv_run_work *w, int64_t region, int64_t *next) {
  const gv_shapes *s = w->in->seeds->shapes;
  const double *x, *y;
  int64_t count, first = *next;
  gv_seeds_places(w->in->seeds, &x, &y, &count);
  if (s != NULL) {
    *next = s->vertex[region + 1];
  } else {
    while (*next < count && w->in->cells.region[*next] == region)
      (*next)++;
  }
  return (gv_seeds){x + first, y + first, *next - first};
}

static gv_status make_each(gv_io *io, gv_run_work *w, const gv_voronoi_options *options) {
  gv_voronoi_options one = *options;
  int64_t next = 0;
  one.k = 1;
  one.features = NULL;
  one.labels = NULL;
  one.nodata = -1;
  w->each = calloc((size_t)w->in->regions->count, sizeof *w->each);
  if (w->each == NULL) return gv_io_fail_memory(io, "the values");
  gv_status status = GV_OK;
  for (int64_t i = 0; i < w->in->regions->count && status == GV_OK; i++) {
    gv_seeds seeds = seeds_of(w, i, &next);
    /* None are left of a value whose cells have no place in the grid's coordinate system. */
    if (seeds.count > 0) status = gv_voronoi_create(w->in->context, &w->in->grid.grid, &seeds, &one, &w->each[i]);
  }
  return gv_io_pass_on_library(io, w->in->context, status);
}

gv_status gv_run_make_regions(gv_io *io, gv_run_work *w, const gv_voronoi_options *options) {
  if (w->job->distance_per_value) GV_TRY(make_each(io, w, options));
  if (w->job->stats == NULL || w->in->cells.region == NULL) return GV_OK;
  /* It is not asked anything: the reference engine keeps every seed, and prepares nothing. */
  gv_voronoi_options counted = *options;
  gv_seeds places = {w->in->regions->x, w->in->regions->y, w->in->regions->count};
  counted.backend = "serial";
  counted.labels = NULL;
  counted.nodata = -1;
  gv_status status = gv_voronoi_create(w->in->context, &w->in->grid.grid, &places, &counted, &w->counted);
  return gv_io_pass_on_library(io, w->in->context, status);
}

/* ---------------------------------------------------------------------------------------------------------- blocks */

bool gv_run_is_own(const gv_run_work *w, gv_run_worker *worker, const gv_rectangle *part, const uint8_t *mask) {
  int32_t group;
  worker->owns = w->in->cells.own;
  if (!w->in->cells.own || !gv_raster_seeds_alike(w->in->cells.cells, part->x, part->y, part->w, part->h, &group))
    return false;
  worker->owns = group >= 0;
  worker->own[0] = group;
  return group >= 0 && mask == NULL && w->job->k == 1 && !w->job->raster_seeds.by_cell && w->statistics == NULL &&
         w->each == NULL;
}

gv_status gv_run_find_own(gv_io *io, const gv_run_work *w, gv_run_worker *worker, const gv_rectangle *part,
                          const uint8_t *mask) {
  gv_status status = gv_raster_seeds_groups(worker->context, w->in->cells.cells, part->x, part->y, part->w, part->h,
                                            worker->own, w->block_w);
  if (status != GV_OK) return gv_io_pass_on_library(io, worker->context, status);
  for (int64_t y = 0; y < part->h; y++) {
    int32_t *own = worker->own + y * w->block_w;
    uint8_t *asks = worker->asks + y * w->block_w;
    const uint8_t *counts = mask != NULL ? mask + y * w->block_w : NULL;
    for (int64_t x = 0; x < part->w; x++)
      asks[x] = own[x] < 0;
    for (int64_t x = 0; x < part->w && counts != NULL; x++) {
      own[x] = counts[x] != 0 ? own[x] : -1;
      asks[x] = counts[x] != 0 ? asks[x] : 0;
    }
  }
  return GV_OK;
}

void gv_run_put_own_first(const gv_run_work *w, const gv_run_worker *worker, const gv_rectangle *part,
                          gv_block *block) {
  for (int64_t i = 0; i < part->w * part->h; i++) {
    int64_t x = i % part->w, y = i / part->w;
    int32_t *out = block->out + y * block->stride + x, moved = worker->own[y * w->block_w + x];
    if (moved < 0) continue;
    /* Each takes the place of the one before, up to where its own region was, or the last is dropped. */
    for (int b = 0; b < w->job->k; b++) {
      int32_t here = out[b * block->band_stride];
      out[b * block->band_stride] = moved;
      if (here == worker->own[y * w->block_w + x]) break;
      moved = here;
    }
  }
}

void gv_run_measure_own(const gv_run_work *w, const gv_run_worker *worker, const gv_raster_block *block,
                        const gv_rectangle *part) {
  static const double nothing = 0.0;
  int d = w->job->distance_per_value ? -1 : gv_run_slot(w, block, GV_RUN_DISTANCE);
  int a = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  if (d < 0 && a < 0 && !w->plan->distances) return;
  for (int64_t y = 0; y < part->h; y++) {
    const int32_t *own = worker->own + y * w->block_w;
    for (int64_t x = 0; x < part->w; x++) {
      int64_t at = y * block->stride + x;
      if (own[x] < 0) continue;
      if (d >= 0) gv_run_put_distances(w, block, at, &nothing, 1);
      if (a >= 0) ((float *)block->out[a])[at] = 0.0F;
      if (w->plan->distances) worker->distance[y * w->block_w + x] = 0.0;
    }
  }
}

void gv_run_name_regions(const gv_run_work *w, const gv_run_worker *worker, const gv_rectangle *part,
                         const gv_block *block) {
  const int32_t *region = w->plan->by_region ? NULL : w->in->cells.region;
  bool own = worker->owns && w->job->k == 1, by_cell = w->job->raster_seeds.by_cell;
  for (int64_t y = 0; y < part->h; y++) {
    int32_t *out = block->out + y * block->stride;
    const int32_t *mine = own ? worker->own + y * w->block_w : NULL;
    /* Neighbours mostly have one seed. */
    int32_t seed = -1, of_seed = -1;
    for (int64_t x = 0; x < part->w && region != NULL; x++) {
      if (out[x] != seed) {
        seed = out[x];
        of_seed = seed >= 0 ? region[seed] : seed;
      }
      out[x] = of_seed;
    }
    for (int64_t x = 0; x < part->w && own; x++) /* by cell: some seed's number, until its own number is written */
      out[x] = mine[x] < 0 ? out[x] : by_cell ? 0 : mine[x];
  }
}

gv_status gv_run_measure_each(gv_io *io, const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                              const gv_rectangle *part, const uint8_t *mask) {
  int d = w->plan->slot[GV_RUN_DISTANCE];
  for (int64_t i = 0; i < w->in->regions->count; i++) {
    gv_block b = GV_BLOCK_INIT;
    gv_measure m = GV_MEASURE_INIT;
    b.column = m.column = block->column;
    b.row = m.row = block->row;
    b.mask = mask;
    b.mask_stride = b.stride = m.stride = m.out_stride = w->block_w;
    b.out = worker->numbers;
    m.seed = worker->numbers;
    m.type = GV_FLOAT64;
    m.distance = worker->distance;
    gv_status status = w->each[i] != NULL ? gv_voronoi_fill(worker->context, w->each[i], &b) : GV_OK;
    if (status == GV_OK && w->each[i] != NULL) status = gv_voronoi_measure(worker->context, w->each[i], &m);
    if (status != GV_OK) return gv_io_pass_on_library(io, worker->context, status);
    for (int64_t y = 0; y < part->h; y++) {
      double *row = worker->distance + y * w->block_w;
      for (int64_t x = 0; x < part->w; x++) {
        if (w->each[i] == NULL) row[x] = (double)NAN;
        if (worker->owns && worker->own[y * w->block_w + x] == i) row[x] = 0.0;
      }
      gv_run_put_distances(w, block, i * block->band_stride[d] + y * block->stride, row, part->w);
    }
  }
  return GV_OK;
}
