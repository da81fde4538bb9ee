/* Shortest ways from seeds to corners, and the legs that continue them. */
#ifndef GV_BARRIERS_WAYS_H
#define GV_BARRIERS_WAYS_H

#include "barriers/leg.h"

/*
 * Fills the sources: seeds at `count` places, three coordinates each and in `at` those of a gv_way_source,
 * and corners. `kind`: of each seed, a gv_barrier_place; those inside reach nothing. Errors: OUT_OF_MEMORY,
 * CANCELLED.
 */
gv_status gv_ways_find(gv_context *context, gv_barriers *barriers, const double *places, const double *at,
                       const uint8_t *kind, int64_t count);

/* Releases the sources. */
void gv_ways_clear(gv_barriers *barriers);

/* Whether a way through a source may continue in the direction of a place: it turns there and is taut. */
bool gv_way_continues(const gv_barriers *barriers, const gv_way_source *source, const double *x);

/* As gv_barrier_leg from a source to a place to which its way may continue. */
unsigned gv_way_leg(const gv_barriers *barriers, gv_leg_memory *memory, const gv_way_source *source,
                    const double *x, unsigned end, int32_t *blocker);

#endif
