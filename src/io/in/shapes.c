/* From OGR's geometries to offsets. */
#include "io/in/shapes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/angles.h"
#include "io/grow.h"

void gv_shapes_free(gv_shapes *s) {
  if (s == NULL) return;
  free(s->part);
  free(s->ring);
  free(s->vertex);
  free(s->kind);
  free(s->x);
  free(s->y);
  free(s->cut);
  free(s);
}

static gv_status shapes_no_memory(gv_io *io) {
  return gv_io_fail_memory(io, "the seeds");
}

static gv_status grow_offsets(gv_io *io, int64_t **offsets, int64_t *room, int64_t count) {
  int64_t *grown = gv_grow(*offsets, room, count, sizeof **offsets);
  if (grown == NULL) return shapes_no_memory(io);
  *offsets = grown;
  return GV_OK;
}

static gv_status grow_reals(gv_io *io, double **reals, int64_t *room, int64_t count) {
  double *grown = gv_grow(*reals, room, count, sizeof **reals);
  if (grown == NULL) return shapes_no_memory(io);
  *reals = grown;
  return GV_OK;
}

static gv_status begin_offsets(gv_io *io, gv_shapes *s) {
  GV_TRY(grow_offsets(io, &s->part, &s->room_features, 2));
  GV_TRY(grow_offsets(io, &s->ring, &s->room_parts, 2));
  GV_TRY(grow_offsets(io, &s->vertex, &s->room_rings, 2));
  s->part[0] = s->ring[0] = s->vertex[0] = 0;
  return GV_OK;
}

gv_status gv_shapes_make(gv_io *io, gv_shapes **out) {
  gv_shapes *s = *out = calloc(1, sizeof *s);
  gv_status status = s != NULL ? begin_offsets(io, s) : shapes_no_memory(io);
  if (status == GV_OK) return GV_OK;
  gv_shapes_free(s);
  *out = NULL;
  return status;
}

void gv_shapes_drop_last(gv_shapes *s) {
  s->features--;
  s->parts = s->part[s->features];
  s->rings = s->ring[s->parts];
  s->vertices = s->vertex[s->rings];
}

/* ------------------------------------------------------------------------------------------------- adding */

static gv_status add_vertex(gv_io *io, gv_shapes *s, double x, double y) {
  GV_TRY(grow_reals(io, &s->x, &s->room_x, s->vertices + 1));
  GV_TRY(grow_reals(io, &s->y, &s->room_y, s->vertices + 1));
  uint8_t *cut = gv_grow(s->cut, &s->room_cut, s->vertices + 1, sizeof *cut);
  if (cut == NULL) return shapes_no_memory(io);
  s->cut = cut;
  s->cut[s->vertices] = 0;
  s->x[s->vertices] = x;
  s->y[s->vertices++] = y;
  return GV_OK;
}

static gv_status end_ring(gv_io *io, gv_shapes *s) {
  GV_TRY(grow_offsets(io, &s->vertex, &s->room_rings, s->rings + 2));
  s->vertex[++s->rings] = s->vertices;
  return GV_OK;
}

static gv_status end_part(gv_io *io, gv_shapes *s, gv_part_kind kind) {
  uint8_t *kinds = gv_grow(s->kind, &s->room_kinds, s->parts + 1, sizeof *s->kind);
  if (kinds == NULL) return shapes_no_memory(io);
  s->kind = kinds;
  GV_TRY(grow_offsets(io, &s->ring, &s->room_parts, s->parts + 2));
  s->kind[s->parts] = (uint8_t)kind;
  s->ring[++s->parts] = s->rings;
  return GV_OK;
}

static gv_status end_feature(gv_io *io, gv_shapes *s) {
  GV_TRY(grow_offsets(io, &s->part, &s->room_features, s->features + 2));
  s->part[++s->features] = s->parts;
  return GV_OK;
}

/* Removes the data of a feature that could not be added. */
static void shapes_remove_last(gv_shapes *s) {
  s->parts = s->part[s->features];
  s->rings = s->ring[s->parts];
  s->vertices = s->vertex[s->rings];
}

typedef struct shapes_adding {
  gv_io *io;
  gv_shapes *s;
  bool swapped, finite;
} shapes_adding;

/* The points of a line or ring; rings are closed. */
static gv_status add_points(shapes_adding *a, OGRGeometryH line, bool ring) {
  int count = OGR_G_GetPointCount(line);
  int64_t first = a->s->vertices;
  gv_status status = GV_OK;
  for (int i = 0; i < count && status == GV_OK; i++) {
    double x = OGR_G_GetX(line, i), y = OGR_G_GetY(line, i);
    if (!isfinite(x) || !isfinite(y)) a->finite = false;
    status = add_vertex(a->io, a->s, a->swapped ? y : x, a->swapped ? x : y);
  }
  if (status != GV_OK) return status;
  int64_t last = a->s->vertices - 1;
  bool open = ring && a->finite && (a->s->x[first] != a->s->x[last] || a->s->y[first] != a->s->y[last]);
  if (open) status = add_vertex(a->io, a->s, a->s->x[first], a->s->y[first]);
  return status == GV_OK ? end_ring(a->io, a->s) : status;
}

static gv_status add_polygon(shapes_adding *a, OGRGeometryH polygon) {
  int64_t before = a->s->rings;
  gv_status status = GV_OK;
  for (int i = 0; i < OGR_G_GetGeometryCount(polygon) && status == GV_OK; i++) {
    OGRGeometryH ring = OGR_G_GetGeometryRef(polygon, i);
    if (!OGR_G_IsEmpty(ring)) status = add_points(a, ring, true);
  }
  if (status != GV_OK || a->s->rings == before) return status;
  return end_part(a->io, a->s, GV_PART_POLYGON);
}

/* Parts that are empty are left out. */
static gv_status add_parts(shapes_adding *a, OGRGeometryH geometry) {
  OGRwkbGeometryType type = wkbFlatten(OGR_G_GetGeometryType(geometry));
  if (OGR_G_IsEmpty(geometry)) return GV_OK;
  switch (type) {
  case wkbPoint:
  case wkbLineString:
  case wkbLinearRing:
    GV_TRY(add_points(a, geometry, false));
    return end_part(a->io, a->s, type == wkbPoint ? GV_PART_POINTS : GV_PART_LINE);
  case wkbPolygon:
  case wkbTriangle:
    return add_polygon(a, geometry);
  default:
    for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++)
      GV_TRY(add_parts(a, OGR_G_GetGeometryRef(geometry, i)));
    return GV_OK;
  }
}

/* Makes the longitudes of rings continuous beyond 180 degrees, for edges that go the shorter way. False if a
 * ring goes around a pole. */
static bool unwrap(OGRGeometryH geometry, bool swapped) {
  int parts = OGR_G_GetGeometryCount(geometry), points = parts == 0 ? OGR_G_GetPointCount(geometry) : 0;
  bool closed = true;
  for (int i = 0; i < parts; i++)
    closed = unwrap(OGR_G_GetGeometryRef(geometry, i), swapped) && closed;
  double first = 0.0, before = 0.0;
  for (int i = 0; i < points; i++) {
    double p[2] = {OGR_G_GetX(geometry, i), OGR_G_GetY(geometry, i)};
    double *longitude = &p[swapped];
    if (i > 0) *longitude = before + remainder(*longitude - before, 360.0);
    if (i == 0) first = *longitude;
    before = *longitude;
    OGR_G_SetPoint_2D(geometry, i, p[0], p[1]);
  }
  return closed && fabs(before - first) < 180.0;
}

#define MOST_PAIRS 1e6

/* The sum of the areas of the rings' boxes, and their number. */
static void measure_rings(OGRGeometryH geometry, double *area, double *rings) {
  int parts = OGR_G_GetGeometryCount(geometry);
  for (int i = 0; i < parts; i++)
    measure_rings(OGR_G_GetGeometryRef(geometry, i), area, rings);
  if (parts > 0 || OGR_G_IsEmpty(geometry)) return;
  OGREnvelope box;
  OGR_G_GetEnvelope(geometry, &box);
  *area += (box.MaxX - box.MinX) * (box.MaxY - box.MinY);
  *rings += 1.0;
}

/* GEOS compares all rings with overlapping boxes, and cannot be interrupted: whether these are about
 * MOST_PAIRS at most (a second). */
static bool can_be_checked(OGRGeometryH geometry) {
  double area = 0.0, rings = 0.0;
  OGREnvelope all;
  measure_rings(geometry, &area, &rings);
  OGR_G_GetEnvelope(geometry, &all);
  return !(rings * area > MOST_PAIRS * (all.MaxX - all.MinX) * (all.MaxY - all.MinY));
}

/* Validity of geodesic edges as far as a plane shows it: crossings at 180 degrees are ignored, and rings
 * around a pole are not checked. */
static bool is_valid(OGRGeometryH geometry, gv_edges edges, bool swapped) {
  if (OGR_G_GetDimension(geometry) < 2 || !can_be_checked(geometry)) return true;
  OGRGeometryH copy = edges == GV_EDGES_GEODESIC ? OGR_G_Clone(geometry) : NULL;
  CPLPushErrorHandler(CPLQuietErrorHandler);
  bool valid = (copy != NULL && !unwrap(copy, swapped)) || OGR_G_IsValid(copy != NULL ? copy : geometry) != 0;
  CPLPopErrorHandler();
  if (copy != NULL) OGR_G_DestroyGeometry(copy);
  return valid;
}

gv_status gv_shapes_add(gv_io *io, gv_shapes *s, OGRGeometryH geometry, bool swapped, bool *finite) {
  OGRGeometryH linear = NULL;
  if (OGR_G_HasCurveGeometry(geometry, TRUE)) {
    gv_gdal_reset();
    linear = OGR_G_GetLinearGeometry(geometry, 0.0, NULL);
    if (linear == NULL)
      return gv_io_fail_gdal(io, GV_ERROR_INVALID_ARGUMENT, "seeds: cannot convert curves to lines");
  }
  shapes_adding a = {io, s, swapped, true};
  gv_status status = add_parts(&a, linear != NULL ? linear : geometry);
  bool valid = status == GV_OK && a.finite && is_valid(linear != NULL ? linear : geometry, s->edges, swapped);
  if (linear != NULL) OGR_G_DestroyGeometry(linear);
  *finite = a.finite;
  if (status == GV_OK && a.finite) status = end_feature(io, s);
  if (status != GV_OK || !a.finite) {
    shapes_remove_last(s);
    return status;
  }
  s->curved += linear != NULL;
  s->crossing += !valid;
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------- carrying */

enum { TESTS = 3, DEEPEST = 30, MOST_PLACES = 1 << 18 };

/* A place of an edge, as written and transformed; also as a position on the ellipsoid. */
typedef struct carried {
  double x, y, at[3];
} carried;

typedef struct follower {
  gv_io *io;
  const gv_shape_transform *how;
  gv_shapes *to;
  const double *a, *b; /* the edge's ends as written, in one order */
  bool reversed;       /* places are to be added from b to a */
  bool torn;
  gv_status status;
  carried *list; /* MOST_PLACES */
} follower;

static gv_status transform_place(gv_io *io, const gv_shape_transform *how, double x, double y, carried *out) {
  if (gv_operation_apply(&x, &y, 1, how->operation) != 0) return shapes_no_memory(io);
  const double radian = GV_DEGREE;
  if (how->globe && fabs(y) > 90.0 && fabs(y) < 90.0 + 1e-9) y = copysign(90.0, y);
  *out = (carried){x, y, {x, y, 0.0}};
  if (how->globe) {
    double f = how->flattening, e2 = f * (2.0 - f), sine = sin(y * radian), cosine = cos(y * radian);
    double n = how->semi_major / sqrt(1.0 - e2 * sine * sine);
    out->at[0] = n * cosine * cos(x * radian);
    out->at[1] = n * cosine * sin(x * radian);
    out->at[2] = n * (1.0 - e2) * sine;
  }
  return GV_OK;
}

static bool is_usable(const gv_shape_transform *how, const carried *c) {
  return isfinite(c->x) && isfinite(c->y) && (!how->globe || fabs(c->y) <= 90.0);
}

static double shapes_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The distance of a place from the line between two others: on the globe from the plane through them and the
 * ellipsoid's normal, which a geodesic of some kilometers does not leave. */
static double aside(const gv_shape_transform *how, const carried *p, const carried *q, const carried *m) {
  double d[3], w[3], normal[3] = {0.0, 0.0, 1.0};
  for (int i = 0; i < 3; i++) {
    d[i] = q->at[i] - p->at[i];
    w[i] = m->at[i] - p->at[i];
    if (how->globe) normal[i] = 0.5 * (p->at[i] + q->at[i]);
  }
  if (how->globe) normal[2] /= (1.0 - how->flattening) * (1.0 - how->flattening);
  double across[3] = {d[1] * normal[2] - d[2] * normal[1], d[2] * normal[0] - d[0] * normal[2],
                      d[0] * normal[1] - d[1] * normal[0]};
  double size = sqrt(shapes_dot(across, across));
  return size > 0.0 ? fabs(shapes_dot(w, across)) / size : sqrt(shapes_dot(w, w));
}

/* Places between p (part u0) and q (u1) of the edge, in ascending parts. */
static void follow(follower *f, double u0, const carried *p, double u1, const carried *q, int depth,
                   int64_t *count) {
  static const double part[TESTS] = {0.5, 0.25, 0.75};
  double far = 0.0, length = 0.0;
  carried tests[TESTS];
  for (int i = 0; i < TESTS; i++) {
    double u = u0 + part[i] * (u1 - u0);
    double x = f->a[0] + u * (f->b[0] - f->a[0]), y = f->a[1] + u * (f->b[1] - f->a[1]);
    f->status = transform_place(f->io, f->how, x, y, &tests[i]);
    f->torn |= f->status == GV_OK && !is_usable(f->how, &tests[i]);
    if (f->status != GV_OK || f->torn) return;
    far = fmax(far, aside(f->how, p, q, &tests[i]));
  }
  double d[3] = {q->at[0] - p->at[0], q->at[1] - p->at[1], q->at[2] - p->at[2]};
  length = sqrt(shapes_dot(d, d));
  bool close = far <= f->how->tolerance && (!f->how->globe || length <= 1e-2 * f->how->semi_major);
  /* The middle lies between the ends: else the projection is torn in between. */
  double w[3] = {tests[0].at[0] - p->at[0], tests[0].at[1] - p->at[1], tests[0].at[2] - p->at[2]};
  double along = length > 0.0 ? shapes_dot(w, d) / (length * length) : 0.5;
  if (close && along > 0.1 && along < 0.9) return;
  if (length <= f->how->tolerance) return;
  if (depth == DEEPEST || *count == MOST_PLACES) {
    f->torn = true;
    return;
  }
  double middle = 0.5 * (u0 + u1);
  follow(f, u0, p, middle, &tests[0], depth + 1, count);
  if (*count < MOST_PLACES) f->list[(*count)++] = tests[0];
  follow(f, middle, &tests[0], u1, q, depth + 1, count);
}

static gv_status shapes_add_edge(follower *f, const carried *from, const carried *to) {
  int64_t count = 0;
  const carried *p = f->reversed ? to : from, *q = f->reversed ? from : to;
  follow(f, 0.0, p, 1.0, q, 0, &count);
  for (int64_t i = 0; i < count && f->status == GV_OK && !f->torn; i++) {
    const carried *at = &f->list[f->reversed ? count - 1 - i : i];
    f->status = add_vertex(f->io, f->to, at->x, at->y);
  }
  return f->status;
}

static gv_status transform_ring(follower *f, const gv_shapes *from, int64_t ring, bool edges,
                                const char **why) {
  carried last = {0}, next;
  for (int64_t v = from->vertex[ring]; v < from->vertex[ring + 1]; v++) {
    double a[2] = {from->x[v > 0 ? v - 1 : 0], from->y[v > 0 ? v - 1 : 0]}, b[2] = {from->x[v], from->y[v]};
    GV_TRY(transform_place(f->io, f->how, b[0], b[1], &next));
    if (!is_usable(f->how, &next)) {
      *why = "a vertex cannot be transformed to the grid's coordinate system";
      return GV_OK;
    }
    if (v > from->vertex[ring] && edges && from->edges == GV_EDGES_STRAIGHT) {
      f->reversed = b[1] < a[1] || (b[1] == a[1] && b[0] < a[0]);
      f->a = f->reversed ? b : a;
      f->b = f->reversed ? a : b;
      int64_t begin = f->to->vertices - 1;
      GV_TRY(shapes_add_edge(f, &last, &next));
      if (from->cut[v - 1] != 0) memset(f->to->cut + begin, 1, (size_t)(f->to->vertices - begin));
      if (f->torn) {
        *why = "an edge is split by the grid's coordinate system";
        return GV_OK;
      }
    }
    GV_TRY(add_vertex(f->io, f->to, next.x, next.y));
    last = next;
  }
  return end_ring(f->io, f->to);
}

static gv_status copy_ring(gv_io *io, const gv_shapes *from, int64_t r, gv_shapes *to) {
  for (int64_t v = from->vertex[r]; v < from->vertex[r + 1]; v++) {
    GV_TRY(add_vertex(io, to, from->x[v], from->y[v]));
    to->cut[to->vertices - 1] = from->cut[v];
  }
  return end_ring(io, to);
}

/* Feature number `i`, as far as all can be carried; else *why. */
static gv_status transform_parts(follower *f, const gv_shapes *from, int64_t i, const char **why) {
  for (int64_t p = from->part[i]; p < from->part[i + 1]; p++) {
    bool edges = from->kind[p] != GV_PART_POINTS;
    for (int64_t r = from->ring[p]; r < from->ring[p + 1]; r++) {
      GV_TRY(f->list != NULL ? transform_ring(f, from, r, edges, why) : copy_ring(f->io, from, r, f->to));
      if (*why != NULL) return GV_OK;
    }
    GV_TRY(end_part(f->io, f->to, (gv_part_kind)from->kind[p]));
  }
  return end_feature(f->io, f->to);
}

gv_status gv_shapes_transform(gv_io *io, const gv_shapes *from, int64_t i, const gv_shape_transform *how,
                              gv_shapes *to, const char **why) {
  follower f = {.io = io, .how = how, .to = to};
  *why = NULL;
  if (how->operation != NULL) {
    f.list = malloc(MOST_PLACES * sizeof *f.list);
    if (f.list == NULL) return shapes_no_memory(io);
  }
  gv_status status = transform_parts(&f, from, i, why);
  free(f.list);
  if (status != GV_OK || *why != NULL) shapes_remove_last(to);
  return status;
}

void gv_shapes_warn(const gv_shapes *s, const char *what, bool degrees) {
  int64_t wide = 0;
  for (int64_t p = 0; p < s->parts && degrees && s->edges == GV_EDGES_STRAIGHT; p++) {
    for (int64_t r = s->ring[p]; r < s->ring[p + 1] && s->kind[p] != GV_PART_POINTS; r++) {
      for (int64_t v = s->vertex[r]; v + 1 < s->vertex[r + 1]; v++)
        wide += fabs(s->x[v + 1] - s->x[v]) > 180.0 && !(fabs(s->y[v]) == 90.0 && s->y[v] == s->y[v + 1]);
    }
  }
  if (wide > 0) {
    gv_io_warn(GV_CODE_SEEDS_WIDE, wide,
               "%s: edges wider than 180 degrees of longitude: %" PRId64
               "; for the shorter way, use --edges geodesic",
               what, wide);
  }
  if (s->crossing > 0) {
    gv_io_warn(GV_CODE_SEEDS_INVALID, s->crossing,
               "%s: invalid polygons (e.g. rings cross): %" PRId64
               "; their inside is given by the even-odd rule",
               what, s->crossing);
  }
  if (s->curved > 0)
    gv_io_warn(GV_CODE_SEEDS_CURVED, s->curved,
               "%s: curves of %" PRId64 " features were converted to short lines", what, s->curved);
}
