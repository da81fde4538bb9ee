/*
 * What the suites of `bench raster` share: how they are set up and the table that their rows go into.
 */
#ifndef GV_CLI_BENCH_RASTER_H
#define GV_CLI_BENCH_RASTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gpuvoronoi.h"

enum { BENCH_RASTER_RUNS = 101, BENCH_RASTER_COUNTS = 16 };

typedef struct bench_raster_settings {
  int suites; /* bits */
  const char *backend, *directory, *csv_path;
  int64_t width, height, projected;
  int64_t counts[BENCH_RASTER_COUNTS];
  int count_of_counts, runs, threads;
  int32_t k, level;
  bool mesh;
  double max_distance;
  const char *seed_file; /* NULL: uniform ones */
  FILE *csv;
} bench_raster_settings;

/* What stands above the rows. */
void bench_raster_header(const bench_raster_settings *s);

/* The median time of n runs and the median of their ratios to a reference, which may be NULL. peak_mib < 0: not measured. */
void bench_raster_row(const bench_raster_settings *s, const char *suite, const char *name, int64_t seeds,
                      double cells, double *seconds, double *ratios, int n, const char *reference, double peak_mib);

/* The suites: EXIT_OK, or EXIT_ERROR with the error printed. */
int bench_raster_engine(const bench_raster_settings *s, gv_context *context);
int bench_raster_distance(const bench_raster_settings *s, gv_context *context);
int bench_raster_program(const bench_raster_settings *s);
int bench_raster_projected(const bench_raster_settings *s, gv_context *context);
int bench_raster_features(const bench_raster_settings *s, gv_context *context);

/* The grid of the globe, in lon/lat cells. */
gv_grid bench_raster_globe(const bench_raster_settings *s);

/* Measures all blocks of an allocation with all threads. */
gv_status bench_raster_measure(gv_context *context, const gv_voronoi *voronoi, const bench_raster_settings *s,
                               bool azimuth, const int32_t *seed);

#endif
