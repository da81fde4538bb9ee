/*
 * The search of a box tree. Specialized by metric, by dimension 2 and 3 and for k = 1 through inlining with constant
 * arguments.
 *
 * Cost: a query of a low-dimensional uniform set visits O(log n) nodes, about 2 log8 n, and two to four leaves.
 *
 * A query starts with a limit from the query before it (they come in Morton order): if that one had its k-th
 * neighbor at distance r and is s away, k points lie within r + s of this one, by the triangle inequality. That
 * holds with self-exclusion too: if this query is among those k neighbors, the previous query replaces it. In a
 * periodic box the rounding of differences may exceed them, so queries have no limit from another.
 *
 * Eight queries that are close to each other, compared with the distance to their neighbors, visit the tree together: their box
 * is compared with the boxes of nodes (bounds are at most those of each query, see box_tree.h) and the queries are lanes.
 * Gain: 1.5x on 1 M random queries among 1 M places of a globe, 2.1x among 20,000.
 */
#include "exact/lanes.h"
#include "search/box_tree.h"
#include "search/radius.h"

#include <float.h>

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

/* A dimension's term of a bound, joined to those before: `below` is how far the box begins above the queries, `above` how
 * far it ends below them. */
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

/* Bounds of the 8 boxes of a node for a box of queries, and those that are at most `worst` away. With `periods` those
 * without points may be among them. */
GV_INLINE unsigned box_bounds(const double *box, const double *low, const double *high, int32_t dim,
                              gv_metric metric, const double *periods, double power, double worst, double *bound) {
  vd total[PARTS] = {0};
  for (int32_t d = 0; d < dim; d++, box += 2 * GV_LANES) {
    for (int i = 0; i < PARTS; i++) {
      vd below = vd_load(box + i * VD_LANES) - high[d], above = low[d] - vd_load(box + GV_LANES + i * VD_LANES);
      total[i] = gap_norm(below, above, total[i], metric, periods != NULL ? periods + d : NULL, power);
    }
  }
  for (int i = 0; i < PARTS; i++)
    vd_store(bound + i * VD_LANES, total[i]);
  return at_most(total, worst);
}

/* Which of the 8 points of a block are at most `worst` away and, if any is, the exact distances of all. In high
 * dimensions the loop stops when every lane is above it: partial sums only grow. */
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

/* Which of the 8 points of a block are within the limit of the box of queries: box_bounds of boxes without an extent. */
GV_INLINE unsigned block_bounds(const double *points, const double *low, const double *high, int32_t dim,
                                gv_metric metric, const double *periods, double power, double limit) {
  vd total[PARTS] = {0};
  for (int32_t d = 0; d < dim; d++, points += GV_LANES) {
    for (int i = 0; i < PARTS; i++) {
      vd at = vd_load(points + i * VD_LANES);
      total[i] = gap_norm(at - high[d], low[d] - at, total[i], metric, periods != NULL ? periods + d : NULL, power);
    }
  }
  return at_most(total, limit);
}

/* An exact distance that at least k points do not exceed; see the head of the file. The factor covers the rounding
 * of the two exact distances (each a relative (dim + 2) 2^-53), of the roots and of this sum; the tiny term covers
 * squares that fall below the normal range. */
GV_INLINE double limit_after(const double *q, const double *before, double worst, int32_t dim, gv_metric metric) {
  double slack = 1.0 + ((double)dim + 32.0) * 8.0 * DBL_EPSILON;
  double step = gv_canonical_distance(q, before, dim, metric);
  if (metric != GV_EUCLIDEAN) return (worst + step) * slack + DBL_MIN;
  double reach = sqrt(worst + DBL_MIN) + sqrt(step + DBL_MIN);
  return reach * reach * slack + DBL_MIN;
}

/* ------------------------------------------------------------------------------------------------- eight at once */

/* Queries are searched together if the squared diagonal of their box is at most so many squared distances to the k-th neighbor. */
static const double GROUP_CLOSE = 256.0;

enum {
  GROUP_K_MAX = 3,
  /* Nodes and blocks of points that a group visits at most. Far from dense points a box is near many more of them than its queries are:
   * those are searched one by one then, and so are those that follow. */
  GROUP_VISITS_MAX = 128
};

/* Queries that visit the tree together: lanes of their coordinates, and their lists. A list's empty places have the index GROUP_NONE. */
typedef struct query_group {
  double low[3], high[3];
  vd place[3][PARTS], value[GROUP_K_MAX][PARTS], index[GROUP_K_MAX][PARTS];
} query_group;

static const double GROUP_NONE = 0x1p63;

/* Loads eight queries; returns the squared diagonal of their box, NaN if one of them has no place. */
GV_INLINE double group_load(query_group *g, const double *data, const gv_code *order, int32_t dim) {
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
GV_INLINE void group_start(query_group *g, const gv_query *query, const gv_code *order, const double *before,
                           double before_worst, int32_t dim, int32_t k, gv_metric metric) {
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

/* Compares the points of a leaf that can be within `worst` of a query with all queries; returns the new worst. */
GV_INLINE double group_visit_leaf(const gv_box_tree *tree, int64_t leaf, query_group *g, double worst, int32_t dim,
                                  int32_t k, gv_metric metric) {
  int64_t block = gv_leaf_first_block(leaf), end = block + gv_leaf_blocks(leaf);
  bool any = false;
  for (; block < end; block++) {
    const double *points = gv_block_points(tree, block);
    const int64_t *index = gv_block_index(tree, block);
    for (unsigned near = block_bounds(points, g->low, g->high, dim, metric, NULL, tree->power, worst); near != 0;
         near &= near - 1) {
      int lane = __builtin_ctz(near);
      for (int i = 0; i < PARTS; i++) {
        vd total = {0};
        for (int32_t d = 0; d < dim; d++)
          total = vd_norm_join(metric, vd_norm_of(metric, g->place[d][i] - points[d * GV_LANES + lane]), total);
        any |= group_offer(g, i, total, vd_all((double)index[lane]), k);
      }
    }
  }
  return any ? group_worst(g, k) : worst;
}

/* Writes the lists, sentinels as (inf, -1). */
GV_INLINE void group_write(const query_group *g, const gv_code *order, int32_t k, int64_t *indices,
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

/* Searches the loaded queries; returns the largest distance to a k-th neighbor, or NaN after too many visits. */
GV_INLINE double group_search(const gv_box_tree *tree, query_group *g, int32_t dim, int32_t k, gv_metric metric) {
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

GV_INLINE void search_all(const gv_box_tree *tree, const gv_query *query, const gv_code *order, int64_t first,
                          int64_t last, bool query_is_reference, int64_t *indices, double *canonical, int32_t dim,
                          gv_metric metric, const double *periods, bool single, bool together) {
  stack_entry stack[GV_STACK_ENTRIES];
  int32_t k = single ? 1 : query->k;
  const double *before = NULL;
  double before_worst = 0.0, reach = 0.0;
  together = together && order != NULL && query->self_offset < 0 && k <= GROUP_K_MAX;
  for (int64_t i = first; i < last; i++) {
    while (together && before != NULL && last - i >= GV_LANES) {
      query_group g;
      if (!(group_load(&g, query->data, order + i, dim) <= GROUP_CLOSE * reach)) break;
      group_start(&g, query, order + i, before, before_worst, dim, k, metric);
      reach = group_search(tree, &g, dim, k, metric);
      together = reach == reach;
      if (!together) break;
      group_write(&g, order + i, k, indices, canonical);
      i += GV_LANES;
      before = indices[order[i - 1].index * k + k - 1] >= 0 ? query->data + order[i - 1].index * dim : NULL;
      before_worst = canonical[order[i - 1].index * k + k - 1];
    }
    if (i >= last) break;
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
    int top = 0;
    int64_t child = 0;
    for (;;) {
      if (child >= 0) {
        const double *box = gv_node_box(tree, child);
        const int64_t *children = gv_node_child(tree, child);
        const int64_t *least = gv_node_least(tree, child);
        double bound[GV_LANES];
        unsigned near = box_bounds(box, q, q, dim, metric, periods, tree->power, list.worst, bound);
        int base = top;
        while (near != 0) {
          int lane = __builtin_ctz(near);
          near &= near - 1;
          if (periods != NULL && least[lane] == GV_NO_INDEX) continue;
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
          double distance[GV_LANES];
          unsigned near = block_distances(gv_block_points(tree, block), q, dim, metric, periods, tree->power,
                                          list.worst, distance);
          const int64_t *index = gv_block_index(tree, block);
          while (near != 0) {
            int lane = __builtin_ctz(near);
            near &= near - 1;
            if (index[lane] != self) gv_list_offer(&list, distance[lane], index[lane]);
          }
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
    before = NULL;
    if (list.worst_index != GV_NO_INDEX && (self < 0 || query_is_reference) && periods == NULL &&
        metric != GV_MINKOWSKI)
      before = q;
    before_worst = reach = list.worst;
    gv_list_finish(&list);
  }
}

GV_INLINE void search_metric(const gv_box_tree *tree, const gv_query *query, const gv_code *order, int64_t first,
                             int64_t last, bool same, int64_t *indices, double *canonical, gv_metric metric) {
  bool single = query->k == 1, euclidean = metric == GV_EUCLIDEAN;
  if (metric == GV_MINKOWSKI && tree->periods == NULL) {
    search_all(tree, query, order, first, last, same, indices, canonical, tree->dim, metric, NULL, false, false);
  } else if (tree->periods != NULL) {
    search_all(tree, query, order, first, last, same, indices, canonical, tree->dim, metric, tree->periods, false,
               false);
  } else if (tree->dim == 2) {
    if (single) {
      search_all(tree, query, order, first, last, same, indices, canonical, 2, metric, NULL, true, euclidean);
    } else {
      search_all(tree, query, order, first, last, same, indices, canonical, 2, metric, NULL, false, euclidean);
    }
  } else if (tree->dim == 3) {
    if (single) {
      search_all(tree, query, order, first, last, same, indices, canonical, 3, metric, NULL, true, euclidean);
    } else {
      search_all(tree, query, order, first, last, same, indices, canonical, 3, metric, NULL, false, euclidean);
    }
  } else {
    search_all(tree, query, order, first, last, same, indices, canonical, tree->dim, metric, NULL, false, false);
  }
}

static void box_tree_search(const gv_box_tree *tree, const gv_query *query, const gv_code *order, int64_t first,
                            int64_t last, bool query_is_reference, int64_t *indices, double *canonical) {
  switch (tree->metric) {
  case GV_MANHATTAN:
    search_metric(tree, query, order, first, last, query_is_reference, indices, canonical, GV_MANHATTAN);
    break;
  case GV_CHEBYSHEV:
    search_metric(tree, query, order, first, last, query_is_reference, indices, canonical, GV_CHEBYSHEV);
    break;
  case GV_MINKOWSKI:
    search_metric(tree, query, order, first, last, query_is_reference, indices, canonical, GV_MINKOWSKI);
    break;
  default:
    search_metric(tree, query, order, first, last, query_is_reference, indices, canonical, GV_EUCLIDEAN);
    break;
  }
}

const gv_box_tree_kernel GV_VARIANT(gv_box_tree_kernel) = box_tree_search;

/* ---------------------------------------------------------------------------------------------------- by radius */

/* Puts the children of a node that can hold points within the limit of a box of queries on the stack; returns its new height. */
GV_INLINE int push_near(const gv_box_tree *tree, int64_t node, const double *low, const double *high, double limit,
                        int64_t *stack, int top, int32_t dim, gv_metric metric, const double *periods) {
  const int64_t *children = gv_node_child(tree, node), *least = gv_node_least(tree, node);
  double bound[GV_LANES];
  unsigned near = box_bounds(gv_node_box(tree, node), low, high, dim, metric, periods, tree->power, limit, bound);
  for (; near != 0; near &= near - 1) {
    int lane = __builtin_ctz(near);
    if (least[lane] != GV_NO_INDEX) stack[top++] = children[lane];
  }
  return top;
}

GV_INLINE void within_all(const gv_box_tree *tree, const double *q, double limit, int64_t self, gv_found_list *list,
                          int32_t dim, gv_metric metric, const double *periods) {
  int64_t stack[GV_STACK_ENTRIES];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    int64_t child = stack[--top];
    if (child >= 0) {
      top = push_near(tree, child, q, q, limit, stack, top, dim, metric, periods);
      continue;
    }
    int64_t block = gv_leaf_first_block(child), end = block + gv_leaf_blocks(child);
    for (; block < end; block++) {
      double distance[GV_LANES];
      unsigned near =
          block_distances(gv_block_points(tree, block), q, dim, metric, periods, tree->power, limit, distance);
      const int64_t *index = gv_block_index(tree, block);
      for (; near != 0; near &= near - 1) {
        int lane = __builtin_ctz(near);
        if (index[lane] != self && index[lane] != GV_NO_INDEX) gv_found_list_add(list, distance[lane], index[lane]);
      }
    }
  }
}

GV_INLINE void within_metric(const gv_box_tree *tree, const double *q, double limit, int64_t self,
                             gv_found_list *list, gv_metric metric) {
  if (metric == GV_MINKOWSKI && tree->periods == NULL) {
    within_all(tree, q, limit, self, list, tree->dim, metric, NULL);
  } else if (tree->periods != NULL) {
    within_all(tree, q, limit, self, list, tree->dim, metric, tree->periods);
  } else if (tree->dim == 2) {
    within_all(tree, q, limit, self, list, 2, metric, NULL);
  } else if (tree->dim == 3) {
    within_all(tree, q, limit, self, list, 3, metric, NULL);
  } else {
    within_all(tree, q, limit, self, list, tree->dim, metric, NULL);
  }
}

static void within(const gv_box_tree *tree, const double *q, double limit, int64_t self, gv_found_list *list) {
  switch (tree->metric) {
  case GV_MANHATTAN:
    within_metric(tree, q, limit, self, list, GV_MANHATTAN);
    break;
  case GV_CHEBYSHEV:
    within_metric(tree, q, limit, self, list, GV_CHEBYSHEV);
    break;
  case GV_MINKOWSKI:
    within_metric(tree, q, limit, self, list, GV_MINKOWSKI);
    break;
  default:
    within_metric(tree, q, limit, self, list, GV_EUCLIDEAN);
    break;
  }
}

const gv_box_tree_within_kernel GV_VARIANT(gv_box_tree_within_kernel) = within;

/* --------------------------------------------------------------------------------------------------------- pairs */

/* The points of a leaf as queries, and their box. */
typedef struct leaf_queries {
  int count;
  int64_t number[GV_PAIR_QUERIES];
  double place[GV_PAIR_QUERIES][GV_PAIR_DIM_MAX], low[GV_PAIR_DIM_MAX], high[GV_PAIR_DIM_MAX];
} leaf_queries;

static void take_queries(const gv_box_tree *tree, int64_t leaf, leaf_queries *q) {
  int64_t first = gv_leaf_first_block(leaf);
  q->count = 0;
  for (int i = 0; i < gv_leaf_blocks(leaf) * GV_LANES; i++) {
    const double *points = gv_block_points(tree, first + i / GV_LANES) + i % GV_LANES;
    int64_t number = gv_block_index(tree, first + i / GV_LANES)[i % GV_LANES];
    if (number == GV_NO_INDEX) continue;
    int n = q->count++;
    q->number[n] = number;
    for (int32_t d = 0; d < tree->dim; d++) {
      double at = points[(int64_t)d * GV_LANES];
      q->place[n][d] = at;
      q->low[d] = n == 0 || at < q->low[d] ? at : q->low[d];
      q->high[d] = n == 0 || at > q->high[d] ? at : q->high[d];
    }
  }
}

/* Lists the points that can be within the limit of a query, by number and place in the blocks. */
GV_INLINE void list_candidates(const gv_box_tree *tree, double limit, const leaf_queries *q, gv_found_list *list,
                               int32_t dim, gv_metric metric, const double *periods) {
  int64_t stack[GV_STACK_ENTRIES];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    int64_t child = stack[--top];
    if (child >= 0) {
      top = push_near(tree, child, q->low, q->high, limit, stack, top, dim, metric, periods);
      continue;
    }
    int64_t block = gv_leaf_first_block(child), end = block + gv_leaf_blocks(child);
    for (; block < end; block++) {
      const int64_t *index = gv_block_index(tree, block);
      unsigned near =
          block_bounds(gv_block_points(tree, block), q->low, q->high, dim, metric, periods, tree->power, limit);
      for (; near != 0; near &= near - 1) {
        int lane = __builtin_ctz(near);
        if (index[lane] == GV_NO_INDEX) continue;
        if (list->count == list->room && !gv_found_list_grow(list)) return;
        list->entry[list->count++] = (gv_code){(uint64_t)index[lane], block * GV_LANES + lane};
      }
    }
  }
}

/* The listed points as blocks, with their numbers after the coordinates; -1 in lanes without a point. */
GV_INLINE void gather_blocks(const gv_box_tree *tree, const gv_found_list *list, int32_t dim, double *out) {
  for (int64_t i = 0; i < (list->count + GV_LANES - 1) / GV_LANES * GV_LANES; i++) {
    double *to = out + i / GV_LANES * (dim + 1) * GV_LANES + i % GV_LANES;
    bool there = i < list->count;
    int64_t slot = there ? list->entry[i].index : 0;
    const double *from = gv_block_points(tree, slot / GV_LANES) + slot % GV_LANES;
    for (int32_t d = 0; d < dim; d++)
      to[(int64_t)d * GV_LANES] = from[(int64_t)d * GV_LANES];
    to[(int64_t)dim * GV_LANES] = there ? (double)list->entry[i].code : -1.0;
  }
}

/* Which of the 8 points of a gathered block have higher numbers than a query, and are within the limit. */
GV_INLINE unsigned later_pairs(const double *block, const double *place, double number, double limit, int32_t dim,
                               gv_metric metric, const double *periods, double power) {
  double distance[GV_LANES];
  unsigned near = block_distances(block, place, dim, metric, periods, power, limit, distance), later = 0;
  for (int i = 0; i < PARTS; i++)
    later |= vm_bits(vd_less(vd_all(number), vd_load(block + (int64_t)dim * GV_LANES + i * VD_LANES)))
             << i * VD_LANES;
  return near & later;
}

/* The first of sorted points that has a higher number; without branches, which would be mispredicted. */
static int64_t first_later(const gv_code *listed, int64_t count, uint64_t number) {
  int64_t first = 0, left = count;
  for (; left > 1; left -= left / 2)
    first += listed[first + left / 2 - 1].code <= number ? left / 2 : 0;
  return first + (listed[first].code <= number);
}

/* Writes the pairs of a query in order; false if there are not as many as there is room for. */
GV_INLINE bool write_pairs(const gv_box_tree *tree, double limit, const leaf_queries *q, int n,
                           const gv_pair_scratch *scratch, int64_t room, int64_t *to, int32_t dim, gv_metric metric,
                           const double *periods) {
  const gv_code *listed = scratch->list.entry;
  int64_t count = scratch->list.count, number = q->number[n], first = first_later(listed, count, (uint64_t)number);
  int64_t *end = to + 2 * room;
  for (int64_t at = first / GV_LANES * GV_LANES; at < count; at += GV_LANES) {
    unsigned near = later_pairs(scratch->block + at * (dim + 1), q->place[n], (double)number, limit, dim, metric,
                                periods, tree->power);
    if (end - to < 2 * GV_LANES && end - to < 2 * __builtin_popcount(near)) return false;
    for (; near != 0; near &= near - 1) {
      *to++ = number;
      *to++ = (int64_t)listed[at + __builtin_ctz(near)].code;
    }
  }
  return to == end;
}

GV_INLINE gv_pairs_result leaf_pairs_of(const gv_box_tree *tree, int64_t leaf, double limit, int64_t *offsets,
                                        int64_t *pairs, gv_pair_scratch *scratch, int32_t dim, gv_metric metric,
                                        const double *periods) {
  leaf_queries q;
  gv_found_list *list = &scratch->list;
  take_queries(tree, leaf, &q);
  list->count = 0;
  list_candidates(tree, limit, &q, list, dim, metric, periods);
  if (list->failed || !gv_pair_scratch_fit(scratch, dim)) return GV_PAIRS_NO_MEMORY;
  if (pairs != NULL) gv_codes_sort_list(list->entry, list->entry + list->room, list->count);
  gather_blocks(tree, list, dim, scratch->block);
  for (int n = 0; n < q.count; n++) {
    int64_t *offset = offsets + q.number[n], found = 0;
    if (pairs != NULL) {
      if (!write_pairs(tree, limit, &q, n, scratch, offset[1] - offset[0], pairs + 2 * offset[0], dim, metric,
                       periods))
        return GV_PAIRS_OTHER_CAPACITY;
      continue;
    }
    for (int64_t at = 0; at < list->count; at += GV_LANES)
      found += __builtin_popcount(later_pairs(scratch->block + at * (dim + 1), q.place[n], (double)q.number[n],
                                              limit, dim, metric, periods, tree->power));
    offset[1] = found;
  }
  return GV_PAIRS_FOUND;
}

GV_INLINE gv_pairs_result leaf_pairs_by(const gv_box_tree *tree, int64_t leaf, double limit, int64_t *offsets,
                                        int64_t *pairs, gv_pair_scratch *scratch, gv_metric metric) {
  if (metric == GV_MINKOWSKI || tree->periods != NULL)
    return leaf_pairs_of(tree, leaf, limit, offsets, pairs, scratch, tree->dim, metric, tree->periods);
  if (tree->dim == 2) return leaf_pairs_of(tree, leaf, limit, offsets, pairs, scratch, 2, metric, NULL);
  if (tree->dim == 3) return leaf_pairs_of(tree, leaf, limit, offsets, pairs, scratch, 3, metric, NULL);
  return leaf_pairs_of(tree, leaf, limit, offsets, pairs, scratch, tree->dim, metric, NULL);
}

static gv_pairs_result leaf_pairs(const gv_box_tree *tree, int64_t leaf, double limit, int64_t *offsets,
                                  int64_t *pairs, gv_pair_scratch *scratch) {
  switch (tree->metric) {
  case GV_MANHATTAN:
    return leaf_pairs_by(tree, leaf, limit, offsets, pairs, scratch, GV_MANHATTAN);
  case GV_CHEBYSHEV:
    return leaf_pairs_by(tree, leaf, limit, offsets, pairs, scratch, GV_CHEBYSHEV);
  case GV_MINKOWSKI:
    return leaf_pairs_by(tree, leaf, limit, offsets, pairs, scratch, GV_MINKOWSKI);
  default:
    return leaf_pairs_by(tree, leaf, limit, offsets, pairs, scratch, GV_EUCLIDEAN);
  }
}

const gv_box_tree_pairs_kernel GV_VARIANT(gv_box_tree_pairs_kernel) = leaf_pairs;
