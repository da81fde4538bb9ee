/*
 * What the benchmarks share: a clock, medians, uniform random numbers.
 */
#ifndef GV_CLI_BENCH_H
#define GV_CLI_BENCH_H

#include <stdint.h>

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

#endif
