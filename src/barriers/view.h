/*
 * What walls around a source hide: by directions, the distance beyond which no leg from it is free.
 *
 * Gain: ways to corners 2.7x on gpuvoronoi-bench barriers --polygons 2000, 6.7x on 10000; by sea round
 * Natural Earth's land at 1:50,000,000, geodesic, more than 10x. Bins that two chains close together, and
 * chains all round a source: 1.25x on --polygons 10000, geodesic 3x for 8,000 lines of 1,000 km that cross
 * each other.
 */
#ifndef GV_BARRIERS_VIEW_H
#define GV_BARRIERS_VIEW_H

#include "barriers/leg.h"

enum { GV_VIEW_BINS = 64 };

#define GV_VIEW_FARTHER 1.05 /* of squared lengths: more than any error of them */

/*
 * Directions are numbers from -2 to 2: how far round a square with its corners on the axes u and v. Those to
 * which a way through the source may continue are divided into bins. A leg within a bin is closed if its
 * squared length in space is more than GV_VIEW_FARTHER far2.
 */
typedef struct gv_view {
  double u[3], v[3];
  double from, to, bins; /* the directions, and how many bins there are in a direction of 1 */
  double reach2;         /* the largest of far2 */
  int32_t edge[2];       /* vertices in the directions `from` and `to`; -1: none */
  float far2[GV_VIEW_BINS];
  /* Parts of bins that one chain closes: [0] from their beginning on, [1] up to their end. `parts`: how much
   * of the bin. */
  float part2[2][GV_VIEW_BINS], parts[2][GV_VIEW_BINS];
} gv_view;

/* Looks around a source, which is settled. `length`: of legs in space. NULL: out of memory. */
gv_view *gv_view_make(const gv_barriers *barriers, gv_leg_memory *memory, const gv_way_source *source,
                      double length);

/* Adds what a wall that closed a leg hides, and walls connected to it. */
void gv_view_add(const gv_barriers *barriers, gv_view *view, const double *p, int32_t wall);

/* Whether all legs from p to a box are certainly closed, or not such as a way continues to. */
bool gv_view_hides(const gv_barriers *barriers, const gv_view *view, const double *p,
                   const gv_barrier_box *box);

#endif
