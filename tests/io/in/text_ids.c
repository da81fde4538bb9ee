/* Texts as ids, and the hash table beneath. */
#include "cmocka_test.h"

#include <stdio.h>

#include "core/hash.h"
#include "io/in/text_ids.h"

static void numbers_are_found_again(void **state) {
  enum { COUNT = 5000 };
  gv_hash table = {0};
  (void)state;
  for (uint64_t i = 0; i < 2 * COUNT; i++) { /* multiples of a large power of two, each twice */
    assert_true(gv_hash_reserve(&table));
    gv_hash_entry *entry = gv_hash_find(&table, (i % COUNT) << 50 | i % COUNT);
    assert_int_equal(entry->value, i < COUNT ? 0 : i - COUNT + 1);
    if (i < COUNT) *entry = (gv_hash_entry){i << 50 | i, (int64_t)i + 1}, table.count++;
  }
  assert_int_equal(table.count, COUNT);
  assert_true(table.capacity >= 2 * table.count && (table.capacity & (table.capacity - 1)) == 0);
  free(table.entries);
}

static void texts_keep_their_first_numbers(void **state) {
  /* The last two have the same FNV-1a. */
  static const char *const texts[] = {"", "a", "b", "8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"};
  gv_text_ids ids = {.table = {0}};
  gv_io io = {.cancelled = NULL};
  int64_t first;
  char text[32];
  (void)state;
  for (int64_t i = 0; i < 10; i++) {
    assert_int_equal(gv_text_ids_find(&io, &ids, texts[i % 5], 100 + i, &first), GV_OK);
    assert_int_equal(first, 100 + i % 5);
  }
  for (int64_t i = 0; i < 20000; i++) {
    snprintf(text, sizeof text, "seed %d", (int)(i % 10000));
    assert_int_equal(gv_text_ids_find(&io, &ids, text, i, &first), GV_OK);
    assert_int_equal(first, i % 10000);
  }
  assert_int_equal(gv_text_ids_find(&io, &ids, texts[4], 0, &first), GV_OK);
  assert_int_equal(first, 104);
  gv_text_ids_free(&ids);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_found_again),
      cmocka_unit_test(texts_keep_their_first_numbers),
  };
  return cmocka_run_group_tests_name("text_ids", tests, NULL, NULL);
}
