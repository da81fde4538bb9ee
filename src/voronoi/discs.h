/*
 * Discs: the cells within the maximum distance of one seed, row by row.
 *
 * A seed whose disc meets no other in a tile is the only neighbour that any of its cells has, whatever k and the weights,
 * so nothing is compared there: a row's cells are those between two columns. Columns are guessed and then made sure of.
 *
 * Along a row of a plane grid the canonical distance from a seed never falls with |x - s|, rounding included. Along a
 * parallel the ideal squared chord, A - B cos(difference of longitudes), B >= 0, rises for half a turn either way. So one
 * cell beyond the limit says that all cells farther out are beyond it, and one within that all between it and the seed
 * are, as long as its value is clear of the limit by what the canonical value may be off.
 *
 * That margin. With e = cells->position_error, a cell at chord d has a canonical value within 2 sqrt(2) e d + 2 e^2 of the
 * ideal one of its row (whose p and z are the canonical ones), and its own arithmetic, all terms positive, adds less than
 * 1e-15 d^2. Twice their sum at the limit is covered by 8 e d + 16 e^2 + 4e-15 d^2. On the plane there is none.
 *
 * Which side of the seed a column lies on must be right but for columns a thousandth off: columns wider than 1000 e are
 * asked for, and tiles that lie within half a turn of the seed with a column to spare.
 */
#ifndef GV_DISCS_H
#define GV_DISCS_H

#include "voronoi/cull.h"

enum { GV_DISCS_MOST = 64 /* longer lists are not looked through */ };

/*
 * Takes those seeds from a tile's list whose discs meet no other's. What is left of the list answers the tile's other
 * cells, with the same result as all of it would give. Returns how many were taken: disc[0] ...; at most GV_DISCS_MOST.
 */
int32_t gv_discs_take(const gv_voronoi *v, const gv_tile *tile, gv_candidates *candidates, gv_disc *disc);

/* Writes the seed's label into the cells of its disc, and nothing elsewhere. `out` is where the tile's first cell is. */
void gv_disc_paint(const gv_voronoi *v, const gv_kernels *kernels, const gv_tile *tile, const gv_disc *disc,
                   int32_t *out, int64_t stride);

#endif
