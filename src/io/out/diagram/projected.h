/* Pieces of a diagram in another coordinate system. */
#ifndef GV_IO_PROJECTED_H
#define GV_IO_PROJECTED_H

#include "diagram/pieces.h"
#include "io/crs.h"

/*
 * Projects pieces, with additional points so that projected straight lines are within `tolerance` (in the target's
 * unit; INFINITY: no points are added) of the result, plus 2e-8 of their coordinates. A line and its reverse get
 * the same points. Errors: PROJECTION if a point has no image.
 */
gv_status gv_pieces_project(gv_io *io, gv_context *context, const gv_pieces *pieces, gv_operation *operation,
                            double tolerance, gv_pieces *out);

#endif
