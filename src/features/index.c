/* Tree and strips of a set of features. */
#include "features/index.h"

#include "cells/kind.h"
#include "core/angles.h"
#include "features/device_edges.h"
#include "features/shortlist.h"

gv_status gv_feature_lookup_init(gv_context *context, const gv_feature_set *set, const gv_geodesic *geodesic,
                                 gv_feature_lookup *out) {
  *out = (gv_feature_lookup){0};
  gv_status status = gv_feature_tree_init(context, set, geodesic, &out->tree);
  if (status == GV_OK) status = gv_locator_init(context, set, &out->locator);
  if (status != GV_OK) gv_feature_lookup_clear(out);
  return status;
}

void gv_feature_lookup_clear(gv_feature_lookup *lookup) {
  gv_allocator allocator = lookup->tree.allocator;
  if (lookup->device != NULL) {
    gv_device_edges_clear(lookup->device);
    gv_release(&allocator, lookup->device);
    lookup->device = NULL;
  }
  gv_feature_tree_clear(&lookup->tree);
  gv_locator_clear(&lookup->locator);
}

gv_status gv_feature_lookup_use_device(gv_context *context, gv_feature_lookup *lookup, bool automatic) {
  const gv_edges_device *device;
  const void *edges;
  if (!gv_device_edges_supported(&lookup->tree)) return GV_OK;
  lookup->device = gv_allocate(&context->allocator, 1, sizeof *lookup->device);
  if (lookup->device == NULL) return gv_fail_memory(context, "the edges for the device");
  gv_device_edges_init(lookup->device, context, &lookup->tree, automatic);
  return automatic ? GV_OK : gv_device_edges_find(context, lookup->device, &device, &edges);
}

gv_status gv_feature_lookup_device(gv_context *context, const gv_feature_lookup *lookup,
                                   const gv_edges_device **device, const void **edges) {
  *device = NULL;
  *edges = NULL;
  return lookup->device != NULL ? gv_device_edges_find(context, lookup->device, device, edges) : GV_OK;
}

int32_t gv_feature_lookup_locate(const gv_feature_lookup *lookup, const gv_edge_place *q, double low,
                                 gv_located *last) {
  gv_ball ball = {.radius = 0.0};
  for (int axis = 0; axis < 3; axis++) {
    double away = q->vector[axis] - last->vector[axis];
    ball.center[axis] = last->vector[axis];
    ball.radius += away * away;
  }
  ball.radius = sqrt(ball.radius) * (1.0 + 1e-12);
  if (gv_ball_is_clear(&lookup->tree, &ball, last->low)) return last->feature;
  *last = (gv_located){{q->vector[0], q->vector[1], q->vector[2]}, low, gv_locate_first(&lookup->locator, q)};
  return last->feature;
}

/* Cells of a row follow each other by at most `step`, in the tree's coordinates; margins are those of
 * gv_ball_is_clear. */
void gv_located_row_begin(gv_located_row *row, const gv_cells *cells, int64_t number) {
  const bool globe = gv_cells_turn_by_column(cells);
  const double across = fabs(cells->grid.geotransform[1]), longest = 0.39;
  row->end = 0;
  row->per_chord = row->most = 0.0;
  row->margin = 4.0 * cells->position_error + (globe ? 1e-9 : 0.0);
  if (!gv_cells_have_tables(cells)) return;
  const double step = (globe ? cells->row_p[number] * across * GV_DEGREE : across) * (1.0 + 1e-9);
  if (!(step > 0.0)) return;
  row->per_chord = (1.0 - 2e-9) / step;
  row->most = fmin((double)INT32_MAX, globe ? longest / step : INFINITY);
}
