/*
 * The k nearest lines and polygons of other lines and polygons.
 *
 * Each leaf of a query's tree walks the trees of the indexed features, the nearest boxes first, and compares edges that
 * may be within the reach of the k-th value so far (features/pairs.h). Polygons that hold a feature whole are found by
 * a vertex of each of its rings, in both directions. A value that pruning leaves out is above the k-th value of the
 * moment, so the result depends neither on the order of the walk nor on threads.
 */
#include "core/given.h"
#include "core/parallel.h"
#include "features/pairs.h"
#include "gpuvoronoi/geometries.h"
#include "indexes/feature_index.h"
#include "search/search_checks.h"

#include <string.h>

enum {
  STACK = 64, /* levels of a tree */
  LEAF_MOST = 4,
  AT_ONCE = 16 /* queries that a worker processes */
};

/* The nearest features so far, by (exact distance, number). */
typedef struct pair_list {
  int32_t k, count;
  double limit; /* canonical, inclusive */
  double value[GV_VORONOI_MAX_K];
  int32_t feature[GV_VORONOI_MAX_K];
} pair_list;

static double pair_list_worst(const pair_list *l) {
  return l->count == l->k ? l->value[l->k - 1] : l->limit;
}

/* The place of a feature in the list; -1: it is not there. */
static int32_t pair_list_find(const pair_list *l, int32_t feature) {
  for (int32_t i = 0; i < l->count; i++)
    if (l->feature[i] == feature) return i;
  return -1;
}

static void pair_list_offer(pair_list *l, int32_t feature, double value) {
  int32_t at = pair_list_find(l, feature), last = l->count - 1;
  if (value > l->limit || (at >= 0 && l->value[at] <= value)) return;
  if (at < 0 && l->count == l->k) {
    if (value > l->value[last] || (value == l->value[last] && feature > l->feature[last])) return;
    at = last;
  } else if (at < 0) {
    at = l->count++;
  }
  for (; at > 0; at--) {
    if (l->value[at - 1] < value || (l->value[at - 1] == value && l->feature[at - 1] < feature)) break;
    l->value[at] = l->value[at - 1];
    l->feature[at] = l->feature[at - 1];
  }
  l->value[at] = value;
  l->feature[at] = feature;
}

typedef struct pair_search {
  const gv_feature_index *index;
  const gv_feature_lookup *lookup;
  int32_t k;
  double limit;
  const int32_t *held; /* of each query: how many features in `indices` lie within it */
  int64_t *indices;
  double *distances;
  gv_progress progress;
} pair_search;

/* One query at a time. */
typedef struct pair_query {
  const pair_search *s;
  pair_list list;
  double reach, reached; /* gv_reach of the worst value `reached` */
  int32_t leaf, entries; /* of the query's tree: first entry, number */
  const gv_box_node *box;
  double middle[LEAF_MOST][3], half[LEAF_MOST]; /* balls around its entries */
} pair_query;

static double pair_query_reach(pair_query *q) {
  double worst = pair_list_worst(&q->list);
  if (worst != q->reached) {
    q->reach = gv_reach(&q->s->index->lookup.tree, worst);
    q->reached = worst;
  }
  return q->reach;
}

/* As gv_box_distance2, between boxes. */
static double boxes_distance2(const gv_feature_tree *t, const gv_box_node *a, const gv_box_node *b) {
  double total = 0.0, largest = 0.0, sum = 0.0;
  for (int i = 0; i < t->dim; i++) {
    double below = (double)a->low[i] - (double)b->high[i], above = (double)b->low[i] - (double)a->high[i];
    double away = fmax(0.0, fmax(below, above));
    total += away * away;
    sum += away;
    largest = fmax(largest, away);
  }
  if (t->set->metric == GV_MANHATTAN) return sum * sum;
  return t->set->metric == GV_CHEBYSHEV ? largest * largest : total;
}

/* Nodes to visit, the nearest on top. */
typedef struct pair_stack {
  int32_t node[STACK];
  double box[STACK];
  int count;
} pair_stack;

static void pair_stack_push(pair_stack *w, const gv_feature_tree *t, const gv_box_node *nodes, int32_t first,
                            const gv_box_node *box) {
  double a = boxes_distance2(t, &nodes[first], box), b = boxes_distance2(t, &nodes[first + 1], box);
  int nearer = a <= b ? 0 : 1;
  w->node[w->count] = first + 1 - nearer;
  w->box[w->count++] = nearer == 0 ? b : a;
  w->node[w->count] = first + nearer;
  w->box[w->count++] = nearer == 0 ? a : b;
}

/* ------------------------------------------------------------------------------------------------------- the walk */

static void compare_entries(pair_query *q, int32_t feature, int32_t number) {
  const gv_feature_tree *of_index = &q->s->index->lookup.tree, *own = &q->s->lookup->tree;
  for (int32_t i = 0; i < q->entries; i++) {
    if (gv_feature_tree_iterates(of_index)) {
      double low, high;
      gv_tree_entry_chords(of_index, number, q->middle[i], &low, &high);
      low -= q->half[i];
      if (low > 0.0 && low * low > pair_query_reach(q)) continue;
    }
    pair_list_offer(&q->list, feature,
                    gv_entries_distance(own, own->entry[q->leaf + i], of_index, of_index->entry[number]));
  }
}

static void walk_feature(pair_query *q, int32_t feature) {
  const gv_feature_tree *t = &q->s->index->lookup.tree;
  pair_stack w = {.count = 1, .node = {t->root[feature]}};
  w.box[0] = boxes_distance2(t, &t->node[t->root[feature]], q->box);
  while (w.count > 0) {
    w.count--;
    if (w.box[w.count] > pair_query_reach(q)) continue;
    const gv_box_node *n = &t->node[w.node[w.count]];
    if (n->count == 0) pair_stack_push(&w, t, t->node, n->first, q->box);
    for (int32_t i = n->first; i < n->first + n->count; i++) {
      int32_t at = pair_list_find(&q->list, feature);
      if (at >= 0 && q->list.value[at] == 0.0) return;
      compare_entries(q, feature, i);
    }
  }
}

static void walk_features(pair_query *q) {
  const gv_feature_tree *t = &q->s->index->lookup.tree;
  pair_stack w = {.count = 1, .node = {0}};
  if (t->tops == 0) return;
  w.box[0] = boxes_distance2(t, &t->top[0], q->box);
  while (w.count > 0) {
    w.count--;
    if (w.box[w.count] > pair_query_reach(q)) continue;
    const gv_box_node *n = &t->top[w.node[w.count]];
    if (n->count == 0) pair_stack_push(&w, t, t->top, n->first, q->box);
    for (int32_t i = n->first; i < n->first + n->count; i++)
      walk_feature(q, t->feature[i]);
  }
}

/* The balls around the entries of a leaf; edges stay within their sag of the chord. */
static void prepare_leaf(pair_query *q, const gv_box_node *leaf) {
  const gv_feature_tree *own = &q->s->lookup->tree;
  q->box = leaf;
  q->leaf = leaf->first;
  q->entries = leaf->count;
  for (int32_t i = 0; i < leaf->count; i++) {
    int32_t entry = own->entry[leaf->first + i];
    const double *a = gv_tree_place(own, entry < 0 ? ~(int64_t)entry : entry), *b = entry < 0 ? a : a + own->dim;
    double size2 = 0.0;
    for (int axis = 0; axis < 3; axis++) {
      double from = axis < own->dim ? a[axis] : 0.0, to = axis < own->dim ? b[axis] : 0.0;
      q->middle[i][axis] = 0.5 * (from + to);
      size2 += (to - from) * (to - from);
    }
    q->half[i] = 0.5 * sqrt(size2) * (1.0 + 1e-14) + (double)own->sag[leaf->first + i] + 1e-15;
  }
}

static void walk_query(pair_query *q, int32_t number) {
  const gv_feature_tree *own = &q->s->lookup->tree;
  int32_t stack[2 * STACK], count = 0;
  if (own->root[number] < 0) return;
  stack[count++] = own->root[number];
  while (count > 0) {
    const gv_box_node *n = &own->node[stack[--count]];
    if (n->count == 0) {
      stack[count++] = n->first + 1;
      stack[count++] = n->first;
      continue;
    }
    prepare_leaf(q, n);
    walk_features(q);
  }
}

/* ---------------------------------------------------------------------------------------------------- containment */

/* Calls gv_locate with the first vertex of each ring of a feature, and with all of its points. */
static void locate_rings(const gv_feature_tree *t, int32_t feature, const gv_locator *among, gv_found_part *found,
                         void *user) {
  const gv_feature_set *set = t->set;
  for (int64_t p = set->part[feature]; p < set->part[feature + 1]; p++) {
    for (int64_t r = set->ring[p]; r < set->ring[p + 1]; r++) {
      int64_t first = set->vertex[r], end = set->kind[p] == GV_PART_POINTS ? set->vertex[r + 1] : first + 1;
      for (int64_t v = first; v < end; v++) {
        gv_edge_place place = gv_tree_vertex(t, v);
        gv_locate(among, &place, found, user);
      }
    }
  }
}

static bool offer_holder(void *user, int32_t part) {
  pair_query *q = user;
  pair_list_offer(&q->list, q->s->index->lookup.locator.feature_of[part], 0.0);
  return true;
}

/* The indexed features that lie within queries, in ascending order, at most k of each. */
typedef struct pair_holding {
  const gv_feature_lookup *lookup;
  int32_t k, feature;
  int32_t *held;
  int64_t *indices;
} pair_holding;

static bool hold_feature(void *user, int32_t part) {
  pair_holding *h = user;
  int64_t query = h->lookup->locator.feature_of[part];
  int64_t *of = h->indices + query * h->k;
  int32_t count = h->held[query];
  if (count < h->k && (count == 0 || of[count - 1] != h->feature)) of[h->held[query]++] = h->feature;
  return true;
}

static void find_held(const gv_feature_index *index, const gv_feature_lookup *lookup, int32_t k, int32_t *held,
                      int64_t *indices) {
  pair_holding h = {.lookup = lookup, .k = k, .held = held, .indices = indices};
  if (lookup->locator.strips == 0) return;
  for (h.feature = 0; h.feature < index->set.count; h.feature++)
    locate_rings(&index->lookup.tree, h.feature, &lookup->locator, hold_feature, &h);
}

/* ----------------------------------------------------------------------------------------------------- all queries */

static gv_status search_tree_pairs(gv_worker *worker, int64_t first, int64_t end) {
  pair_search *s = worker->user;
  pair_query q = {.s = s, .reached = -1.0};
  for (int64_t i = first; i < end; i++) {
    int64_t *indices = s->indices + i * s->k;
    q.list.k = s->k;
    q.list.count = 0;
    q.list.limit = s->limit;
    for (int32_t n = 0; n < s->held[i]; n++)
      pair_list_offer(&q.list, (int32_t)indices[n], 0.0);
    locate_rings(&s->lookup->tree, (int32_t)i, &s->index->lookup.locator, offer_holder, &q);
    walk_query(&q, (int32_t)i);
    for (int32_t n = 0; n < s->k; n++) {
      bool there = n < q.list.count;
      indices[n] = there ? q.list.feature[n] : -1;
      if (s->distances != NULL)
        s->distances[i * s->k + n] = there ? gv_feature_distance_of(&s->index->voronoi, q.list.value[n]) : INFINITY;
    }
  }
  gv_progress_add(&s->progress, end - first);
  return GV_OK;
}

static bool has_edges(const gv_feature_set *set) {
  for (int64_t p = 0; p < set->parts; p++)
    if (set->kind[p] != GV_PART_POINTS) return true;
  return false;
}

static gv_status check_pairs(gv_context *context, const gv_feature_set *indexed, const gv_feature_set *queries) {
  if (indexed->straight != queries->straight)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "edges: those of the queries must have the shape of the indexed features' edges");
  if (indexed->globe && indexed->straight && has_edges(indexed) && has_edges(queries))
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "edges: straight edges on the globe are not supported for distances between lines and polygons; "
                   "use geodesic edges");
  return GV_OK;
}

static gv_status search_pairs(gv_context *context, const gv_feature_index *index, const gv_feature_set *set,
                              const gv_search_options *o, int64_t *indices, double *distances) {
  const gv_cells *cells = &index->voronoi.cells;
  gv_feature_lookup lookup;
  GV_TRY(gv_feature_lookup_init(context, set, &index->voronoi.geodesic, &lookup));
  gv_status status = GV_OK;
  int32_t *held = gv_allocate_zeroed(&context->allocator, set->count, sizeof *held);
  if (held == NULL) {
    status = gv_fail_memory(context, "the features within polygons");
  } else {
    find_held(index, &lookup, o->k, held, indices);
    pair_search s = {.index = index,
                     .lookup = &lookup,
                     .k = o->k,
                     .limit = gv_canonical_limit(cells->metric, &cells->ellipsoid, o->max_distance),
                     .held = held,
                     .indices = indices,
                     .distances = distances};
    gv_progress_init(&s.progress, context, set->count);
    gv_loop loop = {context, context->threads, set->count, AT_ONCE, &s.progress, &s};
    status = gv_parallel_for(&loop, search_tree_pairs);
  }
  gv_release(&context->allocator, held);
  gv_feature_lookup_clear(&lookup);
  return status;
}

gv_status gv_index_search_features(gv_context *context, const gv_index *base, const gv_features *queries,
                                   const gv_search_options *options, int64_t *indices, double *distances) {
  gv_search_options o;
  gv_feature_set set;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (base == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "index: the pointer is NULL");
  if (base->type->kind != GV_INDEX_FEATURES)
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "index: not of lines and polygons; use gv_index_build_features");
  if (queries == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "features: missing");
  if (indices == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "indices: the output pointer is NULL");
  gv_search_options_init(&o);
  GV_TAKE(context, gv_search_options, &o, options);
  GV_TRY(gv_check_search_options(context, &o, GV_VORONOI_MAX_K, " among lines and polygons"));
  if (gv_on_device(o.array_options) || o.exclude_self || o.nearest != NULL)
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "lines and polygons as queries: exclude_self, nearest and device memory are not supported");
  const gv_feature_index *index = (const gv_feature_index *)base;
  const gv_cells *cells = &index->voronoi.cells;
  GV_TRY(gv_feature_set_init(context, cells->metric, &cells->ellipsoid, queries, &set));
  gv_status status = check_pairs(context, &index->set, &set);
  if (status == GV_OK) status = search_pairs(context, index, &set, &o, indices, distances);
  gv_feature_set_clear(&set);
  return status;
}
