/*
 * The RING scheme of HEALPix in the parts of the NESTED scheme, which have bounds: a part has consecutive
 * cells of each ring that it crosses.
 *
 * With x and y the place of a cell on its part, x + y is the same in all of its cells of a ring, and from
 * cell to cell x grows by 1. Their numbers follow each other but at longitude 0.
 */
#ifndef GV_RINGS_H
#define GV_RINGS_H

#include "cells/healpix.h"
#include "cells/parts.h"

/* Cells with the numbers from `first` on, below `end`, in the RING scheme. */
typedef struct gv_rings {
  gv_cells mesh;      /* all cells, in the NESTED scheme */
  gv_healpix healpix; /* its tables */
  int64_t first, end;
  int64_t low, high; /* the rings of the first and the last of them */
} gv_rings;

/* Of cells in the RING scheme. *out is not to be moved, and ends with them. */
void gv_rings_init(const gv_cells *cells, gv_rings *out);
void gv_rings_choose(int64_t first, int64_t end, gv_rings *rings);

/* Whether some rings of a part are among those of the chosen cells. */
bool gv_rings_meet(const gv_rings *rings, const gv_part *part);

/* Writes a value for the chosen cells of a part; out[0] is that of the first chosen one. */
void gv_rings_fill(const gv_rings *rings, const gv_part *part, int32_t value, int32_t *out);

/* The values from[0 ...] of the cells of a leaf, in the order of the NESTED scheme. */
void gv_rings_write(const gv_rings *rings, const gv_part *leaf, const int32_t *from, int32_t *out);

#endif
