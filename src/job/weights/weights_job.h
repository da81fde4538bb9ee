/* Weights of regridding described as data, and computed: the cells of a source and of a target in, a NetCDF
 * file out. */
#ifndef GV_JOB_WEIGHTS_WEIGHTS_JOB_H
#define GV_JOB_WEIGHTS_WEIGHTS_JOB_H

#include "io/crs/units.h"
#include "io/transaction/sync.h"

typedef struct gv_weights_job {
  const char *source, *target, *out; /* cells as gv_cells_of_read has them, or rasters */
  gv_metric metric;
  bool has_metric;
  int k;
  double power;
  gv_length max_distance; /* INFINITY = no limit */
  const char *backend;
  int threads, device;
  int64_t memory; /* for an input, bytes; 0 = gv_budget_default */
  bool overwrite;
  gv_sync sync;
  gv_progress_fn progress; /* returns 0 to cancel; may be NULL */
  void *progress_user;
} gv_weights_job;

/* Results besides the file. */
typedef struct gv_weights_report {
  gv_metric metric;
  const char *metric_reason;
  char crs[256];
  const char *backend;    /* NULL = unknown */
  int64_t source, unused; /* cells, and those without a value or a position */
  int64_t target, empty;  /* cells, and those without a weight */
  int64_t weights;
  int threads;
} gv_weights_report;

gv_status gv_weights_job_run(gv_io *io, const gv_weights_job *job, gv_weights_report *report);

#endif
