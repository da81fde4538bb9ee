/* The state of a run that its threads share: set up by compute/compute.c. */
#ifndef GV_JOB_RASTER_COMPUTE_WORK_H
#define GV_JOB_RASTER_COMPUTE_WORK_H

#include "gpuvoronoi/experimental.h"
#include "io/out/style.h"
#include "job/raster/compute/block_source.h"
#include "job/raster/plan/plan.h"

/* Memory of one worker. */
typedef struct gv_run_worker {
  gv_context *context;
  gv_adjacency adjacency;
  bool scans;       /* blocks are scanned for neighbors */
  int32_t *numbers; /* k bands of a block, if ids are wider than numbers */
  uint8_t *mask;    /* a block */
  /* of lists with a mask: longitudes of a block, then latitudes; with barriers: x, then y */
  double *center;
  double *distance; /* of the nearest seed, a block */
  /* regions of a block's cells that are seeds themselves; -1: they are none; with barriers: seeds */
  int32_t *own;
  float *azimuth;        /* with barriers, a block */
  uint8_t *queried;      /* the block's other cells */
  bool owns;             /* some are; else neither of both is of any use */
  gv_quantity *quantity; /* one a sum */
  int64_t empty;         /* cells without a seed so far */
} gv_run_worker;

/* Shared state of the threads that compute blocks. Initialize it to {0} with its inputs and the size of
 * blocks. */
typedef struct gv_run_work {
  const gv_run_inputs *in;
  const gv_run_plan *plan;
  gv_block_source source;
  gv_raster_out *const *rasters; /* those that are written, at the slots of the plan; NULL: on demand */
  int32_t block_w, block_h;
  gv_voronoi *voronoi;
  gv_voronoi *counted; /* with the regions of cells as seeds: what statistics are about */
  gv_voronoi **each;   /* with the seeds of one region, for each */
  gv_statistics *statistics;
  gv_run_worker *workers;
  int worker_count;    /* at most this number, until they are made */
  int64_t left_out;    /* seeds that ways do not start from */
  int64_t empty_seeds; /* others without cells; -1 = unknown */
  bool on_device;      /* statistics were made there, or begun */
} gv_run_work;

/* A block's rectangle of cells, in the whole raster; blocks are counted from the first row of the run. */
typedef struct gv_rectangle {
  int64_t x, y, w, h;
} gv_rectangle;

/* As the cells of one of the library's structs. */
#define GV_RUN_SET_CELLS(of, part)                                                                           \
  ((of).column = (part)->x, (of).row = (part)->y, (of).columns = (part)->w, (of).rows = (part)->h)

static inline gv_rectangle gv_run_block_cells(const gv_run_work *work, int64_t column, int64_t row) {
  const gv_run_plan *plan = work->plan;
  gv_rectangle p = {.x = column * work->block_w, .y = plan->first_row + row * work->block_h};
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

/* Number of cells without a seed that this process has computed. */
static inline int64_t gv_run_empty(const gv_run_work *work) {
  int64_t count = 0;
  for (int i = 0; i < work->worker_count && work->workers != NULL; i++)
    count += work->workers[i].empty;
  return count;
}

#endif
