/*
 * Discs: the cells within the maximum distance of one seed, row by row.
 *
 * Cells that are in no disc have no neighbor; cells in one disc only have its seed as neighbor, for any k and
 * weights, so nothing is compared there: a row's cells are those between two columns, and columns are
 * computed. The common part of two discs is computed like any tile.
 *
 * Along a row of a plane grid the exact distance from a seed never falls with |x - s|, rounding included.
 * Along a parallel the ideal squared chord, A + 4 p h sin^2(d / 2), rises with the difference of longitudes d
 * for half a turn either way. A cell is decided if its ideal distance differs from the limit by more than the
 * error of the exact one.
 *
 * That margin. With e = cells->position_error, a cell at chord d has an exact value within 2 sqrt(2) e d + 2
 * e^2 of the ideal one of its row (with the p and z of the tables), and its own arithmetic, all terms
 * positive, adds less than 1e-15 d^2. Twice their sum at the limit is covered by 8 e d + 16 e^2 + 4e-15 d^2.
 * On the plane the same arithmetic adds less than 1e-15 of the limit.
 *
 * The reach of a disc along a row: d = t(s) = 2 asin sqrt(s), s = (limit - A) / (4 p h). Between the two
 * thresholds
 * (`within` and `beyond`) and with rounding s is good to g = gap / (4 p h), gap being their difference and
 * 1e-14 of the limit. t' = 1 / sqrt(s (1 - s)), so with m the smaller of s and 1 - s and g < 0.1, t is good
 * to 4 g / sqrt(max(m, g)). On the plane d = sqrt(s), s = limit - A, is good to less. Besides, columns are
 * where they ought to be but for 8 e in their own units, and rounding of the middle, of asin and of its
 * series is well below that and 5e-4 columns. Rows in which a cell is nearer to an end than all this are
 * decided cell by cell: one in 500; one in 30 of geodesics in large discs, because their thresholds differ.
 *
 * The side of the seed that a column lies on must be right except within a thousandth of a column: columns
 * and rows must be wider than 1000 e, and tiles must be within half a turn of the seed with a spare column;
 * other discs are not painted.
 *
 * Gain: without them `--max-distance 40000` of 10,000 seeds, 21600x10800, takes 1.16 times the CPU time,
 * 7,700 airports within 50 km 1.06 to 1.15; a limit that leaves 5 % takes 0.58 of the time without a limit,
 * 0.13 with them.
 */
#ifndef GV_DISCS_H
#define GV_DISCS_H

#include "voronoi/cpu/cull.h"
#include "voronoi/cpu/disc_kernels.h"

enum {
  GV_DISCS_MOST = 256, /* in a tile; longer lists are not looked through */
  GV_DISC_RECTANGLES = 32
};

/* Cells that a seed's disc is within: columns middle - half ... middle + half and every turn from there, rows
 * [r0, r1). */
typedef struct gv_disc_place {
  double middle, half;
  int64_t r0, r1;
} gv_disc_place;

/* The discs of a grid. */
typedef struct gv_discs {
  gv_disc_limit limit;
  double turn;          /* columns of a full turn; INFINITY on the plane */
  gv_disc_place *place; /* of each seed */
  /* The seeds with discs that may have cells in a block, in ascending order: seed[first[b]] ... seed[first[b
   * + 1] - 1]. NULL if discs are so large that most blocks have many. */
  int64_t *first;
  int32_t *seed;
} gv_discs;

/* *out is NULL without a limit, and if discs cannot be computed by rows. Errors: OUT_OF_MEMORY. */
gv_status gv_discs_create(gv_context *context, const gv_voronoi *v, gv_discs **out);
void gv_discs_destroy(const gv_voronoi *v, gv_discs *discs);

/* How the discs of a tile are processed. */
typedef struct gv_disc_plan {
  /* Of each candidate: the cells of the tile that its disc is within, and whether it can be painted. */
  int16_t c0[GV_DISCS_MOST], c1[GV_DISCS_MOST], r0[GV_DISCS_MOST], r1[GV_DISCS_MOST];
  bool painted[GV_DISCS_MOST];
  /* Cells that may belong to several discs, or to one that cannot be painted. */
  gv_tile rectangle[GV_DISC_RECTANGLES];
  int32_t rectangles;
} gv_disc_plan;

/* True if a tile should be computed by its candidates' discs: not much of it is in several of them. */
bool gv_discs_plan(const gv_voronoi *v, const gv_discs *discs, const gv_tile *tile,
                   const gv_candidates *candidates, gv_disc_plan *plan);

/* Writes the seeds' labels into the cells of their discs; other cells are unchanged. The result is right
 * except in the plan's rectangles. `out` is the tile's first cell. */
void gv_discs_paint(const gv_voronoi *v, const gv_discs *discs, const gv_tile *tile,
                    const gv_candidates *candidates, const gv_disc_plan *plan, int32_t *out, int64_t stride);

#endif
