/* GV_MINKOWSKI: sums of powers that a double does not hold are refused. */
#ifndef GV_SEARCH_POWER_RANGE_H
#define GV_SEARCH_POWER_RANGE_H

#include "search/backend.h"

enum { GV_MAX_POWER = 1048576 }; /* of Minkowski distances and of weights */

/* gv_reference_limit; fails if the power of a finite distance above 0 is outside the normal range. */
gv_status gv_power_limit(gv_context *context, const gv_reference *reference, double distance, double *limit);

/* Fails if the exact distance of a neighbor that is not in its query's place is outside the normal range.
 * `queries` are rows from number `first` on; of query i neighbors begin at offsets[i] - offsets[0], or at i *
 * k if offsets is NULL. `expected`: how many neighbors each query has if distances are not limited. */
gv_status gv_power_check(gv_context *context, const gv_reference *reference, const double *queries,
                         int64_t first, int64_t count, const int64_t *offsets, int32_t k, int32_t expected,
                         const int64_t *indices, const double *canonical);

#endif
