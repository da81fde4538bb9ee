/* Progress of a parallel region: workers add their work; the one that reaches the next per cent reports it. */
#include "core/core.h"

void gv_progress_init(gv_progress *progress, const gv_context *context, int64_t total) {
  progress->call = context->progress;
  progress->user = context->progress_user;
  progress->total = total > 0 ? total : 1;
  atomic_init(&progress->done, 0);
  atomic_init(&progress->next_report, 0);
  atomic_init(&progress->cancelled, false);
  atomic_flag_clear(&progress->busy);
}

bool gv_progress_add(gv_progress *progress, int64_t work) {
  long long done = atomic_fetch_add(&progress->done, work) + work;
  if (progress->call == NULL) return true;
  if (done >= atomic_load(&progress->next_report) && !atomic_flag_test_and_set(&progress->busy)) {
    /* Both again under the flag: another may have reported since, and reported fractions never run backwards. */
    done = atomic_load(&progress->done);
    if (done >= atomic_load(&progress->next_report) && !gv_progress_cancelled(progress)) {
      atomic_store(&progress->next_report, done + (progress->total + 99) / 100);
      double fraction = (double)done / (double)progress->total;
      if (!progress->call(fraction < 1.0 ? fraction : 1.0, progress->user)) {
        atomic_store(&progress->cancelled, true);
      }
    }
    atomic_flag_clear(&progress->busy);
  }
  return !gv_progress_cancelled(progress);
}
