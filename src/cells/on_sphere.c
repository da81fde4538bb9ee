/*
 * Meshes on the sphere.
 *
 * The bound of a cap. Authalic latitudes stretch distances on the sphere of normals by less than 1.03 for
 * flattenings up to GV_AUTHALIC_FLATTEST. With normals within r of that of the center's position P, a
 * position leaves P by at most c r along the surface, where c, `curvature`, is at least all radii of
 * curvature; and as the surface is convex, and turns by no more than t after a way of c t, by 0 ... c r^2 / 2
 * inwards.
 */
#include "cells/on_sphere.h"

#include "exact/globe_kernels.h"

void gv_sphere_latitudes_make(bool authalic, const gv_ellipsoid *ellipsoid, gv_sphere_latitudes *out) {
  *out = (gv_sphere_latitudes){.authalic = authalic, .kernels = gv_globe_kernels_get()};
  /* Karney, On auxiliary latitudes (2023), to the sixth power of the third flattening. */
  static const double coefficient[GV_AUTHALIC_TERMS][GV_AUTHALIC_TERMS] = {
      {4.0 / 3, 4.0 / 45, -16.0 / 35, -2582.0 / 14175, 60136.0 / 467775, 28112932.0 / 212837625},
      {0, 46.0 / 45, 152.0 / 945, -11966.0 / 14175, -21016.0 / 51975, 251310128.0 / 638512875},
      {0, 0, 3044.0 / 2835, 3802.0 / 14175, -94388.0 / 66825, -8797648.0 / 10945935},
      {0, 0, 0, 6059.0 / 4725, 41072.0 / 93555, -1472637812.0 / 638512875},
      {0, 0, 0, 0, 768272.0 / 467775, 455935736.0 / 638512875},
      {0, 0, 0, 0, 0, 4210684958.0 / 1915538625}};
  double n = ellipsoid->flattening / (2.0 - ellipsoid->flattening);
  for (int j = 0; j < GV_AUTHALIC_TERMS; j++) {
    double sum = 0.0;
    for (int i = GV_AUTHALIC_TERMS - 1; i >= 0; i--)
      sum = (sum + coefficient[j][i]) * n;
    out->series[j] = sum;
  }
}

void gv_sphere_latitudes_convert(const gv_sphere_latitudes *l, int count, double *sine, double *cosine) {
  for (int i = 0; i < count && l->authalic; i++)
    gv_authalic_to_geodetic(l->series, &sine[i], &cosine[i]);
}

void gv_sphere_cap_bound(const gv_sphere_latitudes *l, const gv_ellipsoid *ellipsoid, double curvature,
                         const gv_direction *at, double radius, gv_bound *out) {
  double p, z, stretch = l->authalic ? 0.03 : 0.0;
  l->kernels->meridian(ellipsoid != NULL ? ellipsoid->eccentricity2 : -1.0, 1, &at->sin_lat, &at->cos_lat, &p,
                       &z);
  double along = curvature * (1.0 + stretch) * radius, inwards = along * along * 0.25;
  const double up[3] = {at->cos_lat * at->cos_lon, at->cos_lat * at->sin_lon, at->sin_lat};
  const double north[3] = {-at->sin_lat * at->cos_lon, -at->sin_lat * at->sin_lon, at->cos_lat};
  const double east[3] = {-at->sin_lon, at->cos_lon, 0.0};
  const double place[3] = {p * at->cos_lon, p * at->sin_lon, z};
  for (int d = 0; d < 3; d++) {
    out->center[d] = place[d] - inwards * up[d];
    out->generator[0][d] = along * east[d];
    out->generator[1][d] = along * north[d];
    out->generator[2][d] = inwards * up[d];
  }
  out->extent_across = out->extent_down = along;
  out->radius = sqrt(2.0 * along * along + inwards * inwards) * (1.0 + 1e-12);
}
