/*
 * Work in threads, which come from core/pool.h. Work is handed out in stretches of items to workers, each of which has a number and a
 * context of its own. The first error ends a loop early, as cancelling does.
 */
#ifndef GV_PARALLEL_H
#define GV_PARALLEL_H

#include "core/core.h"

typedef struct gv_worker {
  int number;         /* 0 ... threads - 1: at any time only one worker of a loop has it */
  void *user;         /* what the loop was given */
  gv_context context; /* see gv_context_for_worker */
  struct gv_loop_state *loop;
} gv_worker;

/* Items first ... end - 1. An error's message is that of worker->context. */
typedef gv_status gv_loop_body(gv_worker *worker, int64_t first, int64_t end);

typedef struct gv_loop {
  gv_context *context;   /* gets the error's message; NULL: nobody, and workers must not use theirs */
  int threads;           /* at most so many; there may be fewer */
  int64_t count;         /* of items */
  int64_t grain;         /* items in a stretch; 0: equal shares, one a thread */
  gv_progress *progress; /* NULL, or what tells that the loop is cancelled; bodies add to it */
  void *user;
} gv_loop;

/* Errors: what a body gives; CANCELLED. */
gv_status gv_parallel_for(const gv_loop *loop, gv_loop_body *body);

/* For what workers find together: between the two calls there is only one of a loop's workers. */
void gv_worker_lock(gv_worker *worker);
void gv_worker_unlock(gv_worker *worker);

/*
 * Work that splits: `root` runs, and what it spawns, and what that spawns, by up to so many threads; returns when all is done.
 * A spawned task gets a copy of its argument, of up to GV_TASK_BYTES. Waiting is for those tasks that the task at work has
 * spawned itself.
 */
enum { GV_TASK_BYTES = 64 };

typedef void gv_task(void *argument);

void gv_tasks_run(int threads, gv_task *root, void *argument);
void gv_task_spawn(gv_task *task, const void *argument, size_t bytes);
void gv_tasks_wait(void);

#endif
