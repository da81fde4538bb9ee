/*
 * Bounds of the places of many cells, by which tiles of a grid and parts of the mesh are culled; and centers
 * of cells in the coordinates of a geotransform, in a fixed order of operations.
 *
 * A piece of the globe. In the frame turned to its middle longitude a place is (p cos t, p sin t, z) with |t|
 * <= T, and in the local frame east, north, up at the middle latitude L its coordinates are east = p sin t,
 * north = z cos L - p cos t sin L, up = p cos t cos L + z sin L. north and up are linear in cos t, so their
 * extremes over t lie at cos t = 1 and cos t = cos T. Over the latitudes each is a combination of p and z
 * with coefficients of norm <= 1; its second derivative by latitude is at most `curvature`; between the two
 * end rows it leaves the chord by at most curvature * span^2 / 8.
 */
#ifndef GV_BOUND_H
#define GV_BOUND_H

#include <stdint.h>

#include "core/angles.h"
#include "core/both.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tables are padded so that a vector kernel may read this many entries past their end. */
enum { GV_TABLE_PADDING = 64 };

/* A zonotope that holds the canonical position of every cell of a tile or a part of the mesh: center + sum
 * t_k generator[k], |t_k| <= 1. (A box in the directions of the generators.) On the plane the third
 * coordinate and generator are zero. */
typedef struct gv_bound {
  double center[3];
  double generator[3][3];
  double radius;                     /* >= the distance of any of its points from the center */
  double extent_across, extent_down; /* lengths of the half axes along columns and rows */
} gv_bound;

/*
 * A piece of the globe between two parallels and two meridians. Angles in radians; `curvature` as in
 * gv_cells.
 */
typedef struct gv_globe_piece {
  double half_width; /* from the middle meridian */
  double span;       /* of latitude */
  double curvature;
  double p[2], z[2];       /* of the two parallels */
  double sin_lat, cos_lat; /* a latitude for the directions, best in the middle */
  double sin_lon, cos_lon; /* of the middle meridian */
  double pad;              /* to be added on all sides */
} gv_globe_piece;

/* A zonotope that holds it. */
GV_BOTH void gv_globe_bound(const gv_globe_piece *piece, gv_bound *out) {
  double sag = piece->curvature * piece->span * piece->span / 8.0, pad = piece->pad;
  double half_width = piece->half_width;

  /* sin and cos of T, bounded: sin T <= T, cos T >= 1 - T^2 / 2. */
  double sin_max = half_width < 1.0 ? half_width : 1.0;
  double cos_min = half_width < 2.0 ? 1.0 - 0.5 * half_width * half_width : -1.0;

  double p0 = piece->p[0], p1 = piece->p[1], z0 = piece->z[0], z1 = piece->z[1];
  double sin_lat = piece->sin_lat, cos_lat = piece->cos_lat, sin_lon = piece->sin_lon,
         cos_lon = piece->cos_lon;
  double east = (gv_larger(p0, p1) + sag) * sin_max + pad;
  double north_a = z0 * cos_lat - p0 * sin_lat, north_b = z1 * cos_lat - p1 * sin_lat;
  double north_c = z0 * cos_lat - p0 * cos_min * sin_lat, north_d = z1 * cos_lat - p1 * cos_min * sin_lat;
  double up_a = p0 * cos_lat + z0 * sin_lat, up_b = p1 * cos_lat + z1 * sin_lat;
  double up_c = p0 * cos_min * cos_lat + z0 * sin_lat, up_d = p1 * cos_min * cos_lat + z1 * sin_lat;
  double north_low = gv_smaller(gv_smaller(north_a, north_b), gv_smaller(north_c, north_d)) - sag - pad;
  double north_high = gv_larger(gv_larger(north_a, north_b), gv_larger(north_c, north_d)) + sag + pad;
  double up_low = gv_smaller(gv_smaller(up_a, up_b), gv_smaller(up_c, up_d)) - sag - pad;
  double up_high = gv_larger(gv_larger(up_a, up_b), gv_larger(up_c, up_d)) + sag + pad;
  double north = 0.5 * (north_high - north_low), up = 0.5 * (up_high - up_low);
  double north_middle = 0.5 * (north_high + north_low), up_middle = 0.5 * (up_high + up_low);

  double meridian = up_middle * cos_lat - north_middle * sin_lat;
  out->center[0] = meridian * cos_lon;
  out->center[1] = meridian * sin_lon;
  out->center[2] = up_middle * sin_lat + north_middle * cos_lat;
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

/* Coordinates of a cell's center by a geotransform; half columns and rows lie between centers. */
GV_BOTH double gv_center_x(const double *geotransform, double column, double row) {
  return (geotransform[0] + (column + 0.5) * geotransform[1]) + (row + 0.5) * geotransform[2];
}

GV_BOTH double gv_center_y(const double *geotransform, double column, double row) {
  return (geotransform[3] + (column + 0.5) * geotransform[4]) + (row + 0.5) * geotransform[5];
}

/* Rounding puts rows of cell centers that should be at a pole next to it: a center at most 1e-6 of a cell
 * outside counts as the pole. */
#define GV_POLE_TOLERANCE 1e-6

/* The latitude of a row of a longitude/latitude grid. */
GV_BOTH double gv_row_latitude(const double *geotransform, double row) {
  double lat = gv_center_y(geotransform, 0.0, row);
  return lat > 90.0 ? 90.0 : lat < -90.0 ? -90.0 : lat;
}

/* Half the angle that columns c0 ... c1 - 1 of a longitude/latitude grid go round, and the angle of rows r0
 * ... r1 - 1. */
GV_BOTH double gv_half_width(const double *geotransform, int64_t c0, int64_t c1) {
  return 0.5 * (double)(c1 - c0 - 1) * fabs(geotransform[1]) * GV_DEGREE;
}

GV_BOTH double gv_latitude_span(const double *geotransform, int64_t r0, int64_t r1) {
  return (double)(r1 - r0 - 1) * fabs(geotransform[5]) * GV_DEGREE;
}

/* A tile of a plane grid, columns c0 ... c1 - 1 and rows r0 ... r1 - 1. */
GV_BOTH void gv_plane_bound(const double *geotransform, int64_t c0, int64_t c1, int64_t r0, int64_t r1,
                            gv_bound *out) {
  double column = 0.5 * (double)(c0 + c1 - 1), row = 0.5 * (double)(r0 + r1 - 1);
  double across = 0.5 * (double)(c1 - c0 - 1), down = 0.5 * (double)(r1 - r0 - 1);
  out->center[0] = gv_center_x(geotransform, column, row);
  out->center[1] = gv_center_y(geotransform, column, row);
  out->generator[0][0] = across * geotransform[1];
  out->generator[0][1] = across * geotransform[4];
  out->generator[1][0] = down * geotransform[2];
  out->generator[1][1] = down * geotransform[5];
  out->generator[2][0] = out->generator[2][1] = 0.0;
  out->center[2] = out->generator[0][2] = out->generator[1][2] = out->generator[2][2] = 0.0;
  out->extent_across = hypot(out->generator[0][0], out->generator[0][1]);
  out->extent_down = hypot(out->generator[1][0], out->generator[1][1]);
  out->radius = (out->extent_across + out->extent_down) * (1.0 + 1e-12);
}

#ifdef __cplusplus
}
#endif

#endif
