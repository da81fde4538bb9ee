/*
 * Visiting a tree of tree.h with a warp, the children of a node nearest first.
 *
 * The stack of a search is one word a lane and level: the bounds of the lane's child of the node that is open
 * there, used up as children are visited. The open nodes' numbers need no memory, a parent's is its child's
 * / 32.
 *
 * Ties. A child is excluded if its bound is above the limit (the worst distance that can still enter a list),
 * or equal to it with no point number below the limit's; so sets of equal points do not have to be visited
 * whole. On the stack only the upper half of a bound is kept: that rounds it down, and the node is tested in
 * full when it is opened.
 */
#ifndef GV_CUDA_TREE_VISIT_CUH
#define GV_CUDA_TREE_VISIT_CUH

#include "search/cuda/tree.h"

enum { WARP = 32 };

static const unsigned NONE = 0xffffffffu; /* no child, or a visited one; above every bound */

/* One chunk of queries on the device. */
typedef struct chunk_view {
  const double *data;
  const int *order; /* NULL: in their own order */
  int count, k;
  double limit;       /* inclusive */
  int64_t first_self; /* query i skips point first_self + i; < 0: skips none */
  int64_t *indices;
  double *canonical;
} chunk_view;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
static __device__ __forceinline__ unsigned warp_min(unsigned x) {
  return __reduce_min_sync(0xffffffffu, x);
}
static __device__ __forceinline__ unsigned warp_max(unsigned x) {
  return __reduce_max_sync(0xffffffffu, x);
}
static __device__ __forceinline__ unsigned warp_sum(unsigned x) {
  return __reduce_add_sync(0xffffffffu, x);
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
static __device__ __forceinline__ unsigned warp_sum(unsigned x) {
  for (int apart = 16; apart > 0; apart /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, apart);
  return x;
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
template <int METRIC>
static __device__ __forceinline__ double add_term(double total, double gap, bool first) {
  double term = METRIC == GV_EUCLIDEAN ? gap * gap : gap;
  if (first) return term;
  if (METRIC == GV_CHEBYSHEV) return term > total ? term : total;
  return total + term;
}

template <int METRIC>
static __device__ __forceinline__ double add_difference(double total, double difference, bool first) {
  return add_term<METRIC>(total, METRIC == GV_EUCLIDEAN ? difference : fabs(difference), first);
}

/* The distance between intervals, with the operations of the exact distance. */
static __device__ __forceinline__ double gap_between(double low, double high, double box_low,
                                                     double box_high) {
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

static __device__ __forceinline__ void tree_visit_put(const chunk_view &chunk, int64_t at, double value,
                                                      int number) {
  bool found = number != GV_TREE_NO_INDEX;
  chunk.indices[at] = found ? number : -1;
  chunk.canonical[at] = found ? value : INFINITY;
}

#endif
