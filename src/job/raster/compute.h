/* The third stage of a run: computing blocks, or taking them from part files. */
#ifndef GV_JOB_RASTER_COMPUTE_H
#define GV_JOB_RASTER_COMPUTE_H

#include "gpuvoronoi/experimental.h"
#include "io/out/style.h"
#include "job/raster/part_file.h"
#include "job/raster/plan.h"

/* Part files that are put together (merge.c). */
typedef struct gv_merge gv_merge;

/* Memory of one worker. */
typedef struct gv_run_worker {
  gv_context *context;
  gv_adjacency adjacency;
  bool scans;            /* blocks are scanned for neighbours */
  int32_t *numbers;      /* k bands of a block, if ids are wider than numbers */
  uint8_t *mask;         /* a block */
  double *centre;        /* of lists with a mask: longitudes of a block, then latitudes */
  double *distance;      /* of the nearest seed, a block */
  int32_t *own;          /* regions of a block's cells that are seeds themselves; -1: they are none */
  uint8_t *queried;      /* the block's other cells */
  bool owns;             /* some are; else neither of both is of any use */
  gv_quantity *quantity; /* one a sum */
  int64_t empty;         /* cells without a seed so far */
} gv_run_worker;

/* Shared state of the threads that compute blocks. Initialise it to {0} with its inputs and the size of blocks. */
typedef struct gv_run_work {
  const gv_job *job;
  const gv_run_inputs *in;
  const gv_run_plan *plan;
  gv_merge *merge; /* part files to merge; NULL = all is computed */
  int32_t block_w, block_h;
  gv_voronoi *voronoi;
  gv_voronoi *counted; /* with the regions of cells as seeds: what statistics are about */
  gv_voronoi **each;   /* with the seeds of one region, for each */
  gv_statistics *statistics;
  gv_run_worker *workers;
  int worker_count;    /* at most this number, until they are made */
  int64_t empty_seeds; /* without cells; -1 = unknown */
  bool on_device;      /* statistics were made there, or begun */
} gv_run_work;

/* A block's rectangle of cells. */
typedef struct gv_rectangle {
  int64_t x, y, w, h;
} gv_rectangle;

static inline gv_rectangle gv_run_block_cells(const gv_run_work *work, int64_t column, int64_t row) {
  const gv_run_plan *plan = work->plan;
  gv_rectangle p = {.x = column * work->block_w, .y = row * work->block_h};
  p.w = plan->width - p.x < work->block_w ? plan->width - p.x : work->block_w;
  p.h = plan->height - p.y < work->block_h ? plan->height - p.y : work->block_h;
  return p;
}

/* Place of a raster in a block; -1 = it is not computed. */
static inline int gv_run_slot(const gv_run_work *work, const gv_raster_block *block, int raster) {
  int slot = work->plan->slot[raster];
  return slot >= 0 && block->out[slot] != NULL ? slot : -1;
}

/* Bytes of a record of a part's sums; 0 without statistics. */
static inline int64_t gv_run_sum_bytes(const gv_run_work *work) {
  return work->statistics != NULL ? 8 + (int64_t)gv_statistics_sums_size(work->statistics) : 0;
}

/* Blocks of the grid: in a row, and all. */
static inline int64_t gv_run_blocks_across(const gv_run_work *work) {
  return (work->plan->width + work->block_w - 1) / work->block_w;
}

static inline int64_t gv_run_blocks(const gv_run_work *work) {
  return gv_run_blocks_across(work) * ((work->plan->height + work->block_h - 1) / work->block_h);
}

/* The progress of a run, and its cancelling for long GDAL calls: a GDALProgressFunc and its argument. */
typedef struct gv_run_progress {
  gv_io *io;
  const gv_job *job;
  double from, to; /* of the current step */
} gv_run_progress;
int CPL_STDCALL gv_run_report_progress(double fraction, const char *message, void *progress);

/* ------------------------------------------------------------------------------------------------------ compute.c */

/* Makes the workers' state for computing blocks. */
gv_status gv_run_prepare(gv_io *io, gv_run_work *work);

/* All blocks, into `rasters`, those that the plan has, and for the statistics. */
gv_status gv_run_compute(gv_io *io, gv_raster_out *const *rasters, gv_run_progress *progress, gv_run_work *work);

/* The attribute table of all blocks that were scanned. */
gv_status gv_run_make_table(gv_io *io, gv_run_work *work, bool every_size, gv_attribute_table *out);

/* Number of cells without a seed that this process has computed. */
int64_t gv_run_empty(const gv_run_work *work);
void gv_run_work_free(gv_run_work *work);

/* ----------------------------------------------------------------------------------------------------- question.c */

/* The options for every query cell, pixel or triangle. */
gv_voronoi_options gv_run_question(const gv_run_inputs *inputs);

/* Makes the grid again with them, for blocks of the run's size, and statistics, in a context of the caller; an
 * error message stays there. */
gv_status gv_run_make_voronoi(const gv_run_work *work, gv_context *context, gv_voronoi **out);
gv_status gv_run_make_statistics(const gv_run_work *work, gv_context *context, const gv_voronoi *of,
                                 gv_statistics **out);

/* The grids of the run itself, and statistics if needed. */
gv_status gv_run_create_grids(gv_io *io, gv_run_work *work);

/* The grid of a run without computation, to find its backend. */
gv_status gv_run_find_backend(gv_io *io, gv_run_work *work);

/* Sums of the raster of --sum number `number`, from the raster or the parts. */
gv_part_sum gv_run_sum(const gv_run_work *work, int number);

/* -------------------------------------------------------------------------------------------------------- block.c */

/* Computes one block: a gv_raster_block_fn with a gv_run_work as `user`. Rasters of the plan for which the block
 * has no memory are not computed. */
gv_status gv_run_compute_block(gv_io *io, void *work, int number, gv_raster_block *block);

/* -------------------------------------------------------------------------------------------------------- parts.c */

/* An error if blocks are not tiles, which parts consist of. */
gv_status gv_run_check_blocks(gv_io *io, const gv_run_work *work);

/* gv_run_compute_block for these. */
gv_status gv_run_compute_part_block(gv_io *io, void *work, int number, gv_raster_block *block);

/* -------------------------------------------------------------------------------------------------------- count.c */

/* Statistics without a raster on devices, if that is supported and faster: returns the blocks that were counted, in
 * strips of whole rows of blocks (for a mesh, of blocks), else none; always free `done`. */
typedef struct gv_run_counted {
  int64_t blocks, count; /* blocks of a strip, and strips */
  bool *done;            /* by strip; NULL = none */
  int64_t done_blocks;
} gv_run_counted;
gv_status gv_run_count(gv_io *io, gv_run_work *work, gv_run_progress *progress, gv_run_counted *out);

/* ----------------------------------------------------------------------------------------------------- warnings.c */

/* Prints warnings about complete outputs and about seeds. */
void gv_run_warn(const gv_run_work *work);
void gv_run_warn_of_skipped(const gv_run_inputs *inputs);

/* Fills the report of the run. */
void gv_run_report(const gv_run_work *work, gv_job_report *out);

#endif
