/*
 * Lines and polygons as seeds: the engine of grids for them.
 *
 * A cell first learns which polygons it lies in; these are at distance 0. The rest is a walk over the features' boxes. Where
 * canonical values take an iteration, chords bound the distances of features first (features/tree.h), and only where more than
 * one may be the nearest are they asked about canonically. `serial` takes no such short cut: every edge for every cell.
 */
#include <float.h>
#include <string.h>

#include "core/buffer.h"
#include "features/index.h"
#include "search/nearest_list.h"
#include "voronoi/engine.h"

static void features_destroy(const gv_voronoi *v, void *state) {
  gv_feature_index *index = state;
  gv_allocator allocator = v->allocator;
  gv_feature_tree_clear(&index->tree);
  gv_locator_clear(&index->locator);
  gv_release(&allocator, index);
}

static gv_status features_create(gv_context *context, gv_voronoi *v, void **state) {
  gv_feature_index *index = gv_allocate_zeroed(&context->allocator, 1, sizeof *index);
  if (index == NULL) return gv_fail_memory(context, "the features' tree");
  gv_status status = gv_feature_tree_init(context, v->features, &v->geodesic, &index->tree);
  if (status == GV_OK) status = gv_locator_init(context, v->features, &index->locator);
  if (status != GV_OK) {
    features_destroy(v, index);
    return status;
  }
  *state = index;
  return GV_OK;
}

/* A feature that may be the nearest, and the chords that bound it. */
typedef struct candidate {
  int32_t feature;
  double low, high;
} candidate;

enum { MOST_CANDIDATES = 256 };

/* One cell, and what is known of its neighbours. */
typedef struct contest {
  const gv_voronoi *v;
  const gv_feature_index *index;
  const gv_edge_place *q;
  gv_nearest_list list;
  double value[GV_VORONOI_MAX_K];
  int64_t number[GV_VORONOI_MAX_K];
  int32_t around; /* how many features the cell lies in */
  /* Of the nearest alone: */
  candidate candidate[MOST_CANDIDATES];
  int32_t candidates;
  bool crowded; /* there were more */
} contest;

static void offer(contest *c, double canonical, int32_t feature) {
  const gv_voronoi *v = c->v;
  if (canonical == INFINITY) return;
  if (v->weigher.weighting != GV_UNWEIGHTED) {
    if (canonical > v->limit) return;
    canonical = fmin(gv_weigh(&v->weigher, canonical, v->seeds.weight[feature]), DBL_MAX);
  }
  gv_list_offer(&c->list, canonical, feature);
}

/* Whether a feature is among those the cell lies in. Those that the list has dropped lose again. */
static bool is_around(const contest *c, int32_t feature) {
  for (int32_t i = 0; i < c->list.k && c->around > 0; i++)
    if (c->number[i] == feature) return true;
  return false;
}

static bool take_around(void *user, int32_t part) {
  contest *c = user;
  int32_t feature = c->index->locator.feature_of[part];
  if (is_around(c, feature)) return true; /* by another part */
  offer(c, 0.0, feature);
  c->around++;
  return true;
}

/* Asked about canonically, one feature after the other. */
static double ask(void *user, int32_t feature, double box, double reach) {
  contest *c = user;
  gv_edge_foot foot;
  (void)box;
  /* What is at distance 0 is beaten by nothing but a lower number. */
  if (c->list.worst == 0.0 && feature > c->list.worst_index) return reach;
  if (is_around(c, feature)) return reach;
  if (!gv_tree_nearest(&c->index->tree, feature, c->q, c->q->vector, false, reach, &foot)) return reach;
  offer(c, foot.canonical, feature);
  return fmin(reach, gv_reach(&c->index->tree, c->list.worst));
}

/* Bounds of one feature, for the nearest alone. */
static double bound(void *user, int32_t feature, double box, double reach) {
  contest *c = user;
  double low, high;
  (void)box;
  gv_tree_chords(&c->index->tree, feature, c->q->vector, reach, &low, &high);
  if (low * low > reach) return reach;
  reach = fmin(reach, gv_reach_of_chord(&c->index->tree, high));
  if (c->candidates == MOST_CANDIDATES) {
    int32_t kept = 0;
    for (int32_t i = 0; i < c->candidates; i++)
      if (c->candidate[i].low * c->candidate[i].low <= reach) c->candidate[kept++] = c->candidate[i];
    c->candidates = kept;
    c->crowded |= kept == MOST_CANDIDATES;
  }
  if (!c->crowded) c->candidate[c->candidates++] = (candidate){feature, low, high};
  return reach;
}

/* The nearest alone, by chords where they tell. */
static void find_nearest(contest *c, double reach) {
  gv_feature_tree const *tree = &c->index->tree;
  gv_tree_walk(tree, c->q->vector, reach, bound, c);
  if (c->crowded) {
    gv_tree_walk(tree, c->q->vector, reach, ask, c);
    return;
  }
  for (int32_t i = 0; i < c->candidates; i++)
    reach = fmin(reach, gv_reach_of_chord(tree, c->candidate[i].high));
  int32_t kept = 0;
  for (int32_t i = 0; i < c->candidates; i++)
    if (c->candidate[i].low * c->candidate[i].low <= reach) c->candidate[kept++] = c->candidate[i];
  if (kept == 1 && c->v->limit == INFINITY) {
    gv_list_offer(&c->list, 0.0, c->candidate[0].feature);
    return;
  }
  for (int32_t i = 0; i < kept; i++)
    ask(c, c->candidate[i].feature, 0.0, fmin(reach, gv_reach(tree, c->list.worst)));
}

static void rank_all(contest *c) {
  const gv_feature_set *set = c->v->features;
  gv_edge_foot foot;
  for (int32_t f = 0; f < set->count; f++) {
    gv_feature_nearest(set, f, c->q, false, &foot);
    offer(c, foot.canonical, f);
  }
}

/* Weighted: no bound of distances bounds the values. */
static void rank_weighted(contest *c) {
  const gv_feature_set *set = c->v->features;
  double reach = gv_reach(&c->index->tree, c->v->limit);
  gv_edge_foot foot;
  for (int32_t f = 0; f < set->count; f++) {
    if (is_around(c, f)) continue;
    if (gv_tree_nearest(&c->index->tree, f, c->q, c->q->vector, false, reach, &foot)) offer(c, foot.canonical, f);
  }
}

static void rank_cell(contest *c, int32_t *found) {
  const gv_voronoi *v = c->v;
  bool weighted = v->weigher.weighting != GV_UNWEIGHTED;
  gv_list_start(&c->list, c->value, c->number, v->k, weighted ? INFINITY : v->limit);
  c->around = c->candidates = 0;
  c->crowded = false;
  if (v->backend->exhaustive) {
    rank_all(c);
  } else {
    gv_locate(&c->index->locator, c->q, take_around, c);
    double reach = gv_reach(&c->index->tree, c->list.worst);
    if (weighted) {
      rank_weighted(c);
    } else if (v->k == 1 && c->around == 0 && gv_feature_tree_iterates(&c->index->tree)) {
      find_nearest(c, reach);
    } else {
      gv_tree_walk(&c->index->tree, c->q->vector, reach, ask, c);
    }
  }
  gv_list_finish(&c->list);
  for (int32_t i = 0; i < v->k; i++)
    found[i] = (int32_t)c->number[i];
}

static gv_status features_block(gv_context *context, const gv_voronoi *v, void *state, const gv_tile *tile,
                                const gv_block *block) {
  int64_t columns = tile->c1 - tile->c0, cells = columns * (tile->r1 - tile->r0);
  bool globe = v->cells.dim == 3;
  double *x = gv_allocate(&context->allocator, 5 * cells, sizeof *x), *y = x + cells, *z = y + cells;
  contest *c = gv_allocate(&context->allocator, 1, sizeof *c);
  gv_status status = GV_OK;
  if (x == NULL || c == NULL) {
    status = gv_fail_memory(context, "a block's positions");
  } else {
    c->v = v;
    c->index = state;
    double *lon = globe ? z + cells : NULL, *lat = globe ? lon + cells : NULL;
    status = gv_cells_positions(context, &v->cells, tile, x, y, z, lon, lat, NULL);
    for (int64_t i = 0; i < cells && status == GV_OK; i++) {
      int64_t row = i / columns, column = i % columns;
      int32_t found[GV_VORONOI_MAX_K], *out = block->out + row * block->stride + column;
      gv_edge_place q = {.vector = {x[i], y[i], globe ? z[i] : 0.0}};
      bool masked = block->mask != NULL && block->mask[row * block->mask_stride + column] == 0;
      bool asks = !masked && !isnan(x[i]);
      if (globe) q.lon = lon[i], q.lat = lat[i];
      c->q = &q;
      if (asks) rank_cell(c, found);
      for (int32_t band = 0; band < v->k; band++)
        out[band * block->band_stride] = asks && found[band] >= 0 ? v->label[found[band]] : v->nodata;
    }
  }
  gv_release(&context->allocator, x);
  gv_release(&context->allocator, c);
  return status;
}

const gv_engine gv_engine_features = {features_create, features_block, features_destroy, NULL};
