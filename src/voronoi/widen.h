/*
 * Finds by chords which seeds may be the k nearest by geodesic.
 *
 * A seed with a squared chord above c^2 + slack(c^2), c the k-th smallest chord (geodesic/geodesic.h), has a
 * longer geodesic than each of the k nearest by chord; so the neighbors by chord up to there contain the
 * result. If more are needed, four times as many are requested, for all such queries at once: a device takes
 * as long for one query as for thousands.
 */
#ifndef GV_WIDEN_H
#define GV_WIDEN_H

#include "geodesic/geodesic.h"
#include "search/backend.h"

/* Neighbors by chord of one query, nearest first. */
typedef struct gv_neighbors {
  const int64_t *found;
  const double *chord2;
  int32_t count; /* the first of them that may be among the k; -1: unknown, all seeds may */
} gv_neighbors;

typedef struct gv_widening {
  const gv_geodesic *geodesic;
  const gv_point_index *chords;
  int32_t k, most; /* neighbors to find; maximum number to request */
  /* Called with each query's neighbors, by several threads, in any order. */
  gv_status (*put)(gv_context *context, const void *user, int64_t query, const gv_neighbors *neighbors);
  const void *user;
} gv_widening;

/* True if the order of `count` neighbors by chord is their order by geodesic: each chord is clear of the
 * next. */
bool gv_chords_decide(const gv_geodesic *geodesic, const double *chord2, int32_t count);

/* Decides queries, for which the query->k nearest by chord (more than k) have been found, with the context's
 * threads. Errors: OUT_OF_MEMORY, those of searches and of `put`. */
gv_status gv_widen(gv_context *context, const gv_widening *widening, const gv_query *query,
                   const int64_t *found, const double *chord2);

#endif
