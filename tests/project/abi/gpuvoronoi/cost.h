/**
 * @file cost.h
 * gpuvoronoi: nearest by travel cost over a raster of friction. The conventions of gpuvoronoi.h hold here
 * too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_COST_H
#define GPUVORONOI_COST_H

#include "geometries.h"
#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------------- travel cost */

/**
 * @par Example
 * @code
 * const double friction[3][4] = {{1, 1, NAN, 1}, {1, 1, NAN, 1}, {1, 1, 2, 1}}; // NAN: a river, with a ford
 * const double x[] = {0.5, 3.5}, y[] = {0.5, 0.5};
 * const gv_grid grid = gv_grid_plane(4, 3, NULL); // cells of 1 x 1
 * gv_cost *cost = NULL;
 * gv_cost_seeds seeds;
 * gv_cost_seeds_init(&seeds);
 * seeds.x = x;
 * seeds.y = y;
 * seeds.count = 2;
 * int32_t nearest[12];
 * double least[12];
 * gv_cost_cells cells;
 * gv_cost_cells_init(&cells);
 * cells.columns = 4;
 * cells.rows = 3;
 * cells.seed = nearest;
 * cells.cost = least;
 * int64_t skipped = 0;
 * gv_status status = gv_cost_create(context, &grid, NULL, &cost);
 * if (status == GV_OK) status = gv_cost_set_rows(context, cost, 0, 3, friction[0], 4);
 * if (status == GV_OK) status = gv_cost_solve(context, cost, &seeds, &skipped);
 * if (status == GV_OK) status = gv_cost_get(context, cost, &cells);
 * gv_cost_way way;
 * int32_t seed = -1;
 * gv_cost_way_init(&way); // from the first cell
 * way.seed = &seed;
 * if (status == GV_OK) status = gv_cost_get_way(context, cost, &way);
 * gv_cost_destroy(cost);
 * if (status != GV_OK || seed != nearest[0] || nearest[1] != 0 || nearest[2] != -1 || nearest[3] != 1 ||
 *     least[9] != sqrt(5))
 *   return 1;
 * @endcode
 */

/**
 * A raster of friction, and the least travel cost from seeds to each of its cells. src/cost/cost.h has the
 * definition to the last bit: results do not depend on backend, threads or memory. Use it from one thread at
 * a time; once solved, any number of threads may call gv_cost_get at once, each with its own context.
 */
typedef struct gv_cost gv_cost;

typedef struct gv_cost_options {
  size_t struct_size;
  /** "auto" (default), or the name of a backend that has travel_cost (gv_backend_info); not kept. */
  const char *backend;
  gv_metric metric; /**< GV_EUCLIDEAN (default), GV_GREAT_CIRCLE or GV_GEODESIC: the lengths of moves */
  int32_t moves;    /**< 8, 16 (default) or 32 directions in which ways leave a cell */
  double max_cost;  /**< cells with a higher cost get no seed; default: INFINITY */
  /** Keeps the cells in a temporary file there, 21 bytes each, and not in memory; not for the backend
   * "serial"; NULL (default): 28 bytes a cell in memory. Not kept. */
  const char *folder;
  /** With `folder`: bytes of the file that may be in memory at once, about, half of which the starts of seeds
   * may take in addition (16 bytes each); default 2^29. */
  double resident;
} gv_cost_options;

/** Sets the defaults. */
static inline void gv_cost_options_init(gv_cost_options *options) {
  const gv_cost_options defaults = {
      sizeof(gv_cost_options), "auto", GV_EUCLIDEAN, 16, INFINITY, NULL, 536870912.0};
  *options = defaults;
}

/**
 * Begins a raster of travel cost.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param grid     GV_GRID_PLANE, also rotated, with GV_EUCLIDEAN, else GV_GRID_LONLAT. Columns that go round
 * the globe are joined. Copied.
 * @param options  NULL = defaults.
 * @param[out] out free it with gv_cost_destroy.
 * @return GV_OK, INVALID_ARGUMENT, UNSUPPORTED (grid, metric or backend; 2^31 cells or more), OUT_OF_MEMORY,
 * IO (the folder cannot be written, or has not enough space).
 */
GV_API gv_status gv_cost_create(gv_context *context, const gv_grid *grid, const gv_cost_options *options,
                                gv_cost **out);

/**
 * Frees it; NULL is allowed.
 * @param cost from gv_cost_create.
 */
GV_API void gv_cost_destroy(gv_cost *cost);

/**
 * The backend: once solved, the one that was used. In place of "tile" it is "serial" for rasters round the
 * globe of at most 112 columns.
 * @param cost may be NULL.
 * @return its name (static); "" for NULL.
 */
GV_API const char *gv_cost_backend(const gv_cost *cost);

/**
 * Sets the friction of some rows: the cost of a meter on the globe, of a unit of the grid on the plane. All
 * rows must be set before gv_cost_solve, in any order, each once or again.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param cost not solved.
 * @param row the first row, from 0.
 * @param rows number of rows, 0 or more.
 * @param friction   `rows` x width values, copied; NaN, negative and infinite ones are barriers.
 * @param row_stride values from one row to the next; 0 = width.
 * @return GV_OK, INVALID_ARGUMENT (rows outside the raster; it is solved already).
 */
GV_API gv_status gv_cost_set_rows(gv_context *context, gv_cost *cost, int64_t row, int64_t rows,
                                  const double *friction, int64_t row_stride);

/** Seeds: positions or features. The arrays are borrowed until gv_cost_destroy. */
typedef struct gv_cost_seeds {
  size_t struct_size;
  const double *x, *y; /**< positions; longitude and latitude in degrees on the globe. Ways start there */
  int64_t count;       /**< of positions: at most 2^31 - 1 */
  int at_cells;        /**< non-zero: a position stands for its whole cell, where ways start at cost 0 */
  /** In place of positions: lines and polygons with straight edges, which start at cost 0 in each cell that
   * they touch or contain; their points start as positions do. NULL: positions. */
  const gv_features *features;
} gv_cost_seeds;

/** Sets the defaults: no seeds. */
static inline void gv_cost_seeds_init(gv_cost_seeds *seeds) {
  const gv_cost_seeds defaults = {sizeof(gv_cost_seeds), NULL, NULL, 0, 0, NULL};
  *seeds = defaults;
}

/**
 * Finds the nearest seed of each cell.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param cost with the friction of all rows.
 * @param seeds borrowed until gv_cost_destroy.
 * @param[out] skipped number of seeds outside the raster, at positions that are not finite, and in barriers.
 * May be NULL.
 * @return GV_OK, INVALID_ARGUMENT (features that are invalid or have geodesic edges; rows without friction; a
 * sum of costs exceeds the range of double), UNSUPPORTED (with `folder`: seeds start in more cells than
 * `resident` allows), OUT_OF_MEMORY, CANCELLED, UNAVAILABLE and DEVICE ("cuda-tile"). May be called again,
 * also with other seeds.
 */
GV_API gv_status gv_cost_solve(gv_context *context, gv_cost *cost, const gv_cost_seeds *seeds,
                               int64_t *skipped);

/** A rectangle of cells, and the arrays for their results, row-major. */
typedef struct gv_cost_cells {
  size_t struct_size;
  int64_t column, row, columns, rows;
  int64_t stride; /**< values from one row to the next; 0 = columns */
  int32_t *seed;  /**< the nearest seed; -1: none reaches the cell. May be NULL, as may the others */
  double *cost;   /**< friction's unit times meters (the grid's unit on the plane); NaN: none */
  /** Of the first move from the cell towards its seed: degrees clockwise from true north (on the plane from
   * +y), [0, 360). NaN: none, and in cells at which a line, polygon or whole cell starts. */
  float *azimuth;
} gv_cost_cells;

/** Sets the defaults: an empty rectangle. */
static inline void gv_cost_cells_init(gv_cost_cells *cells) {
  const gv_cost_cells defaults = {sizeof(gv_cost_cells), 0, 0, 0, 0, 0, NULL, NULL, NULL};
  *cells = defaults;
}

/**
 * Writes results of cells.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param cost solved.
 * @param cells the rectangle, and the arrays in the caller's memory.
 * @return GV_OK, INVALID_ARGUMENT (not solved; a rectangle outside the raster).
 */
GV_API gv_status gv_cost_get(gv_context *context, gv_cost *cost, const gv_cost_cells *cells);

/** The cheapest way from the cell at a point to its seed, and the arrays for it. */
typedef struct gv_cost_way {
  size_t struct_size;
  /** The point; longitude and latitude in degrees on the globe. The way begins in the center of its cell. */
  double x, y;
  int64_t room; /**< positions that the arrays hold */
  /** Positions of the way: centers of cells, then that of a seed that is a position. Longitudes are
   * continuous, also beyond 180. May be NULL, as may the others. */
  double *way_x, *way_y;
  /** Of positions, also if it exceeds `room`; 0: no seed reaches the cell, or the point is outside. */
  int64_t *count;
  int32_t *seed;  /**< the nearest seed; -1: none */
  double *cost;   /**< of the way, the cell's in gv_cost_get; NaN: none */
  double *length; /**< of the way: the lengths of its moves, added up from the seed on; NaN: none */
} gv_cost_way;

/** Sets the defaults: no arrays. */
static inline void gv_cost_way_init(gv_cost_way *way) {
  const gv_cost_way defaults = {sizeof(gv_cost_way), 0.0, 0.0, 0, NULL, NULL, NULL, NULL, NULL, NULL};
  *way = defaults;
}

/**
 * Follows the moves from a cell to its seed. Of several ways of the same cost it is the one that begins as
 * gv_cost_cells.azimuth points, except where moves cost nothing: there it has the fewest of these. Any number
 * of threads may call it at once, as gv_cost_get.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param cost solved.
 * @param way  the point, and the arrays in the caller's memory.
 * @return GV_OK, INVALID_ARGUMENT (not solved), OUT_OF_MEMORY, IO (no space in `folder`: moves that cost
 * nothing need 5 bytes a cell there, else in memory).
 */
GV_API gv_status gv_cost_get_way(gv_context *context, gv_cost *cost, const gv_cost_way *way);

#ifdef __cplusplus
}
#endif

#endif
