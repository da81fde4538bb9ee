/* Sums of one panel, over the few seeds that it has, and how they are added to the whole. */
#ifndef GV_PANEL_SUMS_H
#define GV_PANEL_SUMS_H

#include "statistics/statistics.h"

typedef struct gv_far_sum {
  gv_wide sum; /* area x distance */
  double farthest;
} gv_far_sum;

/* One panel's sums. */
typedef struct gv_panel_sums {
  gv_region_sums regions; /* comes first */
  const gv_statistics *s;
  gv_allocator allocator;
  gv_far_sum *far;     /* by index; NULL without distances */
  gv_wide *sum_of_far; /* of each quantity: value x distance */
} gv_panel_sums;

static inline int64_t *gv_sums_of(const gv_panel_sums *l, int32_t index) {
  return l->regions.sum + index * l->regions.stride;
}

/* gv_region_sums.reserve */
bool gv_panel_sums_reserve(gv_region_sums *regions, int32_t more);

void gv_panel_sums_clear(gv_panel_sums *sums);

/* The index of each run of a scan; false when out of memory. */
bool gv_find_indices(gv_panel_sums *l, const gv_scan *scan, gv_runs *runs);

/* Adds a panel to the whole. */
gv_status gv_panel_sums_merge(gv_context *context, gv_statistics *s, const gv_tile *panel, const gv_panel_sums *l);

#endif
