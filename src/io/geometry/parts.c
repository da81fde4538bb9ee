/* GEOS reports invalid geometries as errors: they are repaired and tried again. */
#include "io/geometry/parts.h"

#include <cpl_error.h>

/* Rings of polygons counterclockwise, of holes clockwise; GEOS has it the other way. */
static void parts_orient(OGRGeometryH polygon) {
  for (int i = 0; i < OGR_G_GetGeometryCount(polygon); i++) {
    OGRGeometryH ring = OGR_G_GetGeometryRef(polygon, i);
    int count = OGR_G_GetPointCount(ring);
    double twice = 0.0, x = OGR_G_GetX(ring, 0), y = OGR_G_GetY(ring, 0);
    for (int k = 0; k + 1 < count; k++)
      twice += (OGR_G_GetX(ring, k) - x) * (OGR_G_GetY(ring, k + 1) - y) -
               (OGR_G_GetX(ring, k + 1) - x) * (OGR_G_GetY(ring, k) - y);
    for (int k = 0; (twice < 0.0) == (i == 0) && k < count - 1 - k; k++) {
      double other[2] = {OGR_G_GetX(ring, count - 1 - k), OGR_G_GetY(ring, count - 1 - k)};
      OGR_G_SetPoint_2D(ring, count - 1 - k, OGR_G_GetX(ring, k), OGR_G_GetY(ring, k));
      OGR_G_SetPoint_2D(ring, k, other[0], other[1]);
    }
  }
}

static void parts_collect(OGRGeometryH from, bool polygons, OGRGeometryH to) {
  OGRwkbGeometryType type = wkbFlatten(OGR_G_GetGeometryType(from));
  if (type == (polygons ? wkbPolygon : wkbLineString)) {
    if (OGR_G_IsEmpty(from)) return;
    if (polygons) parts_orient(from);
    OGR_G_AddGeometry(to, from);
    return;
  }
  if (type != wkbMultiPolygon && type != wkbMultiLineString && type != wkbGeometryCollection) return;
  for (int i = 0; i < OGR_G_GetGeometryCount(from); i++)
    parts_collect(OGR_G_GetGeometryRef(from, i), polygons, to);
}

OGRGeometryH gv_parts_of(OGRGeometryH geometry, bool polygons) {
  OGRGeometryH all = OGR_G_CreateGeometry(polygons ? wkbMultiPolygon : wkbMultiLineString);
  if (all != NULL) parts_collect(geometry, polygons, all);
  OGR_G_DestroyGeometry(geometry);
  if (all == NULL || OGR_G_GetGeometryCount(all) > 0) return all;
  OGR_G_DestroyGeometry(all);
  return NULL;
}

bool gv_parts_repair(OGRGeometryH *geometry) {
  CPLPushErrorHandler(CPLQuietErrorHandler);
  bool valid = OGR_G_IsValid(*geometry) != 0;
  OGRGeometryH made = valid ? NULL : OGR_G_MakeValid(*geometry);
  CPLPopErrorHandler();
  if (made == NULL) return valid;
  OGR_G_DestroyGeometry(*geometry);
  *geometry = made;
  return true;
}

gv_status gv_parts_intersect(gv_io *io, OGRGeometryH a, OGRGeometryH b, bool polygons, OGRGeometryH *out) {
  *out = NULL;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  OGRGeometryH made = OGR_G_Intersection(a, b);
  if (made == NULL) {
    OGRGeometryH valid[2] = {OGR_G_MakeValid(a), OGR_G_MakeValid(b)};
    if (valid[0] != NULL && valid[1] != NULL) made = OGR_G_Intersection(valid[0], valid[1]);
    for (int i = 0; i < 2; i++)
      if (valid[i] != NULL) OGR_G_DestroyGeometry(valid[i]);
  }
  CPLPopErrorHandler();
  if (made == NULL) return gv_io_fail_gdal(io, GV_ERROR_INTERNAL, "cannot intersect polygons");
  *out = gv_parts_of(made, polygons);
  return GV_OK;
}

OGRGeometryH gv_parts_rectangle(const double e[4]) {
  OGRGeometryH ring = OGR_G_CreateGeometry(wkbLinearRing), polygon = OGR_G_CreateGeometry(wkbPolygon),
               all = OGR_G_CreateGeometry(wkbMultiPolygon);
  if (ring == NULL || polygon == NULL || all == NULL) return NULL;
  const double x[5] = {e[0], e[2], e[2], e[0], e[0]}, y[5] = {e[1], e[1], e[3], e[3], e[1]};
  OGR_G_SetPoints(ring, 5, x, sizeof(double), y, sizeof(double), NULL, 0);
  OGR_G_AddGeometryDirectly(polygon, ring);
  OGR_G_AddGeometryDirectly(all, polygon);
  return all;
}

void gv_parts_shift(OGRGeometryH geometry, double x) {
  for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++)
    gv_parts_shift(OGR_G_GetGeometryRef(geometry, i), x);
  if (OGR_G_GetGeometryCount(geometry) > 0) return;
  for (int i = 0; i < OGR_G_GetPointCount(geometry); i++)
    OGR_G_SetPoint_2D(geometry, i, OGR_G_GetX(geometry, i) + x, OGR_G_GetY(geometry, i));
}
