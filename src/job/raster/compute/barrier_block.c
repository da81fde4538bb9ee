#include "job/raster/compute/barrier_block.h"

#include <math.h>
#include <string.h>

#include "io/overlay/mask_polygons.h"

gv_status gv_run_barrier_block(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                               const gv_rectangle *p, const gv_labels *out) {
  const int64_t cells = p->w * p->h;
  const int a = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  const double *g = w->in->grid.grid.geotransform;
  double *x = worker->center, *y = x + cells;
  gv_barrier_places places;
  gv_barrier_places_init(&places);
  for (int64_t i = 0; i < cells; i++) {
    const int64_t column = i % p->w, row = i / p->w;
    const bool kept = out->mask == NULL || out->mask[row * out->mask_stride + column] != 0;
    x[i] = kept ? gv_center_x(g, p->x + column, p->y + row) : (double)NAN;
    y[i] = gv_center_y(g, p->x + column, p->y + row);
  }
  places.x = x;
  places.y = y;
  places.count = cells;
  places.seed = worker->own;
  places.distance = worker->distance;
  places.azimuth = worker->azimuth;
  GV_TRY(gv_barriers_get(worker->context, w->barriers, &places));
  /* From rows without gaps to those of the block: the last one first, where rows move within an array. */
  for (int64_t row = p->h - 1; row >= 0; row--) {
    memmove(worker->distance + row * w->block_w, worker->distance + row * p->w, (size_t)p->w * sizeof(double));
    memcpy(out->out + row * out->stride, worker->own + row * p->w, (size_t)p->w * sizeof(int32_t));
    if (a >= 0)
      memcpy((float *)block->out[a] + row * block->stride, worker->azimuth + row * p->w,
             (size_t)p->w * sizeof(float));
  }
  return GV_OK;
}
