/*
 * Which seeds may be the k nearest by geodesic, told by chords.
 *
 * A seed with a squared chord beyond c^2 + slack(c^2), c the k-th smallest chord (geodesic/geodesic.h), has a longer geodesic
 * than each of the k nearest by chord; so the neighbours by chord up to there hold the answer. Where it is not known how many
 * these are, four times as many are asked for.
 */
#ifndef GV_WIDEN_H
#define GV_WIDEN_H

#include "core/buffer.h"
#include "geodesic/geodesic.h"
#include "search/backend.h"

/* Neighbours by chord of one place, nearest first, -1 behind the last. */
typedef struct gv_neighbours {
  const int64_t *found;
  const double *chord2;
  int32_t asked; /* more than k */
} gv_neighbours;

typedef struct gv_widening {
  const gv_geodesic *geodesic;
  const gv_index *chords;
  int32_t k, most; /* neighbours that are wanted; that are asked for at most */
  double limit;    /* squared chord */
  gv_allocator allocator;
  /* Those asked for last; made when they are first needed. */
  gv_buffer found, chord2;
} gv_widening;

/* True if the order of `count` neighbours by chord is their order by geodesic: each chord is clear of the next. */
bool gv_chords_decide(const gv_geodesic *geodesic, const double *chord2, int32_t count);

/* Asks for more neighbours of the place `vector` (without the seed `self`, -1: with all) while it is not known how many may be
 * among the k. *count becomes that, or -1 if it would take more than `most`. What *neighbours points to is good until the next
 * call. */
gv_status gv_widen(gv_context *context, gv_widening *widening, const double vector[3], int64_t self,
                   gv_neighbours *neighbours, int32_t *count);

void gv_widening_clear(gv_widening *widening);

#endif
