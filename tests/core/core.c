/* Contexts, messages, memory and progress: the layer below all others. */
#include "cmocka_test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buffer.h"
#include "core/parallel.h"
#include "failing_memory.h"
#include "gpuvoronoi/arrow.h"
#include "gpuvoronoi/crs.h"

static void names_are_complete(void **state) {
  (void)state;
  for (int a = GV_OK; a <= GV_ERROR_INTERNAL; a++) {
    assert_string_not_equal(gv_status_message((gv_status)a), "unknown status");
    for (int b = GV_OK; b < a; b++)
      assert_string_not_equal(gv_status_message((gv_status)a), gv_status_message((gv_status)b));
  }
  assert_string_equal(gv_status_message((gv_status)4711), "unknown status");
  for (int a = GV_EUCLIDEAN; a <= GV_MINKOWSKI; a++)
    assert_non_null(gv_metric_name((gv_metric)a));
  assert_null(gv_metric_name((gv_metric)4711));
}

static void default_metrics(void **state) {
  (void)state;
  static const struct {
    gv_crs_kind kind;
    const char *proj;
    double west, east;
    gv_metric metric;
  } cases[] = {
      {GV_CRS_NONE, NULL, 0, 0, GV_EUCLIDEAN},
      {GV_CRS_GEOGRAPHIC, NULL, 0, 0, GV_GEODESIC},
      {GV_CRS_GEOGRAPHIC, "+proj=longlat", 3, 7, GV_GEODESIC},
      {GV_CRS_OTHER, "+proj=merc", 0, 0, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, NULL, 0, 0, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=utm +zone=33", -180, 180, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=merc +a=6378137 +lat_ts=0 +k=1", -180, 180, GV_GEODESIC},
      {GV_CRS_PROJECTED, "+proj=merc +lat_ts=0.0 +k=1.0", 0, 0, GV_GEODESIC},
      {GV_CRS_PROJECTED, "+proj=merc +lat_ts=-0 +k_0=1", 0, 0, GV_GEODESIC},
      {GV_CRS_PROJECTED, "+proj=merc", 0, 0, GV_GEODESIC},
      {GV_CRS_PROJECTED, "+proj=merc +lat_ts=-41", 0, 0, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=merc +lat_ts=0.5", 0, 0, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=merc +k_0=0.997", 0, 0, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=merc +k=1.01 +no_defs", 0, 0, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=merc", 95, 141, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=merc", 98.69, -68, GV_GEODESIC}, /* across 180 degrees, 193 wide */
      {GV_CRS_PROJECTED, "+proj=merc", 170, -170, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=merc +lat_ts=5", -1000, 1000, GV_EUCLIDEAN},
      {GV_CRS_PROJECTED, "+proj=cc", 0, 0, GV_GEODESIC},
      {GV_CRS_PROJECTED, "+proj=ccon +lat_1=5", 0, 0, GV_EUCLIDEAN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gv_crs_facts crs;
    const char *reason = NULL;
    gv_crs_facts_init(&crs);
    crs.kind = cases[i].kind;
    crs.proj = cases[i].proj;
    crs.west = cases[i].west;
    crs.east = cases[i].east;
    if (gv_default_metric(&crs, &reason) != cases[i].metric) fail_msg("case %d: %s", (int)i, reason);
    assert_int_equal(strncmp(reason, "default ", 8), 0);
  }
  assert_int_equal(gv_default_metric(NULL, NULL), GV_EUCLIDEAN);
}

static void check_extent(const double *seeds, const double *area, double meters, const double right[4],
                         int32_t cut) {
  double extent[4];
  int32_t is_cut = 7;
  assert_int_equal(gv_default_extent(seeds, area, meters, extent, &is_cut), GV_OK);
  for (int i = 0; i < 4; i++)
    assert_true(fabs(extent[i] - right[i]) < 1e-12);
  assert_int_equal(is_cut, cut);
}

static void default_extents(void **state) {
  (void)state;
  const double box[4] = {0, 0, 10, 20}, line[4] = {0, 5, 10, 5}, high[4] = {5, 0, 5, 10},
               dot[4] = {3, 4, 3, 4};
  const double area[4] = {0, 0, 8, 8}, far[4] = {-1, 2, 14, 6}, beside[4] = {20, 20, 30, 30};
  check_extent(box, NULL, 1.0, (double[]){-1, -2, 11, 22}, 0);
  check_extent(line, NULL, 1.0, (double[]){-1, 4, 11, 6}, 0);
  check_extent(high, NULL, 1.0, (double[]){4, -1, 6, 11}, 0);
  check_extent(dot, NULL, 0.5, (double[]){-1997, -1996, 2003, 2004}, 0);
  check_extent(dot, NULL, 0.0, (double[]){2.5, 3.5, 3.5, 4.5}, 0);
  /* At most half of the area's width and height outside; farther; beside it; none. */
  check_extent((double[]){-4, 0, 12, 10}, area, 1.0, (double[]){-5.6, -1, 13.6, 11}, 0);
  check_extent(far, area, 1.0, (double[]){0, 1.6, 8, 6.4}, 1);
  check_extent(beside, area, 1.0, area, 1);
  check_extent(NULL, area, 1.0, area, 1);
  double extent[4];
  assert_int_equal(gv_default_extent(box, NULL, 1.0, extent, NULL), GV_OK);
  assert_int_equal(gv_default_extent(NULL, NULL, 1.0, extent, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_default_extent(box, NULL, 1.0, NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_default_extent((double[]){1, 0, 0, 1}, NULL, 1.0, extent, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_default_extent((double[]){0, 0, (double)NAN, 1}, NULL, 1.0, extent, NULL),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_default_extent(box, NULL, -1.0, extent, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_default_extent(box, NULL, (double)INFINITY, extent, NULL), GV_ERROR_INVALID_ARGUMENT);
}

static void version_matches_header(void **state) {
  (void)state;
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", GV_VERSION_MAJOR, GV_VERSION_MINOR, GV_VERSION_PATCH);
  assert_int_equal(strncmp(gv_version(), expected, strlen(expected)), 0); /* "-rc1" may follow */
  assert_string_equal(gv_version(), GV_VERSION_STRING);
}

/* ------------------------------------------------------------------------------------------------- memory */

static void contexts_use_the_hooks(void **state) {
  (void)state;
  failing_memory memory = {.fail_at = -1};
  gv_context_options options = failing_options(&memory, 3);
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  assert_int_equal(gv_context_threads(context), 3);
  assert_string_equal(gv_context_message(context), "");
  assert_int_equal(memory.live, 1);
  gv_context_destroy(context);
  assert_int_equal(memory.live, 0);

  failing_memory_begin(&memory, 0);
  gv_context *untouched = NULL;
  assert_int_equal(gv_context_create(&options, &untouched), GV_ERROR_OUT_OF_MEMORY);
  assert_null(untouched);
}

static void contexts_refuse_nonsense(void **state) {
  (void)state;
  gv_context *context = NULL;
  gv_context_options options;
  gv_context_options_init(&options);
  assert_int_equal(gv_context_create(NULL, NULL), GV_ERROR_INVALID_ARGUMENT);
  options.threads = -1;
  assert_int_equal(gv_context_create(&options, &context), GV_ERROR_INVALID_ARGUMENT);
  options.threads = 0;
  options.struct_size = 0;
  assert_int_equal(gv_context_create(&options, &context), GV_ERROR_INVALID_ARGUMENT);
  gv_context_options_init(&options);
  options.allocate = failing_allocate;
  assert_int_equal(gv_context_create(&options, &context), GV_ERROR_INVALID_ARGUMENT);
  assert_null(context);
  gv_context_destroy(NULL);
  assert_string_equal(gv_context_message(NULL), "");
}

/* An older program's shorter struct leaves the newer fields at their defaults. */
static void options_of_an_older_header_work(void **state) {
  (void)state;
  gv_context_options options;
  gv_context_options_init(&options);
  options.struct_size = offsetof(gv_context_options, progress);
  options.threads = 2;
  options.allocate = failing_allocate; /* outside struct_size: must be ignored */
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  assert_int_equal(gv_context_threads(context), 2);
  gv_context_destroy(context);
}

static void memory_is_aligned_and_checked(void **state) {
  (void)state;
  failing_memory memory = {.fail_at = -1};
  gv_allocator allocator = {failing_allocate, failing_release, &memory};
  for (int64_t count = 0; count < 200; count += 7) {
    unsigned char *block = gv_allocate_zeroed(&allocator, count, 3);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % GV_ALIGNMENT, 0);
    for (int64_t i = 0; i < 3 * count; i++)
      assert_int_equal(block[i], 0);
    memset(block, 0xff, (size_t)(3 * count));
    gv_release(&allocator, block);
  }
  assert_int_equal(memory.live, 0);
  int64_t calls = memory.calls;
  assert_null(gv_allocate(&allocator, -1, 8));
  assert_null(gv_allocate(&allocator, INT64_MAX, 8));
  assert_null(gv_allocate(&allocator, INT64_MAX / 4 + 1, 8));
  assert_int_equal(memory.calls, calls);
  gv_release(&allocator, NULL);
}

static void buffers_grow(void **state) {
  (void)state;
  failing_memory memory = {.fail_at = -1};
  gv_allocator allocator = {failing_allocate, failing_release, &memory};
  gv_buffer buffer = {NULL, 0};
  int32_t *number = gv_buffer_reserve(&buffer, &allocator, 100, sizeof *number);
  assert_non_null(number);
  assert_int_equal(buffer.bytes, 400);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(number[i], 0);
    number[i] = i;
  }
  assert_ptr_equal(gv_buffer_reserve(&buffer, &allocator, 50, sizeof(double)), number);
  assert_ptr_equal(gv_buffer_extend(&buffer, &allocator, 0, 1), number);
  assert_int_equal(memory.calls, 1);
  number = gv_buffer_extend(&buffer, &allocator, 101, sizeof *number);
  assert_int_equal(buffer.bytes, 600);
  for (int i = 0; i < 150; i++)
    assert_int_equal(number[i], i < 100 ? i : 0);

  /* Out of memory: extending leaves the buffer unchanged, reserving empties it. */
  assert_null(gv_buffer_extend(&buffer, &allocator, INT64_MAX, sizeof(double)));
  memory.fail_at = memory.calls;
  assert_null(gv_buffer_extend(&buffer, &allocator, 1000, sizeof *number));
  assert_ptr_equal(buffer.memory, number);
  assert_int_equal(number[99], 99);
  memory.fail_at = memory.calls;
  assert_null(gv_buffer_reserve(&buffer, &allocator, 1000, sizeof *number));
  assert_null(buffer.memory);
  assert_int_equal(memory.live, 0);
  assert_non_null(gv_buffer_reserve(&buffer, &allocator, 0, sizeof *number));
  gv_buffer_clear(&buffer, &allocator);
  assert_int_equal(memory.live, 0);
}

/* ------------------------------------------------------------------------------------------------- errors */

static void messages_are_kept_and_cut(void **state) {
  (void)state;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  assert_int_equal(gv_fail(context, GV_ERROR_IO, "row %d of %s", 7, "seeds"), GV_ERROR_IO);
  assert_string_equal(gv_context_message(context), "row 7 of seeds");
  char longer[2000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  assert_int_equal(gv_fail(context, GV_ERROR_INTERNAL, "%s", longer), GV_ERROR_INTERNAL);
  assert_int_equal(strlen(gv_context_message(context)), sizeof context->message - 1);
  assert_int_equal(gv_fail_memory(context, "the seeds"), GV_ERROR_OUT_OF_MEMORY);
  assert_string_equal(gv_context_message(context), "out of memory for the seeds");
  gv_context_destroy(context);
}

static gv_status fail_with_number(gv_worker *worker, int64_t first, int64_t end) {
  atomic_fetch_add((atomic_int *)worker->user, 1);
  return gv_fail(&worker->context, GV_ERROR_IO, "item %d", (int)(end > first ? first : -1));
}

static void first_error_of_many_threads_wins(void **state) {
  (void)state;
  gv_context *context = NULL;
  int item = -1;
  atomic_int calls = 0;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  gv_loop loop = {.context = context, .threads = 4, .count = 64, .grain = 1, .user = &calls};
  assert_int_equal(gv_parallel_for(&loop, fail_with_number), GV_ERROR_IO);
  assert_int_equal(sscanf(gv_context_message(context), "item %d", &item), 1);
  assert_in_range(item, 0, 63);
  assert_in_range(calls, 1, 4); /* one a thread: the others stop */
  gv_context_destroy(context);
}

/* ----------------------------------------------------------------------------------------------- progress */

typedef struct reports {
  int calls;
  double last;
  double stop_at;
  bool backwards;
} reports;

static int report(double fraction, void *user) {
  reports *r = user;
  r->calls++;
  if (fraction < r->last || fraction > 1.0) r->backwards = true;
  r->last = fraction;
  return fraction < r->stop_at;
}

static gv_status add_progress(gv_worker *worker, int64_t first, int64_t end) {
  for (; first < end; first++)
    gv_progress_add(worker->user, 1);
  return GV_OK;
}

static void progress_rises_and_cancels(void **state) {
  (void)state;
  reports r = {0, 0.0, 2.0, false};
  gv_context_options options;
  gv_context_options_init(&options);
  options.progress = report;
  options.progress_user = &r;
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(&options, &context), GV_OK);
  gv_progress progress;
  gv_progress_init(&progress, context, 100001);
  gv_loop loop = {.threads = 4, .count = 100000, .user = &progress};
  assert_int_equal(gv_parallel_for(&loop, add_progress), GV_OK);
  /* The last one by this thread only: reports of a thread that waits long in its callback are made here. */
  assert_true(gv_progress_add(&progress, 1));
  assert_false(r.backwards);
  assert_in_range(r.calls, 2, 101);
  assert_true(r.last > 0.9);
  assert_false(gv_progress_cancelled(&progress));

  r = (reports){0, 0.0, 0.5, false};
  gv_progress_init(&progress, context, 1000);
  int done = 0;
  while (done < 1000 && gv_progress_add(&progress, 1))
    done++;
  assert_in_range(done, 480, 520);
  assert_true(gv_progress_cancelled(&progress));
  int calls = r.calls;
  assert_false(gv_progress_add(&progress, 500));
  assert_int_equal(r.calls, calls);
  gv_context_destroy(context);
}

/* ---------------------------------------------------------------------------------------------- processor */

/* Structures of Arrow's C data interface. */
typedef struct arrow_array {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void **buffers;
  struct arrow_array **children, *dictionary;
  void (*release)(void *array);
  void *private_data;
} arrow_array;

static void arrow_arrays_release_what_is_left(void **state) {
  (void)state;
  gv_arrow_block blocks[4] = {{free, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
  gv_arrow_block *const heap = malloc(sizeof *heap);
  *heap = blocks[0];
  arrow_array inner[3], *children[2] = {&inner[0], &inner[1]};
  for (int i = 0; i < 3; i++)
    inner[i] = (arrow_array){.release = gv_arrow_release_array, .private_data = &blocks[i + 1]};
  inner[1].release = NULL; /* a consumer took it */
  arrow_array whole = {.n_children = 2, .children = children, .dictionary = &inner[2], .private_data = heap};
  gv_arrow_release_array(&whole);
  assert_true(whole.release == NULL && inner[0].release == NULL && inner[2].release == NULL);
  assert_true(blocks[1].released == 1 && blocks[2].released == 0 && blocks[3].released == 1);
}

static void simd_level_can_be_lowered(void **state) {
  (void)state;
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
  gv_simd best = gv_simd_level();
  for (gv_simd level = GV_SIMD_BASELINE; level <= GV_SIMD_AVX512; level++) {
    assert_int_equal(setenv("GPUVORONOI_SIMD", gv_simd_name(level), 1), 0);
    assert_int_equal(gv_simd_level(), level < best ? level : best);
  }
  assert_int_equal(unsetenv("GPUVORONOI_SIMD"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_complete),
      cmocka_unit_test(default_metrics),
      cmocka_unit_test(default_extents),
      cmocka_unit_test(version_matches_header),
      cmocka_unit_test(contexts_use_the_hooks),
      cmocka_unit_test(contexts_refuse_nonsense),
      cmocka_unit_test(options_of_an_older_header_work),
      cmocka_unit_test(memory_is_aligned_and_checked),
      cmocka_unit_test(buffers_grow),
      cmocka_unit_test(messages_are_kept_and_cut),
      cmocka_unit_test(first_error_of_many_threads_wins),
      cmocka_unit_test(progress_rises_and_cancels),
      cmocka_unit_test(arrow_arrays_release_what_is_left),
      cmocka_unit_test(simd_level_can_be_lowered),
  };
  return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
