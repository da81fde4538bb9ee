/* Loops over workers, their error lines, and arrays that grow. */
#include "cmocka_test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "io/grow.h"
#include "io/parallel.h"
#include "io/source_name.h"

enum { ITEMS = 1000, THREADS = 4 };

typedef struct work {
  atomic_int times[ITEMS];
  int bad; /* item that fails; -1 = none */
} work;

static gv_status take(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  work *w = user;
  if (worker >= THREADS) return gv_io_fail(io, GV_ERROR_INTERNAL, "worker %d", worker);
  for (int64_t i = first; i < end; i++) {
    atomic_fetch_add(&w->times[i], 1);
    if (i == w->bad) return gv_io_fail(io, GV_ERROR_IO, "%0*d items are enough", 2000, (int)i);
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  }
  return GV_OK;
}

static void test_all_items_once(void **state) {
  (void)state;
  for (int64_t grain = 1; grain < 400; grain *= 7) {
    work w = {.bad = -1};
    gv_io io = {.message = "as it was"};
    gv_io_loop loop = {.threads = THREADS, .count = ITEMS, .grain = grain, .user = &w};
    assert_int_equal(gv_io_parallel_for(&io, &loop, take), GV_OK);
    for (int i = 0; i < ITEMS; i++)
      assert_int_equal(w.times[i], 1);
    assert_string_equal(io.message, "as it was");
  }
}

static void test_whole_line_of_who_failed(void **state) {
  (void)state;
  for (int threads = 1; threads <= THREADS; threads++) {
    work w = {.bad = 123};
    gv_io io = {.message = ""};
    gv_io_loop loop = {.threads = threads, .count = ITEMS, .grain = 1, .user = &w};
    assert_int_equal(gv_io_parallel_for(&io, &loop, take), GV_ERROR_IO);
    assert_int_equal(strlen(io.message), 2000 + strlen(" items are enough"));
    assert_non_null(strstr(io.message, "0123 items are enough"));
    if (threads == 1) assert_int_equal(w.times[124], 0);
  }
}

static bool always(void *user) {
  (void)user;
  return true;
}

static void test_workers_see_that_it_is_cancelled(void **state) {
  (void)state;
  work w = {.bad = -1};
  gv_io io = {.cancelled = always};
  gv_io_loop loop = {.threads = THREADS, .count = ITEMS, .grain = 1, .user = &w};
  assert_int_equal(gv_io_parallel_for(&io, &loop, take), GV_ERROR_CANCELLED);
  assert_string_equal(io.message, "cancelled");
}

/* A message is kept, with its name, after a prefix; the prefix is cleaned of secrets like the message. */
static void test_what_goes_before_a_line(void **state) {
  (void)state;
  static const char source[] = "PG:host=h password=opensesame";
  gv_io io = {.cancelled = NULL};
  gv_source_remember(source);
  assert_int_equal(gv_io_fail_as(&io, GV_CODE_CRS_MISSING, GV_ERROR_IO, "%s has none", source), GV_ERROR_IO);
  assert_int_equal(gv_io_within(&io, GV_ERROR_IO, "%s", source), GV_ERROR_IO);
  assert_int_equal(gv_io_within(&io, GV_ERROR_IO, "rank %d of %d", 3, 4), GV_ERROR_IO);
  gv_source_forget();
  assert_string_equal(io.message, "rank 3 of 4: PG:***: PG:*** has none");
  assert_int_equal(io.code, GV_CODE_CRS_MISSING);
}

static void test_array_grows(void **state) {
  (void)state;
  int64_t capacity = 0;
  int *array = NULL;
  for (int i = 0; i < 10000; i++) {
    int *more = gv_grow(array, &capacity, i + 1, sizeof *more);
    assert_non_null(more);
    assert_true(capacity > i);
    array = more;
    array[i] = i;
  }
  for (int i = 0; i < 10000; i++)
    assert_int_equal(array[i], i);
  int64_t before = capacity;
  assert_ptr_equal(gv_grow(array, &capacity, before, sizeof *array), array);
  assert_null(gv_grow(array, &capacity, ((int64_t)1 << 62) + 10000,
                      sizeof *array)); /* number of bytes is small modulo 2^64 */
  assert_int_equal(capacity, before);
  assert_int_equal(array[9999], 9999);
  free(array);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_items_once), cmocka_unit_test(test_whole_line_of_who_failed),
      cmocka_unit_test(test_workers_see_that_it_is_cancelled), cmocka_unit_test(test_what_goes_before_a_line),
      cmocka_unit_test(test_array_grows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
