/*
 * Where the blocks and sums of a run come from: they are computed (compute/block.c), or read from part files
 * (parts/merge.c).
 */
#ifndef GV_JOB_RASTER_COMPUTE_BLOCK_SOURCE_H
#define GV_JOB_RASTER_COMPUTE_BLOCK_SOURCE_H

#include "io/out/raster_out.h"

struct gv_run_work;
struct gv_run_worker;
struct gv_rectangle;

/* Of a raster of --sum; see gv_overlay_total, gv_overlay_inside, gv_overlay_bound. */
typedef struct gv_sum_totals {
  double total, inside, bound;
} gv_sum_totals;

/* The way from a point to its seed. */
typedef struct gv_way {
  int32_t seed;        /* -1: none */
  double cost, length; /* in the library's unit; cost: of travel cost only */
  int64_t count;       /* positions, in the grid's coordinates; longitudes are continuous */
  double *x, *y;       /* room for `room` */
  int64_t room;
} gv_way;

typedef struct gv_block_source {
  const char *name; /* in reports; NULL: the backend that computes */
  bool computes;    /* grids compute its blocks; otherwise they only describe cells and seeds */
  bool has_sums;    /* `begin` adds the statistics of all blocks */
  gv_raster_block_fn *block;
  /* Of blocks that are computed: the numbers of the seeds of the cells `part`; *uniform may be set if it is
   * not NULL, see gv_voronoi_fill. Then distances and azimuths into their rasters, and distances into the
   * worker's. Errors are the library's. */
  gv_status (*seeds)(const struct gv_run_work *work, struct gv_run_worker *worker,
                     const gv_raster_block *block, const struct gv_rectangle *part, const gv_labels *numbers,
                     int *uniform);
  gv_status (*measure)(const struct gv_run_work *work, struct gv_run_worker *worker,
                       const gv_raster_block *block, const struct gv_rectangle *part,
                       const gv_labels *numbers);
  /* Adds what the source contains in advance, once workers and statistics exist. May be NULL. */
  gv_status (*begin)(gv_io *io, struct gv_run_work *work);
  gv_sum_totals (*sum)(const struct gv_run_work *work, int number);
  /* False if blocks hold ids only, and ids repeat; NULL: they hold numbers of seeds. */
  bool (*identifies_seeds)(const struct gv_run_work *work);
  /* Finds the way from a position in the grid's coordinates; NULL: there are none. All its positions are
   * counted, also those that it has no room for. */
  gv_status (*way)(gv_io *io, struct gv_run_work *work, const double from[2], gv_way *way);
  void (*close)(void *state); /* may be NULL */
  void *state;
} gv_block_source;

#endif
