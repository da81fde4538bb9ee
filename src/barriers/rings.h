/* The vertices of features as places, with pieces of edges that are not legs. */
#ifndef GV_BARRIERS_RINGS_H
#define GV_BARRIERS_RINGS_H

#include "barriers/barriers.h"
#include "features/set.h"

/* Edges that are straight in longitude and latitude are divided into arcs that deviate from them by at most
 * this part of the edge's length, but no less than the first and no more than the second number of meters. */
#define GV_BARRIER_DEVIATION       2e-5
#define GV_BARRIER_LEAST_DEVIATION 1.0
#define GV_BARRIER_MOST_DEVIATION  20.0

typedef struct gv_barrier_rings {
  double *place;  /* of each vertex: three coordinates */
  double *at;     /* and three as in gv_way_source */
  int64_t *first; /* of each ring of the features, and the end: its vertices */
  int64_t count;
  double deviation; /* of arcs from their edges: meters at most */
} gv_barrier_rings;

/* Errors: OUT_OF_MEMORY, INVALID_ARGUMENT (too many). Free it with gv_barrier_rings_clear, also after an
 * error. */
gv_status gv_barrier_rings_make(gv_context *context, const gv_barriers *barriers, const gv_feature_set *set,
                                gv_barrier_rings *out);
void gv_barrier_rings_clear(gv_context *context, gv_barrier_rings *rings);

/* The place of a seed, a cell or a vertex: x and y on the plane, else longitude and latitude; and these as in
 * gv_way_source. */
void gv_barrier_place_at(const gv_barriers *barriers, double x, double y, double place[3], double at[3]);

#endif
