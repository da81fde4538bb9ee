#include <stdlib.h>
#include <string.h>

#include "cost/device.h"
#include "cost/raster.h"
#include "cost/search.h"
#include "cost/start.h"
#include "cost/tile.h"
#include "cost/touch.h"
#include "cost/window.h"

#include "cells/seam.h"
#include "core/machine.h"

enum {
  FILE_BYTES = sizeof(double) + sizeof(double) + sizeof(int32_t) + sizeof(uint8_t) /* of a cell */
};

static gv_status cost_allocate(gv_context *context, gv_cost *c) {
  c->friction = gv_allocate(&c->allocator, c->cells, sizeof *c->friction);
  c->cost = gv_allocate(&c->allocator, c->cells, sizeof *c->cost);
  c->seed = gv_allocate(&c->allocator, c->cells, sizeof *c->seed);
  if (c->friction == NULL || c->cost == NULL || c->seed == NULL)
    return gv_fail_memory(context, "the raster of travel cost");
  return GV_OK;
}

static gv_status cost_map(gv_context *context, gv_cost *c) {
  const size_t size = strlen(c->is.folder) + 1;
  c->folder = gv_allocate(&c->allocator, (int64_t)size, 1);
  if (c->folder == NULL) return gv_fail_memory(context, "the raster of travel cost");
  c->is.folder = memcpy(c->folder, c->is.folder, size);
  c->mapped_bytes = (size_t)c->cells * FILE_BYTES;
  GV_TRY(gv_cost_map(context, c, c->mapped_bytes, &c->mapped));
  c->friction = c->mapped;
  c->cost = c->friction + c->cells;
  c->seed = (int32_t *)(void *)(c->cost + c->cells);
  c->from = (uint8_t *)(void *)(c->seed + c->cells);
  return GV_OK;
}

/* A row without costs. */
static void cost_clear_results(gv_cost *c, int64_t row) {
  const int64_t begin = gv_cost_at(c, -GV_COST_MARGIN, row);
  for (int64_t i = begin; i < begin + c->stride; i++) {
    c->cost[i] = (double)INFINITY;
    c->seed[i] = -1;
  }
  if (c->from != NULL) memset(c->from + begin, GV_COST_BY_START, (size_t)c->stride);
}

/* A row of barriers. */
static void cost_clear_row(gv_cost *c, int64_t row) {
  const int64_t begin = gv_cost_at(c, -GV_COST_MARGIN, row);
  for (int64_t i = begin; i < begin + c->stride; i++)
    c->friction[i] = (double)NAN;
  cost_clear_results(c, row);
}

static gv_status cost_fill(gv_context *context, gv_cost *c) {
  const gv_cost_settings *o = &c->is;
  c->stride = o->width + 2 * GV_COST_MARGIN;
  if (o->width > INT32_MAX || o->height > INT32_MAX || c->stride > INT32_MAX / (o->height + 2 * GV_COST_MARGIN)) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "travel cost: too many cells (%lld x %lld); the limit is 2^31",
                   (long long)o->width, (long long)o->height);
  }
  c->cells = c->stride * (o->height + 2 * GV_COST_MARGIN);
  c->wraps =
      o->metric != GV_EUCLIDEAN && o->width > 2 * GV_COST_LONGEST && gv_columns_wrap(o->width, o->geotransform[1]);
  if (o->engine == GV_COST_TILES && !gv_cost_has_tiles(c)) c->is.engine = GV_COST_SERIAL;
  GV_TRY(o->folder != NULL ? cost_map(context, c) : cost_allocate(context, c));
  c->has_row = gv_allocate_zeroed(&c->allocator, o->height, 1);
  if (c->has_row == NULL) return gv_fail_memory(context, "the raster of travel cost");
  for (int i = 0; i < GV_COST_MARGIN; i++) {
    cost_clear_row(c, -1 - i);
    cost_clear_row(c, o->height + i);
  }
  return gv_cost_lengths_make(context, o, &c->lengths);
}

gv_status gv_cost_make(gv_context *context, const gv_cost_settings *options, gv_cost **out) {
  gv_cost *c = *out = gv_allocate_zeroed(&context->allocator, 1, sizeof *c);
  if (c == NULL) return gv_fail_memory(context, "the raster of travel cost");
  c->is = *options;
  c->allocator = c->lengths.allocator = context->allocator;
  gv_status status = cost_fill(context, c);
  if (status == GV_OK) return GV_OK;
  gv_cost_destroy(c);
  *out = NULL;
  return status;
}

void gv_cost_destroy(gv_cost *c) {
  if (c == NULL) return;
  const gv_allocator allocator = c->allocator;
  gv_cost_lengths_free(&c->lengths);
  gv_machine_unmap(c->mapped, c->mapped_bytes);
  if (c->mapped == NULL) {
    gv_release(&allocator, c->friction);
    gv_release(&allocator, c->cost);
    gv_release(&allocator, c->seed);
    gv_release(&allocator, c->from);
  }
  gv_release(&allocator, c->folder);
  gv_release(&allocator, c->starts.entries);
  gv_release(&allocator, c->has_row);
  gv_release(&allocator, c);
}

/* Negative and infinite frictions are barriers; the margins show the other side of the seam. */
void gv_cost_set_row(gv_cost *c, int64_t row, const double *friction) {
  const int64_t width = c->is.width;
  cost_clear_row(c, row);
  double *f = c->friction + gv_cost_at(c, 0, row);
  for (int64_t i = 0; i < width; i++)
    if (friction[i] >= 0.0 && isfinite(friction[i])) f[i] = friction[i];
  for (int64_t i = 1; i <= GV_COST_MARGIN && c->wraps; i++) {
    f[-i] = f[width - i];
    f[width - 1 + i] = f[i - 1];
  }
  c->has_row[row] = 1;
  gv_cost_touched(c, c->stride * FILE_BYTES);
}

const double *gv_cost_row_costs(gv_cost *c, int64_t row) {
  gv_cost_touched(c, GV_COST_PAGES);
  return c->cost + gv_cost_at(c, 0, row);
}

const int32_t *gv_cost_row_seeds(gv_cost *c, int64_t row) {
  gv_cost_touched(c, GV_COST_PAGES);
  return c->seed + gv_cost_at(c, 0, row);
}

/* Sums that overflow hide cells, unless they are above the limit in any case. */
static gv_status cost_check_overflow(gv_context *context, gv_cost *c) {
  bool overflows = c->overflows;
  if (!overflows && c->may_overflow && isinf(c->is.most)) GV_TRY(gv_cost_find_overflow(context, c, &overflows));
  if (!overflows) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "travel cost: sums of costs exceed the range of double precision; scale the friction");
}

/* "auto": a GPU where it pays. False, and as before, if it is not to be had or has too little memory. */
static bool cost_try_device(gv_context *context, gv_cost *c, const gv_cost_starts *starts, gv_status *status) {
  if (c->is.engine != GV_COST_ANY || c->mapped != NULL || !gv_cost_device_pays(context, c)) return false;
  *status = gv_cost_device_run(context, c, starts);
  if (*status != GV_OK && *status != GV_ERROR_CANCELLED) return false;
  c->is.engine = GV_COST_CUDA;
  return true;
}

static gv_status cost_run(gv_context *context, gv_cost *c, const gv_cost_starts *starts) {
  gv_status status;
  if (cost_try_device(context, c, starts, &status)) return status;
  if (c->is.engine == GV_COST_CUDA) return gv_cost_device_run(context, c, starts);
  if (c->is.engine == GV_COST_ANY) c->is.engine = gv_cost_has_tiles(c) ? GV_COST_TILES : GV_COST_SERIAL;
  if (c->is.engine == GV_COST_SERIAL) return gv_cost_search_run(context, c, starts);
  if (c->from == NULL) {
    c->from = gv_allocate(&c->allocator, c->cells, sizeof *c->from);
    if (c->from == NULL) return gv_fail_memory(context, "the raster of travel cost");
    memset(c->from, GV_COST_BY_START, (size_t)c->cells);
  }
  return gv_cost_tile_run(context, c, starts);
}

static gv_status cost_start(gv_context *context, gv_cost *c, int32_t seed, bool *here) {
  const gv_cost_sources *s = &c->sources;
  if (s->features != NULL) return gv_cost_touch(context, c, s->features, seed, &c->starts, here);
  if (s->at_cells) return gv_cost_start_in(context, c, s->x[seed], s->y[seed], seed, &c->starts, here);
  return gv_cost_start(context, c, s->x[seed], s->y[seed], seed, &c->starts, here);
}

static int cost_compare(const void *a, const void *b) {
  const gv_cost_entry *p = a, *q = b;
  return p->cell < q->cell ? -1 : p->cell > q->cell;
}

gv_status gv_cost_find(gv_context *context, gv_cost *c, const gv_cost_sources *seeds, int64_t *left_out) {
  const int64_t count = seeds->features != NULL ? seeds->features->count : seeds->count;
  for (int64_t row = 0; row < c->is.height && c->has_results; row++) {
    cost_clear_results(c, row);
    gv_cost_touched(c, c->stride * FILE_BYTES);
  }
  c->sources = *seeds;
  c->starts.count = 0;
  c->has_results = true;
  c->solved = c->overflows = c->may_overflow = false;
  *left_out = 0;
  for (int64_t i = 0; i < count; i++) {
    bool here = false;
    GV_TRY(cost_start(context, c, (int32_t)i, &here));
    if (!here) ++*left_out;
  }
  GV_TRY(cost_run(context, c, &c->starts));
  if (c->starts.count > 0) qsort(c->starts.entries, (size_t)c->starts.count, sizeof(gv_cost_entry), cost_compare);
  GV_TRY(cost_check_overflow(context, c));
  c->solved = true;
  return GV_OK;
}
