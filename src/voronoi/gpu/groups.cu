/*
 * Sorting the seeds into groups of neighbors, along a curve that fills the box around them.
 */
#include "search/cuda/tree.h"
#include "search/cuda/tree_curve.cuh"
#include "voronoi/gpu/positions.cuh"
#include "voronoi/gpu/raster_state.cuh"

namespace gv {

enum { CURVE_BITS = 16 /* of a coordinate: fine enough for groups */ };

/* Positions of seeds on a curve that fills the box from `low` on, of the size 1 / scale. */
__global__ void curve_keys(const __grid_constant__ problem p, place low, place scale, uint64_t *keys,
                           int32_t *ids) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.count) return;
  const double most = (double)((1 << CURVE_BITS) - 1);
  place s = seed_place(p.seeds, (int32_t)i);
  uint32_t cell[3] = {(uint32_t)fmin(fmax((s.x - low.x) * scale.x, 0.0) * most, most),
                      (uint32_t)fmin(fmax((s.y - low.y) * scale.y, 0.0) * most, most),
                      (uint32_t)fmin(fmax((s.z - low.z) * scale.z, 0.0) * most, most)};
  keys[i] = gv_hilbert<3>(cell, 3, CURVE_BITS);
  ids[i] = (int32_t)i;
}

/* One warp a group. */
__global__ void make_groups(const __grid_constant__ problem p, group *out) {
  const int lane = threadIdx.x % WARP;
  const int64_t number = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP, n = number * GROUP + lane;
  if (number * GROUP >= p.count) return;
  const int32_t id = p.members[n < p.count ? n : p.count - 1];
  const place s = seed_place(p.seeds, id);
  const place c = {0.5 * (warp_low(s.x) + warp_high(s.x)), 0.5 * (warp_low(s.y) + warp_high(s.y)),
                   0.5 * (warp_low(s.z) + warp_high(s.z))};
  const double distance2 = square(s, c), least = warp_low(distance2), radius = sqrt(warp_high(distance2));
  const uint32_t who = __ballot_sync(everyone, !(distance2 > least));
  const int32_t speaker = __shfl_sync(everyone, id, __ffs((int)who) - 1);
  if (lane == 0) out[number] = {c.x, c.y, c.z, radius * (1.0 + 1e-12), speaker, {0, 0, 0}};
}

} // namespace gv

gv_status gv_cuda_make_groups(gv_context *context, gv_cuda_raster *raster) {
  gv_status status;
  gv_cuda_queue *queue = raster->queue;
  const gv_seed_set *seeds = &raster->v->seeds;
  const double *const axis[3] = {seeds->x, seeds->z != NULL ? seeds->y : NULL,
                                 seeds->z != NULL ? seeds->z : seeds->y};
  double low[3] = {0.0, 0.0, 0.0}, scale[3] = {0.0, 0.0, 0.0};
  int64_t n = seeds->count, groups = (n + gv::GROUP - 1) / gv::GROUP;
  void *keys_memory = NULL, *ids_memory = NULL, *memory = NULL;
  for (int d = 0; d < 3; d++) {
    if (axis[d] == NULL) continue;
    double high = low[d] = axis[d][0];
    for (int64_t i = 1; i < n; i++) {
      low[d] = axis[d][i] < low[d] ? axis[d][i] : low[d];
      high = axis[d][i] > high ? axis[d][i] : high;
    }
    scale[d] = high > low[d] ? 1.0 / (high - low[d]) : 0.0;
  }
  status = gv_cuda_reserve(context, queue, SLOT_WORK, 2 * (size_t)n * sizeof(uint64_t), &keys_memory);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_MEMBERS, 2 * (size_t)n * sizeof(int32_t), &ids_memory);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, SLOT_GROUPS, (size_t)groups * sizeof(gv::group), &memory);
  if (status != GV_OK) return status;
  uint64_t *keys[2] = {(uint64_t *)keys_memory, (uint64_t *)keys_memory + n};
  int *ids[2] = {(int *)ids_memory, (int *)ids_memory + n};
  gv_cuda_mark_begin(queue);
  gv::curve_keys<<<blocks_for(n, 256), 256, 0, queue->stream>>>(
      raster->problem, {low[0], low[1], low[2]}, {scale[0], scale[1], scale[2]}, keys[0], ids[0]);
  GV_CUDA_LAUNCHED(context, "grouping the seeds");
  status = gv_tree_sort_64(context, queue, SLOT_SORT, keys, ids, (int)n, 3 * gv::CURVE_BITS);
  if (status != GV_OK) return status;
  raster->problem.members = ids[0];
  gv::make_groups<<<blocks_for(groups * gv::WARP, 256), 256, 0, queue->stream>>>(raster->problem,
                                                                                 (gv::group *)memory);
  GV_CUDA_LAUNCHED(context, "grouping the seeds");
  gv_cuda_mark_end(queue);
  raster->problem.groups = (const gv::group *)memory;
done:
  return status;
}
