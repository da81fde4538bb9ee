/* The periodic box of an index of points: checks, a copy of the periods, queries moved into the box.
 * Distances: exact/canonical.h. */
#include "search/periods.h"

#include <string.h>

#include "core/hash.h"

gv_status gv_periods_copy(gv_context *context, const double *periods, int32_t dim, double **out) {
  bool any = false;
  *out = NULL;
  for (int32_t d = 0; periods != NULL && d < dim; d++) {
    if (!(periods[d] >= 0.0 && isfinite(periods[d])))
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "period %d (from 0) is invalid (%g); expected a finite number >= 0", (int)d, periods[d]);
    any |= periods[d] > 0.0;
  }
  if (!any) return GV_OK;
  *out = gv_allocate(&context->allocator, dim, sizeof **out);
  if (*out == NULL) return gv_fail_memory(context, "the periods");
  for (int32_t d = 0; d < dim; d++)
    (*out)[d] = periods[d] > 0.0 ? periods[d] : INFINITY;
  return GV_OK;
}

gv_status gv_periods_check(gv_context *context, const gv_reference *reference) {
  int32_t dim = reference->dim;
  for (int64_t i = 0; reference->periods != NULL && i < reference->count; i++) {
    for (int32_t d = 0; d < dim; d++) {
      double value = reference->data[i * dim + d], period = reference->periods[d];
      if (!isinf(period) && !(value >= 0.0 && value < period))
        return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                       "reference point %lld (from 0) is outside the periodic box: coordinate %d is %g; "
                       "expected [0, %g)",
                       (long long)i, (int)d, value, period);
    }
  }
  return GV_OK;
}

void gv_periods_wrap(const gv_reference *reference, int64_t count, double *queries) {
  int32_t dim = reference->dim;
  for (int64_t i = 0; i < count; i++) {
    for (int32_t d = 0; d < dim; d++)
      queries[i * dim + d] = gv_periodic_coordinate(queries[i * dim + d], reference->periods[d]);
  }
}

double gv_periods_sum(const gv_reference *reference) {
  uint64_t sum = 0;
  for (int32_t d = 0; reference->periods != NULL && d < reference->dim; d++) {
    uint64_t bits;
    memcpy(&bits, &reference->periods[d], sizeof bits);
    sum = gv_hash_mix(sum ^ bits);
  }
  return (double)(sum >> 11);
}
