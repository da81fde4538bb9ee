/*
 * What the benchmarks share: a clock, medians, uniform random numbers, values of options.
 */
#ifndef GV_CLI_BENCH_H
#define GV_CLI_BENCH_H

#include "io/io.h"

/* Seconds of a steady clock. */
double bench_now(void);

/* Median, least and largest of n values; sorts them. */
typedef struct bench_summary {
  double median, least, most;
} bench_summary;

bench_summary bench_summarise(double *values, int n);

/* Uniform in [0, 1); the same sequence for the same start value on every machine. */
double bench_uniform(uint64_t *state);

/* n seeds uniform on the globe, in degrees. */
void bench_seeds_on_globe(int64_t n, uint64_t start, double *lon, double *lat);

/* The value of --size, "W,H", and of --seeds, a list of at most `most` numbers: EXIT_OK, or EXIT_USAGE with the error
 * printed. */
gv_status bench_read_size(gv_io *io, const char *value, int64_t least_width, int64_t least_height, int64_t most,
                          int64_t *width, int64_t *height);
gv_status bench_read_counts(gv_io *io, const char *value, int64_t *counts, int most, int *n);

#endif
