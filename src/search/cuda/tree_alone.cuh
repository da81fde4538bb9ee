/*
 * Searching a tree for one query with a warp: its lanes are the children of a node, then the points of four
 * leaves. The list of the k best is spread over the lanes (k <= 32) or lies in shared memory.
 */
#ifndef GV_CUDA_TREE_ALONE_CUH
#define GV_CUDA_TREE_ALONE_CUH

#include "search/cuda/tree_visit.cuh"

enum { ALONE_THREADS = 128 };

/* SMALL: k <= 32, the list is sorted over the lanes' registers; else sorted in shared memory. */
template <int METRIC, bool SMALL> struct alone {
  const double *q; /* in shared memory */
  int self, k;
  double worst;
  int worst_number;
  unsigned limit_key;
  bool first_round;
  double mine_value; /* SMALL: entry number `lane` of the list */
  int mine_number;
  double *value; /* else */
  int *number;

  __device__ __forceinline__ unsigned open(const gv_tree_view &tree, int level, int node) {
    const int lane = (int)(threadIdx.x % WARP);
    int64_t child = (int64_t)node * GV_TREE_FAN + lane;
    if (child >= tree.children[level]) return NONE;
    int least = tree.least[level][child];
    double bound = child_bound<METRIC, 0>(tree, level, node, q, q, lane);
    if (first_round ? bound > 0.0 : tree.overlapping && level == 0 && bound == 0.0) return NONE;
    return before(bound, least, worst, worst_number) ? key_of(bound) : NONE;
  }

  /* Four leaves at a time, eight lanes each: the nearest, and three others that are not excluded. */
  __device__ __forceinline__ void leaves(const gv_tree_view &tree, int node, unsigned key) {
    const int lane = (int)(threadIdx.x % WARP), group = lane / GV_TREE_LEAF, place = lane % GV_TREE_LEAF;
    for (;;) {
      unsigned nearest = warp_min(key);
      if (nearest > limit_key) return;
      unsigned left = __ballot_sync(0xffffffffu, key <= limit_key), taken = 0;
      unsigned best = __ballot_sync(0xffffffffu, key == nearest);
      int leaf = -1;
#pragma unroll
      for (int g = 0; g < WARP / GV_TREE_LEAF; g++) {
        unsigned from = g == 0 ? best : left;
        unsigned bit = from & (0u - from);
        if (g == group && bit != 0) leaf = node * GV_TREE_FAN + __ffs((int)bit) - 1;
        taken |= bit;
        left &= ~bit;
      }
      if (taken >> lane & 1u) key = NONE;
      look(tree, leaf, place);
    }
  }

  __device__ __forceinline__ void look(const gv_tree_view &tree, int leaf, int place) {
    double distance = 0.0;
    int id = GV_TREE_NO_INDEX;
    bool near = leaf >= 0;
    const int dim = tree.dim;
    if (near) id = tree.numbers[(int64_t)leaf * GV_TREE_LEAF + place];
    const double *point = tree.points + (int64_t)(near ? leaf : 0) * dim * GV_TREE_LEAF + place;
    for (int d = 0; d < dim;) {
      /* Partial sums only grow: in high dimensions most points are out soon. */
      int stop = d + 8 < dim ? d + 8 : dim;
      if (near) {
        for (; d < stop; d++)
          distance = add_difference<METRIC>(distance, q[d] - point[d * GV_TREE_LEAF], d == 0);
      }
      d = stop;
      near = near && distance <= worst;
      if (d < dim && !__any_sync(0xffffffffu, near)) return;
    }
    near = near && id != self && before(distance, id, worst, worst_number);
    unsigned entering = __ballot_sync(0xffffffffu, near);
    while (entering != 0) {
      int lane = __ffs((int)entering) - 1;
      entering &= entering - 1;
      double v = __shfl_sync(0xffffffffu, distance, lane);
      int n = __shfl_sync(0xffffffffu, id, lane);
      if (before(v, n, worst, worst_number)) insert(v, n);
    }
    limit_key = key_of(worst);
  }

  __device__ __forceinline__ void insert(double v, int n) {
    const int lane = (int)(threadIdx.x % WARP);
    if (SMALL) {
      int to = __popc(__ballot_sync(0xffffffffu, lane < k && before(mine_value, mine_number, v, n)));
      double up_value = __shfl_up_sync(0xffffffffu, mine_value, 1);
      int up_number = __shfl_up_sync(0xffffffffu, mine_number, 1);
      if (lane > to) {
        mine_value = up_value;
        mine_number = up_number;
      } else if (lane == to) {
        mine_value = v;
        mine_number = n;
      }
      worst = __shfl_sync(0xffffffffu, mine_value, k - 1);
      worst_number = __shfl_sync(0xffffffffu, mine_number, k - 1);
    } else {
      /* From the end: entries after the new one move up by one place. */
      bool found = false;
      for (int base = (k - 1) / WARP * WARP; base >= 0 && !found; base -= WARP) {
        int i = base + lane;
        bool later = i < k && before(v, n, value[i], number[i]);
        unsigned moving = __ballot_sync(0xffffffffu, later);
        bool first_here = later && i > 0 && !before(v, n, value[i - 1], number[i - 1]);
        double put_value = first_here || i == 0 || !later ? v : value[i - 1];
        int put_number = first_here || i == 0 || !later ? n : number[i - 1];
        __syncwarp();
        if (later) {
          value[i] = put_value;
          number[i] = put_number;
        }
        __syncwarp();
        found = (moving & 1u) == 0;
      }
      worst = value[k - 1];
      worst_number = number[k - 1];
      __syncwarp();
    }
  }
};

/* Shared memory a warp: the query, the list if it is long, the stack. */
static __host__ __device__ __forceinline__ size_t alone_bytes(int dim, int k) {
  size_t list = k > WARP ? ((size_t)k + 1) / 2 * 2 * (sizeof(double) + sizeof(int)) : 0;
  return (size_t)dim * sizeof(double) + list + sizeof(unsigned) * GV_TREE_LEVELS * WARP;
}

template <int METRIC, bool SMALL>
static __global__ void __launch_bounds__(ALONE_THREADS)
    search_alone(const __grid_constant__ gv_tree_view tree, const __grid_constant__ chunk_view chunk) {
  extern __shared__ double shared[];
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP);
  double *own = shared + alone_bytes(tree.dim, chunk.k) / sizeof(double) * warp;
  int64_t place = (int64_t)blockIdx.x * (blockDim.x / WARP) + warp;
  if (place >= chunk.count) return;
  int query = chunk.order != NULL ? chunk.order[place] : (int)place;
  const double *at = chunk.data + (int64_t)query * tree.dim;
  for (int d = lane; d < tree.dim; d += WARP)
    own[d] = at[d];

  alone<METRIC, SMALL> s;
  s.q = own;
  s.self = chunk.first_self < 0 ? -1 : (int)(chunk.first_self + query);
  s.k = chunk.k;
  s.worst = s.mine_value = chunk.limit;
  s.worst_number = s.mine_number = GV_TREE_NO_INDEX;
  s.limit_key = key_of(s.worst);
  s.value = own + tree.dim;
  unsigned *keys = (unsigned *)s.value;
  if (!SMALL) {
    int places = (chunk.k + 1) / 2 * 2;
    s.number = (int *)(s.value + places);
    keys = (unsigned *)(s.number + places);
    for (int i = lane; i < chunk.k; i += WARP) {
      s.value[i] = s.worst;
      s.number[i] = GV_TREE_NO_INDEX;
    }
  }
  __syncwarp();

  for (int round = tree.overlapping ? 0 : 1; round < 2; round++) {
    s.first_round = round == 0;
    visit(tree, keys + lane, s);
  }

  int64_t to = (int64_t)query * chunk.k;
  if (SMALL) {
    if (lane < chunk.k) tree_visit_put(chunk, to + lane, s.mine_value, s.mine_number);
  } else {
    for (int i = lane; i < chunk.k; i += WARP)
      tree_visit_put(chunk, to + i, s.value[i], s.number[i]);
  }
}

#endif
