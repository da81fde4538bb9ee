/* Barriers for tests, on the plane or on maps of the globe, and lengths and bearings on these. */
#ifndef GV_TEST_BARRIERS_WORLDS_H
#define GV_TEST_BARRIERS_WORLDS_H

#include <geodesic.h>
#include <math.h>

#include "gpuvoronoi/barriers.h"

enum { MOST = 200, SIDE = 41 /* units of a world */ };

/* Parts of one ring each. */
typedef struct world {
  int64_t part[2], ring[MOST + 1], vertex[MOST + 1];
  uint8_t kind[MOST];
  double x[MOST], y[MOST];
  int parts;
} world;

static void add_vertex(world *w, double x, double y) {
  const int64_t at = w->vertex[w->parts + 1]++;
  w->x[at] = x;
  w->y[at] = y;
}

static void begin_part(world *w, int kind) {
  w->kind[w->parts] = (uint8_t)kind;
  w->vertex[w->parts + 1] = w->vertex[w->parts];
}

static void end_part(world *w) {
  const int64_t first = w->vertex[w->parts];
  if (w->kind[w->parts] == GV_PART_POLYGON) add_vertex(w, w->x[first], w->y[first]);
  w->parts++;
}

static void add(world *w, int kind, int count, const double (*at)[2]) {
  begin_part(w, kind);
  for (int i = 0; i < count; i++)
    add_vertex(w, at[i][0], at[i][1]);
  end_part(w);
}

/* ---------------------------------------------------------------------------------------------- the globe */

static const double radian = 3.14159265358979323846 / 180.0,
                    globe_radius = (2.0 * 6378137.0 + 6356752.314245179) / 3.0;

/* A map on which great circles are straight (gnomonic): where it touches the sphere, and radians a unit
 * there. Geodesics of the ellipsoid are straight within 1e-8 of a unit for small maps (Karney, Algorithms for
 * geodesics, 2013, section 8). */
typedef struct map {
  double lon, lat, scale; /* 0: the plane; -1: longitudes and latitudes as they are, with straight edges */
  enum { GREAT_CIRCLES, GEODESICS_OF_SPHERE, GEODESICS } legs;
} map;

static map on; /* what worlds are on */

static void to_vector(double x, double y, double v[3]) {
  const double side = SIDE / 2, u = (x - side) * on.scale, n = (y - side) * on.scale,
               size = sqrt(1.0 + u * u + n * n);
  if (on.scale < 0.0) {
    v[0] = cos(y * radian) * cos(x * radian);
    v[1] = cos(y * radian) * sin(x * radian);
    v[2] = sin(y * radian);
    return;
  }
  const double sl = sin(on.lon * radian), cl = cos(on.lon * radian), sp = sin(on.lat * radian),
               cp = cos(on.lat * radian);
  v[0] = (cp * cl - u * sl - n * sp * cl) / size;
  v[1] = (cp * sl + u * cl - n * sp * sl) / size;
  v[2] = (sp + n * cp) / size;
}

static struct geod_geodesic wgs84;

/* From the map to the ellipsoid: along the geodesic on which the reduced length is rho times the scale. */
static void to_ellipsoid(double *x, double *y) {
  const double u = (*x - SIDE / 2) * on.scale, n = (*y - SIDE / 2) * on.scale, rho = hypot(u, n);
  struct geod_geodesicline line;
  double s = wgs84.a * atan(rho), lat, lon, reduced, scale;
  geod_lineinit(&line, &wgs84, on.lat, on.lon, atan2(u, n) / radian,
                GEOD_LATITUDE | GEOD_LONGITUDE | GEOD_DISTANCE_IN | GEOD_REDUCEDLENGTH | GEOD_GEODESICSCALE);
  for (int i = 0; i < 5; i++) {
    geod_genposition(&line, GEOD_NOFLAGS, s, &lat, &lon, NULL, NULL, &reduced, &scale, NULL, NULL);
    s -= (reduced / scale - wgs84.a * rho) * scale * scale;
  }
  *x = lon;
  *y = lat;
}

/* Coordinates as the library has them. */
static void to_coordinates(int64_t n, double *x, double *y) {
  for (int64_t i = 0; i < n && on.scale > 0.0; i++) {
    double v[3];
    if (on.legs == GEODESICS) {
      to_ellipsoid(&x[i], &y[i]);
      continue;
    }
    to_vector(x[i], y[i], v);
    x[i] = atan2(v[1], v[0]) / radian;
    y[i] = atan2(v[2], hypot(v[0], v[1])) / radian;
  }
}

static double measure(double ax, double ay, double bx, double by) {
  double a[3], b[3];
  if (on.scale == 0.0) return hypot(bx - ax, by - ay);
  if (on.legs == GEODESICS) {
    double length;
    to_coordinates(1, &ax, &ay);
    to_coordinates(1, &bx, &by);
    geod_inverse(&wgs84, ay, ax, by, bx, &length, NULL, NULL);
    return length;
  }
  to_vector(ax, ay, a);
  to_vector(bx, by, b);
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  return globe_radius * atan2(sqrt(x * x + y * y + z * z), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

/* Of positions as the library has them. */
static double measure_coordinates(double ax, double ay, double bx, double by) {
  const map held = on;
  if (on.scale != 0.0) on.scale = -1.0;
  const double length = measure(ax, ay, bx, by);
  on = held;
  return length;
}

/* The direction from one position to another, as the library has them. */
static double bearing(double ax, double ay, double bx, double by) {
  static struct geod_geodesic sphere;
  double azimuth = atan2(bx - ax, by - ay) / radian;
  geod_init(&sphere, globe_radius, 0.0);
  if (on.scale != 0.0)
    geod_inverse(on.legs == GEODESICS ? &wgs84 : &sphere, ay, ax, by, bx, NULL, &azimuth, NULL);
  return azimuth;
}

/* Less than `measure` on small maps. */
static double quickly(const double *p, const double *q) {
  return on.legs == GEODESICS ? 0.99 * wgs84.a * on.scale * hypot(q[0] - p[0], q[1] - p[1]) : 0.0;
}

static gv_features features_of(world *w) {
  gv_features f;
  gv_features_init(&f);
  w->part[1] = w->parts;
  for (int i = 0; i <= w->parts; i++)
    w->ring[i] = i;
  f.count = 1;
  f.part = w->part;
  f.ring = w->ring;
  f.vertex = w->vertex;
  f.kind = w->kind;
  f.x = w->x;
  f.y = w->y;
  return f;
}

#endif
