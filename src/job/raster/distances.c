/* Distances and azimuths of a block: into their rasters, and for statistics. */
#include "job/raster/compute.h"

void gv_run_put_distances(const gv_run_work *w, const gv_raster_block *block, int64_t at, const double *from,
                          int64_t count) {
  void *out = block->out[w->plan->slot[GV_RUN_DISTANCE]];
  bool wide = w->job->distance_type == GDT_Float64;
  for (int64_t i = 0; i < count && wide; i++)
    ((double *)out)[at + i] = from[i] / w->in->distance_size;
  for (int64_t i = 0; i < count && !wide; i++)
    ((float *)out)[at + i] = (float)(from[i] / w->in->distance_size);
}

/* About a band of seed numbers. */
static gv_measure question(const gv_block *numbers, int band) {
  gv_measure m = GV_MEASURE_INIT;
  m.column = numbers->column;
  m.row = numbers->row;
  m.seed = numbers->out + band * numbers->band_stride;
  m.stride = numbers->stride;
  return m;
}

/* Distances into their raster in another unit than the library's, by way of the worker's buffer. */
static gv_status convert_distances(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                                   const gv_rectangle *p, const gv_block *numbers) {
  int d = w->plan->slot[GV_RUN_DISTANCE];
  for (int b = 0; b < w->job->k; b++) {
    gv_measure m = question(numbers, b);
    m.out_stride = w->block_w;
    m.type = GV_FLOAT64;
    m.distance = worker->distance;
    m.signed_distance = w->job->signed_distance;
    GV_TRY(gv_voronoi_measure(worker->context, w->voronoi, &m));
    for (int64_t y = 0; y < p->h; y++) {
      int64_t at = b * block->band_stride[d] + y * block->stride;
      gv_run_put_distances(w, block, at, worker->distance + y * w->block_w, p->w);
    }
  }
  return GV_OK;
}

gv_status gv_run_measure(const gv_run_work *w, gv_run_worker *worker, const gv_raster_block *block,
                         const gv_rectangle *p, const gv_block *numbers) {
  int d = gv_run_slot(w, block, GV_RUN_DISTANCE), a = gv_run_slot(w, block, GV_RUN_AZIMUTH);
  if (w->job->distance_per_value) d = -1;
  if (d >= 0 && w->plan->converts) {
    GV_TRY(convert_distances(w, worker, block, p, numbers));
    d = -1;
  }
  for (int b = 0; b < w->job->k; b++) {
    bool kept = b == 0 && w->plan->distances && w->statistics != NULL;
    if (!kept && d < 0 && a < 0) break;
    gv_measure m = question(numbers, b);
    m.signed_distance = w->job->signed_distance && !kept;
    m.out_stride = kept ? w->block_w : block->stride;
    m.type = kept || w->job->distance_type == GDT_Float64 ? GV_FLOAT64 : GV_FLOAT32;
    size_t value = m.type == GV_FLOAT64 ? sizeof(double) : sizeof(float);
    if (kept) {
      m.distance = worker->distance;
    } else if (d >= 0) {
      m.distance = (char *)block->out[d] + (size_t)(b * block->band_stride[d]) * value;
    }
    if (a >= 0 && !kept) m.azimuth = (float *)block->out[a] + b * block->band_stride[a];
    if (m.distance != NULL || m.azimuth != NULL) GV_TRY(gv_voronoi_measure(worker->context, w->voronoi, &m));
    if (!kept) continue;
    /* Statistics are of distances without signs. */
    bool again = d >= 0 && w->job->signed_distance;
    if (a >= 0 || again) {
      m.type = w->job->distance_type == GDT_Float64 ? GV_FLOAT64 : GV_FLOAT32;
      m.distance = again ? block->out[d] : NULL;
      m.azimuth = a >= 0 ? (float *)block->out[a] : NULL;
      m.out_stride = block->stride;
      m.signed_distance = again;
      GV_TRY(gv_voronoi_measure(worker->context, w->voronoi, &m));
    }
    for (int64_t y = 0; y < p->h && d >= 0 && !again; y++)
      gv_run_put_distances(w, block, y * block->stride, worker->distance + y * w->block_w, p->w);
  }
  return GV_OK;
}
