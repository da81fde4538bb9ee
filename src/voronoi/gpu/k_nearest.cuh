/*
 * The canonical rule for a cell: its k nearest of a list, and whether geodesics, of which the chords are
 * compared, might order them otherwise.
 */
#ifndef GV_K_NEAREST_CUH
#define GV_K_NEAREST_CUH

#include "voronoi/gpu/positions.cuh"

namespace gv {

/* Result of a list for one cell: the K nearest in ascending order of (distance, seed), and the least distance
 * of the others. */
template <int K> struct k_nearest {
  static constexpr int unroll = K <= 9 ? K : 1; /* a small number stays in registers */
  double value[K], next;
  int32_t id[K];
};

static constexpr int32_t no_seed = INT32_MAX;

template <int NORM, int K>
__device__ static void k_nearest_cell(const problem &p, const place &cell, const int32_t *list,
                                      int32_t candidates, k_nearest<K> *best) {
#pragma unroll k_nearest < K> ::unroll
  for (int k = 0; k < K; k++) {
    best->value[k] = CUDART_INF;
    best->id[k] = no_seed;
  }
  best->next = CUDART_INF;
  for (int32_t n = 0; n < candidates; n++) {
    int32_t id = list[n];
    double value = canonical<NORM>(cell, seed_place(p.seeds, id));
    /* One of the two, the new one or the last, is not among them. */
    best->next = fmin(best->next, fmax(value, best->value[K - 1]));
    if (!(value < best->value[K - 1] || (value == best->value[K - 1] && id < best->id[K - 1]))) continue;
      /* From the end upwards: it pushes the ones that are farther down by one. */
#pragma unroll k_nearest < K> ::unroll
    for (int k = K - 1; k >= 0; k--) {
      const int above = k > 0 ? k - 1 : 0;
      bool here = value < best->value[k] || (value == best->value[k] && id < best->id[k]);
      bool higher =
          k > 0 && (value < best->value[above] || (value == best->value[above] && id < best->id[above]));
      if (k_nearest<K>::unroll < K && !here) break;
      if (here) {
        best->value[k] = higher ? best->value[above] : value;
        best->id[k] = higher ? best->id[above] : id;
      }
    }
  }
}

template <int K>
__device__ static void write_bands(const problem &p, const target &t, int32_t *out,
                                   const k_nearest<K> &best) {
#pragma unroll k_nearest < K> ::unroll
  for (int k = 0; k < K; k++) {
    if (k < p.neighbors) {
      bool there = best.id[k] != no_seed && best.value[k] <= p.beyond;
      out[k * t.band_stride] = there ? seed_label(p.seeds, best.id[k]) : p.nodata;
    }
  }
}

__device__ static __noinline__ double slack_of(const problem &p, double chord2) {
  return gv_chord_slack(&p.chords, sqrt(chord2));
}

/* True if neighbor k and the next one are seeds of one place; their order is that of their numbers. */
template <int K> __device__ static inline bool one_place(const problem &p, const k_nearest<K> &best, int k) {
  if (k + 1 >= K || best.value[k] != best.value[k + 1 < K ? k + 1 : k] ||
      best.id[k + 1 < K ? k + 1 : k] == no_seed) {
    return false;
  }
  return seed_site(p.seeds, best.id[k]) == seed_site(p.seeds, best.id[k + 1 < K ? k + 1 : k]);
}

/* By how much the next one is farther than neighbor k; infinite if that does not matter. `matters`: true
 * before the first call; stays true for seeds of one place if the first of them is written. */
template <int K>
__device__ static inline double gap_after(const problem &p, const k_nearest<K> &best, int k, bool *matters) {
  *matters = k < p.neighbors || (k > 0 && *matters && one_place(p, best, k > 0 ? k - 1 : 0));
  double next = k + 1 < K ? best.value[k + 1 < K ? k + 1 : k] : best.next;
  bool there = best.id[k] != no_seed && best.value[k] <= p.beyond && next <= p.beyond && next < CUDART_INF;
  return *matters && there && !one_place(p, best, k) ? next - best.value[k] : CUDART_INF;
}

/*
 * Geodesics, sorted by chords: whether the written neighbors are in doubt. A neighbor is certain if it is
 * certainly within the limit, and the next one is farther by more than the slack, or certainly outside the
 * limit, or a seed of the same place (then the one after it must be farther). The slack grows with the chord,
 * so the test of the last neighbor mostly suffices.
 */
template <int K> __device__ static bool in_doubt(const problem &p, const k_nearest<K> &best) {
  double least = CUDART_INF, farthest = 0.0;
  bool doubt = false, matters = true;
#pragma unroll k_nearest < K> ::unroll
  for (int k = 0; k < K; k++) {
    double gap = gap_after(p, best, k, &matters);
    if (gap < CUDART_INF) farthest = best.value[k];
    least = fmin(least, gap);
    bool there = k < p.neighbors && best.id[k] != no_seed;
    doubt = doubt || (there && best.value[k] > p.within && best.value[k] <= p.beyond);
  }
  if (doubt || least == CUDART_INF) return doubt;
  if (least > slack_of(p, farthest)) return false;
  matters = true;
#pragma unroll k_nearest < K> ::unroll
  for (int k = 0; k < K; k++) {
    double gap = gap_after(p, best, k, &matters);
    doubt = doubt || (gap < CUDART_INF && !(gap > slack_of(p, best.value[k])));
  }
  return doubt;
}

} // namespace gv

#endif
