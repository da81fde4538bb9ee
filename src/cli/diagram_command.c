/* gpuvoronoi diagram --seeds SRC OUT: its options, carried out by job/diagram. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/standard_input.h"
#include "io/in/extent.h"
#include "io/strings.h"
#include "job/diagram/diagram_job.h"
#include "job/option.h"

typedef struct settings {
  gv_diagram_job job;
  const char *weighting;
  bool progress, quiet, json;
} settings;

static const gv_choice metrics[] = {
    {"geodesic", GV_GEODESIC}, {"great-circle", GV_GREAT_CIRCLE}, {"euclidean", GV_EUCLIDEAN}, {NULL, 0}};

static gv_status set_extent(gv_io *io, void *to, const char *value) {
  gv_diagram_job *j = &((settings *)to)->job;
  j->has_extent = gv_read_numbers(value, j->extent, 4);
  GV_REQUIRE(io, j->has_extent, "--extent: invalid extent (%s); expected XMIN,YMIN,XMAX,YMAX", value);
  return gv_extent_check(io, j->extent);
}

static gv_status set_tolerance(gv_io *io, void *to, const char *value) {
  gv_diagram_job *j = &((settings *)to)->job;
  gv_length length = {0};
  GV_TRY(gv_read_distance(io, "--tolerance", value, &length));
  GV_TRY(gv_length_as_distance(io, "--tolerance", &length, true, NULL, &j->tolerance));
  GV_REQUIRE(io, j->tolerance > 0.0, "--tolerance: out of range (%s); expected a distance above 0", value);
  return GV_OK;
}

static gv_status diagram_set_memory(gv_io *io, void *to, const char *value) {
  return gv_read_memory(io, value, &((settings *)to)->job.memory);
}

static const gv_option table[] = {
    GV_OPTION_SECTION("Seeds"),
    {"seeds", "SRC",
     "points: a vector file, or a table with columns lon,lat or x,y\n"
     "Any vector source that GDAL reads; - reads CSV or GeoJSON from standard input. For lines and polygons "
     "use "
     "gpuvoronoi --seeds SRC --polygons FILE.",
     GV_OPTION_INTO(job.seeds.source), .names_file = true},
    GV_OPTION_SEEDS_ROWS(job.seeds),
    {"oo", "NAME=VALUE", "open option of the driver of SRC; may be repeated",
     GV_OPTION_INTO(job.seeds.open_options), .rare = true},
    {"id", "FIELD", "field of the seeds' ids [default: the feature id]", GV_OPTION_INTO(job.seeds.id_field)},
    {"skip-invalid", NULL, "skip seeds without valid coordinates, and report their number",
     GV_OPTION_INTO(job.seeds.skip_invalid)},
    GV_OPTION_SECTION("Diagram"),
    {"metric", "NAME",
     "geodesic, great-circle or euclidean [default: by the coordinate system]\n"
     "Default: geodesic for longitudes and latitudes and for projected CRSs of the whole world, else "
     "euclidean.",
     GV_OPTION_ONE_OF(job.metric, metrics), GV_OPTION_AND(job.has_metric)},
    {"weighting", "NAME", "unsupported; use gpuvoronoi --weighting", GV_OPTION_INTO(weighting), .rare = true},
    {"tolerance", "D",
     "on the globe: largest distance of lines from the true borders [default: 1 m]\n"
     "Meters, or with a unit: 10cm, 1km.",
     GV_OPTION_BY(set_tolerance)},
    {"crs", "CRS",
     "coordinate system of OUT [default: the seeds']\nDistances of --metric euclidean are measured in it. "
     "Maps are "
     "cut at "
     "their own edge.",
     GV_OPTION_INTO(job.crs)},
    {"extent", "XMIN,YMIN,XMAX,YMAX",
     "cut the cells there, in coordinates of OUT [default: from the seeds]\n"
     "Default on a plane, and on maps that do not show the whole globe: the extent of the seeds plus 10 % on "
     "each "
     "side. Longitudes may exceed 180: 170,-20,190,0.",
     GV_OPTION_BY(set_extent)},
    {"mask", "SRC", "cut the cells by these polygons, in any coordinate system", GV_OPTION_INTO(job.mask),
     .names_file = true},
    {"mask-layer", "NAME", "layer of --mask; required if it has several", GV_OPTION_INTO(job.mask_layer)},
    {"no-cut", NULL,
     "do not cut at 180 degrees, and do not close cells at the poles\n"
     "For globes: longitudes and latitudes without --extent and --mask. Has no effect otherwise.",
     GV_OPTION_INTO(job.no_cut)},
    GV_OPTION_SECTION("Output"),
    {"group", "FIELD",
     "one polygon for all seeds with the same value of this field\n"
     "With --edges-only: the borders between them, one feature for each pair. The field replaces --id.",
     GV_OPTION_INTO(job.group)},
    {"edges-only", NULL, "borders as lines, each once, with the seeds left and right of it",
     GV_OPTION_INTO(job.edges_only)},
    {"delaunay", NULL, "lines between the seeds of adjacent cells (on the globe: geodesics)",
     GV_OPTION_INTO(job.delaunay)},
    {"overwrite", NULL, "replace OUT if it exists\nRead-only files are refused, links are followed.",
     GV_OPTION_INTO(job.overwrite)},
    GV_OPTION_SYNC_ROW(job.sync),
    GV_OPTION_SECTION("Run"),
    GV_OPTION_THREADS_ROW(job.threads),
    GV_OPTION_MEMORY_ROW(diagram_set_memory),
    GV_OPTION_QUIET_ROW(quiet),
    GV_OPTION_JSON_ROW(json),
    GV_OPTION_PROGRESS_ROW(progress),
    GV_OPTION_HELP_ROWS,
};

static int set_output(void *to, char *value) {
  gv_diagram_job *j = &((settings *)to)->job;
  if (j->out != NULL) return cli_second_output(j->out, value, "--seeds");
  j->out = value;
  return EXIT_OK;
}

const cli_syntax diagram_syntax = {
    .name = "diagram",
    .usage = "Usage: gpuvoronoi diagram --seeds SRC [options] OUT\n"
             "\n"
             "Writes the Voronoi diagram of points as polygons, exact on the ellipsoid, the sphere and the "
             "plane: each\n"
             "place farther than --tolerance from a border lies in the polygon of its nearest seed. OUT is "
             "any vector\n"
             "format that GDAL writes (.gpkg, .fgb, .geojson, .parquet ...).\n",
    .details = "Polygons have the attributes of their seed, seed (its id), area_km2, neighbours (ids of the "
               "adjacent cells)\n"
               "and others (ids of seeds at the same place, which have no polygon of their own).\n",
    CLI_ROWS(table),
    .examples =
        "  gpuvoronoi diagram --seeds airports.gpkg cells.gpkg\n"
        "  gpuvoronoi diagram --seeds stations.csv --tolerance 100 --mask country.gpkg cells.geojson\n"
        "  gpuvoronoi diagram --seeds wells.gpkg --extent 0,0,5000,5000 --edges-only borders.fgb\n",
    .positional = set_output};

static int check_usage(const settings *s) {
  const gv_diagram_job *j = &s->job;
  gv_io io = {.cancelled = NULL};
  if (j->seeds.source == NULL) return cli_fail(EXIT_USAGE, "missing --seeds");
  if (j->out == NULL) return cli_fail(EXIT_USAGE, "missing output file");
  if (j->edges_only && j->delaunay)
    return cli_fail(EXIT_USAGE, "--edges-only and --delaunay: unsupported together; use one of them");
  if (j->group != NULL && j->delaunay)
    return cli_fail(EXIT_USAGE, "--group and --delaunay: unsupported together; use one of them");
  if (j->group != NULL && j->seeds.id_field != NULL)
    return cli_fail(EXIT_USAGE, "--group and --id: unsupported together; --group names the field of the ids");
  if (s->weighting != NULL)
    return cli_fail(EXIT_USAGE,
                    "--weighting: unsupported for diagrams (%s); use gpuvoronoi --seeds SRC --weighting %s "
                    "--polygons FILE",
                    s->weighting, s->weighting);
  const gv_option_rule rules[] = {{j->mask_layer != NULL, j->mask != NULL, "--mask-layer", "--mask"},
                                  {j->seeds.x_field != NULL, j->seeds.y_field != NULL, "--x", "--y"},
                                  {j->seeds.y_field != NULL, j->seeds.x_field != NULL, "--y", "--x"}};
  return cli_wrong(gv_option_rules_check(&io, rules, sizeof rules / sizeof *rules), &io);
}

static int diagram_command_run(settings *s, double begun) {
  gv_diagram_report report;
  gv_io io = {.cancelled = cli_interrupted};
  if (cli_wants_progress(s->progress, s->quiet, s->json)) s->job.progress = cli_show_progress;
  if (gv_diagram_job_run(&io, &s->job, &report) != GV_OK) return cli_report_failure(&io);
  double seconds = cli_seconds() - begun;
  cli_complete_progress();
  if (s->json) {
    cli_report_diagram_json(&report, seconds);
  } else if (!s->quiet) {
    cli_report_diagram_lines(&report, seconds);
  }
  return EXIT_OK;
}

int diagram_command(int argc, char **argv) {
  double begun = cli_seconds();
  settings s = {.job = {.tolerance = 1.0, .seeds = {.shapes = true}}};
  cli_read_output_mode(argc, argv);
  int result = cli_parse(&diagram_syntax, &s, argc, argv);
  if (result == EXIT_OK) result = check_usage(&s);
  if (result == EXIT_OK) result = cli_prepare();
  if (result == EXIT_OK) result = cli_read_standard_input(&s.job.seeds.source, s.job.memory);
  if (result == EXIT_OK) result = diagram_command_run(&s, begun);
  gv_strings_free(s.job.seeds.open_options);
  if (result == CLI_DONE) return EXIT_OK;
  return cli_reports_in_json() ? cli_end_output(result) : result;
}
