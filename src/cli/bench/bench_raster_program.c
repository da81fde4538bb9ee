/* bench raster: the suite `command`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_raster.h"
#include "cli/cli.h"

typedef bench_raster_settings settings;

static char **creation_options(char **list, const char *const *options) {
  for (; *options != NULL; options++)
    list = CSLAddString(CSLAddString(list, list != NULL && strcmp(list[0], "gdal_create") == 0 ? "-co" : "--co"),
                        *options);
  return list;
}

typedef struct command_case {
  const char *name;
  const char *ours[4], *theirs[4];
  const char *reference;
} command_case;

static int bench_whole_command(const void *user, const char *directory) {
  const settings *s = user;
  static const command_case cases[] = {
      {"COMPRESS=NONE",
       {"TILED=YES", "COMPRESS=NONE"},
       {"TILED=YES", "COMPRESS=NONE"},
       "gdal_create, same options"},
      {"COMPRESS=ZSTD",
       {"TILED=YES", "COMPRESS=ZSTD"},
       {"TILED=YES", "COMPRESS=ZSTD"},
       "gdal_create, same options"},
      {"COMPRESS=LZW", {"TILED=YES", "COMPRESS=LZW"}, {"TILED=YES", "COMPRESS=LZW"}, "gdal_create, same options"},
      {"defaults", {NULL}, {"TILED=YES", "COMPRESS=NONE"}, "gdal_create, uncompressed"},
  };
  const int64_t seeds = 10000;
  const char *seeds_file = CPLFormFilename(directory, "seeds", "csv");
  char *csv = strdup(seeds_file), *ours_file = strdup(CPLFormFilename(directory, "ours", "tif"));
  char *their_file = strdup(CPLFormFilename(directory, "gdal_create", "tif"));
  char program[4096], width[32], height[32], size[64];
  int result = EXIT_OK;
  if (!bench_own_path(program, sizeof program) || csv == NULL || ours_file == NULL || their_file == NULL ||
      !bench_write_seeds(csv, seeds)) {
    result = cli_fail(EXIT_ERROR, "bench: cannot write into '%s'", directory);
    goto done;
  }
  snprintf(width, sizeof width, "%" PRId64, s->width);
  snprintf(height, sizeof height, "%" PRId64, s->height);
  snprintf(size, sizeof size, "%s,%s", width, height);
  for (size_t c = 0; c < sizeof cases / sizeof *cases && result == EXIT_OK; c++) {
    char **ours = bench_arguments(program, "--seeds", csv, "--metric", "great-circle", "--size", size,
                                  "--overwrite", "--quiet", NULL);
    char **theirs = bench_arguments("gdal_create", "-q", "-of", "GTiff", "-ot", "Int32", "-outsize", width, height,
                                    "-bands", "1", "-burn", "7", "-a_srs", "EPSG:4326", "-a_ullr", "-180", "90",
                                    "180", "-90", "-a_nodata", "-1", "-co", "BIGTIFF=IF_SAFER", NULL);
    ours = CSLAddString(creation_options(ours, cases[c].ours), ours_file);
    theirs = CSLAddString(creation_options(theirs, cases[c].theirs), their_file);
    double time[BENCH_RASTER_RUNS], reference[BENCH_RASTER_RUNS], ratio[BENCH_RASTER_RUNS], peak = 0.0;
    for (int run = -1; run < s->runs; run++) {
      int at = run < 0 ? 0 : run;
      unlink(their_file);
      reference[at] = bench_run(&theirs, 1, NULL);
      unlink(ours_file);
      time[at] = bench_run(&ours, 1, &peak);
      if (time[at] < 0.0 || reference[at] < 0.0) {
        result = cli_fail(EXIT_ERROR, "bench: %s could not run", time[at] < 0.0 ? program : "gdal_create");
        break;
      }
      ratio[at] = time[at] / reference[at];
    }
    CSLDestroy(ours);
    CSLDestroy(theirs);
    if (result == EXIT_OK) {
      double cells = (double)s->width * (double)s->height;
      char name[64];
      snprintf(name, sizeof name, "gdal_create for %s", cases[c].name);
      bench_raster_row(s, "command", name, 0, cells, reference, NULL, s->runs, "", -1.0);
      bench_raster_row(s, "command", cases[c].name, seeds, cells, time, ratio, s->runs, cases[c].reference, peak);
    }
  }
done:
  if (csv != NULL) unlink(csv);
  if (ours_file != NULL) {
    unlink(ours_file);
    unlink(CPLFormFilename(directory, "ours.tif", "aux.xml"));
  }
  if (their_file != NULL) unlink(their_file);
  free(csv);
  free(ours_file);
  free(their_file);
  return result;
}

int bench_raster_program(const settings *s) {
  return bench_in_directory(s->directory, bench_whole_command, s);
}
