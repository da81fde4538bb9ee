/*
 * The options of the main job, and what they set: one table for the command line and for descriptions of runs.
 */
#ifndef GV_JOB_RASTER_SETTINGS_H
#define GV_JOB_RASTER_SETTINGS_H

#include "job/option.h"
#include "job/raster/job.h"

typedef struct gv_job_settings {
  gv_job job;
  bool has_distance_type;
  /* What bands a raster without a file has, one after another (GV_RUN_OUT ...); none given: ids. */
  int bands[GV_RUN_RASTERS], band_count;
  /* Of one call of the command. */
  bool quiet, progress, json;
  const char *describe;
} gv_job_settings;

enum { GV_JOB_OPTIONS = 80 /* rows, headings included */ };
extern const gv_option gv_job_options[];

/* The raster OUT, which the command takes without a name. */
extern const gv_option gv_job_out;

/* What holds where nothing is said. To be cleared in any case. */
void gv_job_settings_begin(gv_job_settings *settings);
void gv_job_settings_clear(gv_job_settings *settings);

/* True if there is such a band. */
bool gv_job_settings_has_band(const gv_job_settings *settings, int kind);

/* Options that need each other. */
gv_status gv_job_settings_check(gv_io *io, const gv_job_settings *settings);

/* The same for outputs: there must be some. */
gv_status gv_job_outputs_check(gv_io *io, const gv_job_settings *settings);

/* Where the file's name begins in the value of --sum, [NAME=]FILE, as it is in `directory`: NAME is a plain name, and no file
 * is called so as a whole. */
size_t gv_sum_file_at(const char *value, const char *directory);

#endif
