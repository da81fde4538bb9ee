/* Runs of public functions in which one allocation or the creation of one thread fails. */
#ifndef GV_TEST_FAULTS_RUNS_H
#define GV_TEST_FAULTS_RUNS_H

#include "cmocka_test.h"
#include "gpuvoronoi/gpuvoronoi.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "failing_memory.h"

enum { W = 24, H = 18, K = 3, POINTS = 2000 };

static failing_memory memory;
static atomic_long threads, thread_refused = -1; /* created since a run began; the one that fails, -1: none */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *user);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *user) {
  return atomic_fetch_add(&threads, 1) == atomic_load(&thread_refused)
             ? EAGAIN
             : __real_pthread_create(thread, how, start, user);
}

/* A run, its context, and what it has answered. */
typedef struct run {
  gv_context *context;
  int refused; /* calls that ran out of memory */
  int32_t cell[3 * K * W * H];
  double real[3 * K * W * H];
  int64_t index[2 * K * POINTS];
  size_t cells, reals, indices;
} run;

/* True if the call must be repeated; a second failure has another reason. */
static bool again(run *r, gv_status status, bool second) {
  if (status == GV_OK) return false;
  if (status != GV_ERROR_OUT_OF_MEMORY || second) {
    fail_msg("%s: %s", gv_status_message(status), gv_context_message(r->context));
  }
  assert_non_null(strstr(gv_context_message(r->context), "memory"));
  r->refused++;
  return true;
}

#define ASK(r, call)                                                                                         \
  do {                                                                                                       \
    if (again(r, call, false)) (void)again(r, call, true);                                                   \
  } while (0)

typedef void questions(run *r, const void *what);

/* With the nth allocation and the nth thread failing, from 0; -1: none. */
static void faults_run(questions *ask, const void *what, long allocation, long thread, run *r) {
  memset(r, 0, sizeof *r);
  failing_memory_begin(&memory, allocation);
  gv_context_options options = failing_options(&memory, 3);
  gv_status status = gv_context_create(&options, &r->context);
  if (status == GV_ERROR_OUT_OF_MEMORY) {
    r->refused++;
    status = gv_context_create(&options, &r->context);
  }
  assert_int_equal(status, GV_OK);
  atomic_store(&threads, 0);
  atomic_store(&thread_refused, thread);
  ask(r, what);
  atomic_store(&thread_refused, -1);
  gv_context_destroy(r->context);
  r->context = NULL;
  assert_int_equal(atomic_load(&memory.live), 0);
}

static bool same(const run *a, const run *b) {
  return a->cells == b->cells && a->reals == b->reals && a->indices == b->indices &&
         memcmp(a->cell, b->cell, sizeof a->cell) == 0 && memcmp(a->real, b->real, sizeof a->real) == 0 &&
         memcmp(a->index, b->index, sizeof a->index) == 0;
}

static run right, now;
static long tried, refused_threads;

static void fail_allocations(const char *name, questions *ask, const void *what) {
  faults_run(ask, what, -1, -1, &right);
  bool refused = false;
  long calls = 1;
  for (long at = 0; at < calls; at++, tried++) {
    faults_run(ask, what, at, -1, &now);
    if (atomic_load(&memory.calls) > calls) calls = atomic_load(&memory.calls);
    refused = refused || now.refused > 0;
    if (now.refused > 1 || !same(&now, &right)) fail_msg("%s: allocation %ld", name, at);
  }
  assert_true(refused && calls > 1);
  print_message("%s: %ld allocations\n", name, calls);
}

typedef struct asked {
  questions *ask;
  const void *what;
  long thread;
} asked;

static void *with_a_thread_refused(void *user) {
  const asked *a = user;
  faults_run(a->ask, a->what, -1, a->thread, &now);
  return NULL;
}

/* In a thread of its own, for which OpenMP has no threads to begin with: the library's probe is refused
 * one. */
static void refuse_threads(const char *name, questions *ask, const void *what) {
  enum { OTHERS = 2 };
  faults_run(ask, what, -1, -1, &right);
  assert_true(right.cells + right.reals + right.indices > 0);
  for (long at = 0; at < OTHERS; at++, tried++) {
    asked a = {ask, what, at};
    pthread_t thread;
    assert_int_equal(__real_pthread_create(&thread, NULL, with_a_thread_refused, &a), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (now.refused > 0 || !same(&now, &right)) fail_msg("%s: thread %ld", name, at);
    if (atomic_load(&threads) > at) refused_threads++;
  }
}

#endif
