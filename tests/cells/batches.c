/* Cells of many points and centers of many cells: those of the functions of one. */
#include <math.h>

#include "cmocka_test.h"
#include "gpuvoronoi/cells.h"

enum { PLACES = 6, LEVEL = 3 };
static const double longitude[PLACES] = {13.4, -180.0, 540.0, 0.0, (double)NAN, 10.0},
                    latitude[PLACES] = {52.5, 90.0, 0.0, -90.0, 0.0, 90.5};

static void cells_of_places(void **unused) {
  (void)unused;
  gv_qtm_id id[PLACES], one;
  int64_t healpix[PLACES], s2[PLACES], number;
  assert_int_equal(gv_qtm_from_lonlat_array(LEVEL, longitude, latitude, PLACES, id), GV_OK);
  assert_int_equal(gv_healpix_from_lonlat_array(LEVEL, longitude, latitude, PLACES, healpix), GV_OK);
  assert_int_equal(gv_s2_from_lonlat_array(LEVEL, longitude, latitude, PLACES, s2), GV_OK);
  for (int i = 0; i < PLACES - 2; i++) {
    assert_int_equal(gv_qtm_from_lonlat(LEVEL, longitude[i], latitude[i], &one), GV_OK);
    assert_int_equal(id[i], one);
    assert_int_equal(gv_healpix_from_lonlat(LEVEL, longitude[i], latitude[i], &number), GV_OK);
    assert_int_equal(healpix[i], number);
    assert_int_equal(gv_s2_from_lonlat(LEVEL, longitude[i], latitude[i], &number), GV_OK);
    assert_int_equal(s2[i], number);
  }
  for (int i = PLACES - 2; i < PLACES; i++) { /* not a number, beyond a pole */
    assert_int_equal(id[i], 0);
    assert_int_equal(healpix[i], -1);
    assert_int_equal(s2[i], -1);
  }
}

static void centers_of_cells(void **unused) {
  (void)unused;
  double x[48], y[48], one[2];
  gv_qtm_id id;
  assert_int_equal(gv_qtm_centers(1, 5, 27, x, y), GV_OK);
  for (int i = 0; i < 27; i++) {
    assert_int_equal(gv_qtm_from_number(1, 5 + i, &id), GV_OK);
    assert_int_equal(gv_qtm_center(id, &one[0], &one[1]), GV_OK);
    assert_true(x[i] == one[0] && y[i] == one[1]);
  }
  assert_int_equal(gv_healpix_centers(1, 0, 48, x, y), GV_OK);
  for (int i = 0; i < 48; i++) {
    assert_int_equal(gv_healpix_center(1, i, &one[0], &one[1]), GV_OK);
    assert_true(x[i] == one[0] && y[i] == one[1]);
  }
  assert_int_equal(gv_s2_centers(1, 23, 1, x, y), GV_OK);
  assert_int_equal(gv_s2_center(1, 23, &one[0], &one[1]), GV_OK);
  assert_true(x[0] == one[0] && y[0] == one[1]);
}

static void facts_of_cells(void **unused) {
  (void)unused;
  gv_qtm_id id[4] = {0, 0, 0, 12345}, near[12], three[3]; /* the last: invalid */
  double x[4], y[4], corner_x[12], corner_y[12], area[4], one[2], lon[3], lat[3];
  for (int i = 0; i < 3; i++)
    assert_int_equal(gv_qtm_from_number(4 * i, 5 + i, &id[i]), GV_OK);
  assert_int_equal(gv_qtm_center_array(id, 4, x, y), GV_OK);
  assert_int_equal(gv_qtm_corner_array(id, 4, corner_x, corner_y), GV_OK);
  assert_int_equal(gv_qtm_neighbor_array(id, 4, near), GV_OK);
  assert_int_equal(gv_qtm_area_array(id, 4, area), GV_OK);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(gv_qtm_center(id[i], &one[0], &one[1]), GV_OK);
    assert_int_equal(gv_qtm_corners(id[i], lon, lat, NULL), GV_OK);
    assert_int_equal(gv_qtm_neighbors(id[i], three), GV_OK);
    assert_true(x[i] == one[0] && y[i] == one[1] && area[i] == gv_qtm_area(id[i]) && area[i] > 0);
    for (int k = 0; k < 3; k++)
      assert_true(corner_x[3 * i + k] == lon[k] && corner_y[3 * i + k] == lat[k] &&
                  near[3 * i + k] == three[k]);
  }
  assert_true(isnan(x[3]) && isnan(y[3]) && isnan(area[3]));
  for (int k = 9; k < 12; k++)
    assert_true(isnan(corner_x[k]) && isnan(corner_y[k]) && near[k] == 0);
  const gv_status bad = GV_ERROR_INVALID_ARGUMENT;
  assert_int_equal(gv_qtm_center_array(id, 1, x, NULL), bad);
  assert_int_equal(gv_qtm_corner_array(NULL, 1, corner_x, corner_y), bad);
  assert_int_equal(gv_qtm_neighbor_array(id, -1, near), bad);
  assert_int_equal(gv_qtm_area_array(id, 1, NULL), bad);
  assert_int_equal(gv_qtm_area_array(NULL, 0, NULL), GV_OK);
}

static void bad_calls(void **unused) {
  (void)unused;
  double x[2] = {7, 7}, y[2] = {7, 7};
  int64_t number[2] = {7, 7};
  const gv_status bad = GV_ERROR_INVALID_ARGUMENT;
  assert_int_equal(gv_qtm_centers(1, 31, 2, x, y), bad);
  assert_int_equal(gv_qtm_centers(30, 0, 1, x, y), bad);
  assert_int_equal(gv_healpix_centers(1, -1, 1, x, y), bad);
  assert_int_equal(gv_s2_centers(1, 0, -1, x, y), bad);
  assert_int_equal(gv_s2_centers(1, 0, 1, NULL, y), bad);
  assert_int_equal(gv_healpix_centers(-1, 0, 0, x, y), bad);
  assert_int_equal(gv_qtm_from_lonlat_array(-1, x, y, 2, number), bad);
  assert_int_equal(gv_qtm_from_lonlat_array(1, x, y, -1, number), bad);
  assert_int_equal(gv_healpix_from_lonlat_array(19, x, y, 2, number), bad);
  assert_int_equal(gv_s2_from_lonlat_array(1, x, NULL, 2, number), bad);
  assert_int_equal(gv_s2_centers(1, 24, 0, NULL, NULL), GV_OK);
  assert_int_equal(gv_qtm_from_lonlat_array(0, NULL, NULL, 0, NULL), GV_OK);
  assert_true(x[0] == 7 && y[1] == 7 && number[0] == 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cells_of_places), cmocka_unit_test(centers_of_cells),
                                     cmocka_unit_test(facts_of_cells), cmocka_unit_test(bad_calls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
