/*
 * A search described as data, and carried out: the nearest neighbours of rows of numbers, or of points of vector layers, also among lines
 * and polygons. Arrays of queries are read, searched and written batch by batch, so that memory is bounded by the reference set. Of that an
 * array that is no text is read into the index; text, and layers, are held in memory.
 */
#ifndef GV_JOB_SEARCH_SEARCH_JOB_H
#define GV_JOB_SEARCH_SEARCH_JOB_H

#include "distributed/communicator.h"
#include "io/in/arrays/arrays.h"
#include "io/in/raster_seeds.h"
#include "io/out/sync.h"

/* Which points. */
typedef struct gv_search_source {
  const char *path; /* NULL: none, or a raster */
  const char *layer, *where, *crs;
  const char *crs_option; /* that gives it */
  const char *x, *y, *z;  /* fields */
  const char *id, *keep;  /* of tables */
  gv_array_options array;
  char **open_options;
  bool standard_input; /* what was read from there: the path is no file of GDAL's other systems */
} gv_search_source;

typedef struct gv_search_job {
  const char *out, *distances, *nearest; /* files; the last two may be NULL */
  const char *backend;
  gv_search_source reference, query; /* query's path NULL: the reference set against itself */
  gv_raster_seed_options raster;     /* source NULL: the reference set is no raster */
  int k, threads, device;
  gv_metric metric;
  gv_edges edges;
  bool has_metric, boundary, overwrite, skip_invalid, lines, shard_reference;
  double max_distance;
  gv_unit max_distance_unit;
  gv_sync sync;
  gv_progress_fn progress; /* told of the whole run's; may be NULL */
  void *progress_user;
} gv_search_job;

/* The points of one side of a search. */
typedef struct gv_search_side {
  int64_t used, left_out;
} gv_search_side;

/* What a search came to. */
typedef struct gv_search_report {
  gv_metric metric;
  const char *metric_reason;
  char crs[256];
  int dimensions;
  gv_search_side references, queries;
  int k;
  int64_t missing;     /* neighbours that do not exist */
  const char *backend; /* NULL = the one way there is for lines and polygons */
  const char *backend_asked;
  int threads;
} gv_search_report;

/* Whether the output is a table of neighbours, not an array or its text; whether it is text: a file, or the standard output. */
bool gv_search_job_wants_table(const gv_search_job *job);
bool gv_search_job_writes_text(const gv_search_job *job);

/* Whether a path ends so, in upper or lower case. */
bool gv_search_path_ends(const char *path, const char *end);

/* Makes all outputs, or none. Under mpirun all ranks call it together, each with the same job; rank 0 writes, and has the report. Alone the
 * communicator is NULL. */
gv_status gv_search_job_run(gv_io *io, const gv_search_job *job, const gv_communicator *communicator,
                            gv_search_report *report);

#endif
