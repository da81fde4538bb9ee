/*
 * gpuvoronoi bench cluster: one raster of the globe, seeds file to GeoTIFF, made by N ranks of MPI with one thread each, and in the same
 * rounds, interleaved, by what else N processors can do:
 *
 *   apart    N ranks as if each had a machine of its own (GPUVORONOI_RANKS=apart): what they do across machines, all on this one
 *   parts    N processes of their own, --part I/N with one thread each: nothing holds one of them up but the machine
 *   threads  one process with N threads
 *   alone    one process with one thread, once: N times its speed is what there is to be had
 *
 * Ratios are medians of the rounds' ratios. Colours are left out, as parts have none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "gpuvoronoi.h"

enum { MAX_RUNS = 101, MAX_COUNTS = 16 };

typedef enum way { ALONE, THREADS, PARTS, APART, RANKS, WAYS } way;

static const char *const way_names[WAYS] = {"one process", "one process with threads", "parts", "ranks apart",
                                            "ranks"};

typedef struct settings {
  const char *directory, *launcher, *compression;
  int64_t width, height;
  int64_t ranks[MAX_COUNTS];
  int count, seeds, runs;
} settings;

/* What all runs share. */
typedef struct world {
  const settings *s;
  const char *directory;
  char program[4096], seeds[4096], size[64], compression[64];
} world;

/* ---------------------------------------------------------------------------------------------------------- a run */

static char *file_of(const world *w, way how, int number, char *name, size_t size) {
  static const char *const stems[WAYS] = {"alone", "threads", "part", "apart", "ranks"};
  snprintf(name, size, "%s/%s%d.tif", w->directory, stems[how], number);
  return name;
}

/* The arguments of process `number` (from 0) of `count`. */
static char **arguments_of(const world *w, way how, int number, int count) {
  char text[64], file[4200];
  bool ranks = how == RANKS || how == APART;
  char **list = ranks ? CSLTokenizeString2(w->s->launcher, " ", 0) : NULL;
  if (ranks) {
    snprintf(text, sizeof text, "%d", count);
    list = CSLAddString(CSLAddString(list, "-n"), text);
  }
  if (how == APART) list = CSLAddString(CSLAddString(list, "env"), "GPUVORONOI_RANKS=apart");
  char **ours = bench_arguments(w->program, "--seeds", w->seeds, "--metric", "great-circle", "--size", w->size,
                                "--co", w->compression, "--no-style", "--quiet", "--threads", NULL);
  list = CSLInsertStrings(list, -1, ours);
  CSLDestroy(ours);
  snprintf(text, sizeof text, "%d", how == THREADS ? count : 1);
  list = CSLAddString(list, text);
  if (how == PARTS) {
    snprintf(text, sizeof text, "%d/%d", number + 1, count);
    list = CSLAddString(CSLAddString(list, "--part"), text);
  }
  return CSLAddString(list, file_of(w, how, number, file, sizeof file));
}

/* Seconds, or -1. No file is there before, and none afterwards. */
static double time_one(const world *w, way how, int count, double *peak) {
  int programs = how == PARTS ? count : 1;
  char file[4200], ***lists = calloc((size_t)programs, sizeof *lists);
  if (lists == NULL) return -1.0;
  for (int i = 0; i < programs; i++)
    lists[i] = arguments_of(w, how, i, count);
  double seconds = bench_run(lists, programs, peak);
  for (int i = 0; i < programs; i++) {
    unlink(file_of(w, how, i, file, sizeof file));
    CSLDestroy(lists[i]);
  }
  free(lists);
  return seconds;
}

/* ------------------------------------------------------------------------------------------------------- the table */

static double median_ratio(const double *a, const double *b, int runs, double factor) {
  double ratios[MAX_RUNS];
  for (int i = 0; i < runs; i++)
    ratios[i] = factor * a[i] / b[i];
  return bench_summarise(ratios, runs).median;
}

static void print_row(const settings *s, int ranks, double seconds[WAYS][MAX_RUNS], double peak) {
  double parts = median_ratio(seconds[PARTS], seconds[RANKS], s->runs, 1.0);
  double threads = median_ratio(seconds[RANKS], seconds[THREADS], s->runs, 1.0);
  double alone = median_ratio(seconds[ALONE], seconds[RANKS], s->runs, 1.0 / ranks);
  bench_summary t[WAYS];
  for (int how = 0; how < WAYS; how++)
    t[how] = bench_summarise(seconds[how], s->runs);
  printf("%5d %9.3f %9.3f %9.3f %9.1f %9.3f %9.3f %8.3f %9.3f %8.3f %9.3f %10.3f %8.0f\n", ranks, t[RANKS].median,
         t[RANKS].least, t[RANKS].most, (double)s->width * (double)s->height / t[RANKS].median / 1e6,
         t[APART].median, t[PARTS].median, parts, t[THREADS].median, threads, t[ALONE].median, alone, peak);
  fflush(stdout);
}

/* One process alone, which takes longest, runs in the first round that counts only. */
static int bench_count(const world *w, int ranks) {
  static double seconds[WAYS][MAX_RUNS];
  double peak = 0.0;
  for (int run = -1; run < w->s->runs; run++) {
    for (int how = 0; how < WAYS; how++) {
      double took = seconds[ALONE][0];
      if (how != ALONE || run == 0) took = time_one(w, (way)how, ranks, how == RANKS ? &peak : NULL);
      if (took < 0.0) return cli_fail(EXIT_ERROR, "bench: %s (%d) could not run", way_names[how], ranks);
      seconds[how][run < 0 ? 0 : run] = took;
    }
  }
  print_row(w->s, ranks, seconds, peak);
  return EXIT_OK;
}

static int bench_all(const void *user, const char *directory) {
  const settings *s = user;
  world w = {.s = s, .directory = directory};
  int result = EXIT_OK;
  snprintf(w.seeds, sizeof w.seeds, "%s/seeds.csv", directory);
  snprintf(w.size, sizeof w.size, "%" PRId64 ",%" PRId64, s->width, s->height);
  snprintf(w.compression, sizeof w.compression, "COMPRESS=%s", s->compression);
  if (!bench_own_path(w.program, sizeof w.program) || !bench_write_seeds(w.seeds, s->seeds))
    result = cli_fail(EXIT_ERROR, "bench: cannot write into '%s'", directory);
  if (result == EXIT_OK) {
    printf("%5s %9s %9s %9s %9s %9s %9s %8s %9s %8s %9s %10s %8s\n", "ranks", "median s", "least s", "most s",
           "Mcell/s", "apart s", "parts s", "to parts", "threads s", "to thr.", "alone s", "efficiency",
           "peak MiB");
    fflush(stdout);
  }
  for (int i = 0; i < s->count && result == EXIT_OK; i++)
    result = bench_count(&w, (int)s->ranks[i]);
  unlink(w.seeds);
  return result;
}

/* --------------------------------------------------------------------------------------------------------- options */

static gv_status set_size(gv_io *io, void *to, const char *value) {
  settings *s = to;
  return bench_read_size(io, value, 1, 1, INT32_MAX, &s->width, &s->height);
}

static gv_status set_ranks(gv_io *io, void *to, const char *value) {
  settings *s = to;
  return bench_read_counts(io, "--ranks", value, s->ranks, MAX_COUNTS, &s->count);
}

static const gv_option table[] = {
    {"ranks", "N,N,...", "numbers of ranks (default: 1, 2, 4 ... as many as there are processors)",
     GV_OPTION_BY(set_ranks)},
    {"launcher", "COMMAND",
     "starts ranks, with -n N behind it (default: mpirun; Open MPI's takes more than it has processors for with "
     "\"mpirun --oversubscribe\")",
     GV_OPTION_INTO(launcher)},
    {"size", "W,H", "cells of the globe's raster, a row of 512 for each part at least (default: 21600,10800)",
     GV_OPTION_BY(set_size)},
    {"seeds", "N", "number of seeds (default: 100000)", GV_OPTION_RANGE(seeds, 1, INT32_MAX)},
    {"compress", "NAME", "of the GeoTIFF (default: ZSTD)", GV_OPTION_INTO(compression)},
    {"runs", "N", "rounds after one to warm up (default: 3)", GV_OPTION_RANGE(runs, 1, MAX_RUNS)},
    {"directory", "DIR", "where rasters are written (default: a temporary directory)", GV_OPTION_INTO(directory)},
    GV_OPTION_HELP_ROW,
};

const cli_syntax bench_cluster_syntax = {
    .name = "bench cluster",
    .usage =
        "Usage: gpuvoronoi bench cluster [options]\n\n"
        "A raster by N ranks of MPI with one thread each. Beside it: by ranks that do not work as one\n"
        "(GPUVORONOI_RANKS=apart), by N processes with --part (\"to parts\": their time over the ranks'), by one\n"
        "process with N threads (\"to thr.\": the ranks' time over its), by one with one thread (\"efficiency\": "
        "an\n"
        "N-th of its time over the ranks').\n",
    CLI_ROWS(table)};

/* Powers of two, and all processors. */
static void choose_ranks(settings *s) {
  gv_context *context = NULL;
  int processors = gv_context_create(NULL, &context) == GV_OK ? gv_context_threads(context) : 1;
  gv_context_destroy(context);
  for (int ranks = 1; ranks < processors && s->count < MAX_COUNTS - 1; ranks *= 2)
    s->ranks[s->count++] = ranks;
  s->ranks[s->count++] = processors;
}

int bench_cluster_command(int argc, char **argv) {
  settings s = {
      .launcher = "mpirun", .compression = "ZSTD", .width = 21600, .height = 10800, .seeds = 100000, .runs = 3};
  int result = cli_parse(&bench_cluster_syntax, &s, argc, argv);
  if (result != EXIT_OK) return result == CLI_DONE ? EXIT_OK : result;
  if (s.count == 0) choose_ranks(&s);
  return bench_in_directory(s.directory, bench_all, &s);
}
