/*
 * Tasks wait in a stack of limited size, from which threads take the latest; where it is full, a task is carried out by whoever
 * spawns it. Who waits for tasks carries out others meanwhile, but only such as lie deeper than its own, so that waiting is never
 * nested deeper than tasks are.
 */
#include <pthread.h>
#include <string.h>

#include "core/parallel.h"
#include "core/pool.h"

enum { MOST_TASKS = 128 };

/* A task at work. */
typedef struct frame {
  struct run *run;
  int depth;
  int64_t children;    /* spawned and not done; under the lock */
  struct frame *outer; /* that of the same thread which waits meanwhile */
} frame;

typedef struct task {
  gv_task *call;
  frame *parent;
  _Alignas(16) char argument[GV_TASK_BYTES];
} task;

typedef struct run {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool done;
  int count;
  task stack[MOST_TASKS];
  gv_task *root;
  void *argument;
} run;

static _Thread_local frame *current;

/* Carries out a task and waits for its children; without the lock. */
static void carry_out(run *r, gv_task *call, void *argument, int depth) {
  frame f = {.run = r, .depth = depth, .outer = current};
  current = &f;
  call(argument);
  gv_tasks_wait();
  current = f.outer;
}

/* Takes the latest task deeper than `depth` and carries it out; false if there is none. With the lock. */
static bool help(run *r, int depth) {
  int at = r->count - 1;
  while (at >= 0 && r->stack[at].parent->depth < depth)
    at--;
  if (at < 0) return false;
  task t = r->stack[at];
  memmove(&r->stack[at], &r->stack[at + 1], (size_t)(--r->count - at) * sizeof t);
  pthread_mutex_unlock(&r->lock);
  carry_out(r, t.call, t.argument, t.parent->depth + 1);
  pthread_mutex_lock(&r->lock);
  if (--t.parent->children == 0) pthread_cond_broadcast(&r->changed);
  return true;
}

void gv_task_spawn(gv_task *call, const void *argument, size_t bytes) {
  task t = {.call = call, .parent = current};
  memcpy(t.argument, argument, bytes);
  run *r = current != NULL ? current->run : NULL;
  bool spawned = false;
  if (r != NULL) {
    pthread_mutex_lock(&r->lock);
    spawned = r->count < MOST_TASKS;
    if (spawned) {
      r->stack[r->count++] = t;
      current->children++;
      pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
  }
  if (!spawned) call(t.argument);
}

void gv_tasks_wait(void) {
  frame *f = current;
  if (f == NULL) return;
  pthread_mutex_lock(&f->run->lock);
  while (f->children > 0) {
    if (!help(f->run, f->depth)) pthread_cond_wait(&f->run->changed, &f->run->lock);
  }
  pthread_mutex_unlock(&f->run->lock);
}

static void work(void *user, int number) {
  run *r = user;
  if (number == 0) carry_out(r, r->root, r->argument, 0);
  pthread_mutex_lock(&r->lock);
  if (number == 0) {
    r->done = true;
    pthread_cond_broadcast(&r->changed);
  }
  while (!r->done) {
    if (!help(r, 0)) pthread_cond_wait(&r->changed, &r->lock);
  }
  pthread_mutex_unlock(&r->lock);
}

void gv_tasks_run(int threads, gv_task *root, void *argument) {
  run r = {.root = root, .argument = argument};
  pthread_mutex_init(&r.lock, NULL);
  pthread_cond_init(&r.changed, NULL);
  gv_pool_run(threads, work, &r);
  pthread_cond_destroy(&r.changed);
  pthread_mutex_destroy(&r.lock);
}
