/*
 * Leaves of the QTM mesh and of lists.
 */
#include "voronoi/gpu/dispatch.cuh"
#include "voronoi/gpu/mesh_k_kernels.cuh"
#include "voronoi/gpu/mesh_kernels.cuh"
#include "voronoi/gpu/raster_state.cuh"

void gv_cuda_launch_mesh_leaves(const leaf_launch *l) {
  const gv_cuda_raster *raster = l->raster;
  const gv::target &t = l->strip->target;
  const gv::level spans = window(&l->strip->cells, raster->side_log);
  const unsigned blocks = blocks_for(spans.across, gv::LEAF_WARPS), threads = gv::WARP * gv::LEAF_WARPS;
  cudaStream_t stream = raster->queue->stream;
  if (raster->filter) {
    gv::dispatch(
        [&](auto kind) {
          gv::leaf_mesh<kind.geodesic>
              <<<blocks, threads, 0, stream>>>(raster->problem, *l->lists, t, spans, *l->open, l->counters);
        },
        gv::choose_kind(raster, gv::mesh_kinds()));
  } else {
    gv::dispatch(
        [&](auto kind, auto k) {
          gv::leaf_of_span<kind.form, gv::kept_k(k.value, kind.geodesic), kind.geodesic>
              <<<blocks, threads, 0, stream>>>(raster->problem, *l->lists, t, spans, *l->open, l->counters);
        },
        gv::choose_kind(raster, gv::mesh_kinds()), gv::choose_k(raster->v->k));
  }
}
