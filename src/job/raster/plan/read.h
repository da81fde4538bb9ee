/* The first stage of a run: reads the inputs of a job. */
#ifndef GV_JOB_RASTER_READ_H
#define GV_JOB_RASTER_READ_H

#include "io/overlay/quantity.h"
#include "job/raster/plan/budget.h"

/* Begins as {0}, or by gv_run_open. */
typedef struct gv_run_inputs {
  const gv_job *job;
  gv_context *context; /* of all threads; the caller's */
  int threads;
  gv_budget budget;
  gv_seed_options seed_options; /* the job's, with what follows from its other options */
  gv_seed_list layer;           /* seeds of a layer */
  gv_raster_seed_content cells; /* seeds that are cells of a raster */
  const gv_seed_list *seeds;    /* one of them; of an overview, that of the whole raster may be borrowed */
  const gv_seed_list *regions;  /* rows of tables: the seeds, or the values of their cells */
  gv_seed_list centers;         /* places of --cells-of, in degrees; none: other query cells */
  gv_seed_list barriers; /* lines and polygons in the grid's coordinates; without any the run is one without
                            barriers */
  gv_seed_options from_options;
  gv_seed_list from;    /* points of --from, in the grid's coordinates */
  gv_features features; /* what the library has of them, if they are lines and polygons */
  gv_raster_grid grid;
  gv_raster_grid triangles; /* of --cells and --mesh with a level */
  double max_distance;      /* in the library's unit */
  double distance_size;     /* one unit of the distances that are written, in the library's */
  gv_mask *mask;            /* of grid */
  gv_mask *triangle_mask;   /* of triangles */
  gv_overlay *overlay[GV_JOB_MAX_SUMS];
} gv_run_inputs;

/* Adds everything that the job reads. */
gv_status gv_job_list_inputs(gv_io *io, const gv_job *job, gv_inputs *inputs);

/* A context for a job, used before and between blocks. */
gv_status gv_run_make_context(gv_io *io, const gv_job *job, gv_context **out);

/* Begins with what the options define; nothing is read yet. */
void gv_run_open(gv_io *io, const gv_job *job, gv_context *context, gv_run_inputs *out);

/* Seeds, grid, mask and sums. */
gv_status gv_run_read(gv_io *io, gv_run_inputs *inputs);

/* Only the grid, and whether ids certainly have 32 bits, without reading seeds: its width stays 0 if they
 * must be read. */
gv_status gv_run_read_grid(gv_io *io, gv_run_inputs *inputs, bool *narrow);

/* The inputs of `first`, on a grid of the same extent with other sizes. It borrows from `first`. */
gv_status gv_run_read_overview(gv_io *io, const gv_run_inputs *first, int64_t width, int64_t height,
                               gv_run_inputs *out);

/* Whether ways round barriers decide: also without any, if lines of ways are written. */
static inline bool gv_run_has_barriers(const gv_run_inputs *inputs) {
  return inputs->barriers.count > 0 || (inputs->job->barriers.path != NULL && inputs->job->ways != NULL);
}

void gv_run_inputs_free(gv_run_inputs *inputs);

#endif
