/* Progress of a parallel region: workers add their work; the one that reaches the next per cent reports
 * it. */
#include "core/cancel.h"

void gv_progress_init(gv_progress *progress, const gv_context *context, int64_t total) {
  progress->call = context->progress;
  progress->user = context->progress_user;
  progress->total = total > 0 ? total : 1;
  atomic_init(&progress->done, 0);
  atomic_init(&progress->next_report, 0);
  atomic_init(&progress->cancelled, false);
  atomic_flag_clear(&progress->busy);
}

/* With `look`: also if the next per cent is not reached. */
static void progress_report(gv_progress *progress, bool look) {
  /* Both again under the flag: another may have reported since, and reported fractions never run
   * backwards. */
  long long done = atomic_load(&progress->done);
  bool due = done >= atomic_load(&progress->next_report);
  if ((!due && !look) || gv_progress_cancelled(progress)) return;
  if (due) atomic_store(&progress->next_report, done + (progress->total + 99) / 100);
  double fraction = (double)done / (double)progress->total;
  if (!progress->call(fraction < 1.0 ? fraction : 1.0, progress->user))
    atomic_store(&progress->cancelled, true);
}

bool gv_progress_add(gv_progress *progress, int64_t work) {
  long long done = atomic_fetch_add(&progress->done, work) + work;
  if (progress->call == NULL) return true;
  if (done >= atomic_load(&progress->next_report) && !atomic_flag_test_and_set(&progress->busy)) {
    progress_report(progress, false);
    atomic_flag_clear(&progress->busy);
  }
  return !gv_progress_cancelled(progress);
}

bool gv_progress_look(gv_progress *progress) {
  if (progress->call == NULL) return true;
  if (!atomic_flag_test_and_set(&progress->busy)) {
    progress_report(progress, true);
    atomic_flag_clear(&progress->busy);
  }
  return !gv_progress_cancelled(progress);
}

gv_status gv_check_progress(gv_context *context, gv_progress *progress) {
  return gv_progress_look(progress) ? GV_OK : gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
}

gv_status gv_check_cancelled(gv_context *context) {
  gv_progress progress;
  gv_progress_init(&progress, context, 1);
  return gv_check_progress(context, &progress);
}
