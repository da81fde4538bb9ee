/*
 * Leaves by the canonical rule, on the plane.
 */
#include "voronoi/gpu/canonical_kernels.cuh"
#include "voronoi/gpu/canonical_launch.cuh"

void gv_cuda_launch_plane_leaves(const leaf_launch *l) {
  launch_canonical_leaves(l, gv::plane_kinds());
}
