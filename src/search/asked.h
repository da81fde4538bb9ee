/* What every search of points, seeds or features checks of its options. */
#ifndef GV_ASKED_H
#define GV_ASKED_H

#include "core/core.h"

/* `most`: neighbours; `where`: among what, at the end of a line. */
static inline gv_status gv_check_search_options(gv_context *context, const gv_search_options *o, int32_t most,
                                                const char *where) {
  if (o->k < 1 || o->k > most) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "k is %d, not in 1 ... %d%s", (int)o->k, (int)most, where);
  }
  if (!(o->max_distance >= 0.0)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "the maximum distance is %g, not a number >= 0",
                   o->max_distance);
  }
  return GV_OK;
}

#endif
