/* gpuvoronoi --seeds SRC [options] OUT: the main job. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cpl_conv.h>

#include "cli/cli.h"
#include "cli/fail.h"
#include "cli/launched.h"
#include "cli/process.h"
#include "cli/report.h"
#include "cli/standard_input.h"
#include "cli/voronoi_run.h"
#include "job/description/conflicts.h"
#include "job/description/foreign_options.h"
#include "job/raster/plan/read.h"

const cli_syntax voronoi_syntax = {
    .name = "gpuvoronoi",
    .usage = "Usage: gpuvoronoi --seeds SRC | --seeds-raster R [options] [OUT]\n"
             "       gpuvoronoi diagram | merge | search | weights | qtm | backends | devices\n"
             "\n"
             "Writes a raster in which each cell holds the id of its nearest seed: an exact nearest-seed "
             "(Voronoi) "
             "raster\n"
             "on the plane, the sphere or the ellipsoid. Equal distances select the first seed. OUT is "
             "optional if "
             "there\n"
             "are other outputs.\n",
    .options = gv_job_options,
    .count = GV_JOB_OPTIONS,
    .examples =
        "  gpuvoronoi --seeds cities.csv --res 0.1 cities.tif\n"
        "  gpuvoronoi --seeds cities.csv --level 9 triangles.tif\n"
        "  gpuvoronoi --seeds shops.gpkg --id shop_no --like population.tif nearest_shop.tif\n"
        "  gpuvoronoi --seeds-raster landcover.tif --values 80,90 --distance meters.tif nearest_water.tif\n"
        "  gpuvoronoi --config stations.voronoi.json --res 500 finer.tif\n"
        "  gpuvoronoi --seeds stations.geojson --crs EPSG:3035 --res 1000 --metric geodesic -of COG "
        "stations.tif\n"};

/* Records an option. */
static int note(void *user, const gv_option *o, char *value) {
  gv_description *d = user;
  gv_io io = {.cancelled = NULL};
  const gv_option *option = o != NULL ? o : &gv_job_out;
  for (int64_t i = 0; i < d->count; i++) {
    if (d->list[i].option != option) continue;
    if (o == NULL) return cli_second_output(d->list[i].value, value, "--seeds");
    if (o->once) return cli_fail(EXIT_USAGE, "%s%s: given twice", gv_option_dashes(o), o->name);
  }
  return cli_wrong(gv_description_add(&io, d, option, value), &io);
}

static const char *value_of(const gv_description *d, const char *name) {
  for (int64_t i = 0; i < d->count; i++)
    if (strcmp(d->list[i].option->name, name) == 0) return d->list[i].value;
  return NULL;
}

/* The command line, and the description that it names, into the settings. */
static int read_settings(gv_description *d, gv_description *config, gv_job_settings *s) {
  gv_io io = {.cancelled = NULL};
  const char *path = value_of(d, "config");
  if (path != NULL) {
    gv_status status = gv_description_read(&io, path, true, config);
    gv_foreign_drop_overwrite(config);
    if (status == GV_OK) status = gv_description_complete(&io, d, config);
    if (status == GV_OK) status = gv_foreign_check(&io, d, GV_FOREIGN_DESCRIPTION);
    if (status != GV_OK) return cli_fail_as(io.code, EXIT_ERROR, io.message);
  }
  int result = cli_wrong(gv_description_apply(&io, d, s), &io);
  if (result == EXIT_OK) result = cli_wrong(gv_job_settings_check(&io, s), &io);
  if (result != EXIT_OK || s->describe != NULL) return result;
  result = cli_wrong(gv_job_outputs_check(&io, s), &io);
  if (result != EXIT_OK || gv_foreign_check_outputs(&io, d, s->job.raster.overwrite) == GV_OK) return result;
  return cli_fail_as(io.code, EXIT_ERROR, io.message);
}

static int voronoi_command_describe(const gv_description *d, const gv_job_settings *s) {
  gv_io io = {.cancelled = cli_interrupted};
  gv_inputs inputs = {0};
  gv_status status = gv_job_list_inputs(&io, &s->job, &inputs);
  if (status == GV_OK)
    status = gv_description_write(&io, d, s->describe, s->job.raster.overwrite, &inputs, s->job.sync);
  gv_inputs_free(&inputs);
  if (status != GV_OK) return cli_report_failure(&io);
  if (s->json) {
    cli_report_json(NULL, 0.0);
  } else if (!s->quiet) {
    cli_print_warnings();
  }
  return EXIT_OK;
}

/* Reads the run that a part file is part of. */
static int describe_part(const gv_description *d, gv_job *j, gv_text *run) {
  gv_io io = {.cancelled = NULL};
  if (j->parts == 0) return EXIT_OK;
  gv_status status = gv_description_put(&io, d, j->raster.path, run);
  gv_text_put(run, "", 1);
  if (status == GV_OK && run->failed) status = gv_io_fail_memory(&io, "a description");
  j->run = run->bytes;
  return status == GV_OK ? EXIT_OK : cli_report_failure(&io);
}

int voronoi_command(int argc, char **argv) {
  double begun = cli_seconds();
  gv_description given = {0}, config = {0};
  gv_text part = {0};
  gv_job_settings s;
  gv_job_settings_begin(&s);
  cli_read_output_mode(argc, argv);
  int result = cli_read(&voronoi_syntax, argc, argv, note, &given);
  bool early = value_of(&given, "config") != NULL;
  if (result == EXIT_OK && early) result = cli_prepare();
  if (result == EXIT_OK) result = read_settings(&given, &config, &s);
  bool clustered = gv_launcher_ranks() > 1 && s.describe == NULL && !s.job.dry_run;
  if (result == EXIT_OK && clustered && s.job.parts > 0)
    result = cli_fail(EXIT_USAGE, "--part: unsupported with mpirun; use it in separate processes");
  if (result == EXIT_OK && clustered) result = cli_check_launched_source(s.job.seeds.source);
  if (result == EXIT_OK && !early) result = cli_prepare();
  if (result == EXIT_OK && s.describe == NULL)
    result = cli_read_standard_input(&s.job.seeds.source, s.job.memory);
  if (result == EXIT_OK && s.describe == NULL) result = describe_part(&given, &s.job, &part);
  bool idle = !clustered && gv_launcher_rank() > 0;
  if (result == EXIT_OK && !idle) {
    result = s.describe != NULL ? voronoi_command_describe(&given, &s)
             : clustered        ? voronoi_run_by_ranks(&s, begun)
                                : voronoi_run(&s, begun);
  }
  gv_job_settings_clear(&s);
  gv_description_free(&given);
  gv_description_free(&config);
  gv_text_free(&part);
  if (result == CLI_DONE) return EXIT_OK;
  return cli_reports_in_json() ? cli_end_output(result) : result;
}
