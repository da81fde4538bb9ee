/*
 * Indexes over points that are read while they are built: the bytes of `serial` over the same array, for all
 * backends, types, sets and sizes; in few reads and many, by one thread and several; a failing read and a
 * value that is not finite are reported by the first point; nothing leaks then.
 */
#include "backends_here.h"
#include "cmocka_test.h"

#include <float.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_memory.h"
#include "gpuvoronoi/experimental.h"
#include "point_sets.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

enum { K = 7 };

/* A set in memory, read from there. */
typedef struct memory_source {
  gv_points points;
  int64_t fails_at[2]; /* points that cannot be read; -1: none */
  atomic_llong rows, calls;
  atomic_int outside; /* reads outside the set */
  int64_t meet[2]; /* a read with the first of these points waits for one with the second to begin, which then
                      takes longer; -1: none */
  atomic_bool begun;
} memory_source;

static size_t row_bytes(const gv_points *p) {
  return (size_t)p->dim * (p->dtype == GV_FLOAT32 ? sizeof(float) : sizeof(double));
}

static gv_status read_points(void *user, int64_t first, int64_t count, void *out) {
  memory_source *m = user;
  atomic_fetch_add(&m->calls, 1);
  atomic_fetch_add(&m->rows, count);
  if (first < 0 || count < 1 || count > m->points.count - first) {
    atomic_fetch_add(&m->outside, 1);
    return GV_ERROR_INVALID_ARGUMENT;
  }
  if (m->meet[0] >= first && m->meet[0] < first + count) {
    for (int i = 0; i < 2000 && !atomic_load(&m->begun); i++)
      usleep(1000);
  }
  if (m->meet[1] >= first && m->meet[1] < first + count) {
    atomic_store(&m->begun, true);
    usleep(50000);
  }
  for (int i = 0; i < 2; i++)
    if (m->fails_at[i] >= first && m->fails_at[i] < first + count)
      return i == 0 ? GV_ERROR_IO : GV_ERROR_CANCELLED;
  memcpy(out, (const char *)m->points.data + (size_t)first * row_bytes(&m->points),
         (size_t)count * row_bytes(&m->points));
  return GV_OK;
}

static gv_status build_from(gv_context *context, memory_source *m, const char *backend, gv_metric metric,
                            gv_index **out) {
  const gv_point_source source = {sizeof(gv_point_source), m->points.count, m->points.dim,
                                  m->points.dtype,         read_points,     m};
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.metric = metric;
  gv_status status = gv_index_build_from(context, &source, &options, out);
  assert_int_equal(atomic_load(&m->outside), 0);
  return status;
}

static memory_source source_of(const gv_points *points) {
  return (memory_source){.points = *points, .fails_at = {-1, -1}, .meet = {-1, -1}};
}

static gv_points make_points(int64_t count, int32_t dim, gv_dtype dtype, shape s) {
  double *values = malloc((size_t)(count * dim) * sizeof *values);
  assert_non_null(values);
  fill(values, count, dim, s, 5.0);
  if (dtype == GV_FLOAT64) return gv_points_rows(values, count, dim, dtype);
  float *narrow = malloc((size_t)(count * dim) * sizeof *narrow);
  assert_non_null(narrow);
  for (int64_t i = 0; i < count * dim; i++)
    narrow[i] = (float)fmax(fmin(values[i], FLT_MAX), -FLT_MAX);
  free(values);
  return gv_points_rows(narrow, count, dim, dtype);
}

/* ------------------------------------------------------------------------------------------------ answers */

typedef struct answers {
  int64_t *indices;
  double *values;
  int64_t places;
} answers;

static answers make_results(int64_t places) {
  answers a = {calloc((size_t)places, sizeof *a.indices), calloc((size_t)places, sizeof *a.values), places};
  assert_true(a.indices != NULL && a.values != NULL);
  return a;
}

static void free_results(answers a) {
  free(a.indices);
  free(a.values);
}

/* Of queries, of the first points without themselves, and of the last points as a part of all. */
static void ask(gv_context *context, const gv_index *index, const gv_points *queries, answers *a) {
  int64_t count = gv_index_count(index), own = count < 50 ? count : 50, at = 0;
  gv_search_options o;
  gv_search_options_init(&o);
  gv_points few = gv_points_rows(NULL, own, queries->dim, GV_FLOAT64);
  o.k = K;
  gv_status status = gv_index_search(context, index, queries, &o, a->indices, a->values);
  at += queries->count * K;
  o.exclude_self = 1;
  if (status == GV_OK)
    status = gv_index_search_part(context, index, &few, &o, 1000, 1000, a->indices + at, a->values + at);
  at += own * K;
  o.exclude_self = 0;
  if (status == GV_OK)
    status = gv_index_search_part(context, index, &few, &o, count - own, 0, a->indices + at, a->values + at);
  at += own * K;
  if (status == GV_OK && count <= 300) {
    o.exclude_self = 1;
    status = gv_index_search(context, index, NULL, &o, a->indices + at, a->values + at);
    at += count * K;
  }
  if (status != GV_OK) fail_msg("%s: %s", gv_index_backend(index), gv_context_message(context));
  assert_true(at <= a->places);
}

static void check(gv_context *context, const gv_points *points, const gv_points *queries, gv_metric metric,
                  const char *what) {
  int64_t places = (queries->count + 100 + 300) * K;
  answers expected = make_results(places);
  gv_index_options options;
  gv_index_options_init(&options);
  gv_index *index = NULL;
  options.backend = "serial";
  options.metric = metric;
  assert_int_equal(gv_index_build(context, points, &options, &index), GV_OK);
  ask(context, index, queries, &expected);
  gv_index_destroy(index);
  for (int i = 0; i <= GV_BACKENDS; i++) {
    const gv_backend *b = i < GV_BACKENDS ? &gv_backends[i] : NULL;
    if (b != NULL && (!searches_here(b) || points->dim > b->max_dim)) continue;
    if (b != NULL && b->refuses != NULL && b->refuses(metric) != NULL) continue;
    const char *name = b != NULL ? b->name : "auto";
    memory_source m = source_of(points);
    answers got = make_results(places);
    index = NULL;
    if (build_from(context, &m, name, metric, &index) != GV_OK)
      fail_msg("%s: %s", name, gv_context_message(context));
    if (atomic_load(&m.rows) != points->count) fail_msg("%s: %lld rows read", name, (long long)m.rows);
    memset(&m.points, 0, sizeof m.points); /* is not read any more */
    ask(context, index, queries, &got);
    if (memcmp(got.indices, expected.indices, (size_t)places * sizeof *got.indices) != 0 ||
        memcmp(got.values, expected.values, (size_t)places * sizeof *got.values) != 0) {
      fail_msg("%s: other answers than serial's: %s", name, what);
    }
    gv_index_destroy(index);
    free_results(got);
  }
  free_results(expected);
}

/* One thread, three. */
typedef struct fixture {
  gv_context *context[2];
} fixture;

static void every_backend_gives_the_bytes_of_an_array(void **state) {
  const fixture *f = *state;
  static const struct {
    int64_t count;
    int32_t dim;
  } sizes[] = {{1, 1}, {3, 2}, {290, 3}, {2500, 3}, {130, 16}, {700, 33}, {40, 4096}};
  static const shape shapes[] = {UNIFORM, LATTICE, DUPLICATES, OUTLIER, EXTREME, ROUND_ZERO, SCALES, TINY};
  int turn = 0;
  for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      for (int type = 0; type < 2; type++, turn++) {
        gv_dtype dtype = type == 0 ? GV_FLOAT32 : GV_FLOAT64;
        random_state = (uint64_t)turn;
        gv_points points = make_points(sizes[z].count, sizes[z].dim, dtype, shapes[s]),
                  queries = make_points(20, sizes[z].dim, turn % 3 == 0 ? GV_FLOAT64 : GV_FLOAT32, shapes[s]);
        check(f->context[turn % 2], &points, &queries, (gv_metric)(turn % 3), shape_names[shapes[s]]);
        free((void *)points.data);
        free((void *)queries.data);
      }
    }
  }
}

/* More than one of the pieces that go to a device, and many reads of each. */
static void large_sets_are_read_in_pieces(void **state) {
  const fixture *f = *state;
  enum { DIM = 67, COUNT = 150000 };
  for (int type = 0; type < 2; type++) {
    random_state = 11;
    gv_points points = make_points(type == 0 ? COUNT : COUNT / 2, DIM, type == 0 ? GV_FLOAT32 : GV_FLOAT64,
                                   UNIFORM),
              queries = make_points(2, DIM, GV_FLOAT32, UNIFORM);
    memory_source m = source_of(&points);
    gv_index *index = NULL;
    assert_int_equal(build_from(f->context[1], &m, "openmp", GV_EUCLIDEAN, &index), GV_OK);
    assert_true(atomic_load(&m.calls) > 10);
    gv_index_destroy(index);
    gv_index_options options;
    gv_index_options_init(&options);
    options.backend = "serial";
    gv_search_options o;
    gv_search_options_init(&o);
    int64_t expected[2 * K], got[2 * K];
    o.k = K;
    assert_int_equal(gv_index_build(f->context[1], &points, &options, &index), GV_OK);
    assert_int_equal(gv_index_search(f->context[1], index, &queries, &o, expected, NULL), GV_OK);
    gv_index_destroy(index);
    for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
      if (!searches_here(b) || b->max_dim < DIM || b->exhaustive) continue;
      m = source_of(&points);
      if (build_from(f->context[1], &m, b->name, GV_EUCLIDEAN, &index) != GV_OK)
        fail_msg("%s: %s", b->name, gv_context_message(f->context[1]));
      assert_int_equal(gv_index_search(f->context[1], index, &queries, &o, got, NULL), GV_OK);
      if (memcmp(got, expected, sizeof got) != 0) fail_msg("%s: other answers", b->name);
      gv_index_destroy(index);
    }
    free((void *)points.data);
    free((void *)queries.data);
  }
}

/* ----------------------------------------------------------------------------------------------- failures */

static void expect(gv_context *context, memory_source *m, const char *backend, gv_status expected,
                   const char *text) {
  gv_index *index = (gv_index *)(intptr_t)1;
  gv_status status = build_from(context, m, backend, GV_EUCLIDEAN, &index);
  if (status != expected || strstr(gv_context_message(context), text) == NULL)
    fail_msg("%s: %s: '%s' is not in '%s'", backend, gv_status_message(status), text,
             gv_context_message(context));
  assert_ptr_equal(index, (void *)(intptr_t)1);
}

static void the_first_failure_is_told_of(void **state) {
  (void)state;
  enum { COUNT = 60000, DIM = 40 };
  random_state = 3;
  for (int type = 0; type < 2; type++) {
    gv_points points = make_points(COUNT, DIM, type == 0 ? GV_FLOAT32 : GV_FLOAT64, UNIFORM);
    static const int64_t bad[] = {59999, 41003, 20017}; /* from the last on */
    failing_memory memory;
    failing_memory_begin(&memory, -1);
    memory.for_good = false;
    for (int i = 0; i < 4; i++) {
      for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
        if (!searches_here(b) || b->max_dim < DIM) continue;
        gv_context_options options = failing_options(&memory, 3);
        gv_context *context = NULL;
        memory_source m = source_of(&points);
        char text[64];
        assert_int_equal(gv_context_create(&options, &context), GV_OK);
        snprintf(text, sizeof text, "point %d (from 0)", i > 0 ? (int)bad[i - 1] : 0);
        if (i > 0) expect(context, &m, b->name, GV_ERROR_INVALID_ARGUMENT, text);
        /* A failing read is before that, or the only failure. */
        m.fails_at[0] = 9;
        m.fails_at[1] = COUNT - 1;
        expect(context, &m, b->name, GV_ERROR_IO, "cannot read from number");
        m.fails_at[0] = COUNT - 1;
        m.fails_at[1] = 9;
        expect(context, &m, b->name, GV_ERROR_CANCELLED, "cannot read from number");
        gv_context_destroy(context);
        assert_int_equal(atomic_load(&memory.live), 0);
      }
      if (i == 3) break;
      double nothing = i % 2 == 0 ? NAN : -INFINITY;
      int64_t at = bad[i] * DIM + 13 * i;
      if (type == 0) ((float *)points.data)[at] = (float)nothing;
      if (type == 1) ((double *)points.data)[at] = nothing;
    }
    free((void *)points.data);
  }
}

/* Of two reads at the same time, of which the one that is further on is done later. */
static void the_first_of_two_at_once_is_told_of(void **state) {
  gv_context *context = ((const fixture *)*state)->context[1];
  enum { COUNT = 30000, DIM = 40, FIRST = 17, SECOND = 5000 };
  random_state = 4;
  gv_points points = make_points(COUNT, DIM, GV_FLOAT32, UNIFORM);
  static const char *const backends[] = {"serial", "kdtree"};
  for (int i = 0; i < 4; i++) {
    memory_source m = source_of(&points);
    m.meet[0] = FIRST;
    m.meet[1] = SECOND;
    if (i < 2) {
      m.fails_at[0] = FIRST;
      m.fails_at[1] = SECOND;
      expect(context, &m, backends[i], GV_ERROR_IO, "cannot read from number 0 (from 0)");
    } else {
      ((float *)points.data)[FIRST * DIM] = ((float *)points.data)[SECOND * DIM] = NAN;
      expect(context, &m, backends[i % 2], GV_ERROR_INVALID_ARGUMENT, "point 17 ");
    }
    assert_true(atomic_load(&m.begun));
  }
  free((void *)points.data);
}

static void what_is_asked_wrongly_is_said(void **state) {
  gv_context *context = ((const fixture *)*state)->context[0];
  const float values[] = {1, 2, 3, 4};
  memory_source m = source_of(&(gv_points){sizeof(gv_points), values, 2, 2, GV_FLOAT32, NULL, NULL});
  const gv_point_source good = {sizeof(gv_point_source), 2, 2, GV_FLOAT32, read_points, &m};
  gv_index *index = NULL;
  gv_index_options options;
  gv_index_options_init(&options);
  assert_int_equal(gv_index_build_from(NULL, &good, NULL, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_build_from(context, NULL, NULL, &index), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_index_build_from(context, &good, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  gv_point_source bad[5] = {good, good, good, good, good};
  bad[0].read = NULL;
  bad[1].count = 0;
  bad[2].dim = 4097;
  bad[3].dtype = (gv_dtype)9;
  bad[4].count = INT64_MAX / 2;
  for (int i = 0; i < 5; i++)
    assert_int_equal(gv_index_build_from(context, &bad[i], NULL, &index), GV_ERROR_INVALID_ARGUMENT);
  options.array_options = &on_device;
  assert_int_equal(gv_index_build_from(context, &good, &options, &index), GV_ERROR_INVALID_ARGUMENT);
  gv_index_options_init(&options);
  options.backend = "no-such";
  assert_int_equal(gv_index_build_from(context, &good, &options, &index), GV_ERROR_UNKNOWN_BACKEND);
  assert_null(index);
  assert_int_equal(atomic_load(&m.calls), 0);
}

static int make_contexts(void **state) {
  static fixture f;
  for (int i = 0; i < 2; i++) {
    gv_context_options options;
    gv_context_options_init(&options);
    options.threads = i == 0 ? 1 : 3;
    if (gv_context_create(&options, &f.context[i]) != GV_OK) return -1;
  }
  *state = &f;
  return 0;
}

static int free_contexts(void **state) {
  fixture *f = *state;
  gv_context_destroy(f->context[0]);
  gv_context_destroy(f->context[1]);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_backend_gives_the_bytes_of_an_array),
      cmocka_unit_test(large_sets_are_read_in_pieces),
      cmocka_unit_test(the_first_failure_is_told_of),
      cmocka_unit_test(the_first_of_two_at_once_is_told_of),
      cmocka_unit_test(what_is_asked_wrongly_is_said),
  };
  return cmocka_run_group_tests(tests, make_contexts, free_contexts);
}
