#include "io/geometry/geodesic_line.h"

#include <math.h>

#include <geodesic.h>

static const double step = 1e5;

/* A line being drawn. */
typedef struct drawing {
  gv_io *io;
  struct geod_geodesicline line;
  OGRGeometryH parts, part;
  double turned; /* degrees by which longitudes have gone round */
} drawing;

/* The place at this distance along the line, its longitude continuous beyond 180. */
static void place_at(const drawing *d, double along, double place[2]) {
  geod_genposition(&d->line, GEOD_LONG_UNROLL, along, &place[1], &place[0], NULL, NULL, NULL, NULL, NULL,
                   NULL);
}

static gv_status begin_part(drawing *d) {
  d->part = OGR_G_CreateGeometry(wkbLineString);
  if (d->part == NULL) return gv_io_fail_memory(d->io, "a geometry");
  OGR_G_AddGeometryDirectly(d->parts, d->part);
  return GV_OK;
}

/* Ends a part at ±180°, between two distances along the line, and begins one on the other side. */
static gv_status geodesic_line_cut(drawing *d, double before, double after, double side) {
  double place[2] = {0.0, 0.0};
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (before + after);
    place_at(d, middle, place);
    bool beyond = side > 0.0 ? place[0] - d->turned > 180.0 : place[0] - d->turned < -180.0;
    if (beyond) {
      after = middle;
    } else {
      before = middle;
    }
  }
  place_at(d, after, place);
  d->turned += copysign(360.0, side);
  bool begins_there = OGR_G_GetPointCount(d->part) == 1 && fabs(OGR_G_GetX(d->part, 0)) == 180.0;
  if (begins_there) {
    OGR_G_SetPoint_2D(d->part, 0, copysign(180.0, -side), OGR_G_GetY(d->part, 0));
    return GV_OK;
  }
  OGR_G_AddPoint_2D(d->part, copysign(180.0, side), place[1]);
  gv_status status = begin_part(d);
  if (status == GV_OK) OGR_G_AddPoint_2D(d->part, copysign(180.0, -side), place[1]);
  return status;
}

/* One line more, from the last position of the part, if that is `from`. */
static gv_status geodesic_line_add(drawing *d, const struct geod_geodesic *ellipsoid, const double from[2],
                                   const double to[2]) {
  const double start = remainder(from[0], 360.0);
  const int points = d->part != NULL ? OGR_G_GetPointCount(d->part) : 0;
  d->turned = 0.0;
  if (points == 0 || OGR_G_GetX(d->part, points - 1) != start || OGR_G_GetY(d->part, points - 1) != from[1]) {
    GV_TRY(begin_part(d));
    OGR_G_AddPoint_2D(d->part, start, from[1]);
  }
  geod_inverseline(&d->line, ellipsoid, from[1], start, to[1], remainder(to[0], 360.0), 0);
  int64_t pieces = (int64_t)ceil(d->line.s13 / step);
  if (pieces < 1) pieces = 1;
  for (int64_t i = 1; i <= pieces; i++) {
    double place[2], before = d->line.s13 * (double)(i - 1) / (double)pieces,
                     along = d->line.s13 * (double)i / (double)pieces;
    place_at(d, along, place);
    double side = place[0] - d->turned;
    if (fabs(side) > 180.0 + 1e-9) GV_TRY(geodesic_line_cut(d, before, along, side));
    double x = fmax(-180.0, fmin(180.0, place[0] - d->turned)), end = remainder(to[0], 360.0);
    if (i == pieces && fabs(x - end) < 1.0) x = end;
    OGR_G_AddPoint_2D(d->part, x, i < pieces ? place[1] : to[1]);
  }
  return GV_OK;
}

gv_status gv_geodesic_chain(gv_io *io, double semi_major, double flattening, const double *lon,
                            const double *lat, int64_t count, OGRGeometryH *out) {
  struct geod_geodesic ellipsoid;
  drawing d = {.io = io, .parts = OGR_G_CreateGeometry(wkbMultiLineString)};
  gv_status status = d.parts != NULL ? GV_OK : gv_io_fail_memory(io, "a geometry");
  geod_init(&ellipsoid, semi_major, flattening);
  for (int64_t i = 1; i < count && status == GV_OK; i++) {
    const double from[2] = {lon[i - 1], lat[i - 1]}, to[2] = {lon[i], lat[i]};
    status = geodesic_line_add(&d, &ellipsoid, from, to);
  }
  if (status != GV_OK && d.parts != NULL) OGR_G_DestroyGeometry(d.parts);
  *out = status == GV_OK ? d.parts : NULL;
  return status;
}

gv_status gv_geodesic_line(gv_io *io, double semi_major, double flattening, const double from[2],
                           const double to[2], OGRGeometryH *out) {
  const double lon[2] = {from[0], to[0]}, lat[2] = {from[1], to[1]};
  return gv_geodesic_chain(io, semi_major, flattening, lon, lat, 2, out);
}

void gv_geodesic_line_scale(OGRGeometryH lines, double unit) {
  for (int i = 0; i < OGR_G_GetGeometryCount(lines) && unit != 1.0; i++) {
    OGRGeometryH line = OGR_G_GetGeometryRef(lines, i);
    for (int p = 0; p < OGR_G_GetPointCount(line); p++)
      OGR_G_SetPoint_2D(line, p, OGR_G_GetX(line, p) / unit, OGR_G_GetY(line, p) / unit);
  }
}
