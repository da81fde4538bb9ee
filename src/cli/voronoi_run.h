/* What commands share that carry out a job. */
#ifndef GV_CLI_VORONOI_RUN_H
#define GV_CLI_VORONOI_RUN_H

#include "job/description.h"

/* One a processor, if none are given. */
void voronoi_choose_threads(gv_job *job);
bool voronoi_shows_progress(const gv_job_settings *settings);

/* Tells what a run came to, which ended with `status`; gives the command's. */
int voronoi_tell(const gv_job_settings *settings, const gv_io *io, gv_status status, const gv_job_report *report,
                 double begun);

/* Carries out the job, and tells what it came to. */
int voronoi_run(gv_job_settings *settings, double begun);

#endif
