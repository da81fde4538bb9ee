/* Lists of strings: entries are added and replaced, and copies are lists of their own. */
#include "cmocka_test.h"

#include <string.h>

#include "io/strings.h"

static void entries_are_replaced_by_key(void **state) {
  char **list = NULL, **copy = NULL;
  (void)state;
  assert_true(gv_strings_add(&list, "TILED=YES"));
  assert_true(gv_strings_set(&list, "COMPRESS", "ZSTD"));
  assert_true(gv_strings_copy((const char *const *)list, &copy));
  assert_true(gv_strings_set(&list, "tiled", "NO"));
  assert_true(gv_strings_set(&list, "TILE", "1"));
  assert_string_equal(list[0], "tiled=NO");
  assert_string_equal(list[1], "COMPRESS=ZSTD");
  assert_string_equal(list[2], "TILE=1");
  assert_null(list[3]);
  assert_string_equal(copy[0], "TILED=YES");
  assert_null(copy[2]);
  gv_strings_free(list);
  gv_strings_free(copy);
}

static void nothing_is_an_empty_list(void **state) {
  char **copy = (char **)"";
  (void)state;
  assert_true(gv_strings_copy(NULL, &copy));
  assert_null(copy);
  gv_strings_free(copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(entries_are_replaced_by_key),
                                     cmocka_unit_test(nothing_is_an_empty_list)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
