/*
 * Lines and polygons as seeds: the engine of grids for them.
 *
 * A device finds the nearest edges of the cells of a block (features/device_edges.h). Which polygons cells
 * lie in, and cells that the device leaves open, are the CPU's part.
 */
#include "cells/kind.h"
#include "core/device_rule.h"
#include "voronoi/feature_tiles.h"

bool gv_feature_device_pays(const gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index,
                            bool distances) {
  double cells = (double)v->cells.grid.width * (double)v->cells.grid.height;
  if (index->device == NULL || !v->automatic) return index->device != NULL;
  return gv_device_pays_for_feature_cells(cells, distances, gv_cells_have_tables(&v->cells),
                                          context->owner->threads, gv_cuda_started());
}

static void features_destroy(const gv_voronoi *v, void *state) {
  gv_feature_lookup *index = state;
  gv_feature_lookup_clear(index);
  gv_release(&v->allocator, index);
}

/* Whether a device was requested, or may pay. */
static bool features_on_device(const gv_voronoi *v, const gv_feature_lookup *index) {
  return gv_feature_tiles_supported(v, index) && (v->automatic ? gv_cuda_has_driver() : v->backend->device);
}

static gv_status features_create(gv_context *context, gv_voronoi *v, void **state) {
  gv_feature_lookup *index = gv_allocate_zeroed(&context->allocator, 1, sizeof *index);
  if (index == NULL) return gv_fail_memory(context, "the features' tree");
  gv_status status = gv_feature_lookup_init(context, v->features, &v->geodesic, index);
  if (status == GV_OK && v->k > 1) status = gv_feature_tree_join(context, &index->tree);
  if (status == GV_OK && features_on_device(v, index))
    status = gv_feature_lookup_use_device(context, index, v->automatic);
  if (status != GV_OK) {
    gv_feature_lookup_clear(index);
    gv_release(&context->allocator, index);
    return status;
  }
  *state = index;
  return GV_OK;
}

/* A block at work. */
typedef struct features_search {
  const gv_voronoi *v;
  const gv_labels *block;
  int64_t columns;
  const double *x; /* NaN for cells to skip */
} features_search;

static void write(void *user, int64_t cell, int64_t count, const int32_t *found, bool within) {
  const features_search *w = user;
  const gv_voronoi *v = w->v;
  int32_t *out = w->block->out + cell / w->columns * w->block->stride + cell % w->columns;
  (void)within;
  for (int32_t band = 0; band < v->k; band++) {
    int32_t label = found[band] >= 0 ? v->label[found[band]] : v->nodata;
    for (int64_t i = 0; i < count; i++)
      if (!isnan(w->x[cell + i])) out[band * w->block->band_stride + i] = label;
  }
}

static void write_nothing(const features_search *w, int64_t cell) {
  int32_t *out = w->block->out + cell / w->columns * w->block->stride + cell % w->columns;
  for (int32_t band = 0; band < w->v->k; band++)
    out[band * w->block->band_stride] = w->v->nodata;
}

/* A block by a device. x NULL: positions are those of the grid's tables. */
typedef struct device_block {
  const features_search *w;
  const gv_feature_lookup *index;
  const gv_feature_tiles *at;
  gv_feature_cell *cell;
} device_block;

static gv_edge_place features_place(const device_block *d, int64_t cell) {
  const gv_feature_tiles *at = d->at;
  const gv_cells *cells = &d->w->v->cells;
  gv_edge_place q = {.lon = 0.0};
  if (at->x == NULL) {
    const int64_t column = at->tile.c0 + cell % d->w->columns, row = at->tile.r0 + cell / d->w->columns;
    gv_cells_place_by_tables(cells, column, row, q.vector);
    if (cells->dim == 3) gv_cells_lonlat(cells, column, row, &q.lon, &q.lat);
    return q;
  }
  q = (gv_edge_place){.vector = {at->x[cell], at->y[cell], cells->dim == 3 ? at->z[cell] : 0.0}};
  if (cells->dim == 3) q.lon = at->lon[cell], q.lat = at->lat[cell];
  return q;
}

/* A cell that a device left open, or that a polygon contains: an edge of another feature may be at distance 0
 * too. */
static int32_t features_decide(const device_block *d, int64_t cell, int32_t found) {
  const gv_edge_place q = features_place(d, cell);
  d->cell->q = &q;
  gv_feature_cell_k_nearest(d->cell, &found);
  return found;
}

/* Cells of a row that are around the same edges: `around` is the first polygon that they lie in, or -1. */
static void features_take_run(const device_block *d, const gv_edge_results *r, int64_t row, int64_t first,
                              int64_t end, int32_t around) {
  const features_search *w = d->w;
  const gv_voronoi *v = w->v;
  const gv_ball here = {{0.0, 0.0, 0.0}, 0.0};
  int32_t *out = w->block->out + row * w->block->stride;
  for (int64_t column = first, i = row * w->columns + first; column < end; column++, i++) {
    int32_t found = around < 0 ? r->found[i] : around;
    if (w->x != NULL && isnan(w->x[i])) continue;
    bool open =
        around < 0 ? found == GV_EDGE_OPEN : !gv_ball_is_clear(&d->index->tree, &here, (double)r->low[i]);
    if (open) found = features_decide(d, i, found);
    out[column] = found >= 0 ? v->label[found] : v->nodata;
  }
}

/* The same of a row where there are polygons. */
static void features_take_located(const device_block *d, const gv_edge_results *r, int64_t row) {
  const features_search *w = d->w;
  const float *low = r->low + row * w->columns;
  gv_located_row located = {.last = {.low = 0.0}};
  gv_located_row_begin(&located, &w->v->cells, d->at->tile.r0 + row);
  for (int64_t column = 0, end; column < w->columns; column = end) {
    const int64_t i = row * w->columns + column;
    end = column + 1;
    if (w->x != NULL && isnan(w->x[i])) continue;
    if (column >= located.end) {
      const gv_edge_place q = features_place(d, i);
      (void)gv_feature_lookup_locate(d->index, &q, (double)low[column], &located.last);
    }
    end = gv_located_row_run(&located, column, w->columns, low);
    features_take_run(d, r, row, column, end, located.last.feature);
  }
}

static void features_take(void *user, const gv_edge_results *r) {
  const device_block *d = user;
  for (int64_t row = 0; row < d->at->tile.r1 - d->at->tile.r0; row++) {
    if (r->low != NULL) {
      features_take_located(d, r, row);
    } else {
      features_take_run(d, r, row, 0, d->w->columns, -1);
    }
  }
}

gv_edge_search gv_feature_block_search(const gv_voronoi *v, const gv_tile *tile) {
  const gv_cells *cells = &v->cells;
  const gv_feature_lookup *index = v->state;
  return (gv_edge_search){.count = (tile->c1 - tile->c0) * (tile->r1 - tile->r0),
                          .columns = tile->c1 - tile->c0,
                          .column_x = cells->column_x != NULL ? cells->column_x + tile->c0 : NULL,
                          .column_y = cells->column_y != NULL ? cells->column_y + tile->c0 : NULL,
                          .row_p = cells->row_p != NULL ? cells->row_p + tile->r0 : NULL,
                          .row_z = cells->row_z != NULL ? cells->row_z + tile->r0 : NULL,
                          .limit = v->limit,
                          .radius = gv_globe_radius(&cells->ellipsoid),
                          .reach = gv_reach(&index->tree, v->limit),
                          .sure = gv_sure_chord2(&index->tree, v->limit),
                          .low = index->locator.strips > 0};
}

/* A block by a device; *done is false if the CPU must compute it. Gain: docs/benchmarks.md. */
static gv_status features_by_device(gv_context *context, const features_search *w,
                                    const gv_feature_lookup *index, const gv_feature_tiles *at, bool *done) {
  const gv_edges_device *device;
  const void *edges;
  *done = false;
  if (!gv_feature_device_pays(context, w->v, index, false)) return GV_OK;
  GV_TRY(gv_feature_lookup_device(context, index, &device, &edges));
  if (edges == NULL) return GV_OK;
  device_block d = {w, index, at, gv_allocate(&context->allocator, 1, sizeof *d.cell)};
  if (d.cell == NULL) return gv_fail_memory(context, "a block of cells");
  gv_status status = gv_feature_cell_init(context, w->v, index, d.cell);
  gv_edge_search of = gv_feature_block_search(w->v, &at->tile);
  of.user = &d;
  of.x = at->x;
  of.y = at->y;
  of.z = at->z;
  of.take = features_take;
  if (status == GV_OK) {
    status = device->search(context, edges, &of);
    *done = status == GV_OK;
    if (gv_device_edges_give_up(index->device, status)) status = GV_OK;
  }
  gv_feature_cell_clear(d.cell);
  gv_release(&context->allocator, d.cell);
  return status;
}

/* Positions of a block's cells, those that the mask leaves out without. */
static gv_status features_place_cells(gv_context *context, features_search *w, gv_feature_tiles *tiles,
                                      double **out) {
  const gv_voronoi *v = w->v;
  const gv_labels *block = w->block;
  int64_t columns = w->columns, cells = columns * (tiles->tile.r1 - tiles->tile.r0);
  bool globe = v->cells.dim == 3;
  double *x = gv_allocate(&context->allocator, 5 * cells, sizeof *x);
  *out = x;
  if (x == NULL) return gv_fail_memory(context, "a block's positions");
  w->x = tiles->x = x;
  tiles->y = x + cells;
  tiles->z = tiles->y + cells;
  tiles->lon = globe ? tiles->z + cells : NULL;
  tiles->lat = globe ? tiles->lon + cells : NULL;
  GV_TRY(gv_cells_positions(context, &v->cells, &tiles->tile, x, tiles->y, tiles->z, tiles->lon, tiles->lat,
                            NULL));
  for (int64_t i = 0; i < cells; i++) {
    if (block->mask != NULL && block->mask[i / columns * block->mask_stride + i % columns] == 0) x[i] = NAN;
    if (isnan(x[i])) write_nothing(w, i);
  }
  return GV_OK;
}

static gv_status features_block(gv_context *context, const gv_voronoi *v, void *state, const gv_tile *tile,
                                const gv_labels *block, int *uniform) {
  (void)uniform;
  bool done = false, tables = gv_cells_have_tables(&v->cells) && block->mask == NULL;
  double *positions = NULL;
  features_search w = {v, block, tile->c1 - tile->c0, NULL};
  gv_feature_tiles tiles = {.tile = *tile};
  if (tables) GV_TRY(features_by_device(context, &w, state, &tiles, &done));
  if (done) return GV_OK;
  GV_TRY(gv_feature_tiles_init(context, v, state, &tiles));
  tiles.tile = *tile;
  tiles.take = write;
  tiles.user = &w;
  gv_status status = features_place_cells(context, &w, &tiles, &positions);
  if (status == GV_OK && !tables) status = features_by_device(context, &w, state, &tiles, &done);
  if (status == GV_OK && !done) gv_feature_tiles_solve(&tiles);
  gv_release(&context->allocator, positions);
  gv_feature_tiles_clear(context, &tiles);
  return status;
}

const gv_engine gv_engine_features = {features_create, features_block, features_destroy, NULL, NULL};
