/* Sums of several processes, as bytes: together they are those of one. */
#include "grid_fill.h"
#include "world.h"

#include "gpuvoronoi/experimental.h"

enum { MOST = 512 };

/* Adds the blocks first, first + step ... */
static void add_blocks(gv_context *context, const world *w, const gv_voronoi *voronoi, gv_statistics *s,
                       int64_t first, int64_t step) {
  int64_t across = blocks_across(voronoi), blocks = across * blocks_down(voronoi);
  for (int64_t i = first; i < blocks; i += step) {
    piece p;
    make_piece(context, w, voronoi, 32, i, &p);
    gv_statistics_cells b;
    gv_statistics_cells_init(&b);
    AT_BLOCK(b, voronoi, i % across, i / across);
    b.seed = p.seed;
    b.stride = b.distance_stride = p.w;
    b.distance = p.distance;
    b.quantity = p.quantity;
    assert_int_equal(gv_statistics_add(context, s, &b), GV_OK);
    free_piece(&p);
  }
}

static void parts_are_the_whole(void **state) {
  (void)state;
  static const gv_grid_kind kinds[] = {GV_GRID_PLANE, GV_GRID_LONLAT, GV_GRID_QTM};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    world w;
    make_world(&w, kinds[k], kinds[k] == GV_GRID_PLANE ? GV_EUCLIDEAN : GV_GREAT_CIRCLE);
    gv_context *context = new_context();
    gv_voronoi *voronoi = new_voronoi(context, &w, 32);
    gv_statistics *merged = new_statistics(context, voronoi);
    unsigned char bytes[MOST];
    size_t size = gv_statistics_sums_size(merged);
    assert_true(size > 0 && size <= sizeof bytes);
    result whole[SEEDS];
    compute(&w, 32, false, true, whole);
    for (int part = 2; part >= 0; part--) {
      gv_statistics *s = new_statistics(context, voronoi);
      add_blocks(context, &w, voronoi, s, part, 3);
      for (int i = 0; i < SEEDS; i++) {
        assert_int_equal(gv_statistics_get_sums(context, s, i, bytes), GV_OK);
        assert_int_equal(gv_statistics_add_sums(context, merged, i, bytes), GV_OK);
      }
      gv_statistics_destroy(s);
    }
    for (int i = 0; i < SEEDS; i++) {
      result got;
      memset(&got, 0, sizeof got);
      assert_int_equal(get_statistics(context, merged, i, &got.seed, got.sum, SUMS), GV_OK);
      assert_memory_equal(&got, &whole[i], sizeof got);
    }
    for (int32_t q = 0; q < SUMS; q++) {
      double sum[SEEDS], mean[SEEDS];
      assert_int_equal(gv_statistics_get_sum_range(context, merged, 0, SEEDS, q, sum, mean), GV_OK);
      for (int i = 0; i < SEEDS; i++) {
        assert_memory_equal(&sum[i], &whole[i].sum[q].sum, sizeof *sum);
        assert_memory_equal(&mean[i], &whole[i].sum[q].distance_mean, sizeof *mean);
      }
      assert_int_equal(gv_statistics_get_sum_range(context, merged, 1, SEEDS, q, sum, NULL),
                       GV_ERROR_INVALID_ARGUMENT);
      assert_int_equal(gv_statistics_get_sum_range(context, merged, 0, 1, SUMS, sum, NULL),
                       GV_ERROR_INVALID_ARGUMENT);
      assert_int_equal(gv_statistics_get_sum_range(context, merged, 0, 1, q, NULL, NULL),
                       GV_ERROR_INVALID_ARGUMENT);
    }
    gv_statistics_destroy(merged);
    gv_voronoi_destroy(voronoi);
    gv_context_destroy(context);
    free_world(&w);
  }
}

static void nonsense_is_refused(void **state) {
  (void)state;
  world w;
  make_world(&w, GV_GRID_LONLAT, GV_GREAT_CIRCLE);
  gv_context *context = new_context();
  gv_voronoi *voronoi = new_voronoi(context, &w, 32);
  gv_statistics *s = new_statistics(context, voronoi);
  unsigned char bytes[MOST] = {0};
  assert_int_equal(gv_statistics_sums_size(NULL), 0);
  assert_int_equal(gv_statistics_get_sums(NULL, s, 0, bytes), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_get_sums(context, NULL, 0, bytes), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_get_sums(context, s, -1, bytes), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_get_sums(context, s, SEEDS, bytes), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_get_sums(context, s, 0, NULL), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_add_sums(NULL, s, 0, bytes), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_add_sums(context, s, SEEDS, bytes), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_statistics_add_sums(context, s, 0, bytes), GV_OK);
  memset(bytes, 255, sizeof bytes); /* -1 cells, a distance that is NaN */
  assert_int_equal(gv_statistics_add_sums(context, s, 0, bytes), GV_ERROR_INVALID_ARGUMENT);
  assert_true(gv_context_message(context)[0] != '\0');
  gv_statistics_destroy(s);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  free_world(&w);
}

/* Moments and quantities are the largest or the smallest number: adding it once works, adding it twice
 * overflows and changes nothing. */
static void sums_that_overflow_are_refused(void **state) {
  enum { WIDE = 16, AREA = 0, DISTANCE = 4 * WIDE, CELLS = 5 * WIDE };
  (void)state;
  world w;
  make_world(&w, GV_GRID_LONLAT, GV_GREAT_CIRCLE);
  gv_context *context = new_context();
  gv_voronoi *voronoi = new_voronoi(context, &w, 32);
  gv_statistics *probe = new_statistics(context, voronoi);
  size_t size = gv_statistics_sums_size(probe);
  gv_statistics_destroy(probe);
  for (size_t at = 0; at + 8 <= size; at += WIDE) {
    for (int negative = 0; negative < 2; negative++) {
      unsigned char extreme[MOST] = {0}, before[MOST], after[MOST];
      if (at == AREA || at == DISTANCE || at == CELLS) continue; /* refused as such */
      memset(extreme + at, negative ? 0 : 255, WIDE);
      extreme[at + WIDE - 1] = negative ? 0x80 : 0x7f;
      gv_statistics *s = new_statistics(context, voronoi);
      assert_int_equal(gv_statistics_add_sums(context, s, 0, extreme), GV_OK);
      assert_int_equal(gv_statistics_get_sums(context, s, 0, before), GV_OK);
      assert_int_equal(gv_statistics_add_sums(context, s, 0, extreme), GV_ERROR_INVALID_ARGUMENT);
      assert_int_equal(gv_statistics_get_sums(context, s, 0, after), GV_OK);
      assert_memory_equal(before, after, size);
      gv_statistics_destroy(s);
    }
  }
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  free_world(&w);
}

/* Sums of one seed: little-endian, as gv_statistics_get_sums writes them. */
static gv_status add_made(gv_context *context, gv_statistics *s, wide area, wide distance, int64_t cells,
                          double farthest) {
  unsigned char bytes[MOST] = {0};
  memcpy(bytes, &area, 16);
  memcpy(bytes + 64, &distance, 16);
  memcpy(bytes + 80, &cells, 8);
  memcpy(bytes + 88, &farthest, 8);
  return gv_statistics_add_sums(context, s, 0, bytes);
}

/* On every kind of grid: more cells than it has, at once or added up, and sums that are impossible for that
 * number of cells. */
static void sums_beyond_the_grid_are_refused(void **state) {
  (void)state;
  static const gv_grid_kind kinds[] = {GV_GRID_LONLAT, GV_GRID_PLANE, GV_GRID_QTM};
  const wide term = (wide)1 << 63;
  for (int k = 0; k < 3; k++) {
    world w;
    make_world(&w, kinds[k], kinds[k] == GV_GRID_PLANE ? GV_EUCLIDEAN : GV_GREAT_CIRCLE);
    gv_context *context = new_context();
    gv_voronoi *voronoi = new_voronoi(context, &w, 32);
    gv_statistics *s = new_statistics(context, voronoi);
    const int64_t cells = w.width * w.height;
    const struct {
      wide area, distance;
      int64_t cells;
      double farthest;
    } bad[] = {{0, 0, cells + 1, 0.0}, {0, 0, INT64_MAX, 0.0},      {0, 0, -1, 0.0},        {-1, 0, 1, 0.0},
               {0, -1, 1, 0.0},        {term + 1, 0, 1, 0.0},       {0, term + 1, 1, 0.0},  {1, 0, 0, 0.0},
               {0, 1, 0, 0.0},         {0, 0, 1, (double)INFINITY}, {0, 0, 1, (double)NAN}, {0, 0, 1, 1e300},
               {0, 0, 1, -1.0},        {0, 0, 1, -(double)INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
      assert_int_equal(add_made(context, s, bad[i].area, bad[i].distance, bad[i].cells, bad[i].farthest),
                       GV_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(add_made(context, s, term, term, 1, 1.0), GV_OK);
    assert_int_equal(add_made(context, s, 0, 0, cells, 0.0), GV_ERROR_INVALID_ARGUMENT);
    assert_int_equal(add_made(context, s, 0, 0, cells - 1, 0.0), GV_OK);
    gv_statistics_destroy(s);
    gv_voronoi_destroy(voronoi);
    gv_context_destroy(context);
    free_world(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_the_whole),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(sums_that_overflow_are_refused),
      cmocka_unit_test(sums_beyond_the_grid_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
