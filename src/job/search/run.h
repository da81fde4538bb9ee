/* A search being carried out: the state that its steps share. */
#ifndef GV_JOB_SEARCH_RUN_H
#define GV_JOB_SEARCH_RUN_H

#include "io/in/seeds.h"
#include "io/inputs.h"
#include "io/out/array_out.h"
#include "io/out/neighbors_out.h"
#include "job/search/search_job.h"

/* Points of a file: an open array, or a layer or a raster's cells in memory. */
typedef struct gv_search_points {
  const gv_search_source *source;
  const char *path;          /* of the source or the raster */
  const char *option;        /* that names the source */
  const char *crs_option;    /* the option that sets the coordinate system */
  bool is_layer;             /* or a raster; an array otherwise */
  gv_array_reader *array;    /* NULL: a layer */
  gv_array_open_options how; /* how the array is opened */
  gv_seed_list seeds;        /* points of a layer */
  gv_seed_options layer;     /* how the layer is read */
  double *rows;              /* of a layer on the plane: count x dim */
  int32_t dim;
} gv_search_points;

/* The queries: an array that is read batch by batch, rows, positions, or the index's own points. */
typedef struct gv_search_queries {
  gv_array_reader *array;
  const double *rows, *x, *y;
  int64_t total; /* -1: not known before the array's end */
  int32_t dim;
} gv_search_queries;

typedef struct gv_search_results {
  gv_array_writer *indices, *distances, *nearest, *offsets; /* NULL: not requested, or a table is written */
  gv_table_out *table;
  gv_neighbors_out *rows;      /* of the table, once there are some */
  gv_neighbor_content content; /* of the table */
  int64_t expected;            /* rows of the table; -1: unknown */
  int64_t queries, missing;    /* queries written so far, and their neighbors that do not exist */
  int64_t pairs;               /* by radius: their neighbors */
} gv_search_results;

typedef struct gv_search_run {
  const gv_search_job *job;
  gv_search_output output;
  const gv_cluster *communicator; /* NULL: a single process */
  gv_search_report *report;
  gv_context *context;
  bool first;          /* a single process, or rank 0: it writes */
  bool sharded;        /* each rank has only some of the reference points */
  gv_metric metric;    /* the job's, or the one chosen for the coordinate system */
  double max_distance; /* in the metric's unit */
  gv_search_points reference, queries;
  gv_search_points again; /* the reference set's array, opened a second time for queries */
  gv_search_points *q;    /* the queries; NULL: the reference set itself */
  gv_index *index;
  gv_search_points barriers; /* lines and polygons of --barriers */
  gv_barriers *ways;         /* round them, from the reference points; else NULL */
  int64_t unused;            /* reference points that no way starts from */
  int64_t first_point;       /* number of the index's first point in the reference set */
  gv_search_queries searched;
  double bar_from, bar_to; /* part of the whole progress that corresponds to the library's 0 to 1 */
  gv_search_results results;
} gv_search_run;

#define GV_SEARCH_BUILD_SHARE 0.1 /* share of the progress for building the index */

/* -------------------------------------------------------------------------------------- points (points.c) */

/* Points that are not open yet; `query`: they are the queries. */
gv_search_points gv_search_points_of(const gv_search_source *source, const char *path, bool query);

/* Sets is_layer; `globe`: the requested metric is one of the globe. */
gv_status gv_search_points_find_kind(gv_io *io, gv_search_points *s, bool globe);

gv_status gv_search_points_open(gv_io *io, gv_search_run *run, gv_search_points *s);
void gv_search_points_close(gv_search_points *s);

/* Makes rows of a layer's x, y and, if there is one, z. */
gv_status gv_search_points_make_rows(gv_io *io, gv_search_points *s);

/* Transforms a layer to longitudes and latitudes in degrees on the globe of the system `globe`. */
gv_status gv_search_points_to_globe(gv_io *io, gv_search_points *s, OGRSpatialReferenceH globe);

/* Counts the points. Text is read to its end and opened again. */
gv_status gv_search_points_count(gv_io *io, gv_search_points *s, int64_t *count);

/* ---------------------------------------------------------------------------------------- index (index.c) */

/* Brings both sides and barriers to the globe of the reference set's system. */
gv_status gv_search_to_globe(gv_io *io, gv_search_run *run, double *semi_major, double *flattening);

/* Sets `searched` to the positions of the queries. */
void gv_search_set_positions(gv_search_run *run);

/* Builds the index over the reference set and sets `searched`. */
gv_status gv_search_build(gv_io *io, gv_search_run *run);

/* -------------------------------------------------------------------------------------- rounds (rounds.c) */

/*
 * Searches the queries round by round: in one process, or divided among the ranks of MPI; rank 0 writes all
 * results in the order of the queries. Each rank has all reference points, or (sharded) some of them, which
 * the library's distributed search (gv_index_search_distributed) joins.
 */
gv_status gv_search_rounds(gv_io *io, gv_search_run *run);

/* -------------------------------------------------------------------------------------- radius (radius.c) */

/* The same by radius, by one process. */
gv_status gv_search_radius_rounds(gv_io *io, gv_search_run *run);

/* ---------------------------------------------------------------------------------- barriers (barriers.c) */

/* Checks that the inputs, which are open, have ways round barriers, and reads these. */
gv_status gv_search_barriers_open(gv_io *io, gv_search_run *run);

/* In place of an index: finds the ways from the reference points; sets `searched`. */
gv_status gv_search_barriers_build(gv_io *io, gv_search_run *run);

/* Searches the queries by them, batch by batch. */
gv_status gv_search_barriers_rounds(gv_io *io, gv_search_run *run);

/* ------------------------------------------------------------------------------------ results (results.c) */

/* Creates the arrays, or the text. */
gv_status gv_search_results_create(gv_io *io, gv_search_run *run);

/* Writes `count` more queries. May change `indices`. `distances` and `nearest` may be NULL if they are not
 * requested. */
gv_status gv_search_results_write(gv_io *io, gv_search_run *run, int64_t count, int64_t *indices,
                                  const double *distances, const double *nearest);

/* The same by radius: query i has indices[offsets[i]] ... indices[offsets[i + 1] - 1]. */
gv_status gv_search_results_write_pairs(gv_io *io, gv_search_run *run, int64_t count, const int64_t *offsets,
                                        int64_t *indices, const double *distances);

/* Moves the outputs into place after all are complete. */
gv_status gv_search_results_finish(gv_io *io, gv_search_run *run, gv_inputs *inputs);

/* Removes outputs that are not in place. */
void gv_search_results_free(gv_search_results *r);

#endif
