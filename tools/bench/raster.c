/*
 * gpuvoronoi-bench raster, projected.
 *
 *   raster     gv_voronoi_create and gv_voronoi_fill into a buffer with touched pages, against one
 *              thread's memset of that buffer; on a device also its kernels, by events, against the
 *              device's own memset of as many bytes. Geodesics, and further backends, which must return
 *              the same bytes, are compared with great circles by the first; `serial` has one thread
 *   projected  great-circle distances on a grid of UTM zone 32, against PROJ's proj_trans_generic alone
 *              over every cell, all threads
 */
#include <math.h>
#include <proj.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gpuvoronoi/cells.h"
#include "io/crs/crs.h"
#include "io/in/cells_of.h"
#include "search/device_times.h"

typedef struct raster {
  char name[64];
  const char *backend;
  gv_metric metric;
  gv_grid grid;
  gv_points seeds;
  int32_t *out;
  size_t bytes;
} raster;

static gv_status run_memset(bench *b, const bench_case *c, bench_sample *s) {
  const raster *r = c->with;
  double device = 0.0;
  bench_start(b, s);
  memset(r->out, 1, r->bytes);
  bench_stop(b, s);
  if (gv_device_fill_seconds(b->context, (int64_t)r->bytes, &device) == GV_OK) s->value[DEVICE] = device;
  return GV_OK;
}

static gv_status run_raster(bench *b, const bench_case *c, bench_sample *s) {
  const raster *r = c->with;
  gv_context_options one;
  gv_context_options_init(&one);
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  gv_context *context = b->context;
  gv_voronoi *voronoi = NULL;
  one.threads = 1;
  if (strcmp(r->backend, "serial") == 0 && gv_context_create(&one, &context) != GV_OK)
    return GV_ERROR_OUT_OF_MEMORY;
  options.backend = r->backend;
  options.metric = r->metric;
  options.k = b->k;
  options.max_distance = b->max_distance;
  bench_start(b, s);
  gv_status status = gv_voronoi_create(context, &r->grid, &r->seeds, &options, &voronoi);
  gv_labels all;
  gv_labels_init(&all);
  all.out = r->out;
  if (status == GV_OK) status = gv_voronoi_fill(context, voronoi, &all, NULL);
  gv_voronoi_destroy(voronoi);
  bench_stop(b, s);
  if (context != b->context) gv_context_destroy(context);
  if (status == GV_OK && b->count_of_backends > 1) s->result = bench_checksum(r->out, r->bytes);
  return status;
}

static bool bench_rasters(bench *b, const raster *r) {
  static const gv_metric metrics[] = {GV_GREAT_CIRCLE, GV_GEODESIC};
  static raster rasters[2 * BENCH_MOST_LIST];
  bench_case cases[2 * BENCH_MOST_LIST + 1];
  char group[128];
  double items = (double)r->grid.width * (double)r->grid.height;
  int n = 1;
  cases[0] = (bench_case){"memset", -1, 0, items, run_memset, r};
  for (int i = 0; i < (b->count_of_backends > 0 ? b->count_of_backends : 1); i++) {
    for (int m = 0; m < 2; m++) {
      if (b->metric != NULL && strcmp(b->metric, gv_metric_name(metrics[m])) != 0) continue;
      raster *one = &rasters[n];
      *one = *r;
      one->backend = b->count_of_backends > 0 ? b->backends[i] : "auto";
      one->metric = metrics[m];
      snprintf(one->name, sizeof one->name, "%s, %s", one->backend, gv_metric_name(metrics[m]));
      cases[n] = (bench_case){one->name, n > 1, m + 1, items, run_raster, one};
      n++;
    }
  }
  bench_name(b, r->seeds, group);
  return bench_group(b, group, cases, n);
}

/* Points all over the globe, in no order: their longitudes, then their latitudes. */
static double *raster_points(int64_t count) {
  uint64_t state = 7;
  double *x = malloc(2 * (size_t)count * sizeof *x);
  for (int64_t i = 0; i < count && x != NULL; i++) {
    x[i] = 360.0 * bench_uniform(&state) - 180.0;
    x[count + i] = asin(2.0 * bench_uniform(&state) - 1.0) * (180.0 / 3.14159265358979323846);
  }
  return x;
}

/* The grid of the options. *points: those of --points, to be freed. */
static bool raster_grid(const bench *b, double **points, gv_grid *out) {
  gv_io io = {.cancelled = NULL};
  gv_cells_of cells;
  *out = bench_globe(b);
  out->level = b->level;
  if (b->mesh) {
    out->kind = GV_GRID_QTM;
    out->width = gv_qtm_count(b->level);
    out->height = 1;
  }
  if (b->cells_of != NULL) {
    if (gv_cells_of_read(&io, "--cells-of", b->cells_of, &cells) != GV_OK)
      return bench_fail("%s", io.message);
    if (gv_cells_of_have_places(&cells))
      return bench_fail("--cells-of: unsupported cells (%s); use healpix:LEVEL or s2:LEVEL", b->cells_of);
    gv_cells_of_grid(&cells, NULL, out);
  }
  if (b->points > 0) {
    *points = raster_points(b->points);
    if (*points == NULL) return bench_fail("out of memory for the points");
    out->kind = GV_GRID_POINTS;
    out->width = b->points;
    out->height = 1;
    out->longitude = *points;
    out->latitude = *points + b->points;
  }
  return true;
}

bool bench_raster(bench *b) {
  raster r = {.out = NULL};
  double *points = NULL;
  if (!raster_grid(b, &points, &r.grid)) return false;
  r.bytes = (size_t)(r.grid.width * r.grid.height * b->k) * sizeof *r.out;
  r.out = malloc(r.bytes);
  bool good = r.out != NULL || bench_fail("out of memory for the raster (%zu bytes)", r.bytes);
  if (r.out != NULL) memset(r.out, 1, r.bytes);
  for (int i = 0; i < (b->seed_file != NULL ? 1 : b->count_of_seeds) && good; i++) {
    r.seeds = bench_seeds(b, b->seeds[i]);
    good = r.seeds.x != NULL && bench_rasters(b, &r);
    free((void *)r.seeds.x);
  }
  free(r.out);
  free(points);
  return good;
}

/* ---------------------------------------------------------------------------------------------- projected */

static const double utm_origin[2] = {300000.0, 5700000.0}, utm_width = 400000.0;

/* Some rows by PROJ as documented: its own operation, rows passed as arrays. */
static gv_status invert_rows(void *user, gv_context *unused, int thread, int64_t number) {
  const bench *b = user;
  int64_t threads = gv_context_threads(b->context), end = (number + 1) * b->size[1] / threads;
  size_t step = sizeof(double), n = (size_t)b->size[0];
  double *x = malloc(2 * n * sizeof *x), *y = x + n;
  PJ_CONTEXT *context = proj_context_create();
  PJ *plain = proj_create_crs_to_crs(context, "EPSG:32632", "EPSG:4326", NULL);
  PJ *operation = plain != NULL ? proj_normalize_for_visualization(context, plain) : NULL;
  bool good = x != NULL && operation != NULL;
  (void)unused, (void)thread;
  for (int64_t row = number * b->size[1] / threads; row < end && good; row++) {
    for (size_t i = 0; i < n; i++) {
      x[i] = utm_origin[0] + ((double)i + 0.5) * (utm_width / (double)n);
      y[i] = utm_origin[1] - ((double)row + 0.5) * (utm_width / (double)b->size[1]);
    }
    good = proj_trans_generic(operation, PJ_FWD, x, step, n, y, step, n, NULL, 0, 0, NULL, 0, 0) == n;
  }
  proj_destroy(operation);
  proj_destroy(plain);
  proj_context_destroy(context);
  free(x);
  return good ? GV_OK : GV_ERROR_PROJECTION;
}

static gv_status run_proj(bench *b, const bench_case *c, bench_sample *s) {
  (void)c;
  bench_start(b, s);
  gv_status status = bench_parallel(b, gv_context_threads(b->context), invert_rows, b);
  bench_stop(b, s);
  return status;
}

bool bench_projected(bench *b) {
  gv_io io = {.cancelled = NULL};
  OGRSpatialReferenceH utm = NULL, globe = NULL;
  gv_operation *inverse = NULL;
  raster r = {.backend = b->count_of_backends > 0 ? b->backends[0] : "auto", .metric = GV_GREAT_CIRCLE};
  r.grid = bench_globe(b);
  r.seeds = bench_seeds(b, b->seeds[0]);
  r.out = malloc((size_t)(b->size[0] * b->size[1]) * sizeof *r.out);
  double *x = (double *)r.seeds.x, *y = (double *)r.seeds.y, items = (double)b->size[0] * (double)b->size[1];
  uint64_t state = 5;
  bool good = x != NULL && (r.out != NULL || bench_fail("out of memory for the raster"));
  for (int64_t i = 0; i < r.seeds.count && good; i++) {
    x[i] = utm_origin[0] + utm_width * bench_uniform(&state);
    y[i] = utm_origin[1] - utm_width * bench_uniform(&state);
  }
  if (good && (gv_crs_parse(&io, "EPSG:32632", "projected", &utm) != GV_OK ||
               gv_crs_parse(&io, "EPSG:4326", "projected", &globe) != GV_OK ||
               gv_operation_to_globe(&io, utm, globe, NULL, NULL, 0, &inverse) != GV_OK ||
               gv_operation_apply(x, y, r.seeds.count, inverse) != 0))
    good = bench_fail("projected: no operation (%s)", io.message);
  const double geotransform[] = {utm_origin[0], utm_width / (double)b->size[0], 0.0, utm_origin[1],
                                 0.0,           -utm_width / (double)b->size[1]};
  memcpy(r.grid.geotransform, geotransform, sizeof geotransform);
  r.grid.kind = GV_GRID_PROJECTED;
  r.grid.inverse = gv_operation_apply;
  r.grid.inverse_user = inverse;
  const bench_case cases[] = {{"PROJ alone", -1, 0, items, run_proj, NULL},
                              {"great-circle on UTM", 0, 0, items, run_raster, &r}};
  char group[128];
  bench_name(b, r.seeds, group);
  if (good) good = bench_group(b, group, cases, 2);
  gv_operation_destroy(inverse);
  OSRRelease(utm);
  OSRRelease(globe);
  free(x);
  free(r.out);
  return good;
}
