/*
 * Meshes of cells: what QTM, HEALPix and S2 have in common. Cells have numbers, of which 4^bits from a multiple of 4^bits on are a part;
 * a part has a bound that needs no positions of cells, four children, and as a leaf the positions of its cells.
 *
 * A mesh of another kind implements these functions.
 */
#ifndef GV_PARTS_H
#define GV_PARTS_H

#include "cells/grid.h"
#include "cells/mesh.h"

/* Of other meshes than QTM and of lists `level`, `bits` and `first` are used. */
typedef gv_mesh_part gv_part;

/* True for grids of these kinds. */
static inline bool gv_grid_is_mesh(const gv_grid *grid) {
  return grid->kind == GV_GRID_QTM || grid->kind == GV_GRID_HEALPIX || grid->kind == GV_GRID_S2;
}

/* Cells of a grid that has one row of them, in the order of their numbers: a mesh or a list of places. */
static inline bool gv_grid_is_list(const gv_grid *grid) {
  return gv_grid_is_mesh(grid) || grid->kind == GV_GRID_POINTS;
}

/* Lists in an order that is unrelated to positions. */
static inline bool gv_grid_is_unordered(const gv_grid *grid) {
  return grid->kind == GV_GRID_POINTS || (grid->kind == GV_GRID_HEALPIX && grid->ring != 0);
}

/* Also for rasters of triangles: the level, and the number of parts that have as many bits. */
int gv_parts_level(const gv_cells *cells);
int gv_parts_roots(const gv_cells *cells);

/* The part of 4^bits cells that begins with cell number index x 4^bits. bits <= level. */
void gv_part_at(const gv_cells *cells, int bits, int64_t index, gv_part *out);

/* Child 0 ... 3 of a part with bits > 0; also of a list. */
void gv_part_child(const gv_cells *cells, const gv_part *part, int child, gv_part *out);

/* A zonotope that holds the positions of its cells. */
void gv_part_bound(const gv_cells *cells, const gv_part *part, gv_bound *out);

/* True for meshes with bounds of parts that are far larger than their cells need. */
static inline bool gv_grid_has_wide_bounds(const gv_grid *grid) {
  return gv_grid_is_mesh(grid) && grid->kind != GV_GRID_QTM;
}

/* Positions of the cells of a leaf (bits <= GV_MESH_LEAF_BITS), as gv_mesh_positions. Returns the numbers of these cells, from
 * part->first on; NULL: they are in order. */
const uint8_t *gv_part_positions(const gv_cells *cells, const gv_part *leaf, double *x, double *y, double *z);

/* Positions of `count` cells of a mesh in the order of numbers; ellipsoid NULL: unit vectors. */
void gv_cell_positions(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count,
                       double *x, double *y, double *z);

/* Unit vectors of the centres of `count` cells of a mesh or list; NaN where a list has no place. */
void gv_cell_vectors(const gv_cells *cells, int64_t first, int64_t count, double *x, double *y, double *z);

/* Longitude and latitude of a cell of a mesh or list, normalised degrees; NaN where a list has no place. */
void gv_cell_lonlat(const gv_cells *cells, int64_t number, double *lon, double *lat);

#endif
