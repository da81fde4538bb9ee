/* Indexes on the globe: what gv_index_build makes where the metric is one of the globe. */
#ifndef GV_INDEXES_H
#define GV_INDEXES_H

#include "search/backend.h"

/* *o has its full size, and a metric of the globe. */
gv_status gv_globe_index_build(gv_context *context, const gv_points *reference, const gv_index_options *o,
                               gv_index **out);

#endif
