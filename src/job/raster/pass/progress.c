#include "job/raster/pass/progress.h"

void gv_run_next_step(gv_run_progress *p, double to) {
  p->from = p->to;
  p->to = to;
}

int CPL_STDCALL gv_run_report_progress(double fraction, const char *message, void *user) {
  (void)message;
  const gv_run_progress *p = user;
  const gv_job *j = p->job;
  if (gv_io_cancelled(p->io)) return FALSE;
  double part = fraction < 1.0 ? fraction : 1.0; /* GDALPolygonize reports more than 1 */
  return j->progress == NULL || j->progress(p->from + (p->to - p->from) * part, j->progress_user);
}
