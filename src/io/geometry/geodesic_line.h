/* The shortest line on an ellipsoid between two places, as a map of longitudes and latitudes shows it. */
#ifndef GV_IO_GEODESIC_LINE_H
#define GV_IO_GEODESIC_LINE_H

#include <ogr_api.h>

#include "io/io.h"

/* A chain of such lines from one position to the next, `count` of them (2 at least), as one of these. */
gv_status gv_geodesic_chain(gv_io *io, double semi_major, double flattening, const double *lon,
                            const double *lat, int64_t count, OGRGeometryH *out);

/* From degrees to another unit. */
void gv_geodesic_line_scale(OGRGeometryH lines, double unit);

/* From (lon, lat) to (lon, lat) in degrees: a MultiLineString with a vertex at least every 100 km and cut at
 * ±180°. */
gv_status gv_geodesic_line(gv_io *io, double semi_major, double flattening, const double from[2],
                           const double to[2], OGRGeometryH *out);

#endif
