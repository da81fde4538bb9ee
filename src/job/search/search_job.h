/*
 * A search described as data, and carried out: the nearest neighbors of rows of numbers or of points of
 * vector layers, also among lines and polygons. Arrays of queries are read, searched and written batch by
 * batch, so that memory is bounded by the reference set. A binary array of reference points is read directly
 * into the index; text and layers are held in memory.
 */
#ifndef GV_JOB_SEARCH_SEARCH_JOB_H
#define GV_JOB_SEARCH_SEARCH_JOB_H

#include "distributed/communicator.h"
#include "io/in/arrays/arrays.h"
#include "io/in/raster_seeds.h"
#include "io/transaction/sync.h"
#include "job/barrier_layer.h"

/* Source of points. */
typedef struct gv_search_source {
  const char *path; /* NULL: none, or a raster */
  const char *layer, *where, *crs;
  const char *x, *y, *z; /* fields of coordinates */
  const char *id, *keep; /* fields for a table of neighbors */
  gv_array_open_options array;
  char **open_options;
  bool standard_input; /* the path is of a copy of the standard input in memory, which may be an array
                          although it begins with /vsi */
} gv_search_source;

typedef struct gv_search_job {
  const char *out, *distances, *nearest; /* files; the last two may be NULL */
  const char *offsets;                   /* second file of a search by radius with an array as `out` */
  const char *backend;
  gv_search_source reference, query; /* query's path NULL: the reference set against itself */
  gv_job_barriers barriers;          /* path NULL: straight distances */
  gv_raster_seed_options raster;     /* source NULL: the reference set is not a raster */
  int k, threads, device;
  int64_t memory; /* for inputs, bytes; 0 = gv_budget_default */
  gv_metric metric;
  double power;    /* of GV_MINKOWSKI */
  double *box;     /* lengths of a periodic box: one for all dimensions, or one for each; NULL: none */
  int64_t box_dim; /* number of lengths */
  gv_edges edges;
  bool has_metric, boundary, overwrite, skip_invalid, lines, shard_reference;
  bool by_radius; /* all neighbors within max_distance, not the k nearest */
  gv_length max_distance;
  gv_sync sync;
  gv_progress_fn progress; /* of the whole search, on rank 0; returns 0 to cancel; may be NULL */
  void *progress_user;
} gv_search_job;

/* The points of one side of a search. */
typedef struct gv_search_side {
  int64_t used, left_out;
} gv_search_side;

/* Results of a search besides its files. */
typedef struct gv_search_report {
  gv_metric metric;
  const char *metric_reason;
  char crs[256];
  int dimensions;
  gv_search_side references, queries;
  int k;
  bool by_radius;
  int64_t pairs;       /* by radius: neighbors of all queries */
  int64_t missing;     /* neighbors that do not exist */
  const char *backend; /* NULL: lines and polygons, which have no choice of backends */
  const char *requested_backend;
  int threads;
} gv_search_report;

/* Kind of `out`: an array, its text (a file or the standard output), or a table of neighbors. */
typedef enum gv_search_output { GV_SEARCH_ARRAY, GV_SEARCH_TEXT, GV_SEARCH_TABLE } gv_search_output;

gv_search_output gv_search_job_output(const gv_search_job *job);

/* Makes all outputs, or none. Collective: all ranks call it with the same job; rank 0 writes the outputs and
 * gets the report. The communicator is NULL for a single process. */
gv_status gv_search_job_run(gv_io *io, const gv_search_job *job, const gv_cluster *communicator,
                            gv_search_report *report);

#endif
