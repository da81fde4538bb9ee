/* Searches by several processes, which are threads here: each gets the results of one index of all points,
 * and errors reach all of them. */
#include "cmocka_test.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "gpuvoronoi/experimental.h"
#include "split_mix.h"

enum { MOST = 5, MOST_DIM = 17, MOST_POINTS = 600, MOST_QUERIES = 2000, MOST_K = 1024 };

/* ---------------------------------------------------------------------------------------------- processes */

typedef struct world {
  int ranks;
  pthread_barrier_t barrier;
  int value[MOST];
  const char *out[MOST];
  const int *bytes[MOST], *places[MOST];
  atomic_int wrong; /* what one sends and another expects differ */
  atomic_int lost;  /* number of calls after which processes cannot be reached; -1: never */
} world;

typedef struct process {
  world *w;
  int rank;
} process;

/* A barrier. */
static int meet(const process *p) {
  bool lost = false;
  pthread_barrier_wait(&p->w->barrier);
  lost = atomic_load(&p->w->lost) == 0;
  if (pthread_barrier_wait(&p->w->barrier) == PTHREAD_BARRIER_SERIAL_THREAD && atomic_load(&p->w->lost) > 0)
    atomic_fetch_sub(&p->w->lost, 1);
  return lost;
}

static int largest(void *user, int value, int *out) {
  process *p = user;
  p->w->value[p->rank] = value;
  if (meet(p)) return 1;
  for (int i = 0; i < p->w->ranks; i++)
    if (i == 0 || p->w->value[i] > *out) *out = p->w->value[i];
  pthread_barrier_wait(&p->w->barrier);
  return 0;
}

static int gather(void *user, const void *own, void *all, const int *bytes, const int *places) {
  process *p = user;
  p->w->out[p->rank] = own;
  p->w->bytes[p->rank] = bytes;
  if (meet(p)) return 1;
  for (int i = 0; i < p->w->ranks; i++) {
    if (p->w->bytes[i][i] != bytes[i]) atomic_fetch_add(&p->w->wrong, 1);
    memcpy((char *)all + places[i], p->w->out[i], (size_t)bytes[i]);
  }
  pthread_barrier_wait(&p->w->barrier);
  return 0;
}

static int trade(void *user, const void *out, const int *out_bytes, const int *out_places, void *in,
                 const int *in_bytes, const int *in_places) {
  process *p = user;
  p->w->out[p->rank] = out;
  p->w->bytes[p->rank] = out_bytes;
  p->w->places[p->rank] = out_places;
  if (meet(p)) return 1;
  for (int i = 0; i < p->w->ranks; i++) {
    if (p->w->bytes[i][p->rank] != in_bytes[i]) atomic_fetch_add(&p->w->wrong, 1);
    memcpy((char *)in + in_places[i], p->w->out[i] + p->w->places[i][p->rank], (size_t)in_bytes[i]);
  }
  pthread_barrier_wait(&p->w->barrier);
  return 0;
}

/* ----------------------------------------------------------------------------------------------- a search */

/* What each process has, one behind the other. */
typedef struct question {
  int ranks, dim;
  int64_t points[MOST], queries[MOST]; /* queries -1: its points */
  const double *point, *query;         /* longitude, latitude on the globe */
  gv_index_options build;
  bool globe, narrow, distances;
  gv_index_options globe_build;
  gv_search_options search[MOST];
  gv_context_options context[MOST];
} question;

typedef struct runner {
  const question *q;
  process p;
  gv_status status;
  char message[512];
  int64_t *indices;
  double *distances;
} runner;

static void split(const double *rows, int64_t count, double *x, double *y) {
  for (int64_t i = 0; i < count; i++) {
    x[i] = rows[2 * i];
    y[i] = rows[2 * i + 1];
  }
}

static gv_status search_globe(gv_context *context, runner *r, gv_communicator *all, const double *points,
                              int64_t count, const double *queries, int64_t asked, int64_t *indices,
                              double *distances) {
  const question *q = r->q;
  static double x[MOST][2][MOST_POINTS + MOST_QUERIES], y[MOST][2][MOST_POINTS + MOST_QUERIES];
  int rank = r->p.rank;
  split(points, count, x[rank][0], y[rank][0]);
  gv_points seeds = gv_points_xy(x[rank][0], y[rank][0], count),
            query = gv_points_xy(x[rank][1], y[rank][1], asked);
  if (queries != NULL) split(queries, asked, x[rank][1], y[rank][1]);
  gv_index *index = NULL;
  gv_status status = gv_index_build(context, &seeds, &q->globe_build, &index);
  assert_int_equal(status, GV_OK);
  const gv_search_options *o = &q->search[rank];
  const gv_points *given = queries != NULL ? &query : NULL;
  status = all != NULL ? gv_index_search_distributed(context, all, index, given, o, indices, distances)
                       : gv_index_search(context, index, given, o, indices, distances);
  gv_index_destroy(index);
  return status;
}

/* Without `all`: a single process. */
static gv_status search(gv_context *context, runner *r, gv_communicator *all, const double *points,
                        int64_t count, const double *queries, int64_t asked, int64_t *indices,
                        double *distances) {
  const question *q = r->q;
  if (q->globe) return search_globe(context, r, all, points, count, queries, asked, indices, distances);
  float *narrow = malloc((size_t)(asked > 0 ? asked * q->dim : 1) * sizeof *narrow);
  gv_points own = gv_points_rows(points, count, q->dim, GV_FLOAT64),
            query = gv_points_rows(queries, asked, q->dim, GV_FLOAT64);
  for (int64_t i = 0; q->narrow && queries != NULL && i < asked * q->dim; i++)
    narrow[i] = (float)queries[i];
  if (q->narrow) query = gv_points_rows(narrow, asked, q->dim, GV_FLOAT32);
  gv_index *index = NULL;
  gv_status status = gv_index_build(context, &own, &q->build, &index);
  assert_int_equal(status, GV_OK);
  const gv_search_options *o = &q->search[r->p.rank];
  const gv_points *given = queries != NULL ? &query : NULL;
  status = all != NULL ? gv_index_search_distributed(context, all, index, given, o, indices, distances)
                       : gv_index_search(context, index, given, o, indices, distances);
  gv_index_destroy(index);
  free(narrow);
  return status;
}

static int64_t asked_by(const question *q, int rank) {
  return q->queries[rank] < 0 ? q->points[rank] : q->queries[rank];
}

static void *run(void *user) {
  runner *r = user;
  const question *q = r->q;
  int rank = r->p.rank;
  const double *points = q->point, *queries = q->query;
  gv_communicator all = {sizeof all, rank, q->ranks, &r->p, largest, gather, trade};
  gv_context *context = NULL;
  for (int i = 0; i < rank; i++) {
    points += q->points[i] * q->dim;
    queries += asked_by(q, i) * q->dim;
  }
  size_t places = (size_t)(asked_by(q, rank) * q->search[rank].k);
  r->indices = malloc(places * sizeof *r->indices + 1);
  r->distances = q->distances ? malloc(places * sizeof *r->distances + 1) : NULL;
  gv_status made = gv_context_create(&q->context[rank], &context);
  assert_int_equal(made, GV_OK);
  r->status = search(context, r, &all, points, q->points[rank], q->queries[rank] < 0 ? NULL : queries,
                     asked_by(q, rank), r->indices, r->distances);
  strcpy(r->message, gv_context_message(context));
  gv_context_destroy(context);
  return NULL;
}

/* What all processes get. Frees nothing. */
static void run_all(const question *q, world *w, runner *runners) {
  pthread_t thread[MOST];
  w->ranks = q->ranks;
  pthread_barrier_init(&w->barrier, NULL, (unsigned)q->ranks);
  for (int i = 0; i < q->ranks; i++) {
    runners[i] = (runner){.q = q, .p = {w, i}};
    assert_int_equal(pthread_create(&thread[i], NULL, run, &runners[i]), 0);
  }
  for (int i = 0; i < q->ranks; i++)
    pthread_join(thread[i], NULL);
  pthread_barrier_destroy(&w->barrier);
  assert_int_equal(atomic_load(&w->wrong), 0);
}

static void free_all(const question *q, runner *runners) {
  for (int i = 0; i < q->ranks; i++) {
    free(runners[i].indices);
    free(runners[i].distances);
  }
}

/* All get the results of one index of all points. */
static void check(const question *q) {
  world w = {.lost = -1};
  runner runners[MOST], one = {.q = q, .p = {&w, 0}};
  int64_t points = 0, queries = 0, k = q->search[0].k;
  run_all(q, &w, runners);
  for (int i = 0; i < q->ranks; i++) {
    assert_int_equal(runners[i].status, GV_OK);
    points += q->points[i];
    queries += asked_by(q, i);
  }
  int64_t *indices = malloc((size_t)(queries * k) * sizeof *indices + 1);
  double *distances = malloc((size_t)(queries * k) * sizeof *distances + 1);
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(&q->context[0], &context), GV_OK);
  gv_status status = search(context, &one, NULL, q->point, points, q->query, queries, indices, distances);
  assert_int_equal(status, GV_OK);
  for (int64_t i = 0, at = 0; i < q->ranks; at += asked_by(q, (int)i++) * k) {
    size_t places = (size_t)(asked_by(q, (int)i) * k);
    assert_memory_equal(runners[i].indices, indices + at, places * sizeof *indices);
    if (q->distances) assert_memory_equal(runners[i].distances, distances + at, places * sizeof *distances);
  }
  gv_context_destroy(context);
  free(indices);
  free(distances);
  free_all(q, runners);
}

/* Few coordinates, so that many points are equally far, and the same twice. */
static double numbers[MOST * MOST_POINTS * MOST_DIM], asked[MOST * MOST_QUERIES * MOST_DIM];

static question make_question(int ranks, int dim) {
  question q = {.ranks = ranks, .dim = dim, .point = numbers, .query = asked, .distances = true};
  uint64_t seed = 7;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    numbers[i] = (double)(split_mix(&seed) % 9) - 4.0;
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
    asked[i] = (double)(split_mix(&seed) % 17) / 2.0 - 4.0;
  gv_index_options_init(&q.build);
  gv_index_options_init(&q.globe_build);
  q.globe_build.metric = GV_GEODESIC;
  for (int i = 0; i < ranks; i++) {
    q.points[i] = 1 + (i * 211 + 97) % 300;
    q.queries[i] = i == 1 ? 0 : 5 + i * 31;
    gv_search_options_init(&q.search[i]);
    q.search[i].k = 3;
    gv_context_options_init(&q.context[i]);
    q.context[i].threads = 1 + i % 2;
  }
  return q;
}

static void ask_points(question *q) {
  for (int i = 0; i < q->ranks; i++) {
    q->queries[i] = -1;
    q->search[i].exclude_self = 1;
  }
  q->query = q->point;
}

static void test_points(void **state) {
  (void)state;
  static const int dims[] = {1, 3, MOST_DIM};
  for (int ranks = 1; ranks <= MOST; ranks += ranks < 3 ? 1 : 2) {
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
      question q = make_question(ranks, dims[d]);
      q.build.metric = (gv_metric)d;
      check(&q);
      q.narrow = true;
      q.distances = false;
      for (int i = 0; i < ranks; i++) {
        q.search[i].k = 700; /* more than there are within the distance */
        q.search[i].max_distance = 3.0;
      }
      check(&q);
      q = make_question(ranks, dims[d]);
      ask_points(&q);
      check(&q);
    }
  }
}

static void test_globe(void **state) {
  (void)state;
  for (int ranks = 1; ranks <= 3; ranks++) {
    for (int i = 0; i < 2; i++) {
      question q = make_question(ranks, 2);
      q.globe = true;
      q.globe_build.metric = i == 0 ? GV_GREAT_CIRCLE : GV_GEODESIC;
      q.search[0].k = 3;
      check(&q);
      ask_points(&q);
      check(&q);
    }
  }
}

/* So many neighbors that a round has fewer queries than a process. */
static void test_rounds(void **state) {
  (void)state;
  question q = make_question(3, 2);
  for (int i = 0; i < 3; i++) {
    q.search[i].k = MOST_K;
    q.queries[i] = i == 1 ? 1500 : 10;
  }
  check(&q);
}

/* ------------------------------------------------------------------------------------------------- errors */

/* The others report the first failure. */
static void check_failure(const question *q, int lost, gv_status expected, int who, const char *says) {
  world w = {.lost = lost};
  runner runners[MOST];
  char other[64];
  snprintf(other, sizeof other, "process %d of %d failed: ", who, q->ranks);
  run_all(q, &w, runners);
  for (int i = 0; i < q->ranks; i++) {
    assert_int_equal(runners[i].status, expected);
    assert_non_null(strstr(runners[i].message, who < 0 || i == who ? says : other));
  }
  free_all(q, runners);
}

static int cancel_late(double fraction, void *user) {
  double *last = user;
  assert_true(fraction >= *last && fraction <= 1.0);
  *last = fraction;
  return fraction < 0.5;
}

static void test_errors(void **state) {
  (void)state;
  question q = make_question(3, 2);
  asked[2 * q.queries[0] + 5] = NAN; /* of the last: the second has no queries */
  check_failure(&q, -1, GV_ERROR_INVALID_ARGUMENT, 2, "query point 2 (from 0): a coordinate");
  q.globe = true;
  check_failure(&q, -1, GV_ERROR_INVALID_ARGUMENT, 2,
                "query 2 (from 0): coordinates out of range or not finite (longitude");
  q = make_question(3, 2);
  q.search[1].k = 2000;
  check_failure(&q, -1, GV_ERROR_INVALID_ARGUMENT, 1, "k: out of range [1, 1024] (2000)");
  q.search[1].k = 4;
  check_failure(&q, -1, GV_ERROR_INVALID_ARGUMENT, -1, "process 1: k, max_distance");
  q.search[1].k = 3;
  q.search[2].exclude_self = 1;
  check_failure(&q, -1, GV_ERROR_INVALID_ARGUMENT, 2, "self-exclusion: the queries must be");
  q.globe = true;
  check_failure(&q, -1, GV_ERROR_INVALID_ARGUMENT, 2, "self-exclusion: the queries must be");
  for (int calls = 0; calls < 8; calls++) { /* agreeing twice, meeting, a round's five, ... */
    q = make_question(2, 2);
    check_failure(&q, calls, GV_ERROR_IO, -1, "the communication failed");
  }
}

static void test_progress(void **state) {
  (void)state;
  question q = make_question(3, 2);
  double last = 0.0;
  for (int i = 0; i < 3; i++) {
    q.queries[i] = 2000;
    q.search[i].k = 1000;
  }
  q.distances = false;
  q.context[1].progress = cancel_late;
  q.context[1].progress_user = &last;
  check_failure(&q, -1, GV_ERROR_CANCELLED, 1, "cancelled");
  assert_true(last >= 0.5);
}

/* Whatever memory one process lacks, all end alike, and nothing is left. */
static void test_memory(void **state) {
  (void)state;
  question q = make_question(3, 2);
  failing_memory memory = {0};
  long failures = 0, own = 0;
  for (int i = 0; i < 3; i++) {
    q.points[i] = 300;
    q.build.backend = "serial";
  }
  for (long fail_at = -1;; fail_at++) {
    world w = {.lost = -1};
    runner runners[MOST];
    failing_memory_begin(&memory, fail_at < 0 ? -1 : own + fail_at);
    q.context[1] = failing_options(&memory, 1);
    if (fail_at < 0) { /* memory of the context and the index before */
      gv_context *context = NULL;
      gv_index *index = NULL;
      const gv_points points = gv_points_rows(numbers, 300, 2, GV_FLOAT64);
      assert_int_equal(gv_context_create(&q.context[1], &context), GV_OK);
      assert_int_equal(gv_index_build(context, &points, &q.build, &index), GV_OK);
      own = atomic_load(&memory.calls);
      gv_index_destroy(index);
      gv_context_destroy(context);
      continue;
    }
    run_all(&q, &w, runners);
    assert_int_equal(atomic_load(&memory.live), 0);
    bool failed = atomic_load(&memory.calls) > own + fail_at;
    for (int i = 0; i < 3; i++) {
      assert_int_equal(runners[i].status, failed ? GV_ERROR_OUT_OF_MEMORY : GV_OK);
      if (failed && i != 1)
        assert_non_null(strstr(runners[i].message, "process 1 of 3 failed: out of memory"));
    }
    free_all(&q, runners);
    failures += failed;
    if (!failed) break;
    assert_true(fail_at < 100);
  }
  assert_true(failures >= 12);
}

static void test_nonsense(void **state) {
  (void)state;
  gv_context *context = NULL;
  gv_communicator all = {sizeof all, 0, 1, NULL, NULL, NULL, NULL};
  const gv_points points = gv_points_rows(numbers, 3, 1, GV_FLOAT64);
  gv_index *index = NULL;
  int64_t found[3];
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(gv_index_build(context, &points, NULL, &index), GV_OK);
  assert_int_equal(gv_index_search_distributed(context, &all, index, NULL, NULL, found, NULL), GV_OK);
  assert_int_equal(gv_index_search_distributed(NULL, &all, index, NULL, NULL, found, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_search_distributed(context, NULL, index, NULL, NULL, found, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_search_distributed(context, &all, NULL, NULL, NULL, found, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_search_distributed(context, &all, index, NULL, NULL, NULL, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_search_distributed(context, &all, NULL, NULL, NULL, found, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  all.rank = 1;
  assert_int_equal(gv_index_search_distributed(context, &all, index, NULL, NULL, found, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  all.ranks = 2; /* without callbacks */
  assert_int_equal(gv_index_search_distributed(context, &all, index, NULL, NULL, found, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  gv_index_destroy(index);
  gv_context_destroy(context);
}

/* Each cause has a message of its own. */
static void wrong_joins(void **state) {
  (void)state;
  static const struct {
    int32_t k;
    int64_t queries;
    int32_t parts;
    const char *message;
  } wrong[] = {{0, 1, 1, "k: out of range [1, 1024] (0)"},
               {1025, 1, 1, "k: out of range [1, 1024] (1025)"},
               {1, -1, 1, "number of queries: out of range (-1)"},
               {1, 1, 0, "number of parts: out of range (0)"}};
  const int64_t one[1] = {0}, *const indices[1] = {one};
  const double values[1] = {0}, *const exact[1] = {values};
  int64_t number;
  double value;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    gv_status status = gv_neighbors_join(context, indices, exact, wrong[i].parts, wrong[i].queries,
                                         wrong[i].k, &number, &value);
    assert_int_equal(status, GV_ERROR_INVALID_ARGUMENT);
    assert_string_equal(gv_context_message(context), wrong[i].message);
  }
  assert_int_equal(gv_neighbors_join(context, NULL, exact, 1, 1, 1, &number, &value),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(gv_context_message(context), "NULL"));
  assert_int_equal(gv_neighbors_join(context, indices, exact, 1, 1, 1, &number, &value), GV_OK);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_points),   cmocka_unit_test(test_globe),
                                     cmocka_unit_test(test_rounds),   cmocka_unit_test(test_errors),
                                     cmocka_unit_test(test_progress), cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_nonsense), cmocka_unit_test(wrong_joins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
