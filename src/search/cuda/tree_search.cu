/*
 * Searching a tree of tree.h, in one of two ways; both visit the children of a node nearest first and leave out what
 * cannot hold a better neighbour, as the CPU's box trees do.
 *
 *   alone    a warp a query: its lanes are the children of a node, then the points of four leaves. The list of the k best
 *            is spread over the lanes (k <= 32) or lies in shared memory. For any dimension, any k, queries anywhere.
 *   together a warp 32 queries that are neighbours on the Hilbert curve: the children of a node are tested against the box
 *            around the queries, a lane a child, and a leaf's points against all 32 queries, a lane a query. Each point
 *            that is loaded serves 32 queries; no lane waits for another's path. A lane keeps its best point in registers,
 *            or its k best as a heap in shared memory. For dimensions up to 4, k <= TOGETHER_MAX_K, and queries that are
 *            not much sparser than the points: what is visited is the union of what 32 queries need.
 *
 * The stack of a search is one word a lane and level: the bounds of the lane's child of the node that is open there, used
 * up as children are visited. The open nodes' numbers need no memory, a parent's is its child's / 32.
 *
 * Ties. A child is out when its bound is beyond the limit (the worst distance that can still enter a list) or equal to it
 * with no point number below the limit's; so sets of equal points do not have to be visited whole. On the stack only the
 * upper half of a bound is kept: that rounds it down, and the node is tested in full when it is opened.
 */
#include "search/cuda/transfer.h"
#include "search/cuda/tree.h"
#include "search/cuda/tree_curve.cuh"

enum {
  ALL = -1,
  WARP = 32,
  TOGETHER_THREADS = 128,
  TOGETHER_LIST_THREADS = 64,
  TOGETHER_MAX_DIM = 4,
  TOGETHER_MAX_K = 32,
  WAITING = 16, /* places for points that wait to enter a lane's heap; a leaf adds up to 8 */
  PITCH = 33,   /* of lists in shared memory, so that a list and a row of lists are both free of bank conflicts */
  ALONE_THREADS = 128,
  ORDERED_QUERIES_MIN = 1024
};

static const unsigned NONE = 0xffffffffu; /* no child, or a visited one; beyond every bound */

/* One chunk of queries on the device. */
typedef struct chunk_view {
  const double *data;
  const int *order; /* NULL: as they come */
  int count, k;
  double limit;       /* inclusive */
  int64_t first_self; /* query i does not see point first_self + i; < 0: sees all */
  int64_t *indices;
  double *canonical;
} chunk_view;

/* ------------------------------------------------------------------------------------------------------ pieces */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
static __device__ __forceinline__ unsigned warp_min(unsigned x) {
  return __reduce_min_sync(0xffffffffu, x);
}
static __device__ __forceinline__ unsigned warp_max(unsigned x) {
  return __reduce_max_sync(0xffffffffu, x);
}
#else
static __device__ __forceinline__ unsigned warp_min(unsigned x) {
  for (int apart = 16; apart > 0; apart /= 2) {
    unsigned other = __shfl_xor_sync(0xffffffffu, x, apart);
    x = other < x ? other : x;
  }
  return x;
}
static __device__ __forceinline__ unsigned warp_max(unsigned x) {
  return ~warp_min(~x);
}
#endif

static __device__ __forceinline__ bool before(double a, int a_number, double b, int b_number) {
  return a < b || (a == b && a_number < b_number);
}

/* A non-negative double rounded down to its upper half: in the order of unsigned integers. */
static __device__ __forceinline__ unsigned key_of(double bound) {
  return (unsigned)__double2hiint(bound);
}

/* A distance with one more term; the first needs no addition (0 + x is x, and terms are not negative). */
template <int METRIC> static __device__ __forceinline__ double add_term(double total, double gap, bool first) {
  double term = METRIC == GV_EUCLIDEAN ? gap * gap : gap;
  if (first) return term;
  if (METRIC == GV_CHEBYSHEV) return term > total ? term : total;
  return total + term;
}

template <int METRIC>
static __device__ __forceinline__ double add_difference(double total, double difference, bool first) {
  return add_term<METRIC>(total, METRIC == GV_EUCLIDEAN ? difference : fabs(difference), first);
}

/* The distance between intervals, in the operations of the canonical distance. */
static __device__ __forceinline__ double gap_between(double low, double high, double box_low, double box_high) {
  double below = box_low - high, above = low - box_high;
  double gap = below > above ? below : above;
  return gap > 0.0 ? gap : 0.0;
}

/* Visits the tree. A SEARCHER has
 *   unsigned open(view, level, node)   keys of the node's children, one a lane, NONE for those that are out
 *   void leaves(view, node, key)       looks at the leaves of a node of level 0, given their keys
 *   unsigned limit_key                 children with greater keys are out
 * keys: the lane's column of the stack, WARP apart. All lanes of the warp take part. */
template <class SEARCHER>
static __device__ __forceinline__ void visit(const gv_tree_view &tree, unsigned *keys, SEARCHER &searcher) {
  const int lane = (int)(threadIdx.x % WARP);
  int level = tree.top, node = 0;
  unsigned key = searcher.open(tree, level, node);
  for (;;) {
    if (level == 0) {
      searcher.leaves(tree, node, key);
      key = NONE;
    }
    unsigned nearest = warp_min(key);
    if (nearest > searcher.limit_key) {
      if (level == tree.top) return;
      level++;
      node /= GV_TREE_FAN;
      key = keys[level * WARP];
      continue;
    }
    int pick = __ffs((int)__ballot_sync(0xffffffffu, key == nearest)) - 1;
    if (lane == pick) key = NONE;
    keys[level * WARP] = key;
    level--;
    node = node * GV_TREE_FAN + pick;
    key = searcher.open(tree, level, node);
  }
}

/* The distance between a box of queries and a lane's child of a node. */
template <int METRIC, int DIM>
static __device__ __forceinline__ double child_bound(const gv_tree_view &tree, int level, int node,
                                                     const double *low, const double *high, int lane) {
  const double *box = tree.boxes[level] + (int64_t)node * tree.dim * (2 * GV_TREE_FAN) + lane;
  double bound = 0.0;
  const int dims = DIM > 0 ? DIM : tree.dim;
#pragma unroll
  for (int d = 0; d < dims; d++) {
    double gap = gap_between(low[d], high[d], box[(2 * d) * GV_TREE_FAN], box[(2 * d + 1) * GV_TREE_FAN]);
    bound = add_term<METRIC>(bound, gap, d == 0);
  }
  return bound;
}

/* ---------------------------------------------------------------------------------------------------- together */

template <int DIM, int METRIC, bool SINGLE> struct together {
  double q[DIM], low[DIM], high[DIM]; /* the lane's query, the box around all */
  int self;
  double worst; /* a point enters when it is before (worst, worst_number) */
  int worst_number;
  unsigned limit_key;
  bool first_round; /* only what the box overlaps; in the second round such leaves are not looked at again */
  /* Lists: the lane's columns, PITCH apart; the heap's root is the worst. */
  int k, waiting;
  double *value, *wait_value;
  int *number, *wait_number;

  __device__ __forceinline__ unsigned open(const gv_tree_view &tree, int level, int node) {
    const int lane = (int)(threadIdx.x % WARP);
    /* The limit of the warp: the greatest (worst, worst_number). */
    unsigned upper = warp_max(key_of(worst));
    bool at = key_of(worst) == upper;
    unsigned lower = warp_max(at ? (unsigned)__double2loint(worst) : 0u);
    at = at && (unsigned)__double2loint(worst) == lower;
    int limit_number = (int)warp_max(at ? (unsigned)worst_number : 0u);
    double limit = __hiloint2double((int)upper, (int)lower);
    int64_t child = (int64_t)node * GV_TREE_FAN + lane;
    if (child >= tree.children[level]) return NONE;
    int least = tree.least[level][child];
    double bound = child_bound<METRIC, DIM>(tree, level, node, low, high, lane);
    if (first_round ? bound > 0.0 : level == 0 && bound == 0.0 && tree.rounds == 2) return NONE;
    return before(bound, least, limit, limit_number) ? key_of(bound) : NONE;
  }

  __device__ __forceinline__ void leaves(const gv_tree_view &tree, int node, unsigned key) {
    const int lane = (int)(threadIdx.x % WARP);
    for (;;) {
      unsigned nearest = warp_min(key);
      if (nearest > limit_key) return;
      int pick = __ffs((int)__ballot_sync(0xffffffffu, key == nearest)) - 1;
      if (lane == pick) key = NONE;
      look(tree, node * GV_TREE_FAN + pick);
      limit_key = warp_max(key_of(worst));
    }
  }

  /* The eight points of a leaf; all lanes load the same. */
  __device__ __forceinline__ void look(const gv_tree_view &tree, int leaf) {
    const double *points = tree.points + (int64_t)leaf * (DIM * GV_TREE_LEAF);
    const int *numbers = tree.numbers + (int64_t)leaf * GV_TREE_LEAF;
#pragma unroll
    for (int j = 0; j < GV_TREE_LEAF; j += 4) {
      int4 four = *(const int4 *)(numbers + j);
      double distance[4] = {0.0, 0.0, 0.0, 0.0};
      int n[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int d = 0; d < DIM; d++) {
        double2 a = *(const double2 *)(points + d * GV_TREE_LEAF + j);
        double2 b = *(const double2 *)(points + d * GV_TREE_LEAF + j + 2);
        distance[0] = add_difference<METRIC>(distance[0], q[d] - a.x, d == 0);
        distance[1] = add_difference<METRIC>(distance[1], q[d] - a.y, d == 0);
        distance[2] = add_difference<METRIC>(distance[2], q[d] - b.x, d == 0);
        distance[3] = add_difference<METRIC>(distance[3], q[d] - b.y, d == 0);
      }
      /* Seldom any, once the nearest leaves have been seen. */
      if (!(distance[0] <= worst || distance[1] <= worst || distance[2] <= worst || distance[3] <= worst)) continue;
#pragma unroll
      for (int i = 0; i < 4; i++) {
        if (n[i] == self || !before(distance[i], n[i], worst, worst_number)) continue;
        if (SINGLE) {
          worst = distance[i];
          worst_number = n[i];
        } else {
          wait_value[waiting * PITCH] = distance[i];
          wait_number[waiting * PITCH] = n[i];
          waiting++;
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
      if (before(v, id, worst, worst_number)) {
        sift_down(k, v, id);
        worst = value[0];
        worst_number = number[0];
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

static __device__ __forceinline__ void put(const chunk_view &chunk, int64_t at, double value, int number) {
  bool found = number != GV_TREE_NO_INDEX;
  chunk.indices[at] = found ? number : -1;
  chunk.canonical[at] = found ? value : INFINITY;
}

/* Shared memory a warp: the stack; with lists the heaps, the waiting values, and both their numbers. */
static __host__ __device__ __forceinline__ size_t together_bytes(int k, bool single) {
  size_t stack = sizeof(unsigned) * GV_TREE_LEVELS * WARP;
  size_t places = single ? 0 : (size_t)(k + WAITING) * PITCH;
  return stack + places * sizeof(double) + (places + 1) / 2 * 2 * sizeof(int);
}

template <int DIM, int METRIC, bool SINGLE>
static __global__ void __launch_bounds__(SINGLE ? TOGETHER_THREADS : TOGETHER_LIST_THREADS)
    search_together(const __grid_constant__ gv_tree_view tree, const __grid_constant__ chunk_view chunk) {
  extern __shared__ double shared[];
  const int lane = (int)(threadIdx.x % WARP), warp = (int)(threadIdx.x / WARP);
  int64_t first = ((int64_t)blockIdx.x * (blockDim.x / WARP) + warp) * WARP;
  if (first >= chunk.count) return;
  /* Lanes past the last query repeat it and write nothing. */
  bool mine = first + lane < chunk.count;
  int64_t place = mine ? first + lane : chunk.count - 1;
  int query = chunk.order != NULL ? chunk.order[place] : (int)place;

  together<DIM, METRIC, SINGLE> s;
  const double *at = chunk.data + (int64_t)query * DIM;
#pragma unroll
  for (int d = 0; d < DIM; d++) {
    s.q[d] = s.low[d] = s.high[d] = at[d];
#pragma unroll
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
      double low = __shfl_xor_sync(0xffffffffu, s.low[d], apart),
             high = __shfl_xor_sync(0xffffffffu, s.high[d], apart);
      s.low[d] = low < s.low[d] ? low : s.low[d];
      s.high[d] = high > s.high[d] ? high : s.high[d];
    }
  }
  s.self = chunk.first_self < 0 ? -1 : (int)(chunk.first_self + query);
  s.worst = chunk.limit;
  s.worst_number = GV_TREE_NO_INDEX;
  s.limit_key = key_of(s.worst);
  s.k = chunk.k;
  s.waiting = 0;
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
      s.value[i * PITCH] = s.worst;
      s.number[i * PITCH] = GV_TREE_NO_INDEX;
    }
  }

  for (int round = tree.rounds; round > 0; round--) {
    s.first_round = round == 2;
    visit(tree, keys + lane, s);
  }

  if (SINGLE) {
    if (mine) put(chunk, query, s.worst, s.worst_number);
    return;
  }
  s.take_in();
  s.sort();
  __syncwarp();
  /* A query's row at a time, so that writes are whole. */
  int rows = chunk.count - first < WARP ? (int)(chunk.count - first) : WARP;
  for (int row = 0; row < rows; row++) {
    int64_t to = (int64_t)__shfl_sync(0xffffffffu, query, row) * chunk.k;
    for (int i = lane; i < chunk.k; i += WARP)
      put(chunk, to + i, (s.value - lane)[i * PITCH + row], (s.number - lane)[i * PITCH + row]);
  }
}

/* ------------------------------------------------------------------------------------------------------- alone */

/* SMALL: k <= 32, the list is sorted over the lanes' registers; else sorted in shared memory. */
template <int METRIC, bool SMALL> struct alone {
  const double *q; /* in shared memory */
  int self, k;
  double worst;
  int worst_number;
  unsigned limit_key;
  double mine_value; /* SMALL: entry `lane` of the list */
  int mine_number;
  double *value; /* else */
  int *number;

  __device__ __forceinline__ unsigned open(const gv_tree_view &tree, int level, int node) {
    const int lane = (int)(threadIdx.x % WARP);
    int64_t child = (int64_t)node * GV_TREE_FAN + lane;
    if (child >= tree.children[level]) return NONE;
    int least = tree.least[level][child];
    double bound = child_bound<METRIC, 0>(tree, level, node, q, q, lane);
    return before(bound, least, worst, worst_number) ? key_of(bound) : NONE;
  }

  /* Four leaves at a time, eight lanes each: the nearest, and three others that are not out. */
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
      /* From the end: what comes after the new one moves up by one place. */
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

  visit(tree, keys + lane, s);

  int64_t to = (int64_t)query * chunk.k;
  if (SMALL) {
    if (lane < chunk.k) put(chunk, to + lane, s.mine_value, s.mine_number);
  } else {
    for (int i = lane; i < chunk.k; i += WARP)
      put(chunk, to + i, s.value[i], s.number[i]);
  }
}

/* ---------------------------------------------------------------------------------------------------- launching */

template <int DIM, int METRIC>
static void launch_together(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk) {
  bool single = chunk.k == 1;
  int threads = single ? TOGETHER_THREADS : TOGETHER_LIST_THREADS;
  size_t bytes = together_bytes(chunk.k, single) * (size_t)(threads / WARP);
  unsigned blocks = gv_tree_blocks(chunk.count, threads);
  if (single) {
    search_together<DIM, METRIC, true><<<blocks, threads, bytes, stream>>>(tree, chunk);
  } else {
    search_together<DIM, METRIC, false><<<blocks, threads, bytes, stream>>>(tree, chunk);
  }
}

template <int METRIC>
static void launch(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk, bool together) {
  if (!together) {
    /* As many warps a block as 48 KB of shared memory hold: one at least, at the greatest k and dimension. */
    size_t warp_bytes = alone_bytes(tree.dim, chunk.k), warps = 48 * 1024 / warp_bytes;
    if (warps > ALONE_THREADS / WARP) warps = ALONE_THREADS / WARP;
    unsigned blocks = gv_tree_blocks(chunk.count, (int)warps), threads = (unsigned)warps * WARP;
    if (chunk.k <= WARP) {
      search_alone<METRIC, true><<<blocks, threads, warps * warp_bytes, stream>>>(tree, chunk);
    } else {
      search_alone<METRIC, false><<<blocks, threads, warps * warp_bytes, stream>>>(tree, chunk);
    }
    return;
  }
  switch (tree.dim) {
  case 1:
    launch_together<1, METRIC>(stream, tree, chunk);
    break;
  case 2:
    launch_together<2, METRIC>(stream, tree, chunk);
    break;
  case 3:
    launch_together<3, METRIC>(stream, tree, chunk);
    break;
  default:
    launch_together<4, METRIC>(stream, tree, chunk);
    break;
  }
}

/* Queries this dense are searched together: 32 of them take up the room of a moderate number of points. */
static bool dense(const gv_tree_view &tree, int64_t points, int64_t queries, int k) {
  return tree.dim <= TOGETHER_MAX_DIM && k <= TOGETHER_MAX_K && queries >= ORDERED_QUERIES_MIN &&
         queries * (k == 1 ? 8 : 32) >= points;
}

/* The queries in the order of the curve: order[0] on return. */
static gv_status order_queries(gv_context *context, gv_cuda_lane *lane, int slot, const gv_tree_view &tree,
                               const double *data, int count, uint32_t *codes[2], int *order[2]) {
  gv_status status;
  int dims = tree.dim < GV_TREE_ORDER_DIM ? tree.dim : GV_TREE_ORDER_DIM;
  int wanted = count > 65536 ? 24 : 16, bits = wanted / dims > 1 ? wanted / dims : 1;
  gv_curve_codes_launch(lane, data, tree.dim, tree.edges, count, bits, codes[0], order[0]);
  GV_CUDA_LAUNCHED(context, "coding the queries");
  status = gv_tree_sort_32(context, lane, slot, codes, order, count, bits * dims);

done:
  return status;
}

gv_status gv_cuda_tree_search(gv_context *context, const gv_reference *reference, const void *state,
                              const gv_query *query, int64_t *indices, double *canonical) {
  enum {
    SLOT_QUERIES,
    SLOT_CODES,
    SLOT_CODES_OTHER,
    SLOT_ORDER,
    SLOT_ORDER_OTHER,
    SLOT_INDICES,
    SLOT_CANONICAL,
    SLOT_SORT
  };
  const int64_t chunk_most = (int64_t)1 << 24, chunk_least = 1024;
  const gv_cuda_tree *tree = (const gv_cuda_tree *)state;
  gv_cuda_lane *lane = NULL;
  gv_status status = gv_cuda_lane_take(context, tree->device, &lane);
  if (status != GV_OK) return status;
  int k = query->k;
  int64_t size, query_bytes = (int64_t)reference->dim * 8 + (int64_t)k * 16 + 16;
  size_t free_bytes = 0;
  double *data = NULL;
  uint32_t *codes[2] = {NULL, NULL};
  int *order[2] = {NULL, NULL};
  chunk_view chunk = {};
  gv_progress progress;
  gv_progress_init(&progress, context, query->count);
  bool ordered = query->count >= ORDERED_QUERIES_MIN,
       together = dense(tree->view, reference->count, query->count, k);

  status = gv_cuda_free_bytes(context, lane, &free_bytes);
  if (status != GV_OK) goto done;
  for (int slot = 0; slot <= SLOT_SORT; slot++)
    free_bytes += lane->buffer[slot].bytes;
  size = (int64_t)(free_bytes / 2) / query_bytes;
  if (size > chunk_most) size = chunk_most;
  if (size < chunk_least) size = chunk_least;
  if (size > query->count) size = query->count;

  status = gv_cuda_reserve(context, lane, SLOT_QUERIES, (size_t)(size * reference->dim) * sizeof(double),
                           (void **)&data);
  if (status == GV_OK) {
    status =
        gv_cuda_reserve(context, lane, SLOT_INDICES, (size_t)(size * k) * sizeof(int64_t), (void **)&chunk.indices);
  }
  if (status == GV_OK) {
    status = gv_cuda_reserve(context, lane, SLOT_CANONICAL, (size_t)(size * k) * sizeof(double),
                             (void **)&chunk.canonical);
  }
  for (int i = 0; i < 2 && ordered && status == GV_OK; i++) {
    status = gv_cuda_reserve(context, lane, SLOT_CODES + i, (size_t)size * sizeof(uint32_t), (void **)&codes[i]);
    if (status == GV_OK) {
      status = gv_cuda_reserve(context, lane, SLOT_ORDER + i, (size_t)size * sizeof(int), (void **)&order[i]);
    }
  }
  if (status != GV_OK) goto done;

  for (int64_t first = 0; first < query->count; first += size) {
    int count = (int)(query->count - first < size ? query->count - first : size);
    status = gv_cuda_upload(context, lane, data, query->data + first * reference->dim,
                            (size_t)count * (size_t)reference->dim * sizeof(double), "copying the queries");
    if (status != GV_OK) goto done;
    gv_cuda_mark_begin(lane);
    if (ordered) {
      status = order_queries(context, lane, SLOT_SORT, tree->view, data, count, codes, order);
      if (status != GV_OK) goto done;
    }
    chunk.data = data;
    chunk.order = ordered ? order[0] : NULL;
    chunk.count = count;
    chunk.k = k;
    chunk.limit = query->max_canonical + 0.0; /* no -0 */
    chunk.first_self = query->self_offset >= 0 ? query->self_offset + first : -1;
    switch (reference->metric) {
    case GV_MANHATTAN:
      launch<GV_MANHATTAN>(lane->stream, tree->view, chunk, together);
      break;
    case GV_CHEBYSHEV:
      launch<GV_CHEBYSHEV>(lane->stream, tree->view, chunk, together);
      break;
    default:
      launch<GV_EUCLIDEAN>(lane->stream, tree->view, chunk, together);
      break;
    }
    GV_CUDA_LAUNCHED(context, "searching a tree");
    gv_cuda_mark_end(lane);
    status = gv_cuda_download(context, lane, indices + first * k, chunk.indices,
                              (size_t)count * (size_t)k * sizeof(int64_t), "copying the neighbours");
    if (status == GV_OK) {
      status = gv_cuda_download(context, lane, canonical + first * k, chunk.canonical,
                                (size_t)count * (size_t)k * sizeof(double), "copying the distances");
    }
    if (status != GV_OK) goto done;
    status = gv_cuda_wait(context, lane, "searching a tree");
    if (status != GV_OK) goto done;
    if (!gv_progress_add(&progress, count)) {
      status = gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
      goto done;
    }
  }

done:
  gv_cuda_lane_give(context, lane);
  return status;
}
