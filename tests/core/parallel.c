/* Loops over stretches and tasks: everything is done once, by numbers and in parts that are promised; errors
 * and cancelling. */
#include "cmocka_test.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/machine.h"
#include "core/parallel.h"

enum { MOST = 5000, THREADS = 7 };

typedef struct record {
  atomic_int seen[MOST];
  atomic_int busy[THREADS]; /* workers of a number at work */
  atomic_int bad, highest;  /* number of a worker */
  int64_t longest, calls;   /* of stretches; under the lock */
  int64_t fail_at;
  gv_progress *progress;
} record;

static gv_status visit(gv_worker *worker, int64_t first, int64_t end) {
  record *r = worker->user;
  bool good = first < end && worker->number >= 0 && worker->number < THREADS;
  if (!good || atomic_fetch_add(&r->busy[worker->number], 1) != 0) {
    atomic_fetch_add(&r->bad, 1);
    return GV_OK;
  }
  gv_worker_lock(worker);
  r->longest = end - first > r->longest ? end - first : r->longest;
  r->calls++;
  gv_worker_unlock(worker);
  gv_status status = GV_OK;
  for (int64_t i = first; i < end; i++) {
    atomic_fetch_add(&r->seen[i], 1);
    if (i == r->fail_at) status = gv_fail(&worker->context, GV_ERROR_IO, "item %d", (int)i);
  }
  if (r->progress != NULL) gv_progress_add(r->progress, end - first);
  atomic_fetch_sub(&r->busy[worker->number], 1);
  return status;
}

static record *new_record(void) {
  record *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->fail_at = -1;
  return r;
}

static void every_item_once(void **state) {
  (void)state;
  static const int64_t counts[] = {0, 1, 2, 6, 7, 8, 63, 64, 65, 1000, MOST},
                       grains[] = {0, 1, 3, 64, MOST + 1};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    for (size_t g = 0; g < sizeof grains / sizeof *grains; g++) {
      for (int threads = 0; threads <= THREADS; threads += threads < 3 ? 1 : 4) {
        record *r = new_record();
        gv_loop loop = {.threads = threads, .count = counts[c], .grain = grains[g], .user = r};
        assert_int_equal(gv_parallel_for(&loop, visit), GV_OK);
        assert_int_equal(atomic_load(&r->bad), 0);
        for (int64_t i = 0; i < MOST; i++)
          assert_int_equal(atomic_load(&r->seen[i]), i < counts[c]);
        int64_t shares = threads > 1 ? threads : 1;
        int64_t most = grains[g] > 0 ? grains[g] : (counts[c] + shares - 1) / shares;
        assert_true(r->longest <= most);
        free(r);
      }
    }
  }
}

static gv_status linger(gv_worker *worker, int64_t first, int64_t end) {
  record *r = worker->user;
  const struct timespec pause = {0, 5000000};
  int highest = atomic_load(&r->highest);
  while (worker->number > highest && !atomic_compare_exchange_weak(&r->highest, &highest, worker->number))
    continue;
  int others = atomic_fetch_add(&r->busy[worker->number], 1);
  nanosleep(&pause, NULL);
  atomic_fetch_sub(&r->busy[worker->number], 1);
  atomic_fetch_add(&r->bad, others + (first + 1 != end));
  return GV_OK;
}

static void workers_at_work_have_numbers_of_their_own(void **state) {
  (void)state;
  record *r = new_record();
  gv_loop loop = {.threads = THREADS, .count = 4 * THREADS, .grain = 1, .user = r};
  assert_int_equal(gv_parallel_for(&loop, linger), GV_OK);
  assert_int_equal(atomic_load(&r->bad), 0);
  free(r);
}

static void errors_end_a_loop(void **state) {
  (void)state;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int threads = 1; threads <= THREADS; threads += 3) {
    record *r = new_record();
    r->fail_at = 20;
    gv_loop loop = {.context = context, .threads = threads, .count = MOST, .grain = 1, .user = r};
    assert_int_equal(gv_parallel_for(&loop, visit), GV_ERROR_IO);
    assert_string_equal(gv_context_message(context), "item 20");
    if (threads == 1) assert_int_equal(r->calls, 21);
    loop.context = NULL; /* no context receives messages */
    assert_int_equal(gv_parallel_for(&loop, visit), GV_ERROR_IO);
    free(r);
  }
  gv_context_destroy(context);
}

static int at_a_tenth(double fraction, void *user) {
  (void)user;
  return fraction < 0.1;
}

static void cancelling_ends_a_loop(void **state) {
  (void)state;
  gv_context *context = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  options.progress = at_a_tenth;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  for (int threads = 1; threads <= THREADS; threads += 3) {
    record *r = new_record();
    gv_progress progress;
    gv_progress_init(&progress, context, MOST);
    r->progress = &progress;
    gv_loop loop = {context, threads, MOST, 1, &progress, r};
    assert_int_equal(gv_parallel_for(&loop, visit), GV_ERROR_CANCELLED);
    assert_string_equal(gv_context_message(context), "cancelled");
    if (threads == 1) assert_in_range(r->calls, MOST / 11, MOST / 8);
    free(r);
  }
  gv_context_destroy(context);
}

/* -------------------------------------------------------------------------------------------------- tasks */

typedef struct part {
  int64_t first, count;
  int64_t *sum; /* of the numbers of a part, in the end */
} part;

static void add(void *argument) {
  const part *p = argument;
  int64_t lower = 0, upper = 0, half = p->count / 2;
  if (p->count == 1) {
    *p->sum = p->first;
    return;
  }
  part below = {p->first, half, &lower}, above = {p->first + half, p->count - half, &upper};
  if (half > 8) {
    gv_task_spawn(add, &below, sizeof below);
    memset(&below, 0, sizeof below); /* tasks have a copy */
  } else {
    add(&below);
  }
  add(&above);
  gv_tasks_wait();
  *p->sum = lower + upper;
}

static void tasks_are_waited_for(void **state) {
  (void)state;
  for (int threads = 1; threads <= THREADS; threads += 2) {
    for (int64_t n = 1; n < 100000; n = 3 * n + 1) {
      int64_t sum = -1;
      part all = {0, n, &sum};
      gv_tasks_run(threads, add, &all);
      assert_int_equal(sum, n * (n - 1) / 2);
    }
  }
}

/* ------------------------------------------------------------------------------------ the system's limits */

static atomic_int most_threads = INT_MAX, made_threads;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *user);

/* The linker has this called. */
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *user) {
  if (atomic_fetch_add(&made_threads, 1) >= atomic_load(&most_threads)) return EAGAIN;
  return __real_pthread_create(thread, how, start, user);
}

/* All loops and tasks once more. */
static int everything_works(void) {
  workers_at_work_have_numbers_of_their_own(NULL);
  every_item_once(NULL);
  tasks_are_waited_for(NULL);
  return 0;
}

/* The result of a function in a forked process; one that hangs is killed. */
static int in_a_child(int (*function)(void)) {
  int how = 0;
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(function());
  }
  assert_int_equal(waitpid(child, &how, 0), child);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + WTERMSIG(how);
}

/* How many threads a loop has. */
static int threads_of_a_loop(void) {
  record *r = new_record();
  gv_loop loop = {.threads = THREADS, .count = 4 * THREADS, .grain = 1, .user = r};
  assert_int_equal(gv_parallel_for(&loop, linger), GV_OK);
  int threads = atomic_load(&r->highest) + 1;
  free(r);
  return threads;
}

static int one_thread_works(void) {
  int before = atomic_load(&made_threads);
  everything_works();
  return threads_of_a_loop() != 1 || atomic_load(&made_threads) != before;
}

static void a_forked_child_computes_on_one_thread(void **state) {
  (void)state;
  everything_works();
  assert_int_equal(in_a_child(one_thread_works), 0);
  assert_int_equal(threads_of_a_loop(), THREADS);
}

static atomic_bool enough;

static void *go_on(void *unused) {
  while (!atomic_load(&enough)) {
    record *r = new_record();
    gv_loop loop = {.threads = THREADS, .count = 64, .grain = 1, .user = r};
    (void)gv_parallel_for(&loop, visit);
    free(r);
  }
  return unused;
}

static int one_loop(void) {
  record *r = new_record();
  gv_loop loop = {.threads = THREADS, .count = 64, .grain = 1, .user = r};
  return gv_parallel_for(&loop, visit) != GV_OK;
}

static void forking_while_others_are_at_work(void **state) {
  (void)state;
  enum { CALLERS = 3, CHILDREN = 200 };
  pthread_t thread[CALLERS];
#if defined(__SANITIZE_ADDRESS__)
  skip(); /* gcc 12's address sanitizer leaves a child the locks that its other threads held */
#endif
  for (int i = 0; i < CALLERS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, go_on, NULL), 0);
  for (int i = 0; i < CHILDREN; i++)
    assert_int_equal(in_a_child(one_loop), 0);
  atomic_store(&enough, true);
  for (int i = 0; i < CALLERS; i++)
    pthread_join(thread[i], NULL);
}

/* In a thread without a pool. When threads are probed, the system creates four, none, and all. */
static void *with_fewer_threads(void *unused) {
#ifdef _OPENMP
  /* half of the four, and the first */
  int processors = gv_cpu_count(), some = processors < 3 ? processors : 3;
  int later = some;
#else
  int some = 5, later = 1; /* every loop creates its threads */
#endif
  atomic_store(&most_threads, atomic_load(&made_threads) + 4);
  assert_int_equal(threads_of_a_loop(), some);
  atomic_store(&most_threads, atomic_load(&made_threads));
  assert_int_equal(threads_of_a_loop(), later);
  everything_works();
  atomic_store(&most_threads, INT_MAX);
  assert_int_equal(threads_of_a_loop(), THREADS);
  return unused;
}

static void *with_no_threads(void *unused) {
  atomic_store(&most_threads, atomic_load(&made_threads));
  assert_int_equal(gv_threads_available(THREADS), 1);
  assert_int_equal(threads_of_a_loop(), 1);
  everything_works();
  atomic_store(&most_threads, INT_MAX);
  assert_int_equal(gv_threads_available(THREADS), THREADS);
  return unused;
}

static void fewer_threads_than_asked_for(void **state) {
  (void)state;
  void *(*const each[])(void *) = {with_fewer_threads, with_no_threads};
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, each[i], NULL), 0);
    pthread_join(thread, NULL);
  }
}

/* A second loop creates none, however few items it has. */
static void threads_are_used_again(void **state) {
  (void)state;
#ifndef _OPENMP
  skip(); /* every loop creates its threads */
#endif
  assert_int_equal(threads_of_a_loop(), THREADS);
  int before = atomic_load(&made_threads);
  for (int64_t count = 1; count < 3 * THREADS; count++) {
    record *r = new_record();
    gv_loop loop = {.threads = THREADS, .count = count, .grain = 1, .user = r};
    assert_int_equal(gv_parallel_for(&loop, visit), GV_OK);
    free(r);
  }
  assert_int_equal(threads_of_a_loop(), THREADS);
  assert_int_equal(atomic_load(&made_threads), before);
}

static atomic_bool at_work, may_end;

static gv_status wait_for_the_other(gv_worker *worker, int64_t first, int64_t end) {
  (void)worker, (void)first, (void)end;
  const struct timespec pause = {0, 1000000};
  atomic_store(&at_work, true);
  while (!atomic_load(&may_end))
    nanosleep(&pause, NULL);
  return GV_OK;
}

static void *hold_threads(void *status) {
  gv_loop loop = {.threads = THREADS, .count = THREADS, .grain = 1};
  *(gv_status *)status = gv_parallel_for(&loop, wait_for_the_other);
  return NULL;
}

/* A second caller gets the processors that are free, at least one thread. */
static void callers_share_the_processors(void **state) {
  (void)state;
  const struct timespec pause = {0, 1000000};
  int processors = gv_cpu_count(), most = processors > THREADS ? processors : THREADS, left = most - THREADS;
  gv_status status = GV_ERROR_IO;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, hold_threads, &status), 0);
  while (!atomic_load(&at_work))
    nanosleep(&pause, NULL);
  assert_int_equal(threads_of_a_loop(), left < 1 ? 1 : left > THREADS ? THREADS : left);
  atomic_store(&may_end, true);
  pthread_join(thread, NULL);
  assert_int_equal(status, GV_OK);
  assert_int_equal(threads_of_a_loop(), THREADS);
}

static void *call_everything(void *failed) {
#ifdef __clang__ /* libomp 14 crashes where tasks of several calling threads end at the same time */
  workers_at_work_have_numbers_of_their_own(NULL);
  every_item_once(NULL);
  *(int *)failed = 0;
#else
  *(int *)failed = everything_works();
#endif
  return NULL;
}

static void many_callers_at_once(void **state) {
  (void)state;
  enum { CALLERS = 5 };
  pthread_t thread[CALLERS];
  int failed[CALLERS];
  for (int i = 0; i < CALLERS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, call_everything, &failed[i]), 0);
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(failed[i], 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_item_once),
      cmocka_unit_test(workers_at_work_have_numbers_of_their_own),
      cmocka_unit_test(errors_end_a_loop),
      cmocka_unit_test(cancelling_ends_a_loop),
      cmocka_unit_test(tasks_are_waited_for),
      cmocka_unit_test(a_forked_child_computes_on_one_thread),
      cmocka_unit_test(forking_while_others_are_at_work),
      cmocka_unit_test(fewer_threads_than_asked_for),
      cmocka_unit_test(threads_are_used_again),
      cmocka_unit_test(callers_share_the_processors),
      cmocka_unit_test(many_callers_at_once),
  };
  return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
