#include <stdlib.h>
#include <string.h>

#include "cost/cells.h"
#include "cost/device.h"
#include "cost/search.h"
#include "cost/start.h"
#include "cost/tile.h"
#include "cost/touch.h"
#include "cost/window.h"

#include "cells/seam.h"

static gv_status cost_fill(gv_context *context, gv_cost *c) {
  const gv_cost_settings *o = &c->is;
  c->stride = o->width + 2 * GV_COST_MARGIN;
  if (o->width > INT32_MAX || o->height > INT32_MAX ||
      c->stride > INT32_MAX / (o->height + 2 * GV_COST_MARGIN)) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "travel cost: too many cells (%lld x %lld); the limit is 2^31", (long long)o->width,
                   (long long)o->height);
  }
  c->cells = c->stride * (o->height + 2 * GV_COST_MARGIN);
  c->wraps = o->metric != GV_EUCLIDEAN && o->width > 2 * GV_COST_LONGEST &&
             gv_columns_wrap(o->width, o->geotransform[1]);
  if (o->engine == GV_COST_TILES && !gv_cost_has_tiles(c)) c->is.engine = GV_COST_SERIAL;
  GV_TRY(gv_cost_cells_make(context, c));
  c->has_row = gv_allocate_zeroed(&c->allocator, o->height, 1);
  if (c->has_row == NULL) return gv_fail_memory(context, "the raster of travel cost");
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
  gv_cost_cells_free(c);
  gv_release(&allocator, c->starts.entries);
  gv_release(&allocator, c->has_row);
  gv_release(&allocator, c);
}

/* Sums that overflow hide cells, unless they are above the limit in any case. */
static gv_status cost_check_overflow(gv_context *context, gv_cost *c) {
  bool overflows = c->overflows;
  if (!overflows && c->may_overflow && isinf(c->is.most))
    GV_TRY(gv_cost_find_overflow(context, c, &overflows));
  if (!overflows) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "travel cost: sums of costs exceed the range of double precision; scale the friction");
}

/* "auto": a GPU where it pays. False, and as before, if it is not to be had or has too little memory. */
static bool cost_try_device(gv_context *context, gv_cost *c, const gv_cost_starts *starts,
                            gv_status *status) {
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
  if (c->mapped == NULL && c->from == NULL) {
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

/* By cell; the best one of a cell is its first. */
static int cost_compare(const void *a, const void *b) {
  const gv_cost_entry *p = a, *q = b;
  if (p->cell != q->cell) return p->cell < q->cell ? -1 : 1;
  if (p->cost != q->cost) return p->cost < q->cost ? -1 : 1;
  return p->seed < q->seed ? -1 : p->seed > q->seed;
}

gv_status gv_cost_find(gv_context *context, gv_cost *c, const gv_cost_sources *seeds, int64_t *left_out) {
  const int64_t count = seeds->features != NULL ? seeds->features->count : seeds->count;
  if (c->has_results) gv_cost_clear_results(c);
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
  if (c->starts.count > 0)
    qsort(c->starts.entries, (size_t)c->starts.count, sizeof(gv_cost_entry), cost_compare);
  GV_TRY(cost_run(context, c, &c->starts));
  GV_TRY(cost_check_overflow(context, c));
  c->solved = true;
  return GV_OK;
}
