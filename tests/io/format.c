/* The table of drivers: rows are found by driver and by path, and name options that the drivers have. */
#include "io/format.h"

#include "cmocka_test.h"

#include <string.h>
#include <strings.h>

static void rows_are_found_by_driver(void **state) {
  (void)state;
  int known = 0;
  for (int i = 0; i < GDALGetDriverCount(); i++) {
    const gv_format *format = gv_format_of(GDALGetDriver(i));
    bool row = format->driver[0] != '\0';
    known += row;
    assert_true(!row || strcasecmp(format->driver, GDALGetDriverShortName(GDALGetDriver(i))) == 0);
  }
  assert_true(known > 10);
  const gv_format *other = gv_format_of(NULL), none = {.driver = other->driver};
  assert_string_equal(other->driver, "");
  assert_memory_equal(other, &none, sizeof none);
  assert_ptr_equal(gv_format_of(gv_format_memory_driver()), other);
}

static void rows_are_found_by_path(void **state) {
  (void)state;
  assert_true(gv_format_of_path("a.tif")->tiled);
  assert_ptr_equal(gv_format_of_path("/b/A.TIFF"), gv_format_tiled());
  assert_ptr_equal(gv_format_of_path("a.vrt"), gv_format_virtual());
  assert_ptr_equal(gv_format_of_path("a.nc"), gv_format_with_arrays(GV_ARRAYS_NETCDF));
  assert_ptr_equal(gv_format_of_path("a.zarr"), gv_format_with_arrays(GV_ARRAYS_ZARR));
  assert_null(gv_format_of_path("a.tif.gz"));
  assert_null(gv_format_of_path("tif"));
}

static void files_that_name_others(void **state) {
  (void)state;
  for (const char *const *name = gv_format_naming(false); *name != NULL; name++) {
    assert_true(gv_format_of(GDALGetDriverByName(*name))->indirect);
    assert_false(gv_format_of(GDALGetDriverByName(*name))->on_demand);
  }
  assert_string_equal(gv_format_naming(true)[0], gv_format_on_demand()[0]);
}

static void names_are_compared_without_case(void **state) {
  (void)state;
  assert_true(gv_format_is(gv_format_tiled(), "gtiff"));
  assert_false(gv_format_is(gv_format_tiled(), "COG"));
  assert_false(gv_format_is(gv_format_tiled(), NULL));
  assert_non_null(gv_format_driver(gv_format_tiled()));
}

/* An option that the driver lacks would be a warning in each run. */
static void drivers_have_the_options(void **state) {
  (void)state;
  int lists = 0;
  for (int i = 0; i < GDALGetDriverCount(); i++) {
    GDALDriverH driver = GDALGetDriver(i);
    const gv_format *format = gv_format_of(driver);
    const char *const *options[] = {format->options, format->byte_options, format->wide_options};
    for (int k = 0; k < 3; k++) {
      if (options[k] == NULL) continue;
      lists++;
      if (!GDALValidateCreationOptions(driver, (CSLConstList)options[k]))
        fail_msg("%s: %s ...: not options of the driver", format->driver, options[k][0]);
    }
    const char *has = GDALGetMetadataItem(driver, GDAL_DMD_CREATIONOPTIONLIST, NULL);
    assert_true(format->array_option == NULL || strstr(has, format->array_option) != NULL);
  }
  assert_true(lists >= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_found_by_driver), cmocka_unit_test(rows_are_found_by_path),
      cmocka_unit_test(files_that_name_others), cmocka_unit_test(names_are_compared_without_case),
      cmocka_unit_test(drivers_have_the_options)};
  GDALAllRegister();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
