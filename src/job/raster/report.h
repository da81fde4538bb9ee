/* Warnings about complete outputs, each once, with counts; and the report of the run. */
#ifndef GV_JOB_RASTER_REPORT_H
#define GV_JOB_RASTER_REPORT_H

#include "job/raster/compute/work.h"

/* Prints warnings about complete outputs and about seeds. */
void gv_run_warn(const gv_run_work *work);
void gv_run_warn_of_skipped(const gv_run_inputs *inputs);

/* Fills the report of the job. */
void gv_run_report(const gv_run_work *work);

#endif
