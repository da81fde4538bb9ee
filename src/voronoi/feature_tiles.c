/* Tiles of cells among lines and polygons. */
#include "voronoi/feature_tiles.h"

#include <string.h>

#include "cells/kind.h"

enum {
  LARGEST = 32,    /* cells along a tile that a list is made for */
  SMALLEST = 4,    /* side in cells of tiles that are decided cell by cell */
  CAPACITY = 1024, /* edges of a list */
};

static gv_edge_place feature_tiles_place_of(const gv_feature_tiles *w, int64_t cell) {
  bool globe = w->v->cells.dim == 3;
  gv_edge_place q = {.vector = {w->x[cell], w->y[cell], globe ? w->z[cell] : 0.0}};
  if (globe) q.lon = w->lon[cell], q.lat = w->lat[cell];
  return q;
}

/* A cell of a part that is to be computed, or -1. */
static int64_t one_of(const gv_feature_tiles *w, const gv_tile *part) {
  for (int64_t r = part->r0; r < part->r1; r++) {
    for (int64_t cell = r * w->columns + part->c0; cell < r * w->columns + part->c1; cell++)
      if (!isnan(w->x[cell])) return cell;
  }
  return -1;
}

/* The ball around the cells of a part of the block. */
static void feature_tiles_ball_of(const gv_feature_tiles *w, const gv_tile *part, gv_ball *ball) {
  const gv_cells *cells = &w->v->cells;
  if (gv_cells_have_tables(cells)) {
    gv_tile tile = {w->tile.c0 + part->c0, w->tile.c0 + part->c1, w->tile.r0 + part->r0,
                    w->tile.r0 + part->r1};
    *ball = gv_ball_of_tile(cells, &tile);
    return;
  }
  const double *const position[3] = {w->x, w->y, cells->dim == 3 ? w->z : NULL};
  int32_t which[LARGEST * LARGEST], count = 0;
  for (int64_t r = part->r0; r < part->r1; r++) {
    for (int64_t i = r * w->columns + part->c0; i < r * w->columns + part->c1; i++)
      if (!isnan(w->x[i])) which[count++] = (int32_t)i;
  }
  *ball = gv_ball_around(position, which, count);
}

static void feature_tiles_fill(const gv_feature_tiles *w, const gv_tile *part, int32_t feature, bool within) {
  for (int64_t r = part->r0; r < part->r1; r++)
    w->take(w->user, r * w->columns + part->c0, part->c1 - part->c0, &feature, within);
}

/* list: NULL if there are too many edges. */
static void feature_tiles_measure(gv_feature_tiles *w, const gv_tile *part, const gv_shortlist *list,
                                  bool outside) {
  for (int64_t r = part->r0; r < part->r1; r++) {
    for (int64_t c = part->c0; c < part->c1; c++) {
      int64_t cell = r * w->columns + c;
      int32_t found[GV_VORONOI_MAX_K];
      if (isnan(w->x[cell])) continue;
      gv_edge_place q = feature_tiles_place_of(w, cell);
      w->cell_search->q = &q;
      if (list != NULL) {
        found[0] = gv_feature_cell_nearest(w->cell_search, list, !outside, w->sure);
      } else {
        gv_feature_cell_k_nearest(w->cell_search, found);
      }
      w->take(w->user, cell, 1, found, w->cell_search->around > 0);
    }
  }
}

/* A tile, columns and rows counted in the block. `from`: the list of the one around it, or NULL. */
static void solve(gv_feature_tiles *w, const gv_tile *part, int level, const gv_shortlist *from,
                  bool outside) {
  const gv_feature_tree *tree = &w->index->tree;
  int64_t width = part->c1 - part->c0, height = part->r1 - part->r0;
  gv_shortlist *list = &w->list[level];
  gv_ball ball;
  int64_t one = one_of(w, part);
  bool listed = true;
  if (one < 0) return;
  feature_tiles_ball_of(w, part, &ball);
  if (from != NULL) {
    gv_shortlist_narrow(tree, from, &ball, w->limit, list);
  } else {
    listed = gv_shortlist_gather(tree, -1, &ball, w->limit, list);
  }
  if (listed && !outside && gv_ball_is_clear(tree, &ball, list->low)) {
    gv_edge_place q = feature_tiles_place_of(w, one);
    int32_t feature = gv_locate_first(&w->index->locator, &q);
    if (feature >= 0) {
      feature_tiles_fill(w, part, feature, true);
      return;
    }
    outside = true;
  }
  double far = list->high + ball.radius;
  if (listed && outside && !list->mixed && (list->count == 0 || far * far * (1.0 + 1e-14) <= w->sure)) {
    feature_tiles_fill(w, part, list->count > 0 ? list->feature[0] : -1, false);
    return;
  }
  bool span = height == 1;
  int64_t side = span ? SMALLEST * SMALLEST : SMALLEST;
  if ((width <= side && height <= side) || level + 1 == GV_FEATURE_TILES_LEVELS) {
    feature_tiles_measure(w, part, listed ? list : NULL, outside);
    return;
  }
  int64_t middle_c = part->c0 + (width + 1) / 2, middle_r = part->r0 + (height + 1) / 2;
  for (int i = 0; i < 4; i++) {
    gv_tile half = {i % 2 == 0 ? part->c0 : middle_c, i % 2 == 0 ? middle_c : part->c1,
                    i < 2 ? part->r0 : middle_r, i < 2 ? middle_r : part->r1};
    if (half.c1 > half.c0 && half.r1 > half.r0) solve(w, &half, level + 1, listed ? list : NULL, outside);
  }
}

bool gv_feature_tiles_supported(const gv_voronoi *v, const gv_feature_lookup *index) {
  return v->k == 1 && v->weigher.weighting == GV_UNWEIGHTED && !v->backend->exhaustive &&
         gv_feature_tree_lists(&index->tree);
}

gv_status gv_feature_tiles_init(gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index,
                                gv_feature_tiles *out) {
  *out = (gv_feature_tiles){.v = v, .index = index, .serve = gv_feature_tiles_supported(v, index)};
  out->limit = gv_reach(&index->tree, v->limit);
  out->sure = gv_sure_chord2(&index->tree, v->limit);
  out->cell_search = gv_allocate_zeroed(&context->allocator, 1, sizeof *out->cell_search);
  if (out->cell_search == NULL) return gv_fail_memory(context, "a block of cells");
  gv_status status = gv_feature_cell_init(context, v, index, out->cell_search);
  for (int level = 0; level < GV_FEATURE_TILES_LEVELS && status == GV_OK && out->serve; level++)
    status = gv_shortlist_init(context, &index->tree, CAPACITY, &out->list[level]);
  if (status != GV_OK) gv_feature_tiles_clear(context, out);
  return status;
}

void gv_feature_tiles_clear(gv_context *context, gv_feature_tiles *w) {
  for (int level = 0; level < GV_FEATURE_TILES_LEVELS; level++)
    if (w->list[level].memory != NULL) gv_shortlist_clear(&w->list[level]);
  if (w->cell_search != NULL) gv_feature_cell_clear(w->cell_search);
  gv_release(&context->allocator, w->cell_search);
  memset(w, 0, sizeof *w);
}

void gv_feature_tiles_solve(gv_feature_tiles *w) {
  int64_t rows = w->tile.r1 - w->tile.r0, columns = w->tile.c1 - w->tile.c0;
  int64_t high = rows == 1 ? 1 : LARGEST, wide = LARGEST * LARGEST / high;
  gv_tile all = {0, columns, 0, rows};
  w->columns = columns;
  if (!w->serve) {
    feature_tiles_measure(w, &all, NULL, false);
    return;
  }
  for (int64_t r = 0; r < rows; r += high) {
    for (int64_t c = 0; c < columns; c += wide) {
      gv_tile part = {c, c + wide < columns ? c + wide : columns, r, r + high < rows ? r + high : rows};
      solve(w, &part, 0, NULL, w->index->locator.strips == 0);
    }
  }
}
