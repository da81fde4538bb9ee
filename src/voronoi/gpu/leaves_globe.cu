/*
 * Leaves by the canonical rule, on the globe.
 */
#include "voronoi/gpu/canonical_kernels.cuh"
#include "voronoi/gpu/canonical_launch.cuh"
#include "voronoi/gpu/triangle_positions.cuh"

void gv_cuda_launch_globe_leaves(const leaf_launch *l) {
  launch_canonical_leaves(l, gv::globe_kinds());
}
