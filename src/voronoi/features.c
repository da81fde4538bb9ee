/* Lines and polygons as seeds: the engine of grids for them. */
#include "voronoi/feature_tiles.h"

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
  if (status == GV_OK) gv_feature_tiles_solve(&tiles);
  gv_release(&context->allocator, x);
  gv_feature_tiles_clear(context, &tiles);
  return status;
}

const gv_engine gv_engine_features = {features_create, features_block, features_destroy, NULL, NULL};
