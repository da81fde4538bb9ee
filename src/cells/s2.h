/*
 * S2 cells (s2geometry.io): centers, areas, bounds.
 *
 * A level has 6 * 4^level cells, numbered in the order of their ids along the Hilbert curves of the six faces
 * of a cube. The children of cell n are 4 n ... 4 n + 3. A cell is a square of its face in coordinates s, t;
 * u = u(s), v = v(t) by S2's quadratic projection are those on the cube, and the ray through (u, v) meets the
 * sphere.
 *
 * The position of a cell is the unit vector of its center, or with an ellipsoid the place with that
 * surface normal.
 */
#ifndef GV_S2_H
#define GV_S2_H

#include "cells/on_sphere.h"
#include "core/both.h"

enum { GV_S2_FACES = 6 };

/* ------------------------------------------------------- cells and their centers, on processors and GPUs */

/* Column and row of a cell on its face, and how the curve runs through it. */
typedef struct gv_s2_cell {
  int64_t i, j;
  int turn;
} gv_s2_cell;

GV_BOTH gv_s2_cell gv_s2_child(const gv_s2_cell *cell, int child) {
  static const uint8_t place[4][4] = {{0, 1, 3, 2}, {0, 2, 3, 1}, {3, 2, 0, 1}, {3, 1, 0, 2}};
  static const uint8_t turned[4] = {1, 0, 0, 3};
  const int at = place[cell->turn][child];
  const gv_s2_cell made = {2 * cell->i + (at >> 1), 2 * cell->j + (at & 1), cell->turn ^ turned[child]};
  return made;
}

GV_BOTH gv_s2_cell gv_s2_find(int level, int64_t number) {
  gv_s2_cell cell = {0, 0, (int)(number >> 2 * level) & 1};
  for (int bits = 2 * level - 2; bits >= 0; bits -= 2)
    cell = gv_s2_child(&cell, (int)(number >> bits) & 3);
  return cell;
}

GV_BOTH double gv_s2_project(double s) {
  return s >= 0.5 ? (1.0 / 3.0) * (4.0 * s * s - 1.0) : (1.0 / 3.0) * (1.0 - 4.0 * (1.0 - s) * (1.0 - s));
}

/* The ray through a point of a face. */
GV_BOTH void gv_s2_ray(int face, double u, double v, double ray[3]) {
  const double all[GV_S2_FACES][3] = {{1, u, v},    {-u, 1, v},  {-u, -v, 1},
                                      {-1, -v, -u}, {v, -1, -u}, {v, u, -1}};
  for (int d = 0; d < 3; d++)
    ray[d] = all[face][d];
}

/* Latitudes are those on the sphere. */
GV_BOTH gv_direction gv_s2_direction(const double ray[3]) {
  double across2 = ray[0] * ray[0] + ray[1] * ray[1], across = sqrt(across2),
         length = sqrt(across2 + ray[2] * ray[2]);
  bool pole = across == 0.0;
  const gv_direction made = {ray[2] / length, across / length, pole ? 0.0 : ray[1] / across,
                             pole ? 1.0 : ray[0] / across};
  return made;
}

/* Of the center of a cell. */
GV_BOTH gv_direction gv_s2_direction_of(int level, int64_t number) {
  double ray[3], side = ldexp(1.0, -level - 1);
  gv_s2_cell cell = gv_s2_find(level, number);
  gv_s2_ray((int)(number >> 2 * level), gv_s2_project((double)(2 * cell.i + 1) * side),
            gv_s2_project((double)(2 * cell.j + 1) * side), ray);
  return gv_s2_direction(ray);
}

/* --------------------------------------------------------------------------------------------- many cells */

typedef struct gv_s2 {
  int level;
  gv_sphere_latitudes latitudes;
} gv_s2;

/* level 0 ... GV_S2_MAX_LEVEL; authalic: |flattening| <= GV_AUTHALIC_FLATTEST. */
void gv_s2_make(int level, bool authalic, const gv_ellipsoid *ellipsoid, gv_s2 *out);

/* The curve, three levels at a time: by the turn and the places across and down, the next turn and three
 * levels of the number. */
enum { GV_S2_CURVE_LEVELS = 3, GV_S2_CURVE_MOST = 30 };
typedef struct gv_s2_curve {
  uint8_t step[4][64];
} gv_s2_curve;

GV_BOTH void gv_s2_curve_make(gv_s2_curve *out) {
  for (int turn = 0; turn < 4; turn++) {
    for (int number = 0; number < 64; number++) {
      gv_s2_cell cell = {0, 0, turn};
      for (int bits = 4; bits >= 0; bits -= 2)
        cell = gv_s2_child(&cell, number >> bits & 3);
      out->step[turn][8 * cell.i + cell.j] = (uint8_t)(cell.turn << 6 | number);
    }
  }
}

/* The inverse of gv_s2_project. */
GV_BOTH double gv_s2_unproject(double u) {
  return u >= 0.0 ? 0.5 * sqrt(1.0 + 3.0 * u) : 1.0 - 0.5 * sqrt(1.0 - 3.0 * u);
}

/* The inverse of gv_s2_ray, with S2's own choice of a face on edges between them. */
GV_BOTH int gv_s2_face(const double ray[3], double *u, double *v) {
  const double x = ray[0], y = ray[1], z = ray[2], largest = fmax(fabs(x), fmax(fabs(y), fabs(z)));
  const int axis = largest == fabs(z) ? 2 : largest == fabs(y) ? 1 : 0;
  const bool back = ray[axis] < 0.0;
  switch (axis) {
  case 0:
    *u = (back ? z : y) / x;
    *v = (back ? y : z) / x;
    break;
  case 1:
    *u = (back ? z : -x) / y;
    *v = (back ? -x : z) / y;
    break;
  default:
    *u = (back ? -y : -x) / z;
    *v = (back ? -x : -y) / z;
  }
  return back ? axis + 3 : axis;
}

/* The column or row of a coordinate of gv_s2_face on a face of `side` columns. */
GV_BOTH int64_t gv_s2_column(double u, double side) {
  const double at = gv_s2_unproject(u) * side;
  return at < side ? at >= 0.0 ? (int64_t)at : 0 : (int64_t)side - 1;
}

/* The number of the cell that a direction of any length lies in. `level`: a multiple of 3 up to
 * GV_S2_CURVE_MOST. */
GV_BOTH int64_t gv_s2_curve_number(const gv_s2_curve *curve, int level, const double direction[3]) {
  double u, v;
  const int face = gv_s2_face(direction, &u, &v);
  const double side = (double)(INT64_C(1) << level);
  const int64_t i = gv_s2_column(u, side), j = gv_s2_column(v, side);
  int64_t number = face;
  int turn = face & 1;
  for (int bit = level - GV_S2_CURVE_LEVELS; bit >= 0; bit -= GV_S2_CURVE_LEVELS) {
    const uint8_t step = curve->step[turn][8 * (i >> bit & 7) + (j >> bit & 7)];
    number = number << 6 | (step & 63);
    turn = step >> 6;
  }
  return number;
}

/* Positions of `count` cells from number `first` on; ellipsoid NULL: unit vectors. */
void gv_s2_positions(const gv_s2 *s2, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count, double *x,
                     double *y, double *z);

/* Longitude in (-180, 180] and geodetic latitude of a center, degrees. */
void gv_s2_lonlat(const gv_s2 *s2, int64_t number, double *lon, double *lat);

/* A zonotope that holds the positions of the 4^bits cells from number `first`, a multiple of 4^bits, on.
 * `curvature` as in gv_cells. */
void gv_s2_bound(const gv_s2 *s2, const gv_ellipsoid *ellipsoid, double curvature, int bits, int64_t first,
                 gv_bound *out);

/* Area of a cell on the unit sphere; relative error below 1e-14. */
double gv_s2_solid_angle(int level, int64_t number);

/* No cell of a level has more than this over 4^level. */
#define GV_S2_LARGEST_SOLID_ANGLE 2.64

#endif
