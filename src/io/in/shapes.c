/* From OGR's geometries to offsets. */
#include "io/in/shapes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "io/grow.h"

void gv_shapes_free(gv_shapes *s) {
  if (s == NULL) return;
  free(s->part);
  free(s->ring);
  free(s->vertex);
  free(s->kind);
  free(s->x);
  free(s->y);
  free(s);
}

static bool grow_offsets(int64_t **offsets, int64_t *room, int64_t count) {
  int64_t *grown = gv_grow(*offsets, room, count, sizeof **offsets);
  if (grown == NULL) return false;
  *offsets = grown;
  return true;
}

gv_shapes *gv_shapes_new(void) {
  gv_shapes *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  if (!grow_offsets(&s->part, &s->room_features, 2) || !grow_offsets(&s->ring, &s->room_parts, 2) ||
      !grow_offsets(&s->vertex, &s->room_rings, 2)) {
    gv_shapes_free(s);
    return NULL;
  }
  s->part[0] = s->ring[0] = s->vertex[0] = 0;
  return s;
}

void gv_shapes_drop_last(gv_shapes *s) {
  s->features--;
  s->parts = s->part[s->features];
  s->rings = s->ring[s->parts];
  s->vertices = s->vertex[s->rings];
}

/* ------------------------------------------------------------------------------------------------------- adding */

static bool add_vertex(gv_shapes *s, double x, double y) {
  double *grown = gv_grow(s->x, &s->room_x, s->vertices + 1, sizeof *s->x);
  if (grown == NULL) return false;
  s->x = grown;
  grown = gv_grow(s->y, &s->room_y, s->vertices + 1, sizeof *s->y);
  if (grown == NULL) return false;
  s->y = grown;
  s->x[s->vertices] = x;
  s->y[s->vertices++] = y;
  return true;
}

static bool end_ring(gv_shapes *s) {
  if (!grow_offsets(&s->vertex, &s->room_rings, s->rings + 2)) return false;
  s->vertex[++s->rings] = s->vertices;
  return true;
}

static bool end_part(gv_shapes *s, gv_part_kind kind) {
  uint8_t *kinds = gv_grow(s->kind, &s->room_kinds, s->parts + 1, sizeof *s->kind);
  if (kinds == NULL) return false;
  s->kind = kinds;
  if (!grow_offsets(&s->ring, &s->room_parts, s->parts + 2)) return false;
  s->kind[s->parts] = (uint8_t)kind;
  s->ring[++s->parts] = s->rings;
  return true;
}

static bool end_feature(gv_shapes *s) {
  if (!grow_offsets(&s->part, &s->room_features, s->features + 2)) return false;
  s->part[++s->features] = s->parts;
  return true;
}

/* What is left of a feature that could not be added. */
static void take_back(gv_shapes *s) {
  s->parts = s->part[s->features];
  s->rings = s->ring[s->parts];
  s->vertices = s->vertex[s->rings];
}

typedef struct adding {
  gv_shapes *s;
  bool swapped, finite;
} adding;

/* The points of a line or ring; rings are closed. */
static bool add_points(adding *a, OGRGeometryH line, bool ring) {
  int count = OGR_G_GetPointCount(line);
  int64_t first = a->s->vertices;
  for (int i = 0; i < count; i++) {
    double x = OGR_G_GetX(line, i), y = OGR_G_GetY(line, i);
    if (!isfinite(x) || !isfinite(y)) a->finite = false;
    if (!add_vertex(a->s, a->swapped ? y : x, a->swapped ? x : y)) return false;
  }
  int64_t last = a->s->vertices - 1;
  bool open = ring && a->finite && (a->s->x[first] != a->s->x[last] || a->s->y[first] != a->s->y[last]);
  if (open && !add_vertex(a->s, a->s->x[first], a->s->y[first])) return false;
  return end_ring(a->s);
}

static bool add_polygon(adding *a, OGRGeometryH polygon) {
  int64_t before = a->s->rings;
  for (int i = 0; i < OGR_G_GetGeometryCount(polygon); i++) {
    OGRGeometryH ring = OGR_G_GetGeometryRef(polygon, i);
    if (!OGR_G_IsEmpty(ring) && !add_points(a, ring, true)) return false;
  }
  return a->s->rings == before || end_part(a->s, GV_PART_POLYGON);
}

/* Parts that are empty are left out. */
static bool add_parts(adding *a, OGRGeometryH geometry) {
  if (OGR_G_IsEmpty(geometry)) return true;
  switch (wkbFlatten(OGR_G_GetGeometryType(geometry))) {
  case wkbPoint:
    return add_points(a, geometry, false) && end_part(a->s, GV_PART_POINTS);
  case wkbLineString:
  case wkbLinearRing:
    return add_points(a, geometry, false) && end_part(a->s, GV_PART_LINE);
  case wkbPolygon:
  case wkbTriangle:
    return add_polygon(a, geometry);
  default:
    for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++)
      if (!add_parts(a, OGR_G_GetGeometryRef(geometry, i))) return false;
    return true;
  }
}

static bool is_valid(OGRGeometryH geometry) {
  CPLPushErrorHandler(CPLQuietErrorHandler);
  bool valid = OGR_G_GetDimension(geometry) < 2 || OGR_G_IsValid(geometry) != 0;
  CPLPopErrorHandler();
  return valid;
}

gv_status gv_shapes_add(gv_io *io, gv_shapes *s, OGRGeometryH geometry, bool swapped, bool *finite) {
  OGRGeometryH linear = NULL;
  if (OGR_G_HasCurveGeometry(geometry, TRUE)) {
    gv_gdal_reset();
    linear = OGR_G_GetLinearGeometry(geometry, 0.0, NULL);
    if (linear == NULL) return gv_io_fail_gdal(io, GV_ERROR_INVALID_ARGUMENT, "seeds: cannot make lines of curves");
  }
  adding a = {s, swapped, true};
  bool added = add_parts(&a, linear != NULL ? linear : geometry);
  bool valid = added && a.finite && is_valid(linear != NULL ? linear : geometry);
  if (linear != NULL) OGR_G_DestroyGeometry(linear);
  *finite = a.finite;
  if (!added || !a.finite || !end_feature(s)) {
    take_back(s);
    return a.finite ? gv_io_fail_memory(io, "the seeds") : GV_OK;
  }
  s->curved += linear != NULL;
  s->crossing += !valid;
  return GV_OK;
}

/* ----------------------------------------------------------------------------------------------------- carrying */

enum { TESTS = 3, DEEPEST = 30, MOST_PLACES = 1 << 18 };

/* A place of an edge, as written and carried over; a position on the ellipsoid too. */
typedef struct carried {
  double x, y, at[3];
} carried;

typedef struct follower {
  const gv_carrying *how;
  gv_shapes *to;
  const double *a, *b; /* the edge's ends as written, in one order */
  bool reversed;       /* places are to be added from b to a */
  bool torn, memory;
  carried *list; /* MOST_PLACES */
} follower;

static bool carry_place(const gv_carrying *how, double x, double y, carried *out) {
  if (gv_operation_apply(&x, &y, 1, how->operation) != 0) return false;
  const double radian = 3.14159265358979323846 / 180.0;
  if (how->globe && fabs(y) > 90.0 && fabs(y) < 90.0 + 1e-9) y = copysign(90.0, y);
  *out = (carried){x, y, {x, y, 0.0}};
  if (how->globe) {
    double f = how->flattening, e2 = f * (2.0 - f), sine = sin(y * radian), cosine = cos(y * radian);
    double n = how->semi_major / sqrt(1.0 - e2 * sine * sine);
    out->at[0] = n * cosine * cos(x * radian);
    out->at[1] = n * cosine * sin(x * radian);
    out->at[2] = n * (1.0 - e2) * sine;
  }
  return true;
}

static bool is_usable(const gv_carrying *how, const carried *c) {
  return isfinite(c->x) && isfinite(c->y) && (!how->globe || fabs(c->y) <= 90.0);
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far a place is from the line between two others: on the globe from the plane through them and the ellipsoid's normal, which a
 * geodesic of some kilometres does not leave. */
static double aside(const gv_carrying *how, const carried *p, const carried *q, const carried *m) {
  double d[3], w[3], normal[3] = {0.0, 0.0, 1.0};
  for (int i = 0; i < 3; i++) {
    d[i] = q->at[i] - p->at[i];
    w[i] = m->at[i] - p->at[i];
    if (how->globe) normal[i] = 0.5 * (p->at[i] + q->at[i]);
  }
  if (how->globe) normal[2] /= (1.0 - how->flattening) * (1.0 - how->flattening);
  double across[3] = {d[1] * normal[2] - d[2] * normal[1], d[2] * normal[0] - d[0] * normal[2],
                      d[0] * normal[1] - d[1] * normal[0]};
  double size = sqrt(dot(across, across));
  return size > 0.0 ? fabs(dot(w, across)) / size : sqrt(dot(w, w));
}

/* Places between p (part u0) and q (u1) of the edge, in ascending parts. */
static void follow(follower *f, double u0, const carried *p, double u1, const carried *q, int depth,
                   int64_t *count) {
  static const double part[TESTS] = {0.5, 0.25, 0.75};
  double far = 0.0, length = 0.0;
  carried tests[TESTS];
  for (int i = 0; i < TESTS; i++) {
    double u = u0 + part[i] * (u1 - u0);
    f->memory |=
        !carry_place(f->how, f->a[0] + u * (f->b[0] - f->a[0]), f->a[1] + u * (f->b[1] - f->a[1]), &tests[i]);
    f->torn |= !is_usable(f->how, &tests[i]);
    if (f->memory || f->torn) return;
    far = fmax(far, aside(f->how, p, q, &tests[i]));
  }
  double d[3] = {q->at[0] - p->at[0], q->at[1] - p->at[1], q->at[2] - p->at[2]};
  length = sqrt(dot(d, d));
  bool close = far <= f->how->tolerance && (!f->how->globe || length <= 1e-2 * f->how->semi_major);
  /* The middle lies between the ends: else the projection is torn in between. */
  double w[3] = {tests[0].at[0] - p->at[0], tests[0].at[1] - p->at[1], tests[0].at[2] - p->at[2]};
  double along = length > 0.0 ? dot(w, d) / (length * length) : 0.5;
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

static bool add_edge(follower *f, const carried *from, const carried *to) {
  int64_t count = 0;
  const carried *p = f->reversed ? to : from, *q = f->reversed ? from : to;
  follow(f, 0.0, p, 1.0, q, 0, &count);
  for (int64_t i = 0; i < count && !f->memory && !f->torn; i++) {
    const carried *at = &f->list[f->reversed ? count - 1 - i : i];
    f->memory |= !add_vertex(f->to, at->x, at->y);
  }
  return !f->memory;
}

static bool carry_ring(follower *f, const gv_shapes *from, int64_t ring, bool edges, const char **why) {
  carried last = {0}, next;
  for (int64_t v = from->vertex[ring]; v < from->vertex[ring + 1]; v++) {
    double a[2] = {from->x[v > 0 ? v - 1 : 0], from->y[v > 0 ? v - 1 : 0]}, b[2] = {from->x[v], from->y[v]};
    if (!carry_place(f->how, b[0], b[1], &next)) return false;
    if (!is_usable(f->how, &next)) {
      *why = "a vertex cannot be carried over to the grid's coordinate system";
      return true;
    }
    if (v > from->vertex[ring] && edges && from->edges == GV_EDGES_STRAIGHT) {
      f->reversed = b[1] < a[1] || (b[1] == a[1] && b[0] < a[0]);
      f->a = f->reversed ? b : a;
      f->b = f->reversed ? a : b;
      if (!add_edge(f, &last, &next)) return false;
      if (f->torn) {
        *why = "an edge is torn apart by the grid's coordinate system";
        return true;
      }
    }
    if (!add_vertex(f->to, next.x, next.y)) return false;
    last = next;
  }
  return end_ring(f->to);
}

gv_status gv_shapes_carry(gv_io *io, const gv_shapes *from, int64_t i, const gv_carrying *how, gv_shapes *to,
                          const char **why) {
  follower f = {.how = how, .to = to};
  *why = NULL;
  if (how->operation != NULL) f.list = malloc(MOST_PLACES * sizeof *f.list);
  bool memory = how->operation == NULL || f.list != NULL;
  for (int64_t p = from->part[i]; p < from->part[i + 1] && memory && *why == NULL; p++) {
    for (int64_t r = from->ring[p]; r < from->ring[p + 1] && memory && *why == NULL; r++) {
      if (how->operation != NULL) {
        memory = carry_ring(&f, from, r, from->kind[p] != GV_PART_POINTS, why);
        continue;
      }
      for (int64_t v = from->vertex[r]; v < from->vertex[r + 1] && memory; v++)
        memory = add_vertex(to, from->x[v], from->y[v]);
      memory = memory && end_ring(to);
    }
    memory = memory && end_part(to, (gv_part_kind)from->kind[p]);
  }
  free(f.list);
  if (!memory || *why != NULL || !end_feature(to)) {
    take_back(to);
    return *why != NULL ? GV_OK : gv_io_fail_memory(io, "the seeds");
  }
  return GV_OK;
}

void gv_shapes_warn(const gv_shapes *s, bool degrees) {
  int64_t wide = 0;
  for (int64_t p = 0; p < s->parts && degrees && s->edges == GV_EDGES_STRAIGHT; p++) {
    for (int64_t r = s->ring[p]; r < s->ring[p + 1] && s->kind[p] != GV_PART_POINTS; r++) {
      for (int64_t v = s->vertex[r]; v + 1 < s->vertex[r + 1]; v++)
        wide += fabs(s->x[v + 1] - s->x[v]) > 180.0 && !(fabs(s->y[v]) == 90.0 && s->y[v] == s->y[v + 1]);
    }
  }
  if (wide > 0) {
    gv_io_warn(GV_CODE_SEEDS_WIDE, wide,
               "seeds: %" PRId64
               " edges span more than 180 degrees of longitude, as it is written (--edges geodesic "
               "goes the shorter way)",
               wide);
  }
  if (s->crossing > 0) {
    gv_io_warn(GV_CODE_SEEDS_INVALID, s->crossing,
               "seeds: %" PRId64 " polygons are not valid (rings that cross, say); what lies within is told by the "
               "even-odd rule",
               s->crossing);
  }
  if (s->curved > 0)
    gv_io_warn(GV_CODE_SEEDS_CURVED, s->curved,
               "seeds: the curves of %" PRId64 " features are lines of short pieces", s->curved);
}
