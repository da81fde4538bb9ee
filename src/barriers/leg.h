/* Whether a leg is free. */
#ifndef GV_BARRIERS_LEG_H
#define GV_BARRIERS_LEG_H

#include "barriers/barriers.h"
#include "core/buffer.h"

/* Where a leg touches walls: a vertex with walls to its sides, or a stretch that follows a wall. */
typedef struct gv_leg_touch {
  double from, to; /* along the leg: coordinates, ascending */
  unsigned closed; /* sides with walls */
} gv_leg_touch;

/* Memory of one thread for legs. Begins as {0} with the allocator. */
typedef struct gv_leg_memory {
  gv_allocator allocator;
  gv_buffer touches;
  int64_t count;
  bool failed; /* out of memory: legs count as closed */
} gv_leg_memory;

void gv_leg_memory_clear(gv_leg_memory *memory);

/*
 * The leg from p to q, which differ. `start`: sides of walls on which it may begin if it follows them from p
 * on; `end`: on which it may arrive. Returns the sides of `end` on which it can arrive, all if it follows no
 * wall there; 0: the leg is not free. A wall that closes it alone is written to *blocker, if there is one.
 */
unsigned gv_barrier_leg(const gv_barriers *barriers, gv_leg_memory *memory, const double *p, const double *q,
                        unsigned start, unsigned end, int32_t *blocker);

/* Whether a wall crosses the leg between the ends of both. */
bool gv_barrier_wall_crosses(const gv_barriers *barriers, const gv_wall *wall, const double *p,
                             const double *q);

/* Whether a wall crosses all legs from p to places of a box. */
bool gv_barrier_wall_hides(const gv_barriers *barriers, const gv_wall *wall, const double *p,
                           const gv_barrier_box *box);

#endif
