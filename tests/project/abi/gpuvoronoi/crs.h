/**
 * @file crs.h
 * gpuvoronoi: the default metric of a coordinate system, and the default extent of a grid in it. The library
 * reads no coordinate systems: callers pass the facts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GPUVORONOI_CRS_H
#define GPUVORONOI_CRS_H

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------- default metrics */

/**
 * @par Example
 * @code
 * gv_crs_facts mercator; // of the whole world
 * gv_crs_facts_init(&mercator);
 * mercator.kind = GV_CRS_PROJECTED;
 * mercator.proj = "+proj=merc +lat_ts=0 +lon_0=0";
 * if (gv_default_metric(&mercator, NULL) != GV_GEODESIC) return 1;
 * @endcode
 */

/** Kinds of coordinate systems. */
typedef enum gv_crs_kind {
  GV_CRS_NONE = 0,       /**< no coordinate system */
  GV_CRS_GEOGRAPHIC = 1, /**< longitudes and latitudes, also of a rotated pole */
  GV_CRS_PROJECTED = 2,  /**< a projected CRS */
  GV_CRS_OTHER = 3       /**< a local or geocentric system */
} gv_crs_kind;

/** The facts of a coordinate system that decide about its default metric. The library reads no coordinate
 * systems. */
typedef struct gv_crs_facts {
  size_t struct_size;
  gv_crs_kind kind;
  /** GV_CRS_PROJECTED: its PROJ string, "+proj=merc +lat_ts=0 ..."; NULL if there is none */
  const char *proj;
  double west, east; /**< area of use in degrees of longitude, [-360, 360]; both 0 if unknown */
} gv_crs_facts;

/** Sets the defaults: no coordinate system. */
static inline void gv_crs_facts_init(gv_crs_facts *crs) {
  const gv_crs_facts defaults = {sizeof(gv_crs_facts), GV_CRS_NONE, NULL, 0.0, 0.0};
  *crs = defaults;
}

/**
 * The default metric of a coordinate system, the same in the command, the Python package and the QGIS plugin.
 * Thread safe.
 *
 * GV_GEODESIC for longitudes and latitudes, and for cylindrical projections of the whole world (Web Mercator,
 * plate carree ...), which stretch distances without bound towards the poles; else GV_EUCLIDEAN. Such a
 * projection is regional if its area of use is at most 180 degrees wide or, where the area is unknown, if its
 * true scale is not on the equator.
 * @param crs         NULL = no coordinate system.
 * @param[out] reason static text, e.g. "default for longitudes and latitudes"; may be NULL.
 * @return GV_GEODESIC or GV_EUCLIDEAN.
 */
GV_API gv_metric gv_default_metric(const gv_crs_facts *crs, const char **reason);

/* ---------------------------------------------------------------------------------------- default extents */

/**
 * @par Example
 * @code
 * const double places[4] = {500000.0, 5400000.0, 520000.0, 5410000.0}; // of a city, in UTM
 * double rectangle[4];
 * if (gv_default_extent(places, NULL, 1.0, rectangle, NULL) != GV_OK) return 1;
 * // 498000, 5399000, 522000, 5411000
 * @endcode
 */

/**
 * The default extent of a grid round seeds in a system other than longitudes and latitudes, the same in the
 * command and the Python package. Thread safe.
 *
 * The seeds' rectangle with a tenth of its width and height on each side; a rectangle without a width has
 * that of the height, and the other way round; round a single place 1,000 m, or half a unit where units have
 * no length. Projections are good for twice their area of use: seeds farther outside, or without a place in
 * the system, are left out, and the extent is cut at the area; it is all of the area if nothing else is left.
 * @param seeds       xmin, ymin, xmax, ymax of the seeds that have a place in the system; NULL = none has.
 * @param area        the same of the system's area of use; NULL = unknown, or no seed is outside of it.
 * @param meters      of a unit of the system; 0 = units have no length.
 * @param[out] extent xmin, ymin, xmax, ymax.
 * @param[out] is_cut 1 = the extent is cut at the area, 0 = it is not; may be NULL.
 * @return GV_OK; INVALID_ARGUMENT, without a message: neither seeds nor an area, a rectangle that is none,
 * `extent` is NULL.
 */
GV_API gv_status gv_default_extent(const double *seeds, const double *area, double meters, double *extent,
                                   int32_t *is_cut);

#ifdef __cplusplus
}
#endif

#endif
