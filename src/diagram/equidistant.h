/*
 * Places on the globe that are equally far from two or three seeds.
 *
 * On the ellipsoid they are found by Newton's method: a geodesic's length changes with its end by the cosine
 * of the angle, and PROJ's geod_inverse returns length and azimuth. A step of d meters leaves an error of
 * about d^2 / s, s the distance of the seeds; iteration ends where that is below 0.2 micrometers.
 * geod_inverse is accurate to 15 nm, which `noise` multiplies by a factor that depends on the angles.
 *
 * Geodesics shorter than the injectivity radius, pi b, are the only shortest ones, and lengths are smooth.
 * Places farther from their seeds are not searched: they exist only if all seeds are so close together that a
 * place within 34 km of the antipode of one is nearest to it.
 *
 * Of 100,000 random seeds a diagram takes 1.3 times less CPU time (24.7 s, now 19.1 s, on a busy machine)
 * since latitudes come from a series and seeds are tested for being close together only where that can count.
 *
 * The auxiliary sphere is that of conformal latitudes: the mapping preserves angles, and small circles are
 * circles, so the triangulation of the mapped seeds is nearly that of the ellipsoid, and the great circle
 * between two of them is close to their bisector. For flattening 0 it is the sphere itself.
 */
#ifndef GV_DIAGRAM_EQUIDISTANT_H
#define GV_DIAGRAM_EQUIDISTANT_H

#include <geodesic.h>

#include "exact/globe.h"

typedef struct gv_globe {
  bool ellipsoid; /* distances are geodesics */
  double radius;  /* meters; of the sphere, or the semi-major axis */
  gv_ellipsoid shape;
  struct geod_geodesic geod;
  bool series; /* latitudes of conformal ones are sums of sines (Karney, On auxiliary latitudes, 2024), exact
                  to 1e-16 */
  double to_place[6]; /* of the sines of 2, 4 ... 12 times the conformal latitude */
} gv_globe;

/* For GV_GREAT_CIRCLE or GV_GEODESIC. */
void gv_globe_init(gv_metric metric, const gv_ellipsoid *shape, gv_globe *out);

/* Unit vectors of normalized longitudes and latitudes, interleaved; of conformal latitudes on the
 * ellipsoid. */
void gv_globe_vectors(const gv_globe *globe, int64_t count, const double *lon, const double *lat,
                      double *vectors);

/* The place of a vector of any length but 0. Longitude in (-180, 180]. */
void gv_globe_place(const gv_globe *globe, const double vector[3], double *lon, double *lat);

/* The longitude halfway between two, the shorter way. */
double gv_globe_halfway(double lon, double other);

/* A normal of the great circle along which directions lie, through the first of them and the one that is
 * farthest from its line. Returns the sine of the largest angle between a direction and the circle; 1 if all
 * are one place or antipodes. */
double gv_globe_great_circle(const double *vectors, int64_t count, double normal[3]);

/* Whether directions lie so near a great circle that their vertices are around its poles, and its normal. */
bool gv_globe_follows_circle(const double *vectors, int64_t count, double normal[3]);

/* Meters: around the antipode of a place, its cut locus and the vertices beside it; the cut locus is a line
 * of 2 pi a f at most. 250 km on WGS 84. */
double gv_globe_antipodal_radius(const gv_globe *globe);

/* The angle around an axis from a direction on to another, 0 to 2 pi. */
double gv_globe_angle(const double axis[3], const double from[3], const double to[3]);

/* Whether the bisector of two directions on the conformal sphere, from one place of it to another with the
 * first direction on the left, leads through a disc around `center`. `radius` in meters. */
bool gv_globe_passes(const gv_globe *globe, const double left[3], const double right[3], const double lon[2],
                     const double lat[2], const double center[3], double radius);

/* The place where that bisector enters the disc, with the first direction on the left; false if it does
 * not. */
bool gv_globe_enters(const gv_globe *globe, const double left[3], const double right[3],
                     const double center[3], double radius, double place[3]);

typedef struct gv_equidistant {
  double lon, lat; /* the place; at first where the search begins */
  double distance; /* of the seeds, meters */
  double noise;    /* of the place, meters */
} gv_equidistant;

/* Meters: places farther from their seeds are not found. */
double gv_globe_reach(const gv_globe *globe);

/* `seeds` (2 or 3) on the ellipsoid, by longitude and latitude; three lie counterclockwise around the place.
 * False where none was found. */
bool gv_equidistant_find(const gv_globe *globe, int seeds, const double *lon, const double *lat,
                         gv_equidistant *at);

/*
 * How many meters farther a place is from the first of two seeds than from the second. *noise: what that is
 * exact to. Differences of seeds that are close together are exact to a small part of their distance, not of
 * that of the place.
 */
double gv_equidistant_farther(const gv_globe *globe, const double lon[2], const double lat[2],
                              const double place[2], double *noise);

#endif
