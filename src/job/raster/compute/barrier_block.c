#include "job/raster/compute/barrier_block.h"

#include <math.h>
#include <string.h>

#include "io/metric.h"
#include "io/overlay/mask_polygons.h"

/* Centers: longitudes and latitudes on the globe. Those that the mask leaves out are NaN. */
static gv_status barrier_block_centers(const gv_run_work *w, gv_run_worker *worker, const gv_rectangle *p,
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

gv_status gv_run_barrier_block(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                               const gv_rectangle *p, const gv_labels *out) {
  const int64_t cells = p->w * p->h;
  const int a = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  gv_barrier_places places;
  gv_barrier_places_init(&places);
  GV_TRY(barrier_block_centers(w, worker, p, out));
  places.x = worker->center;
  places.y = worker->center + cells;
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
