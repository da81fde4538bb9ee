/* bench raster: the suite `command`. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_raster.h"
#include "cli/cli.h"

typedef bench_raster_settings settings;

/* Runs a program with its output thrown away; seconds, or -1 when it could not run or failed. With fork, not vfork or
 * posix_spawn: there the kernel counts this process's own peak memory as the child's. */
static double run_program(char **argv, double *peak_mib) {
  int wait_status = 0;
  struct rusage usage;
  double start = bench_now();
  pid_t child = fork();
  if (child < 0) return -1.0;
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, 1);
    execvp(argv[0], argv);
    _exit(127);
  }
  while (wait4(child, &wait_status, 0, &usage) < 0) {
    if (errno != EINTR) return -1.0;
  }
  if (peak_mib != NULL) *peak_mib = (double)usage.ru_maxrss / 1024.0;
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0 ? bench_now() - start : -1.0;
}

static char **arguments(const char *first, ...) {
  char **list = NULL;
  va_list rest;
  va_start(rest, first);
  for (const char *a = first; a != NULL; a = va_arg(rest, const char *))
    list = CSLAddString(list, a);
  va_end(rest);
  return list;
}

static char **creation_options(char **list, const char *const *options) {
  for (; *options != NULL; options++)
    list = CSLAddString(CSLAddString(list, list != NULL && strcmp(list[0], "gdal_create") == 0 ? "-co" : "--co"),
                        *options);
  return list;
}

static bool write_seeds(const char *path, int64_t n) {
  double *lon = malloc((size_t)n * sizeof *lon), *lat = malloc((size_t)n * sizeof *lat);
  FILE *file = lon != NULL && lat != NULL ? fopen(path, "w") : NULL;
  bool good = file != NULL;
  if (good) {
    bench_seeds_on_globe(n, 42, lon, lat);
    fprintf(file, "lon,lat\n");
    for (int64_t i = 0; i < n; i++)
      fprintf(file, "%.9f,%.9f\n", lon[i], lat[i]);
    good = fclose(file) == 0;
  }
  free(lon);
  free(lat);
  return good;
}

typedef struct command_case {
  const char *name;
  const char *ours[4], *theirs[4];
  const char *reference;
} command_case;

static int bench_whole_command(const settings *s, const char *directory) {
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
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  int result = EXIT_OK;
  if (length <= 0 || csv == NULL || ours_file == NULL || their_file == NULL || !write_seeds(csv, seeds)) {
    result = cli_fail(EXIT_ERROR, "bench: cannot write into '%s'", directory);
    goto done;
  }
  program[length] = '\0';
  snprintf(width, sizeof width, "%" PRId64, s->width);
  snprintf(height, sizeof height, "%" PRId64, s->height);
  snprintf(size, sizeof size, "%s,%s", width, height);
  for (size_t c = 0; c < sizeof cases / sizeof *cases && result == EXIT_OK; c++) {
    char **ours = arguments(program, "--seeds", csv, "--metric", "great-circle", "--size", size, "--overwrite",
                            "--quiet", NULL);
    char **theirs = arguments("gdal_create", "-q", "-of", "GTiff", "-ot", "Int32", "-outsize", width, height,
                              "-bands", "1", "-burn", "7", "-a_srs", "EPSG:4326", "-a_ullr", "-180", "90", "180",
                              "-90", "-a_nodata", "-1", "-co", "BIGTIFF=IF_SAFER", NULL);
    ours = CSLAddString(creation_options(ours, cases[c].ours), ours_file);
    theirs = CSLAddString(creation_options(theirs, cases[c].theirs), their_file);
    double time[BENCH_RASTER_RUNS], reference[BENCH_RASTER_RUNS], ratio[BENCH_RASTER_RUNS], peak = 0.0;
    for (int run = -1; run < s->runs; run++) {
      int at = run < 0 ? 0 : run;
      unlink(their_file);
      reference[at] = run_program(theirs, NULL);
      unlink(ours_file);
      time[at] = run_program(ours, &peak);
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
  if (s->directory != NULL) return bench_whole_command(s, s->directory);
  char directory[4096];
  const char *base = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/gpuvoronoi-bench-XXXXXX", base != NULL ? base : "/tmp");
  if (mkdtemp(directory) == NULL) return cli_fail(EXIT_ERROR, "bench: cannot make a directory in '%s'", base);
  int result = bench_whole_command(s, directory);
  rmdir(directory);
  return result;
}
