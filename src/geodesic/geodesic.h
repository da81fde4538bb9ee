/*
 * Bounds of geodesic distances by chords.
 *
 * On an oblate ellipsoid the geodesic between two points at a chord c has a length between
 *   2 R2 asin(c / 2 R2)  and  2 R1 asin(c / 2 R1),   R2 = a^2/b, R1 = b^2/a,
 * the arcs of circles with the largest and the smallest radius of curvature of the surface, for chords
 * below 0.999 * 2 R1 (checked on millions of random pairs against PROJ's geodesics: both hold to 5 nm; the
 * unit test repeats it). So most cells are decided by their chords; the rest need geod_inverse (Karney,
 * Algorithms for geodesics, J. Geodesy 87, 2013).
 *
 * Chords here are in units of the semi-major axis.
 */
#ifndef GV_GEODESIC_H
#define GV_GEODESIC_H

#include <geodesic.h>

#include "cells/bound.h"
#include "cells/candidates.h"
#include "exact/globe.h"
#include "geodesic/series.h"
#include "geodesic/slack.h"

/* Positions of seeds, by the numbers of candidates: normalized degrees. */
typedef struct gv_lonlats {
  const double *lon, *lat;
} gv_lonlats;

typedef struct gv_geodesic {
  struct geod_geodesic geod;
  gv_chords chords;
  gv_series series;
  const gv_series_kernels *kernels;
} gv_geodesic;

void gv_geodesic_init(const gv_ellipsoid *ellipsoid, gv_geodesic *out);

/* gv_chord_slack. */
double gv_geodesic_slack(const gv_geodesic *geodesic, double chord);

/*
 * Converts a geodesic of `length` meters to squared chords: all up to *within belong to geodesics that are
 * not longer, all above *beyond to longer ones.
 */
void gv_geodesic_chords(const gv_geodesic *geodesic, double length, double *within, double *beyond);

/* Bounds in meters of the geodesics with squared chords in [near, far]. */
void gv_geodesic_lengths(const gv_geodesic *geodesic, double near, double far, double *shortest,
                         double *longest);

/*
 * Bounds [low[i], high[i]] of geod_inverse's distances from the place `vector` to n others, by the series:
 * mostly 0.2 micrometers apart; 0 and INFINITY where the series does not converge. Places are read up to the
 * next multiple of GV_PAIR_PADDING.
 */
void gv_geodesic_bounds(const gv_geodesic *geodesic, const double vector[3], int32_t n, const double *x,
                        const double *y, const double *z, double *low, double *high);

/*
 * Drops candidates that are farther than the one nearest the middle in every cell within a bound: seeds
 * close together as seen from far away.
 *
 * Let f = s_i - s_p be the difference of the distances from two seeds. Its gradient has the length 2
 * sin(alpha / 2), alpha the angle under which the seeds are seen. An oblate ellipsoid's Gaussian curvature
 * is at most 1/b^2 and its injectivity radius at least pi b (Klingenberg), so triangles of a perimeter
 * below 2 pi b have no larger angles than on the sphere of radius b (Bridson, Haefliger, Metric Spaces of
 * Non-Positive Curvature, II.4.9), where
 *   sin^2(alpha / 2) <= sin^2(D / 2b) / (sin(s_i / b) sin(s_p / b)),   D the seeds' distance from each other.
 * So f changes by at most L (D / b) / sqrt(sin sin) over a length L, with the least sines within it.
 *
 * No operation if that would gain little over bounds by chords with this slack.
 */
void gv_geodesic_thin(const gv_geodesic *geodesic, const gv_bound *bound, double slack,
                      gv_candidates *candidates);

/*
 * Distances of a few seeds around one cell, to first order, with a bound on the rest: distances from seeds
 * to the other cells of a small tile, if chords cannot separate them (seeds close together as seen from
 * far away).
 *
 * With v the initial vector of the geodesic of length L from the center m to a cell, the distance of a
 * seed there is
 *   s(m) - cos(azimuth - direction of v) |v| + rest,   |rest| <= K L^2 / 2,
 * where K bounds the second derivative of the distance along any direction. By the Hessian comparison
 * theorem (e.g. Petersen, Riemannian Geometry, ch. 6) that derivative lies between sqrt(k) cot(sqrt(k) s)
 * for the largest and the smallest Gaussian curvature k: 1/b^2 (equator) and b^2/a^4 (poles) on an oblate
 * ellipsoid, as long as s < pi b. v is the projection of the chord on the tangent plane, with an error of
 * at most L^3 / (4 R1^2).
 */
enum { GV_EXPANSION_LARGEST = 64 };

typedef struct gv_expansion {
  int32_t count;
  double center[3], east[3], north[3];
  double distance[GV_EXPANSION_LARGEST];  /* meters, from the center */
  double rate_east[GV_EXPANSION_LARGEST]; /* change of the distance per unit of v: minus the direction to the
                                             seed */
  double rate_north[GV_EXPANSION_LARGEST];
  double bend[GV_EXPANSION_LARGEST]; /* K in 1 / meter, valid within `reach` of the center */
  double reach;                      /* in units of the semi-major axis */
} gv_expansion;

/*
 * Expands around the place (lon, lat) with position `vector` for all candidates, good for cells within
 * `reach` of it. False where the bounds do not hold: too many candidates, a seed closer than twice the reach
 * or nearly antipodal, a prolate ellipsoid.
 */
bool gv_expansion_make(const gv_geodesic *geodesic, gv_lonlats seeds, double lon, double lat,
                       const double vector[3], double reach, const gv_candidates *candidates,
                       gv_expansion *out);

/* Drops the candidates that are farther than another one in every cell within reach, from the expansion and
 * from the list alike. */
void gv_expansion_cull(const gv_geodesic *geodesic, gv_expansion *expansion, gv_candidates *candidates);

/*
 * The exact decision for one cell: the candidate with the smallest geod_inverse distance, the first of equal
 * ones. lon, lat are the cell's, vector its position. `expansion` may be NULL; one of the same candidates
 * that is valid for the cell saves calls of geod_inverse. Returns the position in the candidate list.
 */
int32_t gv_geodesic_decide(const gv_geodesic *geodesic, gv_lonlats seeds, double lon, double lat,
                           const double vector[3], const gv_candidates *candidates,
                           const gv_expansion *expansion);

#endif
