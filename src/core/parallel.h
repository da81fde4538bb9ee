/*
 * Parallel loops and tasks, on OpenMP. A loop assigns stretches of items to workers; each worker has a number
 * and a context of its own. The first error ends a loop early, as cancelling does. A loop within a worker of
 * another loop has one thread.
 */
#ifndef GV_PARALLEL_H
#define GV_PARALLEL_H

#include "core/core.h"
#include "core/shared.h"

typedef struct gv_worker {
  int number;         /* 0 ... threads - 1: at any time only one worker of a loop has it */
  void *user;         /* of the loop */
  gv_context context; /* see gv_context_for_worker */
  struct gv_loop_state *loop;
} gv_worker;

/* Items first ... end - 1. An error's message is that of worker->context. */
typedef gv_status gv_loop_body(gv_worker *worker, int64_t first, int64_t end);

typedef struct gv_loop {
  gv_context *context;   /* receives the error's message; NULL: no context, and workers must not use theirs */
  int threads;           /* maximum number; there may be fewer */
  int64_t count;         /* of items */
  int64_t grain;         /* items in a stretch; 0: equal shares, one a thread */
  gv_progress *progress; /* NULL, or the progress that cancels the loop; bodies add to it */
  void *user;
} gv_loop;

/* Errors: those of a body; CANCELLED. */
GV_SHARED gv_status gv_parallel_for(const gv_loop *loop, gv_loop_body *body);

/* How many threads the system can create at this moment: at most `wanted`, at least 1. Creates and joins
 * them. */
GV_SHARED int gv_threads_available(int wanted);

/* memcpy by several threads, for copies that one thread would keep waiting for memory: used from a megabyte
 * on. */
void gv_copy(void *to, const void *from, size_t bytes, int threads);

/* For what workers find together: between the two calls there is only one of a loop's workers. */
GV_SHARED void gv_worker_lock(gv_worker *worker);
GV_SHARED void gv_worker_unlock(gv_worker *worker);

/*
 * Tasks: runs `root` and all tasks that it and they spawn, on up to `threads` threads; returns when all are
 * done. A spawned task gets a copy of its argument, of up to GV_TASK_BYTES. Waiting is for those tasks that
 * the running task has spawned itself.
 */
enum { GV_TASK_BYTES = 64 };

typedef void gv_task(void *argument);

void gv_tasks_run(int threads, gv_task *root, void *argument);
void gv_task_spawn(gv_task *task, const void *argument, size_t bytes);
void gv_tasks_wait(void);

#endif
