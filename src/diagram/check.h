/*
 * A diagram as a whole: its polygons cover the map exactly once.
 *
 * Two cells share the points of their border, which they pass in opposite directions. So the windings of all
 * rings around a place add up to one number for all places of the map: the sum of the signed areas of all
 * rings, divided by the area of the map. If it is 1 and each ring is simple and counterclockwise, every place
 * that is not on a border lies in exactly one polygon. Orientations and crossings of segments are decided by
 * predicates.h.
 */
#ifndef GV_DIAGRAM_CHECK_H
#define GV_DIAGRAM_CHECK_H

#include "core/buffer.h"
#include "core/core.h"
#include "gpuvoronoi/diagram.h"

typedef struct gv_check {
  int64_t crossed; /* number of cells with a ring that is not simple or not counterclockwise */
  int64_t first;   /* the lowest of them; -1: none */
  double lon, lat; /* a place of its fault */
  double share;    /* the sum of the signed areas, in areas of the map */
} gv_check;

/* `rectangle`: plane: of the diagram; NULL: the globe, cut at 180 degrees. `wrong`: of each cell, whether one
 * of its rings is not simple or not counterclockwise; may be NULL. */
gv_status gv_check_whole(gv_context *context, const gv_diagram_parts *parts, const double rectangle[4],
                         bool *wrong, gv_check *out);

/* The ends of a segment of a ring that meets another one: longitudes and latitudes. */
typedef struct gv_check_crossing {
  double x[2], y[2];
} gv_check_crossing;

/* The segments of a cell of the globe that meet others, or that are of a ring that is clockwise; *count of
 * them. `found`: gv_check_crossing. */
gv_status gv_check_crossings(gv_context *context, const gv_diagram_parts *parts, int64_t seed,
                             gv_buffer *found, int64_t *count);

static inline bool gv_check_passed(const gv_check *check) {
  return check->first < 0 && check->share > 1.0 - 1e-9 && check->share < 1.0 + 1e-9;
}

#endif
