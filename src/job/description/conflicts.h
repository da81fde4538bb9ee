/*
 * Options that need or exclude each other: decided by their values, before any input is opened. What depends
 * on an input is decided where it is read (job/raster/plan).
 */
#ifndef GV_JOB_CONFLICTS_H
#define GV_JOB_CONFLICTS_H

#include "job/description/settings.h"

gv_status gv_job_settings_check(gv_io *io, const gv_job_settings *settings);

/* The same for outputs: there must be some. */
gv_status gv_job_outputs_check(gv_io *io, const gv_job_settings *settings);

#endif
