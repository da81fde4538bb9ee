/**
 * @file geometries.h
 * gpuvoronoi: lines and polygons as seeds of grids and in indexes. The conventions of gpuvoronoi.h hold here
 * too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_GEOMETRIES_H
#define GPUVORONOI_GEOMETRIES_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------- lines and polygons */

/**
 * @par Example
 * @code
 * const int64_t part[] = {0, 1, 2}, ring[] = {0, 1, 2},
 *               vertex[] = {0, 2, 4}; // two features of one line of two vertices
 * const uint8_t kind[] = {GV_PART_LINE, GV_PART_LINE};
 * const double lon[] = {10, 12, 20, 21}, lat[] = {50, 51, 50, 49}, town_lon = 13, town_lat = 52;
 * const gv_points town = gv_points_xy(&town_lon, &town_lat, 1);
 * gv_features lines;
 * gv_features_init(&lines);
 * lines.count = 2;
 * lines.part = part;
 * lines.ring = ring;
 * lines.vertex = vertex;
 * lines.kind = kind;
 * lines.x = lon;
 * lines.y = lat;
 * gv_index_options options;
 * gv_index_options_init(&options);
 * options.metric = GV_GEODESIC;
 * gv_search_options search;
 * gv_search_options_init(&search);
 * double meters, place[2];
 * search.nearest = place;
 * int64_t line;
 * gv_index *index = NULL;
 * gv_status status = gv_index_build_features(context, &lines, &options, &index);
 * if (status == GV_OK) status = gv_index_search(context, index, &town, &search, &line, &meters);
 * gv_index_destroy(index);
 * if (status != GV_OK || line != 0 || place[0] != 12 || place[1] != 51 || meters > 135e3) return 1;
 * @endcode
 */

/** The shape of an edge between two vertices on the globe. */
typedef enum gv_edges {
  GV_EDGES_STRAIGHT = 0, /**< straight in longitude and latitude as written: 179 to -179 is 358 degrees */
  /** The shorter way: a geodesic, or an arc for GV_GREAT_CIRCLE; not supported on the plane. */
  GV_EDGES_GEODESIC = 1
} gv_edges;

typedef enum gv_part_kind {
  GV_PART_POINTS = 0,
  GV_PART_LINE = 1,   /**< one ring, open or closed */
  GV_PART_POLYGON = 2 /**< rings; the last vertex of each equals its first */
} gv_part_kind;

/**
 * Lines and polygons as GeoArrow offsets: feature f has the parts part[f] ... part[f + 1] - 1, part p the
 * rings ring[p] ... ring[p + 1] - 1 (points and lines: one), ring r the vertices vertex[r] ... vertex[r +
 * 1] - 1. Empty features are never nearest.
 *
 * The distance to a feature is that to its nearest point: exactly 0 inside a polygon and on its straight
 * edges. Inside: with straight edges (and on the plane) by the even-odd rule in the coordinates as
 * written, on the globe for any whole number of turns; with geodesic edges each ring's smaller side,
 * even-odd over the rings. A feature is the union of its parts. Of overlapping features the first wins.
 *
 * The exact distance from q to an edge is the least of the distances to its ends a and b as points and, if
 * the closest point lies between them, of the value below, with d = b - a, w the vector from the nearer
 * end to q, c = w x d. The ends are sorted (plane: by x, then y; great-circle arcs: by the coordinates of
 * the unit vectors; else by latitude, then longitude), so that an edge and its reverse give the same bits.
 *
 *   euclidean c c / d.d    manhattan |c| / max(|dx|, |dy|)    chebyshev |c| / (|dx| + |dy|)
 *   great-circle arc, n = a x d, u = (w.n)^2 / n.n:   2 u / (1 + sqrt(1 - u))
 *   geodesics, and on the globe lines straight in longitude and latitude: the distance from q to the point
 *   on the edge that a fixed iteration finds; at most 0.07 mm more than the minimum (proof:
 *   src/exact/edge_search.c).
 *
 * On the globe two kinds of edges, straight or geodesic, cut a polygon at the border of longitude and
 * latitude and are not part of its boundary: edges along the latitude of a pole, and edges along 180 or
 * -180 degrees (or whole turns from there, within 1e-5 degrees) where polygons of the same set touch them
 * from the other side. `cut` replaces this rule.
 */
typedef struct gv_features {
  size_t struct_size;
  int64_t count;         /**< 1 ... 2^31 - 1 */
  const int64_t *part;   /**< count + 1 offsets from 0; no offset decreases */
  const uint8_t *kind;   /**< of each part: gv_part_kind */
  const int64_t *ring;   /**< of each part: its first ring, and the number of rings at the end */
  const int64_t *vertex; /**< of each ring: its first vertex, and the number of vertices at the end */
  /** Longitude and latitude on the globe (longitudes up to 36000 in absolute value), else coordinates up to
   * 1e75. */
  const double *x, *y;
  gv_edges edges;
  int boundary; /**< non-zero: polygons are their rings only; points inside are not at distance 0 */
  /** NULL, or for each vertex: non-zero if the edge that begins there only cuts a polygon and is not part
   * of its boundary. */
  const uint8_t *cut;
} gv_features;

/** Sets the defaults: no features, straight edges. Straight edges do not cross the antimeridian: features
 * that cross it (179 to -179) need GV_EDGES_GEODESIC or unwrapped longitudes (179 to 181). */
static inline void gv_features_init(gv_features *features) {
  const gv_features defaults = {sizeof(gv_features), 0, NULL, NULL, NULL, NULL, NULL, NULL,
                                GV_EDGES_STRAIGHT,   0, NULL};
  *features = defaults;
}

/**
 * Copies features and builds an index over them (GV_INDEX_FEATURES). gv_index_search finds the k (1 ... 64)
 * nearest features of points of the plane or of longitudes and latitudes. exclude_self and queries NULL are
 * not supported.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param features 1 or more; copied.
 * @param options  metric, semi_major and flattening; NULL = defaults, on the plane by GV_EUCLIDEAN.
 * @param[out] out free it with gv_index_destroy.
 * @return GV_OK, INVALID_ARGUMENT (the message names the first bad feature), OUT_OF_MEMORY.
 */
GV_API gv_status gv_index_build_features(gv_context *context, const gv_features *features,
                                         const gv_index_options *options, gv_index **out);

/**
 * Finds for each of other features the k (1 ... 1024) nearest of an index of GV_INDEX_FEATURES, by (exact
 * distance, number). The distance of two features is 0 if they meet or one lies within the other (unless
 * `boundary`), else the least exact distance from a vertex of one to the other. This is their least distance
 * on the plane, and on the globe for geodesic edges, where edges that touch without crossing may have up to
 * 0.1 mm, and edges of nearly half the globe (antipodes) are not recognized as crossing. Straight edges on
 * the globe are supported on one side only, if the other has points.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param index not changed; any number of threads may share it.
 * @param queries        features in the index's coordinates; `edges` as of the indexed features.
 * @param options        NULL = defaults; nearest, exclude_self and device memory are not supported.
 * @param[out] indices   count x k numbers of features from 0, row-major; -1 where there are fewer than k.
 * @param[out] distances count x k distances, INFINITY where indices is -1; may be NULL.
 * @return GV_OK, INVALID_ARGUMENT (the message names the first bad feature), UNSUPPORTED, OUT_OF_MEMORY,
 * CANCELLED.
 */
GV_API gv_status gv_index_search_features(gv_context *context, const gv_index *index,
                                          const gv_features *queries, const gv_search_options *options,
                                          int64_t *indices, double *distances);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_GEOMETRIES_H */
