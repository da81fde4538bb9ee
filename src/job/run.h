/*
 * What the files of a run share: everything that it has open and knows, passed from step to step.
 */
#ifndef GV_JOB_RUN_H
#define GV_JOB_RUN_H

#include "io/in/seeds.h"
#include "io/out/mesh_out.h"
#include "io/out/style.h"
#include "io/out/table_out.h"
#include "io/overlay/quantity.h"
#include "job/job.h"

/* The rasters. */
enum { GV_RUN_OUT, GV_RUN_DISTANCE, GV_RUN_AZIMUTH, GV_RUN_RASTERS };

/* Memory of one worker. */
typedef struct gv_run_worker {
  gv_context *context;
  gv_adjacency adjacency;
  int32_t *numbers;      /* k bands of a block, if ids are wider than numbers */
  uint8_t *mask;         /* a block */
  double *distance;      /* of the nearest seed, a block */
  gv_quantity *quantity; /* one a sum */
  bool answered;         /* a cell with a seed was met */
} gv_run_worker;

/* The run, and what the threads that compute blocks share. */
typedef struct gv_run {
  gv_io *io;
  const gv_job *j;
  gv_seed_list seeds;
  gv_features features; /* what the library has of them, if they are lines and polygons */
  gv_raster_grid grid;
  gv_mesh_out *mesh;
  gv_raster_out *raster[GV_RUN_RASTERS]; /* NULL = not asked for */
  gv_raster_out *written[GV_RUN_RASTERS];
  int slot[GV_RUN_RASTERS]; /* place of a raster among those written; -1 = not asked for */
  int written_count;
  gv_table_out *stats, *polygons;
  gv_mask *mask;
  gv_overlay *overlay[GV_JOB_MAX_SUMS];
  gv_voronoi *voronoi;
  gv_statistics *statistics;
  gv_context *context; /* of all threads */
  gv_run_worker *workers;
  int worker_count;
  GDALDataType type; /* of ids */
  int64_t nodata, width, height;
  int64_t empty_seeds;  /* rows of the statistics without cells */
  double distance_size; /* one unit of the distances that are written, in the library's */
  int32_t block_w, block_h;
  int32_t *labels; /* Int32 ids by seed */
  bool numbers;    /* blocks hold seed numbers first */
  bool style, distances;
} gv_run;

/* rasters.c: value type and nodata from the ids; */
gv_status gv_run_choose_values(gv_run *r);
/* whether two seeds have one id, so that ids do not tell seeds apart; */
gv_status gv_run_repeated_ids(const gv_run *r, bool *out);
/* creating the rasters that were asked for. */
gv_status gv_run_create_rasters(gv_run *r);

/* True if distances go into a raster in another unit than the library's. */
static inline bool gv_run_converts(const gv_run *r) {
  return r->raster[GV_RUN_DISTANCE] != NULL && r->distance_size != 1.0;
}

/* block.c: the way of one block, a gv_raster_block_fn. */
gv_status gv_run_compute_block(gv_io *io, void *user, int number, gv_raster_block *block);

/* compute.c: what every cell asks, pixel or triangle; */
gv_voronoi_options gv_run_question(const gv_run *r);
/* rasters, tables and polygons, all but putting them in their places; */
gv_status gv_run_compute(gv_run *r);
/* and what that has made. */
void gv_run_free_computed(gv_run *r);

/* table.c: the table of statistics. */
gv_status gv_run_write_statistics(gv_run *r);

/* warnings.c: what people should know of outputs that are complete. */
void gv_run_warn(const gv_run *r);

#endif
