/* Whether a place, or the beginning of a leg, lies within a polygon: exact. */
#ifndef GV_BARRIERS_INSIDE_H
#define GV_BARRIERS_INSIDE_H

#include "barriers/barriers.h"
#include "core/hash.h"

/* Of a polygon. */
static inline uint64_t gv_barrier_hash(int32_t polygon) {
  return gv_hash_mix((uint64_t)polygon + 1);
}

typedef enum gv_barrier_place {
  GV_BARRIER_FREE,
  GV_BARRIER_ON_WALL, /* and on a free side of it */
  GV_BARRIER_INSIDE
} gv_barrier_place;

gv_barrier_place gv_barrier_place_of(const gv_barriers *barriers, const double *x);

/* Whether the leg from p towards q begins within a polygon; if it begins along walls, on the given side of
 * them. `back`: of the leg in the opposite direction. */
bool gv_barrier_begins_inside(const gv_barriers *barriers, const double *p, const double *q, bool back,
                              int side);

#endif
