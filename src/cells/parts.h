/*
 * Meshes of cells: what QTM, HEALPix and S2 have in common. Cells have numbers, of which 4^bits from a
 * multiple of 4^bits on are a part; a part has a bound that needs no positions of cells, four children, and
 * as a leaf the positions of its cells.
 *
 * kind.h has the table of functions that each kind of mesh implements.
 */
#ifndef GV_PARTS_H
#define GV_PARTS_H

#include "cells/kind.h"

/* Also for rasters of triangles: the level, and the number of parts that have as many bits. */
int gv_parts_level(const gv_cells *cells);
int gv_parts_roots(const gv_cells *cells);

/* The part of 4^bits cells that begins with cell number index x 4^bits. bits <= level. */
void gv_part_at(const gv_cells *cells, int bits, int64_t index, gv_part *out);

/* Child 0 ... 3 of a part with bits > 0; also of a list. */
void gv_part_child(const gv_cells *cells, const gv_part *part, int child, gv_part *out);

/* A zonotope that holds the positions of its cells. */
void gv_part_bound(const gv_cells *cells, const gv_part *part, gv_bound *out);

/* Positions of the cells of a leaf (bits <= GV_MESH_LEAF_BITS), as gv_mesh_positions. Returns the numbers of
 * these cells, from part->first on; NULL: they are in order. */
const uint8_t *gv_part_positions(const gv_cells *cells, const gv_part *leaf, double *x, double *y, double *z);

/* Positions of `count` cells of a mesh in the order of numbers; ellipsoid NULL: unit vectors. */
void gv_cell_positions(const gv_cells *cells, const gv_ellipsoid *ellipsoid, int64_t first, int64_t count,
                       double *x, double *y, double *z);

/* Unit vectors of the centers of `count` cells of a mesh or list; NaN where a list has no place. */
void gv_cell_vectors(const gv_cells *cells, int64_t first, int64_t count, double *x, double *y, double *z);

/* Longitude and latitude of a cell of a mesh or list, normalized degrees; NaN where a list has no place. */
void gv_cell_lonlat(const gv_cells *cells, int64_t number, double *lon, double *lat);

/* Canonical position of a cell of a mesh or list, then its longitude and latitude. */
void gv_cell_position(const gv_cells *cells, int64_t number, double position[5]);

#endif
