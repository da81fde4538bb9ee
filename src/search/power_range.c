#include "search/power_range.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static bool is_normal(double value) {
  return value >= DBL_MIN && value <= DBL_MAX;
}

gv_status gv_power_limit(gv_context *context, const gv_reference *reference, double distance, double *limit) {
  double p = reference->power;
  if (reference->metric == GV_MINKOWSKI && distance > 0.0 && !isinf(distance) &&
      !is_normal(gv_power(distance, p))) {
    return gv_fail(
        context, GV_ERROR_INVALID_ARGUMENT,
        "maximum distance: out of range [%g, %g] for power %g (%g); scale the coordinates, or use metric "
        "chebyshev",
        gv_power(DBL_MIN, 1.0 / p), gv_power(DBL_MAX, 1.0 / p), p, distance);
  }
  *limit = gv_reference_limit(reference, distance);
  return GV_OK;
}

static gv_status fail_range(gv_context *context, const gv_reference *reference, int64_t query) {
  double p = reference->power;
  return gv_fail(
      context, GV_ERROR_INVALID_ARGUMENT,
      "query %lld: distance out of range [%g, %g] for power %g; scale the coordinates, or use metric "
      "chebyshev",
      (long long)query, gv_power(DBL_MIN, 1.0 / p), gv_power(DBL_MAX, 1.0 / p), p);
}

/* Whether a point is in the query's place. */
static bool is_at(const gv_reference *reference, const double *query, int64_t number) {
  const double *point = reference->data + number * reference->dim;
  return gv_general_distance(query, point, reference->dim, GV_CHEBYSHEV, reference->periods, 1.0) == 0.0;
}

gv_status gv_power_check(gv_context *context, const gv_reference *reference, const double *queries,
                         int64_t first, int64_t count, const int64_t *offsets, int32_t k, int32_t expected,
                         const int64_t *indices, const double *canonical) {
  if (reference->metric != GV_MINKOWSKI) return GV_OK;
  for (int64_t i = 0; i < count; i++) {
    int64_t from = offsets != NULL ? offsets[i] - offsets[0] : i * k;
    int64_t end = offsets != NULL ? offsets[i + 1] - offsets[0] : from + k;
    for (int64_t n = from; n < end; n++) {
      if (indices[n] < 0 && n - from < expected) return fail_range(context, reference, first + i);
      if (indices[n] < 0 || is_normal(canonical[n])) continue;
      if (!is_at(reference, queries + i * reference->dim, indices[n]))
        return fail_range(context, reference, first + i);
    }
  }
  return GV_OK;
}
