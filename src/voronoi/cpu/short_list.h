/*
 * The order of a short list of candidates over a tile: which of them may be among the k nearest of a cell,
 * and which groups of them come in the same order everywhere (leaf.h). For squared distances without
 * weights; bounds and margins are those of margin.h.
 *
 * With u = s - m, candidate i is nearer than candidate j in every cell of the zonotope {m + sum t_g g} if
 *   |u_j|^2 - 2 sum_g |g . u_j - g . u_i| > |u_i|^2,
 * which one comparison of vectors tests for i and eight of the others. In the order of distance from m, a
 * candidate is excluded if the first k are all nearer; the list is cut where all before are nearer than
 * all behind. The others belong to one group with the k-th, so only the first k are compared with the
 * others.
 *
 * Gain: without it `-k 3` of 7,700 airports, 21600x10800, takes 1.18 times the CPU time, `-k 4` of 10,000
 * seeds 1.15.
 */
#ifndef GV_SHORT_LIST_H
#define GV_SHORT_LIST_H

#include "geodesic/geodesic.h"

enum { GV_SHORT_LIST = 16 };

typedef struct gv_short_list {
  gv_candidates *candidates; /* 1 ... GV_SHORT_LIST; those that may be among the k nearest are left */
  int32_t dim, k;
  const gv_bound *bound;
  double limit;                /* the margin, on top of gv_cull_slack of both squares */
  const gv_geodesic *geodesic; /* metric geodesic: the slack is added to the limit; else NULL */

  double slack;   /* out: that slack, for the farthest of the first k; or 0 */
  int32_t *place; /* out: the candidates that are left, by distance from m; room for GV_SHORT_LIST */
  int32_t *end;   /* out: of each group in `place`; room for GV_SHORT_LIST */
  int32_t groups; /* out */
} gv_short_list;

typedef void gv_short_list_kernel(gv_short_list *list);
gv_short_list_kernel gv_short_list_baseline, gv_short_list_avx2, gv_short_list_avx512;

#endif
