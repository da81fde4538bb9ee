/* gpuvoronoi bench SUITE: finds the benchmark, and what all of them need. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/commands.h"

static const struct {
  const char *name;
  command_fn run;
  const char *summary;
} benchmarks[] = {
    {"facility", bench_facility_command,
     "ranks, masks, limits, statistics and distances, against the plain allocation"},
    {"qtm", bench_qtm_command, "triangles of the QTM mesh: backends against serial, then level after level"},
    {"raster", bench_raster_command,
     "engines, whole command and projected grids, against memset, gdal_create and PROJ"},
    {"search", bench_search_command, "the search backends side by side, in four suites"},
};

int bench_command(int argc, char **argv) {
  size_t count = sizeof benchmarks / sizeof benchmarks[0];
  for (size_t i = 0; argc > 0 && i < count; i++) {
    if (strcmp(argv[0], benchmarks[i].name) == 0) return benchmarks[i].run(argc - 1, argv + 1);
  }
  if (argc > 0 && strcmp(argv[0], "--help") == 0) {
    printf("Usage: gpuvoronoi bench BENCHMARK [options]; each has --help\n\n");
    for (size_t i = 0; i < count; i++)
      printf("  %-8s %s\n", benchmarks[i].name, benchmarks[i].summary);
    return EXIT_OK;
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
