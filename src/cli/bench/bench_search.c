/*
 * gpuvoronoi bench search: the search backends side by side on the sizes that publications and packages use.
 *
 * A case builds the index and searches once without being measured (warm-up), then as often as asked while it stays
 * within its time; medians with the smallest and largest time are shown. Every backend's answer is compared with the
 * first one's. A backend whose work is foreseeably too long is left out, and shows as "-".
 */
#include "cli/commands.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "gpuvoronoi.h"

enum { MAX_REPEAT = 99, CLUSTERS = 64 };

typedef enum data_kind { UNIFORM_UNIT, UNIFORM_WIDE, INTEGERS, CLUSTERED, SPHERE } data_kind;

static const char *const data_names[] = {"uniform [0,1)", "uniform [-500,500)", "integers", "clustered",
                                         "on the unit sphere"};

typedef struct bench_case {
  char suite;
  int32_t dim;
  int64_t queries, references;
  int32_t k;
  data_kind data;
  bool self; /* the references against themselves */
} bench_case;

typedef struct settings {
  const char *suites, *backends, *csv_path;
  bool quick;
  int repeat, threads;
  double seconds;
  gv_context *context;
  FILE *csv;
} settings;

/* ---------------------------------------------------------------------------------------------------- data */

/* Points number `stream`, the same on every machine. */
static void fill(double *values, int64_t count, int32_t dim, data_kind kind, uint64_t stream) {
  uint64_t state = stream * 1000003, centres = 42;
  double centre[CLUSTERS * 16];
  for (int i = 0; i < CLUSTERS * 16; i++)
    centre[i] = bench_uniform(&centres);
  for (int64_t i = 0; i < count && kind == SPHERE; i++) {
    double z = 2.0 * bench_uniform(&state) - 1.0, turn = 6.28318530717958648 * bench_uniform(&state);
    double radius = sqrt(1.0 - z * z), vector[3] = {radius * cos(turn), radius * sin(turn), z};
    for (int32_t d = 0; d < dim; d++)
      values[i * dim + d] = d < 3 ? vector[d] : 0.0;
  }
  for (int64_t i = 0; i < count && kind != SPHERE; i++) {
    int cluster = kind == CLUSTERED ? (int)(bench_uniform(&state) * CLUSTERS) : 0;
    for (int32_t d = 0; d < dim; d++) {
      double u = bench_uniform(&state), *out = values + i * dim + d;
      switch (kind) {
      case UNIFORM_WIDE:
        *out = u * 1000.0 - 500.0;
        break;
      case INTEGERS:
        *out = floor(u * 100.0);
        break;
      case CLUSTERED: /* a sum of uniforms: bell-shaped, 1 % wide */
        *out = centre[cluster * 16 + d % 16] + 0.01 * (u + bench_uniform(&state) + bench_uniform(&state) - 1.5);
        break;
      default:
        *out = u;
        break;
      }
    }
  }
}

/* ----------------------------------------------------------------------------------------------- measuring */

/* A rough forecast of a search in seconds, for two processors or a GPU: only to leave out what would take minutes. */
static double forecast(const char *backend, const bench_case *c) {
  bool gpu = strncmp(backend, "cuda-", 5) == 0, tree = strstr(backend, "tree") != NULL;
  double pairs = (double)c->queries * (double)c->references, dim = c->dim;
  if (strcmp(backend, "serial") == 0) return pairs * (1e-9 + dim * 1e-9);
  if (strcmp(backend, "openmp") == 0) return pairs * (1.5e-10 + dim * 1.5e-11);
  if (gpu && !tree) return 1e-3 + pairs * (2e-12 + dim * 1e-12);
  double visited = ldexp(1.0, (int)(dim < 40 ? dim : 40) + 8); /* points a tree looks at for a query */
  double points = visited < (double)c->references ? visited : (double)c->references;
  double seconds = (double)c->queries * points * (1e-9 + dim * 3e-10) + (double)c->references * 1e-6;
  return gpu ? 1e-3 + seconds / 50.0 : seconds;
}

static bool listed(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at != NULL && *at != '\0';) {
    const char *end = strchr(at, ',');
    size_t part = end != NULL ? (size_t)(end - at) : strlen(at);
    if (part == length && strncmp(at, name, length) == 0) return true;
    at = end != NULL ? end + 1 : NULL;
  }
  return false;
}

typedef struct measurement {
  bench_summary build, search, device; /* device: the search's time on a GPU without copies */
  int runs;
  char chosen[64]; /* the backend that ran */
} measurement;

static gv_status measure(const settings *j, const bench_case *c, const char *backend, const gv_points *references,
                         const gv_points *queries, int64_t *indices, double *distances, measurement *out) {
  double build[MAX_REPEAT], search[MAX_REPEAT], device[MAX_REPEAT], spent = 0.0;
  gv_index_options index_options = GV_INDEX_OPTIONS_INIT;
  index_options.backend = backend;
  index_options.expected_k = c->k;
  index_options.expected_queries = c->queries;
  gv_search_options options = GV_SEARCH_OPTIONS_INIT;
  options.k = c->k;
  options.exclude_self = c->self;
  out->runs = 0;
  for (int run = -1; run < j->repeat && (run < 1 || spent < j->seconds); run++) {
    gv_index *index = NULL;
    double start = bench_now();
    gv_status status = gv_index_build(j->context, references, &index_options, &index);
    double built = bench_now(), before = gv_context_device_seconds(j->context);
    if (status != GV_OK) return status;
    status = gv_index_search(j->context, index, c->self ? NULL : queries, &options, indices, distances);
    double found = bench_now();
    snprintf(out->chosen, sizeof out->chosen, "%s", gv_index_backend(index));
    gv_index_destroy(index);
    if (status != GV_OK) return status;
    spent += found - start;
    if (run < 0) continue; /* warm-up */
    build[out->runs] = built - start;
    device[out->runs] = gv_context_device_seconds(j->context) - before;
    search[out->runs++] = found - built;
  }
  out->build = bench_summarise(build, out->runs);
  out->search = bench_summarise(search, out->runs);
  out->device = bench_summarise(device, out->runs);
  return GV_OK;
}

static void print_timing(char *text, size_t size, bench_summary t) {
  snprintf(text, size, "%.4g (%.4g - %.4g)", t.median * 1e3, t.least * 1e3, t.most * 1e3);
}

static int run_case(settings *j, const bench_case *c) {
  int result = EXIT_OK;
  int64_t places = c->queries * c->k;
  double *r = malloc((size_t)(c->references * c->dim) * sizeof *r);
  double *q = c->self ? NULL : malloc((size_t)(c->queries * c->dim) * sizeof *q);
  int64_t *indices = malloc((size_t)places * sizeof *indices), *first = malloc((size_t)places * sizeof *first);
  double *distances = malloc((size_t)places * sizeof *distances);
  const char *first_name = NULL;
  double serial = 0.0;
  if (r == NULL || (!c->self && q == NULL) || indices == NULL || first == NULL || distances == NULL) {
    result = cli_fail(EXIT_ERROR, "out of memory for a case of %" PRId64 " references", c->references);
    goto done;
  }
  fill(r, c->references, c->dim, c->data, 1);
  if (q != NULL) fill(q, c->queries, c->dim, c->data, 2);
  gv_points references = {r, c->references, c->dim, GV_FLOAT64}, queries = {q, c->queries, c->dim, GV_FLOAT64};
  printf("d %d, queries %" PRId64 ", references %" PRId64 ", k %d, %s%s\n", (int)c->dim, c->queries, c->references,
         (int)c->k, data_names[c->data], c->self ? ", against itself" : "");
  for (int b = 0; b <= gv_backend_count() && result == EXIT_OK; b++) {
    bool choose = b == gv_backend_count();
    gv_backend_info info = {.name = "auto", .searches_points = 1, .available = 1};
    if (choose && (j->backends == NULL || !listed(j->backends, "auto"))) continue;
    if (!choose && (gv_backend_get(b, &info) != GV_OK || !info.searches_points || !info.available)) continue;
    if (j->backends != NULL && !listed(j->backends, info.name)) continue;
    if (!choose && forecast(info.name, c) > j->seconds) {
      printf("  %-18s -\n", info.name);
      continue;
    }
    measurement m;
    gv_status status = measure(j, c, info.name, &references, &queries, indices, distances, &m);
    if (status == GV_ERROR_UNSUPPORTED || status == GV_ERROR_OUT_OF_MEMORY) {
      printf("  %-18s - (%s)\n", info.name, gv_status_name(status));
      continue;
    }
    if (status != GV_OK) {
      result = cli_fail(EXIT_ERROR, "%s: %s", info.name, gv_context_message(j->context));
      break;
    }
    if (first_name == NULL) {
      first_name = info.name;
      memcpy(first, indices, (size_t)places * sizeof *first);
    } else if (memcmp(first, indices, (size_t)places * sizeof *first) != 0) {
      result = cli_fail(EXIT_ERROR, "%s and %s do not agree", info.name, first_name);
    }
    if (strcmp(info.name, "serial") == 0) serial = m.search.median;
    char build[64], search[64], device[80] = "", gain[32] = "";
    print_timing(build, sizeof build, m.build);
    print_timing(search, sizeof search, m.search);
    if (m.device.median > 0.0) {
      snprintf(device, sizeof device, "device ms %.4g (%.4g - %.4g)", m.device.median * 1e3, m.device.least * 1e3,
               m.device.most * 1e3);
    }
    if (serial > 0.0) snprintf(gain, sizeof gain, "%.3g x serial", serial / m.search.median);
    printf("  %-18s build ms %-32s search ms %-32s %s %s%s%s\n", info.name, build, search, device, gain,
           choose ? " " : "", choose ? m.chosen : "");
    fflush(stdout);
    if (j->csv != NULL) {
      fprintf(j->csv, "%c,%d,%" PRId64 ",%" PRId64 ",%d,\"%s\",%s,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,", c->suite,
              (int)c->dim, c->queries, c->references, (int)c->k, data_names[c->data], info.name, m.runs,
              m.build.median, m.build.least, m.build.most, m.search.median, m.search.least, m.search.most,
              m.device.median);
      if (serial > 0.0) fprintf(j->csv, "%.4g", serial / m.search.median);
      fputc('\n', j->csv);
    }
  }

done:
  free(r);
  free(q);
  free(indices);
  free(first);
  free(distances);
  return result;
}

/* --------------------------------------------------------------------------------------------------- suites */

static int suite_a(settings *j) {
  static const int64_t sizes[][3] = {{3, 1, 2},        {3, 2, 8},         {3, 1, 1024},       {3, 1, 65536},
                                     {16, 1, 65536},   {3, 1024, 1024},   {3, 1024, 65536},   {16, 1024, 65536},
                                     {3, 1, 16777216}, {16, 1, 16777216}, {3, 1024, 1048576}, {16, 1024, 1048576}};
  int result = EXIT_OK;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && result == EXIT_OK; i++) {
    if (j->quick && sizes[i][2] > 65536) continue;
    bench_case c = {'a', (int32_t)sizes[i][0], sizes[i][1], sizes[i][2], 1, UNIFORM_UNIT, false};
    result = run_case(j, &c);
  }
  return result;
}

static int suite_b(settings *j) {
  int result = EXIT_OK;
  for (int32_t dim = 1; dim <= 256 && result == EXIT_OK; dim *= 4) {
    for (int64_t n = 256; n <= (j->quick ? 2048 : 32768) && result == EXIT_OK; n *= j->quick ? 8 : 2) {
      bench_case c = {'b', dim, n, n, 20, UNIFORM_WIDE, false};
      result = run_case(j, &c);
    }
  }
  return result;
}

static int suite_c(settings *j) {
  int result = EXIT_OK;
  for (int64_t n = 10; n <= 1000 && result == EXIT_OK; n *= 10) {
    for (int32_t dim = 10; dim <= (j->quick ? 100 : 1000) && result == EXIT_OK; dim *= 10) {
      bench_case c = {'c', dim, n, n, 10, INTEGERS, true};
      result = run_case(j, &c);
    }
  }
  return result;
}

static int suite_d(settings *j) {
  int result = EXIT_OK;
  for (int32_t dim = 2; dim <= 3; dim++) {
    for (int64_t n = 1000; n <= (j->quick ? 100000 : 10000000) && result == EXIT_OK; n *= 10) {
      for (int clustered = 0; clustered < 2; clustered++) {
        for (int32_t k = 1; k <= 20 && result == EXIT_OK; k += 19) {
          bench_case c = {'d', dim, j->quick ? 100000 : 1000000, n, k, clustered ? CLUSTERED : UNIFORM_UNIT, false};
          result = run_case(j, &c);
        }
      }
    }
  }
  return result;
}

static int suite_e(settings *j) {
  const bench_case cases[] = {{'e', 128, 32768, 32768, 20, UNIFORM_WIDE, false},
                              {'e', 4, 32768, 32768, 20, UNIFORM_WIDE, false},
                              {'e', 3, 1 << 21, 16384, 1, SPHERE, false},
                              {'e', 3, 10000000, 1000000, 1, UNIFORM_UNIT, false},
                              {'e', 3, 10000000, 1000000, 20, UNIFORM_UNIT, false}};
  int result = EXIT_OK;
  for (size_t i = 0; i < (j->quick ? 2 : sizeof cases / sizeof cases[0]) && result == EXIT_OK; i++) {
    bench_case c = cases[i];
    if (j->quick) c.queries = c.references = 2048;
    result = run_case(j, &c);
  }
  return result;
}

/* Enough work for several GPUs: queries that are dealt out, and few queries for which the points are. */
static int suite_f(settings *j) {
  const bench_case cases[] = {{'f', 3, 1 << 21, 1 << 20, 1, SPHERE, false},
                              {'f', 16, 1 << 20, 1 << 17, 20, UNIFORM_WIDE, false},
                              {'f', 128, 1 << 17, 1 << 17, 20, UNIFORM_WIDE, false},
                              {'f', 3, 128, 1 << 26, 1, UNIFORM_UNIT, false}};
  int result = EXIT_OK;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0] && result == EXIT_OK; i++) {
    bench_case c = cases[i];
    if (j->quick) c.queries = c.references = 2048;
    result = run_case(j, &c);
  }
  return result;
}

static gv_status set_suite(gv_io *io, void *to, const char *value) {
  if (*value == '\0' || strspn(value, "abcdef") != strlen(value)) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--suite takes letters from a to f, not '%s'", value);
  }
  ((settings *)to)->suites = value;
  return GV_OK;
}

static const gv_option table[] = {
    {"suite", "LETTERS", "only these suites, e.g. ad", GV_OPTION_BY(set_suite)},
    {"quick", NULL, "smaller sizes and fewer repetitions: a minute", GV_OPTION_INTO(quick)},
    {"backends", "LIST", "only these backends, separated by commas; auto is what the library would choose",
     GV_OPTION_INTO(backends)},
    {"repeat", "N", "measured runs (default: 5; fewer where runs are long)",
     GV_OPTION_RANGE(repeat, 1, MAX_REPEAT)},
    {"seconds", "S", "longest time a backend may be expected to take for a case (default: 20; quick: 2)",
     GV_OPTION_RANGE(seconds, 1e-6, DBL_MAX)},
    {"csv", "FILE", "also write the measurements to FILE", GV_OPTION_INTO(csv_path)},
    GV_OPTION_THREADS_ROW(threads),
    GV_OPTION_HELP_ROW,
};

const cli_syntax bench_search_syntax = {
    .name = "bench search",
    .usage =
        "Usage: gpuvoronoi bench search [options]\n"
        "\n"
        "Measures every search backend that can run here on six suites and prints a table for each:\n"
        "  a  nearest neighbour: (dimension, queries, references) from (3,1,2) to (16,1024,1048576), uniform "
        "[0,1)\n"
        "  b  20 nearest neighbours, dimensions 1 to 256, queries = references, uniform [-500,500)\n"
        "  c  all pairs: a set of 10 to 1000 points with 10 to 1000 integer coordinates against itself, k = 10\n"
        "  d  low dimensions: 2 and 3, 1000 to 10 million references, a million queries, uniform and clustered,\n"
        "     k = 1, 20\n"
        "  e  what GPUs are compared with: 20 nearest of 32768 in 128 and 4 dimensions, 2^21 cells and 16384 "
        "seeds\n"
        "     on the sphere, a million points and ten million queries in 3 dimensions with k = 1 and 20\n"
        "  f  enough work for several GPUs: 2^21 queries and 2^20 points on the sphere, 20 nearest in 16 and 128\n"
        "     dimensions, 128 queries and 2^26 points\n"
        "For backends on a GPU the time of the search is also shown without copies to and from the device,\n"
        "added up over the devices.\n",
    CLI_ROWS(table)};

int bench_search_command(int argc, char **argv) {
  static const struct {
    char letter;
    const char *title;
    int (*run)(settings *);
  } suites[] = {{'a', "nearest neighbour", suite_a},
                {'b', "20 nearest neighbours", suite_b},
                {'c', "all pairs without self, 10 nearest", suite_c},
                {'d', "low dimensions", suite_d},
                {'e', "what GPUs are compared with", suite_e},
                {'f', "work for several GPUs", suite_f}};
  settings j = {.suites = "abcdef", .repeat = 5};
  int result = cli_parse(&bench_search_syntax, &j, argc, argv);
  if (result != EXIT_OK) return result == CLI_DONE ? EXIT_OK : result;
  if (j.seconds == 0.0) j.seconds = j.quick ? 2.0 : 20.0;
  gv_context_options how = GV_CONTEXT_OPTIONS_INIT;
  how.threads = j.threads;
  if (gv_context_create(&how, &j.context) != GV_OK) return cli_fail(EXIT_ERROR, "out of memory");
  if (j.csv_path != NULL) {
    j.csv = fopen(j.csv_path, "w");
    if (j.csv == NULL) {
      gv_context_destroy(j.context);
      return cli_fail(EXIT_ERROR, "%s cannot be written", j.csv_path);
    }
    fputs("suite,dim,queries,references,k,data,backend,runs,build_median_s,build_min_s,build_max_s,"
          "search_median_s,search_min_s,search_max_s,device_median_s,speedup_over_serial\n",
          j.csv);
  }
  printf("gpuvoronoi %s, %d threads; medians of up to %d runs after one that is not counted (least - most)\n",
         gv_version(), gv_context_threads(j.context), j.repeat);
  for (size_t i = 0; i < sizeof suites / sizeof suites[0] && result == EXIT_OK; i++) {
    if (strchr(j.suites, suites[i].letter) == NULL) continue;
    printf("\nSuite %c: %s\n", suites[i].letter, suites[i].title);
    result = suites[i].run(&j);
  }
  if (j.csv != NULL && (ferror(j.csv) | fclose(j.csv)) != 0 && result == EXIT_OK) {
    result = cli_fail(EXIT_ERROR, "%s cannot be written", j.csv_path);
  }
  gv_context_destroy(j.context);
  return result;
}
