/*
 * Lines and polygons as seeds: the engine of grids for them.
 *
 * A device finds the nearest edges of the cells of a block (features/device_edges.h). Which polygons cells lie in, and cells that the device
 * leaves open, are the CPU's part.
 */
#include "core/device_rule.h"
#include "features/device_edges.h"
#include "voronoi/feature_tiles.h"

bool gv_feature_device_pays(const gv_context *context, const gv_voronoi *v, const gv_feature_lookup *index,
                            bool distances) {
  double cells = (double)v->cells.grid.width * (double)v->cells.grid.height;
  if (index->device == NULL || !v->automatic) return index->device != NULL;
  return gv_device_pays_for_feature_cells(cells, distances, context->owner->threads, gv_cuda_started());
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

/* The cells of a block by what a device found. */
static gv_status features_finish(gv_context *context, const features_search *w, const gv_feature_lookup *index,
                                 const gv_feature_tiles *at, const int32_t *nearest, const float *low) {
  int64_t cells = w->columns * (at->tile.r1 - at->tile.r0);
  gv_located last = {.low = 0.0};
  gv_feature_cell *c = gv_allocate(&context->allocator, 1, sizeof *c);
  if (c == NULL) return gv_fail_memory(context, "a block of cells");
  gv_status status = gv_feature_cell_init(context, w->v, index, c);
  for (int64_t i = 0; i < cells && status == GV_OK; i++) {
    int32_t found = nearest[i];
    if (isnan(w->x[i])) continue;
    gv_edge_place q = {.vector = {at->x[i], at->y[i], 0.0}};
    if (at->lon != NULL) q = (gv_edge_place){at->lon[i], at->lat[i], {at->x[i], at->y[i], at->z[i]}};
    const gv_ball here = {{q.vector[0], q.vector[1], q.vector[2]}, 0.0};
    int32_t around = low != NULL ? gv_feature_lookup_locate(index, &q, (double)low[i], &last) : -1;
    /* In a polygon, an edge of another feature may be at distance 0 too. */
    bool open = around < 0 ? found == GV_EDGE_OPEN : !gv_ball_is_clear(&index->tree, &here, (double)low[i]);
    if (around >= 0) found = around;
    c->q = &q;
    if (open) gv_feature_cell_k_nearest(c, &found);
    write((void *)w, i, 1, &found, around >= 0);
  }
  gv_feature_cell_clear(c);
  gv_release(&context->allocator, c);
  return status;
}

/* A block by a device; *done is false if the CPU must compute it. Gain: docs/benchmarks.md. */
static gv_status features_by_device(gv_context *context, const features_search *w, const gv_feature_lookup *index,
                                    const gv_feature_tiles *at, bool *done) {
  int64_t cells = w->columns * (at->tile.r1 - at->tile.r0);
  const gv_edges_device *device;
  const void *edges;
  *done = false;
  if (!gv_feature_device_pays(context, w->v, index, false)) return GV_OK;
  GV_TRY(gv_feature_lookup_device(context, index, &device, &edges));
  if (edges == NULL) return GV_OK;
  bool polygons = index->locator.strips > 0;
  int32_t *found = gv_allocate(&context->allocator, cells, sizeof *found);
  float *low = polygons ? gv_allocate(&context->allocator, cells, sizeof *low) : NULL;
  gv_status status =
      found != NULL && (!polygons || low != NULL) ? GV_OK : gv_fail_memory(context, "a block of cells");
  const gv_edge_search of = {.count = cells,
                             .x = at->x,
                             .y = at->y,
                             .z = at->z,
                             .columns = w->columns,
                             .limit = w->v->limit,
                             .radius = gv_globe_radius(&w->v->cells.ellipsoid),
                             .reach = gv_reach(&index->tree, w->v->limit),
                             .sure = gv_sure_chord2(&index->tree, w->v->limit),
                             .found = found,
                             .low = low};
  if (status == GV_OK) {
    status = device->search(context, edges, &of);
    *done = status == GV_OK || !gv_device_edges_give_up(index->device, status);
    if (!*done) status = GV_OK;
  }
  if (status == GV_OK && *done) status = features_finish(context, w, index, at, found, low);
  gv_release(&context->allocator, found);
  gv_release(&context->allocator, low);
  return status;
}

static gv_status features_block(gv_context *context, const gv_voronoi *v, void *state, const gv_tile *tile,
                                const gv_labels *block, int *uniform) {
  (void)uniform;
  int64_t columns = tile->c1 - tile->c0, cells = columns * (tile->r1 - tile->r0);
  bool globe = v->cells.dim == 3;
  features_search w = {v, block, columns, NULL};
  gv_feature_tiles tiles;
  GV_TRY(gv_feature_tiles_init(context, v, state, &tiles));
  double *x = gv_allocate(&context->allocator, 5 * cells, sizeof *x);
  tiles.tile = *tile;
  tiles.take = write;
  tiles.user = &w;
  gv_status status = GV_OK;
  if (x == NULL) {
    status = gv_fail_memory(context, "a block's positions");
  } else {
    w.x = tiles.x = x;
    tiles.y = x + cells;
    tiles.z = tiles.y + cells;
    tiles.lon = globe ? tiles.z + cells : NULL;
    tiles.lat = globe ? tiles.lon + cells : NULL;
    status = gv_cells_positions(context, &v->cells, tile, x, tiles.y, tiles.z, tiles.lon, tiles.lat, NULL);
  }
  for (int64_t i = 0; i < cells && status == GV_OK; i++) {
    if (block->mask != NULL && block->mask[i / columns * block->mask_stride + i % columns] == 0) x[i] = NAN;
    if (isnan(x[i])) write_nothing(&w, i);
  }
  bool done = false;
  if (status == GV_OK) status = features_by_device(context, &w, state, &tiles, &done);
  if (status == GV_OK && !done) gv_feature_tiles_solve(&tiles);
  gv_release(&context->allocator, x);
  gv_feature_tiles_clear(context, &tiles);
  return status;
}

const gv_engine gv_engine_features = {features_create, features_block, features_destroy, NULL, NULL};
