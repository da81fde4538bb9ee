/* The periodic box of an index of points (gv_index_options.periods). */
#ifndef GV_PERIODS_H
#define GV_PERIODS_H

#include "search/backend.h"

/* Checks and copies periods, as gv_reference has them: *out is NULL where no dimension has one. The caller
 * frees it. */
gv_status gv_periods_copy(gv_context *context, const double *periods, int32_t dim, double **out);

/* Whether the points are within the box; the message names the first that is not. */
gv_status gv_periods_check(gv_context *context, const gv_reference *reference);

/* Moves `count` queries into the box. */
void gv_periods_wrap(const gv_reference *reference, int64_t count, double *queries);

/* A number for the periods, by which processes compare theirs. */
double gv_periods_sum(const gv_reference *reference);

#endif
