/* gpuvoronoi bench SUITE: finds the benchmark, and what all of them need. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cpl_string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/commands.h"

const cli_command bench_commands[] = {
    {"facility", bench_facility_command, &bench_facility_syntax,
     "ranks, masks, limits, statistics and distances, against the plain allocation"},
    {"qtm", bench_qtm_command, &bench_qtm_syntax,
     "triangles of the QTM mesh: backends against serial, then level after level"},
    {"raster", bench_raster_command, &bench_raster_syntax,
     "engines, whole command and projected grids, against memset, gdal_create and PROJ"},
    {"search", bench_search_command, &bench_search_syntax, "the search backends side by side, in six suites"},
    {NULL, NULL, NULL, NULL},
};

int bench_command(int argc, char **argv) {
  const cli_command *found = argc > 0 ? cli_find(bench_commands, argv[0]) : NULL;
  if (found != NULL) return cli_answered(found->run(argc - 1, argv + 1));
  if (argc > 0 && strcmp(argv[0], "--help") == 0) {
    printf("Usage: gpuvoronoi bench BENCHMARK [options]; each has --help\n\n");
    for (const cli_command *one = bench_commands; one->name != NULL; one++)
      printf("  %-8s %s\n", one->name, one->summary);
    return cli_answered(EXIT_OK);
  }
  return cli_fail(EXIT_USAGE, "bench: say which benchmark (gpuvoronoi bench --help lists them)");
}

double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

bench_summary bench_summarise(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, compare_doubles);
  double median = n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
  return (bench_summary){median, values[0], values[n - 1]};
}

/* SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014. */
double bench_uniform(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

void bench_seeds_on_globe(int64_t n, uint64_t start, double *lon, double *lat) {
  uint64_t state = start;
  for (int64_t i = 0; i < n; i++) {
    lon[i] = 360.0 * bench_uniform(&state) - 180.0;
    lat[i] = asin(2.0 * bench_uniform(&state) - 1.0) * (180.0 / 3.14159265358979323846);
  }
}

gv_status bench_read_size(gv_io *io, const char *value, int64_t least_width, int64_t least_height, int64_t most,
                          int64_t *width, int64_t *height) {
  int64_t pair[2];
  if (!gv_read_integers(value, pair, 2) || pair[0] < least_width || pair[1] < least_height || pair[0] > most ||
      pair[1] > most) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "--size cannot be '%s' (at least %" PRId64 ",%" PRId64 ", at most %" PRId64 ")", value,
                      least_width, least_height, most);
  }
  *width = pair[0];
  *height = pair[1];
  return GV_OK;
}

gv_status bench_read_counts(gv_io *io, const char *option, const char *value, int64_t *counts, int most, int *n) {
  char **parts = CSLTokenizeString2(value, ",", 0);
  *n = CSLCount(parts);
  bool good = *n >= 1 && *n <= most;
  for (int i = 0; i < *n && good; i++)
    good = gv_read_integers(parts[i], &counts[i], 1) && counts[i] >= 1 && counts[i] <= INT32_MAX;
  CSLDestroy(parts);
  return good ? GV_OK
              : gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: '%s' is no list of up to %d numbers", option, value,
                           most);
}
