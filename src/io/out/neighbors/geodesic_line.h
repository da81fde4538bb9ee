/* The shortest line on an ellipsoid between two places, as a map of longitudes and latitudes shows it. */
#ifndef GV_IO_GEODESIC_LINE_H
#define GV_IO_GEODESIC_LINE_H

#include <ogr_api.h>

#include "io/io.h"

/* From (lon, lat) to (lon, lat) in degrees: a MultiLineString with a vertex at least every 100 km and cut at ±180°. */
gv_status gv_geodesic_line(gv_io *io, double semi_major, double flattening, const double from[2],
                           const double to[2], OGRGeometryH *out);

#endif
