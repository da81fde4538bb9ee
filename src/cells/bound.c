/* Bounds of pieces of the globe. */
#include "cells/bound.h"

#include <math.h>

/* Not fmin and fmax: those are calls, and tiles are many. */
static inline double smaller(double a, double b) {
  return a < b ? a : b;
}

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

/*
 * In the frame turned to the tile's middle longitude a cell is (p cos t, p sin t, z) with |t| <= T, and in the
 * local frame east, north, up at the middle latitude L its coordinates are east = p sin t,   north = z cos L - p
 * cos t sin L,   up = p cos t cos L + z sin L. north and up are linear in cos t, so their extremes over t lie at
 * cos t = 1 and cos t = cos T. Over the latitudes each is a combination of p and z with coefficients of norm <= 1,
 * whose second derivative by latitude is at most the bound `curvature` below; between the two end rows it leaves
 * the chord by at most curvature * span^2 / 8.
 */
void gv_globe_bound(const gv_globe_piece *piece, gv_bound *out) {
  double sag = piece->curvature * piece->span * piece->span / 8.0, pad = piece->pad;
  double half_width = piece->half_width;

  /* sin and cos of T, bounded: sin T <= T, cos T >= 1 - T^2 / 2. */
  double sin_max = half_width < 1.0 ? half_width : 1.0;
  double cos_min = half_width < 2.0 ? 1.0 - 0.5 * half_width * half_width : -1.0;

  double p0 = piece->p[0], p1 = piece->p[1], z0 = piece->z[0], z1 = piece->z[1];
  double sin_lat = piece->sin_lat, cos_lat = piece->cos_lat, sin_lon = piece->sin_lon, cos_lon = piece->cos_lon;
  double east = (larger(p0, p1) + sag) * sin_max + pad;
  double north_a = z0 * cos_lat - p0 * sin_lat, north_b = z1 * cos_lat - p1 * sin_lat;
  double north_c = z0 * cos_lat - p0 * cos_min * sin_lat, north_d = z1 * cos_lat - p1 * cos_min * sin_lat;
  double up_a = p0 * cos_lat + z0 * sin_lat, up_b = p1 * cos_lat + z1 * sin_lat;
  double up_c = p0 * cos_min * cos_lat + z0 * sin_lat, up_d = p1 * cos_min * cos_lat + z1 * sin_lat;
  double north_low = smaller(smaller(north_a, north_b), smaller(north_c, north_d)) - sag - pad;
  double north_high = larger(larger(north_a, north_b), larger(north_c, north_d)) + sag + pad;
  double up_low = smaller(smaller(up_a, up_b), smaller(up_c, up_d)) - sag - pad;
  double up_high = larger(larger(up_a, up_b), larger(up_c, up_d)) + sag + pad;
  double north = 0.5 * (north_high - north_low), up = 0.5 * (up_high - up_low);
  double north_middle = 0.5 * (north_high + north_low), up_middle = 0.5 * (up_high + up_low);

  double meridian = up_middle * cos_lat - north_middle * sin_lat;
  out->centre[0] = meridian * cos_lon;
  out->centre[1] = meridian * sin_lon;
  out->centre[2] = up_middle * sin_lat + north_middle * cos_lat;
  out->generator[0][0] = -sin_lon * east;
  out->generator[0][1] = cos_lon * east;
  out->generator[0][2] = 0.0;
  out->generator[1][0] = -sin_lat * cos_lon * north;
  out->generator[1][1] = -sin_lat * sin_lon * north;
  out->generator[1][2] = cos_lat * north;
  out->generator[2][0] = cos_lat * cos_lon * up;
  out->generator[2][1] = cos_lat * sin_lon * up;
  out->generator[2][2] = sin_lat * up;
  out->extent_across = east;
  out->extent_down = north;
  out->radius = sqrt(east * east + north * north + up * up) * (1.0 + 1e-12);
}
