/*
 * QTM cells in lattice coordinates, in which neighbors, rows and bounds are simple.
 *
 * At level L, N = 2^L, an octant is a triangular lattice: a place has the coordinates (pole, west, east),
 * which are its barycentric coordinates times N and add up to N. In degrees its latitude is 90 pole / N (away
 * from the equator) and its longitude 90 east / (west + east) from the octant's western meridian. The corners
 * of cells are the integer places. A cell is named by its smallest corner coordinates; they add up to N - 1
 * in a cell that points to its pole ("up") and to N - 2 in one that points away ("down").
 */
#ifndef GV_QTM_H
#define GV_QTM_H

#include "core/core.h"
#include "gpuvoronoi/cells.h"

enum { GV_QTM_POLE, GV_QTM_WEST, GV_QTM_EAST };

enum { GV_QTM_OCTANTS = 8 };

typedef struct gv_qtm_cell {
  int level;
  int octant;       /* 1 ... 8 */
  bool down;        /* points away from its pole */
  int32_t least[3]; /* smallest pole, west and east coordinate of its corners */
} gv_qtm_cell;

/* From an id (which must be valid) and back. */
void gv_qtm_cell_from_id(gv_qtm_id id, gv_qtm_cell *cell);
gv_qtm_id gv_qtm_cell_to_id(const gv_qtm_cell *cell);

/* The basis number of an octant's corner. */
int gv_qtm_basis_of_role(int octant, int role);

/* Digits of the place with barycentric coordinate weight[i] / one for basis number i. Overwrites the
 * weights. */
uint64_t gv_qtm_descend(int64_t weight[4], int64_t one, int level);

/* The canonical position of a cell, as gv_qtm_center_vector, and a position in degrees, as gv_qtm_center. */
void gv_qtm_cell_center(const gv_qtm_cell *cell, double vector[3]);
void gv_qtm_vector_to_lonlat(const double vector[3], double *longitude, double *latitude);

#endif
