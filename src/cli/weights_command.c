/* gpuvoronoi weights --source CELLS --target CELLS OUT: its options, carried out by job/weights. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "core/limits.h"
#include "job/option.h"
#include "job/weights/weights_job.h"

typedef struct settings {
  gv_weights_job job;
  bool has_power, progress, quiet, json;
} settings;

static const gv_choice metrics[] = {{"geodesic", GV_GEODESIC}, {"great-circle", GV_GREAT_CIRCLE}, {NULL, 0}};

static gv_status weights_set_max_distance(gv_io *io, void *to, const char *value) {
  return gv_read_distance(io, "--max-distance", value, &((settings *)to)->job.max_distance);
}

static gv_status weights_set_memory(gv_io *io, void *to, const char *value) {
  return gv_read_memory(io, value, &((settings *)to)->job.memory);
}

static const gv_option table[] = {
    GV_OPTION_SECTION("Cells"),
    {"source", "CELLS",
     "cells with values: a raster, healpix:LEVEL, s2:LEVEL, h3:LEVEL or a file of places\n"
     "Cells of a raster that are nodata in its first band are left out. healpix:LEVEL is NESTED; ,ring and "
     ",authalic may follow; ,authalic also for S2. A file of places is a layer of points, or arrays of "
     "longitudes "
     "and latitudes in NetCDF or Zarr; FILE:NAME is a layer, or the coordinates of a variable. Cells are "
     "numbered "
     "in the order of their file, rasters row by row, from 1.",
     GV_OPTION_INTO(job.source), .names_file = true},
    {"target", "CELLS", "cells that get values, as --source", GV_OPTION_INTO(job.target), .names_file = true},
    GV_OPTION_SECTION("Weights"),
    {"k", "K",
     "neighbors of each cell, 1 to 64 [default: 1]\nWith 1 the nearest cell has the weight 1; with more the "
     "weights "
     "of a cell are inverse distances and add up to 1.",
     GV_OPTION_RANGE(job.k, 1, GV_VORONOI_MAX_K)},
    {"power", "P", "with -k: power of the distance [default: 2]", GV_OPTION_RANGE(job.power, 0, 1e6),
     GV_OPTION_AND(has_power)},
    {"max-distance", "D",
     "no weights of cells farther away: meters, or with a unit: 100km\nCells of the target without weights "
     "have "
     "frac_b 0.",
     GV_OPTION_BY(weights_set_max_distance)},
    {"metric", "NAME", "geodesic or great-circle [default: geodesic]", GV_OPTION_ONE_OF(job.metric, metrics),
     GV_OPTION_AND(job.has_metric)},
    GV_OPTION_SECTION("Output"),
    {"overwrite", NULL, "replace OUT if it exists\nRead-only files are refused, links are followed.",
     GV_OPTION_INTO(job.overwrite)},
    GV_OPTION_SYNC_ROW(job.sync),
    GV_OPTION_SECTION("Run"),
    {"backend", "NAME",
     "auto, or one of `gpuvoronoi backends` [default: auto]\nAll backends return the same result",
     GV_OPTION_INTO(job.backend), .more = GV_MORE_LIMITS_OF_GRIDS},
    GV_OPTION_THREADS_ROW(job.threads),
    GV_OPTION_MEMORY_ROW(weights_set_memory),
    {"device", "N", "number of a GPU, from `gpuvoronoi devices` [default: the first]",
     GV_OPTION_RANGE(job.device, 0, 1023)},
    GV_OPTION_QUIET_ROW(quiet),
    GV_OPTION_JSON_ROW(json),
    GV_OPTION_PROGRESS_ROW(progress),
    GV_OPTION_HELP_ROWS,
};

static int weights_set_output(void *to, char *value) {
  gv_weights_job *j = &((settings *)to)->job;
  if (j->out != NULL) return cli_second_output(j->out, value, "--source");
  j->out = value;
  return EXIT_OK;
}

const cli_syntax weights_syntax = {
    .name = "weights",
    .usage = "Usage: gpuvoronoi weights --source CELLS --target CELLS [options] OUT.nc\n"
             "\n"
             "Writes the weights by which values of the source's cells become values of the target's: of the "
             "nearest\n"
             "cell, or with -k of the K nearest by inverse distances. OUT is a NetCDF file in the form of "
             "ESMF and "
             "SCRIP.\n"
             "Exchange --source and --target for the way back.\n",
    .details =
        "OUT has row (target) and col (source), numbers of cells from 1, and S, the weights, by row, "
        "nearest\n"
        "first; src_grid_dims and dst_grid_dims, the fastest dimension first; and of the source (_a) and "
        "the\n"
        "target (_b) xc and yc (centers in degrees), mask (0: without a value or a position), area (square\n"
        "radians; 0: unknown) and frac (0: without a weight).\n",
    CLI_ROWS(table),
    .examples =
        "  gpuvoronoi weights --source era5.nc --target healpix:7 weights.nc\n"
        "  gpuvoronoi weights --source healpix:7 --target era5.nc -k 4 back.nc\n"
        "  gpuvoronoi weights --source rain.tif --target stations.gpkg --max-distance 20km weights.nc\n",
    .positional = weights_set_output};

static int weights_check_usage(const settings *s) {
  const gv_weights_job *j = &s->job;
  if (j->source == NULL) return cli_fail(EXIT_USAGE, "missing --source");
  if (j->target == NULL) return cli_fail(EXIT_USAGE, "missing --target");
  if (j->out == NULL) return cli_fail(EXIT_USAGE, "missing output file");
  if (s->has_power && j->k == 1) return cli_fail(EXIT_USAGE, "--power: missing -k, at least 2");
  return EXIT_OK;
}

static int weights_command_run(settings *s, double begun) {
  gv_weights_report report;
  gv_io io = {.cancelled = cli_interrupted};
  if (cli_wants_progress(s->progress, s->quiet, s->json)) s->job.progress = cli_show_progress;
  if (gv_weights_job_run(&io, &s->job, &report) != GV_OK) return cli_report_failure(&io);
  double seconds = cli_seconds() - begun;
  cli_complete_progress();
  if (s->json) {
    cli_report_weights_json(&report, seconds);
  } else if (!s->quiet) {
    cli_report_weights_lines(&report, seconds);
  }
  return EXIT_OK;
}

int weights_command(int argc, char **argv) {
  double begun = cli_seconds();
  settings s = {.job = {.metric = GV_GEODESIC,
                        .k = 1,
                        .power = 2.0,
                        .max_distance.value = (double)INFINITY,
                        .backend = "auto",
                        .device = -1}};
  cli_read_output_mode(argc, argv);
  int result = cli_parse(&weights_syntax, &s, argc, argv);
  if (result == EXIT_OK) result = weights_check_usage(&s);
  if (result == EXIT_OK) result = cli_prepare();
  if (result == EXIT_OK) result = weights_command_run(&s, begun);
  if (result == CLI_DONE) return EXIT_OK;
  return cli_reports_in_json() ? cli_end_output(result) : result;
}
