/*
 * HEALPix pixels in the NESTED scheme, or in the RING scheme (Gorski et al. 2005, ApJ 622, 759): centers,
 * bounds.
 *
 * 12 * 4^order pixels of equal area on the unit sphere. The children of pixel n are 4 n ... 4 n + 3. A center
 * has the sine z of its latitude and the longitude 45 jp / nr degrees with whole jp and nr. The latitude is
 * geodetic, or authalic: then equal areas of the sphere are equal areas of the ellipsoid.
 *
 * The place of a pixel is the unit vector of its center, or with a geocentric ellipsoid the place with that
 * surface normal.
 */
#ifndef GV_HEALPIX_H
#define GV_HEALPIX_H

#include "cells/on_sphere.h"
#include "core/both.h"

enum { GV_HEALPIX_FACES = 12 };

/* ----------------------------------------------------- pixels and their centers, on processors and GPUs */

/* Rings of a face from the pole to its southern corner, in faces; and eighths of a turn to its middle. */
GV_BOTH int gv_healpix_ring_of_face(int face) {
  return 2 + face / 4;
}

GV_BOTH int gv_healpix_turn_of_face(int face) {
  return 2 * (face % 4) + (face / 4 == 1 ? 0 : 1);
}

/* Every second bit. */
GV_BOTH int64_t gv_healpix_compress(uint64_t v) {
  v &= 0x5555555555555555u;
  v = (v | v >> 1) & 0x3333333333333333u;
  v = (v | v >> 2) & 0x0f0f0f0f0f0f0f0fu;
  v = (v | v >> 4) & 0x00ff00ff00ff00ffu;
  v = (v | v >> 8) & 0x0000ffff0000ffffu;
  return (int64_t)((v | v >> 16) & 0x00000000ffffffffu);
}

/* A pixel by its ring (from 1) and its place in it. */
typedef struct gv_healpix_place {
  int64_t ring;   /* jr, 1 ... 4 nside - 1 */
  int64_t nr;     /* pixels of a quarter of the ring */
  int64_t eighth; /* jp: its longitude is 45 jp / nr degrees, 0 <= jp < 8 nr */
} gv_healpix_place;

GV_BOTH gv_healpix_place gv_healpix_find(int order, int64_t number) {
  const int64_t nside = INT64_C(1) << order;
  int face = (int)(number >> 2 * order);
  uint64_t within = (uint64_t)number & (((uint64_t)1 << 2 * order) - 1);
  int64_t ix = gv_healpix_compress(within), iy = gv_healpix_compress(within >> 1);
  gv_healpix_place p;
  p.ring = gv_healpix_ring_of_face(face) * nside - ix - iy - 1;
  p.nr = p.ring < nside ? p.ring : p.ring > 3 * nside ? 4 * nside - p.ring : nside;
  p.eighth = gv_healpix_turn_of_face(face) * p.nr + ix - iy;
  if (p.eighth < 0) p.eighth += 8 * p.nr;
  return p;
}

/* The largest r with r (r - 1) * 2 <= ring number. */
GV_BOTH int64_t gv_healpix_cap_ring(int64_t number) {
  int64_t ring = (int64_t)((1.0 + sqrt(1.0 + 2.0 * (double)number)) / 2.0);
  while (2 * ring * (ring - 1) > number)
    ring--;
  while (2 * ring * (ring + 1) <= number)
    ring++;
  return ring;
}

/* Of a number of the RING scheme. */
GV_BOTH gv_healpix_place gv_healpix_find_in_ring(int order, int64_t number) {
  const int64_t count = INT64_C(12) << 2 * order, nside = INT64_C(1) << order, cap = 2 * nside * (nside - 1);
  gv_healpix_place p;
  int64_t at;
  bool shifted = true;
  if (number < cap) {
    p.nr = p.ring = gv_healpix_cap_ring(number);
    at = number - 2 * p.ring * (p.ring - 1);
  } else if (number < count - cap) {
    p.nr = nside;
    p.ring = nside + (number - cap) / (4 * nside);
    at = (number - cap) % (4 * nside);
    shifted = (p.ring - nside) % 2 == 0;
  } else {
    int64_t back = count - 1 - number;
    p.nr = gv_healpix_cap_ring(back);
    p.ring = 4 * nside - p.nr;
    at = 4 * p.nr - 1 - (back - 2 * p.nr * (p.nr - 1));
  }
  p.eighth = 2 * at + (shifted ? 1 : 0);
  return p;
}

/* The center of one pixel: sine and cosine of its latitude on the sphere, and its longitude in (-180, 180]
 * degrees. */
GV_BOTH void gv_healpix_cell_center(double nside, double ring, double nr, double eighth, double *sine,
                                    double *cosine, double *lon) {
  double cap = nr * nr / (3.0 * nside * nside), polar = ring < nside ? 1.0 - cap : cap - 1.0,
         belt = 2.0 * (2.0 * nside - ring) / (3.0 * nside);
  bool in_belt = nr == nside;
  double z = in_belt ? belt : polar, c2 = in_belt ? (1.0 - belt) * (1.0 + belt) : cap * (2.0 - cap);
  *sine = z;
  *cosine = sqrt(c2);
  *lon = 45.0 * (eighth > 4.0 * nr ? eighth - 8.0 * nr : eighth) / nr;
}

/* -------------------------------------------------------------------------------------------- many pixels */

typedef struct gv_healpix {
  int order;
  bool ring;
  gv_sphere_latitudes latitudes;
} gv_healpix;

/* order 0 ... GV_HEALPIX_MAX_ORDER; authalic: |flattening| <= GV_AUTHALIC_FLATTEST. */
void gv_healpix_make(int order, bool ring, bool authalic, const gv_ellipsoid *ellipsoid, gv_healpix *out);

/* Positions of `count` (<= GV_HEALPIX_AT_ONCE) pixels from number `first` on; ellipsoid NULL: unit
 * vectors. */
enum { GV_HEALPIX_AT_ONCE = 64 };
void gv_healpix_positions(const gv_healpix *healpix, const gv_ellipsoid *ellipsoid, int64_t first, int count,
                          double *x, double *y, double *z);

/* The same of any number of pixels. */
void gv_healpix_span_positions(const gv_healpix *healpix, const gv_ellipsoid *ellipsoid, int64_t first,
                               int64_t count, double *x, double *y, double *z);

/* Longitude in (-180, 180] and geodetic latitude of a center, degrees. */
void gv_healpix_lonlat(const gv_healpix *healpix, int64_t number, double *lon, double *lat);

/* A zonotope that holds the positions of the 4^bits pixels from number `first`, a multiple of 4^bits, on; not
 * in the RING scheme. `curvature` as in gv_cells. */
void gv_healpix_bound(const gv_healpix *healpix, const gv_ellipsoid *ellipsoid, double curvature, int bits,
                      int64_t first, gv_bound *out);

#endif
