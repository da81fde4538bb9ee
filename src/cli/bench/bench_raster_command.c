/*
 * gpuvoronoi bench raster: how fast rasters are made, always as a ratio to a reference timed in the same round.
 *
 *   engine     gv_voronoi_create + gv_voronoi_compute into a buffer whose pages are touched, against one thread's
 *              memset of that buffer; for engines on a GPU also the time of their kernels, by events, against the
 *              device's own memset of as many bytes
 *   command    this program as a process, seeds file to GeoTIFF, against gdal_create with the same size and options
 *   distance   gv_voronoi_measure of every cell, into buffers of one block a thread, against geod_inverse about a sample
 *              of the cells (its time over ours)
 *   features   polygons, islands or those of --seed-file: allocation, and that with all distances, against their vertices as points
 *   projected  great-circle on a UTM grid, against PROJ's proj_trans_generic alone over every cell, all threads
 *
 * Rounds are interleaved (reference, case, reference, case ...), so that a machine that slows down slows both; the
 * ratio is the median of the rounds' ratios.
 */
#include "cli/bench/bench_raster.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/process.h"

typedef bench_raster_settings settings;

/* -------------------------------------------------------------------------------------------------- options */

static gv_status set_size(gv_io *io, void *to, const char *value) {
  settings *s = to;
  return bench_read_size(io, value, 1, 1, INT32_MAX, &s->width, &s->height);
}

static gv_status set_counts(gv_io *io, void *to, const char *value) {
  settings *s = to;
  return bench_read_counts(io, "--seeds", value, s->counts, BENCH_RASTER_COUNTS, &s->count_of_counts);
}

enum { ENGINE = 1, DISTANCE = 2, COMMAND = 4, PROJECTED = 8, ALL = 15, FEATURES = 16 };

static const gv_choice suites[] = {{"engine", ENGINE},
                                   {"distance", DISTANCE},
                                   {"command", COMMAND},
                                   {"projected", PROJECTED},
                                   {"features", FEATURES},
                                   {"all", ALL},
                                   {NULL, 0}};

static const gv_option table[] = {
    {"suite", "NAME", "engine, distance, command, projected, all of these (default: all), or features",
     GV_OPTION_ONE_OF(suites, suites)},
    {"size", "W,H", "cells of the globe's raster (default: 21600,10800)", GV_OPTION_BY(set_size)},
    {"projected-size", "N", "cells a side of the projected raster (default: 4000)",
     GV_OPTION_RANGE(projected, 1, INT32_MAX)},
    {"seeds", "N,N,...", "numbers of seeds for the engine (default: 100,1000,10000,100000,1000000)",
     GV_OPTION_BY(set_counts)},
    {"seed-file", "SRC",
     "the engine's seeds, or the features, are those of a vector source in longitude and latitude instead",
     GV_OPTION_INTO(seed_file)},
    {"k", "K", "neighbours that the engine finds of each cell (default: 1)",
     GV_OPTION_RANGE(k, 1, GV_VORONOI_MAX_K)},
    {"max-distance", "D", "within so many metres (default: no limit)",
     GV_OPTION_RANGE(max_distance, 0.0, INFINITY)},
    {"level", "L", "the engine's pixels carry the answers of their QTM triangles",
     GV_OPTION_RANGE(level, 0, GV_QTM_MAX_GRID_LEVEL)},
    {"mesh", "L", "the engine's cells are the triangles of a QTM level",
     GV_OPTION_RANGE(level, 0, GV_QTM_MAX_GRID_LEVEL), GV_OPTION_AND(mesh)},
    {"backend", "NAME", "engine to time (default: auto)", GV_OPTION_INTO(backend)},
    {"runs", "N", "rounds after one to warm up (default: 5)", GV_OPTION_RANGE(runs, 1, BENCH_RASTER_RUNS)},
    GV_OPTION_THREADS_ROW(threads),
    {"directory", "DIR", "where the command writes its rasters (default: a temporary directory)",
     GV_OPTION_INTO(directory)},
    {"csv", "FILE", "the table as CSV too", GV_OPTION_INTO(csv_path)},
    GV_OPTION_HELP_ROW,
};

const cli_syntax bench_raster_syntax = {
    .name = "bench raster", .usage = "Usage: gpuvoronoi bench raster [options]\n", CLI_ROWS(table)};

static int run_suites(const settings *s, gv_context *context) {
  int result = EXIT_OK;
  bench_raster_header(s);
  if ((s->suites & ENGINE) != 0) result = bench_raster_engine(s, context);
  if (result == EXIT_OK && (s->suites & DISTANCE) != 0) result = bench_raster_distance(s, context);
  if (result == EXIT_OK && (s->suites & COMMAND) != 0) result = bench_raster_program(s);
  if (result == EXIT_OK && (s->suites & PROJECTED) != 0) result = bench_raster_projected(s, context);
  if (result == EXIT_OK && (s->suites & FEATURES) != 0) result = bench_raster_features(s, context);
  return result;
}

int bench_raster_command(int argc, char **argv) {
  settings s = {.suites = ALL,
                .backend = "auto",
                .width = 21600,
                .height = 10800,
                .projected = 4000,
                .counts = {100, 1000, 10000, 100000, 1000000},
                .count_of_counts = 5,
                .k = 1,
                .level = GV_QTM_NONE,
                .max_distance = INFINITY,
                .runs = 5};
  int result = cli_parse(&bench_raster_syntax, &s, argc, argv);
  if (result != EXIT_OK) return result == CLI_DONE ? EXIT_OK : result;
  if (s.mesh && s.suites != ENGINE) return cli_fail(EXIT_USAGE, "bench raster: --mesh is for --suite engine");
  if (s.mesh) {
    s.width = gv_qtm_count(s.level);
    s.height = 1;
  }
  gv_context_options how = GV_CONTEXT_OPTIONS_INIT;
  gv_context *context = NULL;
  how.threads = s.threads;
  if (gv_context_create(&how, &context) != GV_OK) return cli_fail(EXIT_ERROR, "bench: out of memory");
  if (s.csv_path != NULL && (s.csv = fopen(s.csv_path, "w")) == NULL) {
    gv_context_destroy(context);
    return cli_fail(EXIT_ERROR, "bench: cannot write '%s': %s", s.csv_path, strerror(errno));
  }
  cli_prepare_gdal();
  result = run_suites(&s, context);
  if (s.csv != NULL && fclose(s.csv) != 0 && result == EXIT_OK) {
    result = cli_fail(EXIT_ERROR, "bench: cannot write '%s'", s.csv_path);
  }
  gv_context_destroy(context);
  return result;
}
