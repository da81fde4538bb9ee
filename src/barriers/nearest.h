/* The nearest seed of many places. */
#ifndef GV_BARRIERS_NEAREST_H
#define GV_BARRIERS_NEAREST_H

#include "barriers/barriers.h"

/*
 * Results of `count` places, three coordinates each and in `at` those of a gv_way_source: the number of the
 * source of the last leg (-1: none), and the length of the way.
 */
gv_status gv_barriers_nearest(gv_context *context, const gv_barriers *barriers, const double *places,
                              const double *at, int64_t count, int32_t *source, double *length);

#endif
