/* What the files about merging share. */
#ifndef GV_JOB_RASTER_MERGE_H
#define GV_JOB_RASTER_MERGE_H

#include "job/raster/run.h"

/* What a worker reads of: one part at a time, as blocks come in the order of files. */
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
  gv_groups
      groups; /* of ids that cells show, where colours ask for seeds; none: blocks hold ids for colours, too */
  bool copied[GV_RUN_RASTERS]; /* tiles are encoded as they are to be */
};

/* Opens a raster of part number `part`. */
gv_status gv_merge_open(gv_io *io, const gv_run *r, int part, int raster, GDALDatasetH *out);

#endif
