/*
 * Borders of the cells of meshes that are defined on the unit sphere (HEALPix, S2): the curves between cells,
 * as points.
 *
 * A border is a closed ring, counterclockwise: its last point is the first. Each of the four sides is divided
 * in pieces that are equal in the coordinates of the cell's face; the corners are exact up to rounding, and
 * neighbors divide a common side at the same points.
 */
#ifndef GV_BORDERS_H
#define GV_BORDERS_H

#include "cells/on_sphere.h"
#include "core/shared.h"
#include "gpuvoronoi/gpuvoronoi.h"

enum {
  GV_BORDER_FEWEST_PIECES = 4, /* of a side: one next to a pole spans 45 degrees of longitude at any level */
  GV_BORDER_MOST_PIECES = 32,  /* of a side of a quarter of the globe */
  GV_BORDER_MOST_SIDES = 10,   /* H3: a pentagon that crosses edges of the icosahedron */
  GV_BORDER_MOST_POINTS = GV_BORDER_MOST_SIDES * GV_BORDER_MOST_PIECES + 1
};

/* Pieces of a side of a cell; `level`: each has sides half as long as the one before. */
static inline int gv_border_pieces(int level) {
  const int pieces = level < 3 ? GV_BORDER_MOST_PIECES >> level : GV_BORDER_FEWEST_PIECES;
  return pieces > GV_BORDER_FEWEST_PIECES ? pieces : GV_BORDER_FEWEST_PIECES;
}

typedef struct gv_borders {
  int level, pieces;
  bool ring, s2;
  gv_sphere_latitudes latitudes;
} gv_borders;

/* Of the cells of a grid of HEALPix or S2. */
GV_SHARED void gv_borders_make(const gv_grid *grid, gv_borders *out);

/* The border of a cell: longitudes in (-180, 180] (at a pole: any) and geodetic latitudes, degrees. Returns
 * the number of points, at most GV_BORDER_MOST_POINTS. */
GV_SHARED int gv_borders_get(const gv_borders *borders, int64_t number, double *lon, double *lat);

#endif
