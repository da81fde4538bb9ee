/*
 * A raster on one device: opening and closing it.
 */
#include "voronoi/gpu/raster.h"

#include <math.h>
#include <string.h>

#include "voronoi/gpu/raster_state.cuh"

static_assert(gv::MOST_NEIGHBORS == (int)GV_CUDA_MOST_K, "what the kernels keep");

static void gpu_raster_describe(gv_cuda_raster *raster) {
  const gv_voronoi *v = raster->v;
  const gv_cells *cells = &v->cells;
  gv::problem *p = &raster->problem;
  const double *g = cells->grid.geotransform;
  raster->form = gv_cuda_raster_has_places(v)       ? gv::PLACES
                 : cells->grid.kind == GV_GRID_QTM  ? gv::MESH
                 : cells->grid.level != GV_QTM_NONE ? gv::TRIANGLES
                 : cells->shape == GV_CELLS_LONLAT  ? gv::GLOBE
                 : cells->shape == GV_CELLS_PLANE   ? gv::PLANE
                                                    : gv::ROTATED;
  raster->norm = cells->metric == GV_MANHATTAN   ? gv::SUM
                 : cells->metric == GV_CHEBYSHEV ? gv::LARGEST
                                                 : gv::SQUARE;
  raster->limited = isfinite(v->beyond);
  raster->filter = raster->form == gv::MESH ? v->k == 1 && !raster->limited
                                            : (raster->form == gv::PLANE || raster->form == gv::GLOBE) &&
                                                  raster->norm == gv::SQUARE && v->k == 1;
  p->count = v->seeds.count;
  p->width = cells->grid.width;
  p->height = cells->grid.height;
  memcpy(p->geotransform, g, sizeof p->geotransform);
  p->curvature = cells->curvature;
  p->position_error = cells->position_error;
  /* Of the centers of triangles, as for the mesh. */
  if (raster->form == gv::TRIANGLES) p->position_error = fmax(p->position_error, 40.0 * 0x1p-52);
  p->mesh_level = cells->grid.level;
  p->eccentricity2 = gv_cells_geocentric(cells) ? cells->ellipsoid.eccentricity2 : -1.0;
  p->size = raster->form == gv::GLOBE ? 1.0 : 0.0;
  p->scale = 1.0;
  if (raster->form == gv::PLANE) {
    int exponent = 0;
    (void)frexp(fmax(fabs(g[1]), fabs(g[5])), &exponent);
    p->scale = ldexp(1.0, -exponent);
  }
  p->neighbors = v->k;
  p->nodata = v->nodata;
  p->limited = raster->limited;
  p->within = v->within;
  p->beyond = v->beyond;
  p->within_length = sqrt(fmax(v->within, 0.0));
  p->beyond_length = sqrt(v->beyond);
  p->chords = v->geodesic.chords;
}

/* Maximum size of strips: two of them with their buffers in two thirds of the free memory. */
static gv_status limit_strip(gv_context *context, gv_cuda_raster *raster, int64_t *strip_cells) {
  size_t free_bytes = 0;
  gv_status status = gv_cuda_free_bytes(context, raster->queue, &free_bytes);
  for (int slot = 0; slot < GV_CUDA_SLOTS; slot++)
    free_bytes += raster->queue->buffer[slot].bytes;
  int64_t most = (int64_t)(free_bytes / 3 / (sizeof(int32_t) * (size_t)raster->v->k));
  if (*strip_cells > most) *strip_cells = most;
  if (status == GV_OK && raster->problem.order != NULL && *strip_cells < raster->problem.width)
    status = gv_fail(context, GV_ERROR_OUT_OF_MEMORY, "cuda-tile: a list is larger than the device's memory");
  return status;
}

extern "C" gv_status gv_cuda_raster_open(gv_context *context, const gv_voronoi *v, int device,
                                         int64_t *strip_cells, gv_cuda_raster **out) {
  gv_cuda_raster *raster = (gv_cuda_raster *)gv_allocate_zeroed(&v->allocator, 1, sizeof *raster);
  if (raster == NULL) return gv_fail_memory(context, "the engine");
  raster->v = v;
  raster->allocator = v->allocator;
  gv_status status = gv_cuda_queue_take(context, device, &raster->queue);
  if (status != GV_OK) {
    gv_release(&v->allocator, raster);
    return status;
  }
  gv_cuda_raster_block(v, &raster->bw, &raster->bh);
  gpu_raster_describe(raster);
  GV_CUDA_TRY(context, cudaStreamCreateWithFlags(&raster->copy, cudaStreamNonBlocking),
              "making a CUDA stream");
  status = gv_cuda_copy_tables(context, raster);
  if (status == GV_OK) status = gv_cuda_copy_seeds(context, raster);
  if (status == GV_OK && strip_cells != NULL) status = limit_strip(context, raster, strip_cells);
  if (status != GV_OK || strip_cells == NULL) goto done;
  status = gv_cuda_make_root(context, raster, gv_cuda_may_group(raster));
  /* Where lists of groups grow too long, those of seeds may still be narrowed in part. */
  if (status == GV_OK && raster->in_groups) status = gv_cuda_make_root(context, raster, false);
done:
  if (status != GV_OK) {
    gv_cuda_raster_close(context, raster);
    return status;
  }
  *out = raster;
  return GV_OK;
}

extern "C" void gv_cuda_raster_close(gv_context *context, gv_cuda_raster *raster) {
  if (raster == NULL) return;
  /* Another thread may have opened it. */
  if (cudaGetDevice(&raster->queue->previous_device) != cudaSuccess) raster->queue->previous_device = -1;
  (void)cudaSetDevice(raster->queue->device);
  if (raster->copy != NULL) {
    (void)cudaStreamSynchronize(raster->copy);
    (void)cudaStreamDestroy(raster->copy);
    (void)cudaGetLastError();
  }
  gv_cuda_queue_give(context, raster->queue);
  gv_release(&raster->allocator, raster);
}
