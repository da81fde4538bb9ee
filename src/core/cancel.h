/* Whether the caller has cancelled, for single items of loops and steps that may take long. */
#ifndef GV_CANCEL_H
#define GV_CANCEL_H

#include "core/core.h"

/* Calls the caller's function with the fraction that is done, however little was added since the last call;
 * false after it has cancelled. Thread safe. To be called every few milliseconds, not more often. */
bool gv_progress_look(gv_progress *progress);

/* The same as a status. Errors: CANCELLED. */
gv_status gv_check_progress(gv_context *context, gv_progress *progress);

/* The same between steps of a call that has not reported anything yet. */
gv_status gv_check_cancelled(gv_context *context);

#endif
