/* Part files as the source of a run's blocks and sums. */
#ifndef GV_JOB_RASTER_MERGE_H
#define GV_JOB_RASTER_MERGE_H

#include "job/raster/compute.h"

/* A worker's reader: one part at a time, because blocks come in the order of files. */
typedef struct gv_merge_reader {
  int part; /* -1 = none */
  int file; /* for encoded tiles; -1 = none */
  GDALDatasetH datasets[GV_RUN_RASTERS];
} gv_merge_reader;

struct gv_merge {
  gv_part *parts; /* by rows */
  int count;
  gv_merge_reader *readers; /* one a worker */
  int workers;
  gv_groups groups;            /* of ids of cells, if colours need seeds; none: blocks hold ids for colours, too */
  bool copied[GV_RUN_RASTERS]; /* tiles have the output's encoding */
};

/* True if a raster of the job is to be a virtual one of part files. */
bool gv_merge_is_virtual(const gv_job *job, int raster);

/* Opens the part files, which must be parts of this run. Always close *out. */
gv_status gv_merge_open(gv_io *io, const gv_run_plan *plan, gv_merge **out);
void gv_merge_close(gv_merge *merge);

/* Once workers and statistics are there: adds the parts' sums. `rasters`: those that are written. */
gv_status gv_merge_begin(gv_io *io, gv_raster_out *const *rasters, gv_run_work *work);

/* A gv_raster_block_fn that reads blocks from the parts. */
gv_status gv_merge_block(gv_io *io, void *work, int number, gv_raster_block *block);

/* False if cells have only ids, and ids repeat. */
bool gv_merge_identifies_seeds(const gv_run_work *work);

/* Opens a raster of part number `part`. */
gv_status gv_merge_open_raster(gv_io *io, const gv_run_work *work, int part, int raster, GDALDatasetH *out);

/* merge_virtual.c: writes a virtual raster to its place. */
gv_status gv_merge_write_virtual(gv_io *io, const gv_run_work *work, int raster, gv_place *place);

#endif
