/*
 * Culling short lists: one warp a tile.
 */
#ifndef GV_CULL_KERNELS_CUH
#define GV_CULL_KERNELS_CUH

#include "voronoi/gpu/pivots.cuh"

namespace gv {

enum {
  SHORT_WARPS = 4, /* tiles a block */
  STAGE = 128      /* survivors of a tile kept in shared memory while they are counted */
};

/* The k candidates of a list nearest a place; how many there are. */
__device__ __forceinline__ static int choose_nearest(const problem &p, const place &to, const int32_t *list,
                                                     int32_t count, int32_t *chosen, int lane) {
  if (p.neighbors == 1) {
    int32_t id = warp_nearest(p, to, list, count, lane);
    if (lane == 0) chosen[0] = id;
    return 1;
  }
  int found = 0;
  unsigned long long last = 0;
  for (; found < p.neighbors; found++) {
    unsigned long long least = no_key;
    for (int32_t n = lane; n < count; n += WARP) {
      unsigned long long key = nearness(to, seed_place(p.seeds, list[n]), list[n]);
      if (key < least && (found == 0 || key > last)) least = key;
    }
    least = warp_least(least);
    if (least == no_key) break;
    if (lane == 0) chosen[found] = (int32_t)(uint32_t)least;
    last = least;
  }
  return found;
}

/* One warp a tile. Culls against the seeds nearest the middle first; if more than a few are left, also
 * against those nearest the corners of the bound. */
template <int FORM, int NORM, bool GEODESIC>
__global__ void __launch_bounds__(WARP *SHORT_WARPS)
    cull_short(const __grid_constant__ problem p, const __grid_constant__ level parent,
               const __grid_constant__ level child, int32_t *pool, unsigned long long capacity,
               counters *count) {
  __shared__ pivot shared_pivots[SHORT_WARPS][MOST_PIVOTS];
  __shared__ int32_t shared_chosen[SHORT_WARPS][MOST_PIVOTS];
  __shared__ int32_t shared_stage[SHORT_WARPS][STAGE];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  int64_t tile = (int64_t)blockIdx.x * SHORT_WARPS + warp;
  if (tile >= (int64_t)child.across * child.down) return;
  int32_t row = (int32_t)((uint32_t)tile / (uint32_t)child.across);
  int64_t i = child.i0 + (int32_t)(tile - (int64_t)row * child.across), j = child.j0 + row;
  int down = parent.log - child.log;
  entry from = entry_at(parent, i >> down, j >> down);
  if (from.count <= 1) {
    if (lane == 0) child.entries[tile] = from;
    return;
  }
  const int32_t *list = parent.pool + from.offset;
  bound b;
  tile_bound<FORM>(p, child.log, i, j, &b);

  pivot *pivots = shared_pivots[warp];
  int32_t *chosen = shared_chosen[warp];
  int found = choose_nearest(p, b.middle, list, from.count, chosen, lane);
  __syncwarp();
  for (int n = lane; n < found; n += WARP)
    pivots[n] = make_pivot<NORM, GEODESIC>(p, b, chosen[n]);
  __syncwarp();

  int32_t *stage = shared_stage[warp];
  int32_t kept = 0;
  for (int32_t first = 0; first < from.count; first += WARP) {
    int32_t n = first + lane, id = n < from.count ? list[n] : -1;
    bool keep = id >= 0 && survives<NORM>(p, b, pivots, found, seed_place(p.seeds, id));
    uint32_t who = __ballot_sync(everyone, keep);
    int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    if (keep && at < STAGE) stage[at] = id;
    kept += __popc(who);
  }
  __syncwarp();
  if (kept > FEW && kept > p.neighbors) {
    bool staged = kept <= STAGE;
    const int32_t *rest = staged ? stage : list;
    int32_t left = staged ? kept : from.count;
    int all = found;
    for (int c = 0; c < CORNERS; c++) {
      int32_t id = warp_nearest(p, pivots_corner_of(b, c), rest, left, lane);
      bool known = false;
      for (int n = lane; n < all; n += WARP)
        known = known || chosen[n] == id;
      if (__any_sync(everyone, known)) continue;
      if (lane == 0) chosen[all] = id;
      all++;
      __syncwarp();
    }
    if (lane < all - found) pivots[found + lane] = make_pivot<NORM, GEODESIC>(p, b, chosen[found + lane]);
    found = all;
    __syncwarp();
    kept = 0;
    for (int32_t first = 0; first < left; first += WARP) {
      int32_t n = first + lane, id = n < left ? rest[n] : -1;
      bool keep = id >= 0 && survives<NORM>(p, b, pivots, found, seed_place(p.seeds, id));
      uint32_t who = __ballot_sync(everyone, keep);
      int32_t at = kept + __popc(who & ((1U << lane) - 1U));
      __syncwarp(); /* a list staged is narrowed in its own place */
      if (keep && at < STAGE) stage[at] = id;
      kept += __popc(who);
      __syncwarp();
    }
  }
  unsigned long long offset = 0;
  if (lane == 0 && kept > 1) offset = atomicAdd(&count->pool, (unsigned long long)kept);
  offset = __shfl_sync(everyone, offset, 0);
  bool room = offset + (unsigned long long)kept <= capacity;
  if (lane == 0) {
    entry made = {kept == 1 ? seed_label(p.seeds, stage[0]) : (int64_t)offset, room ? kept : -1, stage[0]};
    child.entries[tile] = made;
  }
  if (kept <= 1 || !room) return;
  int32_t *to = pool + offset;
  if (kept <= STAGE) {
    for (int32_t n = lane; n < kept; n += WARP)
      to[n] = stage[n];
    return;
  }
  kept = 0;
  for (int32_t first = 0; first < from.count; first += WARP) {
    int32_t n = first + lane, id = n < from.count ? list[n] : -1;
    bool keep = id >= 0 && survives<NORM>(p, b, pivots, found, seed_place(p.seeds, id));
    uint32_t who = __ballot_sync(everyone, keep);
    if (keep) to[kept + __popc(who & ((1U << lane) - 1U))] = id;
    kept += __popc(who);
  }
}

} // namespace gv

#endif
