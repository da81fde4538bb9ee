/*
 * Green's theorem: the area of a ring is that between its lines and a parallel, added up with the sign of
 * their direction (cells/area.h). A ring around a pole is measured from that pole on.
 */
#include "io/geometry/clipped_area.h"

#include <math.h>
#include <stdlib.h>

#include "cells/area.h"

/* Twice the area in the coordinates of the layer: its sign is the ring's direction. */
static double clipped_direction(int count, const double *x, const double *y) {
  double twice = 0.0;
  for (int i = 0; i + 1 < count; i++)
    twice += (x[i] - x[0]) * (y[i + 1] - y[0]) - (x[i + 1] - x[0]) * (y[i] - y[0]);
  return twice;
}

/* x and y become longitudes and latitudes. */
static gv_status clipped_ring(gv_io *io, const gv_ellipsoid *ellipsoid, gv_operation *inverse, int count,
                              double *x, double *y, double *area) {
  double turn = 0.0, sum = 0.0, direction = clipped_direction(count, x, y);
  if (inverse != NULL && gv_operation_apply(x, y, count, inverse) != 0)
    return gv_io_fail_memory(io, "a coordinate operation");
  for (int i = 0; i + 1 < count; i++) {
    if (!(fabs(x[i]) < HUGE_VAL && fabs(y[i]) <= 90.0 + 1e-9))
      return gv_io_fail(
          io, GV_ERROR_PROJECTION,
          "area of a cell: its border leaves the system of --crs; use a smaller --extent or --mask");
    y[i] = fmin(fmax(y[i], -90.0), 90.0);
    turn += inverse != NULL ? remainder(x[i + 1] - x[i], 360.0) : 0.0;
  }
  double parallel = fabs(turn) < 180.0 ? y[0] : (turn > 0.0) == (direction > 0.0) ? 90.0 : -90.0;
  for (int i = 0; i + 1 < count; i++) {
    const double ends[2] = {y[i], i + 2 < count ? y[i + 1] : y[0]};
    double way = inverse != NULL ? remainder(x[i + 1] - x[i], 360.0) : x[i + 1] - x[i];
    sum -= gv_area_below_line(ellipsoid, parallel, ends, way);
  }
  *area = fabs(sum);
  return GV_OK;
}

static gv_status clipped_polygon(gv_io *io, const gv_ellipsoid *ellipsoid, gv_operation *inverse,
                                 OGRGeometryH polygon, double *area) {
  for (int i = 0; i < OGR_G_GetGeometryCount(polygon); i++) {
    OGRGeometryH ring = OGR_G_GetGeometryRef(polygon, i);
    int count = OGR_G_GetPointCount(ring);
    if (count < 4) continue;
    double *x = malloc(2 * (size_t)count * sizeof *x), own = 0.0;
    if (x == NULL) return gv_io_fail_memory(io, "the area of a cell");
    OGR_G_GetPoints(ring, x, sizeof *x, x + count, sizeof *x, NULL, 0);
    gv_status status = clipped_ring(io, ellipsoid, inverse, count, x, x + count, &own);
    free(x);
    GV_TRY(status);
    *area += i == 0 ? own : -own; /* holes */
  }
  return GV_OK;
}

gv_status gv_clipped_area(gv_io *io, const gv_ellipsoid *ellipsoid, gv_operation *inverse, double longest,
                          OGRGeometryH geometry, double *area) {
  *area = 0.0;
  if (inverse != NULL) OGR_G_Segmentize(geometry, longest);
  if (wkbFlatten(OGR_G_GetGeometryType(geometry)) == wkbPolygon)
    return clipped_polygon(io, ellipsoid, inverse, geometry, area);
  for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++)
    GV_TRY(clipped_polygon(io, ellipsoid, inverse, OGR_G_GetGeometryRef(geometry, i), area));
  return GV_OK;
}
