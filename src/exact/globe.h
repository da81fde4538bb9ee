/*
 * Positions on the globe: the single source of the numbers that distances are computed from.
 *
 * Every exact distance on the sphere or the ellipsoid starts from these functions, for cells and seeds alike,
 * so equal places give equal numbers: longitudes are reduced exactly in degrees to (-180, 180], a pole has
 * one longitude, and sines and cosines are exact at multiples of 90 degrees.
 */
#ifndef GV_GLOBE_H
#define GV_GLOBE_H

#include <math.h>

#include "core/both.h"
#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sines and cosines of n angles in degrees, -180 ... 180; exact at multiples of 90. Written with additions
 * and multiplications only, in one order, so that every processor and instruction set gives the same bits;
 * within 1.5 ulp. The arrays may be unaligned but must not overlap. Thread safe.
 */
void gv_sincos_degrees(int64_t n, const double *degrees, double *sine, double *cosine);

/* Longitude in (-180, 180], latitude without negative zero, longitude 0 at the poles. Exact: no rounding. */
GV_BOTH void gv_normalize_lonlat(double *longitude, double *latitude) {
  double lon = fabs(*longitude) <= 180.0 ? *longitude : remainder(*longitude, 360.0);
  if (lon == -180.0 || fabs(*latitude) == 90.0) lon = lon == -180.0 && fabs(*latitude) != 90.0 ? 180.0 : 0.0;
  *longitude = lon + 0.0;
  *latitude += 0.0;
}

/* The same of a place of the caller; NaN for both if it is none. */
GV_BOTH void gv_take_lonlat(double *longitude, double *latitude) {
  if (isfinite(*longitude) && fabs(*latitude) <= 90.0) {
    gv_normalize_lonlat(longitude, latitude);
  } else {
    *longitude = *latitude = NAN;
  }
}

/* An ellipsoid of revolution; lengths are in units of the semi-major axis unless stated otherwise. */
typedef struct gv_ellipsoid {
  double semi_major;    /* meters */
  double flattening;    /* 0 for a sphere */
  double eccentricity2; /* e^2 = f (2 - f) */
} gv_ellipsoid;

/* WGS 84 when semi_major is 0. GV_ERROR_INVALID_ARGUMENT for values that do not define an ellipsoid. */
gv_status gv_ellipsoid_init(gv_context *context, double semi_major, double flattening, gv_ellipsoid *out);

/*
 * A point of the unit sphere (flattening ignored) or of the ellipsoid in units of its semi-major axis is
 * (p cos(lon), p sin(lon), z). These give p and z for n latitudes with the given sines and cosines:
 *   sphere:    p = cos(lat), z = sin(lat)
 *   ellipsoid: p = N cos(lat), z = (1 - e^2) N sin(lat), N = 1 / sqrt(1 - e^2 sin^2(lat))
 */
void gv_meridian_points(const gv_ellipsoid *ellipsoid, bool geocentric_cartesian, int64_t n,
                        const double *sine, const double *cosine, double *p, double *z);

/*
 * Cartesian positions of n places (longitude, latitude), already normalized: unit vectors, or with
 * geocentric_cartesian points of the ellipsoid in units of a. The products are formed as the grid's tables
 * form them. NaN gives NaN. `ellipsoid` is not used for unit vectors. Same rules as gv_sincos_degrees.
 */
void gv_lonlat_to_vectors(const gv_ellipsoid *ellipsoid, bool geocentric_cartesian, int64_t n,
                          const double *longitude, const double *latitude, double *x, double *y, double *z);

#ifdef __cplusplus
}
#endif

#endif
