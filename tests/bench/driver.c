/* The driver of gpuvoronoi-bench (tools/bench/driver.c): rounds, medians, ratios, what ends a case, and how
 * rows are printed. */
#include "cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* A case's times, of the round to warm up first; and the order in which cases run. */
typedef struct script {
  double seconds[8];
  uint64_t result;
  gv_status status;
} script;

static char order[64];
static int calls[8];

static gv_status run(bench *b, const bench_case *c, bench_sample *s) {
  const script *is = c->with;
  int number = c->name[0] - 'a';
  (void)b;
  order[strlen(order)] = c->name[0];
  s->value[SECONDS] = is->seconds[calls[number]++];
  s->value[DEVICE] = s->value[SECONDS] / 2;
  s->result = is->result;
  return is->status;
}

/* What bench_group prints; `good`: what it returns. */
static char *printed(bench *b, const bench_case *cases, int count, bool *good) {
  static char text[4096];
  FILE *file = tmpfile();
  int out = dup(1), err = dup(2);
  assert_non_null(file);
  fflush(stdout);
  memset(order, 0, sizeof order);
  memset(calls, 0, sizeof calls);
  assert_true(dup2(fileno(file), 1) == 1 && dup2(fileno(file), 2) == 2);
  *good = bench_group(b, "group", cases, count);
  fflush(stdout);
  assert_true(dup2(out, 1) == 1 && dup2(err, 2) == 2);
  close(out);
  close(err);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static bench settings(int runs) {
  bench b = {.name = "test", .runs = runs, .seconds = 1e9, .json = true};
  assert_int_equal(gv_context_create(NULL, &b.context), GV_OK);
  return b;
}

static void test_medians_and_ratios(void **state) {
  const script a = {.seconds = {9, 1, 2, 4, 8}}, c = {.seconds = {9, 3, 2, 40, 80}};
  const bench_case cases[] = {{"a", -1, 0, 6e6, run, &a}, {"b \"x\"", 0, 0, 0, run, &c}};
  bench b = settings(4);
  bool good;
  (void)state;
  assert_string_equal(
      printed(&b, cases, 2, &good),
      "{\"benchmark\": \"test\", \"group\": \"group\", \"case\": \"a\", \"runs\": 4, \"seconds\": 3, "
      "\"device\": "
      "1.5, "
      "\"least\": 1, \"most\": 8, \"M/s\": 2}\n"
      "{\"benchmark\": \"test\", \"group\": \"group\", \"case\": \"b \\\"x\\\"\", \"runs\": 4, \"seconds\": "
      "21.5, "
      "\"device\": 10.75, \"least\": 2, \"most\": 80, \"ratio\": 6.5, \"device_ratio\": 6.5, \"against\": "
      "\"a\"}\n");
  assert_true(good);
  assert_string_equal(order, "ababababab");
  b.json = false;
  const char *text = printed(&b, cases, 2, &good);
  assert_non_null(strstr(text, "group\n  a  "));
  assert_non_null(
      strstr(text, "seconds 21.5  device 10.75  least 2  most 80  ratio 6.5  device_ratio 6.5  against a\n"));
  gv_context_destroy(b.context);
}

/* A case that has taken --seconds is not run again; if a single run takes that long, the warm-up round is
 * used. */
static void test_ends(void **state) {
  const script a = {.seconds = {5, 1, 1, 1}}, c = {.seconds = {2, 3, 1, 1}};
  const bench_case cases[] = {{"a", -1, 0, 0, run, &a}, {"b", 0, 0, 0, run, &c}};
  bench b = settings(3);
  bool good;
  (void)state;
  b.seconds = 5;
  const char *text = printed(&b, cases, 2, &good);
  assert_true(good);
  assert_string_equal(order, "abb");
  assert_non_null(strstr(text, "\"case\": \"a\", \"runs\": 1, \"seconds\": 5,"));
  assert_non_null(strstr(text, "\"case\": \"b\", \"runs\": 1, \"seconds\": 3,"));
  assert_non_null(strstr(text, "\"ratio\": 0.6,"));
  gv_context_destroy(b.context);
}

static void test_left_out(void **state) {
  const script a = {.status = GV_ERROR_UNSUPPORTED}, c = {.seconds = {1, 1}};
  const bench_case cases[] = {{"a", -1, 1, 0, run, &a}, {"b", 0, 1, 0, run, &c}};
  bench b = settings(1);
  bool good;
  (void)state;
  b.json = false;
  const char *text = printed(&b, cases, 2, &good);
  assert_true(good);
  assert_string_equal(order, "abb");
  assert_non_null(strstr(text, "  -\n"));
  assert_null(strstr(text, "ratio"));
  gv_context_destroy(b.context);
}

static void test_errors(void **state) {
  const script a = {.result = 1}, c = {.result = 2}, bad = {.status = GV_ERROR_IO};
  bench_case cases[] = {{"a", -1, 1, 0, run, &a}, {"b", -1, 1, 0, run, &c}};
  bench b = settings(1);
  bool good;
  (void)state;
  assert_string_equal(printed(&b, cases, 2, &good),
                      "gpuvoronoi-bench: error: b: the result differs from that of a\n");
  assert_false(good);
  cases[1].result = 2; /* another question */
  printed(&b, cases, 2, &good);
  assert_true(good);
  cases[1].with = &bad;
  assert_string_equal(printed(&b, cases, 2, &good), "gpuvoronoi-bench: error: b: input/output error\n");
  assert_false(good);
  gv_context_destroy(b.context);
}

/* --case: those with the text in their names, and what they are compared with. */
static void test_only(void **state) {
  const script a = {.seconds = {1, 1}};
  const bench_case cases[] = {
      {"a", -1, 0, 0, run, &a}, {"b one", -1, 0, 0, run, &a}, {"c two", 1, 0, 0, run, &a}};
  bench b = settings(1);
  bool good;
  (void)state;
  b.only = "two";
  printed(&b, cases, 3, &good);
  assert_string_equal(order, "bcbc");
  gv_context_destroy(b.context);
}

static void test_checksum(void **state) {
  char text[] = "0123456789";
  (void)state;
  uint64_t was = bench_checksum(text, 10);
  assert_true(was != bench_checksum(text, 9));
  for (int i = 0; i < 10; i++) {
    text[i] ^= 1;
    assert_true(was != bench_checksum(text, 10));
    text[i] ^= 1;
  }
  assert_true(was == bench_checksum(text, 10));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_medians_and_ratios),
                                     cmocka_unit_test(test_ends),
                                     cmocka_unit_test(test_left_out),
                                     cmocka_unit_test(test_errors),
                                     cmocka_unit_test(test_only),
                                     cmocka_unit_test(test_checksum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
