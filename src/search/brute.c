/* What the filter of brute force leaves: kept by its filter values, and decided canonically when little is left of it. */
#include "search/brute.h"

/* A value that at least `k` of the values are not above, and hardly more are where they lie evenly. No step depends on a comparison. */
static float bound_of(const float *value, int32_t count, int32_t k) {
  enum { STEPS = 9 };
  float low = value[0], high = value[0];
  for (int32_t i = 1; i < count; i++) {
    low = value[i] < low ? value[i] : low;
    high = value[i] > high ? value[i] : high;
  }
  for (int step = 0; step < STEPS; step++) {
    float middle = 0.5f * low + 0.5f * high;
    int32_t below = 0;
    for (int32_t i = 0; i < count; i++)
      below += value[i] <= middle;
    if (below >= k) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

/* What may still be among the k nearest stays. */
static void drop(gv_query_tile *tile, int q) {
  int64_t *kept = tile->kept[q];
  float *value = tile->kept_value[q];
  int32_t count = tile->kept_count[q], k = tile->list[q].k, left = 0;
  if (count >= k) {
    float bound = gv_float_above((double)bound_of(value, count, k) + 2.001 * tile->error[q]);
    if (bound < tile->bound[q]) tile->bound[q] = bound;
  }
  float threshold = gv_brute_threshold(tile, q);
  for (int32_t i = 0; i < count; i++) {
    kept[left] = kept[i];
    value[left] = value[i];
    left += value[i] <= threshold;
  }
  tile->threshold[q] = threshold;
  tile->kept_count[q] = left;
}

enum { TOGETHER = 4 };

/* Canonical values of some points at a time, as each addition to a sum waits for the last. */
static inline void distances_by(const double *q, const double *const row[TOGETHER], int32_t dim, const int metric,
                                double out[TOGETHER]) {
  double total[TOGETHER] = {0.0};
  for (int32_t d = 0; d < dim; d++) {
    for (int n = 0; n < TOGETHER; n++)
      total[n] = gv_norm_join(metric, gv_norm_of(metric, q[d] - row[n][d]), total[n]);
  }
  for (int n = 0; n < TOGETHER; n++)
    out[n] = total[n];
}

static void distances(const double *q, const double *const row[TOGETHER], int32_t dim, gv_metric metric,
                      double out[TOGETHER]) {
  switch (metric) {
  case GV_MANHATTAN:
    distances_by(q, row, dim, GV_MANHATTAN, out);
    break;
  case GV_CHEBYSHEV:
    distances_by(q, row, dim, GV_CHEBYSHEV, out);
    break;
  default:
    distances_by(q, row, dim, GV_EUCLIDEAN, out);
    break;
  }
}

static void decide(const gv_brute_reference *reference, gv_query_tile *tile, int q) {
  int32_t dim = reference->dim, count = tile->kept_count[q], i = 0;
  const int64_t *kept = tile->kept[q];
  const double *row[TOGETHER];
  double value[TOGETHER];
  for (; i + TOGETHER <= count; i += TOGETHER) {
    for (int n = 0; n < TOGETHER; n++)
      row[n] = reference->rows + kept[i + n] * dim;
    distances(tile->query[q], row, dim, reference->metric, value);
    for (int n = 0; n < TOGETHER; n++)
      gv_list_offer(&tile->list[q], value[n], kept[i + n]);
  }
  for (; i < count; i++) {
    const double *last = reference->rows + kept[i] * dim;
    gv_list_offer(&tile->list[q], gv_canonical_distance(tile->query[q], last, dim, reference->metric), kept[i]);
  }
  tile->kept_count[q] = 0;
}

int64_t gv_brute_thin(const gv_brute_reference *reference, gv_query_tile *tile, int q) {
  if (tile->kept_capacity > 1) drop(tile, q);
  int64_t count = tile->kept_count[q];
  if (count <= (int64_t)tile->kept_capacity * 3 / 4) return 0;
  decide(reference, tile, q);
  tile->threshold[q] = gv_brute_threshold(tile, q);
  return count;
}

void gv_brute_conclude(const gv_brute_reference *reference, gv_query_tile *tile, int q) {
  drop(tile, q);
  decide(reference, tile, q);
}
