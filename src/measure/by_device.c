/*
 * Blocks of the host measured by a device (see voronoi/pipeline/device_measuring.h): band by band, in pieces,
 * through page-locked memory of the calling thread. Pairs that the series does not solve are computed by PROJ
 * here.
 */
#include "measure/by_device.h"

#include "measure/strips.h"

/* A piece: one band. */
static gv_status measure_piece(gv_context *context, const gv_device_measuring *d,
                               const gv_cuda_raster *raster, void *queue, const gv_measure *piece) {
  const gv_voronoi *v = d->v;
  gv_open_pairs open;
  gv_open_result result;
  gv_status status =
      d->device->measure_host(context, raster, queue, piece, gv_globe_radius(&v->cells.ellipsoid), &open);
  for (int64_t i = 0; i < open.count && status == GV_OK; i++) {
    const gv_open_pair *p = &open.pair[i];
    int64_t at = p->at / piece->columns * piece->out_stride + p->at % piece->columns;
    status = gv_measure_open_pair(context, v, p, &result);
    if (status != GV_OK) break;
    bool distance = (p->what & GV_OPEN_DISTANCE) != 0;
    if (distance && piece->type == GV_FLOAT64) ((double *)piece->distance)[at] = result.distance;
    if (distance && piece->type == GV_FLOAT32) ((float *)piece->distance)[at] = (float)result.distance;
    if ((p->what & GV_OPEN_AZIMUTH) != 0) piece->azimuth[at] = result.azimuth;
  }
  return status;
}

static gv_status measure_band(gv_context *context, const gv_device_measuring *d, const gv_cuda_raster *raster,
                              void *queue, const gv_measure *m, const gv_tile *tile, int32_t band) {
  int64_t width = tile->c1 - tile->c0, height = tile->r1 - tile->r0;
  int64_t columns = width < GV_CUDA_HOST_CELLS ? width : GV_CUDA_HOST_CELLS,
          rows = GV_CUDA_HOST_CELLS / columns;
  size_t size = m->type == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  gv_status status = GV_OK;
  for (int64_t row = 0; row < height && status == GV_OK; row += rows) {
    for (int64_t column = 0; column < width && status == GV_OK; column += columns) {
      gv_measure piece;
      gv_measure_init(&piece);
      int64_t at = band * m->out_band_stride + row * m->out_stride + column;
      piece.column = tile->c0 + column;
      piece.row = tile->r0 + row;
      piece.columns = width - column < columns ? width - column : columns;
      piece.rows = height - row < rows ? height - row : rows;
      piece.seed = m->seed + band * m->band_stride + row * m->stride + column;
      piece.stride = m->stride;
      piece.type = m->type;
      if (m->distance != NULL) piece.distance = (char *)m->distance + (size_t)at * size;
      if (m->azimuth != NULL) piece.azimuth = m->azimuth + at;
      piece.out_stride = m->out_stride;
      status = measure_piece(context, d, raster, queue, &piece);
    }
  }
  return status;
}

gv_status gv_measure_by_device(gv_context *context, gv_device_measuring *d, const gv_measure *m,
                               const gv_tile *tile, bool *done) {
  const gv_cuda_raster *raster = NULL;
  void *queue = NULL;
  int number;
  *done = false;
  if (m->distance == NULL && m->azimuth == NULL) return GV_OK;
  gv_status status = gv_device_measuring_find(context, d, &raster);
  if (status != GV_OK || raster == NULL) return status;
  status = d->device->begin(context, d->number, &queue, &number);
  if (status == GV_OK) {
    for (int32_t band = 0; band < m->bands && status == GV_OK; band++)
      status = measure_band(context, d, raster, queue, m, tile, band);
    d->device->end(context, queue);
  }
  bool failed =
      status == GV_ERROR_DEVICE || status == GV_ERROR_OUT_OF_MEMORY || status == GV_ERROR_UNAVAILABLE;
  if (failed && gv_device_measuring_give_up(d)) return GV_OK;
  *done = status == GV_OK;
  return status;
}
