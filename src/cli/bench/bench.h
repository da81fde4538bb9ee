/*
 * What the benchmarks share: a clock, medians, uniform random numbers, values of options, programs.
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

/* The value of --size, "W,H", and of an option that is a list of at most `most` numbers. Errors: INVALID_ARGUMENT. */
gv_status bench_read_size(gv_io *io, const char *value, int64_t least_width, int64_t least_height, int64_t most,
                          int64_t *width, int64_t *height);
gv_status bench_read_counts(gv_io *io, const char *option, const char *value, int64_t *counts, int most, int *n);

/* --------------------------------------------------------------------------- programs and files (bench_process.c) */

/* A list of GDAL's; NULL ends the arguments. */
char **bench_arguments(const char *first, ...);

/* Runs programs at one time, their output thrown away: seconds until the last has ended, or -1 where one could not run or failed.
 * peak_mib: of the process that took the most memory, theirs and those that they waited for; may be NULL. */
double bench_run(char ***programs, int count, double *peak_mib);

/* Where this program is; n seeds of the globe as CSV. False: not to be had, not to be written. */
bool bench_own_path(char *path, size_t size);
bool bench_write_seeds(const char *path, int64_t n);

/* Runs something in a directory: the one given, or a temporary one (NULL). */
int bench_in_directory(const char *given, int (*run)(const void *settings, const char *directory),
                       const void *settings);

#endif
