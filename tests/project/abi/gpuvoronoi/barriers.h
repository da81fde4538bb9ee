/**
 * @file barriers.h
 * gpuvoronoi: the nearest seed by the shortest way round barriers. The conventions of gpuvoronoi.h hold here
 * too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_BARRIERS_H
#define GPUVORONOI_BARRIERS_H

#include "geometries.h"
#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------ ways round barriers */

/**
 * @par Example
 * @code
 * const int64_t part[] = {0, 1}, ring[] = {0, 1},
 *               vertex[] = {0, 2}; // one line: a wall from (3, -1) to (3, 4)
 * const uint8_t kind[] = {GV_PART_LINE};
 * const double wall_x[] = {3, 3}, wall_y[] = {-1, 4};
 * const double seed_x[] = {0}, seed_y[] = {0}, place_x[] = {0, 6}, place_y[] = {1, 4};
 * gv_features walls;
 * gv_features_init(&walls);
 * walls.count = 1;
 * walls.part = part;
 * walls.ring = ring;
 * walls.vertex = vertex;
 * walls.kind = kind;
 * walls.x = wall_x;
 * walls.y = wall_y;
 * int32_t nearest[2];
 * double length[2];
 * gv_barrier_places places;
 * gv_barrier_places_init(&places);
 * places.x = place_x;
 * places.y = place_y;
 * places.count = 2;
 * places.seed = nearest;
 * places.distance = length;
 * gv_barriers *barriers = NULL;
 * gv_status status = gv_barriers_create(context, &walls, NULL, &barriers);
 * if (status == GV_OK) status = gv_barriers_solve(context, barriers, seed_x, seed_y, 1, NULL);
 * if (status == GV_OK) status = gv_barriers_get(context, barriers, &places);
 * gv_barrier_way way;
 * int64_t positions = 0;
 * gv_barrier_way_init(&way);
 * way.x = 6;
 * way.y = 4;
 * way.count = &positions;
 * if (status == GV_OK)
 *   status = gv_barriers_get_way(context, barriers, &way); // from (6, 4) over (3, 4) to the seed
 * gv_barriers_destroy(barriers);
 * if (status != GV_OK || positions != 3 || nearest[0] != 0 || length[0] != 1 || length[1] != 5 + 3)
 *   return 1; // round the upper end of the wall
 * @endcode
 */

/**
 * Lines and polygons that ways may touch and follow, but not cross or enter, and the shortest ways from
 * seeds. A way is a chain of straight legs, with GV_GREAT_CIRCLE of arcs of great circles, with GV_GEODESIC
 * of geodesics; its length is the sum of their exact distances, added from the seed on in double.
 * src/barriers/barriers.h has the definition.
 * Use it from one thread at a time; once solved, any number of threads may call gv_barriers_get at once, each
 * with its own context.
 */
typedef struct gv_barriers gv_barriers;

typedef struct gv_barriers_options {
  size_t struct_size;
  gv_metric metric;    /**< GV_EUCLIDEAN (default), GV_GREAT_CIRCLE or GV_GEODESIC */
  double max_distance; /**< places with a longer way get no seed; default: INFINITY */
  double semi_major;   /**< meters, of the ellipsoid on the globe; 0 (default): WGS 84 */
  double flattening;   /**< with GV_GEODESIC 0 to 0.02 */
} gv_barriers_options;

/** Sets the defaults. */
static inline void gv_barriers_options_init(gv_barriers_options *options) {
  const gv_barriers_options defaults = {sizeof(gv_barriers_options), GV_EUCLIDEAN, INFINITY, 0, 0};
  *options = defaults;
}

/**
 * Copies barriers and prepares them for searches. Lines are walls; polygons are closed by the even-odd rule,
 * each for itself, also where they intersect themselves. Vertices within 1e-9 of the extent's longer side are
 * joined, so that polygons that share an edge leave no slit. On the globe coordinates are longitudes and
 * latitudes in degrees. Edges that are straight in these (GV_EDGES_STRAIGHT) are divided into legs that
 * deviate from them by at most 1 m; those of edges of more than 50 km by at most 1/50,000 of the edge's
 * length, and 20 m.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param features lines and polygons; NULL or no features: no barriers. Points are an error.
 * @param options  NULL = defaults.
 * @param[out] out free it with gv_barriers_destroy.
 * @return GV_OK, INVALID_ARGUMENT (the message names the first bad feature), UNSUPPORTED (metric,
 * flattening), OUT_OF_MEMORY.
 */
GV_API gv_status gv_barriers_create(gv_context *context, const gv_features *features,
                                    const gv_barriers_options *options, gv_barriers **out);

/**
 * Frees it; NULL is allowed.
 * @param barriers from gv_barriers_create.
 */
GV_API void gv_barriers_destroy(gv_barriers *barriers);

/**
 * Finds the shortest ways from seeds. May be called again, with other seeds.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param barriers from gv_barriers_create.
 * @param x,y   positions of seeds, or longitudes and latitudes; copied.
 * @param count of seeds: 0 ... 2^31 - 1.
 * @param[out] left_out number of seeds within polygons and at positions that are not finite. May be NULL.
 * @return GV_OK, INVALID_ARGUMENT (also a latitude beyond a pole), OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_barriers_solve(gv_context *context, gv_barriers *barriers, const double *x,
                                   const double *y, int64_t count, int64_t *left_out);

/** Places, and the arrays for their results. Places that are close to each other are fast together. */
typedef struct gv_barrier_places {
  size_t struct_size;
  const double *x, *y;
  int64_t count;
  /** Of the nearest seed; of several at the same length the first; -1: none reaches the place, or it lies
   * within a polygon. May be NULL, as may the others. */
  int32_t *seed;
  /** Length of the way; NaN: none. */
  double *distance;
  /** Of the first leg from the place to its seed: degrees clockwise from +y or north, [0, 360). NaN: none. */
  float *azimuth;
} gv_barrier_places;

/** Sets the defaults: no places. */
static inline void gv_barrier_places_init(gv_barrier_places *places) {
  const gv_barrier_places defaults = {sizeof(gv_barrier_places), NULL, NULL, 0, NULL, NULL, NULL};
  *places = defaults;
}

/**
 * Finds the nearest seed of places.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param barriers solved.
 * @param places   the places, and the arrays in the caller's memory.
 * @return GV_OK, INVALID_ARGUMENT (not solved; a latitude beyond a pole), OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_barriers_get(gv_context *context, const gv_barriers *barriers,
                                 const gv_barrier_places *places);

/** The shortest way from a place to its seed, and the arrays for it. */
typedef struct gv_barrier_way {
  size_t struct_size;
  /** The place; longitude and latitude in degrees on the globe. */
  double x, y;
  int64_t room; /**< positions that the arrays hold */
  /** Positions of the way: the place, vertices of barriers, the seed; equal ones once. Longitudes are
   * continuous, also beyond 180. May be NULL, as may the others. */
  double *way_x, *way_y;
  /** Of positions, also if it exceeds `room`; 0: no seed reaches the place. */
  int64_t *count;
  int32_t *seed;    /**< the nearest seed; -1: none */
  double *distance; /**< length of the way, as in gv_barriers_get; NaN: none */
} gv_barrier_way;

/** Sets the defaults: no arrays. */
static inline void gv_barrier_way_init(gv_barrier_way *way) {
  const gv_barrier_way defaults = {sizeof(gv_barrier_way), 0.0, 0.0, 0, NULL, NULL, NULL, NULL, NULL};
  *way = defaults;
}

/**
 * Follows the shortest way from a place to its seed. Any number of threads may call it at once, as
 * gv_barriers_get.
 * @param context of the calling thread; message. NULL is an error.
 * @param barriers solved.
 * @param way      the place, and the arrays in the caller's memory.
 * @return GV_OK, INVALID_ARGUMENT (not solved; a latitude beyond a pole), OUT_OF_MEMORY.
 */
GV_API gv_status gv_barriers_get_way(gv_context *context, const gv_barriers *barriers,
                                     const gv_barrier_way *way);

#ifdef __cplusplus
}
#endif

#endif
