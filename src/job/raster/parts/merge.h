/* Part files as the source of a run's blocks and sums. */
#ifndef GV_JOB_RASTER_PARTS_MERGE_H
#define GV_JOB_RASTER_PARTS_MERGE_H

#include "job/raster/compute/work.h"
#include "job/raster/parts/part_file.h"

/* A worker's reader: one part at a time, because blocks come in the order of files. */
typedef struct gv_merge_reader {
  int part; /* -1 = none */
  int file; /* for encoded tiles; -1 = none */
  GDALDatasetH datasets[GV_RUN_RASTERS];
} gv_merge_reader;

/* The state of the source. */
typedef struct gv_merge {
  gv_part *parts; /* by rows */
  int count;
  gv_merge_reader *readers; /* one a worker */
  int workers;
  /* of ids of cells, if colors need seeds; none: blocks hold ids for colors, too */
  gv_id_groups groups;
  bool copied[GV_RUN_RASTERS]; /* tiles have the output's encoding */
} gv_merge;

/* Opens the part files, which must be parts of this run, as the source of its blocks. Always close *out. */
gv_status gv_merge_open(gv_io *io, const gv_run_plan *plan, gv_block_source *out);

/* Opens a raster of part number `part`. */
gv_status gv_merge_open_raster(gv_io *io, const gv_run_work *work, int part, int raster, GDALDatasetH *out);

#endif
