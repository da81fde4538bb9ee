/* From features to walls and corners. */
#ifndef GV_BARRIERS_WALLS_H
#define GV_BARRIERS_WALLS_H

#include "barriers/barriers.h"
#include "features/set.h"

/* Fills vertices and walls, and makes their tree. Edges that a polygon has an even number of times are not
 * part of its boundary. */
gv_status gv_barrier_walls_make(gv_context *context, const gv_feature_set *set, gv_barriers *out);

/* On the sphere: chooses `reference`, and fills `odd`. */
gv_status gv_barrier_reference_find(gv_context *context, const gv_feature_set *set, gv_barriers *barriers);

/* Fills corners, and makes their tree. */
gv_status gv_barrier_corners_make(gv_context *context, gv_barriers *barriers);

#endif
