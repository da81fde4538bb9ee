/* What the files of live rasters share. */
#ifndef GV_JOB_LIVE_PARTS_H
#define GV_JOB_LIVE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "job/description.h"
#include "job/live.h"
#include "job/run.h"

_Static_assert((int)GV_LIVE_KINDS == (int)GV_RUN_RASTERS, "the kinds of bands are the rasters of a run");

/* ------------------------------------------------------------------------------------------ calls: live_call.c */

/* The rasters that a thread is working for, the innermost first: one that is met again while it is worked for needs itself. */
typedef struct gv_live_frame {
  const char *key;
  const struct gv_live_frame *around;
  int depth;
} gv_live_frame;

const gv_live_frame *gv_live_inside(void);

/* Enters one; gives what this thread was inside of, for gv_live_leave. */
const gv_live_frame *gv_live_enter(gv_live_frame *frame, const char *key);
void gv_live_leave(const gv_live_frame *before);

/* What a thread works for, and where its messages go: others who help it take it on. */
typedef struct gv_live_duty {
  gv_messages *messages;
  const gv_live_frame *inside;
  bool replaces_codes; /* of what a thread had: gv_crs_replace_codes is to be called */
} gv_live_duty;

gv_live_duty gv_live_duty_here(void);

/* Gives what this thread had, for gv_live_end_duty. */
gv_live_duty gv_live_take_on(gv_live_duty duty);
void gv_live_end_duty(gv_live_duty before);

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
  int users; /* threads that copy from it */
  size_t bytes;
  gv_live_piece piece;
  char values[];
} gv_live_block;

/* Blocks that are kept, the last used ones. */
typedef struct gv_live_cache {
  pthread_mutex_t lock;
  gv_live_block **slots;
  gv_live_block *newest, *oldest;
  size_t bytes;
} gv_live_cache;

gv_status gv_live_cache_make(gv_io *io, gv_live_cache *cache);
void gv_live_cache_free(gv_live_cache *cache);

/* ------------------------------------------------------------------------------------------- levels: live_levels.c */

/* A worker of a level is somebody's at any time, or nobody's. */
typedef struct gv_live_worker {
  bool taken;
  char *scratch[GV_LIVE_KINDS]; /* values of a block */
} gv_live_worker;

typedef struct gv_live_level {
  int64_t width, height;
  gv_job job;
  gv_run run;
  bool begun;        /* `run` has something to be freed */
  atomic_bool ready; /* all below is made */
  gv_live_worker *workers;
  atomic_llong expected; /* the block that a reader of one after another asks for next, row by row */
} gv_live_level;

struct gv_live {
  gv_live *next; /* of those that are shared */
  int users;
  char *key;    /* the whole description */
  char *stamps; /* of the files that it names; NULL = they cannot be told apart */
  gv_description description;
  gv_job_settings settings;
  gv_live_facts facts;
  GDALDataType id_type;
  gv_io io;             /* of `lock` */
  pthread_mutex_t lock; /* held while a level or the table is made */
  gv_status failed;     /* of level 0: why, if there was anything */
  gv_io failure;
  gv_live_level *level;
  gv_attribute_table table;
  bool has_table;
  pthread_mutex_t free_lock; /* of the workers */
  pthread_cond_t freed;
  gv_live_cache cache;
};

/* Work for a raster under its lock. */
gv_status gv_live_with_lock(gv_io *io, gv_live *live, gv_status (*work)(gv_live *live, void *user), void *user);

/* Makes a level ready; the second with the lock held. */
gv_status gv_live_prepare(gv_io *io, gv_live *live, int level);
gv_status gv_live_prepare_locked(gv_live *live, int level);

/* What level 0 is read from, before it is ready. */
gv_status gv_live_read_first(gv_live *live);
void gv_live_free_level(gv_live *live, gv_live_level *level);

/* A worker of a level that is ready, once one is free, and giving it back. */
int gv_live_take_worker(gv_live *live, gv_live_level *level);
void gv_live_give_worker(gv_live *live, gv_live_level *level, int number);

/* ----------------------------------------------------------------------------------- sharing: live_share.c */

/* All options, a line each, in the order of their table. */
char *gv_live_key(const gv_description *description);

/* What tells the files of a description from those that they may become; NULL: there is a source that is no file. */
char *gv_live_stamps(const gv_description *description);

/* One with this key and these stamps, with one more user, or NULL. */
gv_live *gv_live_find(const char *key, const char *stamps);
void gv_live_share(gv_live *live);

/* One user less; true if that was the last. */
bool gv_live_leave_shared(gv_live *live);

#endif
