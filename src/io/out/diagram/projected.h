/* Pieces of a diagram in another coordinate system. */
#ifndef GV_IO_PROJECTED_H
#define GV_IO_PROJECTED_H

#include "diagram/pieces.h"
#include "io/crs.h"

/*
 * Projects pieces, with as many points more that lines straight before are within `tolerance` (in the target's unit; INFINITY: no more points) of
 * straight ones (and 2e-8 of their coordinates more). A line and its reverse give the same points. Errors: PROJECTION where a point has no image.
 */
gv_status gv_pieces_project(gv_io *io, gv_context *context, const gv_pieces *pieces, gv_operation *operation,
                            double tolerance, gv_pieces *out);

#endif
