/* A search being carried out: what its steps share. */
#ifndef GV_JOB_SEARCH_RUN_H
#define GV_JOB_SEARCH_RUN_H

#include "io/in/seeds.h"
#include "io/inputs.h"
#include "io/out/array_out.h"
#include "io/out/neighbours/neighbours_out.h"
#include "job/search/search_job.h"

/* Points of a file: an open array, or a layer or a raster's cells in memory. */
typedef struct gv_search_points {
  const gv_search_source *source;
  const char *path;       /* of the source, or the raster */
  bool is_layer;          /* or a raster; an array otherwise */
  gv_array_reader *array; /* NULL: a layer */
  gv_array_options how;   /* the array was opened */
  gv_seed_list seeds;     /* layer ... */
  gv_seed_options layer;  /* ... and how it was read */
  double *rows;           /* layer on the plane: count x dim */
  int32_t dim;
} gv_search_points;

/* What is asked: an array that is read on, rows, positions, or the index's own points. */
typedef struct gv_search_queries {
  gv_array_reader *array;
  const double *rows, *x, *y;
  int64_t total; /* -1: not known before the array's end */
  int32_t dim;
} gv_search_queries;

typedef struct gv_search_results {
  gv_array_writer *indices, *distances, *nearest; /* the last two may be NULL; all are where there is a ... */
  gv_neighbours_out *table;
  gv_neighbour_content content; /* what is known of it */
  int64_t queries, missing;     /* written so far; of their neighbours those that do not exist */
} gv_search_results;

typedef struct gv_search_run {
  const gv_search_job *job;
  const gv_communicator *communicator; /* NULL: alone */
  gv_search_report *report;
  gv_context *context;
  bool first; /* alone, or rank 0: it writes */
  bool sharded;
  gv_metric metric; /* as it is settled ... */
  double max_distance;
  gv_search_points reference, queries,
      again;           /* `again`: the array of the reference set, whose points are queries too */
  gv_search_points *q; /* the queries; NULL: the reference set itself */
  gv_index *plane;     /* one of the indexes, ... */
  gv_globe_index *globe;
  gv_feature_index *features;
  int64_t first_point; /* ... and the number of its first point, among all */
  gv_search_queries asked;
  double bar_from, bar_to; /* how far the search is while the library reports 0 to 1 */
  gv_search_results results;
} gv_search_run;

#define GV_SEARCH_BUILD_SHARE 0.1 /* of a search is building the index, as far as the progress goes */

/* ------------------------------------------------------------------------------------------------ points (points.c) */

/* Whether it is an array; `globe`: the metric that was asked for measures there. */
gv_status gv_search_points_find_kind(gv_io *io, gv_search_points *s, bool globe);

gv_status gv_search_points_open(gv_io *io, gv_search_run *run, gv_search_points *s);
void gv_search_points_close(gv_search_points *s);

/* A layer's x, y and z if there is one, as rows. */
gv_status gv_search_points_make_rows(gv_io *io, gv_search_points *s);

/* Brings a layer to longitude and latitude in degrees on the globe of the system `globe`. */
gv_status gv_search_points_to_globe(gv_io *io, gv_search_points *s, OGRSpatialReferenceH globe);

/* How many points there are: of text an array is read to its end, and opened anew. */
gv_status gv_search_points_count(gv_io *io, gv_search_points *s, int64_t *count);

/* ------------------------------------------------------------------------------------------------- index (index.c) */

/* Builds the index over the reference set, and settles what is asked of it. */
gv_status gv_search_build(gv_io *io, gv_search_run *run);

/* ----------------------------------------------------------------------------------------------- rounds (rounds.c) */

/*
 * Answers the queries round by round: by one process, or dealt to the ranks of MPI, of which rank 0 writes all answers in the order of the
 * queries. Each rank has all reference points, or (sharded) some of them, which the library's distributed search
 * (gv_index_search_together) joins.
 */
gv_status gv_search_answer(gv_io *io, gv_search_run *run);

/* gv_communicator_agree; alone: `status`. */
gv_status gv_search_agree(gv_io *io, const gv_communicator *communicator, gv_status status);

/* --------------------------------------------------------------------------------------------- results (results.c) */

/* Creates the arrays, or the text. */
gv_status gv_search_results_create(gv_io *io, gv_search_run *run);

/* `count` queries more. Numbers of `indices` may be changed. `distances`, `nearest` may be NULL where they are not wanted. */
gv_status gv_search_results_write(gv_io *io, gv_search_run *run, int64_t count, int64_t *indices,
                                  const double *distances, const double *nearest);

/* All outputs are complete before one is moved into place. */
gv_status gv_search_results_finish(gv_io *io, gv_search_run *run, gv_inputs *inputs);

/* Removes what is not in its place. */
void gv_search_results_free(gv_search_results *r);

#endif
