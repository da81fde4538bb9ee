/* The progress of a run, and its cancelling for long GDAL calls: a GDALProgressFunc and its argument. */
#ifndef GV_JOB_RASTER_PASS_PROGRESS_H
#define GV_JOB_RASTER_PASS_PROGRESS_H

#include <cpl_port.h>

#include "job/description/job.h"

typedef struct gv_run_progress {
  gv_io *io;
  const gv_job *job;
  double from, to; /* of the current step */
} gv_run_progress;

/* The next step, up to `to`. */
void gv_run_next_step(gv_run_progress *progress, double to);

int CPL_STDCALL gv_run_report_progress(double fraction, const char *message, void *progress);

#endif
