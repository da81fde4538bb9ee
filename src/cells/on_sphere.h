/*
 * Meshes that are defined on the unit sphere (HEALPix, S2): their latitudes on an ellipsoid, and bounds of
 * their parts.
 *
 * The latitude of a center on the sphere is a geodetic one, or an authalic one: then equal areas of the
 * sphere are equal areas of the ellipsoid.
 */
#ifndef GV_ON_SPHERE_H
#define GV_ON_SPHERE_H

#include "cells/bound.h"
#include "core/both.h"
#include "exact/globe.h"

enum { GV_AUTHALIC_TERMS = 6 };

/* Ellipsoids flatter than this have no authalic latitudes here: the series needs a small flattening. */
#define GV_AUTHALIC_FLATTEST 0.02

typedef struct gv_sphere_latitudes {
  bool authalic;
  double series[GV_AUTHALIC_TERMS]; /* geodetic - authalic latitude = sum of series[j] sin(2 (j + 1) authalic
                                       latitude) */
  const struct gv_globe_kernels *kernels;
} gv_sphere_latitudes;

/* From sine and cosine of the authalic latitude to those of the geodetic one. */
GV_BOTH void gv_authalic_to_geodetic(const double *series, double *sine, double *cosine) {
  double s = *sine, c = *cosine, twice = 2.0 * (1.0 - 2.0 * s * s), one = 0.0, two = 0.0;
  for (int j = GV_AUTHALIC_TERMS - 1; j >= 0; j--) { /* Clenshaw */
    double next = twice * one - two + series[j];
    two = one;
    one = next;
  }
  double d = one * (2.0 * s * c), q = d * d; /* at most 0.03 */
  double sin_d = d * (1.0 - q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0))));
  double cos_d = 1.0 - q / 2.0 * (1.0 - q / 12.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0)));
  *sine = s * cos_d + c * sin_d;
  *cosine = c * cos_d - s * sin_d;
}

/* authalic: |flattening| <= GV_AUTHALIC_FLATTEST. */
void gv_sphere_latitudes_make(bool authalic, const gv_ellipsoid *ellipsoid, gv_sphere_latitudes *out);

/* Sines and cosines of `count` latitudes on the sphere become those of geodetic latitudes. */
void gv_sphere_latitudes_convert(const gv_sphere_latitudes *latitudes, int count, double *sine,
                                 double *cosine);

/* A direction: sines and cosines of its geodetic latitude and its longitude. */
typedef struct gv_direction {
  double sin_lat, cos_lat, sin_lon, cos_lon;
} gv_direction;

/* A zonotope that holds the positions of all centers within `radius` radians (on the unit sphere) of one; its
 * geodetic direction is given. ellipsoid NULL: unit vectors. `curvature` as in gv_cells. */
void gv_sphere_cap_bound(const gv_sphere_latitudes *latitudes, const gv_ellipsoid *ellipsoid,
                         double curvature, const gv_direction *center, double radius, gv_bound *out);

#endif
