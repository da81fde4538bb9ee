/*
 * Leaves of the QTM mesh decided by exact distances, for the nearest seed: at the poles, with many
 * candidates, or cells that the float filter leaves undecided.
 */
#ifndef GV_MESH_PATCHES_CUH
#define GV_MESH_PATCHES_CUH

#include "voronoi/gpu/hand_over.cuh"
#include "voronoi/gpu/mesh_positions.cuh"
#include "voronoi/gpu/pivots.cuh"

namespace gv {

enum {
  PATCH_LOG = 6,   /* cells of a span that one lane culls for */
  MESH_STAGE = 128 /* candidates of a leaf kept in shared memory */
};

/* A leaf and its output. */
struct leaf_span {
  part at;
  int64_t first; /* cell */
  int32_t *out;
};

/* One lane: the only seed that can own a cell of a part, or -1. */
template <bool GEODESIC>
__device__ static int32_t only_candidate(const problem &p, const part &t, const int32_t *list,
                                         int32_t candidates) {
  bound b;
  mesh_bound(p, t, &b);
  double least = CUDART_INF;
  int32_t nearest = list[0];
  for (int32_t n = 0; n < candidates; n++) {
    double distance = square(seed_place(p.seeds, list[n]), b.middle);
    if (distance < least) {
      least = distance;
      nearest = list[n];
    }
  }
  pivot by = make_pivot<SQUARE, GEODESIC>(p, b, nearest);
  for (int32_t n = 0; n < candidates; n++) {
    if (list[n] != nearest && !dominates<SQUARE>(p, b, by, seed_place(p.seeds, list[n]))) return -1;
  }
  return nearest;
}

/* The exact rule for one cell; `open`: another seed is within the slack of geodesics. */
template <bool GEODESIC>
__device__ static int32_t decide_cell(const problem &p, const part &cell, const int32_t *list,
                                      int32_t candidates, bool *open) {
  place at = center_of(p, cell);
  double best = CUDART_INF, second = CUDART_INF;
  int32_t winner = INT32_MAX;
  for (int32_t n = 0; n < candidates; n++) {
    int32_t id = list[n];
    double value = canonical<SQUARE>(at, seed_place(p.seeds, id));
    if (GEODESIC) second = fmin(second, fmax(value, best));
    if (value < best || (value == best && id < winner)) {
      best = value;
      winner = id;
    }
  }
  *open = GEODESIC && !(second > best + gv_chord_slack(&p.chords, sqrt(best)));
  return seed_label(p.seeds, winner);
}

/* A leaf with cells decided by exact distances: each lane culls for one span of 64 of them; undecided spans
 * are decided cell by cell. */
template <bool GEODESIC>
__device__ static __noinline__ void decide_patches(const problem &p, const target &t, const leaf_span &leaf,
                                                   const int32_t *list, int32_t candidates, int32_t *stage,
                                                   const open_list &open, counters *count, int lane) {
  const int32_t leaf_log = 2 * leaf.at.bits, cells = 1 << leaf_log;
  bound b;
  mesh_bound(p, leaf.at, &b);

  /* Candidates that are left for this span; a list too long for the stage is used unchanged. */
  const int32_t nearest = warp_nearest(p, b.middle, list, candidates, lane);
  const pivot by = make_pivot<SQUARE, GEODESIC>(p, b, nearest);
  int32_t kept = 0;
  for (int32_t first = 0; first < candidates; first += WARP) {
    int32_t n = first + lane, id = n < candidates ? list[n] : -1;
    bool keep = id >= 0 && (id == nearest || !dominates<SQUARE>(p, b, by, seed_place(p.seeds, id)));
    uint32_t who = __ballot_sync(everyone, keep);
    int32_t at = kept + __popc(who & ((1U << lane) - 1U));
    if (keep && at < MESH_STAGE) stage[at] = id;
    kept += __popc(who);
  }
  __syncwarp();
  if (kept == 1) {
    fill_span(leaf.out, cells, seed_label(p.seeds, nearest), lane);
    return;
  }
  if (kept <= MESH_STAGE) {
    list = stage;
    candidates = kept;
  }

  int32_t patch_log = leaf_log < PATCH_LOG ? leaf_log : PATCH_LOG, patches = cells >> patch_log, only = -1;
  if (lane < patches) {
    part patch = descend(leaf.at, lane, (leaf_log - patch_log) / 2);
    only = only_candidate<GEODESIC>(p, patch, list, candidates);
  }
  int64_t list_at = -2;
  for (int32_t patch = 0; patch < patches; patch++) {
    int32_t owner = __shfl_sync(everyone, only, patch);
    int32_t *to = leaf.out + ((int64_t)patch << patch_log);
    if (owner >= 0) {
      fill_span(to, 1 << patch_log, seed_label(p.seeds, owner), lane);
      continue;
    }
    for (int32_t cell = 0; cell < 1 << patch_log; cell += WARP) {
      bool inside = cell + lane < 1 << patch_log, doubt;
      int32_t within = (patch << patch_log) + (inside ? cell + lane : 0);
      int32_t label =
          decide_cell<GEODESIC>(p, descend(leaf.at, within, leaf.at.bits), list, candidates, &doubt);
      if (inside) to[cell + lane] = label;
      if (GEODESIC) {
        doubt = doubt && inside;
        if (__any_sync(everyone, doubt) && list_at == -2) {
          list_at = reserve_ids(count, open, candidates, lane);
          for (int32_t n = lane; n < candidates && list_at >= 0; n += WARP)
            open.id[list_at + n] = list[n];
        }
        if (doubt) hand_over(t, count, open, leaf.first + within, 0, list_at, candidates);
      }
    }
  }
}

} // namespace gv

#endif
