/*
 * HEALPix pixels in the NESTED scheme, or in the RING scheme (Gorski et al. 2005, ApJ 622, 759): centers, bounds.
 *
 * 12 * 4^order pixels of equal area on the unit sphere. The children of pixel n are 4 n ... 4 n + 3. A center has
 * the sine z of its latitude and the longitude 45 jp / nr degrees with whole jp and nr. The latitude is geodetic,
 * or authalic: then equal areas of the sphere are equal areas of the ellipsoid.
 *
 * The place of a pixel is the unit vector of its center, or with a geocentric ellipsoid the place with that surface
 * normal.
 */
#ifndef GV_HEALPIX_H
#define GV_HEALPIX_H

#include "cells/on_sphere.h"

enum { GV_HEALPIX_FACES = 12 };

typedef struct gv_healpix {
  int order;
  bool ring;
  gv_sphere_latitudes latitudes;
} gv_healpix;

/* order 0 ... GV_HEALPIX_MAX_ORDER; authalic: |flattening| <= GV_AUTHALIC_FLATTEST. */
void gv_healpix_make(int order, bool ring, bool authalic, const gv_ellipsoid *ellipsoid, gv_healpix *out);

/* Positions of `count` (<= GV_HEALPIX_AT_ONCE) pixels from number `first` on; ellipsoid NULL: unit vectors. */
enum { GV_HEALPIX_AT_ONCE = 64 };
void gv_healpix_positions(const gv_healpix *healpix, const gv_ellipsoid *ellipsoid, int64_t first, int count,
                          double *x, double *y, double *z);

/* The same of any number of pixels. */
void gv_healpix_span_positions(const gv_healpix *healpix, const gv_ellipsoid *ellipsoid, int64_t first,
                               int64_t count, double *x, double *y, double *z);

/* Longitude in (-180, 180] and geodetic latitude of a center, degrees. */
void gv_healpix_lonlat(const gv_healpix *healpix, int64_t number, double *lon, double *lat);

/* A zonotope that holds the positions of the 4^bits pixels from number `first`, a multiple of 4^bits, on; not in the RING scheme. `curvature` as in gv_cells. */
void gv_healpix_bound(const gv_healpix *healpix, const gv_ellipsoid *ellipsoid, double curvature, int bits,
                      int64_t first, gv_bound *out);

#endif
