/*
 * S2 cells (s2geometry.io): centers, areas, bounds.
 *
 * A level has 6 * 4^level cells, numbered in the order of their ids along the Hilbert curves of the six faces of a cube. The children of
 * cell n are 4 n ... 4 n + 3. A cell is a square of its face in coordinates s, t; u = u(s), v = v(t) by S2's quadratic projection are those on
 * the cube, and the ray through (u, v) meets the sphere.
 *
 * The position of a cell is the unit vector of its center, or with an ellipsoid the place with that
 * surface normal.
 */
#ifndef GV_S2_H
#define GV_S2_H

#include "cells/on_sphere.h"

enum { GV_S2_FACES = 6 };

typedef struct gv_s2 {
  int level;
  gv_sphere_latitudes latitudes;
} gv_s2;

/* level 0 ... GV_S2_MAX_LEVEL; authalic: |flattening| <= GV_AUTHALIC_FLATTEST. */
void gv_s2_make(int level, bool authalic, const gv_ellipsoid *ellipsoid, gv_s2 *out);

/* The curve, three levels at a time: by the turn and the places across and down, the next turn and three levels of the number. */
enum { GV_S2_CURVE_LEVELS = 3, GV_S2_CURVE_MOST = 30 };
typedef struct gv_s2_curve {
  uint8_t step[4][64];
} gv_s2_curve;

void gv_s2_curve_make(gv_s2_curve *out);

/* The number of the cell that a direction of any length lies in. `level`: a multiple of 3 up to GV_S2_CURVE_MOST. */
int64_t gv_s2_curve_number(const gv_s2_curve *curve, int level, const double direction[3]);

/* Positions of `count` cells from number `first` on; ellipsoid NULL: unit vectors. */
void gv_s2_positions(const gv_s2 *s2, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count, double *x,
                     double *y, double *z);

/* Longitude in (-180, 180] and geodetic latitude of a center, degrees. */
void gv_s2_lonlat(const gv_s2 *s2, int64_t number, double *lon, double *lat);

/* A zonotope that holds the positions of the 4^bits cells from number `first`, a multiple of 4^bits, on. `curvature` as in gv_cells. */
void gv_s2_bound(const gv_s2 *s2, const gv_ellipsoid *ellipsoid, double curvature, int bits, int64_t first,
                 gv_bound *out);

/* Area of a cell on the unit sphere; relative error below 1e-14. */
double gv_s2_solid_angle(int level, int64_t number);

/* No cell of a level has more than this over 4^level. */
#define GV_S2_LARGEST_SOLID_ANGLE 2.64

#endif
