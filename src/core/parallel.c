/*
 * Loops and tasks on OpenMP. Without it (option GPUVORONOI_OPENMP) each loop creates its threads, and
 * tasks run on the calling thread.
 *
 * The number of threads of a region is decided here, for three reasons:
 * - libgomp ends the process when pthread_create fails. Each calling thread has its own pool, which grows
 *   when a region is larger than the previous one. Before such a region as many threads are created and
 *   joined; if the system refuses some, fewer are used. Not covered: a thread that fails between this
 *   probe and the region.
 * - Several calling threads share the CPUs: together they use as many threads as there are CPUs, or as
 *   many as the largest of them requests; each has at least its own.
 * - A forked child has libgomp's records of its parent's threads, but not the threads: it computes on one
 *   thread, without OpenMP.
 */
#include "core/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/machine.h"

/* ------------------------------------------------------------------------------------------------ threads */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int cpus;
static atomic_bool forked; /* this process is a child of one that has had parallel regions */
static atomic_int working; /* threads of all parallel regions, with those that called */
#ifdef _OPENMP
static _Thread_local int pool =
    1; /* threads that OpenMP has for the calling thread, with itself: those of its last region */
#else
static _Thread_local bool in_loop; /* this thread works in a loop */
#endif

static void in_child(void) {
  atomic_store(&forked, true);
}

static void loop_prepare(void) {
  cpus = gv_cpu_count();
  gv_machine_at_fork(NULL, NULL, in_child);
}

static void *wait_for(void *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

/* How many of `wanted` threads the system can create. */
static int probe(int wanted) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *made = malloc((size_t)wanted * sizeof *made);
  int count = 0;
  if (made == NULL) return 0;
  pthread_mutex_lock(&lock);
  while (count < wanted && pthread_create(&made[count], NULL, wait_for, &lock) == 0)
    count++;
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < count; i++)
    pthread_join(made[i], NULL);
  pthread_mutex_destroy(&lock);
  free(made);
  return count;
}

int gv_threads_available(int wanted) {
  int count = wanted > 1 ? probe(wanted) : 1;
  return count > 1 ? count : 1;
}

#ifdef _OPENMP
static bool in_parallel(void) {
  return omp_in_parallel();
}

/* How many of `wanted` threads the calling thread's pool can have. */
static int grow_pool(int wanted) {
  if (wanted <= pool) return wanted;
  int made = probe(wanted - pool);
  if (made == wanted - pool) return wanted;
  /* The system is at a limit, perhaps of memory that the work needs, and counts a thread for a moment after
   * it was joined. */
  const struct timespec moment = {0, 10000000};
  nanosleep(&moment, NULL);
  int some = pool + made / 2;
  return some < cpus ? some : cpus;
}

/* How many of `wanted` threads the next region has; 0: it must not be parallel. */
static int usable_threads(int wanted) {
  int usable = grow_pool(wanted);
  if (usable < 2) return 0;
  pool = usable;
  return usable;
}
#else
static bool in_parallel(void) {
  return in_loop;
}

/* A loop creates its threads, and uses fewer if the system refuses some. */
static int usable_threads(int wanted) {
  return wanted;
}
#endif

/* The number of threads for a region; more than 1 must be released. */
static int acquire_threads(int wanted) {
  if (wanted < 2 || atomic_load(&forked) || in_parallel()) return 1;
  (void)pthread_once(&once, loop_prepare);
  int most = wanted > cpus ? wanted : cpus, now = atomic_load(&working), granted;
  do {
    granted = most - now < wanted ? most - now : wanted;
    if (granted < 2) return 1;
  } while (!atomic_compare_exchange_weak(&working, &now, now + granted));
  int usable = usable_threads(granted);
  atomic_fetch_sub(&working, granted - usable);
  return usable > 0 ? usable : 1;
}

static void release_threads(int taken) {
  if (taken > 1) atomic_fetch_sub(&working, taken);
}

/* ------------------------------------------------------------------------------------------------ loops */

struct gv_loop_state {
  const gv_loop *loop;
  gv_loop_body *body;
  int64_t stretches;
  atomic_llong next; /* stretch */
  atomic_int status; /* the first error; its message is then in the context */
  pthread_mutex_t lock;
};

/* Where stretch i begins. */
static int64_t begin_of(const struct gv_loop_state *state, int64_t i) {
  const gv_loop *loop = state->loop;
  if (loop->grain > 0) return i < state->stretches ? i * loop->grain : loop->count;
  return loop->count / state->stretches * i + loop->count % state->stretches * i / state->stretches;
}

static void loop_work(struct gv_loop_state *state, int number) {
  const gv_loop *loop = state->loop;
  gv_worker worker;
  worker.number = number;
  worker.user = loop->user;
  worker.loop = state;
  if (loop->context != NULL) gv_context_for_worker(loop->context, &worker.context);
  for (;;) {
    int64_t i = atomic_fetch_add_explicit(&state->next, 1, memory_order_relaxed);
    if (i >= state->stretches || atomic_load_explicit(&state->status, memory_order_relaxed) != GV_OK) return;
    if (loop->progress != NULL && gv_progress_cancelled(loop->progress)) return;
    gv_status status = state->body(&worker, begin_of(state, i), begin_of(state, i + 1));
    int none = GV_OK;
    if (status != GV_OK && atomic_compare_exchange_strong(&state->status, &none, (int)status))
      gv_fail(loop->context, status, "%s", loop->context != NULL ? worker.context.message : "");
  }
}

#ifdef _OPENMP
static void work_together(struct gv_loop_state *state, int threads) {
#pragma omp parallel num_threads(threads)
  loop_work(state, omp_get_thread_num());
}
#else
typedef struct loop_thread {
  pthread_t id;
  struct gv_loop_state *state;
  int number;
} loop_thread;

static void *loop_thread_work(void *argument) {
  const loop_thread *thread = argument;
  in_loop = true;
  loop_work(thread->state, thread->number);
  return NULL;
}

/* Stretches are handed out one by one, so the loop is complete with any number of threads. */
static void work_together(struct gv_loop_state *state, int threads) {
  const size_t stack = (size_t)8 << 20; /* as main threads have: the default of some systems is 128 KiB */
  loop_thread *made = malloc((size_t)threads * sizeof *made);
  pthread_attr_t attributes;
  int count = 0;
  if (made != NULL && pthread_attr_init(&attributes) == 0) {
    if (pthread_attr_setstacksize(&attributes, stack) == 0) {
      for (; count < threads - 1; count++) {
        made[count] = (loop_thread){.state = state, .number = count + 1};
        if (pthread_create(&made[count].id, &attributes, loop_thread_work, &made[count]) != 0) break;
      }
    }
    pthread_attr_destroy(&attributes);
  }
  in_loop = true;
  loop_work(state, 0);
  in_loop = false;
  for (int i = 0; i < count; i++)
    pthread_join(made[i].id, NULL);
  free(made);
}
#endif

gv_status gv_parallel_for(const gv_loop *loop, gv_loop_body *body) {
  int threads = loop->threads > 1 ? loop->threads : 1;
  struct gv_loop_state state = {.loop = loop, .body = body};
  state.stretches = loop->grain > 0 ? loop->count / loop->grain + (loop->count % loop->grain != 0) : threads;
  if (state.stretches > loop->count) state.stretches = loop->count;
  atomic_init(&state.next, 0);
  atomic_init(&state.status, GV_OK);
  pthread_mutex_init(&state.lock, NULL);
  /* All threads, even if there are fewer stretches: a smaller region would end threads of the pool. */
  threads = acquire_threads(state.stretches > 1 ? threads : 1);
  if (threads > 1) {
    work_together(&state, threads);
  } else {
    loop_work(&state, 0);
  }
  release_threads(threads);
  pthread_mutex_destroy(&state.lock);
  if (atomic_load(&state.status) != GV_OK) return (gv_status)atomic_load(&state.status);
  if (loop->progress != NULL && gv_progress_cancelled(loop->progress))
    return gv_fail(loop->context, GV_ERROR_CANCELLED, "cancelled");
  return GV_OK;
}

void gv_worker_lock(gv_worker *worker) {
  pthread_mutex_lock(&worker->loop->lock);
}

void gv_worker_unlock(gv_worker *worker) {
  pthread_mutex_unlock(&worker->loop->lock);
}

enum { PART = 1 << 18 /* bytes that are copied at a time */ };

typedef struct copying {
  char *to;
  const char *from;
  size_t bytes;
} copying;

static gv_status copy_parts(gv_worker *worker, int64_t first, int64_t end) {
  const copying *c = worker->user;
  for (int64_t i = first; i < end; i++) {
    size_t at = (size_t)i * PART;
    memcpy(c->to + at, c->from + at, c->bytes - at < PART ? c->bytes - at : PART);
  }
  return GV_OK;
}

void gv_copy(void *to, const void *from, size_t bytes, int threads) {
  copying c = {to, from, bytes};
  int64_t parts = (int64_t)((bytes + PART - 1) / PART);
  gv_loop loop = {.threads = parts > 3 ? threads : 1, .count = parts, .user = &c};
  gv_parallel_for(&loop, copy_parts);
}

/* ------------------------------------------------------------------------------------------------ tasks */

#ifdef _OPENMP
typedef struct task_argument {
  _Alignas(16) char bytes[GV_TASK_BYTES];
} task_argument;

void gv_tasks_run(int threads, gv_task *root, void *argument) {
  threads = acquire_threads(threads);
  if (threads > 1) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    root(argument);
  } else {
    root(argument);
  }
  release_threads(threads);
}

void gv_task_spawn(gv_task *task, const void *argument, size_t bytes) {
  task_argument copy;
  memcpy(copy.bytes, argument, bytes);
  if (atomic_load(&forked)) {
    task(copy.bytes);
    return;
  }
#pragma omp task firstprivate(task, copy)
  task(copy.bytes);
}

void gv_tasks_wait(void) {
  if (atomic_load(&forked)) return;
#pragma omp taskwait
}
#else
void gv_tasks_run(int threads, gv_task *root, void *argument) {
  (void)threads;
  root(argument);
}

void gv_task_spawn(gv_task *task, const void *argument, size_t bytes) {
  _Alignas(16) char copy[GV_TASK_BYTES];
  memcpy(copy, argument, bytes);
  task(copy);
}

void gv_tasks_wait(void) {}
#endif
