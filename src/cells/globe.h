/*
 * Positions on the globe: the one place where longitudes and latitudes become numbers that distances are made of.
 *
 * Every canonical distance on the sphere or the ellipsoid starts from these functions, for cells and seeds alike,
 * so equal places give equal numbers: longitudes are reduced exactly in degrees to (-180, 180], a pole has one
 * longitude, and sines and cosines are exact at multiples of 90 degrees.
 */
#ifndef GV_GLOBE_H
#define GV_GLOBE_H

#include "core/core.h"

/* Sine and cosine of an angle in degrees; exact at multiples of 90 (range reduction by remquo is exact, as in
 * PROJ's geodesic.c). */
void gv_sincos_degrees(double degrees, double *sine, double *cosine);

/* Longitude in (-180, 180], latitude without negative zero, longitude 0 at the poles. Exact: no rounding. */
void gv_normalise_lonlat(double *longitude, double *latitude);

/* An ellipsoid of revolution; lengths are in units of the semi-major axis unless said otherwise. */
typedef struct gv_ellipsoid {
  double semi_major;    /* metres */
  double flattening;    /* 0 for a sphere */
  double eccentricity2; /* e^2 = f (2 - f) */
} gv_ellipsoid;

/* WGS 84 when semi_major is 0. GV_ERROR_INVALID_ARGUMENT for values that make no ellipsoid. */
gv_status gv_ellipsoid_init(gv_context *context, double semi_major, double flattening, gv_ellipsoid *out);

/*
 * A point of the unit sphere (flattening ignored) or of the ellipsoid in units of its semi-major axis is
 * (p cos(lon), p sin(lon), z). These give p and z for a latitude with the given sine and cosine:
 *   sphere:    p = cos(lat), z = sin(lat)
 *   ellipsoid: p = N cos(lat), z = N (1 - e^2) sin(lat), N = 1 / sqrt(1 - e^2 sin^2(lat))
 */
void gv_meridian_point(const gv_ellipsoid *ellipsoid, bool geocentric_cartesian, double sine, double cosine,
                       double *p, double *z);

/* Cartesian position of (longitude, latitude), already normalised: the unit vector, or with geocentric_cartesian
 * the point of the ellipsoid in units of a. The products are formed as the grid's tables form them. */
void gv_lonlat_to_vector(const gv_ellipsoid *ellipsoid, bool geocentric_cartesian, double longitude,
                         double latitude, double vector[3]);

#endif
