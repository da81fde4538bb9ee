/*
 * Each ring becomes a line of continuous longitudes, with as many points as its edges need. A ring that ends
 * a turn from its begin goes around a pole, and is closed along it; one that is turned inside out has both
 * poles inside. What is beyond 180 degrees is moved by turns.
 */
#include "io/geometry/region.h"

#include <cpl_error.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/geometry/map.h"
#include "io/geometry/parts.h"
#include "io/grow.h"

enum { REGION_DEPTH = 22 };

/* A vertex in its own coordinates and on the globe; at a pole any longitude is right. */
typedef struct region_point {
  double x, y, lon, lat;
  bool pole;
} region_point;

typedef struct region_ring {
  gv_io *io;
  const gv_region_way *way;
  double *x, *y;
  int64_t count, x_room, y_room;
  bool incomplete;
} region_ring;

static gv_status region_add(region_ring *r, double lon, double lat) {
  double *x = gv_grow(r->x, &r->x_room, r->count + 1, sizeof *x);
  if (x != NULL) r->x = x;
  double *y = gv_grow(r->y, &r->y_room, r->count + 1, sizeof *y);
  if (y != NULL) r->y = y;
  if (x == NULL || y == NULL) return gv_io_fail_memory(r->io, "the mask");
  r->x[r->count] = lon;
  r->y[r->count++] = lat;
  return GV_OK;
}

/* The point of a place, with a longitude within half a turn of `near`. */
static gv_status region_at(region_ring *r, double x, double y, double near, region_point *out) {
  const gv_region_way *w = r->way;
  *out = (region_point){.x = x, .y = y, .lon = x, .lat = y};
  if (w->unit > 0.0 && fabs(y) * w->unit > 90.0) out->lat = copysign(90.0 / w->unit, y);
  if (w->operation != NULL) {
    if (gv_operation_apply(&out->lon, &out->lat, 1, w->operation) != 0)
      return gv_io_fail_memory(r->io, "a coordinate operation");
  } else {
    out->lon *= w->unit, out->lat *= w->unit;
  }
  if (!(fabs(out->lon) < HUGE_VAL && fabs(out->lat) <= 90.0 + 1e-9)) {
    r->incomplete = true;
    return GV_OK;
  }
  out->lat = fmin(fmax(out->lat, -90.0), 90.0);
  out->pole = w->unit == 0.0 && fabs(out->lat) > 90.0 - 1e-9;
  if (out->pole) out->lat = copysign(90.0, out->lat);
  /* Longitudes and latitudes may differ by a meridian or a datum, and are continuous as they are written. */
  if (w->unit > 0.0) near = x * w->unit;
  if (w->operation != NULL) out->lon = near + remainder(out->lon - near, 360.0);
  return GV_OK;
}

/* Points after `a` up to `b`, which has a longitude next to that of a. */
static gv_status region_edge(region_ring *r, const region_point *a, region_point *b, int depth) {
  region_point at[3];
  bool straight = true;
  for (int i = 0; i < 3 && !r->incomplete; i++) {
    double t = 0.25 * (i + 1);
    GV_TRY(region_at(r, a->x + t * (b->x - a->x), a->y + t * (b->y - a->y), a->lon, &at[i]));
    if (at[i].pole) at[i].lon = a->lon;
  }
  if (r->incomplete) return GV_OK;
  region_point from = *a, to = *b;
  if (from.pole) from.lon = at[1].lon + remainder(to.lon - at[1].lon, 360.0);
  if (to.pole) to.lon = from.lon;
  if (r->way->unit == 0.0) to.lon = from.lon + remainder(to.lon - from.lon, 360.0);
  if (r->way->operation == NULL) {
    straight = true;
  } else {
    for (int i = 0; i < 3; i++) {
      if (r->way->unit == 0.0) at[i].lon = from.lon + remainder(at[i].lon - from.lon, 360.0);
      const double begin[2] = {from.lon, from.lat}, end[2] = {to.lon, to.lat},
                   place[2] = {at[i].lon, at[i].lat};
      straight = straight && gv_degrees_apart(begin, end, place, r->way->degree) <= r->way->tolerance;
    }
    straight = straight && (r->way->unit > 0.0 || fabs(to.lon - from.lon) <= 60.0);
  }
  if (!straight && depth < REGION_DEPTH) {
    GV_TRY(region_edge(r, a, &at[1], depth + 1));
    GV_TRY(region_edge(r, &at[1], b, depth + 1));
    return GV_OK;
  }
  double last = r->count > 0 ? r->x[r->count - 1] : from.lon;
  if (b->pole) {
    b->lon = last;
  } else if (r->way->unit == 0.0) {
    b->lon = last + remainder(b->lon - last, 360.0);
    if (a->pole) GV_TRY(region_add(r, b->lon, a->lat));
  }
  return region_add(r, b->lon, b->lat);
}

/* The line of a ring, counterclockwise as its system has it. */
static gv_status region_unroll(region_ring *r, OGRGeometryH ring) {
  int count = OGR_G_GetPointCount(ring), start = -1;
  double twice = 0.0, x0 = OGR_G_GetX(ring, 0), y0 = OGR_G_GetY(ring, 0);
  for (int i = 0; i + 1 < count; i++)
    twice += (OGR_G_GetX(ring, i) - x0) * (OGR_G_GetY(ring, i + 1) - y0) -
             (OGR_G_GetX(ring, i + 1) - x0) * (OGR_G_GetY(ring, i) - y0);
  region_point a, b;
  r->count = 0;
  for (int i = 0; i + 1 < count && start < 0 && !r->incomplete; i++) {
    GV_TRY(region_at(r, OGR_G_GetX(ring, i), OGR_G_GetY(ring, i), 0.0, &a));
    if (!a.pole) start = i;
  }
  if (r->incomplete || start < 0) return GV_OK;
  GV_TRY(region_add(r, a.lon, a.lat));
  for (int i = 1; i < count && !r->incomplete; i++) {
    int next = (start + (twice > 0.0 ? i : count - 1 - i)) % (count - 1);
    GV_TRY(region_at(r, OGR_G_GetX(ring, next), OGR_G_GetY(ring, next), a.lon, &b));
    if (!r->incomplete) GV_TRY(region_edge(r, &a, &b, 0));
    a = b;
  }
  return GV_OK;
}

/* The unrolled line as a polygon; *inverted: what is inside is outside of it. */
static gv_status region_close(region_ring *r, bool *inverted, OGRGeometryH *out) {
  double turn = r->x[r->count - 1] - r->x[0], twice = 0.0;
  *inverted = false;
  if (fabs(turn) > 180.0) {
    double pole = turn > 0.0 ? 90.0 : -90.0, end = r->x[0] + copysign(360.0, turn);
    r->x[r->count - 1] = end;
    GV_TRY(region_add(r, end, pole));
    GV_TRY(region_add(r, r->x[0], pole));
    GV_TRY(region_add(r, r->x[0], r->y[0]));
  } else {
    r->x[r->count - 1] = r->x[0];
    r->y[r->count - 1] = r->y[0];
    for (int64_t i = 0; i + 1 < r->count; i++)
      twice += (r->x[i] - r->x[0]) * (r->y[i + 1] - r->y[0]) - (r->x[i + 1] - r->x[0]) * (r->y[i] - r->y[0]);
    *inverted = twice < 0.0 && r->way->unit == 0.0;
  }
  OGRGeometryH ring = OGR_G_CreateGeometry(wkbLinearRing), polygon = OGR_G_CreateGeometry(wkbPolygon);
  if (ring == NULL || polygon == NULL || r->count > INT32_MAX) return gv_io_fail_memory(r->io, "the mask");
  OGR_G_SetPoints(ring, (int)r->count, r->x, sizeof(double), r->y, sizeof(double), NULL, 0);
  OGR_G_AddGeometryDirectly(polygon, ring);
  bool valid = gv_parts_repair(&polygon);
  *out = polygon;
  return valid ? GV_OK : gv_io_fail_gdal(r->io, GV_ERROR_INTERNAL, "cannot repair a polygon");
}

/* The parts of a polygon, moved by turns into [-180, 180]; frees it. */
static gv_status region_strips(gv_io *io, OGRGeometryH polygon, OGRGeometryH *out) {
  OGREnvelope e;
  OGR_G_GetEnvelope(polygon, &e);
  OGRGeometryH all = OGR_G_CreateGeometry(wkbMultiPolygon);
  gv_status status = all != NULL ? GV_OK : gv_io_fail_memory(io, "the mask");
  int low = (int)floor((e.MinX + 180.0) / 360.0), high = (int)floor((e.MaxX + 180.0) / 360.0);
  for (int turn = low; turn <= high && status == GV_OK; turn++) {
    const double strip[4] = {360.0 * turn - 180.0, -90.0, 360.0 * turn + 180.0, 90.0};
    OGRGeometryH box = gv_parts_rectangle(strip), part = NULL;
    status =
        box != NULL ? gv_parts_intersect(io, polygon, box, true, &part) : gv_io_fail_memory(io, "the mask");
    if (box != NULL) OGR_G_DestroyGeometry(box);
    if (part == NULL) continue;
    gv_parts_shift(part, -360.0 * turn);
    for (int i = 0; i < OGR_G_GetGeometryCount(part); i++)
      OGR_G_AddGeometry(all, OGR_G_GetGeometryRef(part, i));
    OGR_G_DestroyGeometry(part);
  }
  OGR_G_DestroyGeometry(polygon);
  if (status == GV_OK && OGR_G_GetGeometryCount(all) > 0) {
    OGRGeometryH united = OGR_G_UnionCascaded(all);
    if (united == NULL) status = gv_io_fail_gdal(io, GV_ERROR_INTERNAL, "cannot unite polygons");
    *out = united != NULL ? gv_parts_of(united, true) : NULL;
  }
  if (all != NULL) OGR_G_DestroyGeometry(all);
  return status;
}

/* What a ring surrounds on the globe. */
static gv_status region_of_ring(region_ring *r, OGRGeometryH ring, double center, OGRGeometryH *out) {
  static const double everything[4] = {-180.0, -90.0, 180.0, 90.0};
  OGRGeometryH polygon = NULL, inside = NULL;
  bool inverted;
  *out = NULL;
  GV_TRY(region_unroll(r, ring));
  if (r->incomplete || r->count < 4) return GV_OK;
  gv_status status = region_close(r, &inverted, &polygon);
  if (polygon == NULL) return status;
  if (center != 0.0) gv_parts_shift(polygon, -center);
  if (status == GV_OK) {
    status = region_strips(r->io, polygon, &inside);
  } else {
    OGR_G_DestroyGeometry(polygon);
  }
  *out = inside;
  if (status != GV_OK || !inverted || inside == NULL) return status;
  OGRGeometryH globe = gv_parts_rectangle(everything),
               rest = globe != NULL ? OGR_G_Difference(globe, inside) : NULL;
  if (globe != NULL) OGR_G_DestroyGeometry(globe);
  OGR_G_DestroyGeometry(inside);
  *out = rest != NULL ? gv_parts_of(rest, true) : NULL;
  return rest != NULL ? GV_OK : gv_io_fail_gdal(r->io, GV_ERROR_INTERNAL, "cannot subtract polygons");
}

/* Adds what a polygon covers on the globe to `all`. */
static gv_status region_of_polygon(region_ring *r, OGRGeometryH polygon, double center, OGRGeometryH all) {
  OGRGeometryH region = NULL;
  gv_status status = region_of_ring(r, OGR_G_GetGeometryRef(polygon, 0), center, &region);
  for (int i = 1; status == GV_OK && region != NULL && !r->incomplete && i < OGR_G_GetGeometryCount(polygon);
       i++) {
    OGRGeometryH hole = NULL;
    status = region_of_ring(r, OGR_G_GetGeometryRef(polygon, i), center, &hole);
    if (hole == NULL) continue;
    OGRGeometryH rest = OGR_G_Difference(region, hole);
    OGR_G_DestroyGeometry(hole);
    if (rest == NULL) {
      status = gv_io_fail_gdal(r->io, GV_ERROR_INTERNAL, "cannot subtract polygons");
      continue;
    }
    OGR_G_DestroyGeometry(region);
    region = gv_parts_of(rest, true);
  }
  for (int i = 0; region != NULL && i < OGR_G_GetGeometryCount(region); i++)
    OGR_G_AddGeometry(all, OGR_G_GetGeometryRef(region, i));
  if (region != NULL) OGR_G_DestroyGeometry(region);
  return status;
}

gv_status gv_region_make(gv_io *io, OGRGeometryH polygons, const gv_region_way *way, double center,
                         bool *complete, OGRGeometryH *out) {
  region_ring r = {.io = io, .way = way};
  gv_status status = GV_OK;
  *out = NULL;
  OGRGeometryH all = OGR_G_CreateGeometry(wkbMultiPolygon);
  if (all == NULL) return gv_io_fail_memory(io, "the mask");
  bool single = wkbFlatten(OGR_G_GetGeometryType(polygons)) == wkbPolygon;
  CPLPushErrorHandler(CPLQuietErrorHandler); /* GEOS reports what is invalid */
  for (int i = 0; status == GV_OK && !r.incomplete && i < (single ? 1 : OGR_G_GetGeometryCount(polygons));
       i++)
    status = region_of_polygon(&r, single ? polygons : OGR_G_GetGeometryRef(polygons, i), center, all);
  if (status == GV_OK && !r.incomplete && OGR_G_GetGeometryCount(all) > 0) {
    OGRGeometryH united = OGR_G_UnionCascaded(all);
    if (united == NULL) status = gv_io_fail_memory(io, "the mask");
    *out = united != NULL ? gv_parts_of(united, true) : NULL;
  }
  CPLPopErrorHandler();
  OGR_G_DestroyGeometry(all);
  free(r.x);
  free(r.y);
  if (complete != NULL) *complete = !r.incomplete;
  if (complete == NULL && r.incomplete && status == GV_OK)
    status =
        gv_io_fail(io, GV_ERROR_PROJECTION, "an edge has no longitude and latitude in its coordinate system");
  return status;
}
