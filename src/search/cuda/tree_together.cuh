/*
 * Searching a tree for 32 or 64 queries at once that are neighbors on the Hilbert curve, one or two a lane of
 * a warp: the children of a node are tested against the box around the queries, a lane a child, and a leaf's
 * points against all queries. Each loaded point is compared with all of them; lanes do not diverge. A lane
 * keeps its best points in registers, or its k best as a heap in shared memory.
 */
#ifndef GV_CUDA_TREE_TOGETHER_CUH
#define GV_CUDA_TREE_TOGETHER_CUH

#include "search/cuda/tree_margin.cuh"

enum {
  TOGETHER_THREADS = 128,
  TOGETHER_LIST_THREADS = 32, /* one warp: lists take up to 47 KB */
  TOGETHER_MAX_DIM = 4,
  TOGETHER_MAX_K = 100,
  TOGETHER_LEAVES = 512, /* that a search for one neighbor reads; 20 are usual */
  WAITING = 16,          /* places for points that wait to enter a lane's heap; a leaf adds up to 8 */
  /* of lists in shared memory, so that a list and a row of lists are both free of bank conflicts */
  PITCH = 33
};

/* EACH queries a lane: the best of each in registers if SINGLE, else EACH is 1 and it has a list. */
template <int DIM, int METRIC, bool SINGLE, int EACH> struct together {
  double q[EACH][DIM], low[DIM], high[DIM]; /* the lane's queries, the box around all of the warp */
  int self[EACH];
  double worst[EACH]; /* a point enters when it is before (worst, worst_number) */
  int worst_number[EACH];
  unsigned limit_key;
  bool first_round;
  int leaves_left; /* SINGLE: 0 when the search is given up */
  /* Lists: the lane's columns, PITCH apart; the heap's root is the worst. */
  int k, waiting;
  double *value, *wait_value;
  int *number, *wait_number;

  __device__ __forceinline__ void set_limit_key() {
    unsigned key = key_of(worst[0]);
#pragma unroll
    for (int e = 1; e < EACH; e++)
      key = key_of(worst[e]) > key ? key_of(worst[e]) : key;
    limit_key = warp_max(key);
  }

  __device__ __forceinline__ unsigned open(const gv_tree_view &tree, int level, int node) {
    const int lane = (int)(threadIdx.x % WARP);
    /* The limit of the warp: the greatest (worst, worst_number). */
    double mine = worst[0];
    int mine_number = worst_number[0];
#pragma unroll
    for (int e = 1; e < EACH; e++) {
      if (before(mine, mine_number, worst[e], worst_number[e])) {
        mine = worst[e];
        mine_number = worst_number[e];
      }
    }
    unsigned upper = warp_max(key_of(mine));
    bool at = key_of(mine) == upper;
    unsigned lower = warp_max(at ? (unsigned)__double2loint(mine) : 0u);
    at = at && (unsigned)__double2loint(mine) == lower;
    int limit_number = (int)warp_max(at ? (unsigned)mine_number : 0u);
    double limit = __hiloint2double((int)upper, (int)lower);
    int64_t child = (int64_t)node * GV_TREE_FAN + lane;
    if (child >= tree.children[level] || (SINGLE && leaves_left == 0)) return NONE;
    int least = tree.least[level][child];
    double bound = child_bound<METRIC, DIM>(tree, level, node, low, high, lane);
    if (first_round ? bound > 0.0 : level == 0 && bound == 0.0) return NONE;
    return before(bound, least, limit, limit_number) ? key_of(bound) : NONE;
  }

  __device__ __forceinline__ void leaves(const gv_tree_view &tree, int node, unsigned key) {
    const int lane = (int)(threadIdx.x % WARP);
    for (;;) {
      unsigned nearest = warp_min(key);
      if (nearest > limit_key || (SINGLE && leaves_left == 0)) return;
      if (SINGLE) leaves_left--;
      int pick = __ffs((int)__ballot_sync(0xffffffffu, key == nearest)) - 1;
      if (lane == pick) key = NONE;
      look(tree, node * GV_TREE_FAN + pick);
      set_limit_key();
    }
  }

  /* The eight points of a leaf; all lanes load the same. For k = 1 the search is bound by loads from the
   * first-level cache: so a point is used for several queries of a lane, and numbers are loaded only when
   * needed. */
  __device__ __forceinline__ void look(const gv_tree_view &tree, int leaf) {
    const double *points = tree.points + (int64_t)leaf * (DIM * GV_TREE_LEAF);
#pragma unroll
    for (int j = 0; j < GV_TREE_LEAF; j += 4) {
      double distance[EACH][4];
#pragma unroll
      for (int d = 0; d < DIM; d++) {
        double2 a = *(const double2 *)(points + d * GV_TREE_LEAF + j);
        double2 b = *(const double2 *)(points + d * GV_TREE_LEAF + j + 2);
#pragma unroll
        for (int e = 0; e < EACH; e++) {
          distance[e][0] = add_difference<METRIC>(d > 0 ? distance[e][0] : 0.0, q[e][d] - a.x, d == 0);
          distance[e][1] = add_difference<METRIC>(d > 0 ? distance[e][1] : 0.0, q[e][d] - a.y, d == 0);
          distance[e][2] = add_difference<METRIC>(d > 0 ? distance[e][2] : 0.0, q[e][d] - b.x, d == 0);
          distance[e][3] = add_difference<METRIC>(d > 0 ? distance[e][3] : 0.0, q[e][d] - b.y, d == 0);
        }
      }
      bool near = false; /* seldom, once the nearest leaves have been seen */
#pragma unroll
      for (int e = 0; e < EACH; e++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
          near = near || distance[e][i] <= worst[e];
      }
      if (!near) continue;
      int4 four = *(const int4 *)(tree.numbers + (int64_t)leaf * GV_TREE_LEAF + j);
      int n[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int e = 0; e < EACH; e++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          if (n[i] == self[e] || !before(distance[e][i], n[i], worst[e], worst_number[e])) continue;
          if (SINGLE) {
            worst[e] = distance[e][i];
            worst_number[e] = n[i];
          } else {
            wait_value[waiting * PITCH] = distance[e][i];
            wait_number[waiting * PITCH] = n[i];
            waiting++;
          }
        }
      }
    }
    if (!SINGLE && __any_sync(0xffffffffu, waiting > WAITING - GV_TREE_LEAF)) take_in();
  }

  __device__ __forceinline__ void sift_down(int count, double v, int id) {
    int hole = 0;
    for (;;) {
      int child = 2 * hole + 1;
      if (child >= count) break;
      double cv = value[child * PITCH];
      int cn = number[child * PITCH];
      if (child + 1 < count) {
        double rv = value[(child + 1) * PITCH];
        int rn = number[(child + 1) * PITCH];
        if (before(cv, cn, rv, rn)) {
          cv = rv;
          cn = rn;
          child++;
        }
      }
      if (!before(v, id, cv, cn)) break;
      value[hole * PITCH] = cv;
      number[hole * PITCH] = cn;
      hole = child;
    }
    value[hole * PITCH] = v;
    number[hole * PITCH] = id;
  }

  /* The waiting points enter the heap. */
  __device__ __forceinline__ void take_in() {
    for (int i = 0; i < waiting; i++) {
      double v = wait_value[i * PITCH];
      int id = wait_number[i * PITCH];
      if (before(v, id, worst[0], worst_number[0])) {
        sift_down(k, v, id);
        worst[0] = value[0];
        worst_number[0] = number[0];
      }
    }
    waiting = 0;
    __syncwarp();
  }

  __device__ __forceinline__ void sort() {
    for (int last = k - 1; last > 0; last--) {
      double v = value[last * PITCH];
      int id = number[last * PITCH];
      value[last * PITCH] = value[0];
      number[last * PITCH] = number[0];
      sift_down(last, v, id);
    }
  }
};

/* Shared memory a warp: the stack; with lists the heaps, the waiting values, and both their numbers. */
static __host__ __device__ __forceinline__ size_t together_bytes(int k, bool single) {
  size_t stack = sizeof(unsigned) * GV_TREE_LEVELS * WARP;
  size_t places = single ? 0 : (size_t)(k + WAITING) * PITCH;
  return stack + places * sizeof(double) + (places + 1) / 2 * 2 * sizeof(int);
}

/* undecided: of SINGLE, as of search_filtered, for groups that have read TOGETHER_LEAVES leaves; counts: the
 * number of their queries. Gain: 4x for k = 1 on 10^7 points in 100 clusters in 3-D (one H200): some boxes
 * around 32 queries contain a cluster. */
template <int DIM, int METRIC, bool SINGLE, int EACH>
static __global__ void __launch_bounds__(SINGLE ? TOGETHER_THREADS : TOGETHER_LIST_THREADS)
    search_together(const __grid_constant__ gv_tree_view tree, const __grid_constant__ chunk_view chunk,
                    int *undecided, filtered_counts *counts) {
  extern __shared__ double shared[];
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP);
  int64_t first = ((int64_t)blockIdx.x * (blockDim.x / WARP) + warp) * (WARP * EACH);
  if (first >= chunk.count) return;

  together<DIM, METRIC, SINGLE, EACH> s;
  int query[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    /* Places past the last query repeat it and write nothing. */
    int64_t place = first + e * WARP + lane < chunk.count ? first + e * WARP + lane : chunk.count - 1;
    query[e] = chunk.order != NULL ? chunk.order[place] : (int)place;
    const double *at = chunk.data + (int64_t)query[e] * DIM;
#pragma unroll
    for (int d = 0; d < DIM; d++) {
      double x = at[d];
      s.q[e][d] = x;
      s.low[d] = e > 0 && s.low[d] < x ? s.low[d] : x;
      s.high[d] = e > 0 && s.high[d] > x ? s.high[d] : x;
    }
    s.self[e] = chunk.first_self < 0 ? -1 : (int)(chunk.first_self + query[e]);
    s.worst[e] = chunk.limit;
    s.worst_number[e] = GV_TREE_NO_INDEX;
  }
#pragma unroll
  for (int d = 0; d < DIM; d++) {
#pragma unroll
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
      double low = __shfl_xor_sync(0xffffffffu, s.low[d], apart),
             high = __shfl_xor_sync(0xffffffffu, s.high[d], apart);
      s.low[d] = low < s.low[d] ? low : s.low[d];
      s.high[d] = high > s.high[d] ? high : s.high[d];
    }
  }
  s.limit_key = key_of(chunk.limit);
  s.k = chunk.k;
  s.waiting = 0;
  s.leaves_left = TOGETHER_LEAVES;
  double *own = shared + together_bytes(chunk.k, SINGLE) / sizeof(double) * warp;
  unsigned *keys;
  if (SINGLE) {
    keys = (unsigned *)own;
  } else {
    s.value = own + lane;
    s.wait_value = s.value + chunk.k * PITCH;
    int *numbers = (int *)(own + (chunk.k + WAITING) * PITCH);
    s.number = numbers + lane;
    s.wait_number = s.number + chunk.k * PITCH;
    keys = (unsigned *)(numbers + (chunk.k + WAITING) * PITCH);
    for (int i = 0; i < chunk.k; i++) {
      s.value[i * PITCH] = chunk.limit;
      s.number[i * PITCH] = GV_TREE_NO_INDEX;
    }
  }

  for (int round = 0; round < 2; round++) {
    s.first_round = round == 0;
    visit(tree, keys + lane, s);
  }

  if (SINGLE) {
    const bool open = s.leaves_left == 0;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      int64_t place = first + e * WARP + lane;
      if (place >= chunk.count) continue;
      undecided[place] = open ? query[e] : -1;
      if (!open) tree_visit_put(chunk, query[e], s.worst[e], s.worst_number[e]);
    }
    if (open && lane == 0)
      atomicAdd(&counts->undecided,
                (int)(chunk.count - first < WARP * EACH ? chunk.count - first : WARP * EACH));
    return;
  }
  s.take_in();
  s.sort();
  __syncwarp();
  /* A query's row at a time, so that writes are whole. */
  int rows = chunk.count - first < WARP ? (int)(chunk.count - first) : WARP;
  for (int row = 0; row < rows; row++) {
    int64_t to = (int64_t)__shfl_sync(0xffffffffu, query[0], row) * chunk.k;
    for (int i = lane; i < chunk.k; i += WARP)
      tree_visit_put(chunk, to + i, (s.value - lane)[i * PITCH + row], (s.number - lane)[i * PITCH + row]);
  }
}

#endif
