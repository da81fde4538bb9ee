/**
 * @file crs.h
 * gpuvoronoi: the default metric of a coordinate system. The library reads no coordinate systems: callers
 * pass the facts.
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

#ifdef __cplusplus
}
#endif

#endif
