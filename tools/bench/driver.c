/* The rounds of a group, and their report. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "search/device_times.h"

/* Measurements of a case. */
typedef struct record {
  bench_sample samples[BENCH_MOST_RUNS];
  int runs;
  double spent;
  bool ended;
} record;

typedef struct summary {
  double median, least, most;
} summary;

bool bench_fail(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fprintf(stderr, "gpuvoronoi-bench: error: ");
  vfprintf(stderr, format, rest);
  fputc('\n', stderr);
  va_end(rest);
  return false;
}

static double now(const bench *b) {
  struct timespec t;
  clock_gettime(b->cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_start(const bench *b, bench_sample *s) {
  s->value[DEVICE] = -gv_context_device_seconds(b->context);
  s->value[SECONDS] = -now(b);
}

void bench_stop(const bench *b, bench_sample *s) {
  s->value[SECONDS] += now(b);
  s->value[DEVICE] += gv_context_device_seconds(b->context);
}

uint64_t bench_checksum(const void *values, size_t bytes) {
  uint64_t sum = bytes;
  for (size_t i = 0; i < bytes; i += sizeof sum) {
    uint64_t word = 0;
    memcpy(&word, (const char *)values + i, bytes - i < sizeof word ? bytes - i : sizeof word);
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    sum ^= sum >> 32;
  }
  return sum;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of a value of all runs, or of its ratios to another case's in the same rounds; zeros if one has none. */
static summary summarize(const record *r, bench_value v, const record *to) {
  double values[BENCH_MOST_RUNS];
  int n = to != NULL && to->runs < r->runs ? to->runs : r->runs;
  for (int i = 0; i < n; i++) {
    if (to != NULL && !(to->samples[i].value[v] > 0.0)) return (summary){0};
    values[i] = r->samples[i].value[v] / (to != NULL ? to->samples[i].value[v] : 1.0);
  }
  if (n == 0) return (summary){0};
  qsort(values, (size_t)n, sizeof *values, compare_doubles);
  return (summary){0.5 * (values[(n - 1) / 2] + values[n / 2]), values[0], values[n - 1]};
}

/* ----------------------------------------------------------------------------------------------- printing */

static void put_json_text(const char *before, const char *text) {
  printf("%s\"", before);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text >= 32) putchar(*text);
  }
  printf("\"");
}

static void put_value(const bench *b, const char *name, double value) {
  if (value > 0.0) printf(b->json ? ", \"%s\": %.6g" : "  %s %.4g", name, value);
}

static void print_row(const bench *b, const char *group, const bench_case *c, const record *r,
                      const bench_case *against, const record *to) {
  static const char *const names[VALUES] = {"seconds", "device", "build", "build_device", "peak_mib"};
  summary seconds = summarize(r, SECONDS, NULL);
  if (b->json) {
    put_json_text("{\"benchmark\": ", b->name);
    put_json_text(", \"group\": ", group);
    put_json_text(", \"case\": ", c->name);
  } else {
    printf("  %-30s%s", c->name, r->runs == 0 ? "  -" : "");
  }
  put_value(b, "runs", r->runs);
  for (int v = 0; v < VALUES && r->runs > 0; v++)
    put_value(b, names[v], summarize(r, (bench_value)v, NULL).median);
  put_value(b, "least", seconds.least);
  put_value(b, "most", seconds.most);
  if (r->runs > 0) put_value(b, "M/s", c->items / seconds.median * 1e-6);
  if (to != NULL && to->runs > 0 && r->runs > 0) {
    put_value(b, "ratio", summarize(r, SECONDS, to).median);
    put_value(b, "device_ratio", summarize(r, DEVICE, to).median);
    if (b->json) put_json_text(", \"against\": ", against->name);
    if (!b->json) printf("  against %s", against->name);
  }
  puts(b->json ? "}" : "");
}

/* --------------------------------------------------------------------------------------------- the rounds */

/* Runs a case once. The warm-up round, -1, is reported if no other is run. */
static bool run_case(bench *b, const bench_case *cases, record *records, int i, int round) {
  const bench_case *c = &cases[i];
  record *r = &records[i];
  bench_sample *s = &r->samples[round < 0 ? 0 : round];
  if (r->ended) return true;
  *s = (bench_sample){.result = 0};
  gv_status status = c->run(b, c, s);
  const char *message = gv_context_message(b->context);
  bool left_out =
      status == GV_ERROR_UNSUPPORTED || status == GV_ERROR_UNAVAILABLE || status == GV_ERROR_OUT_OF_MEMORY;
  if (status != GV_OK && !left_out)
    return bench_fail("%s: %s%s%s", c->name, gv_status_message(status), *message != '\0' ? ": " : "",
                      message);
  for (int other = 0; other < i && c->result > 0 && !left_out; other++)
    if (cases[other].result == c->result && records[other].runs > 0 &&
        records[other].samples[0].result != s->result)
      return bench_fail("%s: the result differs from that of %s", c->name, cases[other].name);
  r->runs = left_out ? 0 : round < 0 ? 1 : round + 1;
  r->spent += s->value[BUILD] + s->value[SECONDS];
  r->ended = left_out || r->spent >= b->seconds;
  return true;
}

static bool case_is_wanted(const bench *b, const bench_case *cases, int count, int i) {
  if (b->only == NULL || strstr(cases[i].name, b->only) != NULL) return true;
  for (int other = 0; other < count; other++)
    if (cases[other].against == i && strstr(cases[other].name, b->only) != NULL) return true;
  return false;
}

bool bench_group(bench *b, const char *group, const bench_case *cases, int count) {
  record *records = calloc((size_t)count, sizeof *records);
  bool good = records != NULL || bench_fail("out of memory");
  for (int round = -1; round < b->runs; round++)
    for (int i = 0; i < count && good; i++)
      if (case_is_wanted(b, cases, count, i)) good = run_case(b, cases, records, i, round);
  if (good && !b->json) printf("%s\n", group);
  for (int i = 0; i < count && good; i++) {
    int to = cases[i].against;
    if (case_is_wanted(b, cases, count, i))
      print_row(b, group, &cases[i], &records[i], to >= 0 ? &cases[to] : NULL, to >= 0 ? &records[to] : NULL);
  }
  fflush(stdout);
  free(records);
  return good;
}
