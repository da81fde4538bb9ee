/*
 * Shared by the benchmarks: options, the driver that times cases and prints them, seeds, threads.
 *
 * A benchmark makes groups of cases. bench_group runs the cases of a group in rounds, one after another in
 * each round, so that a machine that slows down slows all of them; printed are medians of the rounds, and
 * medians of the rounds' ratios.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "gpuvoronoi/gpuvoronoi.h"

enum { BENCH_MOST_RUNS = 101, BENCH_MOST_LIST = 32 };

/* Main.c has the options and their defaults. */
typedef struct bench {
  const char *name; /* of the benchmark */
  gv_context *context;
  int64_t size[2], seeds[BENCH_MOST_LIST];
  int count_of_seeds, count_of_backends;
  char *backends[BENCH_MOST_LIST];
  const char *seed_file, *metric, *only, *suites, *cells_of;
  double max_distance, seconds;
  int k, level, points, moves, polygons, runs, threads;
  bool mesh, json, cpu; /* cpu: times are CPU time, of all threads */
  char **arguments;     /* ended by NULL */
} bench;

/* Measured values of a run, in seconds unless the name has a unit. DEVICE: of kernels, by events. */
typedef enum bench_value { SECONDS, DEVICE, BUILD, BUILD_DEVICE, PEAK_MIB, VALUES } bench_value;

typedef struct bench_sample {
  double value[VALUES]; /* 0: not measured */
  uint64_t result;      /* a checksum */
} bench_sample;

typedef struct bench_case bench_case;
struct bench_case {
  const char *name;
  int against;  /* number of the case that ratios are to; -1: none */
  int result;   /* cases with one number > 0 must return one result */
  double items; /* cells or queries, for the rate; 0: no rate */
  /* Runs it once. UNSUPPORTED, UNAVAILABLE, OUT_OF_MEMORY: the case is left out. */
  gv_status (*run)(bench *b, const bench_case *c, bench_sample *s);
  const void *with; /* for `run` */
};

/* Times the cases and prints a row for each. False: an error, which has been printed. */
bool bench_group(bench *b, const char *group, const bench_case *cases, int count);

/* Prints "gpuvoronoi-bench: error: ..." and returns false. */
bool bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called around the timed code. */
void bench_start(const bench *b, bench_sample *s);
void bench_stop(const bench *b, bench_sample *s);

uint64_t bench_checksum(const void *values, size_t bytes);

/* Uniform in [0, 1); the same sequence for the same start value on every machine. */
double bench_uniform(uint64_t *state);

/* n uniform seeds on the globe in degrees, or those of --seed-file. x NULL: an error, which has been printed.
 * To be freed with free((void *)seeds.x): y is in the same memory. */
gv_points bench_seeds(const bench *b, int64_t n);

/* The grid of --size cells of the globe, and the name of a group with it. */
gv_grid bench_globe(const bench *b);
void bench_name(const bench *b, gv_points seeds, char name[128]);

/* Calls `one` for 0 ... count - 1 by all threads, which are numbered from 0 and have a context each; the
 * first error, or GV_OK. */
typedef gv_status bench_one(void *user, gv_context *context, int thread, int64_t number);
gv_status bench_parallel(const bench *b, int64_t count, bench_one *one, void *user);

/* The benchmarks: false after an error, which has been printed. */
bool bench_barriers(bench *b);
bool bench_coast(bench *b);
bool bench_command(bench *b);
bool bench_cost(bench *b);
bool bench_facility(bench *b);
bool bench_print_seeds(bench *b);
bool bench_projected(bench *b);
bool bench_raster(bench *b);
bool bench_search(bench *b);

#endif
