/* gpuvoronoi-bench BENCHMARK [options]: the table of benchmarks, and their options. */
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "core/limits.h"

static const struct {
  const char *name, *summary;
  bool (*run)(bench *b);
  int64_t size[2];
  double seconds;
} benchmarks[] = {
    {"raster",
     "nearest seeds of cells of the globe, against one thread's memset",
     bench_raster,
     {21600, 10800},
     1e9},
    {"facility", "k nearest, masks, limits, statistics, distances", bench_facility, {21600, 10800}, 1e9},
    {"cost", "travel cost over a raster, a quarter of which is land", bench_cost, {21600, 8700}, 1e9},
    {"barriers", "shortest ways round polygons on a plane", bench_barriers, {1000, 1000}, 1e9},
    {"coast",
     "nearest lines and polygons of points and cells of the globe",
     bench_coast,
     {21600, 10800},
     1e9},
    {"projected", "a grid of UTM zone 32, against PROJ's inverse alone", bench_projected, {4000, 4000}, 1e9},
    {"search", "search backends side by side, in suites", bench_search, {0, 0}, 20},
    {"command", "commands of the shell, given as arguments, against the first", bench_command, {0, 0}, 1e9},
    {"seeds", "prints uniform seeds as CSV", bench_print_seeds, {0, 0}, 1e9},
};

enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

typedef enum kind { FLAG, TEXT, INTEGER, REAL, INTEGERS, NAMES } kind;

static const struct {
  const char *name, *value, *help;
  kind kind;
  size_t at, count; /* offsets of the member, and of the number of its entries */
  double least, most;
} options[] = {
#define AT(member) offsetof(bench, member), 0
    {"size", "W,H", "cells of the raster", INTEGERS, AT(size), 1, 1 << 30},
    {"seeds", "N,N,...", "numbers of seeds (default: 10000)", INTEGERS, offsetof(bench, seeds),
     offsetof(bench, count_of_seeds), 1, 2147483647},
    {"seed-file", "FILE", "seeds: lines of longitude,latitude", TEXT, AT(seed_file), 0, 0},
    {"backends", "NAME,...", "default: auto; of a search all", NAMES, offsetof(bench, backends),
     offsetof(bench, count_of_backends), 0, 0},
    {"metric", "NAME", "default: great-circle and geodesic; facility: euclidean too", TEXT, AT(metric), 0, 0},
    {"case", "TEXT", "cases with TEXT in their names, and what they are compared with", TEXT, AT(only), 0, 0},
    {"suite", "LETTERS", "suites of searches (default: all)", TEXT, AT(suites), 0, 0},
    {"k", "K", "raster: neighbors of a cell (default: 1)", INTEGER, AT(k), 1, GV_VORONOI_MAX_K},
    {"max-distance", "D", "raster: in meters (default: no limit)", REAL, AT(max_distance), 0, 1e9},
    {"level", "L", "raster: pixels carry the results of their QTM triangles", INTEGER, AT(level), 0, 16},
    {"mesh", NULL, "raster: the cells are the triangles of that level", FLAG, AT(mesh), 0, 0},
    {"cells-of", "SYSTEM",
     "raster: the cells are those of healpix:LEVEL[,ring][,authalic] or s2:LEVEL[,authalic]", TEXT,
     AT(cells_of), 0, 0},
    {"points", "N", "raster: the cells are N points in random order; coast: queries (default: 10000000)",
     INTEGER, AT(points), 1, 2147483647},
    {"moves", "M", "cost: 8, 16 or 32 (default: 16)", INTEGER, AT(moves), 8, 32},
    {"polygons", "N", "barriers: of 10 vertices (default: 2000)", INTEGER, AT(polygons), 1, 10000000},
    {"runs", "N", "rounds after one to warm up (default: 5)", INTEGER, AT(runs), 1, BENCH_MOST_RUNS},
    {"seconds", "S", "no case runs again after so long, nor a search that takes longer (20)", REAL,
     AT(seconds), 0, 1e9},
    {"threads", "N", "default: one a processor", INTEGER, AT(threads), 1, 4096},
    {"cpu", NULL, "CPU time of all threads, not elapsed time: on machines with other work", FLAG, AT(cpu), 0,
     0},
    {"json", NULL, "one JSON object a line", FLAG, AT(json), 0, 0},
    {"help", NULL, "print this", FLAG, 0, 0, 0, 0},
#undef AT
};

enum { OPTIONS = sizeof options / sizeof *options };

static int print_help(void) {
  printf("Usage: gpuvoronoi-bench BENCHMARK [options]\n\nBenchmarks\n");
  for (int i = 0; i < BENCHMARKS; i++)
    printf("  %-10s %s\n", benchmarks[i].name, benchmarks[i].summary);
  printf("\nOptions (those that a benchmark does not need have no effect on it)\n");
  for (int o = 0; o < OPTIONS; o++)
    printf("  --%-13s %-9s %s\n", options[o].name, options[o].value != NULL ? options[o].value : "",
           options[o].help);
  return 0;
}

static bool bench_read_number(const char *text, int o, double *number) {
  char *end;
  *number = strtod(text, &end);
  return end != text && *end == '\0' && *number >= options[o].least && *number <= options[o].most &&
         (options[o].kind == REAL || *number == floor(*number));
}

/* Names or integers separated by commas: their number; 0 for other texts. */
static int read_list(char *text, int o, char *member) {
  double number = 0.0;
  int n = 0;
  for (char *one = strtok(text, ","); one != NULL; one = strtok(NULL, ","), n++) {
    if (n == BENCH_MOST_LIST || (options[o].kind == INTEGERS && !bench_read_number(one, o, &number)))
      return 0;
    if (options[o].kind == NAMES) ((char **)member)[n] = one;
    if (options[o].kind == INTEGERS && (options[o].count > 0 || n < 2))
      ((int64_t *)member)[n] = (int64_t)number;
  }
  return options[o].count > 0 || n == 2 ? n : 0;
}

static bool set(bench *b, int o, char *value) {
  char *member = (char *)b + options[o].at;
  double number;
  int count;
  switch (options[o].kind) {
  case FLAG:
    *(bool *)member = true;
    return true;
  case TEXT:
    *(const char **)member = value;
    return true;
  case INTEGERS:
  case NAMES:
    count = read_list(value, o, member);
    if (options[o].count > 0) *(int *)((char *)b + options[o].count) = count;
    return count > 0;
  default:
    if (!bench_read_number(value, o, &number)) return false;
    if (options[o].kind == REAL) *(double *)member = number;
    if (options[o].kind == INTEGER) *(int *)member = (int)number;
    return true;
  }
}

int main(int argc, char **argv) {
  bench b = {.seeds = {10000},
             .count_of_seeds = 1,
             .k = 1,
             .level = GV_QTM_NONE,
             .moves = 16,
             .polygons = 2000,
             .runs = 5,
             .max_distance = INFINITY};
  gv_context_options how;
  gv_context_options_init(&how);
  struct option list[OPTIONS + 1] = {{0}};
  const char *name = argc > 1 ? argv[1] : "";
  int i = 0;
  while (i < BENCHMARKS && strcmp(name, benchmarks[i].name) != 0)
    i++;
  if (strcmp(name, "--help") == 0) return print_help();
  if (i == BENCHMARKS)
    return bench_fail("unknown benchmark (%s); gpuvoronoi-bench --help lists them", name), 2;
  b.name = name;
  argv[1] = argv[0]; /* getopt's messages begin with it */
  b.seconds = benchmarks[i].seconds;
  memcpy(b.size, benchmarks[i].size, sizeof b.size);
  for (int o = 0; o < OPTIONS; o++)
    list[o] = (struct option){options[o].name, options[o].value != NULL ? required_argument : no_argument,
                              NULL, 256 + o};
  for (int found; (found = getopt_long_only(argc - 1, argv + 1, "", list, NULL)) != -1;) {
    if (found < 256) return 2; /* getopt has printed it */
    if (found == 256 + OPTIONS - 1) return print_help();
    if (!set(&b, found - 256, optarg))
      return bench_fail("--%s: invalid value (%s)", options[found - 256].name, optarg), 2;
  }
  b.arguments = argv + 1 + optind;
  if (*b.arguments != NULL && benchmarks[i].run != bench_command)
    return bench_fail("%s: unknown argument (%s)", name, *b.arguments), 2;
  if (b.mesh + (b.cells_of != NULL) + (b.points > 0) > 1)
    return bench_fail("--mesh, --cells-of, --points: more than one is given"), 2;
  if (b.mesh && b.level < 0) return bench_fail("--mesh: --level is missing"), 2;
  how.threads = b.threads;
  if (gv_context_create(&how, &b.context) != GV_OK) return bench_fail("out of memory"), 1;
  bool good = benchmarks[i].run(&b);
  gv_context_destroy(b.context);
  if (fflush(stdout) != 0 || ferror(stdout)) good = bench_fail("cannot write to standard output");
  return good ? 0 : 1;
}
