/* Distances and azimuths of a block: into their rasters, and for statistics. */
#include "job/raster/run.h"

void gv_run_put_distances(const gv_run *r, const gv_raster_block *block, int64_t at, const double *from,
                          int64_t count) {
  void *out = block->out[r->slot[GV_RUN_DISTANCE]];
  bool wide = r->j->distance_type == GDT_Float64;
  for (int64_t i = 0; i < count && wide; i++)
    ((double *)out)[at + i] = from[i] / r->distance_size;
  for (int64_t i = 0; i < count && !wide; i++)
    ((float *)out)[at + i] = (float)(from[i] / r->distance_size);
}

/* About a band of seed numbers. */
static gv_measure question(const gv_labels *numbers, int band) {
  gv_measure m;
  gv_measure_init(&m);
  m.column = numbers->column;
  m.row = numbers->row;
  m.columns = numbers->columns;
  m.rows = numbers->rows;
  m.seed = numbers->out + band * numbers->band_stride;
  m.stride = numbers->stride;
  return m;
}

/* Distances into their raster in another unit than the library's, by way of the worker's buffer. */
static gv_status convert_distances(const gv_run *r, gv_run_worker *worker, const gv_raster_block *block,
                                   const gv_run_part *p, const gv_labels *numbers) {
  int d = r->slot[GV_RUN_DISTANCE];
  for (int b = 0; b < r->j->k; b++) {
    gv_measure m = question(numbers, b);
    m.out_stride = r->block_w;
    m.type = GV_FLOAT64;
    m.distance = worker->distance;
    m.signed_distance = r->j->signed_distance;
    gv_status status = gv_voronoi_measure(worker->context, r->voronoi, &m);
    if (status != GV_OK) return status;
    for (int64_t y = 0; y < p->h; y++) {
      int64_t at = b * block->band_stride[d] + y * block->stride;
      gv_run_put_distances(r, block, at, worker->distance + y * r->block_w, p->w);
    }
  }
  return GV_OK;
}

gv_status gv_run_measure(const gv_run *r, gv_run_worker *worker, const gv_raster_block *block, const gv_run_part *p,
                         const gv_labels *numbers) {
  bool converts = gv_run_converts(r);
  int d = converts || r->j->distance_per_value ? -1 : r->slot[GV_RUN_DISTANCE], a = r->slot[GV_RUN_AZIMUTH];
  gv_status status = converts ? convert_distances(r, worker, block, p, numbers) : GV_OK;
  for (int b = 0; b < r->j->k && status == GV_OK; b++) {
    bool kept = b == 0 && r->distances && r->statistics != NULL;
    if (!kept && d < 0 && a < 0) break;
    gv_measure m = question(numbers, b);
    m.signed_distance = r->j->signed_distance && !kept;
    m.out_stride = kept ? r->block_w : block->stride;
    m.type = kept || r->j->distance_type == GDT_Float64 ? GV_FLOAT64 : GV_FLOAT32;
    size_t value = m.type == GV_FLOAT64 ? sizeof(double) : sizeof(float);
    if (kept) {
      m.distance = worker->distance;
    } else if (d >= 0) {
      m.distance = (char *)block->out[d] + (size_t)(b * block->band_stride[d]) * value;
    }
    if (a >= 0 && !kept) m.azimuth = (float *)block->out[a] + b * block->band_stride[a];
    if (m.distance != NULL || m.azimuth != NULL) status = gv_voronoi_measure(worker->context, r->voronoi, &m);
    if (!kept || status != GV_OK) continue;
    /* Statistics are of distances without signs. */
    bool again = d >= 0 && r->j->signed_distance;
    if (a >= 0 || again) {
      m.type = r->j->distance_type == GDT_Float64 ? GV_FLOAT64 : GV_FLOAT32;
      m.distance = again ? block->out[d] : NULL;
      m.azimuth = a >= 0 ? (float *)block->out[a] : NULL;
      m.out_stride = block->stride;
      m.signed_distance = again;
      status = gv_voronoi_measure(worker->context, r->voronoi, &m);
    }
    for (int64_t y = 0; y < p->h && d >= 0 && !again; y++)
      gv_run_put_distances(r, block, y * block->stride, worker->distance + y * r->block_w, p->w);
  }
  return status;
}
