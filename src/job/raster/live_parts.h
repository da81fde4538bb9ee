/* Declarations shared by the files of on-demand rasters. */
#ifndef GV_JOB_RASTER_LIVE_PARTS_H
#define GV_JOB_RASTER_LIVE_PARTS_H

#include <pthread.h>

#include "job/raster/compute.h"
#include "job/raster/description.h"
#include "job/raster/live.h"

_Static_assert((int)GV_LIVE_KINDS == (int)GV_RUN_RASTERS, "the kinds of bands are the rasters of a run");

/* The error of an on-demand raster that is a source of another one. */
gv_status gv_live_refuse_nested(gv_io *io, const char *name);

/* ----------------------------------------------------------------------------------------- names: live_name.c */

/* What a name and open options describe, with absolute names of files. */
gv_status gv_live_describe(gv_io *io, const char *name, char **options, gv_description *out);

/* ------------------------------------------------------------------------------------- blocks: live_blocks.c */

/* A block that was computed. */
typedef struct gv_live_block {
  struct gv_live_block *next;          /* in its slot of the table */
  struct gv_live_block *newer, *older; /* by use */
  int level;
  int64_t column, row;
  unsigned kinds;
  size_t bytes;
  gv_live_piece piece;
  _Alignas(16) char values[];
} gv_live_block;

/* Blocks that are kept, the last used ones. */
typedef struct gv_live_cache {
  pthread_mutex_t lock; /* for the threads that compute the blocks of a window */
  gv_live_block **slots;
  gv_live_block *newest, *oldest;
  size_t bytes;
} gv_live_cache;

gv_status gv_live_cache_make(gv_io *io, gv_live_cache *cache);
void gv_live_cache_free(gv_live_cache *cache);

/* ------------------------------------------------------------------------------------------- levels: live_levels.c */

typedef struct gv_live_level {
  int64_t width, height;
  gv_run_inputs in;
  gv_run_plan plan;
  gv_run_work work;
  bool begun;       /* level 0: the inputs are read */
  bool ready;       /* all is made */
  int64_t expected; /* the block that a sequential reader needs next, row by row */
} gv_live_level;

struct gv_live {
  gv_description description;
  gv_job_settings settings;
  gv_live_facts facts;
  GDALDataType id_type;
  gv_io io;            /* of the runs */
  gv_context *context; /* of all levels */
  bool has_seeds;      /* level 0's inputs are read, and what they are like was expected */
  gv_status failed;    /* status of reading them */
  gv_io failure;
  gv_live_level *level;
  gv_attribute_table table;
  bool has_table;
  gv_live_cache cache;
};

/* Reads level 0's inputs and plans it, once. */
gv_status gv_live_read_seeds(gv_io *io, gv_live *live);

/* Makes a level ready. */
gv_status gv_live_prepare(gv_io *io, gv_live *live, int level);

/* The same before the raster's properties are known. */
gv_status gv_live_read_first(gv_live *live);
void gv_live_free_level(gv_live_level *level);

#endif
