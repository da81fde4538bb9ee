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
  struct team *team;
  int depth;
  int64_t children;    /* spawned and not done; under the lock */
  struct frame *outer; /* that of the same thread which waits meanwhile */
} frame;

typedef struct task {
  gv_task *call;
  frame *parent;
  _Alignas(16) char argument[GV_TASK_BYTES];
} task;

/* The threads at work, and what waits for them. */
typedef struct team {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool done;
  int count;
  task stack[MOST_TASKS];
  gv_task *root;
  void *argument;
} team;

static _Thread_local frame *current;

/* Carries out a task and waits for its children; without the lock. */
static void carry_out(team *all, gv_task *call, void *argument, int depth) {
  frame f = {.team = all, .depth = depth, .outer = current};
  current = &f;
  call(argument);
  gv_tasks_wait();
  current = f.outer;
}

/* Takes the latest task deeper than `depth` and carries it out; false if there is none. With the lock. */
static bool help(team *all, int depth) {
  int at = all->count - 1;
  while (at >= 0 && all->stack[at].parent->depth < depth)
    at--;
  if (at < 0) return false;
  task t = all->stack[at];
  memmove(&all->stack[at], &all->stack[at + 1], (size_t)(--all->count - at) * sizeof t);
  pthread_mutex_unlock(&all->lock);
  carry_out(all, t.call, t.argument, t.parent->depth + 1);
  pthread_mutex_lock(&all->lock);
  if (--t.parent->children == 0) pthread_cond_broadcast(&all->changed);
  return true;
}

void gv_task_spawn(gv_task *call, const void *argument, size_t bytes) {
  task t = {.call = call, .parent = current};
  memcpy(t.argument, argument, bytes);
  team *all = current != NULL ? current->team : NULL;
  bool spawned = false;
  if (all != NULL) {
    pthread_mutex_lock(&all->lock);
    spawned = all->count < MOST_TASKS;
    if (spawned) {
      all->stack[all->count++] = t;
      current->children++;
      pthread_cond_broadcast(&all->changed);
    }
    pthread_mutex_unlock(&all->lock);
  }
  if (!spawned) call(t.argument);
}

void gv_tasks_wait(void) {
  frame *f = current;
  if (f == NULL) return;
  pthread_mutex_lock(&f->team->lock);
  while (f->children > 0) {
    if (!help(f->team, f->depth)) pthread_cond_wait(&f->team->changed, &f->team->lock);
  }
  pthread_mutex_unlock(&f->team->lock);
}

static void work(void *user, int number) {
  team *all = user;
  if (number == 0) carry_out(all, all->root, all->argument, 0);
  pthread_mutex_lock(&all->lock);
  if (number == 0) {
    all->done = true;
    pthread_cond_broadcast(&all->changed);
  }
  while (!all->done) {
    if (!help(all, 0)) pthread_cond_wait(&all->changed, &all->lock);
  }
  pthread_mutex_unlock(&all->lock);
}

void gv_tasks_run(int threads, gv_task *root, void *argument) {
  team all = {.root = root, .argument = argument};
  pthread_mutex_init(&all.lock, NULL);
  pthread_cond_init(&all.changed, NULL);
  gv_pool_run(threads, work, &all);
  pthread_cond_destroy(&all.changed);
  pthread_mutex_destroy(&all.lock);
}
