/* An index over a raster's cells: an index of their centers, with numbers converted to those of cells. */
#include "cells/facts.h"
#include "voronoi/raster_seeds.h"

#include <string.h>

#include "core/array_options.h"
#include "core/given.h"
#include "indexes/indexes.h"

typedef struct raster_index {
  gv_index base;
  gv_allocator allocator;
  gv_index *centers;
  int64_t *cell; /* of each center */
} raster_index;

static void raster_index_destroy(gv_index *base) {
  raster_index *index = (raster_index *)base;
  gv_allocator allocator = index->allocator;
  gv_index_destroy(index->centers);
  gv_release(&allocator, index->cell);
  gv_release(&allocator, index);
}

static gv_status raster_index_search(gv_context *context, const gv_index *base, const gv_points *queries,
                                     const gv_search_options *o, int64_t *indices, double *distances) {
  const raster_index *index = (const raster_index *)base;
  if (queries == NULL || o->exclude_self)
    return gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "raster cells: a search of the index against itself is unsupported; pass points as queries");
  if (gv_on_device(o->array_options))
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "raster cells: device memory is unsupported; use host memory");
  GV_TRY(index->centers->type->search(context, index->centers, queries, o, indices, distances));
  for (int64_t i = 0; i < queries->count * o->k; i++)
    indices[i] = indices[i] >= 0 ? index->cell[indices[i]] : -1;
  return GV_OK;
}

static gv_status raster_index_search_radius(gv_context *context, const gv_index *base,
                                            const gv_points *queries, const gv_radius_options *o,
                                            int64_t *offsets, int64_t *indices, double *distances) {
  const raster_index *index = (const raster_index *)base;
  GV_TRY(
      index->centers->type->search_radius(context, index->centers, queries, o, offsets, indices, distances));
  for (int64_t i = offsets[0]; indices != NULL && i < offsets[queries->count]; i++)
    indices[i] = index->cell[indices[i]];
  return GV_OK;
}

static const gv_index_type raster_type = {GV_INDEX_RASTER_SEEDS, raster_index_search,        NULL, NULL, NULL,
                                          raster_index_destroy,  raster_index_search_radius, NULL};

gv_status gv_index_build_raster_seeds(gv_context *context, const gv_raster_seeds *seeds,
                                      const gv_index_options *options, gv_index **out) {
  gv_index_options o;
  gv_raster_seed_list list;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "index: the output pointer is NULL");
  gv_index_options_init(&o);
  GV_COPY_GIVEN(context, gv_index_options, &o, options);
  GV_TRY(gv_check_no_periods(context, &o, "cells of rasters"));
  gv_raster_seed_list_init(&list);
  GV_TRY(gv_raster_seeds_get(context, seeds, &list));
  if (!gv_raster_seeds_finished(seeds))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "raster of seeds: not finished");
  const gv_grid *raster = gv_raster_seeds_grid(seeds, &o.metric);
  if (gv_facts_of(raster)->inverse)
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "index of raster cells: projected rasters are unsupported");
  if (gv_on_device(o.array_options))
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "index of raster cells: device memory is unsupported; use host memory");
  o.semi_major = raster->semi_major;
  o.flattening = raster->flattening;
  const gv_points centers = gv_points_xy(list.x, list.y, list.count);
  raster_index *index = gv_allocate_zeroed(&context->allocator, 1, sizeof *index);
  if (index == NULL) return gv_fail_memory(context, "the index");
  index->allocator = context->allocator;
  index->cell = gv_allocate(&context->allocator, list.count, sizeof *index->cell);
  gv_status status = index->cell != NULL ? gv_index_build(context, &centers, &o, &index->centers)
                                         : gv_fail_memory(context, "the index");
  if (status != GV_OK) {
    raster_index_destroy(&index->base);
    return status;
  }
  memcpy(index->cell, list.cell, (size_t)list.count * sizeof *index->cell);
  index->base = (gv_index){&raster_type, index->centers->backend, list.count, 2};
  *out = &index->base;
  return GV_OK;
}
