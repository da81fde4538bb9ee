/*
 * The search of a box tree, compiled once for each instruction set (box_tree_kernel_*.c define GV_KERNEL and
 * include this). Specialised by metric, by dimension 1 ... 4 and for k = 1 through inlining with constant
 * arguments.
 *
 * Cost: a query of a low-dimensional uniform set visits O(log n) nodes, about 2 log8 n, and two to four leaves.
 *
 * A query starts with a limit from the query before it (they come in Morton order): if that one had its k-th
 * neighbour at distance r and is s away, k points lie within r + s of this one, by the triangle inequality. That
 * holds with self-exclusion too: should this query be among those k neighbours, the query before it takes its
 * place.
 */
#include "core/simd/eight.h"
#include "search/box_tree.h"

#include <float.h>

typedef struct stack_entry {
  double bound;
  int64_t least;
  int64_t child;
} stack_entry;

static inline __attribute__((always_inline)) gv_v8 add_term(gv_v8 total, gv_v8 gap, gv_metric metric) {
  switch (metric) {
  case GV_MANHATTAN:
    return gv_v8_add(total, gap);
  case GV_CHEBYSHEV:
    return gv_v8_max(gap, total);
  default:
    return gv_v8_add(total, gv_v8_mul(gap, gap));
  }
}

static inline __attribute__((always_inline)) gv_v8 box_bounds(const double *box, const double *q, int32_t dim,
                                                              gv_metric metric) {
  gv_v8 zero = gv_v8_all(0.0), total = zero;
  for (int32_t d = 0; d < dim; d++) {
    gv_v8 at = gv_v8_all(q[d]);
    gv_v8 below = gv_v8_sub(gv_v8_load(box + (size_t)d * 2 * GV_LANES), at);
    gv_v8 above = gv_v8_sub(at, gv_v8_load(box + ((size_t)d * 2 + 1) * GV_LANES));
    total = add_term(total, gv_v8_max(gv_v8_max(below, above), zero), metric);
  }
  return total;
}

/* Canonical distances of the 8 points of a block, and the lanes at most `worst` away in *near. High dimensions stop
 * when every lane is beyond: partial sums only grow. */
static inline __attribute__((always_inline)) gv_v8
block_distances(const double *points, const double *q, int32_t dim, gv_metric metric, gv_v8 worst, unsigned *near) {
  gv_v8 total = gv_v8_all(0.0);
  for (int32_t d = 0; d < dim; d++) {
    gv_v8 gap = gv_v8_sub(gv_v8_all(q[d]), gv_v8_load(points + (size_t)d * GV_LANES));
    if (metric != GV_EUCLIDEAN) gap = gv_v8_abs(gap);
    total = add_term(total, gap, metric);
    if (d % 8 == 7 && d + 1 < dim && gv_v8_at_most(total, worst) == 0) break;
  }
  *near = gv_v8_at_most(total, worst);
  return total;
}

/* A canonical value that k points are known not to exceed; see the head of the file. The factor covers the rounding
 * of the two canonical distances (each a relative (dim + 2) 2^-53), of the roots and of this sum; the tiny term
 * covers squares that fall below the normal range. */
static inline __attribute__((always_inline)) double limit_after(const double *q, const double *before, double worst,
                                                                int32_t dim, gv_metric metric) {
  double slack = 1.0 + ((double)dim + 32.0) * 8.0 * DBL_EPSILON;
  double step = gv_canonical_distance(q, before, dim, metric);
  if (metric != GV_EUCLIDEAN) return (worst + step) * slack + DBL_MIN;
  double reach = sqrt(worst + DBL_MIN) + sqrt(step + DBL_MIN);
  return reach * reach * slack + DBL_MIN;
}

static inline __attribute__((always_inline)) void search_all(const gv_box_tree *tree, const gv_query *query,
                                                             const gv_code *order, int64_t first, int64_t last,
                                                             bool query_is_reference, int64_t *indices,
                                                             double *canonical, int32_t dim, gv_metric metric,
                                                             bool single) {
  stack_entry stack[GV_STACK_ENTRIES];
  int32_t k = single ? 1 : query->k;
  const double *before = NULL;
  double before_worst = 0.0;
  for (int64_t i = first; i < last; i++) {
    int64_t number = order != NULL ? order[i].index : i;
    if (order != NULL && i + 4 < last) __builtin_prefetch(query->data + order[i + 4].index * dim);
    const double *q = query->data + number * dim;
    int64_t self = query->self_offset >= 0 ? query->self_offset + number : -1;
    double limit = query->max_canonical;
    if (before != NULL) {
      double known = limit_after(q, before, before_worst, dim, metric);
      limit = known < limit ? known : limit;
    }
    gv_nearest_list list;
    gv_list_start(&list, canonical + number * k, indices + number * k, k, limit);
    gv_v8 worst = gv_v8_all(limit);

    int top = 0;
    int64_t child = 0;
    for (;;) {
      if (child >= 0) {
        const double *box = gv_node_box(tree, child);
        const int64_t *children = gv_node_child(tree, child);
        const int64_t *least = gv_node_least(tree, child);
        gv_v8 bounds = box_bounds(box, q, dim, metric);
        unsigned near = gv_v8_at_most(bounds, worst);
        _Alignas(64) double bound[GV_LANES];
        gv_v8_store(bound, bounds);
        int base = top;
        while (near != 0) {
          int lane = __builtin_ctz(near);
          near &= near - 1;
          stack_entry entry = {bound[lane], least[lane], children[lane]};
          if (!gv_pair_before(entry.bound, entry.least, list.worst, list.worst_index)) continue;
          /* Nearest on top. */
          int place = top++;
          while (place > base &&
                 gv_pair_before(stack[place - 1].bound, stack[place - 1].least, entry.bound, entry.least)) {
            stack[place] = stack[place - 1];
            place--;
          }
          stack[place] = entry;
        }
      } else {
        int64_t block = gv_leaf_first_block(child), end = block + gv_leaf_blocks(child);
        for (; block < end; block++) {
          unsigned near;
          gv_v8 distances = block_distances(gv_block_points(tree, block), q, dim, metric, worst, &near);
          if (near == 0) continue;
          const int64_t *index = gv_block_index(tree, block);
          _Alignas(64) double distance[GV_LANES];
          gv_v8_store(distance, distances);
          while (near != 0) {
            int lane = __builtin_ctz(near);
            near &= near - 1;
            if (index[lane] != self) gv_list_offer(&list, distance[lane], index[lane]);
          }
          worst = gv_v8_all(list.worst);
        }
      }
      for (;;) {
        if (top == 0) goto found;
        top--;
        if (gv_pair_before(stack[top].bound, stack[top].least, list.worst, list.worst_index)) break;
      }
      child = stack[top].child;
    }
  found:
    before = list.worst_index != GV_NO_INDEX && (self < 0 || query_is_reference) ? q : NULL;
    before_worst = list.worst;
    gv_list_finish(&list);
  }
}

static inline __attribute__((always_inline)) void search_metric(const gv_box_tree *tree, const gv_query *query,
                                                                const gv_code *order, int64_t first, int64_t last,
                                                                bool same, int64_t *indices, double *canonical,
                                                                gv_metric metric) {
  bool single = query->k == 1;
  if (tree->dim == 2) {
    if (single) {
      search_all(tree, query, order, first, last, same, indices, canonical, 2, metric, true);
    } else {
      search_all(tree, query, order, first, last, same, indices, canonical, 2, metric, false);
    }
  } else if (tree->dim == 3) {
    if (single) {
      search_all(tree, query, order, first, last, same, indices, canonical, 3, metric, true);
    } else {
      search_all(tree, query, order, first, last, same, indices, canonical, 3, metric, false);
    }
  } else {
    search_all(tree, query, order, first, last, same, indices, canonical, tree->dim, metric, false);
  }
}

void GV_KERNEL(const gv_box_tree *tree, const gv_query *query, const gv_code *order, int64_t first, int64_t last,
               bool query_is_reference, int64_t *indices, double *canonical) {
  switch (tree->metric) {
  case GV_MANHATTAN:
    search_metric(tree, query, order, first, last, query_is_reference, indices, canonical, GV_MANHATTAN);
    break;
  case GV_CHEBYSHEV:
    search_metric(tree, query, order, first, last, query_is_reference, indices, canonical, GV_CHEBYSHEV);
    break;
  default:
    search_metric(tree, query, order, first, last, query_is_reference, indices, canonical, GV_EUCLIDEAN);
    break;
  }
}
