/* gpuvoronoi merge OUT PART...: part files (--part) into what one run writes. */
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fail.h"
#include "cli/process.h"
#include "cli/voronoi_run.h"
#include "job/description/conflicts.h"
#include "job/description/foreign_options.h"
#include "job/raster/parts/part_file.h"

typedef gv_job_settings settings;

/* The output options of the main job; formats default to those of the parts' run. Values are read by the main
 * job's own rows. */
static const gv_option table[] = {
    GV_OPTION_SECTION("Outputs"),
    {"of", "DRIVER",
     "GDAL driver of OUT [default: by the extension of OUT]\nVRT, or an OUT called .vrt: a virtual raster of "
     "the "
     "parts.",
     GV_OPTION_INTO(job.raster.driver)},
    {"co", "NAME=VALUE", "creation option; may be repeated", GV_OPTION_INTO(job.raster.creation_options)},
    {"distance", "FILE", "raster of distances", GV_OPTION_INTO(job.distance)},
    {"azimuth", "FILE", "raster of directions", GV_OPTION_INTO(job.azimuth)},
    {"stats", "FILE", "table with one row for each seed", GV_OPTION_INTO(job.stats)},
    {"stats-layer", "NAME", "layer of --stats in a file of several layers", GV_OPTION_INTO(job.stats_layer)},
    {"polygons", "FILE", "the regions as polygons\nThe parts' run does not need --polygons.",
     GV_OPTION_INTO(job.polygons)},
    {"polygons-layer", "NAME", "layer of --polygons in a file of several layers",
     GV_OPTION_INTO(job.polygons_layer)},
    {"no-style", NULL, "write no attribute table, no palette and no style for QGIS",
     GV_OPTION_INTO(job.no_style)},
    {"overwrite", NULL, "replace outputs that exist", GV_OPTION_INTO(job.raster.overwrite)},
    GV_OPTION_SYNC_ROW(job.sync),
    GV_OPTION_SECTION("Inputs that have moved"),
    {"seeds", "SRC", "the same seeds", GV_OPTION_INTO(job.seeds.source)},
    {"seeds-raster", "R", "the same raster of seeds", GV_OPTION_INTO(job.raster_seeds.source)},
    {"like", "RASTER", "the same template", GV_OPTION_INTO(job.grid.like)},
    {"extent-of", "SRC", "the same extent", GV_OPTION_INTO(job.grid.extent_of)},
    {"oo", "NAME=VALUE",
     "open option of the seeds' driver; may be repeated\nPart files do not contain passwords.",
     GV_OPTION_INTO(job.seeds.open_options)},
    {"like-oo", "NAME=VALUE", "open option of the driver of --like", GV_OPTION_INTO(job.grid.like_options),
     .rare = true},
    {"extent-oo", "NAME=VALUE", "open option of the driver of --extent-of",
     GV_OPTION_INTO(job.grid.extent_options), .rare = true},
    {"mask-oo", "NAME=VALUE", "open option of the driver of --mask", GV_OPTION_INTO(job.mask.open_options),
     .rare = true},
    {"sum-oo", "NAME=VALUE", "open option of the drivers of --sum", GV_OPTION_INTO(job.sum_options),
     .rare = true},
    GV_OPTION_SECTION("Run"),
    GV_OPTION_THREADS_ROW(job.threads),
    {"memory", "SIZE", "memory of all threads, in addition to the memory for the seeds",
     GV_OPTION_INTO(job.memory)},
    {"quiet", NULL, "no progress bar, no warnings, no summary", GV_OPTION_INTO(quiet)},
    {"json", NULL, "print summary, warnings and errors as JSON on standard output", GV_OPTION_INTO(json)},
    GV_OPTION_PROGRESS_ROW(progress),
    GV_OPTION_HELP_ROWS,
};

const cli_syntax merge_syntax = {
    .name = "merge",
    .usage =
        "Usage: gpuvoronoi merge [options] OUT PART...\n"
        "\n"
        "Merges the parts of a raster, each computed by gpuvoronoi --part I/N ... PART on any machine, into "
        "the same\n"
        "bytes as a run without --part. All N parts of one run are required, in any order. The seeds are "
        "read "
        "once\n"
        "more. Only files on this command line are written.\n",
    CLI_ROWS(table),
    .examples = "  gpuvoronoi --seeds cities.csv --res 0.01 --stats cities.gpkg --part 3/8 part3.tif\n"
                "  gpuvoronoi merge --stats cities.gpkg cities.tif part?.tif\n"
                "  gpuvoronoi merge cities.vrt part?.tif\n"};

typedef struct given_merge {
  gv_description options;
  const char **parts;
  int count;
} given_merge;

static int note(void *user, const gv_option *o, char *value) {
  given_merge *g = user;
  gv_io io = {.cancelled = NULL};
  bool first = true;
  for (int64_t i = 0; i < g->options.count; i++)
    first = first && g->options.list[i].option != &gv_job_out;
  if (o == NULL && !first) {
    g->parts[g->count++] = value;
    return EXIT_OK;
  }
  const gv_option *row =
      o != NULL ? gv_option_find(gv_job_options, GV_JOB_OPTIONS, o->name, strlen(o->name)) : &gv_job_out;
  return cli_wrong(gv_description_add(&io, &g->options, row, value), &io);
}

/* Options that the command line does not set are those of the first part, except output files. */
static int complete(given_merge *g, gv_description *base, settings *s) {
  gv_io io = {.cancelled = NULL};
  gv_part part = {0};
  if (g->count == 0)
    return cli_fail(EXIT_USAGE, "missing OUT and parts; expected gpuvoronoi merge OUT PART...");
  gv_status status = gv_part_open(&io, g->parts[0], &part);
  if (status == GV_OK) status = gv_part_run(&io, &part, base);
  if (status == GV_OK) status = gv_foreign_drop_outputs(&io, &g->options, base);
  if (status == GV_OK) status = gv_description_complete(&io, &g->options, base);
  if (status == GV_OK) status = gv_foreign_check(&io, &g->options, GV_FOREIGN_PART);
  gv_part_free(&part);
  if (status == GV_OK) status = gv_description_apply(&io, &g->options, s);
  if (status != GV_OK) return cli_fail_as(io.code, EXIT_ERROR, io.message);
  int result = cli_wrong(gv_job_settings_check(&io, s), &io);
  if (result == EXIT_OK) result = cli_wrong(gv_job_outputs_check(&io, s), &io);
  return result;
}

int merge_command(int argc, char **argv) {
  double begun = cli_seconds();
  given_merge g = {.count = 0};
  gv_description base = {0};
  settings s;
  gv_job_settings_begin(&s);
  cli_read_output_mode(argc, argv);
  g.parts = calloc((size_t)argc + 1, sizeof *g.parts);
  int result =
      g.parts != NULL ? cli_read(&merge_syntax, argc, argv, note, &g) : cli_fail(EXIT_ERROR, "out of memory");
  if (result == EXIT_OK) result = cli_prepare();
  if (result == EXIT_OK) result = complete(&g, &base, &s);
  s.job.merged = g.parts;
  s.job.merged_count = g.count;
  if (result == EXIT_OK) result = voronoi_run(&s, begun);
  gv_job_settings_clear(&s);
  gv_description_free(&g.options);
  gv_description_free(&base);
  free(g.parts);
  if (result == CLI_DONE) return EXIT_OK;
  return cli_reports_in_json() ? cli_end_output(result) : result;
}
