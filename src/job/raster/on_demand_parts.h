/* Declarations shared by the files of on-demand rasters. */
#ifndef GV_JOB_RASTER_ON_DEMAND_PARTS_H
#define GV_JOB_RASTER_ON_DEMAND_PARTS_H

#include <pthread.h>

#include "job/raster/compute.h"
#include "job/raster/description.h"
#include "job/raster/on_demand.h"

_Static_assert((int)GV_ON_DEMAND_KINDS == (int)GV_RUN_RASTERS, "the kinds of bands are the rasters of a run");

/* The error of an on-demand raster that is a source of another one. */
gv_status gv_on_demand_refuse_nested(gv_io *io, const char *name);

/* ----------------------------------------------------------------------------------------- names: on_demand_name.c */

/* What a name and open options describe, with absolute names of files. */
gv_status gv_on_demand_describe(gv_io *io, const char *name, char **options, gv_description *out);

/* ------------------------------------------------------------------------------------- blocks: on_demand_blocks.c */

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

gv_status gv_on_demand_cache_make(gv_io *io, gv_on_demand_cache *cache);
void gv_on_demand_cache_free(gv_on_demand_cache *cache);

/* ------------------------------------------------------------------------------------------- levels: on_demand_levels.c */

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

/* Reads level 0's inputs and plans it, once. */
gv_status gv_on_demand_read_seeds(gv_io *io, gv_on_demand *on_demand);

/* Makes a level ready. */
gv_status gv_on_demand_prepare(gv_io *io, gv_on_demand *on_demand, int level);

/* The same before the raster's properties are known. */
gv_status gv_on_demand_read_first(gv_on_demand *on_demand);
void gv_on_demand_free_level(gv_on_demand_level *level);

#endif
