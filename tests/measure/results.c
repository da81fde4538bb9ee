/* Blocks of results as values, against gv_voronoi_fill and gv_voronoi_measure and a loop over the cells. */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "gpuvoronoi/raster_seeds.h"
#include "split_mix.h"

enum {
  WIDTH = 50,
  HEIGHT = 33,
  BLOCK = 20,
  STRIDE = 57,
  SEEDS = 40,
  GROUPS = 7,
  MOST_K = 3,
  CELLS = MOST_K * HEIGHT * STRIDE
};

static gv_context *context;
static double x[SEEDS], y[SEEDS];
static int32_t group[SEEDS], own[HEIGHT * STRIDE];
static int64_t value[SEEDS];
static uint8_t mask[HEIGHT * STRIDE];

static void make_inputs(uint64_t seed, bool wide) {
  uint64_t state = seed;
  for (int i = 0; i < SEEDS; i++) {
    x[i] = (double)(split_mix(&state) % 500) / 10.0;
    y[i] = (double)(split_mix(&state) % 330) / 10.0;
    group[i] = (int32_t)(split_mix(&state) % GROUPS);
    value[i] = (int64_t)(split_mix(&state) % 2000) - 1000 + (wide ? INT64_C(1) << 40 : 0);
  }
  for (int i = 0; i < HEIGHT * STRIDE; i++) {
    mask[i] = (uint8_t)(split_mix(&state) % 4);
    own[i] = split_mix(&state) % 3 != 0 ? -1 - (int32_t)(split_mix(&state) % 2)
                                        : (int32_t)(split_mix(&state) % GROUPS);
    if (i / STRIDE < BLOCK && i % STRIDE < BLOCK) own[i] = 1; /* no cell of the first block is a query */
  }
}

static gv_voronoi *make(gv_metric metric, int32_t k, double most) {
  gv_grid grid;
  gv_grid_init(&grid);
  const double transform[6] = {0.0, 1.0, 0.0, 33.0, 0.0, -1.0};
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  gv_voronoi *made = NULL;
  grid.kind = metric == GV_GREAT_CIRCLE ? GV_GRID_LONLAT : GV_GRID_PLANE;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  memcpy(grid.geotransform, transform, sizeof transform);
  options.metric = metric;
  options.block_width = options.block_height = BLOCK;
  options.k = k;
  options.max_distance = most;
  if (gv_voronoi_create(context, &grid, &seeds, &options, &made) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  return made;
}

typedef struct answers {
  int32_t number[CELLS], narrow[CELLS];
  int64_t wide[CELLS];
  double distance[CELLS];
  float rounded[CELLS], azimuth[CELLS];
} answers;

enum { FILLER = 77 };

static answers *blank(void) {
  answers *a = malloc(sizeof *a);
  assert_non_null(a);
  for (int i = 0; i < CELLS; i++) {
    a->number[i] = a->narrow[i] = FILLER;
    a->wide[i] = FILLER;
    a->distance[i] = FILLER;
    a->rounded[i] = a->azimuth[i] = (float)FILLER;
  }
  return a;
}

/* Requested values. */
typedef struct asked {
  int32_t k;
  bool masked, has_own, has_group, has_value, wide, exact, known;
} asked;

/* Numbers, distances and azimuths by the functions that have them, then cell by cell. */
static void by_definition(const gv_voronoi *v, const asked *q, answers *out) {
  for (int64_t r = 0; r < HEIGHT; r += BLOCK) {
    for (int64_t c = 0; c < WIDTH; c += BLOCK) {
      gv_labels block;
      gv_labels_init(&block);
      gv_measure m;
      gv_measure_init(&m);
      AT_BLOCK(block, v, c / BLOCK, r / BLOCK);
      AT_BLOCK(m, v, c / BLOCK, r / BLOCK);
      block.out = out->number + r * STRIDE + c;
      if (q->masked) block.mask = mask + r * STRIDE + c;
      block.mask_stride = block.stride = m.stride = m.out_stride = STRIDE;
      block.band_stride = m.band_stride = m.out_band_stride = HEIGHT * STRIDE;
      m.bands = q->k;
      m.seed = block.out;
      m.type = q->exact ? GV_FLOAT64 : GV_FLOAT32;
      m.distance =
          q->exact ? (void *)(out->distance + r * STRIDE + c) : (void *)(out->rounded + r * STRIDE + c);
      m.azimuth = out->azimuth + r * STRIDE + c;
      assert_int_equal(gv_voronoi_fill(context, v, &block, NULL), GV_OK);
      assert_int_equal(gv_voronoi_measure(context, v, &m), GV_OK);
    }
  }
  for (int64_t i = 0; i < CELLS; i++) {
    int64_t at = i % (HEIGHT * STRIDE);
    if (i >= (int64_t)q->k * HEIGHT * STRIDE || i % STRIDE >= WIDTH) continue;
    bool is_own = q->has_own && own[at] >= 0 && (!q->masked || mask[at] != 0);
    int32_t number = out->number[i], of = is_own                        ? own[at]
                                          : number >= 0 && q->has_group ? group[number]
                                                                        : number;
    int64_t named = of < 0 ? -5 : q->has_value ? value[of] : of;
    if (q->wide) out->wide[i] = named;
    if (!q->wide) out->narrow[i] = (int32_t)named;
    if (is_own && q->exact) out->distance[i] = 0.0;
    if (is_own && !q->exact) out->rounded[i] = 0.0F;
    if (is_own) out->azimuth[i] = 0.0F;
  }
}

static gv_cell_results answer_of(const asked *q, int64_t r, int64_t c, const int32_t *known, answers *out) {
  const int64_t at = r * STRIDE + c;
  gv_cell_results a;
  gv_cell_results_init(&a);
  a.column = c;
  a.row = r;
  a.columns = WIDTH - c < BLOCK ? WIDTH - c : BLOCK;
  a.rows = HEIGHT - r < BLOCK ? HEIGHT - r : BLOCK;
  if (q->masked) a.mask = mask + at;
  if (q->has_own) a.cell_group = own + at;
  if (q->known) a.seed = known + at;
  a.mask_stride = a.cell_group_stride = a.seed_stride = a.stride = STRIDE;
  a.seed_band_stride = a.band_stride = HEIGHT * STRIDE;
  if (q->has_group) a.group = group;
  if (q->has_value) a.value = value;
  a.nodata = -5;
  a.value_type = q->wide ? GV_INT64 : GV_INT32;
  a.out = q->wide ? (void *)(out->wide + at) : (void *)(out->narrow + at);
  a.distance_type = q->exact ? GV_FLOAT64 : GV_FLOAT32;
  a.distance = q->exact ? (void *)(out->distance + at) : (void *)(out->rounded + at);
  a.azimuth = out->azimuth + at;
  return a;
}

static void search_queries(const gv_voronoi *v, const asked *q, const int32_t *known, answers *out) {
  for (int64_t r = 0; r < HEIGHT; r += BLOCK) {
    for (int64_t c = 0; c < WIDTH; c += BLOCK) {
      gv_cell_results a = answer_of(q, r, c, known, out);
      if (gv_voronoi_compute(context, v, &a) != GV_OK) fail_msg("%s", gv_context_message(context));
    }
  }
}

static void compare(const gv_voronoi *v, const asked *q) {
  answers *expected = blank(), *found = blank(), *some = blank();
  by_definition(v, q, expected);
  search_queries(v, q, expected->number, found);
  memcpy(found->number, expected->number, sizeof found->number); /* not an output */
  assert_memory_equal(found, expected, sizeof *found);
  /* Each alone. */
  for (int only = 0; only < 3; only++) {
    gv_cell_results a = answer_of(q, BLOCK, BLOCK, expected->number, some);
    if (only != 0) a.out = NULL;
    if (only != 1) a.distance = NULL;
    if (only != 2) a.azimuth = NULL;
    assert_int_equal(gv_voronoi_compute(context, v, &a), GV_OK);
  }
  for (int64_t r = BLOCK; r < HEIGHT; r++) {
    for (int64_t c = BLOCK; c < 2 * BLOCK; c++) {
      int64_t i = r * STRIDE + c;
      assert_true(some->narrow[i] == expected->narrow[i] && some->wide[i] == expected->wide[i]);
      assert_memory_equal(&some->distance[i], &expected->distance[i], sizeof some->distance[i]);
      assert_memory_equal(&some->rounded[i], &expected->rounded[i], sizeof some->rounded[i]);
      assert_memory_equal(&some->azimuth[i], &expected->azimuth[i], sizeof some->azimuth[i]);
    }
  }
  free(expected);
  free(found);
  free(some);
}

static void every_combination(void **unused) {
  (void)unused;
  for (int i = 0; i < 256; i++) {
    asked q = {1,
               (i & 1) != 0,
               (i & 2) != 0,
               (i & 4) != 0,
               (i & 8) != 0,
               (i & 16) != 0,
               (i & 32) != 0,
               (i & 64) != 0};
    make_inputs((uint64_t)i, q.wide);
    if (q.known && q.has_own) continue; /* below */
    gv_voronoi *v = make((i & 128) != 0 ? GV_GREAT_CIRCLE : GV_EUCLIDEAN, 1, (i & 128) != 0 ? 4e5 : 5.0);
    compare(v, &q);
    if (!q.has_own) {
      gv_voronoi *three = make(GV_EUCLIDEAN, 3, 9.0);
      q.k = 3;
      compare(three, &q);
      gv_voronoi_destroy(three);
    }
    gv_voronoi_destroy(v);
  }
}

/* Known numbers, of cells that are seeds themselves, too. */
static void known_numbers_and_own_cells(void **unused) {
  (void)unused;
  asked q = {.k = 1, .masked = true, .has_own = true, .has_group = true, .has_value = true, .known = true};
  make_inputs(9, false);
  gv_voronoi *v = make(GV_MANHATTAN, 1, 6.0);
  compare(v, &q);
  gv_voronoi_destroy(v);
}

static void bad_calls(void **unused) {
  (void)unused;
  asked q = {.k = 1, .masked = true, .has_own = true};
  answers *out = blank();
  make_inputs(1, false);
  gv_voronoi *v = make(GV_EUCLIDEAN, 1, INFINITY), *two = make(GV_EUCLIDEAN, 2, INFINITY), *labeled = NULL;
  gv_cell_results good = answer_of(&q, BLOCK, BLOCK, NULL, out),
                  bad[8] = {good, good, good, good, good, good, good, good};
  bad[0].value_type = GV_FLOAT32;
  bad[1].distance_type = GV_INT32;
  bad[2].stride = bad[3].mask_stride = bad[4].cell_group_stride = BLOCK - 1;
  bad[5].column = WIDTH;
  bad[6].row = -1;
  bad[7].seed = own;
  bad[7].seed_stride = 1;
  for (int i = 0; i < 8; i++)
    assert_int_equal(gv_voronoi_compute(context, v, &bad[i]), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_voronoi_compute(context, two, &good), GV_ERROR_INVALID_ARGUMENT);
  /* Numbers of no seed would index the arrays of groups; of distances and of values alone. */
  int32_t known[BLOCK * STRIDE] = {[BLOCK * STRIDE - STRIDE + BLOCK - 1] = SEEDS};
  for (int only = 0; only < 2; only++) {
    gv_cell_results beyond = good;
    beyond.cell_group = NULL;
    beyond.mask = NULL;
    beyond.columns = beyond.rows = BLOCK;
    beyond.column = beyond.row = 0;
    beyond.seed = known;
    beyond.seed_stride = STRIDE;
    beyond.group = group;
    beyond.value = value;
    if (only == 0) beyond.distance = NULL;
    if (only == 0) beyond.azimuth = NULL;
    if (only == 1) beyond.out = NULL;
    assert_int_equal(gv_voronoi_compute(context, v, &beyond), GV_ERROR_INVALID_ARGUMENT);
    assert_string_equal(gv_context_message(context), "seed number: out of range (40)");
  }
  good.cell_group = NULL;
  good.band_stride = STRIDE;
  assert_int_equal(gv_voronoi_compute(context, two, &good), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_voronoi_compute(context, NULL, &good), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_voronoi_compute(context, v, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_voronoi_compute(NULL, v, &good), GV_ERROR_INVALID_ARGUMENT);
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  grid.width = grid.height = 1;
  options.nodata = 0;
  assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &options, &labeled), GV_OK);
  assert_int_equal(gv_voronoi_compute(context, labeled, &good), GV_ERROR_INVALID_ARGUMENT);
  gv_voronoi_destroy(v);
  gv_voronoi_destroy(two);
  gv_voronoi_destroy(labeled);
  free(out);
}

/* Memory that is refused anywhere is an error, and nothing is lost. */
static void out_of_memory(void **unused) {
  (void)unused;
  asked q = {.k = 1, .has_own = true, .wide = true};
  failing_memory memory = {.fail_at = -1, .for_good = true};
  gv_context_options how = failing_options(&memory, 0);
  gv_context *usual = context;
  answers *out = blank();
  make_inputs(2, true);
  gv_cell_results a = answer_of(&q, BLOCK, BLOCK, NULL, out);
  bool done = false;
  for (int64_t most = 0; !done; most++) {
    memory.fail_at = -1;
    assert_int_equal(gv_context_create(&how, &context), GV_OK);
    gv_voronoi *v = make(GV_EUCLIDEAN, 1, INFINITY);
    memory.fail_at = memory.calls + most;
    gv_status status = gv_voronoi_compute(context, v, &a);
    done = status == GV_OK;
    if (!done) assert_int_equal(status, GV_ERROR_OUT_OF_MEMORY);
    gv_voronoi_destroy(v);
    gv_context_destroy(context);
    assert_int_equal(memory.live, 0);
    assert_true(most < 1000 && (!done || most > 1));
  }
  context = usual;
  free(out);
}

/* Strides of 0 are those of arrays that are as large as the rectangle. */
static void strides_by_themselves(void **state) {
  (void)state;
  enum { K = 2, AT = WIDTH * HEIGHT };
  static int32_t plain[K * AT], strided[K * AT];
  static float near[K * AT], strided_near[K * AT];
  make_inputs(12, false);
  gv_voronoi *v = make(GV_EUCLIDEAN, K, INFINITY);
  gv_cell_results a;
  gv_cell_results_init(&a);
  a.out = plain;
  a.distance = near;
  a.mask = mask;
  assert_int_equal(gv_voronoi_compute(context, v, &a), GV_OK);
  a.out = strided;
  a.distance = strided_near;
  a.stride = a.mask_stride = WIDTH;
  a.band_stride = AT;
  assert_int_equal(gv_voronoi_compute(context, v, &a), GV_OK);
  assert_memory_equal(plain, strided, sizeof plain);
  assert_memory_equal(near, strided_near, sizeof near);
  gv_voronoi_destroy(v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination), cmocka_unit_test(known_numbers_and_own_cells),
      cmocka_unit_test(bad_calls), cmocka_unit_test(out_of_memory), cmocka_unit_test(strides_by_themselves)};
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  gv_context_destroy(context);
  return failed;
}
