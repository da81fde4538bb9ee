/* The second stage of a run: what its rasters and tables hold. */
#ifndef GV_JOB_RASTER_PLAN_H
#define GV_JOB_RASTER_PLAN_H

#include "io/in/groups.h"
#include "job/raster/plan/read.h"

/* Begins as {0}. */
typedef struct gv_run_plan {
  const gv_job *job;
  const gv_run_inputs *in;
  int written;              /* rasters that are computed */
  int slot[GV_RUN_RASTERS]; /* place of a raster among those of a block; -1 = it is not computed */
  GDALDataType type[GV_RUN_RASTERS];
  int bands[GV_RUN_RASTERS];
  int64_t cell_bytes; /* of all rasters together */
  int64_t nodata, width, height;
  int64_t first_row, rows; /* rows of the whole raster that this run computes */
  int parts;               /* of the raster, if it has parts */
  gv_id_groups groups;     /* of seeds of one id, if statistics need them */
  const int64_t *integers; /* what OUT holds for each seed: an id or an integer attribute; NULL: `reals` */
  const double *reals;
  void *converted; /* memory of one of them, if it is not the seeds' */
  int32_t *labels; /* `integers` of Int32 */
  /* blocks of seed numbers need memory of their own: OUT is not there, or holds something else */
  bool apart;
  bool numbers;         /* blocks hold seed numbers first */
  bool by_region;       /* or regions at once, if no output is about single seeds */
  bool distances;       /* statistics have them */
  bool converts;        /* distances go into a raster in another unit than the library's */
  bool style, unstyled; /* OUT gets names and colors; or there are too many seeds for them */
} gv_run_plan;

/* `part_rows`: rows of a block of a part's raster; 0 = the raster has no parts. */
gv_status gv_run_make_plan(gv_io *io, const gv_run_inputs *inputs, int64_t part_rows, gv_run_plan *out);
void gv_run_plan_free(gv_run_plan *plan);

#endif
