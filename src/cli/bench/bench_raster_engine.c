/* bench raster: the suites `engine` and `distance`. */
#include <geodesic.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_raster.h"
#include "cli/cli.h"
#include "io/crs.h"
#include "io/in/seeds.h"
#include "io/parallel.h"

typedef bench_raster_settings settings;

/* --------------------------------------------------------------------------------------------------- engine */

static gv_status engine_once(gv_context *context, const settings *s, gv_metric metric, const gv_seeds *seeds,
                             int32_t *out) {
  gv_grid grid = bench_raster_globe(s);
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

int bench_raster_engine(const settings *given, gv_context *context) {
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
    double fill[BENCH_RASTER_RUNS], time[2][BENCH_RASTER_RUNS], ratio[2][BENCH_RASTER_RUNS],
        geodesic_ratio[BENCH_RASTER_RUNS];
    double device[2][BENCH_RASTER_RUNS], device_ratio[2][BENCH_RASTER_RUNS], device_fill[BENCH_RASTER_RUNS];
    if (list.x != NULL && list.y != NULL) {
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
    if (c == 0) bench_raster_row(s, "engine", "memset, one thread", 0, cells, fill, NULL, s->runs, "", -1.0);
    static const char *const names[] = {"great-circle", "geodesic"};
    if (c == 0 && device[0][0] > 0.0) {
      bench_raster_row(s, "device", "memset", 0, cells, device_fill, NULL, s->runs, "", -1.0);
    }
    for (int m = 0; m < 2 && device[m][0] > 0.0; m++) {
      bench_raster_row(s, "device", names[m], seeds.count, cells, device[m], device_ratio[m], s->runs,
                       "of the memset's rate", -1.0);
    }
    double again[BENCH_RASTER_RUNS];
    memcpy(again, time[1], sizeof again);
    bench_raster_row(s, "engine", "great-circle", seeds.count, cells, time[0], ratio[0], s->runs, "memset", -1.0);
    bench_raster_row(s, "engine", "geodesic", seeds.count, cells, time[1], ratio[1], s->runs, "memset", -1.0);
    bench_raster_row(s, "engine", "geodesic", seeds.count, cells, again, geodesic_ratio, s->runs, "great-circle",
                     -1.0);
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

enum { SIDE = 512 };

/* Blocks being measured. */
typedef struct measuring {
  const gv_voronoi *voronoi;
  int64_t width; /* of the grid */
  bool azimuth;
  const int32_t *seed; /* numbers of the whole grid */
  float *out;          /* a block a worker */
} measuring;

static gv_status measure_some(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const measuring *all = user;
  float *out = all->out + (int64_t)worker * SIDE * SIDE;
  int64_t across = gv_voronoi_blocks_across(all->voronoi);
  gv_context *context = NULL;
  gv_status status = gv_context_create(NULL, &context);
  for (int64_t b = first; b < end && status == GV_OK; b++) {
    gv_measure m = GV_MEASURE_INIT;
    m.column = b % across;
    m.row = b / across;
    m.seed = all->seed + m.row * SIDE * all->width + m.column * SIDE;
    m.stride = all->width;
    m.out_stride = SIDE;
    if (all->azimuth) {
      m.azimuth = out;
    } else {
      m.distance = out;
    }
    status = gv_voronoi_measure(context, all->voronoi, &m);
  }
  (void)gv_io_pass_on_library(io, context, status);
  gv_context_destroy(context);
  return status;
}

gv_status bench_raster_measure(gv_context *context, const gv_voronoi *voronoi, const settings *s, bool azimuth,
                               const int32_t *seed) {
  int threads = gv_context_threads(context);
  gv_io io = {.cancelled = NULL};
  measuring all = {voronoi, s->width, azimuth, seed, malloc(sizeof(float) * SIDE * SIDE * (size_t)threads)};
  gv_io_loop loop = {.threads = threads, .grain = 1, .user = &all};
  loop.count = gv_voronoi_blocks_across(voronoi) * gv_voronoi_blocks_down(voronoi);
  gv_status status = all.out != NULL ? gv_io_parallel_for(&io, &loop, measure_some) : GV_ERROR_OUT_OF_MEMORY;
  free(all.out);
  return status;
}

/* Rows of cells PROJ is asked about. */
typedef struct asking {
  const settings *s;
  const gv_grid *grid;
  const gv_seeds *seeds;
  const int32_t *seed;
  int64_t every;
  struct geod_geodesic geod;
} asking;

static gv_status ask_some(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const asking *a = user;
  const double *g = a->grid->geotransform;
  double sum = 0.0;
  (void)worker;
  for (int64_t i = first; i < end; i++) {
    int64_t row = a->every / 2 + i * a->every;
    for (int64_t c = 0; c < a->s->width; c++) {
      int32_t to = a->seed[row * a->s->width + c];
      double distance = 0.0;
      geod_inverse(&a->geod, g[3] + ((double)row + 0.5) * g[5], g[0] + ((double)c + 0.5) * g[1], a->seeds->y[to],
                   a->seeds->x[to], &distance, NULL, NULL);
      sum += distance;
    }
  }
  /* So that the compiler leaves nothing out. */
  return sum >= 0.0 ? GV_OK : gv_io_fail(io, GV_ERROR_INTERNAL, "a distance is no number");
}

/* geod_inverse from the cells of every n-th row; returns the number of cells. */
static int64_t ask_proj_about_rows(const settings *s, const gv_grid *grid, const gv_seeds *seeds,
                                   const int32_t *seed, int64_t every, int threads) {
  gv_io io = {.cancelled = NULL};
  asking a = {.s = s, .grid = grid, .seeds = seeds, .seed = seed, .every = every};
  int64_t rows = (s->height - every / 2 + every - 1) / every;
  gv_io_loop loop = {.threads = threads, .count = rows, .grain = 1, .user = &a};
  geod_init(&a.geod, 6378137.0, 1.0 / 298.257223563);
  return gv_io_parallel_for(&io, &loop, ask_some) == GV_OK ? rows * s->width : 0;
}

int bench_raster_distance(const settings *s, gv_context *context) {
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
    gv_grid grid = bench_raster_globe(s);
    gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
    double time[BENCH_RASTER_RUNS], reference[BENCH_RASTER_RUNS], ratio[BENCH_RASTER_RUNS];
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
      status = bench_raster_measure(context, voronoi, s, cases[i].azimuth, seed);
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
      bench_raster_row(s, "distance", "geod_inverse, from a sample", 0, cells, reference, NULL, s->runs, "", -1.0);
    bench_raster_row(s, "distance", cases[i].name, SEEDS, cells, time, ratio, s->runs,
                     "times as fast as geod_inverse", -1.0);
  }
  free(seed);
  return result;
}
