/*
 * The lattice of the QTM mesh's triangles, for processors and GPUs: the triangle of a place, the position
 * of a triangle, bounds of sub-triangles. qtm.c defines the mesh, qtm.h lattice coordinates.
 *
 * Which triangle. A place with latitude t and distance m from a bounding meridian of its octant (degrees)
 * has the barycentric coordinates
 *   pole: |t| / 90,   far corner: (90 - |t|) m / 8100,   near corner: (90 - |t|) (90 - m) / 8100.
 * Descending the tree compares them only with multiples of 2^-29. So each is converted, once and exactly,
 * to the integer below it in units of 2^-30, and one bit for a remainder.
 *
 * Bounds. All vertices of a sub-triangle lie between two parallels and two meridians, and gv_globe_bound
 * holds that piece of the globe (it is convex, so the triangles' plane centers too). A cell's center is
 * the mean of its three vertices, lengthened to 1: by 1 - sqrt(1 - s^2 / 3) at most, if no edge (a chord)
 * is longer than s. Along a parallel vertices are at most (pi/2)^2 / N apart, between parallels (pi/2) /
 * N, so s <= 3 / N, and s^2 / 3 = 2/3 in the octants themselves. On the ellipsoid a place and its normal
 * move together: distances grow by less than (1 + e^2)^2 / (1 - e^2), taken as 1.1 for e^2 < 0.02 and the
 * whole globe otherwise.
 */
#ifndef GV_LATTICE_H
#define GV_LATTICE_H

#include <stdbool.h>

#include "cells/bound.h"
#include "core/angles.h"
#include "exact/sines.h"

/* The basis number of an octant's western corner; the eastern one has 5 less that, the pole 1. */
GV_BOTH int32_t gv_lattice_west(int32_t octant) {
  return octant % 2 != 0 ? 2 : 3;
}

/* Sign of the exact sum of n <= 8 doubles. Shewchuk's expansion growth (Adaptive Precision Floating-Point
 * Arithmetic, 1997): the running sum is kept as non-overlapping parts, smallest first. */
GV_BOTH int gv_sign_of_sum(const double *term, int n) {
  double part[8];
  int parts = 0;
  for (int t = 0; t < n; t++) {
    double carry = term[t];
    int kept = 0;
    for (int i = 0; i < parts; i++) {
      double sum = carry + part[i];
      double virtual_part = sum - carry;
      double error = (carry - (sum - virtual_part)) + (part[i] - virtual_part);
      if (error != 0.0) part[kept++] = error;
      carry = sum;
    }
    if (carry != 0.0) part[kept++] = carry;
    parts = kept;
  }
  return parts == 0 ? 0 : part[parts - 1] > 0.0 ? 1 : -1;
}

/* A barycentric coordinate, (constant + by_t t + by_m m + by_tm t m) / 8100 for small integers, in units of
 * 2^-31: even when it is a multiple of 2^-30, else the odd number between two of them. */
GV_BOTH int64_t gv_lattice_quantise(double constant, double by_t, double by_m, double by_tm, double t,
                                    double m) {
  const double unit = 1073741824.0; /* 2^30 */
  double tm = t * m;
  double value = (constant + by_t * t + by_m * m + by_tm * tm) / 8100.0 * unit;
  /* Each of the four terms is at most 8100 and rounded a few times: the error is below 20 x 2^-53 x 2^30. */
  double nearest = rint(value);
  if (fabs(value - nearest) > 0x1p-18) return 2 * (int64_t)floor(value) + 1;
  double tm_error = fma(t, m, -tm), t_product = by_t * t, m_product = by_m * m;
  /* constant and by_tm are such that their products here are exact. */
  double term[7] = {constant - 8100.0 / unit * nearest, t_product,  fma(by_t, t, -t_product), m_product,
                    fma(by_m, m, -m_product),           by_tm * tm, by_tm * tm_error};
  return 2 * (int64_t)nearest + gv_sign_of_sum(term, 7);
}

/* The octant of a place, longitude in [-180, 180), and its barycentric coordinate for basis number i:
 * weight[i] / 2^31. */
GV_BOTH int32_t gv_lattice_locate(double longitude, double latitude, int64_t weight[4]) {
  double t = fabs(latitude), m = 0.0;
  int32_t octant = 1;
  bool from_east = false; /* m is counted from the octant's eastern side */
  if (t != 90.0 && longitude >= 0.0) {
    octant = longitude < 90.0 ? 1 : 2;
    m = longitude < 90.0 ? longitude : longitude - 90.0;
  } else if (t != 90.0) {
    octant = longitude < -90.0 ? 3 : 4;
    m = longitude < -90.0 ? -90.0 - longitude : -longitude;
    from_east = true;
  }
  if (latitude < 0.0) octant += 4;
  /* Smaller values could lose bits to underflow, and decide nothing that these do not. */
  if (t != 0.0 && t < 0x1p-300) t = 0x1p-300;
  if (m != 0.0 && m < 0x1p-300) m = 0x1p-300;
  const int32_t west = gv_lattice_west(octant), near = from_east ? 5 - west : west;
  weight[1] = gv_lattice_quantise(0.0, 90.0, 0.0, 0.0, t, m);
  weight[near] = gv_lattice_quantise(8100.0, -90.0, -90.0, 1.0, t, m);
  weight[5 - near] = gv_lattice_quantise(0.0, 0.0, 90.0, -1.0, t, m);
  return octant;
}

/* The child that a place with barycentric coordinates weight[i] / one lies in: with a coordinate of one half
 * or more that of corner i; ties go to the lowest number. The weights become those within it. */
GV_BOTH int32_t gv_lattice_child(int64_t weight[4], int64_t one) {
  int32_t child = 0;
  for (int32_t i = 3; i >= 1; i--) {
    if (2 * weight[i] >= one) child = i;
  }
  for (int32_t i = 1; i <= 3; i++) {
    int64_t w = 2 * weight[i];
    weight[i] = child == 0 ? one - w : i == child ? w - one : w;
  }
  if (child != 0) {
    /* The midpoint towards corner j carries the number of the third corner. */
    int32_t j = child == 1 ? 2 : 1, k = 6 - child - j;
    int64_t swap = weight[j];
    weight[j] = weight[k];
    weight[k] = swap;
  }
  return child;
}

/* How far a latitude is from its pole, in rows of triangles of a mesh of n rows an octant. */
GV_BOTH double gv_lattice_rows(double n, double latitude) {
  return (90.0 - fabs(latitude)) * (n / 90.0);
}

/* Which quarter of its hemisphere a longitude in [-180, 180] lies in, eastward from 0, and which part of it
 * is west of there. */
GV_BOTH int32_t gv_lattice_quarter(double longitude, double *part) {
  double turned = longitude < 0.0 ? longitude + 360.0 : longitude;
  int32_t quarter = (int32_t)(turned * (1.0 / 90.0));
  if (quarter > 3) quarter = 3;
  *part = (turned - 90.0 * quarter) * (1.0 / 90.0);
  return quarter;
}

/* Rows and columns of places in double are good to 2^20 x a few 2^-53: places nearer than this to an edge
 * need gv_lattice_locate. */
static const double gv_lattice_near = 1e-8;

/* `part`: of a row or column, 0 ... 1. */
GV_BOTH bool gv_lattice_near_end(double part) {
  return part < gv_lattice_near || part > 1.0 - gv_lattice_near;
}

/* Whether a place is near an edge along its row: the parts of the row and of the column. */
GV_BOTH bool gv_lattice_near_side(double inside, double rest) {
  return gv_lattice_near_end(rest) || fabs(rest - inside) < gv_lattice_near;
}

/* A vector of octant 1, turned to where it is in another one. */
GV_BOTH void gv_lattice_turn(int32_t octant, double *x, double *y, double *z) {
  int32_t quarter = (octant - 1) % 4;
  if (quarter != 0) {
    double east = *x, north = *y;
    *x = quarter == 1 ? 0.0 - north : quarter == 2 ? 0.0 - east : north;
    *y = quarter == 1 ? east : quarter == 2 ? 0.0 - north : 0.0 - east;
  }
  if (octant > 4) *z = 0.0 - *z;
}

/* A parallel of vertices: its row from the pole, its distance from the axis and its height on the unit
 * sphere. */
typedef struct gv_lattice_parallel {
  int32_t row;
  double p, z;
} gv_lattice_parallel;

/*
 * The unit vector of a triangle's center, in octant 1, where longitudes are 90 column / row, so that the mesh
 * is exactly as symmetric as its octants. Columns `east` and the next one of the parallel `two`, column
 * other_east of `one`.
 */
GV_BOTH void gv_lattice_center(const gv_lattice_parallel *two, int32_t east, const gv_lattice_parallel *one,
                               int32_t other_east, double *x, double *y, double *z) {
  double sin_a, cos_a, sin_b, cos_b, sin_c, cos_c;
  gv_sines(90.0 * (double)east / (double)two->row, &sin_a, &cos_a);
  gv_sines(90.0 * (double)(east + 1) / (double)two->row, &sin_b, &cos_b);
  gv_sines(one->row == 0 ? 0.0 : 90.0 * (double)other_east / (double)one->row, &sin_c, &cos_c);
  gv_sum_of_corners(two->p, two->z, sin_a, cos_a, sin_b, cos_b, one->p, one->z, sin_c, cos_c, x, y, z);
  gv_lengthen(x, y, z);
}

/* From a unit vector of a triangle's center to the place on the ellipsoid with that normal; not at all on the
 * sphere. */
GV_BOTH void gv_lattice_place(double eccentricity2, double *x, double *y, double *z) {
  double sine = *z;
  if (eccentricity2 < 0.0) return;
  gv_meridian_point(eccentricity2, sine, *x, x, z);
  gv_meridian_point(eccentricity2, sine, *y, y, z);
}

/* By how much centers of triangles of a mesh of n rows an octant may leave the piece of the globe that holds
 * their vertices. */
GV_BOTH double gv_lattice_pad(double n, double eccentricity2) {
  double stretch = 3.0 / (n * n) < 2.0 / 3.0 ? 3.0 / (n * n) : 2.0 / 3.0;
  double pad = 1.0 - sqrt(1.0 - stretch);
  if (eccentricity2 >= 0.0) pad = eccentricity2 < 0.02 ? 1.1 * pad : 10.0;
  return pad;
}

/* The members, except sines, of the piece that contains a sub-triangle of `side` cells a side and the parts
 * low ... high of the octant's longitudes. */
GV_BOTH void gv_lattice_piece(double n, double side, double low, double high, double curvature,
                              double eccentricity2, gv_globe_piece *piece) {
  piece->half_width = (high - low) * (GV_PI / 4.0);
  piece->span = side / n * (GV_PI / 2.0);
  piece->curvature = curvature;
  piece->pad = gv_lattice_pad(n, eccentricity2);
}

#endif
