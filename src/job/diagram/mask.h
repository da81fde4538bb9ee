/* Clipping of a diagram's cells. */
#ifndef GV_JOB_DIAGRAM_MASK_H
#define GV_JOB_DIAGRAM_MASK_H

#include <ogr_api.h>
#include <ogr_srs_api.h>

#include "io/io.h"

/* The rectangle `extent` (west, south, east, north; NULL: none) and the polygons of the source `mask` (NULL: none),
 * transformed to `crs` (NULL: unchanged): the intersection of both. *out NULL: both are NULL; else free it. */
gv_status gv_diagram_within(gv_io *io, const double *extent, const char *mask, const char *layer,
                            OGRSpatialReferenceH crs, OGRGeometryH *out);

#endif
