/*
 * Launching leaves by the canonical rule, for the kinds of raster of a list.
 */
#ifndef GV_CANONICAL_LAUNCH_CUH
#define GV_CANONICAL_LAUNCH_CUH

#include "voronoi/gpu/canonical_kernels.cuh"
#include "voronoi/gpu/dispatch.cuh"
#include "voronoi/gpu/raster_state.cuh"

template <class KINDS> static void launch_canonical_leaves(const leaf_launch *l, KINDS kinds) {
  const gv_cuda_raster *raster = l->raster;
  const quad_grid g = quad_grid_of(l);
  gv::dispatch(
      [&](auto kind, auto k) {
        gv::leaf_canonical<kind.form, kind.norm, gv::kept_k(k.value, kind.geodesic), kind.geodesic>
            <<<g.blocks, gv::WARP * gv::LEAF_WARPS, 0, raster->queue->stream>>>(
                raster->problem, *l->lists, l->strip->target, g.quads, *l->open, l->counters);
      },
      gv::choose_kind(raster, kinds), gv::choose_k(raster->v->k));
}

#endif
