/* A diagram described as data, and carried out: seeds in, one layer of polygons or lines out. */
#ifndef GV_JOB_DIAGRAM_DIAGRAM_JOB_H
#define GV_JOB_DIAGRAM_DIAGRAM_JOB_H

#include "io/in/seeds.h"
#include "io/out/diagram_out.h"
#include "io/transaction/sync.h"

typedef struct gv_diagram_job {
  const char *out, *crs; /* crs NULL: that of the seeds */
  gv_seed_options seeds;
  gv_metric metric;
  bool has_metric;
  double tolerance; /* meters on the globe */
  double extent[4];
  bool has_extent;
  const char *mask, *mask_layer; /* polygons; NULL: none */
  bool edges_only, delaunay, no_cut, overwrite;
  const char *group; /* field of owners: cells with the same value become one; NULL: none */
  int threads;
  int64_t memory; /* for an input, bytes; 0 = gv_budget_default */
  gv_sync sync;
  gv_progress_fn progress; /* returns 0 to cancel; may be NULL */
  void *progress_user;
} gv_diagram_job;

/* Results besides the file. */
typedef struct gv_diagram_report {
  gv_metric metric;
  const char *metric_reason;
  char crs[256];
  int64_t seeds, left_out, places, edges, unverified;
  int64_t features; /* of the file; edges: of the whole diagram */
  bool lines;       /* they are lines */
  int threads;
} gv_diagram_report;

gv_status gv_diagram_job_run(gv_io *io, const gv_diagram_job *job, gv_diagram_report *report);

#endif
