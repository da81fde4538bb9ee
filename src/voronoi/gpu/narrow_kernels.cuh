/*
 * Narrowing long lists: several blocks a tile, in passes that find the pivots, count the survivors and write
 * them. The upper levels, where a tile has thousands of candidates, go through groups of seeds (groups.cuh):
 * a group is out when all of its seeds are.
 */
#ifndef GV_NARROW_KERNELS_CUH
#define GV_NARROW_KERNELS_CUH

#include "voronoi/gpu/groups.cuh"

namespace gv {

enum { LONG_THREADS = 256 };

/* Of every tile of a level, while it is made. */
struct tile_work {
  /* tiles x (k + CORNERS): its pivots: the k nearest the middle, then the corners' */
  unsigned long long *key;
  uint32_t *part; /* tiles x blocks of a tile: survivors each block has, then where it puts them */
  uint32_t *bits; /* tiles x words: who survives, by place among the parent's candidates */
  int64_t words;  /* enough for the parents' longest list */
};

__global__ void clear_work(const __grid_constant__ tile_work work, int64_t keys) {
  int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (at < keys) work.key[at] = no_key;
}

/* The candidates of a parent's list; 0 if its tile is finished: no candidate is left, or one seed. */
template <int WHAT> __device__ static inline int64_t candidates_of(const entry &from) {
  if (WHAT == SEEDS) return from.count > 1 ? from.count : 0;
  return WHAT == MEMBERS ? (int64_t)from.count * GROUP : from.count;
}

/* One of them; -1 after the last of the last group. */
template <int WHAT>
__device__ static inline int32_t candidate(const problem &p, const int32_t *list, int64_t n) {
  if (WHAT != MEMBERS) return list[n];
  int64_t at = (int64_t)list[n / GROUP] * GROUP + n % GROUP;
  return at < p.count ? p.members[at] : -1;
}

template <int WHAT> __device__ static inline place candidate_place(const problem &p, int32_t id) {
  return WHAT == GROUPS ? groups_ball_of(p, id).middle : seed_place(p.seeds, id);
}

/* State that all passes begin with: the block's tile, its parent's list, its bound. False: the tile needs no
 * work. */
struct long_tile {
  int64_t tile;
  const int32_t *list;
  int64_t count; /* of candidates */
  bound b;
};

template <int FORM, int WHAT>
__device__ static bool enter_tile(const problem &p, const level &parent, const level &child,
                                  long_tile *shared) {
  if (threadIdx.x == 0) {
    int64_t tile = blockIdx.x;
    int64_t i = child.i0 + tile % child.across, j = child.j0 + tile / child.across;
    int down = parent.log - child.log;
    entry from = entry_at(parent, i >> down, j >> down);
    shared->tile = tile;
    shared->list = parent.pool + from.offset;
    shared->count = candidates_of<WHAT>(from);
    if (shared->count > 0) tile_bound<FORM>(p, child.log, i, j, &shared->b);
  }
  __syncthreads();
  return shared->count > 0;
}

/* Pass 1, once for each of the k pivots near the middle: the nearest that is farther than the one before. The
 * first time also those nearest the corners. */
template <int FORM, int WHAT>
__global__ void __launch_bounds__(LONG_THREADS)
    long_pivot(const __grid_constant__ problem p, const __grid_constant__ level parent,
               const __grid_constant__ level child, const __grid_constant__ tile_work work, int32_t number) {
  __shared__ long_tile t;
  if (!enter_tile<FORM, WHAT>(p, parent, child, &t)) return;
  const int lane = threadIdx.x % WARP, corners = number == 0 ? CORNERS : 0;
  unsigned long long *keys = work.key + t.tile * (p.neighbors + CORNERS);
  unsigned long long last = number > 0 ? keys[number - 1] : 0, least = no_key, corner[CORNERS];
  place at[CORNERS];
#pragma unroll
  for (int c = 0; c < CORNERS; c++) {
    corner[c] = no_key;
    at[c] = pivots_corner_of(t.b, c);
  }
  for (int64_t n = (int64_t)blockIdx.y * LONG_THREADS + threadIdx.x; n < t.count;
       n += (int64_t)gridDim.y * LONG_THREADS) {
    int32_t id = candidate<WHAT>(p, t.list, n);
    if (id < 0) continue;
    place s = candidate_place<WHAT>(p, id);
    unsigned long long key = nearness(t.b.middle, s, id);
    if (key < least && (number == 0 || key > last)) least = key;
    if (corners > 0) {
#pragma unroll
      for (int c = 0; c < CORNERS; c++) {
        key = nearness(at[c], s, id);
        corner[c] = key < corner[c] ? key : corner[c];
      }
    }
  }
  least = warp_least(least);
  if (lane == 0 && least != no_key) atomicMin(&keys[number], least);
  if (corners == 0) return;
#pragma unroll
  for (int c = 0; c < CORNERS; c++) {
    least = warp_least(corner[c]);
    if (lane == 0 && least != no_key) atomicMin(&keys[p.neighbors + c], least);
  }
}

/* All threads of a block; each seed once. */
template <int NORM, bool GEODESIC, int WHAT>
__device__ static int load_pivots(const problem &p, const long_tile &t, const tile_work &work, pivot *pivots,
                                  int32_t *chosen, int *shared_found) {
  if (threadIdx.x == 0) {
    const unsigned long long *keys = work.key + t.tile * (p.neighbors + CORNERS);
    int found = 0;
    for (int n = 0; n < p.neighbors + CORNERS; n++) {
      if (keys[n] == no_key) continue;
      int32_t id = (int32_t)(uint32_t)keys[n];
      if (WHAT == GROUPS) id = p.groups[id].speaker;
      bool known = false;
      for (int m = 0; m < found; m++)
        known = known || chosen[m] == id;
      if (!known) chosen[found++] = id;
    }
    *shared_found = found;
  }
  __syncthreads();
  for (int n = threadIdx.x; n < *shared_found; n += LONG_THREADS)
    pivots[n] = make_pivot<NORM, GEODESIC>(p, t.b, chosen[n]);
  __syncthreads();
  return *shared_found;
}

/* Pass 2: how many survive, block by block. */
template <int FORM, int NORM, bool GEODESIC, int WHAT>
__global__ void __launch_bounds__(LONG_THREADS)
    long_count(const __grid_constant__ problem p, const __grid_constant__ level parent,
               const __grid_constant__ level child, const __grid_constant__ tile_work work) {
  __shared__ long_tile t;
  __shared__ pivot pivots[MOST_PIVOTS];
  __shared__ int32_t chosen[MOST_PIVOTS];
  __shared__ int shared_found;
  __shared__ uint32_t total;
  if (threadIdx.x == 0) total = 0;
  if (!enter_tile<FORM, WHAT>(p, parent, child, &t)) return;
  int found = load_pivots<NORM, GEODESIC, WHAT>(p, t, work, pivots, chosen, &shared_found);
  uint32_t kept = 0, *bits = work.bits + t.tile * work.words;
  double generators = 0.0; /* their lengths */
  if (WHAT == GROUPS) {
    const place origin = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++)
      generators += sqrt(square(t.b.generator[k], origin));
  }
  for (int64_t first = (int64_t)blockIdx.y * LONG_THREADS; first < t.count;
       first += (int64_t)gridDim.y * LONG_THREADS) {
    int64_t n = first + threadIdx.x;
    int32_t id = n < t.count ? candidate<WHAT>(p, t.list, n) : -1;
    bool keep = id >= 0;
    if (keep && WHAT == GROUPS) {
      keep = group_survives(p, t.b, pivots, found, groups_ball_of(p, id), generators);
    } else if (keep) {
      keep = survives<NORM>(p, t.b, pivots, found, seed_place(p.seeds, id));
    }
    uint32_t who = __ballot_sync(everyone, keep);
    if (threadIdx.x % WARP == 0 && n < t.count) bits[n / WARP] = who;
    kept += (uint32_t)__popc(who);
  }
  if (threadIdx.x % WARP == 0 && kept > 0) atomicAdd(&total, kept);
  __syncthreads();
  if (threadIdx.x == 0) work.part[t.tile * gridDim.y + blockIdx.y] = total;
}

/* Between: places in the pool, for tiles and for the blocks that write them. */
template <int WHAT>
__global__ void long_place(const __grid_constant__ level parent, const __grid_constant__ level child,
                           const __grid_constant__ tile_work work, int32_t parts, counters *count) {
  int64_t tile = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (tile >= (int64_t)child.across * child.down) return;
  int64_t i = child.i0 + tile % child.across, j = child.j0 + tile / child.across;
  int down = parent.log - child.log;
  entry from = entry_at(parent, i >> down, j >> down);
  if (candidates_of<WHAT>(from) > 0) {
    uint32_t kept = 0;
    for (int32_t n = 0; n < parts; n++) {
      uint32_t here = work.part[tile * parts + n];
      work.part[tile * parts + n] = kept;
      kept += here;
    }
    from.offset = (int64_t)atomicAdd(&count->pool, (unsigned long long)kept);
    from.count = (int32_t)kept;
    atomicMax(&count->longest, kept);
    if (WHAT != GROUPS && kept == 1) from.single = -1; /* long_write finds it */
  }
  child.entries[tile] = from;
}

/* Pass 3: the survivors, in the order of the parent's list. */
template <int WHAT>
__global__ void __launch_bounds__(LONG_THREADS)
    long_write(const __grid_constant__ problem p, const __grid_constant__ level parent,
               const __grid_constant__ level child, const __grid_constant__ tile_work work, int32_t *pool) {
  __shared__ uint32_t warp_kept[2][LONG_THREADS / WARP];
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const int64_t tile = blockIdx.x;
  const int down = parent.log - child.log;
  const entry from =
      entry_at(parent, (child.i0 + tile % child.across) >> down, (child.j0 + tile / child.across) >> down);
  const int64_t candidates = candidates_of<WHAT>(from);
  if (candidates == 0) return;
  const int32_t *list = parent.pool + from.offset;
  const uint32_t *bits = work.bits + tile * work.words;
  const entry made = child.entries[tile];
  int32_t *to = pool + made.offset + work.part[tile * gridDim.y + blockIdx.y];
  int turn = 0;
  for (int64_t first = (int64_t)blockIdx.y * LONG_THREADS; first < candidates;
       first += (int64_t)gridDim.y * LONG_THREADS, turn ^= 1) {
    int64_t n = first + threadIdx.x;
    uint32_t who = n - lane < candidates ? bits[n / WARP] : 0;
    if (lane == 0) warp_kept[turn][warp] = (uint32_t)__popc(who);
    __syncthreads();
    uint32_t before = 0, all = 0;
    for (int w = 0; w < LONG_THREADS / WARP; w++) {
      before += w < warp ? warp_kept[turn][w] : 0;
      all += warp_kept[turn][w];
    }
    if (who >> lane & 1U) {
      int32_t id = candidate<WHAT>(p, list, n);
      if (WHAT != GROUPS && made.single < 0 && made.count == 1) {
        entry single = {seed_label(p.seeds, id), 1, id};
        child.entries[tile] = single;
      } else {
        to[before + __popc(who & ((1U << lane) - 1U))] = id;
      }
    }
    to += all;
  }
}

/* The top: one tile with all candidates, seeds or groups. */
__global__ void whole_list(const __grid_constant__ problem p, int32_t *ids, int32_t count, entry *root) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ids[i] = (int32_t)i;
  if (i == 0) {
    entry all = {p.count == 1 ? p.seeds[0].label : 0, count, 0};
    *root = all;
  }
}

} // namespace gv

#endif
