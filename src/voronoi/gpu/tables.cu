/* Data copied to a device once: the grid's tables, the mesh's parallels, the seeds. */
#include "voronoi/gpu/mesh_positions.cuh"
#include "voronoi/gpu/raster_state.cuh"

namespace gv {

/* The parallels of a mesh's vertices, from the pole. */
__global__ void make_parallels(const __grid_constant__ problem p, parallel *out) {
  int32_t row = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x), rows = 1 << p.mesh_level;
  if (row > rows) return;
  parallel made;
  gv_sines(90.0 * (double)(rows - row) / (double)rows, &made.sine, &made.cosine);
  gv_meridian_point(p.eccentricity2, made.sine, made.cosine, &made.p, &made.z);
  out[row] = made;
}

} // namespace gv

/* Copies `count` doubles into the tables' memory and moves on. */
static gv_status put_table(gv_context *context, gv_cuda_raster *raster, const double *from, int64_t count,
                           double **at, const double **out) {
  *out = NULL;
  if (from == NULL) return GV_OK;
  gv_status status = gv_cuda_result(context,
                                    cudaMemcpyAsync(*at, from, (size_t)count * sizeof(double),
                                                    cudaMemcpyHostToDevice, raster->queue->stream),
                                    "copying the grid's tables");
  *out = *at;
  *at += (count + 1) / 2 * 2;
  return status;
}

/* For grids with cells that are triangles or that have a QTM level. */
static gv_status make_parallels(gv_context *context, gv_cuda_raster *raster) {
  gv_status status;
  void *memory = NULL;
  int64_t rows = ((int64_t)1 << raster->problem.mesh_level) + 1;
  status =
      gv_cuda_reserve(context, raster->queue, SLOT_PARALLELS, (size_t)rows * sizeof(gv::parallel), &memory);
  if (status != GV_OK) return status;
  raster->problem.parallels = (const gv::parallel *)memory;
  gv_cuda_mark_begin(raster->queue);
  gv::make_parallels<<<blocks_for(rows, 256), 256, 0, raster->queue->stream>>>(raster->problem,
                                                                               (gv::parallel *)memory);
  GV_CUDA_LAUNCHED(context, "making the mesh's parallels");
  gv_cuda_mark_end(raster->queue);
done:
  return status;
}

/* Longitudes of columns and latitudes of rows, where a pixel's place is looked up in the mesh. */
static gv_status put_places(gv_context *context, gv_cuda_raster *raster, double **at) {
  const gv_cells *cells = &raster->v->cells;
  const double *g = cells->grid.geotransform;
  int64_t w = cells->grid.width, h = cells->grid.height;
  double *place = (double *)gv_allocate(&raster->allocator, w > h ? w : h, sizeof *place), other = 0.0;
  if (place == NULL) return gv_fail_memory(context, "the grid's tables");
  for (int64_t c = 0; c < w; c++) {
    place[c] = gv_center_x(g, (double)c, 0.0);
    gv_normalize_lonlat(&place[c], &other);
  }
  gv_status status = put_table(context, raster, place, w, at, &raster->problem.longitude);
  if (status == GV_OK) status = gv_cuda_wait(context, raster->queue, "copying the grid's tables");
  for (int64_t r = 0; r < h; r++) {
    place[r] = gv_row_latitude(g, (double)r);
    gv_normalize_lonlat(&other, &place[r]);
  }
  if (status == GV_OK) status = put_table(context, raster, place, h, at, &raster->problem.latitude);
  if (status == GV_OK) status = gv_cuda_wait(context, raster->queue, "copying the grid's tables");
  gv_release(&raster->allocator, place);
  return status;
}

gv_status gv_cuda_copy_tables(gv_context *context, gv_cuda_raster *raster) {
  const gv_cells *cells = &raster->v->cells;
  gv::problem *p = &raster->problem;
  int64_t w = cells->grid.width, h = cells->grid.height;
  void *memory = NULL;
  gv_status status = GV_OK;
  if (raster->form == gv::PLACES) return gv_cuda_make_places(context, raster);
  if (raster->form == gv::MESH || raster->form == gv::TRIANGLES) status = make_parallels(context, raster);
  if (status != GV_OK || raster->form == gv::MESH) return status;
  status = gv_cuda_reserve(context, raster->queue, SLOT_TABLES, (size_t)(6 * w + 6 * h + 64) * sizeof(double),
                           &memory);
  if (status != GV_OK) return status;
  double *at = (double *)memory;
  bool globe = cells->shape == GV_CELLS_LONLAT;
  if (cells->shape != GV_CELLS_POINTS) {
    status = put_table(context, raster, cells->column_x, w, &at, &p->column_x);
    if (status == GV_OK) status = put_table(context, raster, cells->row_z, h, &at, &p->row_z);
  }
  if (raster->form == gv::TRIANGLES) status = put_places(context, raster, &at);
  if (globe) {
    if (status == GV_OK) status = put_table(context, raster, cells->column_y, w, &at, &p->column_y);
    if (status == GV_OK) status = put_table(context, raster, cells->row_p, h, &at, &p->row_p);
    if (status == GV_OK) status = put_table(context, raster, cells->half_cos, 2 * w, &at, &p->half_cos);
    if (status == GV_OK) status = put_table(context, raster, cells->half_sin, 2 * w, &at, &p->half_sin);
    if (status == GV_OK)
      status = put_table(context, raster, cells->half_sin_lat, 2 * h, &at, &p->half_sin_lat);
    if (status == GV_OK)
      status = put_table(context, raster, cells->half_cos_lat, 2 * h, &at, &p->half_cos_lat);
  }
  return status;
}

gv_status gv_cuda_copy_seeds(gv_context *context, gv_cuda_raster *raster) {
  const gv_voronoi *v = raster->v;
  int64_t n = v->seeds.count;
  void *memory = NULL;
  gv_status status;
  gv::seed *host = (gv::seed *)gv_allocate(&raster->allocator, n, sizeof *host);
  if (host == NULL) return gv_fail_memory(context, "the seeds");
  for (int64_t i = 0; i < n; i++) {
    bool globe = v->seeds.z != NULL;
    gv::seed s = {v->seeds.x[i], globe ? v->seeds.y[i] : 0.0, globe ? v->seeds.z[i] : v->seeds.y[i],
                  v->label[i], v->seeds.site != NULL ? v->seeds.site[i] : (int32_t)i};
    host[i] = s;
  }
  status = gv_cuda_reserve(context, raster->queue, SLOT_SEEDS, (size_t)n * sizeof *host, &memory);
  if (status == GV_OK) {
    status = gv_cuda_result(context,
                            cudaMemcpyAsync(memory, host, (size_t)n * sizeof *host, cudaMemcpyHostToDevice,
                                            raster->queue->stream),
                            "copying the seeds");
  }
  if (status == GV_OK) status = gv_cuda_wait(context, raster->queue, "copying the seeds");
  raster->problem.seeds = (const gv::seed *)memory;
  gv_release(&raster->allocator, host);
  return status;
}

gv_status gv_cuda_reserve_counters(gv_context *context, gv_cuda_queue *queue) {
  const size_t bytes = (GV_CUDA_STRIPS + 1) * sizeof(gv::counters);
  void *memory = NULL;
  GV_TRY(gv_cuda_reserve(context, queue, SLOT_COUNTERS, bytes, &memory));
  return gv_cuda_reserve_pinned(context, queue, PINNED_COUNTERS, bytes, &memory);
}
