/* The public functions (gpuvoronoi/cost.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cells/facts.h"
#include "cells/grid.h"
#include "core/given.h"
#include "cost/cells.h"
#include "cost/cost.h"
#include "cost/start.h"
#include "cost/way.h"
#include "features/set.h"
#include "search/backend.h"

static gv_status cost_take_backend(gv_context *context, const gv_cost_options *o, gv_cost_settings *out) {
  out->engine = GV_COST_ANY;
  if (gv_backend_is_automatic(o->backend)) return GV_OK;
  const gv_backend *backend = gv_backend_find(o->backend);
  if (backend != NULL && backend->cost != 0) {
    out->engine = (gv_cost_engine)backend->cost;
    return GV_OK;
  }
  char names[256] = "auto";
  for (int i = 0; i < GV_BACKENDS; i++) {
    const size_t used = strlen(names);
    if (gv_backends[i].cost != 0)
      (void)snprintf(names + used, sizeof names - used, ", %s", gv_backends[i].name);
  }
  return gv_fail(context, GV_ERROR_UNSUPPORTED, "travel cost: unsupported backend (%.50s); use one of %s",
                 o->backend, names);
}

static gv_status cost_take_grid(gv_context *context, const gv_grid *grid, gv_metric metric,
                                gv_cost_settings *out) {
  gv_cells cells;
  const gv_cell_facts *facts = gv_facts_of(grid);
  const bool plane = facts->raster && !facts->globe && metric == GV_EUCLIDEAN;
  const bool globe = facts->rows_are_parallels && (metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC);
  if (!plane && !globe)
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "travel cost: unsupported grid and metric (%d, %d); use a plane with GV_EUCLIDEAN, "
                   "longitudes and latitudes with GV_GREAT_CIRCLE or GV_GEODESIC",
                   (int)grid->kind, (int)metric);
  GV_TRY(gv_cells_init(context, grid, metric, &cells));
  gv_cells_clear(&cells);
  out->metric = metric;
  out->width = grid->width;
  out->height = grid->height;
  memcpy(out->geotransform, grid->geotransform, sizeof out->geotransform);
  out->semi_major = grid->semi_major;
  out->flattening = grid->flattening;
  return GV_OK;
}

gv_status gv_cost_create(gv_context *context, const gv_grid *grid, const gv_cost_options *options,
                         gv_cost **out) {
  gv_cost_options o;
  gv_grid g;
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (grid == NULL || out == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: the grid or the output pointer is NULL");
  *out = NULL;
  gv_cost_options_init(&o);
  gv_grid_init(&g);
  GV_COPY_GIVEN(context, gv_grid, &g, grid);
  GV_COPY_GIVEN(context, gv_cost_options, &o, options);
  gv_cost_settings settings = {
      .moves = o.moves, .folder = o.folder, .resident = o.resident, .most = o.max_cost};
  if (o.moves != 8 && o.moves != 16 && o.moves != 32)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: invalid moves (%d); use 8, 16 or 32",
                   (int)o.moves);
  if (!(o.max_cost >= 0.0) || !(o.resident > 0.0))
    return gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "travel cost: max_cost or resident is out of range (%g, %g); use max_cost >= 0, resident > 0",
        o.max_cost, o.resident);
  GV_TRY(cost_take_backend(context, &o, &settings));
  if (o.folder != NULL && settings.engine == GV_COST_SERIAL)
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "travel cost: backend serial needs memory; remove folder");
  GV_TRY(cost_take_grid(context, &g, o.metric, &settings));
  return gv_cost_make(context, &settings, out);
}

const char *gv_cost_backend(const gv_cost *c) {
  if (c == NULL) return "";
  for (int i = 0; i < GV_BACKENDS; i++) {
    if (gv_backends[i].cost != 0 && gv_backends[i].cost == (int)c->is.engine) return gv_backends[i].name;
  }
  return "auto";
}

static gv_status cost_check_pointer(gv_context *context, const gv_cost *c) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  return c != NULL ? GV_OK : gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: the pointer is NULL");
}

gv_status gv_cost_set_rows(gv_context *context, gv_cost *c, int64_t row, int64_t rows, const double *friction,
                           int64_t row_stride) {
  GV_TRY(cost_check_pointer(context, c));
  if (row < 0 || rows < 0 || row > c->is.height || rows > c->is.height - row)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "travel cost: rows out of range (%" PRId64 ", %" PRId64 " rows); the raster has %" PRId64,
                   row, rows, c->is.height);
  if (friction == NULL && rows > 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: missing friction");
  if (c->solved)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: rows must be set before solving");
  for (int64_t i = 0; i < rows; i++)
    gv_cost_set_row(c, row + i, friction + i * (row_stride != 0 ? row_stride : c->is.width));
  return GV_OK;
}

static gv_status cost_check_features(gv_context *context, const gv_cost *c, const gv_features *features) {
  gv_feature_set set;
  if (features->edges != GV_EDGES_STRAIGHT)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "travel cost: geodesic edges are unsupported; use straight ones");
  GV_TRY(gv_feature_set_init(context, c->is.metric, &c->lengths.ellipsoid, features, &set));
  gv_feature_set_clear(&set);
  return GV_OK;
}

gv_status gv_cost_solve(gv_context *context, gv_cost *c, const gv_cost_seeds *seeds, int64_t *left_out) {
  gv_cost_seeds s;
  gv_features features;
  int64_t left = 0;
  GV_TRY(cost_check_pointer(context, c));
  gv_cost_seeds_init(&s);
  gv_features_init(&features);
  GV_COPY_GIVEN(context, gv_cost_seeds, &s, seeds);
  if (s.features != NULL) {
    GV_COPY_GIVEN(context, gv_features, &features, s.features);
    GV_TRY(cost_check_features(context, c, &features));
  } else if (s.count < 0 || s.count > INT32_MAX || (s.count > 0 && (s.x == NULL || s.y == NULL))) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: invalid seeds (%" PRId64 " positions)",
                   s.count);
  }
  for (int64_t row = 0; row < c->is.height; row++)
    if (c->has_row[row] == 0)
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: row %" PRId64 " has no friction", row);
  const gv_cost_sources from = {s.x, s.y, s.count, s.at_cells != 0, s.features != NULL ? &features : NULL};
  gv_status status = gv_cost_find(context, c, &from, &left);
  c->sources.features = s.features;
  if (left_out != NULL) *left_out = left;
  return status;
}

gv_status gv_cost_get(gv_context *context, gv_cost *c, const gv_cost_cells *cells) {
  gv_cost_cells o;
  GV_TRY(cost_check_pointer(context, c));
  gv_cost_cells_init(&o);
  GV_COPY_GIVEN(context, gv_cost_cells, &o, cells);
  if (!c->solved) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: not solved yet");
  if (o.column < 0 || o.row < 0 || o.columns < 0 || o.rows < 0 || o.column > c->is.width ||
      o.row > c->is.height || o.columns > c->is.width - o.column || o.rows > c->is.height - o.row)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "travel cost: cells out of range (%" PRId64 " x %" PRId64 " from %" PRId64 ", %" PRId64
                   ")",
                   o.columns, o.rows, o.column, o.row);
  const int64_t stride = o.stride != 0 ? o.stride : o.columns;
  for (int64_t y = 0; y < o.rows; y++) {
    const int64_t at = y * stride;
    const gv_cost_arrays row = {.cost = o.cost != NULL ? o.cost + at : NULL,
                                .seed = o.seed != NULL ? o.seed + at : NULL};
    gv_cost_read(c, o.column, o.row + y, o.columns, &row);
    for (int64_t x = 0; x < o.columns && o.cost != NULL; x++)
      if (isinf(row.cost[x])) row.cost[x] = (double)NAN;
    for (int64_t x = 0; x < o.columns && o.azimuth != NULL; x++)
      o.azimuth[at + x] = gv_cost_azimuth(c, o.column + x, o.row + y);
  }
  return GV_OK;
}

gv_status gv_cost_get_way(gv_context *context, gv_cost *c, const gv_cost_way *way) {
  gv_cost_way o;
  double place[2];
  int64_t column, row;
  GV_TRY(cost_check_pointer(context, c));
  gv_cost_way_init(&o);
  GV_COPY_GIVEN(context, gv_cost_way, &o, way);
  if (!c->solved) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "travel cost: not solved yet");
  if (o.count != NULL) *o.count = 0;
  if (o.seed != NULL) *o.seed = -1;
  if (o.cost != NULL) *o.cost = (double)NAN;
  if (o.length != NULL) *o.length = (double)NAN;
  if (!gv_cost_cell_of(c, o.x, o.y, place, &column, &row)) return GV_OK;
  double cost;
  int32_t seed;
  gv_cost_read(c, column, row, 1, &(gv_cost_arrays){.cost = &cost, .seed = &seed});
  if (seed < 0) return GV_OK;
  if (o.seed != NULL) *o.seed = seed;
  if (o.cost != NULL) *o.cost = cost;
  return gv_cost_follow(context, c, column, row, &o);
}
