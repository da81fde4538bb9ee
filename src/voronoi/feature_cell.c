/* One cell among lines and polygons. */
#include "voronoi/feature_cell.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

gv_status gv_feature_cell_init(gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index,
                               gv_feature_cell *c) {
  memset(c, 0, sizeof *c);
  c->v = v;
  c->index = index;
  return gv_finder_init(context, &index->tree, &c->finder);
}

void gv_feature_cell_clear(gv_feature_cell *c) {
  gv_finder_clear(&c->finder);
}

bool gv_feature_cell_aim(gv_feature_cell *c, int32_t feature) {
  const double *q = c->q->vector;
  gv_ball here = {{q[0], q[1], q[2]}, 0.0};
  if (c->index->tree.root[feature] < 0) return false;
  gv_finder_aim(&c->finder, feature, &here);
  return true;
}

static double distance_to(gv_feature_cell *c, int32_t feature) {
  return gv_feature_cell_aim(c, feature) ? gv_finder_distance(&c->finder, c->q, false) : INFINITY;
}

static void offer(gv_feature_cell *c, double canonical, int32_t feature) {
  const gv_voronoi *v = c->v;
  if (canonical == INFINITY) return;
  if (v->weigher.weighting != GV_UNWEIGHTED) {
    if (canonical > v->limit) return;
    canonical = fmin(gv_weigh(&v->weigher, canonical, v->seeds.weight[feature]), DBL_MAX);
  }
  gv_list_offer(&c->list, canonical, feature);
}

/* Whether a feature is among those the cell lies in. Those that the list has dropped lose again. */
static bool is_around(const gv_feature_cell *c, int32_t feature) {
  for (int32_t i = 0; i < c->list.k && c->around > 0; i++)
    if (c->number[i] == feature) return true;
  return false;
}

/* Parts come in ascending order, without those that hold a pole: after the first k features no other one
 * counts. */
static bool add_around(void *user, int32_t part) {
  gv_feature_cell *c = user;
  int32_t feature = c->index->locator.feature_of[part];
  if (is_around(c, feature)) return true; /* by another part */
  offer(c, 0.0, feature);
  c->around++;
  return c->around < c->v->k || c->index->locator.polars > 0 || c->v->weigher.weighting != GV_UNWEIGHTED;
}

/* Exact distances, one feature after the other. */
static double feature_cell_measure(void *user, int32_t feature, double box, double reach) {
  gv_feature_cell *c = user;
  (void)box;
  /* A candidate at distance 0 loses only to a lower number. */
  if (c->list.worst == 0.0 && feature > c->list.worst_index) return reach;
  if (is_around(c, feature)) return reach;
  if (gv_feature_tree_iterates(&c->index->tree)) {
    double low, high; /* boxes of features may be much larger than they are */
    gv_tree_chords(&c->index->tree, feature, c->q->vector, reach, &low, &high);
    if (!(low * low <= reach)) return reach;
  }
  offer(c, distance_to(c, feature), feature);
  return fmin(reach, gv_reach(&c->index->tree, c->list.worst));
}

/* Bounds of one feature that does not contain the cell. The needed number of features is within the reach. */
static double bound(void *user, int32_t feature, double box, double reach) {
  gv_feature_cell *c = user;
  double low, high;
  (void)box;
  if (is_around(c, feature)) return reach;
  gv_tree_chords(&c->index->tree, feature, c->q->vector, reach, &low, &high);
  if (low * low > reach) return reach;
  gv_list_offer(&c->highs, high, feature);
  if (c->highs.worst < INFINITY) reach = fmin(reach, gv_reach_of_chord(&c->index->tree, c->highs.worst));
  if (c->candidates == GV_MOST_CANDIDATES) {
    int32_t kept = 0;
    for (int32_t i = 0; i < c->candidates; i++)
      if (c->candidate[i].low * c->candidate[i].low <= reach) c->candidate[kept++] = c->candidate[i];
    c->candidates = kept;
    c->crowded |= kept == GV_MOST_CANDIDATES;
  }
  if (!c->crowded) c->candidate[c->candidates++] = (gv_feature_candidate){feature, low, high};
  return reach;
}

/* Keeps features that may be the nearest, each once: true if there is room for it. */
static bool keep_candidate(gv_feature_cell *c, int32_t feature, double low) {
  for (int32_t i = 0; i < c->candidates; i++) {
    if (c->candidate[i].feature != feature) continue;
    c->candidate[i].low = fmin(c->candidate[i].low, low);
    return true;
  }
  if (c->candidates == GV_MOST_CANDIDATES) return false;
  c->candidate[c->candidates++] = (gv_feature_candidate){feature, low, INFINITY};
  return true;
}

/* Bounds of the exact values of a list's features, for edges with chords up to `within`: candidates are the
 * features with values that may be the least. Returns an upper bound of the least value; -1: too many. */
static double bound_edges(gv_feature_cell *c, const gv_shortlist *l, double within) {
  const gv_feature_tree *tree = &c->index->tree;
  int32_t which[GV_MOST_EDGE_POINTS], kept = 0;
  double least = INFINITY;
  gv_edge_points points;
  points.count = 0;
  c->candidates = 0;
  for (int32_t i = 0; i <= l->count; i++) {
    bool last = i == l->count;
    if (!last && l->near[i] <= within) {
      which[points.count] = i;
      gv_edge_points_add(tree, l, i, l->part[i], NULL, c->q->vector, &points);
    }
    if (!last && points.count < GV_MOST_EDGE_POINTS) continue;
    gv_edge_points_bound(tree, &points);
    for (int32_t n = 0; n < points.count; n++)
      least = fmin(least, points.high[n]);
    for (int32_t n = 0; n < points.count; n++)
      if (points.low[n] <= least && !keep_candidate(c, l->feature[which[n]], points.low[n])) return -1.0;
    points.count = 0;
  }
  for (int32_t i = 0; i < c->candidates; i++)
    if (c->candidate[i].low <= least) c->candidate[kept++] = c->candidate[i];
  c->candidates = kept;
  return least;
}

/* Offers the nearest feature of a list, or the few that may be, to a cell in no polygon; false: undecided. A
 * number decided by chords or bounds has no value. */
static bool offer_nearest(gv_feature_cell *c, const gv_shortlist *l, double sure) {
  const gv_feature_tree *tree = &c->index->tree;
  double high;
  int32_t first = gv_shortlist_bound(tree, l, c->q->vector, &high);
  if (first < 0) return false;
  int32_t feature = l->feature[first];
  double within = sqrt(gv_reach_of_chord(tree, high));
  bool only = true;
  for (int32_t i = 0; i < l->count && only && l->mixed; i++)
    only = l->feature[i] == feature || l->near[i] > within;
  if (only && high * high <= sure) {
    gv_list_offer(&c->list, 0.0, feature);
    return true;
  }
  if (!gv_edge_points_supported(tree)) return false;
  double least = bound_edges(c, l, within);
  if (least < 0.0) return false;
  if (c->candidates == 1 && least <= c->v->limit) {
    gv_list_offer(&c->list, 0.0, c->candidate[0].feature);
    return true;
  }
  for (int32_t i = 0; i < c->candidates; i++)
    feature_cell_measure(c, c->candidate[i].feature, 0.0, INFINITY);
  return true;
}

/* From a list for this cell. */
static bool offer_from_tree(gv_feature_cell *c, double reach) {
  const gv_feature_tree *tree = &c->index->tree;
  const double *q = c->q->vector;
  gv_shortlist *list = &c->finder.list;
  gv_ball here = {{q[0], q[1], q[2]}, 0.0};
  return gv_edge_points_supported(tree) && list->memory != NULL &&
         gv_shortlist_gather(tree, -1, &here, reach, list) &&
         offer_nearest(c, list, gv_sure_chord2(tree, c->v->limit));
}

static int compare_candidates(const void *a, const void *b) {
  const gv_feature_candidate *left = a, *right = b;
  return (left->low > right->low) - (left->low < right->low);
}

/* By chords if they decide: the `wanted` nearest of the features that do not contain the cell. */
static void find_nearest(gv_feature_cell *c, int32_t wanted, double reach) {
  gv_feature_tree const *tree = &c->index->tree;
  c->candidates = 0;
  gv_list_start(&c->highs, c->high, c->high_number, wanted, INFINITY);
  gv_tree_walk(tree, c->q->vector, reach, bound, c);
  if (c->highs.worst < INFINITY) reach = fmin(reach, gv_reach_of_chord(tree, c->highs.worst));
  if (c->crowded) {
    gv_tree_walk(tree, c->q->vector, reach, feature_cell_measure, c);
    return;
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < c->candidates; i++)
    if (c->candidate[i].low * c->candidate[i].low <= reach) c->candidate[kept++] = c->candidate[i];
  if (kept == 1 && c->v->k == 1 && c->v->limit == INFINITY) {
    gv_list_offer(&c->list, 0.0, c->candidate[0].feature);
    return;
  }
  qsort(c->candidate, (size_t)kept, sizeof *c->candidate, compare_candidates);
  for (int32_t i = 0; i < kept && c->candidate[i].low * c->candidate[i].low <= reach; i++)
    reach = feature_cell_measure(c, c->candidate[i].feature, 0.0, reach);
}

/* A point of a feature that is not held: whether that is before the last of those held, or there is room. */
static bool enters(const gv_feature_cell *c, const gv_held_feature *one) {
  const gv_held_feature *last = &c->held[c->v->k - 1];
  if (one->value == INFINITY || one->value > c->v->limit) return false;
  return c->held_count < c->v->k || gv_pair_before(one->value, one->feature, last->value, last->feature);
}

static double feature_cell_offer_point(void *user, int64_t vertex, double reach) {
  gv_feature_cell *c = user;
  const gv_feature_tree *tree = &c->index->tree;
  gv_held_feature one = {.vertex = vertex, .feature = tree->owner[vertex]}, *held = c->held;
  int32_t at = 0, k = c->v->k;
  while (at < c->held_count && held[at].feature != one.feature)
    at++;
  bool known = at < c->held_count;
  if (known && held[at].vertex == vertex) return reach;
  double within = known ? held[at].reach : reach;
  if (tree->geodesic != NULL && gv_tree_point_chord2(tree, vertex, c->q->vector) > within) return reach;
  gv_edge_closest closest;
  gv_feature_edge(tree->set, vertex, true, c->q, &closest);
  one.value = closest.canonical;
  if (known ? one.value >= held[at].value : !enters(c, &one)) return reach;
  one.reach = gv_reach(tree, one.value);
  if (!known) at = c->held_count < k ? c->held_count++ : k - 1;
  for (; at > 0 && gv_pair_before(one.value, one.feature, held[at - 1].value, held[at - 1].feature); at--)
    held[at] = held[at - 1];
  held[at] = one;
  return c->held_count == k ? fmin(reach, held[k - 1].reach) : reach;
}

/* For joined features. The nearest points of the previous cell are tested first: they are near. */
static void k_nearest_points(gv_feature_cell *c, double reach) {
  int64_t before[GV_VORONOI_MAX_K];
  int32_t count = c->held_count;
  for (int32_t i = 0; i < count; i++)
    before[i] = c->held[i].vertex;
  c->held_count = 0;
  for (int32_t i = 0; i < count; i++)
    reach = feature_cell_offer_point(c, before[i], reach);
  gv_tree_walk_points(&c->index->tree, c->q->vector, reach, feature_cell_offer_point, c);
  for (int32_t i = 0; i < c->held_count; i++)
    gv_list_offer(&c->list, c->held[i].value, c->held[i].feature);
}

static void k_nearest_all(gv_feature_cell *c) {
  const gv_feature_set *set = c->v->features;
  gv_edge_closest closest;
  for (int32_t f = 0; f < set->count; f++) {
    gv_feature_nearest(set, f, c->q, false, &closest);
    offer(c, closest.canonical, f);
  }
}

/* Weighted: no bound of distances bounds the values. */
static void k_nearest_weighted(gv_feature_cell *c) {
  const gv_feature_set *set = c->v->features;
  double reach = gv_reach(&c->index->tree, c->v->limit);
  gv_edge_closest closest;
  for (int32_t f = 0; f < set->count; f++) {
    if (is_around(c, f)) continue;
    if (gv_tree_nearest(&c->index->tree, f, c->q, c->q->vector, false, reach, &closest))
      offer(c, closest.canonical, f);
  }
}

static void feature_cell_start(gv_feature_cell *c) {
  const gv_voronoi *v = c->v;
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED;
  gv_list_start(&c->list, c->value, c->number, v->k, weighted ? INFINITY : v->limit);
  c->around = c->candidates = 0;
  c->crowded = false;
}

/* The remaining neighbors once the polygons around the cell are found. */
static void k_nearest_others(gv_feature_cell *c) {
  const gv_voronoi *v = c->v;
  double reach = gv_reach(&c->index->tree, c->list.worst);
  if (v->weigher.weighting != GV_UNWEIGHTED) {
    k_nearest_weighted(c);
  } else if (c->index->tree.all != NULL) {
    k_nearest_points(c, reach);
  } else if (c->around < v->k && gv_feature_tree_iterates(&c->index->tree)) {
    if (v->k > 1 || !offer_from_tree(c, reach)) find_nearest(c, v->k - c->around, reach);
  } else {
    gv_tree_walk(&c->index->tree, c->q->vector, reach, feature_cell_measure, c);
  }
}

void gv_feature_cell_k_nearest(gv_feature_cell *c, int32_t *found) {
  feature_cell_start(c);
  if (c->v->backend->exhaustive) {
    k_nearest_all(c);
  } else {
    gv_locate(&c->index->locator, c->q, add_around, c);
    k_nearest_others(c);
  }
  gv_list_finish(&c->list);
  for (int32_t i = 0; i < c->v->k; i++)
    found[i] = (int32_t)c->number[i];
}

/* Within polygons: whether an edge of a feature before the first of them may pass through the cell. The list
 * has all edges that are nearest somewhere in the tile. */
static bool first_may_lose(gv_feature_cell *c, const gv_shortlist *l) {
  double within = sqrt(gv_reach(&c->index->tree, 0.0));
  double high;
  int32_t nearest = gv_shortlist_bound(&c->index->tree, l, c->q->vector, &high);
  for (int32_t i = 0; i < l->count && nearest >= 0; i++)
    if (l->feature[i] < c->number[0] && l->near[i] <= within) return true;
  return false;
}

int32_t gv_feature_cell_nearest(gv_feature_cell *c, const gv_shortlist *list, bool locate, double sure) {
  feature_cell_start(c);
  if (locate) gv_locate(&c->index->locator, c->q, add_around, c);
  if (c->around > 0 && !first_may_lose(c, list)) return (int32_t)c->number[0];
  if (c->around > 0 || !offer_nearest(c, list, sure)) k_nearest_others(c);
  gv_list_finish(&c->list);
  return (int32_t)c->number[0];
}
