/*
 * The search of a box tree. Specialized by metric, by dimension 2 and 3 and for k = 1 through inlining with
 * constant arguments.
 *
 * Cost: a query of a low-dimensional uniform set visits O(log n) nodes, about 2 log8 n, and two to four
 * leaves.
 *
 * A query starts with a limit from the query before it (they come in Morton order): if that one had its k-th
 * neighbor at distance r and is s away, k points lie within r + s of this one, by the triangle inequality.
 * That holds with self-exclusion too: if this query is among those k neighbors, the previous query replaces
 * it. In a periodic box the rounding of differences may exceed them, so queries have no limit from another.
 */
#include "search/box_tree_lanes.h"
#include "search/radius.h"

/* ------------------------------------------------------------------------------------------------- states */

/* What a query leaves to the next one: its coordinates (NULL: no limit from it) and the distance to its k-th
 * neighbor. */
typedef struct query_before {
  const double *place;
  double worst, reach; /* reach: of a query or of the group before; for GROUP_CLOSE */
  bool together;       /* the next queries may be searched as groups */
} query_before;

/* -------------------------------------------------------------------------------------------------- steps */

/* Puts the children of a node that can hold a neighbor on the stack, the nearest on top; returns its new
 * height. */
GV_INLINE int query_visit_node(const gv_box_tree *tree, int64_t node, const double *q,
                               const gv_nearest_list *list, stack_entry *stack, int top, int32_t dim,
                               gv_metric metric, const double *periods) {
  const int64_t *children = gv_node_child(tree, node), *least = gv_node_least(tree, node);
  double bound[GV_LANES];
  unsigned near =
      box_bounds(gv_node_box(tree, node), q, q, dim, metric, periods, tree->power, list->worst, bound);
  const int base = top;
  for (; near != 0; near &= near - 1) {
    const int lane = __builtin_ctz(near);
    if (periods != NULL && least[lane] == GV_NO_INDEX) continue;
    const stack_entry entry = {bound[lane], least[lane], children[lane]};
    if (!gv_pair_before(entry.bound, entry.least, list->worst, list->worst_index)) continue;
    int place = top++;
    for (; place > base &&
           gv_pair_before(stack[place - 1].bound, stack[place - 1].least, entry.bound, entry.least);
         place--)
      stack[place] = stack[place - 1];
    stack[place] = entry;
  }
  return top;
}

/* Offers the points of a leaf to the list. */
GV_INLINE void query_visit_leaf(const gv_box_tree *tree, int64_t leaf, const double *q, int64_t self,
                                gv_nearest_list *list, int32_t dim, gv_metric metric, const double *periods) {
  int64_t block = gv_leaf_first_block(leaf), end = block + gv_leaf_blocks(leaf);
  for (; block < end; block++) {
    double distance[GV_LANES];
    unsigned near = block_distances(gv_block_points(tree, block), q, dim, metric, periods, tree->power,
                                    list->worst, distance);
    const int64_t *index = gv_block_index(tree, block);
    for (; near != 0; near &= near - 1) {
      const int lane = __builtin_ctz(near);
      if (index[lane] != self) gv_list_offer(list, distance[lane], index[lane]);
    }
  }
}

/* The place in the stack of the next entry that can hold a neighbor; -1: there is none. */
GV_INLINE int query_next(const stack_entry *stack, int top, const gv_nearest_list *list) {
  while (top-- > 0)
    if (gv_pair_before(stack[top].bound, stack[top].least, list->worst, list->worst_index)) return top;
  return -1;
}

/* -------------------------------------------------------------------------------------------------- loops */

/* One query: `list` has its limit, and then its neighbors. */
GV_INLINE void query_search(const gv_box_tree *tree, const double *q, int64_t self, gv_nearest_list *list,
                            int32_t dim, gv_metric metric, const double *periods) {
  stack_entry stack[GV_STACK_ENTRIES];
  int top = 0;
  for (int64_t child = 0;; child = stack[top].child) {
    if (child >= 0) {
      top = query_visit_node(tree, child, q, list, stack, top, dim, metric, periods);
    } else {
      query_visit_leaf(tree, child, q, self, list, dim, metric, periods);
    }
    top = query_next(stack, top, list);
    if (top < 0) return;
  }
}

/* Queries from `i` on in groups of eight, as long as they are close to each other; returns the first that is
 * left. */
GV_INLINE int64_t search_groups(const gv_box_tree *tree, const gv_query *query, const gv_sort_code *order,
                                int64_t i, int64_t last, int64_t *indices, double *canonical, int32_t dim,
                                gv_metric metric, int32_t k, query_before *before) {
  while (before->together && before->place != NULL && last - i >= GV_LANES) {
    query_group g;
    if (!(group_load(&g, query->data, order + i, dim) <= GROUP_CLOSE * before->reach)) break;
    group_start(&g, query, order + i, before->place, before->worst, dim, k, metric);
    before->reach = group_search(tree, &g, dim, k, metric);
    before->together = before->reach == before->reach;
    if (!before->together) break;
    group_write(&g, order + i, k, indices, canonical);
    i += GV_LANES;
    const int64_t number = order[i - 1].index, worst = number * k + k - 1;
    before->place = indices[worst] >= 0 ? query->data + number * dim : NULL;
    before->worst = canonical[worst];
  }
  return i;
}

GV_INLINE void search_all(const gv_box_tree *tree, const gv_query *query, const gv_sort_code *order,
                          int64_t first, int64_t last, bool query_is_reference, int64_t *indices,
                          double *canonical, int32_t dim, gv_metric metric, const double *periods,
                          bool single, bool together) {
  const int32_t k = single ? 1 : query->k;
  const bool limits = periods == NULL && metric != GV_MINKOWSKI;
  query_before before = {.place = NULL};
  before.together =
      together && order != NULL && query->self_offset < 0 && query->limits == NULL && k <= GROUP_K_MAX;
  for (int64_t i = first; i < last; i++) {
    i = search_groups(tree, query, order, i, last, indices, canonical, dim, metric, k, &before);
    if (i >= last) break;
    const int64_t number = order != NULL ? order[i].index : i;
    if (order != NULL && i + 4 < last) __builtin_prefetch(query->data + order[i + 4].index * dim);
    const double *q = query->data + number * dim;
    const int64_t self = query->self_offset >= 0 ? query->self_offset + number : -1;
    double limit = query->limits != NULL ? query->limits[number] : query->max_canonical;
    if (before.place != NULL) {
      const double known = limit_after(q, before.place, before.worst, dim, metric);
      limit = known < limit ? known : limit;
    }
    gv_nearest_list list;
    gv_list_start(&list, canonical + number * k, indices + number * k, k, limit);
    query_search(tree, q, self, &list, dim, metric, periods);
    const bool full = list.worst_index != GV_NO_INDEX;
    before.place = limits && full && (self < 0 || query_is_reference) ? q : NULL;
    before.worst = before.reach = list.worst;
    gv_list_finish(&list);
  }
}

/* ---------------------------------------------------------------------------------------- specializations */

GV_INLINE void search_metric(const gv_box_tree *tree, const gv_query *query, const gv_sort_code *order,
                             int64_t first, int64_t last, bool same, int64_t *indices, double *canonical,
                             gv_metric metric) {
  bool single = query->k == 1, euclidean = metric == GV_EUCLIDEAN;
  if (metric == GV_MINKOWSKI && tree->periods == NULL) {
    search_all(tree, query, order, first, last, same, indices, canonical, tree->dim, metric, NULL, false,
               false);
  } else if (tree->periods != NULL) {
    search_all(tree, query, order, first, last, same, indices, canonical, tree->dim, metric, tree->periods,
               false, false);
  } else if (tree->dim == 2) {
    if (single) {
      search_all(tree, query, order, first, last, same, indices, canonical, 2, metric, NULL, true, euclidean);
    } else {
      search_all(tree, query, order, first, last, same, indices, canonical, 2, metric, NULL, false,
                 euclidean);
    }
  } else if (tree->dim == 3) {
    if (single) {
      search_all(tree, query, order, first, last, same, indices, canonical, 3, metric, NULL, true, euclidean);
    } else {
      search_all(tree, query, order, first, last, same, indices, canonical, 3, metric, NULL, false,
                 euclidean);
    }
  } else {
    search_all(tree, query, order, first, last, same, indices, canonical, tree->dim, metric, NULL, false,
               false);
  }
}

static void box_tree_search(const gv_box_tree *tree, const gv_query *query, const gv_sort_code *order,
                            int64_t first, int64_t last, bool query_is_reference, int64_t *indices,
                            double *canonical) {
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

/* ---------------------------------------------------------------------------------------------- by radius */

GV_INLINE void within_all(const gv_box_tree *tree, const double *q, double limit, int64_t self,
                          gv_found_list *list, int32_t dim, gv_metric metric, const double *periods) {
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
      unsigned near = block_distances(gv_block_points(tree, block), q, dim, metric, periods, tree->power,
                                      limit, distance);
      const int64_t *index = gv_block_index(tree, block);
      for (; near != 0; near &= near - 1) {
        int lane = __builtin_ctz(near);
        if (index[lane] != self && index[lane] != GV_NO_INDEX)
          gv_found_list_add(list, distance[lane], index[lane]);
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

static void within(const gv_box_tree *tree, const double *q, double limit, int64_t self,
                   gv_found_list *list) {
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

/* -------------------------------------------------------------------------------------------------- pairs */

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
GV_INLINE void list_candidates(const gv_box_tree *tree, double limit, const leaf_queries *q,
                               gv_found_list *list, int32_t dim, gv_metric metric, const double *periods) {
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
      unsigned near = block_bounds(gv_block_points(tree, block), q->low, q->high, dim, metric, periods,
                                   tree->power, limit);
      for (; near != 0; near &= near - 1) {
        int lane = __builtin_ctz(near);
        if (index[lane] == GV_NO_INDEX) continue;
        if (list->count == list->room && !gv_found_list_grow(list)) return;
        list->entry[list->count++] = (gv_sort_code){(uint64_t)index[lane], block * GV_LANES + lane};
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
GV_INLINE unsigned later_pairs(const double *block, const double *place, double number, double limit,
                               int32_t dim, gv_metric metric, const double *periods, double power) {
  double distance[GV_LANES];
  unsigned near = block_distances(block, place, dim, metric, periods, power, limit, distance), later = 0;
  for (int i = 0; i < PARTS; i++)
    later |= vm_bits(vd_less(vd_all(number), vd_load(block + (int64_t)dim * GV_LANES + i * VD_LANES)))
             << i * VD_LANES;
  return near & later;
}

/* The first of sorted points that has a higher number; without branches, which would be mispredicted. */
static int64_t first_later(const gv_sort_code *listed, int64_t count, uint64_t number) {
  int64_t first = 0, left = count;
  for (; left > 1; left -= left / 2)
    first += listed[first + left / 2 - 1].code <= number ? left / 2 : 0;
  return first + (listed[first].code <= number);
}

/* Writes the pairs of a query in order; false if there are not as many as there is room for. */
GV_INLINE bool write_pairs(const gv_box_tree *tree, double limit, const leaf_queries *q, int n,
                           const gv_pair_scratch *scratch, int64_t room, int64_t *to, int32_t dim,
                           gv_metric metric, const double *periods) {
  const gv_sort_code *listed = scratch->list.entry;
  int64_t count = scratch->list.count, number = q->number[n],
          first = first_later(listed, count, (uint64_t)number);
  int64_t *end = to + 2 * room;
  for (int64_t at = first / GV_LANES * GV_LANES; at < count; at += GV_LANES) {
    unsigned near = later_pairs(scratch->block + at * (dim + 1), q->place[n], (double)number, limit, dim,
                                metric, periods, tree->power);
    if (end - to < 2 * GV_LANES && end - to < 2 * __builtin_popcount(near)) return false;
    for (; near != 0; near &= near - 1) {
      *to++ = number;
      *to++ = (int64_t)listed[at + __builtin_ctz(near)].code;
    }
  }
  return to == end;
}

GV_INLINE gv_pairs_result leaf_pairs_of(const gv_box_tree *tree, int64_t leaf, double limit, int64_t *offsets,
                                        int64_t *pairs, gv_pair_scratch *scratch, int32_t dim,
                                        gv_metric metric, const double *periods) {
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
      found += __builtin_popcount(later_pairs(scratch->block + at * (dim + 1), q.place[n],
                                              (double)q.number[n], limit, dim, metric, periods, tree->power));
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
