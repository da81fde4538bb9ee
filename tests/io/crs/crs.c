/* Coordinate systems: their descriptions, and operations between them against formulas and PROJ's own. */
#include "io/crs/crs.h"

#include "cmocka_test.h"

#include <cpl_conv.h>
#include <math.h>
#include <proj.h>
#include <string.h>

#include "split_mix.h"

static gv_io io;
static uint64_t state_of_random = 1;

static double uniform(double low, double high) {
  return low + (high - low) * (double)(split_mix(&state_of_random) >> 11) * 0x1p-53;
}

static OGRSpatialReferenceH parse(const char *text) {
  OGRSpatialReferenceH crs = NULL;
  if (gv_crs_parse(&io, text, "--crs", &crs) != GV_OK) fail_msg("%s: %s", text, io.message);
  return crs;
}

typedef struct fact {
  const char *text, *described;
  bool lonlat, fits;
  double unit, semi_major, reverse_flattening; /* the ellipsoid's, as published */
} fact;

static const fact facts[] = {
    {"EPSG:4326", "WGS 84 (EPSG:4326)", true, false, 1.0, 6378137.0, 298.257223563},
    {"EPSG:4807", "NTF (Paris) (EPSG:4807)", true, false, 0.9, 6378249.2, 293.466021293626},
    {"EPSG:4267", "NAD27 (EPSG:4267)", true, false, 1.0, 6378206.4, 294.978698213898},
    {"EPSG:3857", "WGS 84 / Pseudo-Mercator (EPSG:3857)", false, false, 0.0, 6378137.0, 298.257223563},
    {"EPSG:32633", "WGS 84 / UTM zone 33N (EPSG:32633)", false, true, 0.0, 6378137.0, 298.257223563},
    {"EPSG:3035", "ETRS89-extended / LAEA Europe (EPSG:3035)", false, true, 0.0, 6378137.0, 298.257222101},
    {"EPSG:2100", "GGRS87 / Greek Grid (EPSG:2100)", false, true, 0.0, 6378137.0, 298.257222101},
    {"+proj=longlat +R=3396190 +no_defs", "unknown", true, false, 1.0, 3396190.0, 0.0},
};
enum { FACTS = sizeof facts / sizeof *facts };

static void facts_of_systems(void **state) {
  (void)state;
  for (int i = 0; i < FACTS; i++) {
    const fact *f = &facts[i];
    OGRSpatialReferenceH crs = parse(f->text), again = parse(f->text);
    char text[256];
    double semi_major, flattening, expected = f->reverse_flattening > 0.0 ? 1.0 / f->reverse_flattening : 0.0;
    gv_crs_describe(crs, text, sizeof text);
    assert_string_equal(text, f->described);
    assert_int_equal(gv_crs_is_lonlat(crs), f->lonlat);
    if ((gv_crs_default_metric(crs, NULL) == GV_EUCLIDEAN) != f->fits)
      fail_msg("%s: default metric", f->text);
    if (f->lonlat)
      assert_true(fabs(gv_crs_unit_degrees(crs) - f->unit) < 1e-12 &&
                  (f->unit != 1.0 || gv_crs_unit_degrees(crs) == 1.0));
    assert_int_equal(gv_crs_ellipsoid(&io, crs, &semi_major, &flattening), GV_OK);
    if (!(fabs(semi_major - f->semi_major) < 1e-9) || !(fabs(flattening - expected) < 1e-14))
      fail_msg("%s: %.17g %.17g, not %.17g %.17g", f->text, semi_major, flattening, f->semi_major, expected);
    for (int k = 0; k < FACTS; k++) {
      OGRSpatialReferenceH other = parse(facts[k].text);
      assert_int_equal(gv_crs_same(k == i ? again : crs, other), k == i);
      OSRRelease(other);
    }
    OSRRelease(crs);
    OSRRelease(again);
  }
  double semi_major, flattening;
  OGRSpatialReferenceH long_axis = parse("GEOGCS[\"x\",DATUM[\"x\",SPHEROID[\"x\",6378137,0.5]],PRIMEM["
                                         "\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433]]");
  assert_int_equal(gv_crs_ellipsoid(&io, long_axis, &semi_major, &flattening), GV_ERROR_PROJECTION);
  assert_non_null(strstr(io.message, "inverse flattening 0.5"));
  OSRRelease(long_axis);
  gv_crs_describe(NULL, io.message, sizeof io.message);
  assert_string_equal(io.message, "no coordinate system");
}

static void texts_that_are_no_systems(void **state) {
  (void)state;
  static const char *const texts[] = {"EPSG:1", "nonsense", "", "+proj=nothing"};
  for (int i = 0; i < 4; i++) {
    OGRSpatialReferenceH crs = NULL;
    assert_int_not_equal(gv_crs_parse(&io, texts[i], "--grid-crs", &crs), GV_OK);
    assert_null(crs);
    assert_non_null(strstr(io.message, "--grid-crs"));
    assert_null(strchr(io.message, '\n'));
  }
}

/* Web Mercator is a formula; positions outside its edge, or without an image, have no result. */
static void mercator_is_a_formula(void **state) {
  (void)state;
  const double a = 6378137.0, degree = 3.14159265358979323846 / 180.0;
  OGRSpatialReferenceH mercator = parse("EPSG:3857"), globe = parse("EPSG:4326");
  gv_operation *to_globe = NULL, *to_map = NULL;
  assert_int_equal(gv_operation_to_globe(&io, mercator, globe, NULL, NULL, 0, &to_globe), GV_OK);
  assert_int_equal(gv_operation_between(&io, globe, mercator, NULL, NULL, 0, &to_map), GV_OK);
  assert_true(gv_operation_is_cylindrical(to_globe));
  for (int i = 0; i < 2000; i++) {
    double lon = uniform(-179.9, 179.9), lat = uniform(-85, 85), x = a * lon * degree,
           y = a * log(tan((45.0 + 0.5 * lat) * degree)), at[2] = {x, y};
    assert_int_equal(gv_operation_apply(&at[0], &at[1], 1, to_globe), 0);
    assert_true(fabs(at[0] - lon) < 1e-9 && fabs(at[1] - lat) < 1e-9);
    assert_int_equal(gv_operation_apply(&at[0], &at[1], 1, to_map), 0);
    assert_true(fabs(at[0] - x) < 1e-3 && fabs(at[1] - y) < 1e-3);
  }
  gv_operation_destroy(to_globe);
  gv_operation_destroy(to_map);
  OSRRelease(mercator);
  OSRRelease(globe);
}

/* Axes in the order of the authority, which is north before east here, make no difference; as many at once as
 * one by one. */
static void operations_are_those_of_proj(void **state) {
  (void)state;
  enum { COUNT = 500 };
  static const char *const systems[] = {"EPSG:32633", "EPSG:3035", "EPSG:2193"};
  static const double middles[][2] = {{15.0, 50.0}, {10.0, 52.0}, {173.0, -41.0}};
  for (int i = 0; i < 3; i++) {
    PJ *direct = proj_create_crs_to_crs(PJ_DEFAULT_CTX, "EPSG:4326", systems[i], NULL),
       *ordered = proj_normalize_for_visualization(PJ_DEFAULT_CTX, direct);
    OGRSpatialReferenceH map = parse(systems[i]), globe = parse("EPSG:4326");
    gv_operation *operation = NULL;
    double x[COUNT], y[COUNT], lon[COUNT], lat[COUNT];
    assert_non_null(ordered);
    for (int k = 0; k < COUNT; k++) {
      lon[k] = middles[i][0] + uniform(-2, 2);
      lat[k] = middles[i][1] + uniform(-3, 3);
      PJ_COORD image = proj_trans(ordered, PJ_FWD, proj_coord(lon[k], lat[k], 0.0, HUGE_VAL));
      x[k] = image.xy.x;
      y[k] = image.xy.y;
    }
    assert_int_equal(gv_operation_to_globe(&io, map, globe, x, y, COUNT, &operation), GV_OK);
    assert_false(gv_operation_is_cylindrical(operation));
    double one_x = x[7], one_y = y[7];
    assert_int_equal(gv_operation_apply(x, y, COUNT, operation), 0);
    assert_int_equal(gv_operation_apply(&one_x, &one_y, 1, operation), 0);
    assert_true(one_x == x[7] && one_y == y[7]);
    for (int k = 0; k < COUNT; k++) {
      if (!(fabs(x[k] - lon[k]) < 2e-8) || !(fabs(y[k] - lat[k]) < 2e-8))
        fail_msg("%s: %.12g %.12g, not %.12g %.12g", systems[i], x[k], y[k], lon[k], lat[k]);
    }
    double nowhere[2] = {HUGE_VAL, HUGE_VAL};
    assert_int_equal(gv_operation_apply(&nowhere[0], &nowhere[1], 1, operation), 0);
    assert_true(nowhere[0] == HUGE_VAL && nowhere[1] == HUGE_VAL);
    gv_operation_destroy(operation);
    OSRRelease(map);
    OSRRelease(globe);
    proj_destroy(ordered);
    proj_destroy(direct);
  }
}

static void longitudes_far_away(void **state) {
  (void)state;
  const double world[6] = {-180, 1, 0, 90, 0, -1}, far[6] = {36300, 1, 0, 90, 0, -1};
  assert_int_equal(gv_check_longitudes(&io, "the grid", world, 360, 180, 360.0), GV_OK);
  assert_int_equal(gv_check_longitudes(&io, "the grid", far, 360, 180, 360.0), GV_ERROR_INVALID_ARGUMENT);
  assert_non_null(strstr(io.message, "the grid"));
}

/* Systems that mean "none". */
static void undefined_systems(void **state) {
  (void)state;
  OGRSpatialReferenceH undefined = gv_crs_undefined(), globe = parse("EPSG:4326"), copy = NULL;
  bool swapped = false;
  assert_true(gv_crs_is_undefined(undefined) && !gv_crs_is_undefined(globe));
  assert_int_equal(gv_crs_copy(&io, undefined, &copy, &swapped), GV_OK);
  assert_null(copy);
  assert_int_equal(gv_crs_copy(&io, NULL, &copy, &swapped), GV_OK);
  assert_null(copy);
  assert_int_equal(gv_crs_copy(&io, globe, &copy, &swapped), GV_OK);
  assert_true(copy != NULL && gv_crs_same(copy, globe));
  OSRRelease(copy);
  OSRRelease(undefined);
  OSRRelease(globe);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_of_systems),      cmocka_unit_test(texts_that_are_no_systems),
      cmocka_unit_test(mercator_is_a_formula), cmocka_unit_test(operations_are_those_of_proj),
      cmocka_unit_test(longitudes_far_away),   cmocka_unit_test(undefined_systems),
  };
  CPLSetErrorHandler(gv_io_take_message);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
