/* Indexes on the globe: what gv_index_build makes where the metric is one of the globe. */
#ifndef GV_INDEXES_H
#define GV_INDEXES_H

#include "search/backend.h"

/* *o has its full size, and a metric of the globe. */
gv_status gv_globe_index_build(gv_context *context, const gv_points *reference, const gv_index_options *o,
                               gv_index **out);

/* A periodic box is for points of a k-dimensional space alone. */
static inline gv_status gv_check_no_periods(gv_context *context, const gv_index_options *o,
                                            const char *what) {
  if (o->periods == NULL) return GV_OK;
  return gv_fail(context, GV_ERROR_UNSUPPORTED, "a periodic box is not supported for %s", what);
}

#endif
