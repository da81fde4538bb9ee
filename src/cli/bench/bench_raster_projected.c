/* bench raster: the suite `projected`. */
#include <proj.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/bench/bench_raster.h"
#include "cli/cli.h"
#include "io/crs.h"
#include "io/parallel.h"

typedef bench_raster_settings settings;

static const double utm_origin[2] = {300000.0, 5700000.0};
static const double utm_width = 400000.0;

/* PROJ by the book: one operation a thread, rows handed over as arrays. */
typedef struct inverting {
  int64_t n;
  double *x, *y; /* a row a worker */
} inverting;

static gv_status invert_some(gv_io *io, void *user, int worker, int64_t first, int64_t end) {
  const inverting *all = user;
  int64_t n = all->n;
  double *x = all->x + worker * n, *y = all->y + worker * n;
  size_t step = sizeof *x, count = (size_t)n;
  PJ_CONTEXT *context = proj_context_create();
  PJ *plain = proj_create_crs_to_crs(context, "EPSG:32632", "EPSG:4326", NULL);
  PJ *operation = plain != NULL ? proj_normalize_for_visualization(context, plain) : NULL;
  bool good = operation != NULL;
  for (int64_t row = first; row < end && good; row++) {
    for (int64_t i = 0; i < n; i++) {
      x[i] = utm_origin[0] + ((double)i + 0.5) * (utm_width / (double)n);
      y[i] = utm_origin[1] - ((double)row + 0.5) * (utm_width / (double)n);
    }
    good = proj_trans_generic(operation, PJ_FWD, x, step, count, y, step, count, NULL, 0, 0, NULL, 0, 0) == count;
  }
  proj_destroy(operation);
  proj_destroy(plain);
  proj_context_destroy(context);
  return good ? GV_OK : gv_io_fail(io, GV_ERROR_PROJECTION, "PROJ could not invert the grid");
}

/* False if PROJ would not. */
static bool invert_with_proj_alone(int64_t n, int threads) {
  gv_io io = {.cancelled = NULL};
  size_t bytes = (size_t)(n * threads) * sizeof(double);
  inverting all = {n, malloc(bytes), malloc(bytes)};
  gv_io_loop loop = {.threads = threads, .count = n, .grain = (n + threads - 1) / threads, .user = &all};
  bool good = all.x != NULL && all.y != NULL && gv_io_parallel_for(&io, &loop, invert_some) == GV_OK;
  free(all.x);
  free(all.y);
  return good;
}

int bench_raster_projected(const settings *s, gv_context *context) {
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
  double time[BENCH_RASTER_RUNS], reference[BENCH_RASTER_RUNS], ratio[BENCH_RASTER_RUNS];
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
  bench_raster_row(s, "projected", "PROJ alone, all threads", 0, cells, reference, NULL, s->runs, "", -1.0);
  bench_raster_row(s, "projected", "great-circle on UTM", SEEDS, cells, time, ratio, s->runs, "PROJ alone", -1.0);
done:
  gv_operation_destroy(inverse);
  if (utm != NULL) OSRRelease(utm);
  if (globe != NULL) OSRRelease(globe);
  free(out);
  return result;
}
