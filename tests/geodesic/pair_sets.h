/* Pairs of places at which geodesics are special, and PROJ's answers. */
#ifndef GV_TESTS_PAIR_SETS_H
#define GV_TESTS_PAIR_SETS_H

#include <geodesic.h>
#include <math.h>

#include "exact/globe.h"
#include "split_mix.h"

typedef enum pair_kind {
  PAIR_ANY,
  PAIR_ANTIPODAL,
  PAIR_POLAR,      /* from a pole, or nearly */
  PAIR_MERIDIONAL, /* along a meridian, and over a pole */
  PAIR_EQUATORIAL,
  PAIR_TINY, /* from 1e-9 degrees apart on */
  PAIR_SAME,
  PAIR_KINDS
} pair_kind;

typedef struct pair {
  double lon[2], lat[2];   /* normalized */
  double place[2][3];      /* on the ellipsoid, in units of its semi-major axis */
  double distance;         /* by PROJ */
  double azimuth, arrival; /* degrees, at the two places */
} pair;

static uint64_t pair_state = 1;

static inline double pair_uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&pair_state) >> 11) * 0x1p-53;
}

/* All orders of magnitude alike, of both signs. */
static inline double pair_magnitude(double low, double high) {
  double size = exp(pair_uniform(log(low), log(high)));
  return pair_uniform(0.0, 1.0) < 0.5 ? size : -size;
}

static inline pair pair_make(const gv_ellipsoid *ellipsoid, const struct geod_geodesic *geod,
                             pair_kind kind) {
  pair p;
  double lon = pair_uniform(-180.0, 180.0), lat = asin(pair_uniform(-1.0, 1.0)) * 57.29577951308232;
  p.lon[0] = lon, p.lat[0] = lat;
  p.lon[1] = pair_uniform(-180.0, 180.0), p.lat[1] = asin(pair_uniform(-1.0, 1.0)) * 57.29577951308232;
  if (kind == PAIR_ANTIPODAL)
    p.lon[1] = lon + 180.0 + pair_magnitude(1e-9, 2.0), p.lat[1] = -lat + pair_magnitude(1e-9, 2.0);
  if (kind == PAIR_POLAR)
    p.lat[0] = copysign(pair_uniform(0, 1) < 0.5 ? 90.0 : 90.0 - fabs(pair_magnitude(1e-12, 1.0)), lat);
  if (kind == PAIR_MERIDIONAL) p.lon[1] = lon + (pair_uniform(0, 1) < 0.5 ? 0.0 : 180.0);
  if (kind == PAIR_EQUATORIAL)
    p.lat[0] = 0.0, p.lat[1] = pair_uniform(0, 1) < 0.5 ? 0.0 : pair_magnitude(1e-12, 1e-3);
  if (kind == PAIR_TINY)
    p.lon[1] = lon + pair_magnitude(1e-9, 1e-3), p.lat[1] = lat + pair_magnitude(1e-9, 1e-3);
  if (kind == PAIR_SAME) p.lon[1] = lon, p.lat[1] = lat;
  for (int i = 0; i < 2; i++) {
    p.lat[i] = fmax(-90.0, fmin(90.0, p.lat[i]));
    gv_normalize_lonlat(&p.lon[i], &p.lat[i]);
    gv_lonlat_to_vectors(ellipsoid, true, 1, &p.lon[i], &p.lat[i], &p.place[i][0], &p.place[i][1],
                         &p.place[i][2]);
  }
  geod_inverse(geod, p.lat[0], p.lon[0], p.lat[1], p.lon[1], &p.distance, &p.azimuth, &p.arrival);
  return p;
}

static inline gv_ellipsoid pair_ellipsoid(double semi_major, double flattening) {
  return (gv_ellipsoid){semi_major, flattening, flattening * (2.0 - flattening)};
}

#endif
