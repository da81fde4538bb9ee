/*
 * Leaves of rasters that the float filter is for.
 */
#include "voronoi/gpu/dispatch.cuh"
#include "voronoi/gpu/filter_kernels.cuh"
#include "voronoi/gpu/raster_state.cuh"

void gv_cuda_launch_filter_leaves(const leaf_launch *l) {
  const gv_cuda_raster *raster = l->raster;
  const quad_grid g = quad_grid_of(l);
  gv::dispatch(
      [&](auto kind, auto side, auto limited) {
        gv::leaf_float<kind.form, kind.geodesic, side.value, limited.value>
            <<<g.blocks, gv::WARP * gv::LEAF_WARPS, 0, raster->queue->stream>>>(
                raster->problem, *l->lists, l->strip->target, g.quads, *l->open, l->counters);
      },
      gv::choose_kind(raster, gv::filter_kinds()), gv::choose<16, 32, 64>(1 << raster->side_log),
      gv::choose<false, true>(raster->limited));
}
