/*
 * Arrays of cells as seeds, against a loop over all cells: all types, strides, masks and choices of values,
 * with any number of threads and any split of the rows into calls.
 */
#include "cmocka_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/raster_seeds.h"
#include "split_mix.h"

enum { WIDTH = 37, HEIGHT = 29, CELLS = WIDTH * HEIGHT, TYPES = 10 };

static gv_context *context;

static const size_t sizes[TYPES] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};

static bool is_real(gv_dtype type) {
  return type == GV_FLOAT32 || type == GV_FLOAT64;
}

/* Writes a number as one of a type. */
static void put(gv_dtype type, void *at, double number) {
  float f = (float)number;
  int64_t i = is_real(type) ? 0 : (int64_t)number;
  if (type == GV_FLOAT32) {
    memcpy(at, &f, sizeof f);
  } else if (type == GV_FLOAT64) {
    memcpy(at, &number, sizeof number);
  } else {
    memcpy(at, &i, sizes[type]); /* the low bytes come first on the processors that tests run on */
  }
}

static gv_context *with_threads(int threads) {
  gv_context_options options;
  gv_context_options_init(&options);
  gv_context *made = NULL;
  options.threads = threads;
  assert_int_equal(gv_context_create(&options, &made), GV_OK);
  return made;
}

static gv_raster_seeds *begin(gv_context *used, int64_t width, int64_t height) {
  gv_grid raster;
  gv_grid_init(&raster);
  gv_raster_seeds_options options;
  gv_raster_seeds_options_init(&options);
  gv_raster_seeds *seeds = NULL;
  raster.width = width;
  raster.height = height;
  options.by_cell = options.keep_all = 1;
  assert_int_equal(gv_raster_seeds_create(used, &raster, &options, &seeds), GV_OK);
  return seeds;
}

/* -------------------------------------------------------------------------------------- against all cells */

/* Where cells lie in memory. */
typedef struct layout {
  const char *name;
  int64_t first, row, column; /* in cells; `first`: the first one */
} layout;

static const layout layouts[] = {
    {"rows", 0, WIDTH, 1},
    {"rows with gaps", 3, WIDTH + 5, 1},
    {"columns", 0, 1, HEIGHT},
    {"every other cell", 1, (int64_t)2 * WIDTH, 2},
    {"upside down", (int64_t)(HEIGHT - 1) * WIDTH, -WIDTH, 1},
    {"mirrored", WIDTH - 1, WIDTH, -1},
    {"columns from the end", CELLS - 1, -1, -HEIGHT},
    {"one row again and again", 0, 0, 1},
    {"one column again and again", 0, 1, 0},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts, MEMORY = 2 * CELLS + 8 * HEIGHT };

typedef struct choice {
  bool listed, nodata;
  int mask; /* 0: none, 1: 0 leaves out, 2: inverted */
} choice;

static double numbers[MEMORY];
static uint8_t bytes[8 * MEMORY + 1], mask_bytes[MEMORY];

/* Numbers in patches; floats are also NaN, infinite, and -0. */
static void fill(gv_dtype type, uint64_t seed) {
  uint64_t state = seed;
  double number = 0.0;
  bool has_sign = is_real(type) || type <= GV_INT64;
  for (int i = 0; i < MEMORY; i++) {
    if (split_mix(&state) % 3 == 0)
      number = (double)(int64_t)(split_mix(&state) % 6) - (has_sign ? 2.0 : 0.0);
    numbers[i] = number;
    if (is_real(type) && split_mix(&state) % 9 == 0) {
      const double odd[] = {(double)NAN, INFINITY, -INFINITY, -0.0};
      numbers[i] = odd[split_mix(&state) % 4];
    }
    put(type, bytes + 1 + sizes[type] * (size_t)i, numbers[i]);
    mask_bytes[i] = (uint8_t)(split_mix(&state) % 4 != 0 ? 0 : 1 + split_mix(&state) % 2);
  }
}

static bool is_chosen(double number, const choice *how) {
  if (!isfinite(number) || (how->nodata && number == 2.0)) return false;
  return how->listed ? number == 0.0 || number == 3.0 || number == 2.0 : number != 0.0;
}

static int is_byte_swapped;

static void compare(gv_dtype type, const layout *at, const choice *how, int threads, int64_t split) {
  const int64_t size = (int64_t)sizes[type];
  uint8_t listed[24], nodata[8];
  const double list[] = {3.0, 0.0, 2.0};
  for (int i = 0; i < 3; i++)
    put(type, listed + (size_t)i * sizes[type], list[i]);
  put(type, nodata, 2.0);
  gv_raster_array array;
  gv_raster_array_init(&array);
  array.data = bytes + 1 + size * at->first; /* not aligned */
  array.type = type;
  array.rows = split;
  array.row_stride = size * at->row;
  array.column_stride = size * at->column;
  if (how->mask != 0) array.mask = mask_bytes + at->first;
  array.mask_row_stride = at->row;
  array.mask_column_stride = at->column;
  array.mask_is_inverted = how->mask == 2;
  array.is_byte_swapped = is_byte_swapped;
  if (how->listed) array.included = listed;
  array.included_count = how->listed ? 3 : 0;
  if (how->nodata) array.excluded = nodata;
  array.excluded_count = how->nodata;
  gv_context *used = with_threads(threads);
  gv_raster_seeds *seeds = begin(used, WIDTH, HEIGHT);
  gv_raster_seed_list found;
  gv_raster_seed_list_init(&found);
  assert_int_equal(gv_raster_seeds_add_array(used, seeds, &array), GV_OK);
  array.data = (const uint8_t *)array.data + split * array.row_stride;
  if (array.mask != NULL) array.mask += split * array.mask_row_stride;
  array.rows = HEIGHT - split;
  assert_int_equal(gv_raster_seeds_add_array(used, seeds, &array), GV_OK);
  assert_int_equal(gv_raster_seeds_finish(used, seeds), GV_OK);
  assert_int_equal(gv_raster_seeds_get(used, seeds, &found), GV_OK);
  int64_t n = 0;
  for (int64_t i = 0; i < CELLS; i++) {
    int64_t place = at->first + i / WIDTH * at->row + i % WIDTH * at->column;
    bool masked = how->mask != 0 && (mask_bytes[place] != 0) == (how->mask == 2);
    if (masked || !is_chosen(numbers[place], how)) continue;
    if (n >= found.count || found.cell[n] != i || (double)found.value[found.group[n]] != numbers[place])
      fail_msg("type %d, %s, listed %d, nodata %d, mask %d, %d threads: cell %d", (int)type, at->name,
               how->listed, how->nodata, how->mask, threads, (int)i);
    n++;
  }
  assert_int_equal(n, found.count);
  gv_raster_seeds_destroy(seeds);
  gv_context_destroy(used);
}

/* Swaps the bytes of each number of a type. */
static void swap_bytes(gv_dtype type) {
  const size_t size = sizes[type];
  for (uint8_t *at = bytes + 1; at + size <= bytes + sizeof bytes; at += size) {
    for (size_t i = 0; i < size / 2; i++) {
      uint8_t byte = at[i];
      at[i] = at[size - 1 - i];
      at[size - 1 - i] = byte;
    }
  }
}

static void every_type_stride_and_choice(void **unused) {
  (void)unused;
  for (int type = 0; type < TYPES; type++) {
    fill((gv_dtype)type, 5 + (uint64_t)type);
    for (int l = 0; l < LAYOUTS; l++) {
      for (int c = 0; c < 12; c++) {
        const choice how = {c % 2 != 0, c / 2 % 2 != 0, c / 4};
        compare((gv_dtype)type, &layouts[l], &how, c % 3 + 1, c * 2);
        swap_bytes((gv_dtype)type);
        is_byte_swapped = 1;
        compare((gv_dtype)type, &layouts[l], &how, c % 3 + 1, c * 2);
        swap_bytes((gv_dtype)type);
        is_byte_swapped = 0;
      }
    }
  }
}

/* More cells than are read at once, by several threads. */
static void large_rasters(void **unused) {
  (void)unused;
  enum { W = 1500, H = 6000 };
  uint8_t *cells = calloc(W, H), *left_out = calloc(W, H);
  int32_t *group = malloc(sizeof *group * W);
  assert_true(cells != NULL && left_out != NULL && group != NULL);
  uint64_t state = 3;
  for (int i = 0; i < 20000; i++)
    cells[split_mix(&state) % ((uint64_t)W * H)] = (uint8_t)(1 + split_mix(&state) % 200);
  for (int i = 0; i < W * H; i++)
    left_out[i] = cells[i] % 3 == 1;
  gv_context *used = with_threads(4);
  gv_raster_seeds *seeds = begin(used, W, H);
  gv_raster_seed_list found;
  gv_raster_seed_list_init(&found);
  gv_raster_array array;
  gv_raster_array_init(&array);
  array.data = cells;
  array.type = GV_UINT8;
  array.rows = H;
  array.row_stride = array.mask_row_stride = W;
  array.column_stride = array.mask_column_stride = 1;
  array.mask = left_out;
  array.mask_is_inverted = 1;
  assert_int_equal(gv_raster_seeds_add_array(used, seeds, &array), GV_OK);
  assert_int_equal(gv_raster_seeds_finish(used, seeds), GV_OK);
  assert_int_equal(gv_raster_seeds_get(used, seeds, &found), GV_OK);
  for (int64_t r = 0; r < H; r++) {
    assert_int_equal(gv_raster_seeds_groups(used, seeds, 0, r, W, 1, group, W), GV_OK);
    for (int64_t c = 0; c < W; c++)
      assert_int_equal(cells[r * W + c] % 3 == 1 ? 0 : cells[r * W + c],
                       group[c] < 0 ? 0 : found.value[group[c]]);
  }
  gv_raster_seeds_destroy(seeds);
  gv_context_destroy(used);
  free(cells);
  free(left_out);
  free(group);
}

/* ------------------------------------------------------------------------------------------------- errors */

static void expect_refusal(gv_dtype type, const void *data, const void *chosen, const char *number) {
  enum { W = 1500, H = 800, BEFORE = 3 }; /* more than one thread reads */
  uint8_t *cells = calloc((size_t)W * H, 8);
  static const int64_t before[W * BEFORE];
  char expected[128];
  const size_t size = sizes[type];
  assert_non_null(cells);
  memcpy(cells + size * (7 * W + 2), data, size);
  memcpy(cells + size * (7 * W + 3), data, size);
  for (size_t r = 8; r < H; r++)
    memcpy(cells + size * (r * W), data, size);
  gv_raster_array array, empty;
  gv_raster_array_init(&array);
  gv_raster_array_init(&empty);
  empty.data = before;
  empty.rows = BEFORE;
  empty.row_stride = sizeof before[0] * W;
  empty.column_stride = sizeof before[0];
  array.data = cells;
  array.type = type;
  array.rows = H;
  array.row_stride = (int64_t)size * W;
  array.column_stride = (int64_t)size;
  array.included = chosen;
  array.included_count = chosen != NULL;
  for (int threads = 1; threads <= 4; threads++) {
    gv_context *used = with_threads(threads);
    gv_raster_seeds *seeds = begin(used, W, BEFORE + H);
    assert_int_equal(gv_raster_seeds_add_array(used, seeds, &empty), GV_OK);
    assert_int_equal(gv_raster_seeds_add_array(used, seeds, &array),
                     number != NULL ? GV_ERROR_INVALID_ARGUMENT : GV_OK);
    snprintf(expected, sizeof expected, "row %d, column 2: unsupported value (%s); expected integers",
             BEFORE + 7, number != NULL ? number : "");
    if (number != NULL) assert_string_equal(gv_context_message(used), expected);
    gv_raster_seeds_destroy(seeds);
    gv_context_destroy(used);
  }
  free(cells);
}

/* The first invalid value in the order of rows is named, for any number of threads; values that are not
 * chosen may be any number. */
static void numbers_that_are_not_whole(void **unused) {
  (void)unused;
  const float tenth = 0.1F, four = 4.0F;
  const double third = 1.0 / 3.0, large = 0x1p53, least = -0x1p53, fits = 0x1p53 - 1.0, four_too = 4.0;
  const uint64_t huge = UINT64_C(18446744073709551615), one_too_many = UINT64_C(9223372036854775808),
                 most = one_too_many - 1;
  const int64_t lowest = INT64_MIN;
  expect_refusal(GV_FLOAT32, &tenth, NULL, "0.1");
  expect_refusal(GV_FLOAT32, &tenth, &tenth, "0.1");
  expect_refusal(GV_FLOAT32, &tenth, &four, NULL);
  expect_refusal(GV_FLOAT64, &third, NULL, "0.3333333333333333");
  expect_refusal(GV_FLOAT64, &third, &four_too, NULL);
  expect_refusal(GV_FLOAT64, &large, NULL, "9007199254740992");
  expect_refusal(GV_FLOAT64, &least, NULL, "-9007199254740992");
  expect_refusal(GV_FLOAT64, &fits, NULL, NULL);
  expect_refusal(GV_UINT64, &huge, NULL, "18446744073709551615");
  expect_refusal(GV_UINT64, &one_too_many, NULL, "9223372036854775808");
  expect_refusal(GV_UINT64, &most, NULL, NULL);
  expect_refusal(GV_INT64, &lowest, NULL, NULL);
}

static int stop(double fraction, void *user) {
  (void)fraction, (void)user;
  return 0;
}

static void bad_calls(void **unused) {
  (void)unused;
  const int16_t cells[3][2] = {{1, 0}, {0, 0}, {0, 1}};
  gv_raster_array good;
  gv_raster_array_init(&good);
  good.data = cells;
  good.type = GV_INT16;
  good.rows = 3;
  good.row_stride = sizeof cells[0];
  good.column_stride = sizeof cells[0][0];
  gv_raster_seeds *seeds = begin(context, 2, 3);
  gv_raster_array bad[6] = {good, good, good, good, good, good};
  bad[0].data = NULL;
  bad[1].type = (gv_dtype)TYPES;
  bad[2].rows = 4;
  bad[3].rows = -1;
  bad[4].included_count = 1;
  bad[5].excluded_count = 1;
  for (int i = 0; i < 6; i++)
    assert_int_equal(gv_raster_seeds_add_array(context, seeds, &bad[i]), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_raster_seeds_add_array(context, seeds, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_raster_seeds_add_array(context, NULL, &good), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_raster_seeds_add_array(NULL, seeds, &good), GV_ERROR_INVALID_ARGUMENT);
  gv_raster_array empty = good;
  empty.rows = 0;
  assert_int_equal(gv_raster_seeds_add_array(context, seeds, &empty), GV_OK);
  assert_int_equal(gv_raster_seeds_add_array(context, seeds, &good), GV_OK);
  good.rows = 1;
  assert_int_equal(gv_raster_seeds_add_array(context, seeds, &good), GV_ERROR_INVALID_ARGUMENT);
  gv_raster_seeds_destroy(seeds);
}

/* A list that is there and empty chooses nothing. */
static void nothing_is_chosen(void **unused) {
  (void)unused;
  const uint8_t cells[2] = {1, 7};
  gv_raster_seed_list found;
  gv_raster_seed_list_init(&found);
  gv_raster_array array;
  gv_raster_array_init(&array);
  gv_raster_seeds *seeds = begin(context, 2, 1);
  array.data = array.included = cells;
  array.type = GV_UINT8;
  array.rows = array.row_stride = array.column_stride = 1;
  assert_int_equal(gv_raster_seeds_add_array(context, seeds, &array), GV_OK);
  assert_int_equal(gv_raster_seeds_finish(context, seeds), GV_OK);
  assert_int_equal(gv_raster_seeds_get(context, seeds, &found), GV_OK);
  assert_int_equal(found.cells, 0);
  gv_raster_seeds_destroy(seeds);
}

static void cancelled(void **unused) {
  (void)unused;
  uint8_t *cells = calloc(1000, 1000);
  gv_context_options options;
  gv_context_options_init(&options);
  gv_context *used = NULL;
  assert_non_null(cells);
  options.progress = stop;
  assert_int_equal(gv_context_create(&options, &used), GV_OK);
  gv_raster_array array;
  gv_raster_array_init(&array);
  gv_raster_seeds *seeds = begin(used, 1000, 1000);
  array.data = cells;
  array.type = GV_UINT8;
  array.rows = array.row_stride = 1000;
  array.column_stride = 1;
  assert_int_equal(gv_raster_seeds_add_array(used, seeds, &array), GV_ERROR_CANCELLED);
  gv_raster_seeds_destroy(seeds);
  gv_context_destroy(used);
  free(cells);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_stride_and_choice),
                                     cmocka_unit_test(large_rasters),
                                     cmocka_unit_test(numbers_that_are_not_whole),
                                     cmocka_unit_test(bad_calls),
                                     cmocka_unit_test(nothing_is_chosen),
                                     cmocka_unit_test(cancelled)};
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gv_context_destroy(context);
  return failed;
}
