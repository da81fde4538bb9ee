/*
 * Boxes and points of a box tree compared with a query, or with a box of queries, eight at a time. For
 * kernels only: constant arguments specialize what is inlined.
 */
#ifndef GV_BOX_TREE_LANES_H
#define GV_BOX_TREE_LANES_H

#include "exact/lanes.h"
#include "search/box_tree.h"

#include <float.h>

/* What a search has yet to visit: a node or a leaf (gv_leaf_child), its bound, and its least index. */
typedef struct stack_entry {
  double bound;
  int64_t least;
  int64_t child;
} stack_entry;

enum { PARTS = GV_LANES / VD_LANES };

/* Bit i is set where lane i is at most `worst`. */
GV_INLINE unsigned at_most(const vd *value, double worst) {
  unsigned bits = 0;
  for (int i = 0; i < PARTS; i++)
    bits |= vm_bits(vd_at_most(value[i], vd_all(worst))) << i * VD_LANES;
  return bits;
}

/* A dimension's term of a bound, joined to those before: `below` is how far the box begins above the queries,
 * `above` how far it ends below them. */
GV_INLINE vd gap_norm(vd below, vd above, vd total, gv_metric metric, const double *period, double power) {
  vd gap = vd_max(below, above);
  if (period != NULL) {
    vd around = vd_all(*period) + vd_min(below, above);
    gap = vd_select(vd_less(around, gap), around, gap);
  }
  gap = vd_max(gap, vd_all(0.0));
  vd norm = metric == GV_EUCLIDEAN ? gap * gap : metric == GV_MINKOWSKI ? vd_power(gap, power) : gap;
  return vd_norm_join(metric, norm, total);
}

/* Bounds of the 8 boxes of a node for a box of queries, and those that are at most `worst` away. With
 * `periods` those without points may be among them. */
GV_INLINE unsigned box_bounds(const double *box, const double *low, const double *high, int32_t dim,
                              gv_metric metric, const double *periods, double power, double worst,
                              double *bound) {
  vd total[PARTS] = {0};
  for (int32_t d = 0; d < dim; d++, box += 2 * GV_LANES) {
    for (int i = 0; i < PARTS; i++) {
      vd below = vd_load(box + i * VD_LANES) - high[d],
         above = low[d] - vd_load(box + GV_LANES + i * VD_LANES);
      total[i] = gap_norm(below, above, total[i], metric, periods != NULL ? periods + d : NULL, power);
    }
  }
  for (int i = 0; i < PARTS; i++)
    vd_store(bound + i * VD_LANES, total[i]);
  return at_most(total, worst);
}

/* Which of the 8 points of a block are at most `worst` away and, if any is, the exact distances of all. In
 * high dimensions the loop stops when every lane is above it: partial sums only grow. */
GV_INLINE unsigned block_distances(const double *points, const double *q, int32_t dim, gv_metric metric,
                                   const double *periods, double power, double worst, double *distance) {
  vd total[PARTS] = {0};
  for (int32_t d = 0; d < dim; d++, points += GV_LANES) {
    for (int i = 0; i < PARTS; i++) {
      vd gap = q[d] - vd_load(points + i * VD_LANES);
      if (periods != NULL) gap = vd_periodic_difference(gap, vd_all(periods[d]));
      vd norm = metric == GV_MINKOWSKI ? vd_power(vd_abs(gap), power) : vd_norm_of(metric, gap);
      total[i] = vd_norm_join(metric, norm, total[i]);
    }
    if (d % 8 == 7 && d + 1 < dim && at_most(total, worst) == 0) return 0;
  }
  unsigned near = at_most(total, worst);
  for (int i = 0; near != 0 && i < PARTS; i++)
    vd_store(distance + i * VD_LANES, total[i]);
  return near;
}

/* Which of the 8 points of a block are within the limit of the box of queries: box_bounds of boxes without an
 * extent. */
GV_INLINE unsigned block_bounds(const double *points, const double *low, const double *high, int32_t dim,
                                gv_metric metric, const double *periods, double power, double limit) {
  vd total[PARTS] = {0};
  for (int32_t d = 0; d < dim; d++, points += GV_LANES) {
    for (int i = 0; i < PARTS; i++) {
      vd at = vd_load(points + i * VD_LANES);
      total[i] =
          gap_norm(at - high[d], low[d] - at, total[i], metric, periods != NULL ? periods + d : NULL, power);
    }
  }
  return at_most(total, limit);
}

/* An exact distance that at least k points do not exceed; see box_tree_kernel.c. The factor covers the
 * rounding of the two exact distances (each a relative (dim + 2) 2^-53), of the roots and of this sum; the
 * tiny term covers squares that fall below the normal range. */
GV_INLINE double limit_after(const double *q, const double *before, double worst, int32_t dim,
                             gv_metric metric) {
  double slack = 1.0 + ((double)dim + 32.0) * 8.0 * DBL_EPSILON;
  double step = gv_canonical_distance(q, before, dim, metric);
  if (metric != GV_EUCLIDEAN) return (worst + step) * slack + DBL_MIN;
  double reach = sqrt(worst + DBL_MIN) + sqrt(step + DBL_MIN);
  return reach * reach * slack + DBL_MIN;
}

/* Puts the children of a node that can hold points within the limit of a box of queries on the stack; returns
 * its new height. */
GV_INLINE int push_near(const gv_box_tree *tree, int64_t node, const double *low, const double *high,
                        double limit, int64_t *stack, int top, int32_t dim, gv_metric metric,
                        const double *periods) {
  const int64_t *children = gv_node_child(tree, node), *least = gv_node_least(tree, node);
  double bound[GV_LANES];
  unsigned near =
      box_bounds(gv_node_box(tree, node), low, high, dim, metric, periods, tree->power, limit, bound);
  for (; near != 0; near &= near - 1) {
    int lane = __builtin_ctz(near);
    if (least[lane] != GV_NO_INDEX) stack[top++] = children[lane];
  }
  return top;
}

/* ------------------------------------------------------------------------------------------ eight at once */

/*
 * Eight queries that are close to each other, compared with the distance to their neighbors, visit the tree
 * together: their box is compared with the boxes of nodes (bounds are at most those of each query, see
 * box_tree.h) and the queries are lanes. Gain: 1.5x on 1 M random queries among 1 M places of a globe, 2.1x
 * among 20,000.
 */

/* Queries are searched together if the squared diagonal of their box is at most so many squared distances to
 * the k-th neighbor. */
static const double GROUP_CLOSE = 256.0;

enum {
  GROUP_K_MAX = 3,
  /* Nodes and blocks of points that a group visits at most. Far from dense points a box is near many more of
   * them than its queries are: those are searched one by one then, and so are those that follow. */
  GROUP_VISITS_MAX = 128
};

/* Queries that visit the tree together: lanes of their coordinates, and their lists. A list's empty places
 * have the index GROUP_NONE. */
typedef struct query_group {
  double low[3], high[3];
  vd place[3][PARTS], value[GROUP_K_MAX][PARTS], index[GROUP_K_MAX][PARTS];
} query_group;

static const double GROUP_NONE = 0x1p63;

/* Loads eight queries; returns the squared diagonal of their box, NaN if one of them has no place. */
GV_INLINE double group_load(query_group *g, const double *data, const gv_sort_code *order, int32_t dim) {
  double diagonal = 0.0;
  for (int32_t d = 0; d < dim; d++) {
    double at[GV_LANES];
    for (int lane = 0; lane < GV_LANES; lane++)
      at[lane] = data[order[lane].index * dim + d];
    double low = at[0], high = at[0], sum = at[0];
    for (int lane = 1; lane < GV_LANES; lane++) {
      low = at[lane] < low ? at[lane] : low;
      high = at[lane] > high ? at[lane] : high;
      sum += at[lane];
    }
    g->low[d] = low;
    g->high[d] = high;
    for (int i = 0; i < PARTS; i++)
      g->place[d][i] = vd_load(at + i * VD_LANES);
    diagonal += sum == sum ? (high - low) * (high - low) : NAN;
  }
  return diagonal;
}

GV_INLINE double group_worst(const query_group *g, int32_t k) {
  double lanes[GV_LANES], worst = -INFINITY;
  for (int i = 0; i < PARTS; i++)
    vd_store(lanes + i * VD_LANES, g->value[k - 1][i]);
  for (int lane = 0; lane < GV_LANES; lane++)
    worst = lanes[lane] > worst ? lanes[lane] : worst;
  return worst;
}

/* Starts the lists from the query before, as search_all does. */
GV_INLINE void group_start(query_group *g, const gv_query *query, const gv_sort_code *order,
                           const double *before, double before_worst, int32_t dim, int32_t k,
                           gv_metric metric) {
  double limit[GV_LANES];
  for (int lane = 0; lane < GV_LANES; lane++) {
    double known = limit_after(query->data + order[lane].index * dim, before, before_worst, dim, metric);
    limit[lane] = known < query->max_canonical ? known : query->max_canonical;
  }
  for (int32_t s = 0; s < k; s++) {
    for (int i = 0; i < PARTS; i++) {
      g->value[s][i] = vd_load(limit + i * VD_LANES);
      g->index[s][i] = vd_all(GROUP_NONE);
    }
  }
}

/* Offers a point at distance `value` to the lists of a vector of queries; returns whether any accepted it. */
GV_INLINE bool group_offer(query_group *g, int i, vd value, vd index, int32_t k) {
  vm better = vd_less(value, g->value[k - 1][i]) |
              (vd_equal(value, g->value[k - 1][i]) & vd_less(index, g->index[k - 1][i]));
  if (vm_bits(better) == 0) return false;
  for (int32_t s = k - 1; s > 0; s--) {
    vd above = g->value[s - 1][i], above_index = g->index[s - 1][i];
    vm higher = vd_less(value, above) | (vd_equal(value, above) & vd_less(index, above_index));
    g->value[s][i] = vd_select(higher, above, vd_select(better, value, g->value[s][i]));
    g->index[s][i] = vd_select(higher, above_index, vd_select(better, index, g->index[s][i]));
    better = higher;
  }
  g->value[0][i] = vd_select(better, value, g->value[0][i]);
  g->index[0][i] = vd_select(better, index, g->index[0][i]);
  return true;
}

/* Compares the points of a leaf that can be within `worst` of a query with all queries; returns the new
 * worst. */
GV_INLINE double group_visit_leaf(const gv_box_tree *tree, int64_t leaf, query_group *g, double worst,
                                  int32_t dim, int32_t k, gv_metric metric) {
  int64_t block = gv_leaf_first_block(leaf), end = block + gv_leaf_blocks(leaf);
  bool any = false;
  for (; block < end; block++) {
    const double *points = gv_block_points(tree, block);
    const int64_t *index = gv_block_index(tree, block);
    for (unsigned near = block_bounds(points, g->low, g->high, dim, metric, NULL, tree->power, worst);
         near != 0; near &= near - 1) {
      int lane = __builtin_ctz(near);
      for (int i = 0; i < PARTS; i++) {
        vd total = {0};
        for (int32_t d = 0; d < dim; d++)
          total =
              vd_norm_join(metric, vd_norm_of(metric, g->place[d][i] - points[d * GV_LANES + lane]), total);
        any |= group_offer(g, i, total, vd_all((double)index[lane]), k);
      }
    }
  }
  return any ? group_worst(g, k) : worst;
}

/* Writes the lists, sentinels as (inf, -1). */
GV_INLINE void group_write(const query_group *g, const gv_sort_code *order, int32_t k, int64_t *indices,
                           double *canonical) {
  for (int32_t s = 0; s < k; s++) {
    double value[GV_LANES], index[GV_LANES];
    for (int i = 0; i < PARTS; i++) {
      vd_store(value + i * VD_LANES, g->value[s][i]);
      vd_store(index + i * VD_LANES, g->index[s][i]);
    }
    for (int lane = 0; lane < GV_LANES; lane++) {
      int64_t at = order[lane].index * k + s;
      bool found = index[lane] != GROUP_NONE;
      indices[at] = found ? (int64_t)index[lane] : -1;
      canonical[at] = found ? value[lane] : INFINITY;
    }
  }
}

/* Searches the loaded queries; returns the largest distance to a k-th neighbor, or NaN after too many
 * visits. */
GV_INLINE double group_search(const gv_box_tree *tree, query_group *g, int32_t dim, int32_t k,
                              gv_metric metric) {
  stack_entry stack[GV_STACK_ENTRIES];
  double worst = group_worst(g, k);
  int64_t visits = 0;
  int top = 0;
  for (int64_t child = 0;; child = stack[top].child) {
    visits += child >= 0 ? 1 : gv_leaf_blocks(child);
    if (visits > GROUP_VISITS_MAX) return NAN;
    if (child >= 0) {
      const int64_t *children = gv_node_child(tree, child), *least = gv_node_least(tree, child);
      double bound[GV_LANES];
      unsigned near =
          box_bounds(gv_node_box(tree, child), g->low, g->high, dim, metric, NULL, tree->power, worst, bound);
      int base = top;
      for (; near != 0; near &= near - 1) {
        int lane = __builtin_ctz(near), place;
        if (least[lane] == GV_NO_INDEX) continue;
        for (place = top++; place > base && stack[place - 1].bound < bound[lane]; place--)
          stack[place] = stack[place - 1];
        stack[place] = (stack_entry){bound[lane], least[lane], children[lane]};
      }
    } else {
      worst = group_visit_leaf(tree, child, g, worst, dim, k, metric);
    }
    do {
      if (top == 0) return worst;
      top--;
    } while (stack[top].bound > worst);
  }
}

#endif
