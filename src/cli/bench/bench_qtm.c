/*
 * gpuvoronoi bench qtm: nearest seeds for the triangles of the QTM mesh.
 *
 *   kernels   one level, growing numbers of seeds: `serial` on one thread against the other backends, as in the
 *             published comparison of GPU kernels for this task
 *   levels    one number of seeds, level after level, with a fast engine
 *   device    rows of the levels, for backends on a GPU: the time of their kernels, by events, and of the device's own
 *             memset of as many bytes. Where several threads search (all but cuda-tile) their kernels overlap and the
 *             times are added up
 *
 * `serial` takes long, so it is timed once; the others several times, by the median.
 * Answers of all backends are compared with serial's, cell by cell.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "gpuvoronoi.h"

enum { MAX_RUNS = 101, MAX_LIST = 16 };

enum { KERNELS = 1, LEVELS = 2 };

typedef struct settings {
  const char *level_backend, *backend_names, *csv_path;
  int suites; /* bits */
  gv_metric metric;
  char **backends; /* NULL = all */
  int64_t seeds[MAX_LIST], level_seeds;
  int seed_counts, level, from, to, runs, threads;
  FILE *csv;
} settings;

static void print_header(const settings *s) {
  printf("%-8s %5s %13s %8s  %-14s %11s %10s %10s\n", "suite", "level", "cells", "seeds", "backend", "median s",
         "speed-up", "Mcell/s");
  if (s->csv != NULL) fprintf(s->csv, "suite,level,cells,seeds,backend,median_s,speed_up,mcells_per_s\n");
}

/* speed_up NAN: nothing to compare with. */
static void print_row(const settings *s, const char *suite, int level, int64_t seeds, const char *backend,
                      double seconds, double speed_up) {
  int64_t cells = gv_qtm_count(level);
  double rate = (double)cells / seconds / 1e6;
  char ratio[32] = "";
  if (!isnan(speed_up)) snprintf(ratio, sizeof ratio, "%.1f", speed_up);
  printf("%-8s %5d %13" PRId64 " %8" PRId64 "  %-14s %11.5f %10s %10.2f\n", suite, level, cells, seeds, backend,
         seconds, ratio, rate);
  fflush(stdout);
  if (s->csv != NULL) {
    fprintf(s->csv, "%s,%d,%" PRId64 ",%" PRId64 ",%s,%.6f,%s,%.3f\n", suite, level, cells, seeds, backend, seconds,
            ratio, rate);
  }
}

/* Median seconds from seeds to answers, and those of kernels on a GPU (0: there were none). */
typedef struct timing {
  double seconds, device, fill;
} timing;

/* False after an error, which is printed. */
static bool time_backend(const settings *s, const char *backend, int threads, int level, const gv_seeds *seeds,
                         int runs, bool warm, int32_t *out, timing *t) {
  gv_context_options context_options = GV_CONTEXT_OPTIONS_INIT;
  gv_context *context = NULL;
  double seconds[MAX_RUNS], device[MAX_RUNS];
  context_options.threads = threads;
  if (gv_context_create(&context_options, &context) != GV_OK) {
    cli_fail(EXIT_ERROR, "bench: out of memory");
    return false;
  }
  gv_status status = GV_OK;
  for (int run = warm ? -1 : 0; run < runs && status == GV_OK; run++) {
    gv_grid grid = GV_GRID_INIT;
    gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
    gv_voronoi *voronoi = NULL;
    double start = bench_now(), device_start = gv_context_device_seconds(context);
    grid.kind = GV_GRID_QTM;
    grid.level = level;
    options.backend = backend;
    options.metric = s->metric;
    status = gv_voronoi_create(context, &grid, seeds, &options, &voronoi);
    if (status == GV_OK) status = gv_voronoi_compute(context, voronoi, out, gv_qtm_count(level));
    gv_voronoi_destroy(voronoi);
    seconds[run < 0 ? 0 : run] = bench_now() - start;
    device[run < 0 ? 0 : run] = gv_context_device_seconds(context) - device_start;
  }
  if (status == GV_OK) {
    t->seconds = bench_summarise(seconds, runs).median;
    t->device = bench_summarise(device, runs).median;
    t->fill = 0.0;
    if (t->device > 0.0)
      status = gv_device_fill_seconds(context, gv_qtm_count(level) * (int64_t)sizeof *out, &t->fill);
  }
  if (status != GV_OK) cli_fail(EXIT_ERROR, "bench: %s: %s", backend, gv_context_message(context));
  gv_context_destroy(context);
  return status == GV_OK;
}

static void print_device_rows(const settings *s, int level, int64_t seeds, const char *backend, const timing *t) {
  if (!(t->device > 0.0)) return;
  print_row(s, "device", level, seeds, backend, t->device, NAN);
  print_row(s, "device", level, seeds, "memset", t->fill, NAN);
}

static int32_t *answers(int level) {
  size_t bytes = (size_t)gv_qtm_count(level) * sizeof(int32_t);
  int32_t *out = malloc(bytes);
  if (out == NULL) {
    cli_fail(EXIT_ERROR, "bench: out of memory for the %" PRId64 " cells of level %d", gv_qtm_count(level), level);
  } else {
    memset(out, 1, bytes);
  }
  return out;
}

static bool wanted(const settings *s, const gv_backend_info *info) {
  if (!info->available || !info->allocates_grids || strcmp(info->name, "serial") == 0) return false;
  return s->backends == NULL || CSLFindString(s->backends, info->name) >= 0;
}

static int bench_kernels(const settings *s, double *lon, double *lat) {
  size_t bytes = (size_t)gv_qtm_count(s->level) * sizeof(int32_t);
  int32_t *expected = answers(s->level), *out = expected != NULL ? answers(s->level) : NULL;
  int result = out != NULL ? EXIT_OK : EXIT_ERROR;
  for (int i = 0; i < s->seed_counts && result == EXIT_OK; i++) {
    gv_seeds seeds = {lon, lat, s->seeds[i]};
    bench_seeds_on_globe(seeds.count, 42, lon, lat);
    timing serial, t;
    if (!time_backend(s, "serial", 1, s->level, &seeds, 1, false, expected, &serial)) result = EXIT_ERROR;
    if (result == EXIT_OK) print_row(s, "kernels", s->level, seeds.count, "serial", serial.seconds, 1.0);
    for (int b = 0; b < gv_backend_count() && result == EXIT_OK; b++) {
      gv_backend_info info;
      if (gv_backend_get(b, &info) != GV_OK || !wanted(s, &info)) continue;
      if (!time_backend(s, info.name, s->threads, s->level, &seeds, s->runs, true, out, &t)) {
        result = EXIT_ERROR;
      } else if (memcmp(expected, out, bytes) != 0) {
        result = cli_fail(EXIT_ERROR, "bench: %s and serial disagree", info.name);
      } else {
        print_row(s, "kernels", s->level, seeds.count, info.name, t.seconds, serial.seconds / t.seconds);
      }
    }
  }
  free(expected);
  free(out);
  return result;
}

static int bench_levels(const settings *s, double *lon, double *lat) {
  gv_seeds seeds = {lon, lat, s->level_seeds};
  bench_seeds_on_globe(seeds.count, 42, lon, lat);
  for (int level = s->from; level <= s->to; level++) {
    int32_t *out = answers(level);
    timing t;
    bool done = out != NULL && time_backend(s, s->level_backend, s->threads, level, &seeds, s->runs, true, out, &t);
    free(out);
    if (!done) return EXIT_ERROR;
    print_row(s, "levels", level, seeds.count, s->level_backend, t.seconds, NAN);
    print_device_rows(s, level, seeds.count, s->level_backend, &t);
  }
  return EXIT_OK;
}

static int run_suites(const settings *s) {
  int64_t most = s->level_seeds;
  for (int i = 0; i < s->seed_counts; i++)
    most = s->seeds[i] > most ? s->seeds[i] : most;
  double *lon = malloc((size_t)most * sizeof *lon), *lat = malloc((size_t)most * sizeof *lat);
  int result = lon != NULL && lat != NULL ? EXIT_OK : cli_fail(EXIT_ERROR, "bench: out of memory for the seeds");
  if (result == EXIT_OK) print_header(s);
  if (result == EXIT_OK && (s->suites & KERNELS) != 0) result = bench_kernels(s, lon, lat);
  if (result == EXIT_OK && (s->suites & LEVELS) != 0) result = bench_levels(s, lon, lat);
  free(lon);
  free(lat);
  return result;
}

/* -------------------------------------------------------------------------------------------------- options */

static bool known_backends(char **names) {
  for (int i = 0; names != NULL && names[i] != NULL; i++) {
    bool known = false;
    for (int b = 0; b < gv_backend_count() && !known; b++) {
      gv_backend_info info;
      known =
          gv_backend_get(b, &info) == GV_OK && strcmp(info.name, names[i]) == 0 && wanted(&(settings){0}, &info);
    }
    if (!known) return false;
  }
  return CSLCount(names) > 0;
}

static gv_status set_seeds(gv_io *io, void *to, const char *value) {
  settings *s = to;
  return bench_read_counts(io, "--seeds", value, s->seeds, MAX_LIST, &s->seed_counts);
}

static gv_status set_backends(gv_io *io, void *to, const char *value) {
  char **names = CSLTokenizeString2(value, ",", 0);
  bool known = known_backends(names);
  CSLDestroy(names);
  ((settings *)to)->backend_names = value;
  if (known) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "--backends cannot be '%s': not all are backends of this machine that allocate", value);
}

static gv_status set_levels(gv_io *io, void *to, const char *value) {
  settings *s = to;
  int64_t pair[2];
  if (!gv_read_integers(value, pair, 2) || pair[0] < 0 || pair[0] > pair[1] || pair[1] > 16) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "--levels: '%s' is not FROM,TO within 0 to 16", value);
  }
  s->from = (int)pair[0];
  s->to = (int)pair[1];
  return GV_OK;
}

static const gv_choice suites[] = {{"kernels", KERNELS}, {"levels", LEVELS}, {"all", KERNELS | LEVELS}, {NULL, 0}};
static const gv_choice metrics[] = {{"great-circle", GV_GREAT_CIRCLE}, {"geodesic", GV_GEODESIC}, {NULL, 0}};

static const gv_option table[] = {
    {"suite", "NAME", "kernels, levels or all (default: all)", GV_OPTION_ONE_OF(suites, suites)},
    {"level", "L", "level for the kernels (default: 9)", GV_OPTION_RANGE(level, 0, 14)},
    {"seeds", "N,N,...", "numbers of seeds for the kernels (default: 16,64,256,1024,4096,16384)",
     GV_OPTION_BY(set_seeds)},
    {"backends", "A,B", "backends to compare with serial (default: all of this machine that allocate)",
     GV_OPTION_BY(set_backends)},
    {"levels", "FROM,TO", "levels for the other suite (default: 5,14; 14 needs 8 GiB)", GV_OPTION_BY(set_levels)},
    {"level-seeds", "N", "number of seeds there (default: 1024)", GV_OPTION_RANGE(level_seeds, 1, INT32_MAX)},
    {"level-backend", "NAME", "backend there (default: tile)", GV_OPTION_INTO(level_backend)},
    {"metric", "NAME", "great-circle (default) or geodesic", GV_OPTION_ONE_OF(metric, metrics)},
    {"runs", "N", "rounds after one to warm up (default: 3)", GV_OPTION_RANGE(runs, 1, MAX_RUNS)},
    {"threads", "N", "threads to use (default: one a processor; serial has one)",
     GV_OPTION_RANGE(threads, 1, 4096)},
    {"csv", "FILE", "the table as CSV too", GV_OPTION_INTO(csv_path)},
    GV_OPTION_HELP_ROW,
};

const cli_syntax bench_qtm_syntax = {
    .name = "bench qtm", .usage = "Usage: gpuvoronoi bench qtm [options]\n", CLI_ROWS(table)};

int bench_qtm_command(int argc, char **argv) {
  settings s = {.suites = KERNELS | LEVELS,
                .level_backend = "tile",
                .metric = GV_GREAT_CIRCLE,
                .seeds = {16, 64, 256, 1024, 4096, 16384},
                .seed_counts = 6,
                .level_seeds = 1024,
                .level = 9,
                .from = 5,
                .to = 14,
                .runs = 3};
  int result = cli_parse(&bench_qtm_syntax, &s, argc, argv);
  if (result == EXIT_OK && s.csv_path != NULL && (s.csv = fopen(s.csv_path, "w")) == NULL) {
    result = cli_fail(EXIT_ERROR, "bench: cannot write '%s': %s", s.csv_path, strerror(errno));
  }
  if (s.backend_names != NULL) s.backends = CSLTokenizeString2(s.backend_names, ",", 0);
  if (result == EXIT_OK) result = run_suites(&s);
  if (s.csv != NULL && fclose(s.csv) != 0 && result == EXIT_OK) {
    result = cli_fail(EXIT_ERROR, "bench: cannot write '%s'", s.csv_path);
  }
  CSLDestroy(s.backends);
  return result == CLI_DONE ? EXIT_OK : result;
}
