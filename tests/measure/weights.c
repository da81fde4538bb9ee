/* Weights by inverse distances, and areas of cells of axes: formulas, edges of the ranges, and errors. */
#include <math.h>

#include "cmocka_test.h"
#include "gpuvoronoi/weights.h"

enum { K = 3, CELLS = 5, COLUMNS = 36, ROWS = 18 };

static gv_context *make_context(void) {
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  return context;
}

static void inverse_distances(void **state) {
  (void)state;
  gv_context *context = make_context();
  const double none = (double)NAN;
  /* All three; the last is missing; none; two at distance 0; so far away that a power of the distance
   * overflows. */
  const double meters[K][CELLS] = {{1, 2, none, 0, 1e200}, {2, 2, none, 0, 2e200}, {4, none, none, 5, 4e200}};
  double weight[K][CELLS];
  assert_int_equal(gv_inverse_distance_weights(context, meters[0], CELLS, K, 3.0, weight[0]), GV_OK);
  const double whole = 1 + 1 / 8.0 + 1 / 64.0;
  for (int j = 0; j < K; j++) {
    assert_true(fabs(weight[j][0] - pow(0.125, j) / whole) < 1e-15);
    assert_true(weight[j][1] == (j < 2 ? 0.5 : 0.0));
    assert_true(weight[j][2] == 0.0);
    assert_true(weight[j][3] == (j < 2 ? 0.5 : 0.0));
    assert_true(weight[j][4] == weight[j][0]);
  }
  assert_int_equal(gv_inverse_distance_weights(context, weight[0], CELLS, K, 0.0, weight[0]), GV_OK);
  assert_true(weight[0][0] == 1.0 / 3.0 && weight[2][0] == 1.0 / 3.0);
  gv_context_destroy(context);
}

static void areas(void **state) {
  (void)state;
  gv_context *context = make_context();
  double lon[COLUMNS], lat[ROWS], width[COLUMNS], height[ROWS], sum = 0.0;
  for (int i = 0; i < COLUMNS; i++)
    lon[i] = i < 20 ? 5 + 10 * i : 5 + 10 * i - 360; /* across 180 degrees */
  for (int i = 0; i < ROWS; i++)
    lat[i] = 85 - 10 * i;
  assert_int_equal(gv_axis_cell_areas(context, lon, COLUMNS, lat, ROWS, width, height), GV_OK);
  const double degree = acos(-1.0) / 180.0;
  assert_true(fabs(width[19] - 10 * degree) < 1e-15);
  assert_true(fabs(height[0] - (1 - sin(80 * degree))) < 1e-15);
  for (int i = 0; i < COLUMNS * ROWS; i++)
    sum += width[i % COLUMNS] * height[i / COLUMNS];
  assert_true(fabs(sum - 4 * acos(-1.0)) < 1e-12);
  lat[3] = lat[2];
  assert_int_equal(gv_axis_cell_areas(context, lon, COLUMNS, lat, ROWS, width, height), GV_OK);
  assert_true(width[0] == 0.0 && height[5] == 0.0);
  assert_int_equal(gv_axis_cell_areas(context, lon, COLUMNS, lat, 1, width, height), GV_OK);
  assert_true(width[0] == 0.0 && height[0] == 0.0);
  gv_context_destroy(context);
}

/* An eighth of the globe, without and with its first vertex again; a cell across 180 degrees in the other
 * direction is that of areas(); nothing of two vertices. */
static void rings(void **state) {
  (void)state;
  gv_context *context = make_context();
  const double lon[] = {0, 90, 90, 0, 0, 90, 90, 0, 0, 185, 185, 175, 175, 3, 4},
               lat[] = {0, 0, 90, 90, 0, 0, 90, 90, 0, 80, 90, 90, 80, 5, 6};
  const int64_t ring[] = {0, 4, 9, 13, 15, 15};
  double area[5];
  const double eighth = 510065621724088.44 / 8.0;
  assert_int_equal(gv_ring_areas(context, 0.0, 0.0, lon, lat, ring, 5, area), GV_OK);
  assert_true(fabs(area[0] - eighth) < 1e-12 * eighth && area[1] == area[0]);
  assert_true(area[3] < 1e-3 && area[4] == 0.0);
  assert_int_equal(gv_ring_areas(context, 1.0, 0.0, lon, lat, ring, 3, area), GV_OK);
  const double degree = acos(-1.0) / 180.0;
  assert_true(fabs(area[2] - 10 * degree * (1 - sin(80 * degree))) < 1e-15);
  /* Straight lines between corners of a triangle: the area below its slanted side, by a thousand steps. */
  const double x[] = {10, 70, 70}, y[] = {20, 20, 65};
  const int64_t triangle[] = {0, 3};
  double sum = 0.0;
  assert_int_equal(gv_ring_areas(context, 1.0, 0.0, x, y, triangle, 1, area), GV_OK);
  for (int i = 0; i < 1000; i++)
    sum += 0.06 * degree * (sin((20 + 45 * (i + 0.5) / 1000) * degree) - sin(20 * degree));
  assert_true(fabs(area[0] - sum) < 1e-7);
  assert_int_equal(gv_ring_areas(NULL, 0.0, 0.0, x, y, triangle, 1, area), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_ring_areas(context, 0.0, 0.0, x, NULL, triangle, 1, area), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_ring_areas(context, 0.0, 0.0, x, y, triangle, -1, area), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_ring_areas(context, 1.0, 2.0, x, y, triangle, 1, area), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_ring_areas(context, 0.0, 0.0, x, y, (const int64_t[]){2, 1}, 1, area),
                   GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_ring_areas(context, 0.0, 0.0, y, (const double[]){0, 91, 0}, triangle, 1, area),
                   GV_ERROR_INVALID_ARGUMENT);
  gv_context_destroy(context);
}

static void errors(void **state) {
  (void)state;
  gv_context *context = make_context();
  double value[4] = {1, 1, 1, 1};
  assert_int_equal(gv_inverse_distance_weights(NULL, value, 1, 1, 1.0, value), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_inverse_distance_weights(context, value, 1, 0, 1.0, value), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_inverse_distance_weights(context, value, -1, 1, 1.0, value), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_inverse_distance_weights(context, value, 1, 1, -1.0, value), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_inverse_distance_weights(context, value, 1, 1, 1e7, value), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_inverse_distance_weights(context, NULL, 1, 1, 1.0, value), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_inverse_distance_weights(context, NULL, 0, 1, 1.0, NULL), GV_OK);
  assert_int_equal(gv_axis_cell_areas(NULL, value, 2, value, 2, value, value), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_axis_cell_areas(context, value, 0, value, 2, value, value), GV_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gv_axis_cell_areas(context, value, 2, NULL, 2, value, value), GV_ERROR_INVALID_ARGUMENT);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(inverse_distances), cmocka_unit_test(areas),
                                     cmocka_unit_test(rings), cmocka_unit_test(errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
