/* Builds without kernels for AVX: the table returned is one of those built, on any processor. */
#include "cmocka_test.h"

#undef GV_HAVE_X86_KERNELS
#include "core/core.h"

typedef struct numbers {
  int value;
} numbers;

GV_KERNEL_TABLE(numbers);
const numbers numbers_baseline = {7};

static void only_built_tables_are_returned(void **state) {
  (void)state;
  assert_ptr_equal(numbers_get(), &numbers_baseline);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_built_tables_are_returned)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
