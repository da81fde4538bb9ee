/* What cannot be had from running sums and is added run by run: distances, values cell by cell, all of a mesh. */
#include <math.h>

#include "statistics/block.h"

void gv_add_triangles(const gv_statistics_work *j, int64_t from, gv_panel_sums *l) {
  const double one = (double)(INT64_C(1) << GV_TERM_BITS);
  static const int low[4] = {GV_LANE_MOMENT, GV_LANE_MOMENT + 1, GV_LANE_MOMENT + 2, GV_LANE_AREA};
  static const int high[4] = {GV_LANE_MOMENT + GV_LANE_HIGH, GV_LANE_MOMENT + GV_LANE_HIGH + 1,
                              GV_LANE_MOMENT + GV_LANE_HIGH + 2, GV_LANE_AREA + 1};
  for (int32_t i = 0; i < j->runs.count; i++) {
    gv_run at = gv_run_of(&j->runs, i, from, 0);
    int64_t *to = gv_sums_of(l, j->runs.index[i]);
    to[GV_LANE_CELLS] += at.c1 - at.c0;
    for (int k = 0; k < 4; k++) {
      int64_t parts[2] = {0, 0};
      gv_sum_whole(j->s, j->mesh[1 + k] + at.c0, NULL, at.c1 - at.c0, one, 2.0, parts);
      to[low[k]] += parts[0];
      to[high[k]] += parts[1];
    }
  }
}

static inline gv_wide value_of(const gv_exact_sum *exact) {
  return (gv_wide)exact->high * (1 << 26) + exact->low;
}

/* Sum of distance x factor, cell by cell. */
static gv_wide sum_products(const gv_statistics *s, const double *distance, const double *factor, int64_t n) {
  gv_exact_sum exact = {0, 0};
  for (int64_t begin = 0; begin < n; begin += GV_EXACT_TERMS)
    s->kernels->sum_products(distance + begin, factor + begin, gv_terms_of(n - begin), &exact);
  return value_of(&exact);
}

/* The same with one factor; *longest becomes the longest distance, -1 if one is none. */
static gv_wide sum_distances(const gv_statistics *s, const double *distance, int64_t n, double factor,
                             double *longest) {
  gv_exact_sum exact = {0, 0};
  *longest = 0.0;
  for (int64_t begin = 0; begin < n && *longest >= 0.0; begin += GV_EXACT_TERMS) {
    double most = s->kernels->sum_distances(distance + begin, gv_terms_of(n - begin), factor, s->longest, &exact);
    *longest = most < 0.0 || most > *longest ? most : *longest;
  }
  return value_of(&exact);
}

static gv_status add_distances(const gv_statistics_work *j, const gv_run *at, const double *distance,
                               gv_far_sum *to) {
  const gv_statistics *s = j->s;
  double scale = (double)(INT64_C(1) << GV_TERM_BITS) / s->longest, farthest;
  if (s->row_share != NULL) scale *= s->row_share[j->tile.r0 + at->r];
  gv_wide total = sum_distances(s, distance + at->c0, at->c1 - at->c0, scale, &farthest);
  if (farthest < 0.0) {
    return gv_fail(j->context, GV_ERROR_INVALID_ARGUMENT, "a cell has no distance from its seed, or one beyond %g",
                   s->longest);
  }
  if (farthest > to->farthest) to->farthest = farthest;
  if (j->mesh[0] == NULL) {
    to->sum += total;
  } else {
    scale /= s->area_unit * (double)(INT64_C(1) << GV_TERM_BITS);
    for (int64_t c = at->c0; c < at->c1; c++)
      to->sum += (int64_t)(distance[c] * (scale * j->mesh[0][c]));
  }
  return GV_OK;
}

gv_status gv_add_each(const gv_statistics_work *j, int64_t from, int64_t row, gv_panel_sums *l) {
  const gv_statistics *s = j->s;
  gv_status status = GV_OK;
  for (int32_t i = 0; i < j->runs.count && status == GV_OK; i++) {
    gv_run at = gv_run_of(&j->runs, i, from, row);
    int32_t index = j->runs.index[i];
    if (gv_is_nobody(s, l->regions.shown[index])) continue;
    const double *distance = s->distances ? j->block->distance + at.r * j->block->distance_stride : NULL;
    if (distance != NULL) status = add_distances(j, &at, distance, &l->far[index]);
    for (int32_t q = 0; q < s->sums && status == GV_OK; q++) {
      const gv_block_quantity *quantity = &j->quantity[q];
      if (!quantity->summed) status = gv_add_values(j, q, &at, gv_sums_of(l, index) + GV_SCAN_LANES + 2 * q);
      if (distance != NULL) {
        l->sum_of_far[(int64_t)index * s->sums + q] +=
            sum_products(s, distance + at.c0, quantity->factor + at.c0, at.c1 - at.c0);
      }
    }
  }
  return status;
}
