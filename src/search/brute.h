/*
 * The parts of `openmp`, the blocked and vectorised brute force: see openmp.c for the idea, float_filter.h
 * for the error bounds.
 */
#ifndef GV_BRUTE_H
#define GV_BRUTE_H

#include "search/backend.h"
#include "search/nearest_list.h"

enum {
  /* reference points side by side in a panel of floats and in a step of the exact kernel */
  GV_PANEL = 32,
  GV_QUERY_TILE_MAX = 12, /* queries a filter kernel keeps in registers */
  GV_KEPT_K_MAX = 1024,   /* for more neighbors nothing is kept for long */
  GV_UNDECIDED_SHARE = 64 /* the filter stops if it leaves more than one pair in this number undecided */
};

/* Reference points for the kernels. Panels of floats are centered and scaled; rows are the caller's values:
 * doubles, or floats. */
typedef struct gv_brute_reference {
  const double *rows;
  const float *narrow; /* NULL: rows */
  const float *panels; /* panel p: dim x GV_PANEL values */
  const float *halves; /* euclidean: half the squared length of every point of the panels */
  int64_t count;
  int32_t dim;
  gv_metric metric;
  const double *periods; /* as gv_reference's */
  double power;
} gv_brute_reference;

/* Queries that go through the filter together. */
typedef struct gv_query_tile {
  int count; /* used queries; the rest of it repeats the last one */
  int width;
  bool filterable;           /* all queries lie where the filter's error bound is finite and useful */
  int64_t pause, next_pause; /* panels to be searched exactly before the filter is tried again */
  bool exact;                /* this chunk is searched exactly */
  const float *values;       /* dim x width: centered, scaled; negated for euclidean */
  double scale;              /* filter value = scale x canonical value + offset, at most */
  double offset[GV_QUERY_TILE_MAX];
  float threshold[GV_QUERY_TILE_MAX]; /* a filter value above it proves that the point is not a neighbor;
                                         unused: -inf */
  const double *query[GV_QUERY_TILE_MAX];
  int64_t self[GV_QUERY_TILE_MAX];
  gv_nearest_list list[GV_QUERY_TILE_MAX];
  /* Points that are not in the list yet, and their filter values: most early ones are dropped before they are
   * compared. */
  int64_t *kept[GV_QUERY_TILE_MAX];
  float *kept_value[GV_QUERY_TILE_MAX];
  int32_t kept_count[GV_QUERY_TILE_MAX], kept_capacity;
  double error[GV_QUERY_TILE_MAX]; /* a filter value is wrong by at most that */
  float bound[GV_QUERY_TILE_MAX];  /* the threshold by the kept points */
} gv_query_tile;

/* A float that is not below the value. */
static inline float gv_float_above(double value) {
  return (float)(value + fabs(value) * 0x1p-22);
}

/* The threshold for the list's current worst value and the kept points. */
static inline float gv_brute_threshold(const gv_query_tile *tile, int query) {
  float value = gv_float_above(tile->scale * tile->list[query].worst + tile->offset[query]);
  return value < tile->bound[query] ? value : tile->bound[query];
}

/*
 * Number of points kept for a query. With F not below the k-th least of their filter values and e the error,
 * exact distances c of these k have scale c <= F - (offset - e) + e, so that points not farther have a filter
 * value of at most F + 2 e (and 1e-7 e for the rounding of exact distances): the others are dropped. For k =
 * 1 no points are kept: each decided point lowers the threshold.
 */
static inline int64_t gv_brute_capacity(int64_t k) {
  return k == 1 ? 1 : k <= 32 ? 3 * k : k <= GV_KEPT_K_MAX ? 2 * k + 32 : 64;
}

/* Drops points that cannot be neighbors, and decides the others by exact distances if they fill most of the
 * memory. Returns how many were decided. */
int64_t gv_brute_thin(const gv_brute_reference *reference, gv_query_tile *tile, int query);

/* Moves all kept points into the list, or drops them. */
void gv_brute_conclude(const gv_brute_reference *reference, gv_query_tile *tile, int query);

typedef struct gv_brute_kernel {
  int width; /* of a query tile */

  /* Keeps every point of the panels that the filter cannot exclude. Returns the panel before which it gave
   * up, as too many had to be decided. */
  int64_t (*filter)(const gv_brute_reference *reference, gv_query_tile *tile, int64_t first_panel,
                    int64_t end_panel);

  /* Offers reference points first ... first + count - 1 by exact distances computed in vectors. `packed`
   * holds them in panels of GV_PANEL doubles, the last one filled up with infinities. */
  void (*exact)(const gv_brute_reference *reference, gv_query_tile *tile, const double *packed, int64_t first,
                int64_t count);
} gv_brute_kernel;

GV_KERNEL_TABLE(gv_brute_kernel);

#endif
