/*
 * The parts of `openmp`, the blocked and vectorised brute force: see openmp.c for the idea, float_filter.h for the error bounds.
 */
#ifndef GV_BRUTE_H
#define GV_BRUTE_H

#include "search/backend.h"
#include "search/nearest_list.h"

enum {
  GV_PANEL = 32,          /* reference points side by side in a panel of floats and in a step of the exact kernel */
  GV_QUERY_TILE_MAX = 12, /* queries a filter kernel keeps in registers */
  GV_UNDECIDED_SHARE = 64 /* the filter gives up when it leaves more than one pair in so many undecided */
};

/* Reference points as the kernels read them. Panels of floats are centred and scaled; rows are the canonical
 * doubles. */
typedef struct gv_brute_reference {
  const double *rows;
  const float *panels; /* panel p: dim x GV_PANEL values */
  const float *halves; /* euclidean: half the squared length of every point of the panels */
  int64_t count;
  int32_t dim;
  gv_metric metric;
} gv_brute_reference;

/* Queries that go through the filter together. */
typedef struct gv_query_tile {
  int count; /* used queries; the rest of it repeats the last one */
  int width;
  bool filterable;           /* all queries lie where the filter's error bound is finite and useful */
  int64_t pause, next_pause; /* panels to be searched exactly before the filter is tried again */
  bool exact;                /* this chunk is searched exactly */
  const float *values;       /* dim x width: centred, scaled; negated for euclidean */
  double scale;              /* filter value = scale x canonical value + offset, at most */
  double offset[GV_QUERY_TILE_MAX];
  float threshold
      [GV_QUERY_TILE_MAX]; /* a filter value above it proves that the point is no neighbour; unused: -inf */
  const double *query[GV_QUERY_TILE_MAX];
  int64_t self[GV_QUERY_TILE_MAX];
  gv_nearest_list list[GV_QUERY_TILE_MAX];
} gv_query_tile;

/* The threshold that belongs to the list's present worst value, rounded up. */
static inline float gv_brute_threshold(const gv_query_tile *tile, int query) {
  double value = tile->scale * tile->list[query].worst + tile->offset[query];
  return (float)(value + fabs(value) * 0x1p-22);
}

typedef struct gv_brute_kernel {
  int width; /* of a query tile */

  /* Offers every point of the panels that the filter cannot exclude, by its canonical distance. Returns how many.
   */
  int64_t (*filter)(const gv_brute_reference *reference, gv_query_tile *tile, int64_t first_panel,
                    int64_t end_panel);

  /* Offers reference points first ... first + count - 1 by canonical distances computed in vectors. `packed` holds
   * them in panels of GV_PANEL doubles, the last one filled up with infinities. */
  void (*exact)(const gv_brute_reference *reference, gv_query_tile *tile, const double *packed, int64_t first,
                int64_t count);
} gv_brute_kernel;

GV_KERNEL_TABLE(gv_brute_kernel);

#endif
