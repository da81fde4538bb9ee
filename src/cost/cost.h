/*
 * Travel cost: the cheapest way from a seed to each cell of a raster of friction.
 *
 * Each cell has a friction f >= 0, the cost of one unit of length (a meter on the globe, else the grid's
 * unit), or is a barrier. A way consists of moves, straight from the center of a cell to that of another
 * one:
 *
 *   8 moves   to the offsets (1,0) and (1,1), with all signs, columns and rows exchanged
 *   16 moves  and (2,1)
 *   32 moves  and (3,1), (3,2)
 *
 * A move costs its length times the friction of the cells that it runs through, weighted by the share of
 * the line in each. With the cells a, b, c ... in their order along the move, and L = its length:
 *
 *   (1,0) (1,1)   L / 2 * (a + b)
 *   (2,1)         L / 4 * ((a + d) + (b + c))
 *   (3,1)         L / 6 * ((a + d) + 2 * (b + c))
 *   (3,2)         L / 12 * ((2 * (a + f) + (b + e)) + 3 * (c + d))
 *
 * in IEEE double, in this order, without contraction: both directions cost the same bits. A move does not
 * exist if a cell of it is a barrier, or if it passes exactly through a corner, as (1,1) and (3,1) do, and
 * both other cells there are barriers. L is the reported distance of the metric between the centers; on
 * the globe that of the first column's center and of one as many columns further east, so it depends on
 * the rows only. Columns wrap around the globe if the raster does; rows do not continue beyond a pole.
 *
 * A seed starts at its own position: straight to the center of its cell and of the eight around it, at the
 * same rule of shares. Lines and polygons start in every cell that they touch or contain (touch.c), and
 * seeds that are cells in these, at cost 0. Seeds outside the raster and in barriers are left out.
 *
 * D(cell) is the least fl(D(previous) + cost) of all moves, and the least cost of a start. Rounding is
 * monotone, so this least solution does not depend on the order of the computation. The seed of a cell is
 * the lowest number among the starts that cost D(cell), and the seeds of the previous cells with
 * fl(D(previous) + cost) = D(cell).
 */
#ifndef GV_COST_COST_H
#define GV_COST_COST_H

#include "core/core.h"
#include "gpuvoronoi/cost.h"

/* Engines; all return the same bytes. */
typedef enum gv_cost_engine { GV_COST_ANY, GV_COST_SERIAL, GV_COST_TILES, GV_COST_CUDA } gv_cost_engine;

typedef struct gv_cost_settings {
  gv_metric metric;      /* euclidean, great-circle or geodesic */
  int64_t width, height; /* each at least 1 */
  double geotransform[6];
  double semi_major, flattening; /* as in gv_grid */
  int moves;                     /* 8, 16 or 32 */
  gv_cost_engine engine;
  const char *folder; /* all cells are kept in a temporary file there, not in memory; NULL: in memory */
  double resident;    /* bytes of it that may be in memory at once, about */
  double most;        /* cells with a higher cost have no seed; INFINITY: no limit */
} gv_cost_settings;

/* Errors: UNSUPPORTED (more cells than 2^31), OUT_OF_MEMORY, IO (no file, or no space for it). */
gv_status gv_cost_make(gv_context *context, const gv_cost_settings *options, gv_cost **out);

/* Sets the friction of a row: `width` values, NaN, negative and infinite ones for barriers. All rows must be
 * set, in any order. */
void gv_cost_set_row(gv_cost *cost, int64_t row, const double *friction);

/* Seeds: positions, or features. The arrays are borrowed until the raster is destroyed. */
typedef struct gv_cost_sources {
  const double *x, *y; /* in degrees on the globe */
  int64_t count;
  bool at_cells;               /* they are whole cells, with cost 0: those that the positions lie in */
  const gv_features *features; /* in place of positions; with straight edges. NULL: positions */
} gv_cost_sources;

/*
 * Finds the costs and seeds of all cells, as often as it is called. *left_out: number of seeds outside the
 * raster and in barriers. Errors: INVALID_ARGUMENT (sums of costs overflow), OUT_OF_MEMORY, CANCELLED.
 */
gv_status gv_cost_find(gv_context *context, gv_cost *cost, const gv_cost_sources *seeds, int64_t *left_out);

/* The direction of a cell's first move towards its seed, once solved: degrees clockwise from north (on the
 * plane from +y), [0, 360). NaN without a seed and in cells of lines, polygons and whole cells. */
float gv_cost_azimuth(gv_cost *cost, int64_t column, int64_t row);

/* The results of a row once solved: `width` costs (infinite without a seed) and seeds (-1: none), for one
 * thread. In a file they last until the next call. */
const double *gv_cost_row_costs(gv_cost *cost, int64_t row);
const int32_t *gv_cost_row_seeds(gv_cost *cost, int64_t row);

#endif
