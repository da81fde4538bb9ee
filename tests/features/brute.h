/*
 * Answers about the features of a layer by other formulas than the library's: every edge, in long double on
 * the plane and the sphere, by PROJ's geodesics elsewhere.
 */
#ifndef GV_TESTS_BRUTE_H
#define GV_TESTS_BRUTE_H

#include <geodesic.h>
#include <string.h>

#include "features/layer.h"

typedef struct brute {
  gv_metric metric;
  bool straight;
  struct geod_geodesic geod; /* on the globe: of the ellipsoid, or of the sphere of great circles */
} brute;

/* The distance to the nearest point: of the plane, or meters. */
typedef struct brute_nearest {
  double distance, lon, lat; /* lon, lat: x, y on the plane */
  int64_t vertex;            /* the edge begins there; the lowest of equal ones */
} brute_nearest;

static inline brute brute_of(gv_metric metric, gv_edges edges) {
  brute b = {.metric = metric, .straight = edges == GV_EDGES_STRAIGHT};
  const double a = 6378137.0, f = 1.0 / 298.257223563;
  if (metric == GV_GEODESIC) geod_init(&b.geod, a, f);
  if (metric == GV_GREAT_CIRCLE) geod_init(&b.geod, (2.0 * a + a * (1.0 - f)) / 3.0, 0.0);
  return b;
}

static inline bool brute_on_plane(const brute *b) {
  return b->metric != GV_GEODESIC && b->metric != GV_GREAT_CIRCLE;
}

/* A canonical value of the library as a distance. */
static inline double brute_distance_of(const brute *b, double canonical) {
  if (b->metric == GV_EUCLIDEAN) return sqrt(canonical);
  return b->metric == GV_GREAT_CIRCLE ? 2.0 * b->geod.a * asin(fmin(1.0, 0.5 * sqrt(canonical))) : canonical;
}

/* ---------------------------------------------------------------------------------------------- the plane */

static inline long double brute_norm(gv_metric metric, long double dx, long double dy) {
  if (metric == GV_EUCLIDEAN) return hypotl(dx, dy);
  return metric == GV_MANHATTAN ? fabsl(dx) + fabsl(dy) : fmaxl(fabsl(dx), fabsl(dy));
}

/* The least value is at an end, at the closest point of the perpendicular, or where a term of the metric
 * changes its sign. */
static inline void brute_segment(const brute *b, const double q[2], int64_t v, const double p[2],
                                 const double r[2], brute_nearest *best) {
  long double wx = (long double)p[0] - q[0], wy = (long double)p[1] - q[1], dx = (long double)r[0] - p[0],
              dy = (long double)r[1] - p[1];
  const long double parts[] = {0.0L,
                               1.0L,
                               -(wx * dx + wy * dy) / (dx * dx + dy * dy),
                               -wx / dx,
                               -wy / dy,
                               -(wx - wy) / (dx - dy),
                               -(wx + wy) / (dx + dy)};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    long double part = parts[i];
    if (!(part >= 0.0L && part <= 1.0L)) continue;
    double distance = (double)brute_norm(b->metric, wx + part * dx, wy + part * dy);
    if (distance < best->distance)
      *best = (brute_nearest){distance, (double)(p[0] + part * dx), (double)(p[1] + part * dy), v};
  }
}

/* ---------------------------------------------------------------------------------------------- the globe */

typedef struct brute_vector {
  long double x, y, z;
} brute_vector;

static inline brute_vector brute_unit(double lon, double lat) {
  const long double degree = 3.14159265358979323846264338327950288L / 180.0L;
  long double east = lon * degree, north = lat * degree;
  return (brute_vector){cosl(north) * cosl(east), cosl(north) * sinl(east), sinl(north)};
}

static inline brute_vector brute_cross(brute_vector a, brute_vector b) {
  return (brute_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline long double brute_dot(brute_vector a, brute_vector b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline long double brute_angle(brute_vector a, brute_vector b) {
  brute_vector n = brute_cross(a, b);
  return atan2l(sqrtl(brute_dot(n, n)), brute_dot(a, b));
}

static inline void brute_take(brute_nearest *best, long double distance, brute_vector at, int64_t v) {
  const long double degrees = 180.0L / 3.14159265358979323846264338327950288L;
  if ((double)distance < best->distance) {
    *best = (brute_nearest){(double)distance, (double)(atan2l(at.y, at.x) * degrees),
                            (double)(atan2l(at.z, hypotl(at.x, at.y)) * degrees), v};
  }
}

/* An arc of a great circle: an end, or the closest point of the perpendicular if it lies between them. */
static inline void brute_arc(const brute *b, const double q[2], int64_t v, const double p[2],
                             const double r[2], brute_nearest *best) {
  brute_vector at = brute_unit(q[0], q[1]), from = brute_unit(p[0], p[1]), to = brute_unit(r[0], r[1]);
  brute_vector normal = brute_cross(from, to);
  brute_take(best, b->geod.a * brute_angle(at, from), from, v);
  brute_take(best, b->geod.a * brute_angle(at, to), to, v);
  long double size2 = brute_dot(normal, normal), above = brute_dot(at, normal);
  if (!(size2 > 0.0L)) return;
  brute_vector closest = {at.x - above / size2 * normal.x, at.y - above / size2 * normal.y,
                          at.z - above / size2 * normal.z};
  if (brute_dot(brute_cross(from, closest), normal) >= 0.0L &&
      brute_dot(brute_cross(closest, to), normal) >= 0.0L)
    brute_take(best, b->geod.a * brute_angle(at, closest), closest, v);
}

typedef struct brute_edge {
  const brute *b;
  const double *p, *r;
  struct geod_geodesicline line;
} brute_edge;

static inline void brute_edge_at(const brute_edge *e, double u, double *lon, double *lat) {
  if (e->b->straight) {
    *lon = remainder(e->p[0] + u * (e->r[0] - e->p[0]), 360.0);
    *lat = e->p[1] + u * (e->r[1] - e->p[1]);
  } else {
    geod_position(&e->line, u * e->line.s13, lat, lon, NULL);
  }
}

static inline double brute_far(const brute_edge *e, const double q[2], double u) {
  double lon, lat, distance;
  brute_edge_at(e, u, &lon, &lat);
  geod_inverse(&e->b->geod, q[1], remainder(q[0], 360.0), lat, lon, &distance, NULL, NULL);
  return distance;
}

/* Follows the edge: the best of this number of places, then a search by golden sections around it. */
static inline void brute_follow(const brute *b, const double q[2], int64_t v, const double p[2],
                                const double r[2], brute_nearest *best) {
  enum { STEPS = 24 };
  const double golden = 0.6180339887498949;
  brute_edge e = {.b = b, .p = p, .r = r};
  double length;
  if (b->straight) {
    length = b->geod.a * 0.01746 * 1.01 * (fabs(r[0] - p[0]) + fabs(r[1] - p[1]));
  } else {
    geod_inverseline(&e.line, &b->geod, p[1], p[0], r[1], r[0], 0);
    length = e.line.s13;
  }
  double least = brute_far(&e, q, 0.5), at = 0.5;
  if (least - 0.51 * length > best->distance) return;
  for (int i = 0; i <= STEPS; i++) {
    double far = brute_far(&e, q, (double)i / STEPS);
    if (far < least) least = far, at = (double)i / STEPS;
  }
  double low = fmax(0.0, at - 1.0 / STEPS), high = fmin(1.0, at + 1.0 / STEPS);
  for (int i = 0; i < 45 && (high - low) * length > 1e-4; i++) {
    double left = high - golden * (high - low), right = low + golden * (high - low);
    if (brute_far(&e, q, left) <= brute_far(&e, q, right)) {
      high = right;
    } else {
      low = left;
    }
  }
  double middle = 0.5 * (low + high), far = brute_far(&e, q, middle);
  if (far < least) least = far, at = middle;
  if (least < best->distance) {
    *best = (brute_nearest){.distance = least, .vertex = v};
    brute_edge_at(&e, at, &best->lon, &best->lat);
  }
}

/* ----------------------------------------------------------------------------------------------- features */

/* The edge that begins at a vertex, or the vertex only. */
static inline void brute_take_edge(const brute *b, const layer *l, int64_t v, bool point, const double q[2],
                                   brute_nearest *best) {
  const double p[2] = {l->x[v], l->y[v]}, r[2] = {l->x[v + !point], l->y[v + !point]};
  if (brute_on_plane(b)) {
    brute_segment(b, q, v, p, r, best);
  } else if (b->metric == GV_GREAT_CIRCLE && (point || !b->straight)) {
    brute_arc(b, q, v, p, r, best);
  } else {
    brute_follow(b, q, v, p, r, best);
  }
}

/* Edges of the features from first to end for which `counts` (by vertex; NULL: all do). */
static inline brute_nearest brute_nearest_of(const brute *b, const layer *l, int64_t first, int64_t end,
                                             const bool *counts, const double q[2]) {
  brute_nearest best = {.distance = INFINITY, .vertex = -1};
  for (int64_t p = l->part[first]; p < l->part[end]; p++) {
    for (int64_t r = l->ring[p]; r < l->ring[p + 1]; r++) {
      bool point = l->kind[p] == GV_PART_POINTS || l->vertex[r + 1] - l->vertex[r] == 1;
      for (int64_t v = l->vertex[r]; v + !point < l->vertex[r + 1]; v++) {
        if (counts == NULL || counts[v]) brute_take_edge(b, l, v, point, q, &best);
      }
    }
  }
  return best;
}

static inline int64_t brute_edges(const layer *l, int64_t first, int64_t end) {
  int64_t count = 0;
  for (int64_t p = l->part[first]; p < l->part[end]; p++) {
    for (int64_t r = l->ring[p]; r < l->ring[p + 1]; r++)
      count += l->vertex[r + 1] - l->vertex[r] -
               (l->vertex[r + 1] - l->vertex[r] > 1 && l->kind[p] != GV_PART_POINTS);
  }
  return count;
}

/* Even and odd crossings of a ray, in the coordinates as written; positions on an edge do not count as on
 * it. */
static inline bool brute_crosses(const layer *l, int64_t part, long double x, long double y) {
  bool inside = false;
  for (int64_t r = l->ring[part]; r < l->ring[part + 1]; r++) {
    for (int64_t v = l->vertex[r]; v + 1 < l->vertex[r + 1]; v++) {
      if ((l->y[v] > y) == (l->y[v + 1] > y)) continue;
      long double at = l->x[v] + (y - l->y[v]) / ((long double)l->y[v + 1] - l->y[v]) *
                                     ((long double)l->x[v + 1] - l->x[v]);
      inside ^= x < at;
    }
  }
  return inside;
}

/* The turns of the direction to a ring's vertices, each less than half a turn: edges are cut small.
 * Degrees. */
static inline double brute_winding(const struct geod_geodesic *g, const layer *l, int64_t ring,
                                   const double q[2]) {
  double total = 0.0, last = 0.0, azimuth, y, x;
  for (int64_t v = l->vertex[ring]; v + 1 < l->vertex[ring + 1]; v++) {
    struct geod_geodesicline line;
    geod_inverseline(&line, g, l->y[v], l->x[v], l->y[v + 1], l->x[v + 1], 0);
    for (int i = 0; i <= 8; i++) {
      geod_position(&line, line.s13 * i / 8, &y, &x, NULL);
      geod_inverse(g, q[1], q[0], y, x, NULL, &azimuth, NULL);
      if (i > 0 || v > l->vertex[ring]) total += remainder(azimuth - last, 360.0);
      last = azimuth;
    }
  }
  return total;
}

/* Whether a part contains a position that is not on its edges. Rings of geodesics: of less than a quarter of
 * the globe, positions away from their antipodes. */
static inline bool brute_part_contains(const brute *b, const layer *l, int64_t part, const double q[2]) {
  bool inside = false;
  if (l->kind[part] != GV_PART_POLYGON) return false;
  if (brute_on_plane(b)) return brute_crosses(l, part, q[0], q[1]);
  if (b->straight) {
    for (int turn = -4; turn <= 4 && !inside; turn++)
      inside = brute_crosses(l, part, q[0] + 360.0L * turn, q[1]);
    return inside;
  }
  for (int64_t r = l->ring[part]; r < l->ring[part + 1]; r++)
    inside ^= fabs(brute_winding(&b->geod, l, r, q)) > 180.0;
  return inside;
}

static inline bool brute_contains(const brute *b, const layer *l, int64_t feature, const double q[2]) {
  bool inside = false;
  for (int64_t p = l->part[feature]; p < l->part[feature + 1]; p++)
    inside |= brute_part_contains(b, l, p, q);
  return inside;
}

#endif
