/*
 * gpuvoronoi bench raster: how fast rasters are made, always as a ratio to a reference timed in the same round.
 *
 *   engine     gv_voronoi_create + gv_voronoi_compute into a buffer whose pages are touched, against one thread's
 *              memset of that buffer; for engines on a GPU also the time of their kernels, by events, against the
 *              device's own memset of as many bytes
 *   command    this program as a process, seeds file to GeoTIFF, against gdal_create with the same size and options
 *   distance   gv_voronoi_measure of every cell, into buffers of one block a thread, against geod_inverse about a sample
 *              of the cells (its time over ours)
 *   projected  great-circle on a UTM grid, against PROJ's proj_trans_generic alone over every cell, all threads
 *
 * Rounds are interleaved (reference, case, reference, case ...), so that a machine that slows down slows both; the
 * ratio is the median of the rounds' ratios.
 */
#include <errno.h>
#include <fcntl.h>
#include <geodesic.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <proj.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "gpuvoronoi.h"
#include "io/crs.h"
#include "io/in/seeds.h"

enum { MAX_RUNS = 101, MAX_COUNTS = 16 };

static const char help[] =
    "Usage: gpuvoronoi bench raster [options]\n"
    "\n"
    "  --suite NAME      engine, distance, command, projected or all (default: all)\n"
    "  --size W,H        cells of the globe's raster (default: 21600,10800)\n"
    "  --projected-size N  cells a side of the projected raster (default: 4000)\n"
    "  --seeds N,N,...   numbers of seeds for the engine (default: 100,1000,10000,100000,1000000)\n"
    "  --seed-file SRC   the engine's seeds are those of a vector source in longitude and latitude instead\n"
    "  -k K              neighbours that the engine finds of each cell (default: 1)\n"
    "  --max-distance D  within so many metres (default: no limit)\n"
    "  --level L         the engine's pixels carry the answers of their QTM triangles\n"
    "  --mesh L          the engine's cells are the triangles of a QTM level\n"
    "  --backend NAME    engine to time (default: auto)\n"
    "  --runs N          rounds after one to warm up (default: 5)\n"
    "  --threads N       default: one a processor\n"
    "  --directory DIR   where the command writes its rasters (default: a temporary directory)\n"
    "  --csv FILE        the table as CSV too\n";

typedef struct settings {
  const char *suite, *backend, *directory;
  int64_t width, height, projected;
  int64_t counts[MAX_COUNTS];
  int count_of_counts, runs, threads;
  int32_t k, level;
  bool mesh;
  double max_distance;
  const char *seed_file; /* NULL: uniform ones */
  FILE *csv;
} settings;

/* ------------------------------------------------------------------------------------------------ the table */

static void print_header(const settings *s) {
  printf("%-10s %-34s %9s %10s %10s %10s %10s  %8s  %s\n", "suite", "case", "seeds", "median s", "least s",
         "most s", "Mcell/s", "ratio", "reference");
  if (s->csv != NULL) {
    fprintf(s->csv, "suite,case,seeds,cells,median_s,least_s,most_s,mcells_per_s,ratio,reference,peak_mib\n");
  }
}

/* peak_mib < 0: not measured. */
static void print_row(const settings *s, const char *suite, const char *name, int64_t seeds, double cells,
                      double *seconds, double *ratios, int n, const char *reference, double peak_mib) {
  bench_summary t = bench_summarise(seconds, n);
  double rate = cells / t.median / 1e6, ratio = ratios != NULL ? bench_summarise(ratios, n).median : NAN;
  printf("%-10s %-34s %9" PRId64 " %10.4f %10.4f %10.4f %10.1f  ", suite, name, seeds, t.median, t.least, t.most,
         rate);
  if (ratios != NULL) {
    printf("%8.2f  %s", ratio, reference);
  } else {
    printf("%8s  %s", "", reference);
  }
  if (peak_mib >= 0) printf("  (peak %.0f MiB)", peak_mib);
  printf("\n");
  fflush(stdout);
  if (s->csv != NULL) {
    fprintf(s->csv, "%s,%s,%" PRId64 ",%.0f,%.6f,%.6f,%.6f,%.3f,", suite, name, seeds, cells, t.median, t.least,
            t.most, rate);
    if (ratios != NULL) fprintf(s->csv, "%.4f", ratio);
    fprintf(s->csv, ",%s,", reference);
    if (peak_mib >= 0) fprintf(s->csv, "%.0f", peak_mib);
    fprintf(s->csv, "\n");
  }
}

/* --------------------------------------------------------------------------------------------------- engine */

static gv_grid globe_grid(const settings *s) {
  gv_grid grid = GV_GRID_INIT;
  double geotransform[6] = {-180.0, 360.0 / (double)s->width, 0.0, 90.0, 0.0, -180.0 / (double)s->height};
  grid.kind = GV_GRID_LONLAT;
  grid.width = s->width;
  grid.height = s->height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  return grid;
}

static gv_status engine_once(gv_context *context, const settings *s, gv_metric metric, const gv_seeds *seeds,
                             int32_t *out) {
  gv_grid grid = globe_grid(s);
  if (s->mesh) grid.kind = GV_GRID_QTM;
  grid.level = s->level;
  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  gv_voronoi *voronoi = NULL;
  options.backend = s->backend;
  options.metric = metric;
  options.k = s->k;
  options.max_distance = s->max_distance;
  gv_status status = gv_voronoi_create(context, &grid, seeds, &options, &voronoi);
  if (status == GV_OK) status = gv_voronoi_compute(context, voronoi, out, s->width);
  gv_voronoi_destroy(voronoi);
  return status;
}

/* The seeds of a vector source; the list is to be freed in any case. */
static int read_seeds(const char *source, gv_seed_list *out) {
  gv_io io = {.cancelled = NULL};
  gv_seed_options options = {.source = source};
  gv_status status = gv_seeds_read(&io, &options, out);
  if (status == GV_OK) status = gv_seeds_require_some(&io, out);
  if (status != GV_OK) return cli_fail(EXIT_ERROR, "bench: %s", io.message);
  if (out->crs == NULL || !gv_crs_is_lonlat(out->crs)) {
    return cli_fail(EXIT_ERROR, "bench: %s is not in longitude and latitude", source);
  }
  return EXIT_OK;
}

static int bench_engine(const settings *given, gv_context *context) {
  static const gv_metric metrics[] = {GV_GREAT_CIRCLE, GV_GEODESIC};
  settings own = *given;
  const settings *s = &own;
  double cells = (double)s->width * (double)s->height;
  size_t bytes = (size_t)(s->width * s->height) * (size_t)s->k * sizeof(int32_t);
  int64_t most = 0;
  gv_seed_list list = GV_SEED_LIST_INIT;
  if (s->seed_file != NULL) {
    int read = read_seeds(s->seed_file, &list);
    if (read != EXIT_OK) {
      gv_seeds_free(&list);
      return read;
    }
    own.count_of_counts = 1;
    own.counts[0] = list.count;
  }
  for (int c = 0; c < s->count_of_counts; c++)
    most = s->counts[c] > most ? s->counts[c] : most;
  int32_t *out = malloc(bytes);
  double *lon = malloc((size_t)most * sizeof *lon), *lat = malloc((size_t)most * sizeof *lat);
  int result = EXIT_OK;
  if (out == NULL || lon == NULL || lat == NULL) {
    result = cli_fail(EXIT_ERROR, "bench: out of memory for a buffer of %zu bytes", bytes);
    goto done;
  }
  memset(out, 1, bytes);
  for (int c = 0; c < s->count_of_counts; c++) {
    gv_seeds seeds = {lon, lat, s->counts[c]};
    double fill[MAX_RUNS], time[2][MAX_RUNS], ratio[2][MAX_RUNS], geodesic_ratio[MAX_RUNS];
    double device[2][MAX_RUNS], device_ratio[2][MAX_RUNS], device_fill[MAX_RUNS];
    if (s->seed_file != NULL) {
      memcpy(lon, list.x, (size_t)seeds.count * sizeof *lon);
      memcpy(lat, list.y, (size_t)seeds.count * sizeof *lat);
    } else {
      bench_seeds_on_globe(seeds.count, 42, lon, lat);
    }
    for (int run = -1; run < s->runs; run++) {
      int at = run < 0 ? 0 : run;
      double start = bench_now();
      memset(out, run + 2, bytes);
      fill[at] = bench_now() - start;
      if (gv_device_fill_seconds(context, (int64_t)bytes, &device_fill[at]) != GV_OK) device_fill[at] = NAN;
      for (int m = 0; m < 2; m++) {
        double device_start = gv_context_device_seconds(context);
        start = bench_now();
        if (engine_once(context, s, metrics[m], &seeds, out) != GV_OK) {
          result = cli_fail(EXIT_ERROR, "bench: %s", gv_context_message(context));
          goto done;
        }
        time[m][at] = bench_now() - start;
        ratio[m][at] = time[m][at] / fill[at];
        device[m][at] = gv_context_device_seconds(context) - device_start;
        device_ratio[m][at] = device_fill[at] / device[m][at];
      }
      geodesic_ratio[at] = time[1][at] / time[0][at];
    }
    if (c == 0) print_row(s, "engine", "memset, one thread", 0, cells, fill, NULL, s->runs, "", -1.0);
    static const char *const names[] = {"great-circle", "geodesic"};
    if (c == 0 && device[0][0] > 0.0) {
      print_row(s, "device", "memset", 0, cells, device_fill, NULL, s->runs, "", -1.0);
    }
    for (int m = 0; m < 2 && device[m][0] > 0.0; m++) {
      print_row(s, "device", names[m], seeds.count, cells, device[m], device_ratio[m], s->runs,
                "of the memset's rate", -1.0);
    }
    double again[MAX_RUNS];
    memcpy(again, time[1], sizeof again);
    print_row(s, "engine", "great-circle", seeds.count, cells, time[0], ratio[0], s->runs, "memset", -1.0);
    print_row(s, "engine", "geodesic", seeds.count, cells, time[1], ratio[1], s->runs, "memset", -1.0);
    print_row(s, "engine", "geodesic", seeds.count, cells, again, geodesic_ratio, s->runs, "great-circle", -1.0);
  }
done:
  gv_seeds_free(&list);
  free(out);
  free(lon);
  free(lat);
  return result;
}

/* ------------------------------------------------------------------------------------------------- distance */

typedef struct distance_case {
  const char *name;
  gv_metric metric;
  bool azimuth;
} distance_case;

/* Measures all blocks with all threads; the seeds' numbers are those of the whole grid. */
static gv_status measure_once(gv_context *context, const gv_voronoi *voronoi, const settings *s, bool azimuth,
                              const int32_t *seed) {
  enum { SIDE = 512 };
  int64_t across = gv_voronoi_blocks_across(voronoi), blocks = across * gv_voronoi_blocks_down(voronoi);
  gv_status result = GV_OK;
#pragma omp parallel num_threads(gv_context_threads(context)) reduction(max : result)
  {
    gv_context *worker = NULL;
    float *out = malloc(sizeof *out * SIDE * SIDE);
    result = out != NULL ? gv_context_create(NULL, &worker) : GV_ERROR_OUT_OF_MEMORY;
#pragma omp for schedule(dynamic)
    for (int64_t b = 0; b < blocks; b++) {
      gv_measure m = GV_MEASURE_INIT;
      if (result != GV_OK) continue;
      m.column = b % across;
      m.row = b / across;
      m.seed = seed + m.row * SIDE * s->width + m.column * SIDE;
      m.stride = s->width;
      m.out_stride = SIDE;
      if (azimuth) {
        m.azimuth = out;
      } else {
        m.distance = out;
      }
      result = gv_voronoi_measure(worker, voronoi, &m);
    }
    free(out);
    gv_context_destroy(worker);
  }
  return result;
}

/* geod_inverse from the cells of every n-th row; returns the number of cells. */
static int64_t ask_proj_about_rows(const settings *s, const gv_grid *grid, const gv_seeds *seeds,
                                   const int32_t *seed, int64_t every, int threads) {
  struct geod_geodesic geod;
  const double *g = grid->geotransform;
  int64_t cells = 0;
  double sum = 0.0;
  geod_init(&geod, 6378137.0, 1.0 / 298.257223563);
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(+ : cells, sum)
  for (int64_t row = every / 2; row < s->height; row += every) {
    for (int64_t c = 0; c < s->width; c++) {
      int32_t to = seed[row * s->width + c];
      double distance = 0.0;
      geod_inverse(&geod, g[3] + ((double)row + 0.5) * g[5], g[0] + ((double)c + 0.5) * g[1], seeds->y[to],
                   seeds->x[to], &distance, NULL, NULL);
      sum += distance;
    }
    cells += s->width;
  }
  return sum > 0.0 ? cells : 0;
}

static int bench_distance(const settings *s, gv_context *context) {
  static const distance_case cases[] = {
      {"geodesic", GV_GEODESIC, false},         {"azimuth, geodesic", GV_GEODESIC, true},
      {"great-circle", GV_GREAT_CIRCLE, false}, {"azimuth, great-circle", GV_GREAT_CIRCLE, true},
      {"euclidean", GV_EUCLIDEAN, false},       {"azimuth, euclidean", GV_EUCLIDEAN, true}};
  enum { SEEDS = 10000, SAMPLE = 1000000 };
  static double lon[SEEDS], lat[SEEDS];
  gv_seeds seeds = {lon, lat, SEEDS};
  double cells = (double)s->width * (double)s->height;
  int32_t *seed = malloc((size_t)(s->width * s->height) * sizeof *seed);
  gv_voronoi *voronoi = NULL;
  int result = EXIT_OK;
  if (seed == NULL) return cli_fail(EXIT_ERROR, "bench: out of memory for the seeds' numbers");
  bench_seeds_on_globe(SEEDS, 42, lon, lat);
  for (size_t i = 0; i < sizeof cases / sizeof *cases && result == EXIT_OK; i++) {
    gv_grid grid = globe_grid(s);
    gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
    double time[MAX_RUNS], reference[MAX_RUNS], ratio[MAX_RUNS];
    int64_t every = 1 + (int64_t)(cells / SAMPLE);
    options.metric = cases[i].metric;
    if (options.metric == GV_EUCLIDEAN) grid.kind = GV_GRID_PLANE;
    gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
    if (status == GV_OK) status = gv_voronoi_compute(context, voronoi, seed, s->width);
    for (int run = -1; run < s->runs && status == GV_OK; run++) {
      int at = run < 0 ? 0 : run;
      double start = bench_now();
      int64_t asked = ask_proj_about_rows(s, &grid, &seeds, seed, every, gv_context_threads(context));
      reference[at] = (bench_now() - start) * (asked > 0 ? cells / (double)asked : 0.0);
      start = bench_now();
      status = measure_once(context, voronoi, s, cases[i].azimuth, seed);
      time[at] = bench_now() - start;
      ratio[at] = reference[at] / time[at];
    }
    gv_voronoi_destroy(voronoi);
    voronoi = NULL;
    if (status != GV_OK) {
      result = cli_fail(EXIT_ERROR, "bench: %s: %s", gv_status_name(status), gv_context_message(context));
      break;
    }
    if (i == 0)
      print_row(s, "distance", "geod_inverse, from a sample", 0, cells, reference, NULL, s->runs, "", -1.0);
    print_row(s, "distance", cases[i].name, SEEDS, cells, time, ratio, s->runs, "times as fast as geod_inverse",
              -1.0);
  }
  free(seed);
  return result;
}

/* -------------------------------------------------------------------------------------------------- command */

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
    double time[MAX_RUNS], reference[MAX_RUNS], ratio[MAX_RUNS], peak = 0.0;
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
      print_row(s, "command", name, 0, cells, reference, NULL, s->runs, "", -1.0);
      print_row(s, "command", cases[c].name, seeds, cells, time, ratio, s->runs, cases[c].reference, peak);
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

static int bench_command_suite(const settings *s) {
  if (s->directory != NULL) return bench_whole_command(s, s->directory);
  char directory[4096];
  const char *base = getenv("TMPDIR");
  snprintf(directory, sizeof directory, "%s/gpuvoronoi-bench-XXXXXX", base != NULL ? base : "/tmp");
  if (mkdtemp(directory) == NULL) return cli_fail(EXIT_ERROR, "bench: cannot make a directory in '%s'", base);
  int result = bench_whole_command(s, directory);
  rmdir(directory);
  return result;
}

/* ------------------------------------------------------------------------------------------------ projected */

static const double utm_origin[2] = {300000.0, 5700000.0};
static const double utm_width = 400000.0;

/* PROJ by the book: one operation a thread, rows handed over as arrays. False if PROJ would not. */
static bool invert_with_proj_alone(int64_t n, int threads) {
  bool good = true;
#pragma omp parallel num_threads(threads) reduction(&& : good)
  {
    PJ_CONTEXT *context = proj_context_create();
    PJ *plain = proj_create_crs_to_crs(context, "EPSG:32632", "EPSG:4326", NULL);
    PJ *operation = plain != NULL ? proj_normalize_for_visualization(context, plain) : NULL;
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    good = operation != NULL && x != NULL && y != NULL;
    size_t step = sizeof *x, count = (size_t)n;
#pragma omp for schedule(dynamic, 16)
    for (int64_t row = 0; row < n; row++) {
      if (!good) continue;
      for (int64_t i = 0; i < n; i++) {
        x[i] = utm_origin[0] + ((double)i + 0.5) * (utm_width / (double)n);
        y[i] = utm_origin[1] - ((double)row + 0.5) * (utm_width / (double)n);
      }
      good = proj_trans_generic(operation, PJ_FWD, x, step, count, y, step, count, NULL, 0, 0, NULL, 0, 0) == count;
    }
    free(x);
    free(y);
    proj_destroy(operation);
    proj_destroy(plain);
    proj_context_destroy(context);
  }
  return good;
}

static int bench_projected(const settings *s, gv_context *context) {
  enum { SEEDS = 10000 };
  static double lon[SEEDS], lat[SEEDS];
  int64_t n = s->projected;
  int32_t *out = malloc((size_t)(n * n) * sizeof *out);
  gv_io io = {.cancelled = NULL};
  OGRSpatialReferenceH utm = NULL, globe = NULL;
  gv_operation *inverse = NULL;
  gv_voronoi *voronoi = NULL;
  int result = EXIT_OK;
  uint64_t state = 5;
  if (out == NULL) return cli_fail(EXIT_ERROR, "bench: out of memory for the projected raster");
  if (gv_crs_parse(&io, "EPSG:32632", "bench", &utm) != GV_OK ||
      gv_crs_parse(&io, "EPSG:4326", "bench", &globe) != GV_OK ||
      gv_operation_to_globe(&io, utm, globe, NULL, NULL, 0, &inverse) != GV_OK) {
    result = cli_fail(EXIT_ERROR, "bench: %s", io.message);
    goto done;
  }
  for (int i = 0; i < SEEDS; i++) {
    lon[i] = utm_origin[0] + utm_width * bench_uniform(&state);
    lat[i] = utm_origin[1] - utm_width * bench_uniform(&state);
  }
  if (gv_operation_apply(lon, lat, SEEDS, inverse) != 0) {
    result = cli_fail(EXIT_ERROR, "bench: the seeds could not be projected");
    goto done;
  }
  gv_grid grid = GV_GRID_INIT;
  double geotransform[6] = {utm_origin[0], utm_width / (double)n, 0.0, utm_origin[1], 0.0, -utm_width / (double)n};
  grid.kind = GV_GRID_PROJECTED;
  grid.width = grid.height = n;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  grid.inverse = gv_operation_apply;
  grid.inverse_user = inverse;
  gv_seeds seeds = {lon, lat, SEEDS};
  gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
  options.backend = s->backend;
  options.metric = GV_GREAT_CIRCLE;
  double time[MAX_RUNS], reference[MAX_RUNS], ratio[MAX_RUNS];
  for (int run = -1; run < s->runs; run++) {
    int at = run < 0 ? 0 : run;
    double start = bench_now();
    if (!invert_with_proj_alone(n, gv_context_threads(context))) {
      result = cli_fail(EXIT_ERROR, "bench: PROJ could not invert the grid");
      goto done;
    }
    reference[at] = bench_now() - start;
    start = bench_now();
    gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
    if (status == GV_OK) status = gv_voronoi_compute(context, voronoi, out, n);
    gv_voronoi_destroy(voronoi);
    voronoi = NULL;
    if (status != GV_OK) {
      result = cli_fail(EXIT_ERROR, "bench: %s", gv_context_message(context));
      goto done;
    }
    time[at] = bench_now() - start;
    ratio[at] = time[at] / reference[at];
  }
  double cells = (double)n * (double)n;
  print_row(s, "projected", "PROJ alone, all threads", 0, cells, reference, NULL, s->runs, "", -1.0);
  print_row(s, "projected", "great-circle on UTM", SEEDS, cells, time, ratio, s->runs, "PROJ alone", -1.0);
done:
  gv_operation_destroy(inverse);
  if (utm != NULL) OSRRelease(utm);
  if (globe != NULL) OSRRelease(globe);
  free(out);
  return result;
}

/* -------------------------------------------------------------------------------------------------- options */

enum {
  SUITE = 1,
  SIZE,
  PROJECTED,
  SEEDS,
  SEED_FILE,
  K,
  MAX_DISTANCE,
  LEVEL,
  MESH,
  BACKEND,
  RUNS,
  THREADS,
  DIRECTORY,
  CSV,
  HELP
};

static const cli_option options_table[] = {
    {"suite", SUITE, true},
    {"size", SIZE, true},
    {"projected-size", PROJECTED, true},
    {"seeds", SEEDS, true},
    {"seed-file", SEED_FILE, true},
    {"k", K, true},
    {"max-distance", MAX_DISTANCE, true},
    {"level", LEVEL, true},
    {"mesh", MESH, true},
    {"backend", BACKEND, true},
    {"runs", RUNS, true},
    {"threads", THREADS, true},
    {"directory", DIRECTORY, true},
    {"csv", CSV, true},
    {"help", HELP, false},
    {NULL, 0, false},
};

static bool read_counts(const char *text, settings *s) {
  char **parts = CSLTokenizeString2(text, ",", 0);
  int n = CSLCount(parts);
  bool good = n >= 1 && n <= MAX_COUNTS;
  for (int i = 0; i < n && good; i++)
    good = cli_integers(parts[i], &s->counts[i], 1) && s->counts[i] >= 1 && s->counts[i] <= INT32_MAX;
  s->count_of_counts = n;
  CSLDestroy(parts);
  return good;
}

int bench_raster_command(int argc, char **argv) {
  settings s = {.suite = "all",
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
  cli_parser parser = {.options = options_table, .argc = argc, .argv = argv};
  const char *value = NULL, *csv = NULL;
  int64_t number = 0, pair[2];
  for (int key; (key = cli_next(&parser, &value)) != CLI_END;) {
    bool good = true;
    switch (key) {
    case SUITE:
      s.suite = value;
      good = strcmp(value, "all") == 0 || strcmp(value, "engine") == 0 || strcmp(value, "distance") == 0 ||
             strcmp(value, "command") == 0 || strcmp(value, "projected") == 0;
      break;
    case SIZE:
      good = cli_integers(value, pair, 2) && pair[0] >= 1 && pair[1] >= 1 && pair[0] <= INT32_MAX &&
             pair[1] <= INT32_MAX;
      if (good) s.width = pair[0], s.height = pair[1];
      break;
    case PROJECTED:
      good = cli_integers(value, &s.projected, 1) && s.projected >= 1 && s.projected <= INT32_MAX;
      break;
    case SEEDS:
      good = read_counts(value, &s);
      break;
    case SEED_FILE:
      s.seed_file = value;
      break;
    case K:
      good = cli_integers(value, &number, 1) && number >= 1 && number <= GV_VORONOI_MAX_K;
      s.k = (int32_t)number;
      break;
    case MAX_DISTANCE:
      good = cli_numbers(value, &s.max_distance, 1) && s.max_distance >= 0.0;
      break;
    case LEVEL:
    case MESH:
      good = cli_integers(value, &number, 1) && number >= 0 && number <= GV_QTM_MAX_GRID_LEVEL;
      s.level = (int32_t)number;
      s.mesh = key == MESH;
      break;
    case BACKEND:
      s.backend = value;
      break;
    case RUNS:
      good = cli_integers(value, &number, 1) && number >= 1 && number <= MAX_RUNS;
      s.runs = (int)number;
      break;
    case THREADS:
      good = cli_integers(value, &number, 1) && number >= 1 && number <= 4096;
      s.threads = (int)number;
      break;
    case DIRECTORY:
      s.directory = value;
      break;
    case CSV:
      csv = value;
      break;
    case HELP:
      fputs(help, stdout);
      return EXIT_OK;
    case CLI_POSITIONAL:
      return cli_fail(EXIT_USAGE, "bench raster: what is '%s' for?", value);
    default:
      return EXIT_USAGE;
    }
    if (!good) return cli_fail(EXIT_USAGE, "bench raster: --%s cannot be '%s'", parser.name, value);
  }
  if (s.mesh && strcmp(s.suite, "engine") != 0) {
    return cli_fail(EXIT_USAGE, "bench raster: --mesh is for --suite engine");
  }
  if (s.mesh) {
    s.width = gv_qtm_count(s.level);
    s.height = 1;
  }
  gv_context_options context_options = GV_CONTEXT_OPTIONS_INIT;
  gv_context *context = NULL;
  context_options.threads = s.threads;
  if (gv_context_create(&context_options, &context) != GV_OK) return cli_fail(EXIT_ERROR, "bench: out of memory");
  if (csv != NULL && (s.csv = fopen(csv, "w")) == NULL) {
    gv_context_destroy(context);
    return cli_fail(EXIT_ERROR, "bench: cannot write '%s': %s", csv, strerror(errno));
  }
  bool all = strcmp(s.suite, "all") == 0;
  int result = EXIT_OK;
  gv_io_initialize();
  print_header(&s);
  if (all || strcmp(s.suite, "engine") == 0) result = bench_engine(&s, context);
  if (result == EXIT_OK && (all || strcmp(s.suite, "distance") == 0)) result = bench_distance(&s, context);
  if (result == EXIT_OK && (all || strcmp(s.suite, "command") == 0)) result = bench_command_suite(&s);
  if (result == EXIT_OK && (all || strcmp(s.suite, "projected") == 0)) result = bench_projected(&s, context);
  if (s.csv != NULL && fclose(s.csv) != 0 && result == EXIT_OK) {
    result = cli_fail(EXIT_ERROR, "bench: cannot write '%s'", csv);
  }
  gv_context_destroy(context);
  return result;
}
