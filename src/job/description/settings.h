/*
 * The options of the main job, and what they set: one table for the command line and for descriptions of
 * runs.
 */
#ifndef GV_JOB_SETTINGS_H
#define GV_JOB_SETTINGS_H

#include "job/description/job.h"
#include "job/option.h"

typedef struct gv_job_settings {
  gv_job job;
  bool has_distance_type;
  /* Kinds of the bands of a raster without a file, one after another (GV_RUN_OUT ...); empty: ids. */
  int bands[GV_RUN_RASTERS], band_count;
  /* Of one call of the command. */
  bool quiet, progress, json;
  const char *describe;
} gv_job_settings;

enum {
  GV_JOB_OPTIONS = 96,   /* rows, headings included */
  GV_JOB_COST_MOVES = 16 /* unless --cost-moves is given */
};

extern const gv_option gv_job_options[];

/* The raster OUT, a positional argument of the command. */
extern const gv_option gv_job_out;

/* Sets the defaults. Always clear the settings. */
void gv_job_settings_begin(gv_job_settings *settings);
void gv_job_settings_clear(gv_job_settings *settings);

/* True if there is such a band. */
bool gv_job_settings_has_band(const gv_job_settings *settings, int kind);

/* Start of the file's name in the value of --sum, [NAME=]FILE: NAME is a plain name, and `directory` has no
 * file named like the whole value. False: out of memory. */
bool gv_sum_file_at(const char *value, const char *directory, size_t *at);

#endif
