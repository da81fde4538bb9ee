/**
 * @file diagram.h
 * gpuvoronoi: Voronoi diagrams as vectors: cells, edges and vertices on the plane, the sphere and the
 * ellipsoid. The conventions of gpuvoronoi.h hold here too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_DIAGRAM_H
#define GPUVORONOI_DIAGRAM_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------- Voronoi diagrams */

/**
 * @par Example
 * @code
 * const double lon[] = {13.4, -0.1, 2.35, 4.9},
 *              lat[] = {52.5, 51.5, 48.85, 52.4}; // Berlin, London, Paris, Amsterdam
 * const gv_points cities = gv_points_xy(lon, lat, 4);
 * gv_diagram_options options;
 * gv_diagram_options_init(&options);
 * options.metric = GV_GEODESIC;
 * gv_diagram *diagram = NULL;
 * gv_diagram_parts parts;
 * gv_diagram_parts_init(&parts);
 * double area[4];
 * gv_status status = gv_diagram_create(context, &cities, &options, &diagram);
 * if (status == GV_OK) status = gv_diagram_get(context, diagram, &parts);
 * if (status == GV_OK) status = gv_diagram_areas(context, diagram, area);
 * if (status == GV_OK)
 *   for (int64_t i = parts.cell[3]; i < parts.cell[4]; i++) { // the cell of Amsterdam
 *     const int64_t edge = parts.ring[i] < 0 ? -1 - parts.ring[i] : parts.ring[i];
 *     const int64_t *sides = &parts.edge_seed[2 * edge];
 *     printf("neighbor %d, %d points\n", (int)(sides[0] == 3 ? sides[1] : sides[0]),
 *            (int)(parts.line[edge + 1] - parts.line[edge]));
 *   }
 * const int good = status == GV_OK && parts.edge_count == 6 &&
 *                  fabs(area[0] + area[1] + area[2] + area[3] - 510065621724088) < 1e4;
 * gv_diagram_polygons *polygons = NULL; // in GeoJSON's order
 * gv_diagram_rings rings;
 * gv_diagram_rings_init(&rings);
 * if (status == GV_OK) status = gv_diagram_polygons_create(context, diagram, 1, &polygons);
 * if (status == GV_OK) status = gv_diagram_polygons_get(context, polygons, &rings);
 * if (status == GV_OK)
 *   printf("%d polygons of %d points\n", (int)rings.polygon_count, (int)rings.point_count);
 * gv_diagram_polygons_destroy(polygons);
 * gv_diagram_destroy(diagram);
 * if (!good || status != GV_OK) return 1;
 * @endcode
 */

/** The diagram of a set of seeds. Immutable: any number of threads may use one at once, each with its own
 * context. */
typedef struct gv_diagram gv_diagram;

typedef struct gv_diagram_options {
  size_t struct_size;
  gv_metric metric;  /**< GV_EUCLIDEAN (default), GV_GREAT_CIRCLE or GV_GEODESIC */
  double semi_major; /**< globe: a in meters; 0 = WGS 84 */
  double flattening; /**< globe: f = (a-b)/a; WGS 84's if semi_major is 0 */
  /** plane: west, south, east, north: cells are cut at this rectangle. All 0 = the seeds' extent, extended
   * by a tenth of its longer side. */
  double extent[4];
  /** globe: maximum distance in meters between an edge's line and the true border; above 0. Default 1 */
  double tolerance;
} gv_diagram_options;

/** Sets the defaults. */
static inline void gv_diagram_options_init(gv_diagram_options *options) {
  const gv_diagram_options defaults = {sizeof(gv_diagram_options), GV_EUCLIDEAN, 0.0, 0.0,
                                       {0.0, 0.0, 0.0, 0.0},       1.0};
  *options = defaults;
}

/**
 * The parts of a diagram. The arrays belong to the gv_diagram.
 *
 * An edge is the border of two cells between two vertices. It is a line: on the plane its two ends; on the
 * globe points that are within the tolerance of the border, joined by lines that are straight in longitude
 * and latitude (the shorter way, also across 180 degrees). Edges of the extent belong to one cell; the other
 * seed is -1. A cell is the counterclockwise ring of its edges. It is empty if a seed with a lower number is
 * at the same position, if it lies outside the plane's extent, or if all seeds of the globe are at one
 * position.
 */
typedef struct gv_diagram_parts {
  size_t struct_size;
  int64_t seed_count;
  int64_t place_count; /**< number of different positions of the seeds */
  /** vertices: points at equal distance from three or more seeds; on the plane also corners of the extent
   * and ends of cut edges. */
  int64_t vertex_count;
  int64_t edge_count;
  /** ellipsoid: vertices and edges that may be wrong by up to 250 km, near the antipodes of the seeds: if
   * all seeds lie on one geodesic and within about 300 km; else 0. */
  int64_t unverified;
  const int64_t *owner; /**< of each seed: the lowest seed number at its position; that seed has the cell */
  const double *vertex_x, *vertex_y; /**< coordinates, or longitude and latitude in degrees */
  const int64_t *edge_vertex;        /**< of each edge: its first and last vertex */
  const int64_t *edge_seed;          /**< of each edge: the seeds on its left and right */
  /** of each edge: its first point, and the number of points at the end */
  const int64_t *line;
  const double *line_x, *line_y; /**< points of lines, both ends of each edge included */
  const int64_t *cell; /**< of each seed: its first entry in `ring`, and the number of entries at the end */
  const int64_t *ring; /**< edge numbers: e = edge e forwards, -1 - e = edge e backwards */
} gv_diagram_parts;

/** Sets the size; the rest is written by gv_diagram_get. */
static inline void gv_diagram_parts_init(gv_diagram_parts *parts) {
  const gv_diagram_parts defaults = {
      sizeof(gv_diagram_parts), 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  *parts = defaults;
}

/**
 * Makes the Voronoi diagram of points, with the context's threads and progress.
 *
 * A point farther from all lines than the tolerance lies in the cell of its nearest seed by the exact
 * distance of the metric (gv_metric); the lowest number wins ties. Seeds that are closer to a seed with a
 * lower number than 10 micrometers (globe) or 1e-11 of the extent (plane) are at its position. The tolerance
 * does not hold for the border of two seeds that are closer to each other than a centimeter (globe).
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param seeds    1 ... 2^30 - 8 points of two dimensions; on the globe longitude and latitude in degrees.
 * @param options  NULL = defaults.
 * @param[out] out the diagram; free it with gv_diagram_destroy.
 * @return GV_OK, INVALID_ARGUMENT (the message names the first bad seed), UNSUPPORTED (other metrics),
 *         OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_diagram_create(gv_context *context, const gv_points *seeds,
                                   const gv_diagram_options *options, gv_diagram **out);

/**
 * Frees a diagram; NULL is allowed.
 * @param diagram from gv_diagram_create.
 */
GV_API void gv_diagram_destroy(gv_diagram *diagram);

/**
 * Describes a diagram.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param diagram not changed; any number of threads may share it.
 * @param[out] parts arrays are valid until gv_diagram_destroy.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_diagram_get(gv_context *context, const gv_diagram *diagram, gv_diagram_parts *parts);

/**
 * Computes the areas of all cells, as polygons of their lines; on the globe lines are geodesics of the
 * ellipsoid (PROJ's geod_polygon). Empty cells have area 0. If all seeds of the globe are at one position,
 * that cell has the area of the globe.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param diagram not changed; any number of threads may share it.
 * @param[out] area seed_count values, in square meters on the globe, else in the square of the coordinates'
 * unit.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_diagram_areas(gv_context *context, const gv_diagram *diagram, double *area);

/** The polygons of all cells. Immutable. Independent of the diagram that they were made from. */
typedef struct gv_diagram_polygons gv_diagram_polygons;

/** Arrays of a gv_diagram_polygons; they belong to it. Each polygon is one closed counterclockwise ring. */
typedef struct gv_diagram_rings {
  size_t struct_size;
  int64_t cell_count;
  int64_t polygon_count;
  int64_t point_count;
  /** Of each seed: its first polygon, and the number of polygons at the end; most cells have one, empty
   * ones none. */
  const int64_t *polygon;
  const int64_t *point; /**< of each polygon: its first point, and the number of points at the end */
  const double *x, *y;  /**< the last point of a ring equals its first */
} gv_diagram_rings;

/** Sets the size; the rest is written by gv_diagram_polygons_get. */
static inline void gv_diagram_rings_init(gv_diagram_rings *rings) {
  const gv_diagram_rings defaults = {sizeof(gv_diagram_rings), 0, 0, 0, NULL, NULL, NULL, NULL};
  *rings = defaults;
}

/**
 * Makes the polygons of all cells. Two polygons that share an edge have the same points along it.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param diagram not changed; any number of threads may share it.
 * @param cut      globe: non-zero = cut at 180 degrees and closed along the poles, as RFC 7946 requires;
 * valid in longitude and latitude. 0 = one ring for each cell; its longitudes jump at 180 degrees.
 * @param[out] out the polygons; free them with gv_diagram_polygons_destroy.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_diagram_polygons_create(gv_context *context, const gv_diagram *diagram, int cut,
                                            gv_diagram_polygons **out);

/**
 * Describes polygons.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param polygons not changed.
 * @param[out] rings arrays are valid until gv_diagram_polygons_destroy.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_diagram_polygons_get(gv_context *context, const gv_diagram_polygons *polygons,
                                         gv_diagram_rings *rings);

/**
 * Frees polygons; NULL is allowed.
 * @param polygons from gv_diagram_polygons_create.
 */
GV_API void gv_diagram_polygons_destroy(gv_diagram_polygons *polygons);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_DIAGRAM_H */
