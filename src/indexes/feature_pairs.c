/*
 * The k nearest lines and polygons of other lines and polygons.
 *
 * The tree of a query is walked together with the tree over the indexed features, and then with that of each
 * feature: of two boxes the wider one is halved, the nearest boxes come first, and edges are compared that
 * may be within the reach of the k-th value so far (features/pairs.h). Edges that meet are found by a walk of
 * their own, before: it compares only edges with common boxes, needs no distances, and ends for a feature at
 * its first such edge. Polygons that hold a feature whole are found by a vertex of each of its rings, in both
 * directions. A value that pruning leaves out is above the k-th value of the moment, so the result depends
 * neither on the order of the walk nor on threads. Gain: 30x for lines that cross each other, 2x for polygons
 * apart, against a walk from each leaf of the query.
 */
#include "core/cancel.h"
#include "core/given.h"
#include "core/parallel.h"
#include "features/pairs.h"
#include "gpuvoronoi/geometries.h"
#include "indexes/feature_index.h"
#include "search/search_checks.h"

#include <string.h>

enum {
  STACK = 128, /* levels of two trees */
  LEAF_MOST = 4,
  AT_ONCE = 16,        /* queries that a worker processes */
  LOOK_AFTER = 1 << 10 /* leaves that are compared before the next look whether the search is cancelled */
};

enum { ABSENT, LISTED, MEETS /* listed at 0 */ };

/* The nearest features so far, by (exact distance, number). */
typedef struct pair_list {
  int32_t k, count;
  double limit; /* canonical, inclusive */
  double *value;
  int32_t *feature;
  uint8_t *state; /* of each indexed feature */
} pair_list;

static double pair_list_worst(const pair_list *l) {
  return l->count == l->k ? l->value[l->k - 1] : l->limit;
}

/* The place of a feature in the list; -1: it is not there. */
static int32_t pair_list_find(const pair_list *l, int32_t feature) {
  if (l->state[feature] == ABSENT) return -1;
  for (int32_t i = 0; i < l->count; i++)
    if (l->feature[i] == feature) return i;
  return -1;
}

/* Whether no value of the feature changes the list. */
static bool pair_list_closed(const pair_list *l, int32_t feature) {
  if (l->state[feature] != ABSENT) return l->state[feature] == MEETS;
  return l->count == l->k && l->value[l->k - 1] == 0.0 && l->feature[l->k - 1] < feature;
}

/* The first of `count` places with an entry that comes after (value, feature). */
static int32_t pair_list_place(const pair_list *l, int32_t count, int32_t feature, double value) {
  int32_t low = 0, high = count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    bool after = l->value[middle] > value || (l->value[middle] == value && l->feature[middle] > feature);
    if (after)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static void pair_list_offer(pair_list *l, int32_t feature, double value) {
  if (value > l->limit || l->state[feature] == MEETS) return;
  int32_t at = pair_list_find(l, feature), last = l->count - 1;
  if (at >= 0 && l->value[at] <= value) return;
  if (at < 0 && l->count == l->k) {
    if (value > l->value[last] || (value == l->value[last] && feature > l->feature[last])) return;
    l->state[l->feature[last]] = ABSENT;
    at = last;
  } else if (at < 0) {
    at = l->count++;
  }
  int32_t place = pair_list_place(l, at, feature, value);
  memmove(l->value + place + 1, l->value + place, (size_t)(at - place) * sizeof *l->value);
  memmove(l->feature + place + 1, l->feature + place, (size_t)(at - place) * sizeof *l->feature);
  l->value[place] = value;
  l->feature[place] = feature;
  l->state[feature] = value == 0.0 ? MEETS : LISTED;
}

static void pair_list_empty(pair_list *l) {
  for (int32_t i = 0; i < l->count; i++)
    l->state[l->feature[i]] = ABSENT;
  l->count = 0;
}

typedef struct pair_search {
  const gv_feature_index *index;
  const gv_feature_lookup *lookup;
  int32_t k;
  double limit;
  const int32_t *held; /* of each query: how many features in `indices` lie within it */
  pair_list *list;     /* of each worker */
  int64_t *indices;
  double *distances;
  gv_progress *progress;
} pair_search;

/* One query at a time. */
typedef struct pair_query {
  const pair_search *s;
  pair_list *list;
  bool meeting;          /* edges that meet are searched, not distances */
  bool stopped;          /* the search is cancelled */
  double reach, reached; /* gv_reach of the value `reached` */
  /* of the query's tree, by its first entry, with balls around its entries; -1: none */
  int32_t leaf;
  int64_t compared; /* leaves */
  double middle[LEAF_MOST][3], half[LEAF_MOST];
} pair_query;

/* Squares above which boxes need not be visited, for features that are `least` away as far as it is known. */
static double pair_query_reach(pair_query *q, double least) {
  if (q->meeting) return 0.0;
  double worst = fmin(least, pair_list_worst(q->list));
  if (worst != q->reached) {
    q->reach = gv_reach(&q->s->index->lookup.tree, worst);
    q->reached = worst;
  }
  return q->reach;
}

/* As gv_box_distance2, between boxes. */
static double boxes_distance2(const gv_feature_tree *t, const gv_box_node *a, const gv_box_node *b) {
  double away[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < t->dim; i++) {
    double below = (double)a->low[i] - (double)b->high[i], above = (double)b->low[i] - (double)a->high[i];
    double most = below > above ? below : above;
    away[i] = most > 0.0 ? most : 0.0;
  }
  return gv_square_of_gaps(t, away);
}

/* Pairs of nodes to visit, the nearest on top: of the query's tree, and of a feature's or the one over the
 * features. */
typedef struct pair_stack {
  int32_t own[STACK], node[STACK];
  double box[STACK];
  int count;
} pair_stack;

static float pair_width(const gv_box_node *n) {
  float width = 0.0F;
  for (int i = 0; i < 3; i++)
    width = n->high[i] - n->low[i] > width ? n->high[i] - n->low[i] : width;
  return width;
}

/* Pushes two pairs in place of one: the wider node is halved. False if both are leaves. */
static bool pair_stack_push(pair_stack *w, const gv_feature_tree *own, int32_t number,
                            const gv_feature_tree *t, const gv_box_node *nodes, int32_t other) {
  const gv_box_node *a = &own->node[number], *b = &nodes[other];
  if (a->count > 0 && b->count > 0) return false;
  bool halved = b->count > 0 || (a->count == 0 && pair_width(a) > pair_width(b));
  int32_t first = halved ? a->first : b->first;
  double box[2];
  for (int i = 0; i < 2; i++)
    box[i] = halved ? boxes_distance2(t, &own->node[first + i], b) : boxes_distance2(t, a, &nodes[first + i]);
  int nearer = box[0] <= box[1] ? 0 : 1;
  for (int i = 0; i < 2; i++) {
    int child = i == 0 ? 1 - nearer : nearer;
    w->own[w->count] = halved ? first + child : number;
    w->node[w->count] = halved ? other : first + child;
    w->box[w->count++] = box[child];
  }
  return true;
}

/* ----------------------------------------------------------------------------------------------- the walk */

/* The balls around the entries of a leaf; edges stay within their sag of the chord. */
static void prepare_leaf(pair_query *q, const gv_box_node *leaf) {
  const gv_feature_tree *own = &q->s->lookup->tree;
  if (q->leaf == leaf->first) return;
  q->leaf = leaf->first;
  for (int32_t i = 0; i < leaf->count; i++) {
    int32_t entry = own->entry[leaf->first + i];
    const double *a = gv_tree_place(own, entry < 0 ? ~(int64_t)entry : entry),
                 *b = entry < 0 ? a : a + own->dim;
    double size2 = 0.0;
    for (int axis = 0; axis < 3; axis++) {
      double from = axis < own->dim ? a[axis] : 0.0, to = axis < own->dim ? b[axis] : 0.0;
      q->middle[i][axis] = 0.5 * (from + to);
      size2 += (to - from) * (to - from);
    }
    q->half[i] = 0.5 * sqrt(size2) * (1.0 + 1e-14) + (double)own->sag[leaf->first + i] + 1e-15;
  }
}

/* Not above the square between two entries: that of the boxes around their chords. */
static double entries_distance2(const gv_feature_tree *own, int32_t number, const gv_feature_tree *t,
                                int32_t other) {
  int32_t of_a = own->entry[number], of_b = t->entry[other];
  const double *a = gv_tree_place(own, of_a < 0 ? ~(int64_t)of_a : of_a), *a2 = of_a < 0 ? a : a + own->dim;
  const double *b = gv_tree_place(t, of_b < 0 ? ~(int64_t)of_b : of_b), *b2 = of_b < 0 ? b : b + t->dim;
  double sag = (double)own->sag[number] + (double)t->sag[other], away[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < t->dim; i++) {
    double below = (a[i] < a2[i] ? a[i] : a2[i]) - (b[i] > b2[i] ? b[i] : b2[i]);
    double above = (b[i] < b2[i] ? b[i] : b2[i]) - (a[i] > a2[i] ? a[i] : a2[i]);
    double most = (below > above ? below : above) - sag;
    away[i] = most > 0.0 ? most : 0.0;
  }
  return gv_square_of_gaps(t, away);
}

static bool entries_apart(pair_query *q, const gv_box_node *leaf, int32_t i, int32_t other, double reach) {
  const gv_feature_tree *of_index = &q->s->index->lookup.tree, *own = &q->s->lookup->tree;
  if (entries_distance2(own, leaf->first + i, of_index, other) > reach) return true;
  if (!gv_feature_tree_iterates(of_index)) return false;
  double low, high;
  prepare_leaf(q, leaf);
  gv_tree_entry_chords(of_index, other, q->middle[i], sqrt(reach) + q->half[i], &low, &high);
  low -= q->half[i];
  return low > 0.0 && low * low > reach;
}

/* Compares the entries of two leaves. `least`: the feature's value so far, which is updated. */
static void compare_leaves(pair_query *q, const gv_box_node *a, int32_t feature, const gv_box_node *b,
                           double *least) {
  const gv_feature_tree *of_index = &q->s->index->lookup.tree, *own = &q->s->lookup->tree;
  if (++q->compared % LOOK_AFTER == 0 && !gv_progress_look(q->s->progress)) q->stopped = true;
  for (int32_t i = 0; i < a->count; i++) {
    for (int32_t n = b->first; n < b->first + b->count; n++) {
      if (entries_apart(q, a, i, n, pair_query_reach(q, *least))) continue;
      int32_t entry = own->entry[a->first + i], other = of_index->entry[n];
      if (q->meeting && !gv_entries_meet(own, entry, of_index, other)) continue;
      double value = q->meeting ? 0.0 : gv_entries_distance(own, entry, of_index, other);
      if (value >= *least) continue;
      *least = value;
      pair_list_offer(q->list, feature, value);
      if (value == 0.0) return;
    }
  }
}

/* The nodes from `number` on of the query's tree, and a feature. */
static void walk_feature(pair_query *q, int32_t number, int32_t feature) {
  const gv_feature_tree *t = &q->s->index->lookup.tree, *own = &q->s->lookup->tree;
  if (pair_list_closed(q->list, feature)) return;
  int32_t root = t->root[feature], at = pair_list_find(q->list, feature);
  double least = at >= 0 ? q->list->value[at] : INFINITY;
  pair_stack w;
  w.count = 1;
  w.own[0] = number;
  w.node[0] = root;
  w.box[0] = boxes_distance2(t, &t->node[root], &own->node[number]);
  while (w.count > 0 && least > 0.0 && !q->stopped) {
    w.count--;
    if (w.box[w.count] > pair_query_reach(q, least)) continue;
    int32_t from = w.own[w.count], to = w.node[w.count];
    if (!pair_stack_push(&w, own, from, t, t->node, to))
      compare_leaves(q, &own->node[from], feature, &t->node[to], &least);
  }
}

static void walk_features(pair_query *q, int32_t number) {
  const gv_feature_tree *t = &q->s->index->lookup.tree, *own = &q->s->lookup->tree;
  if (t->tops == 0 || own->root[number] < 0) return;
  pair_stack w;
  w.count = 1;
  w.own[0] = own->root[number];
  w.node[0] = 0;
  w.box[0] = boxes_distance2(t, &t->top[0], &own->node[own->root[number]]);
  while (w.count > 0 && !q->stopped) {
    w.count--;
    if (w.box[w.count] > pair_query_reach(q, INFINITY)) continue;
    int32_t from = w.own[w.count], to = w.node[w.count];
    const gv_box_node *n = &t->top[to];
    if (n->count == 0) {
      (void)pair_stack_push(&w, own, from, t, t->top, to);
      continue;
    }
    for (int32_t i = n->first; i < n->first + n->count; i++)
      walk_feature(q, from, t->feature[i]);
  }
}

/* Edges that meet first: where k features do, no distance is needed. */
static void walk_query(pair_query *q, int32_t number) {
  q->leaf = -1;
  q->reached = -1.0;
  q->meeting = true;
  walk_features(q, number);
  q->meeting = false;
  if (pair_list_worst(q->list) > 0.0 || q->list->count < q->list->k) walk_features(q, number);
}

/* -------------------------------------------------------------------------------------------- containment */

/* Calls gv_locate with the first vertex of each ring of a feature, and with all of its points. */
static void locate_rings(const gv_feature_tree *t, int32_t feature, const gv_locator *among,
                         gv_found_part *found, void *user) {
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
  pair_list_offer(q->list, q->s->index->lookup.locator.feature_of[part], 0.0);
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

static void find_held(const pair_search *s, int32_t *held) {
  pair_holding h = {.lookup = s->lookup, .k = s->k, .held = held, .indices = s->indices};
  if (s->lookup->locator.strips == 0) return;
  for (h.feature = 0; h.feature < s->index->set.count; h.feature++) {
    if (h.feature % LOOK_AFTER == 0 && !gv_progress_look(s->progress)) return;
    locate_rings(&s->index->lookup.tree, h.feature, &s->lookup->locator, hold_feature, &h);
  }
}

/* -------------------------------------------------------------------------------------------- all queries */

static gv_status search_tree_pairs(gv_worker *worker, int64_t first, int64_t end) {
  pair_search *s = worker->user;
  pair_query q = {.s = s, .list = &s->list[worker->number]};
  for (int64_t i = first; i < end; i++) {
    int64_t *indices = s->indices + i * s->k;
    pair_list_empty(q.list);
    for (int32_t n = 0; n < s->held[i]; n++)
      pair_list_offer(q.list, (int32_t)indices[n], 0.0);
    locate_rings(&s->lookup->tree, (int32_t)i, &s->index->lookup.locator, offer_holder, &q);
    walk_query(&q, (int32_t)i);
    if (q.stopped) return GV_OK; /* gv_parallel_for reports it */
    for (int32_t n = 0; n < s->k; n++) {
      bool there = n < q.list->count;
      indices[n] = there ? q.list->feature[n] : -1;
      if (s->distances != NULL)
        s->distances[i * s->k + n] =
            there ? gv_feature_distance_of(&s->index->voronoi, q.list->value[n]) : INFINITY;
    }
  }
  gv_progress_add(s->progress, end - first);
  return GV_OK;
}

static bool has_edges(const gv_feature_set *set) {
  for (int64_t p = 0; p < set->parts; p++)
    if (set->kind[p] != GV_PART_POINTS) return true;
  return false;
}

static gv_status check_pairs(gv_context *context, const gv_feature_set *indexed,
                             const gv_feature_set *queries) {
  if (indexed->straight != queries->straight)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "edges: those of the queries must have the shape of the indexed features' edges");
  if (indexed->globe && indexed->straight && has_edges(indexed) && has_edges(queries))
    return gv_fail(
        context, GV_ERROR_UNSUPPORTED,
        "edges: straight edges on the globe are not supported for distances between lines and polygons; "
        "use geodesic edges");
  return GV_OK;
}

/* A list for each worker. */
static gv_status pair_lists_init(gv_context *context, const pair_search *s, int64_t features, int threads,
                                 pair_list *lists) {
  gv_allocator *allocator = &context->allocator;
  for (int i = 0; i < threads; i++) {
    pair_list *l = &lists[i];
    l->k = s->k;
    l->limit = s->limit;
    l->value = gv_allocate(allocator, s->k, sizeof *l->value);
    l->feature = gv_allocate(allocator, s->k, sizeof *l->feature);
    l->state = gv_allocate_zeroed(allocator, features, sizeof *l->state);
    if (l->value == NULL || l->feature == NULL || l->state == NULL)
      return gv_fail_memory(context, "the neighbors of a query");
  }
  return GV_OK;
}

static void pair_lists_clear(gv_allocator *allocator, int threads, pair_list *lists) {
  for (int i = 0; lists != NULL && i < threads; i++) {
    gv_release(allocator, lists[i].value);
    gv_release(allocator, lists[i].feature);
    gv_release(allocator, lists[i].state);
  }
  gv_release(allocator, lists);
}

static gv_status search_pairs(gv_context *context, const gv_feature_index *index, const gv_feature_set *set,
                              const gv_search_options *o, int64_t *indices, double *distances) {
  const gv_cells *cells = &index->voronoi.cells;
  int64_t batches = (set->count + AT_ONCE - 1) / AT_ONCE;
  int threads = batches < 1 ? 1 : batches < context->threads ? (int)batches : context->threads;
  gv_feature_lookup lookup;
  GV_TRY(gv_feature_lookup_init(context, set, &index->voronoi.geodesic, &lookup));
  gv_progress progress;
  gv_progress_init(&progress, context, set->count);
  int32_t *held = gv_allocate_zeroed(&context->allocator, set->count, sizeof *held);
  pair_list *lists = gv_allocate_zeroed(&context->allocator, threads, sizeof *lists);
  pair_search s = {.index = index,
                   .lookup = &lookup,
                   .k = o->k,
                   .limit = gv_canonical_limit(cells->metric, &cells->ellipsoid, o->max_distance),
                   .held = held,
                   .list = lists,
                   .indices = indices,
                   .distances = distances,
                   .progress = &progress};
  gv_status status = held != NULL && lists != NULL
                         ? pair_lists_init(context, &s, index->set.count, threads, lists)
                         : gv_fail_memory(context, "the features within polygons");
  if (status == GV_OK) {
    find_held(&s, held);
    gv_loop loop = {context, threads, set->count, AT_ONCE, &progress, &s};
    status = gv_parallel_for(&loop, search_tree_pairs);
  }
  pair_lists_clear(&context->allocator, threads, lists);
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
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "index: not of lines and polygons; use gv_index_build_features");
  if (queries == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "features: missing");
  if (indices == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "indices: the output pointer is NULL");
  gv_search_options_init(&o);
  GV_COPY_GIVEN(context, gv_search_options, &o, options);
  GV_TRY(gv_check_search_options(context, &o, GV_MAX_K, " among lines and polygons"));
  if (gv_on_device(o.array_options) || o.exclude_self || o.nearest != NULL)
    return gv_fail(
        context, GV_ERROR_UNSUPPORTED,
        "lines and polygons as queries: exclude_self, nearest and device memory are not supported");
  const gv_feature_index *index = (const gv_feature_index *)base;
  const gv_cells *cells = &index->voronoi.cells;
  GV_TRY(gv_feature_set_init(context, cells->metric, &cells->ellipsoid, queries, &set));
  gv_status status = check_pairs(context, &index->set, &set);
  if (status == GV_OK) status = search_pairs(context, index, &set, &o, indices, distances);
  gv_feature_set_clear(&set);
  return status;
}
