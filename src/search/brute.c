/* Candidates that the filter of brute force leaves: kept by filter value, and decided by exact distances when
 * memory gets short. */
#include "search/brute.h"

/* A value that at least `k` of the values are not above, and hardly more are where they lie evenly. No step
 * depends on a comparison. */
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

/* Keeps points that may still be among the k nearest. */
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
static inline void distances_by(const double *q, const gv_brute_reference *reference, const int64_t *number,
                                const bool narrow, const int metric, double out[TOGETHER]) {
  int64_t dim = reference->dim;
  double total[TOGETHER] = {0.0};
  for (int64_t d = 0; d < dim; d++) {
    for (int n = 0; n < TOGETHER; n++) {
      int64_t at = number[n] * dim + d;
      double value = narrow ? (double)reference->narrow[at] : reference->rows[at];
      total[n] = gv_norm_join(metric, gv_norm_of(metric, q[d] - value), total[n]);
    }
  }
  for (int n = 0; n < TOGETHER; n++)
    out[n] = total[n];
}

static inline void distances_of(const double *q, const gv_brute_reference *reference, const int64_t *number,
                                const bool narrow, double out[TOGETHER]) {
  switch (reference->metric) {
  case GV_MANHATTAN:
    distances_by(q, reference, number, narrow, GV_MANHATTAN, out);
    break;
  case GV_CHEBYSHEV:
    distances_by(q, reference, number, narrow, GV_CHEBYSHEV, out);
    break;
  default:
    distances_by(q, reference, number, narrow, GV_EUCLIDEAN, out);
    break;
  }
}

static double distance(const double *q, const gv_brute_reference *reference, int64_t number) {
  int32_t dim = reference->dim;
  if (gv_metric_of_products(reference->metric)) {
    return reference->narrow != NULL
               ? gv_product_distance_of_floats(q, reference->narrow + number * dim, dim, reference->metric)
               : gv_product_distance(q, reference->rows + number * dim, dim, reference->metric);
  }
  return reference->narrow != NULL
             ? gv_canonical_distance_of_floats(q, reference->narrow + number * dim, dim, reference->metric)
             : gv_canonical_distance(q, reference->rows + number * dim, dim, reference->metric);
}

static void brute_decide(const gv_brute_reference *reference, gv_query_tile *tile, int q) {
  int32_t count = tile->kept_count[q], i = 0;
  const int64_t *kept = tile->kept[q];
  double value[TOGETHER];
  bool together = !gv_metric_of_products(reference->metric);
  for (; together && i + TOGETHER <= count; i += TOGETHER) {
    if (reference->narrow != NULL) {
      distances_of(tile->query[q], reference, kept + i, true, value);
    } else {
      distances_of(tile->query[q], reference, kept + i, false, value);
    }
    for (int n = 0; n < TOGETHER; n++)
      gv_list_offer(&tile->list[q], value[n], kept[i + n]);
  }
  for (; i < count; i++)
    gv_list_offer(&tile->list[q], distance(tile->query[q], reference, kept[i]), kept[i]);
  tile->kept_count[q] = 0;
}

int64_t gv_brute_thin(const gv_brute_reference *reference, gv_query_tile *tile, int q) {
  if (tile->kept_capacity > 1) drop(tile, q);
  int64_t count = tile->kept_count[q];
  if (count <= (int64_t)tile->kept_capacity * 3 / 4) return 0;
  brute_decide(reference, tile, q);
  tile->threshold[q] = gv_brute_threshold(tile, q);
  return count;
}

void gv_brute_conclude(const gv_brute_reference *reference, gv_query_tile *tile, int q) {
  drop(tile, q);
  brute_decide(reference, tile, q);
}
