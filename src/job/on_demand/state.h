/* The state of an on-demand raster. */
#ifndef GV_JOB_ON_DEMAND_STATE_H
#define GV_JOB_ON_DEMAND_STATE_H

#include <pthread.h>

#include "job/description/description.h"
#include "job/on_demand/blocks.h"
#include "job/raster/compute/work.h"

_Static_assert((int)GV_ON_DEMAND_KINDS == (int)GV_RUN_RASTERS, "the kinds of bands are the rasters of a run");

/* A block that was computed. */
typedef struct gv_on_demand_block {
  struct gv_on_demand_block *next;          /* in its slot of the table */
  struct gv_on_demand_block *newer, *older; /* by use */
  int level;
  int64_t column, row;
  unsigned kinds;
  size_t bytes;
  gv_on_demand_piece piece;
  _Alignas(16) char values[];
} gv_on_demand_block;

/* Blocks that are kept, the last used ones. */
typedef struct gv_on_demand_cache {
  pthread_mutex_t lock; /* for the threads that compute the blocks of a window */
  gv_on_demand_block **slots;
  gv_on_demand_block *newest, *oldest;
  size_t bytes;
} gv_on_demand_cache;

typedef struct gv_on_demand_level {
  int64_t width, height;
  gv_run_inputs in;
  gv_run_plan plan;
  gv_run_work work;
  bool begun;       /* level 0: the inputs are read */
  bool ready;       /* all is made */
  int64_t expected; /* the block that a sequential reader needs next, row by row */
} gv_on_demand_level;

struct gv_on_demand {
  gv_description description;
  gv_job_settings settings;
  gv_on_demand_facts facts;
  GDALDataType id_type;
  gv_io io;            /* of the runs */
  gv_context *context; /* of all levels */
  bool has_seeds;      /* level 0's inputs are read, and what they are like was expected */
  gv_status failed;    /* status of reading them */
  gv_io failure;
  gv_on_demand_level *level;
  gv_attribute_table table;
  bool has_table;
  gv_on_demand_cache cache;
};

#endif
