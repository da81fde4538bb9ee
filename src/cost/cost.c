#include "cost/raster.h"
#include "cost/search.h"
#include "cost/start.h"

#include "cells/seam.h"

double gv_cost_bytes(int64_t width, int64_t height) {
  return ((double)width + 2 * GV_COST_MARGIN) * ((double)height + 2 * GV_COST_MARGIN) *
         (sizeof(double) + sizeof(double) + sizeof(int32_t) + GV_COST_SEARCH_BYTES);
}

static gv_status cost_fill(gv_context *context, gv_cost *c) {
  const gv_cost_options *o = &c->is;
  c->stride = o->width + 2 * GV_COST_MARGIN;
  if (o->width > INT32_MAX || o->height > INT32_MAX || c->stride > INT32_MAX / (o->height + 2 * GV_COST_MARGIN)) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "travel cost: too many cells (%lld x %lld); the limit is 2^31",
                   (long long)o->width, (long long)o->height);
  }
  c->cells = c->stride * (o->height + 2 * GV_COST_MARGIN);
  c->wraps =
      o->metric != GV_EUCLIDEAN && o->width > 2 * GV_COST_LONGEST && gv_columns_wrap(o->width, o->geotransform[1]);
  c->friction = gv_allocate(&c->allocator, c->cells, sizeof *c->friction);
  c->cost = gv_allocate(&c->allocator, c->cells, sizeof *c->cost);
  c->seed = gv_allocate(&c->allocator, c->cells, sizeof *c->seed);
  if (c->friction == NULL || c->cost == NULL || c->seed == NULL)
    return gv_fail_memory(context, "the raster of travel cost");
  for (int64_t i = 0; i < c->cells; i++) {
    c->friction[i] = (double)NAN;
    c->cost[i] = (double)INFINITY;
    c->seed[i] = -1;
  }
  return gv_cost_lengths_make(context, o, &c->lengths);
}

gv_status gv_cost_create(gv_context *context, const gv_cost_options *options, gv_cost **out) {
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
  gv_release(&allocator, c->friction);
  gv_release(&allocator, c->cost);
  gv_release(&allocator, c->seed);
  gv_release(&allocator, c);
}

double *gv_cost_friction(gv_cost *c, int64_t row) {
  return c->friction + gv_cost_at(c, 0, row);
}

const double *gv_cost_costs(const gv_cost *c, int64_t row) {
  return c->cost + gv_cost_at(c, 0, row);
}

const int32_t *gv_cost_seeds(const gv_cost *c, int64_t row) {
  return c->seed + gv_cost_at(c, 0, row);
}

/* Negative and infinite frictions are barriers; the margins show the other side of the seam. */
static void cost_close(gv_cost *c) {
  for (int64_t row = 0; row < c->is.height; row++) {
    double *f = gv_cost_friction(c, row);
    for (int64_t i = 0; i < c->is.width; i++)
      if (!(f[i] >= 0.0 && isfinite(f[i]))) f[i] = (double)NAN;
    for (int64_t i = 1; i <= GV_COST_MARGIN && c->wraps; i++) {
      f[-i] = f[c->is.width - i];
      f[c->is.width - 1 + i] = f[i - 1];
    }
  }
}

gv_status gv_cost_solve(gv_context *context, gv_cost *c, const double *x, const double *y, int64_t count,
                        int64_t *left_out) {
  gv_cost_search search = {.raster = c};
  *left_out = 0;
  cost_close(c);
  gv_status status = gv_cost_search_begin(context, &search);
  for (int64_t i = 0; i < count && status == GV_OK; i++)
    if (!gv_cost_start(&search, x[i], y[i], (int32_t)i)) ++*left_out;
  if (status == GV_OK) status = gv_cost_search_run(context, &search);
  gv_cost_search_end(&search);
  if (status == GV_OK && c->overflows)
    status = gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "travel cost: sums of costs exceed the range of double precision; scale the friction");
  return status;
}
