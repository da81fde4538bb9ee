/* Segments are halved as long as a place of the line on the map is off the line on the ground, at a quarter,
 * the middle or three quarters. */
#include "io/geometry/projected.h"

#include <cpl_error.h>
#include <math.h>
#include <stdlib.h>

#include "io/geometry/parts.h"
#include "io/grow.h"

enum { PROJECTED_DEPTH = 16 };

typedef struct projected_point {
  double from[2], to[2];
} projected_point;

typedef struct projector {
  gv_io *io;
  const gv_map *map;
  double tolerance;
  bool polygons;
  double *x, *y; /* of the line so far */
  int64_t count, x_room, y_room;
} projector;

static gv_status projected_at(const projector *p, double x, double y, projected_point *out) {
  *out = (projected_point){{x, y}, {x, y}};
  GV_TRY(gv_map_apply(p->io, p->map, &out->to[0], &out->to[1], 1));
  if (fabs(out->to[0]) < HUGE_VAL && fabs(out->to[1]) < HUGE_VAL) return GV_OK;
  return gv_io_fail(p->io, GV_ERROR_PROJECTION,
                    "longitude %.6g, latitude %.6g is outside the system of --crs; omit --crs, or use a "
                    "system for this area",
                    remainder(x + p->map->center, 360.0), y);
}

/* A point of the line; without an edge of the map there, a line that leads back where it came from is
 * dropped. */
static gv_status projected_add(projector *p, const double at[2]) {
  int64_t n = p->count;
  if (n > 0 && p->x[n - 1] == at[0] && p->y[n - 1] == at[1]) return GV_OK;
  if (p->polygons && !p->map->cut && n > 1 && p->x[n - 2] == at[0] && p->y[n - 2] == at[1]) {
    p->count--;
    return GV_OK;
  }
  double *x = gv_grow(p->x, &p->x_room, n + 1, sizeof *x);
  if (x != NULL) p->x = x;
  double *y = gv_grow(p->y, &p->y_room, n + 1, sizeof *y);
  if (y != NULL) p->y = y;
  if (x == NULL || y == NULL) return gv_io_fail_memory(p->io, "a geometry");
  p->x[n] = at[0];
  p->y[n] = at[1];
  p->count++;
  return GV_OK;
}

/* Whether the line on the map is near the line on the ground. */
static gv_status projected_is_straight(const projector *p, const projected_point *a, const projected_point *b,
                                       bool *straight) {
  bool backwards = b->from[0] < a->from[0] || (b->from[0] == a->from[0] && b->from[1] < a->from[1]);
  const projected_point *first = backwards ? b : a, *last = backwards ? a : b;
  *straight = true;
  for (int i = 1; i <= 3 && *straight; i++) {
    double t = 0.25 * i, place[2];
    for (int d = 0; d < 2; d++)
      place[d] = first->to[d] + t * (last->to[d] - first->to[d]);
    if (gv_operation_apply(&place[0], &place[1], 1, p->map->inverse) != 0)
      return gv_io_fail_memory(p->io, "a coordinate operation");
    if (!isfinite(place[0]) || !isfinite(place[1])) {
      *straight = false;
      break;
    }
    double lon = place[0] - p->map->center, middle = first->from[0] + t * (last->from[0] - first->from[0]);
    place[0] = middle + remainder(lon - middle, 360.0);
    *straight = gv_degrees_apart(first->from, last->from, place, p->map->degree) <= p->tolerance;
  }
  return GV_OK;
}

/* Points between two of them. */
static gv_status projected_between(projector *p, const projected_point *a, const projected_point *b,
                                   int depth) {
  projected_point middle;
  bool straight;
  if (depth == PROJECTED_DEPTH || p->map->lonlat) return GV_OK;
  if (a->to[0] == b->to[0] && a->to[1] == b->to[1] && fabs(a->from[1]) == 90.0) return GV_OK; /* a pole */
  GV_TRY(projected_is_straight(p, a, b, &straight));
  if (straight) return GV_OK;
  GV_TRY(projected_at(p, 0.5 * (a->from[0] + b->from[0]), 0.5 * (a->from[1] + b->from[1]), &middle));
  GV_TRY(projected_between(p, a, &middle, depth + 1));
  GV_TRY(projected_add(p, middle.to));
  return projected_between(p, &middle, b, depth + 1);
}

/* The ends of a ring too may lead back where it came from. */
static void projected_close(projector *p, int64_t *first) {
  *first = 0;
  while (p->count - *first > 3 && !p->map->cut && p->x[*first + 1] == p->x[p->count - 2] &&
         p->y[*first + 1] == p->y[p->count - 2]) {
    ++*first;
    p->count--;
  }
}

/* Adds the image of a line or ring to `to`. */
static gv_status projected_line(projector *p, OGRGeometryH line, OGRGeometryH to) {
  projected_point last = {{0}, {0}}, now;
  int64_t first = 0;
  p->count = 0;
  for (int i = 0; i < OGR_G_GetPointCount(line); i++) {
    GV_TRY(projected_at(p, OGR_G_GetX(line, i), OGR_G_GetY(line, i), &now));
    if (i > 0) GV_TRY(projected_between(p, &last, &now, 0));
    GV_TRY(projected_add(p, now.to));
    last = now;
  }
  if (p->polygons) projected_close(p, &first);
  if (p->count - first < (p->polygons ? 4 : 2)) return GV_OK;
  OGRGeometryH drawn = OGR_G_CreateGeometry(p->polygons ? wkbLinearRing : wkbLineString);
  if (drawn == NULL || p->count - first > INT32_MAX) {
    if (drawn != NULL) OGR_G_DestroyGeometry(drawn);
    return gv_io_fail_memory(p->io, "a geometry");
  }
  OGR_G_SetPoints(drawn, (int)(p->count - first), p->x + first, sizeof(double), p->y + first, sizeof(double),
                  NULL, 0);
  OGR_G_AddGeometryDirectly(to, drawn);
  return GV_OK;
}

static gv_status projected_parts(projector *p, OGRGeometryH geometry, OGRGeometryH all) {
  for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++) {
    OGRGeometryH part = OGR_G_GetGeometryRef(geometry, i);
    if (!p->polygons) {
      GV_TRY(projected_line(p, part, all));
      continue;
    }
    OGRGeometryH polygon = OGR_G_CreateGeometry(wkbPolygon);
    if (polygon == NULL) return gv_io_fail_memory(p->io, "a geometry");
    gv_status status = GV_OK;
    for (int k = 0; status == GV_OK && k < OGR_G_GetGeometryCount(part); k++) {
      status = projected_line(p, OGR_G_GetGeometryRef(part, k), polygon);
      if (k == 0 && OGR_G_GetGeometryCount(polygon) == 0) break; /* no area */
    }
    if (status == GV_OK && OGR_G_GetGeometryCount(polygon) > 0) {
      OGR_G_AddGeometryDirectly(all, polygon);
    } else {
      OGR_G_DestroyGeometry(polygon);
    }
    GV_TRY(status);
  }
  return GV_OK;
}

/* Valid, and in one part where the map is not cut; frees `drawn`. */
static gv_status projected_unite(const projector *p, OGRGeometryH drawn, OGRGeometryH *out) {
  CPLPushErrorHandler(CPLQuietErrorHandler); /* GEOS reports what is invalid */
  bool several = !p->map->cut && OGR_G_GetGeometryCount(drawn) > 1;
  OGRGeometryH made = several ? OGR_G_UnionCascaded(drawn) : NULL;
  bool valid = made != NULL || gv_parts_repair(&drawn);
  if (made == NULL && valid && several) made = OGR_G_UnionCascaded(drawn);
  CPLPopErrorHandler();
  if (made == NULL && valid) {
    made = drawn;
  } else {
    OGR_G_DestroyGeometry(drawn);
  }
  if (made == NULL) return gv_io_fail_gdal(p->io, GV_ERROR_INTERNAL, "cannot repair a polygon");
  *out = gv_parts_of(made, true);
  return GV_OK;
}

gv_status gv_map_draw(gv_io *io, const gv_map *map, double tolerance, bool polygons, OGRGeometryH geometry,
                      OGRGeometryH *out) {
  projector p = {.io = io, .map = map, .tolerance = fmax(tolerance, 1e-7), .polygons = polygons};
  *out = NULL;
  OGRGeometryH all = OGR_G_CreateGeometry(polygons ? wkbMultiPolygon : wkbMultiLineString);
  if (all == NULL) return gv_io_fail_memory(io, "a geometry");
  gv_status status = projected_parts(&p, geometry, all);
  free(p.x);
  free(p.y);
  if (status != GV_OK || OGR_G_GetGeometryCount(all) == 0) {
    OGR_G_DestroyGeometry(all);
    return status;
  }
  if (polygons) return projected_unite(&p, all, out);
  *out = all;
  return GV_OK;
}
