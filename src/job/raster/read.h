/* The first stage of a run: what is read for a job. */
#ifndef GV_JOB_RASTER_READ_H
#define GV_JOB_RASTER_READ_H

#include "io/overlay/quantity.h"
#include "job/raster/budget.h"

/* Begins as {0}. */
typedef struct gv_run_inputs {
  const gv_job *job;
  gv_context *context; /* of all threads; the caller's */
  int threads;
  gv_budget budget;
  gv_seed_options seed_options; /* the job's, with what follows from its other options */
  gv_seed_list layer;           /* seeds of a layer */
  gv_raster_seed_content cells; /* seeds that are cells of a raster */
  const gv_seed_list *seeds;    /* one of them; of an overview, that of the whole raster may be borrowed */
  const gv_seed_list *regions;  /* what is written about: the seeds, or the values of their cells */
  gv_seed_list centres;         /* places of --cells-of, in degrees; none: other cells ask */
  gv_features features;         /* what the library has of them, if they are lines and polygons */
  gv_raster_grid grid;
  double max_distance;  /* in the library's unit */
  double distance_size; /* one unit of the distances that are written, in the library's */
  gv_mask *mask;
  gv_overlay *overlay[GV_JOB_MAX_SUMS];
} gv_run_inputs;

/* A context for a job, for what is done before and between blocks. */
gv_status gv_run_make_context(gv_io *io, const gv_job *job, gv_context **out);

/* Seeds, grid, mask and sums. */
gv_status gv_run_read(gv_io *io, const gv_job *job, gv_context *context, gv_run_inputs *out);

/* The grid alone, and whether ids are known to have 32 bits, without reading seeds: its width stays 0 where they must be read. */
gv_status gv_run_look(gv_io *io, const gv_job *job, gv_run_inputs *out, bool *narrow);

/* What `first` has, on a grid of the same extent in so many cells. It borrows from `first`. */
gv_status gv_run_read_overview(gv_io *io, const gv_run_inputs *first, int64_t width, int64_t height,
                               gv_run_inputs *out);

void gv_run_inputs_free(gv_run_inputs *inputs);

/* The number of seeds; of cells that of their values, or by cell of them all, kept or not. */
int64_t gv_run_seed_count(const gv_run_inputs *inputs);

/* The number of cells of a mesh or list that ask; 0: none. */
int64_t gv_run_cells(const gv_run_inputs *inputs);

/* Bands of a raster, what they are called, to be freed with CSLDestroy, and the unit of their values (NULL: none). */
int gv_run_bands(const gv_run_inputs *inputs, int raster);
char **gv_run_band_names(const gv_run_inputs *inputs, int raster);
const char *gv_run_unit(const gv_run_inputs *inputs, int raster);

/* What is said of the whole raster; to be freed with CSLDestroy, whatever the status. */
gv_status gv_run_metadata(gv_io *io, const gv_run_inputs *inputs, char ***out);

#endif
