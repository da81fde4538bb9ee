/* The only exported symbol of libgpuvoronoi_cuda.so (search/cuda_module.h). */
#include "search/cuda/brute.cuh"
#include "search/cuda/devices.h"
#include "search/cuda/tree.h"
#include "search/cuda/tree_queries.h"
#include "voronoi/gpu/distances.h"
#include "voronoi/gpu/raster.h"

extern "C" {
extern const gv_array_device gv_cuda_arrays;
extern const gv_measure_device gv_cuda_measuring;            /* distances.cu */
extern const struct gv_statistics_device gv_cuda_statistics; /* statistics/device_sums.cu */
extern const struct gv_cost_device gv_cuda_cost;             /* cost/cuda/tile.cu */
extern const struct gv_edges_device gv_cuda_edges;           /* features/cuda/nearest.cu */
}

static const gv_raster_device raster = {gv_cuda_raster_open,     gv_cuda_raster_close,   gv_cuda_raster_start,
                                        gv_cuda_raster_finish,   gv_cuda_raster_patch,   gv_cuda_raster_fetch,
                                        gv_cuda_raster_start_at, gv_cuda_raster_deliver, gv_cuda_raster_put};

gv_copy_fn *gv_cuda_copy;

static gv_cuda_module module_make(void) {
  gv_cuda_module m = {};
  m.version = GV_VERSION_STRING;
  m.size = GV_CUDA_MODULE_SIZE;
  m.device_count = gv_cuda_device_count;
  m.device_get = gv_cuda_device_get;
  m.device_fill_seconds = gv_cuda_fill_seconds;
  m.usable_devices = gv_cuda_usable_devices;
  m.probe = gv_cuda_probe_device;
  m.started = gv_cuda_device_started;
  m.search[GV_BACKEND_CUDA_MATRIX] = &gv_search_cuda_matrix;
  m.search[GV_BACKEND_CUDA_CUBLAS] = &gv_search_cuda_cublas;
  m.search[GV_BACKEND_CUDA_THRUST] = &gv_search_cuda_thrust;
  m.search[GV_BACKEND_CUDA_GLOBAL] = &gv_search_cuda_global;
  m.search[GV_BACKEND_CUDA_SOA] = &gv_search_cuda_soa;
  m.search[GV_BACKEND_CUDA_SHARED] = &gv_search_cuda_shared;
  m.search[GV_BACKEND_CUDA_CONSTANT] = &gv_search_cuda_constant;
  m.search[GV_BACKEND_CUDA_REGISTER] = &gv_search_cuda_register;
  m.search[GV_BACKEND_CUDA_TENSOR] = &gv_search_cuda_tensor;
  m.search[GV_BACKEND_CUDA_TEXTURE] = &gv_search_cuda_texture;
  m.search[GV_BACKEND_CUDA_MULTIBLOCK] = &gv_search_cuda_multiblock;
  m.search[GV_BACKEND_CUDA_MULTIGPU] = &gv_search_cuda_multigpu;
  m.search[GV_BACKEND_CUDA_KDTREE] = &gv_search_cuda_kdtree;
  m.search[GV_BACKEND_CUDA_OCTREE] = &gv_search_cuda_octree;
  m.raster = &raster;
  m.measuring = &gv_cuda_measuring;
  m.statistics = &gv_cuda_statistics;
  m.cost = &gv_cuda_cost;
  m.edges = &gv_cuda_edges;
  m.arrays = &gv_cuda_arrays;
  m.tree_radius = gv_cuda_tree_radius;
  return m;
}

extern "C" __attribute__((visibility("default"))) const gv_cuda_module *
gv_cuda_module_offer(gv_copy_fn *copy) {
  gv_cuda_copy = copy;
  static const gv_cuda_module offered = module_make();
  return &offered;
}
