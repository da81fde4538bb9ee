/*
 * Lines and polygons as seeds: the engine of grids for them.
 *
 * For the nearest feature alone tiles are halved: of each the edges are listed that may be the nearest in one of its cells
 * (features/shortlist.h), from those of the tile that it is a part of. Where all of these belong to one feature, and no edge passes through
 * the tile, its cells have one answer; so they have within a polygon. What is left is asked cell by cell, of the list. All else (ranks,
 * weights, metrics without Euclidean chords) is asked cell by cell from the beginning (feature_cell.h).
 */
#include <string.h>

#include "voronoi/feature_cell.h"

static void features_destroy(const gv_voronoi *v, void *state) {
  gv_feature_lookup *index = state;
  gv_feature_lookup_clear(index);
  gv_release(&v->allocator, index);
}

static gv_status features_create(gv_context *context, gv_voronoi *v, void **state) {
  gv_feature_lookup *index = gv_allocate_zeroed(&context->allocator, 1, sizeof *index);
  if (index == NULL) return gv_fail_memory(context, "the features' tree");
  gv_status status = gv_feature_lookup_init(context, v->features, &v->geodesic, index);
  if (status == GV_OK && v->k > 1) status = gv_feature_tree_join(context, &index->tree);
  if (status != GV_OK) {
    gv_feature_lookup_clear(index);
    gv_release(&context->allocator, index);
    return status;
  }
  *state = index;
  return GV_OK;
}

enum {
  LARGEST = 32,    /* cells along a tile that a list is made for */
  SMALLEST = 4,    /* cells along a tile whose cells are asked one by one */
  LEVELS = 12,     /* halvings, of both sides or of a span of triangles */
  CAPACITY = 1024, /* edges of a list */
};

/* A block at work. Where cells are not asked about, x is NaN. */
typedef struct work {
  const gv_voronoi *v;
  const gv_feature_lookup *index;
  const gv_block *block;
  gv_tile tile;
  int64_t columns;
  double *x, *y, *z, *lon, *lat;
  gv_contest *contest;
  double limit, sure; /* squares of chords: beyond the one nothing counts, up to the other everything does */
  gv_shortlist list[LEVELS];
} work;

static void write(const work *w, int64_t cell, const int32_t *found) {
  const gv_voronoi *v = w->v;
  int32_t *out = w->block->out + cell / w->columns * w->block->stride + cell % w->columns;
  for (int32_t band = 0; band < v->k; band++)
    out[band * w->block->band_stride] = found != NULL && found[band] >= 0 ? v->label[found[band]] : v->nodata;
}

static gv_edge_place place_of(const work *w, int64_t cell) {
  bool globe = w->v->cells.dim == 3;
  gv_edge_place q = {.vector = {w->x[cell], w->y[cell], globe ? w->z[cell] : 0.0}};
  if (globe) q.lon = w->lon[cell], q.lat = w->lat[cell];
  return q;
}

/* One of the cells of a part that are asked about, or -1. */
static int64_t one_of(const work *w, const gv_tile *part) {
  for (int64_t r = part->r0; r < part->r1; r++) {
    for (int64_t cell = r * w->columns + part->c0; cell < r * w->columns + part->c1; cell++)
      if (!isnan(w->x[cell])) return cell;
  }
  return -1;
}

/* The ball around the cells of a part of the block. */
static void ball_of(const work *w, const gv_tile *part, gv_ball *ball) {
  const gv_cells *cells = &w->v->cells;
  if (cells->shape != GV_CELLS_POINTS) {
    gv_tile tile = {w->tile.c0 + part->c0, w->tile.c0 + part->c1, w->tile.r0 + part->r0, w->tile.r0 + part->r1};
    gv_bound bound;
    gv_cells_bound(cells, &tile, &bound);
    memcpy(ball->centre, bound.centre, sizeof ball->centre);
    ball->radius = bound.radius + 4.0 * cells->position_error;
    return;
  }
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, radius2 = 0.0;
  const double *position[3] = {w->x, w->y, w->z};
  *ball = (gv_ball){.radius = 0.0};
  for (int pass = 0; pass < 2; pass++) {
    for (int64_t r = part->r0; r < part->r1; r++) {
      for (int64_t i = r * w->columns + part->c0; i < r * w->columns + part->c1; i++) {
        double square = 0.0;
        if (isnan(w->x[i])) continue;
        for (int axis = 0; axis < cells->dim; axis++) {
          double at = position[axis][i], away = at - ball->centre[axis];
          low[axis] = at < low[axis] ? at : low[axis];
          high[axis] = at > high[axis] ? at : high[axis];
          square += away * away;
        }
        radius2 = pass == 1 && square > radius2 ? square : radius2;
      }
    }
    for (int axis = 0; axis < 3 && pass == 0; axis++)
      ball->centre[axis] = axis < cells->dim ? 0.5 * (low[axis] + high[axis]) : 0.0;
  }
  ball->radius = sqrt(radius2) * (1.0 + 1e-12);
}

static bool take_first(void *user, int32_t part) {
  void **what = user;
  const gv_locator *locator = what[0];
  int32_t *feature = what[1], of = locator->feature_of[part];
  if (*feature < 0 || of < *feature) *feature = of;
  return true;
}

/* The first of the polygons around a cell, or -1. */
static int32_t around(const work *w, int64_t cell) {
  int32_t feature = -1;
  void *what[2] = {(void *)&w->index->locator, &feature};
  gv_edge_place q = place_of(w, cell);
  gv_locate(&w->index->locator, &q, take_first, what);
  return feature;
}

static void fill(const work *w, const gv_tile *part, int32_t feature) {
  for (int64_t r = part->r0; r < part->r1; r++) {
    for (int64_t c = part->c0; c < part->c1; c++) {
      int64_t cell = r * w->columns + c;
      if (!isnan(w->x[cell])) write(w, cell, &feature);
    }
  }
}

/* list: NULL if there are too many edges. */
static void ask(work *w, const gv_tile *part, const gv_shortlist *list, bool outside) {
  for (int64_t r = part->r0; r < part->r1; r++) {
    for (int64_t c = part->c0; c < part->c1; c++) {
      int64_t cell = r * w->columns + c;
      int32_t found[GV_VORONOI_MAX_K];
      if (isnan(w->x[cell])) continue;
      gv_edge_place q = place_of(w, cell);
      w->contest->q = &q;
      if (list != NULL) {
        found[0] = gv_contest_nearest(w->contest, list, !outside, w->sure);
      } else {
        gv_contest_rank(w->contest, found);
      }
      write(w, cell, found);
    }
  }
}

/* A tile, columns and rows counted in the block. `from`: the list of the one around it, or NULL. */
static void solve(work *w, const gv_tile *part, int level, const gv_shortlist *from, bool outside) {
  const gv_feature_tree *tree = &w->index->tree;
  int64_t width = part->c1 - part->c0, height = part->r1 - part->r0;
  gv_shortlist *list = &w->list[level];
  gv_ball ball;
  int64_t one = one_of(w, part);
  bool listed = true;
  if (one < 0) return;
  ball_of(w, part, &ball);
  if (from != NULL) {
    gv_shortlist_narrow(tree, from, &ball, w->limit, list);
  } else {
    listed = gv_shortlist_gather(tree, -1, &ball, w->limit, list);
  }
  if (listed && !outside && gv_ball_is_clear(tree, &ball, list->low)) {
    int32_t feature = around(w, one);
    if (feature >= 0) {
      fill(w, part, feature);
      return;
    }
    outside = true;
  }
  double far = list->high + ball.radius;
  if (listed && outside && !list->mixed && (list->count == 0 || far * far * (1.0 + 1e-14) <= w->sure)) {
    fill(w, part, list->count > 0 ? list->feature[0] : -1);
    return;
  }
  bool span = height == 1;
  int64_t side = span ? SMALLEST * SMALLEST : SMALLEST;
  if ((width <= side && height <= side) || level + 1 == LEVELS) {
    ask(w, part, listed ? list : NULL, outside);
    return;
  }
  int64_t middle_c = part->c0 + (width + 1) / 2, middle_r = part->r0 + (height + 1) / 2;
  for (int i = 0; i < 4; i++) {
    gv_tile half = {i % 2 == 0 ? part->c0 : middle_c, i % 2 == 0 ? middle_c : part->c1, i < 2 ? part->r0 : middle_r,
                    i < 2 ? middle_r : part->r1};
    if (half.c1 > half.c0 && half.r1 > half.r0) solve(w, &half, level + 1, listed ? list : NULL, outside);
  }
}

/* Whether tiles serve: for the nearest alone, where lists tell. */
static bool by_tiles(const gv_voronoi *v, const gv_feature_lookup *index) {
  return v->k == 1 && v->weigher.weighting == GV_UNWEIGHTED && !v->backend->exhaustive &&
         gv_feature_tree_lists(&index->tree);
}

static gv_status solve_block(gv_context *context, work *w, const gv_tile *tile) {
  int64_t rows = tile->r1 - tile->r0, high = rows == 1 ? 1 : LARGEST, wide = LARGEST * LARGEST / high;
  gv_tile all = {0, w->columns, 0, rows};
  if (!by_tiles(w->v, w->index)) {
    ask(w, &all, NULL, false);
    return GV_OK;
  }
  gv_status status = GV_OK;
  for (int level = 0; level < LEVELS && status == GV_OK; level++)
    status = gv_shortlist_init(context, CAPACITY, &w->list[level]);
  w->limit = gv_reach(&w->index->tree, w->v->limit);
  w->sure = gv_sure_chord2(&w->index->tree, w->v->limit);
  for (int64_t r = 0; r < rows && status == GV_OK; r += high) {
    for (int64_t c = 0; c < w->columns; c += wide) {
      gv_tile part = {c, c + wide < w->columns ? c + wide : w->columns, r, r + high < rows ? r + high : rows};
      solve(w, &part, 0, NULL, w->index->locator.strips == 0);
    }
  }
  for (int level = 0; level < LEVELS; level++)
    if (w->list[level].memory != NULL) gv_shortlist_clear(&w->list[level]);
  return status;
}

static gv_status features_block(gv_context *context, const gv_voronoi *v, void *state, const gv_tile *tile,
                                const gv_block *block) {
  int64_t columns = tile->c1 - tile->c0, cells = columns * (tile->r1 - tile->r0);
  bool globe = v->cells.dim == 3;
  work w = {.v = v, .index = state, .block = block, .tile = *tile, .columns = columns};
  w.x = gv_allocate(&context->allocator, 5 * cells, sizeof *w.x);
  w.contest = gv_allocate_zeroed(&context->allocator, 1, sizeof *w.contest);
  gv_status status = GV_OK;
  if (w.x == NULL || w.contest == NULL) {
    status = gv_fail_memory(context, "a block's positions");
  } else {
    status = gv_contest_init(context, v, state, w.contest);
    w.y = w.x + cells;
    w.z = w.y + cells;
    w.lon = globe ? w.z + cells : NULL;
    w.lat = globe ? w.lon + cells : NULL;
    if (status == GV_OK) status = gv_cells_positions(context, &v->cells, tile, w.x, w.y, w.z, w.lon, w.lat, NULL);
  }
  for (int64_t i = 0; i < cells && status == GV_OK; i++) {
    if (block->mask != NULL && block->mask[i / columns * block->mask_stride + i % columns] == 0) w.x[i] = NAN;
    if (isnan(w.x[i])) write(&w, i, NULL);
  }
  if (status == GV_OK) status = solve_block(context, &w, tile);
  if (w.contest != NULL) gv_contest_clear(w.contest);
  gv_release(&context->allocator, w.x);
  gv_release(&context->allocator, w.contest);
  return status;
}

const gv_engine gv_engine_features = {features_create, features_block, features_destroy, NULL, NULL};
