/*
 * Culling short lists, a level of a strip.
 */
#include "voronoi/gpu/cull_kernels.cuh"
#include "voronoi/gpu/dispatch.cuh"
#include "voronoi/gpu/places.cuh"
#include "voronoi/gpu/raster_state.cuh"
#include "voronoi/gpu/triangle_positions.cuh"

void gv_cuda_launch_cull(const gv_cuda_raster *raster, const gv::level *parent, const gv::level *child,
                         int32_t *pool, size_t capacity, gv::counters *counters) {
  const unsigned blocks = blocks_for(window_tiles(child), gv::SHORT_WARPS);
  gv::dispatch(
      [&](auto kind) {
        gv::cull_short<kind.form, kind.norm, kind.geodesic>
            <<<blocks, gv::WARP * gv::SHORT_WARPS, 0, raster->queue->stream>>>(
                raster->problem, *parent, *child, pool, capacity, counters);
      },
      gv::choose_kind(raster, gv::all_kinds()));
}
