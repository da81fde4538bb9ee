/*
 * Rasters that stay on the GPU, at the sizes of docs/benchmarks.md: device time (kernels, by events) and
 * the time of the whole call, from seeds that the object has to labels in device memory, and from these to
 * distances and azimuths there, or to statistics, median and least of several runs after one that is not
 * counted; beside them what memset takes for as many bytes. Labels are compared with those of `tile`.
 *
 *   bench_gpu_strips [RUNS [ROW]]        9 runs of every row, or of one from 0
 *   bench_gpu_strips RUNS 6              two rows by 1, 2, 4 ... of the devices that there are, rows
 *                                        shared out among them
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime_api.h>

#include "gpuvoronoi/experimental.h"
#include "search/device_times.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

enum { MOST = 50 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)((*state ^ (*state >> 29)) >> 11) * 0x1p-53;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int bench_strips_fail(gv_context *context, const char *what) {
  fprintf(stderr, "%s: %s\n", what, gv_context_message(context));
  return 1;
}

typedef struct row {
  gv_metric metric;
  int64_t width, height, seeds;
  int32_t k;
} row;

static gv_voronoi *bench_strips_make(gv_context *context, const row *r, const char *backend) {
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_voronoi *voronoi = NULL;
  const double geotransform[] = {-180, 360.0 / (double)r->width, 0, 90, 0, -180.0 / (double)r->height};
  double *lon = malloc((size_t)r->seeds * sizeof *lon), *lat = malloc((size_t)r->seeds * sizeof *lat);
  uint64_t state = 1;
  for (int64_t i = 0; lon != NULL && lat != NULL && i < r->seeds; i++) {
    lon[i] = 360.0 * uniform(&state) - 180.0;
    lat[i] = asin(2.0 * uniform(&state) - 1.0) * 57.29577951308232;
  }
  gv_points seeds = gv_points_xy(lon, lat, r->seeds);
  grid.kind = GV_GRID_LONLAT;
  grid.width = r->width;
  grid.height = r->height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.backend = backend;
  o.metric = r->metric;
  o.k = r->k;
  (void)gv_voronoi_create(context, &grid, &seeds, &o, &voronoi);
  free(lon);
  free(lat);
  return voronoi;
}

static void report(const char *what, double cells, double *device, double *whole, int runs) {
  qsort(device, (size_t)runs, sizeof *device, ascending);
  qsort(whole, (size_t)runs, sizeof *whole, ascending);
  printf("  %-10s device ms %8.3f (%8.3f), %7.1f Gcell/s   whole call ms %8.3f (%8.3f)\n", what,
         device[runs / 2] * 1e3, device[0] * 1e3, cells / device[runs / 2] * 1e-9, whole[runs / 2] * 1e3,
         whole[0] * 1e3);
  fflush(stdout);
}

/* Those of `tile` have the same bytes. */
static int compare(gv_context *context, const row *r, const int32_t *there) {
  int64_t cells = r->width * r->height * r->k, wrong = 0;
  int32_t *expected = malloc((size_t)cells * sizeof *expected), *got = malloc((size_t)cells * sizeof *got);
  gv_voronoi *tile = bench_strips_make(context, r, "tile");
  if (expected == NULL || got == NULL || tile == NULL)
    return bench_strips_fail(context, "the labels of tile");
  gv_labels all;
  gv_labels_init(&all);
  all.out = expected;
  if (gv_voronoi_fill(context, tile, &all, NULL) != GV_OK) return bench_strips_fail(context, "tile");
  if (cudaMemcpy(got, there, (size_t)cells * sizeof *got, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int64_t i = 0; i < cells; i++)
    wrong += got[i] != expected[i];
  printf("  %lld of %lld labels differ from those of tile\n", (long long)wrong, (long long)cells);
  gv_voronoi_destroy(tile);
  free(expected);
  free(got);
  return wrong > 0;
}

/* Of the labels: distances in both types, azimuths, both. */
static int measure_labels(gv_context *context, const row *r, gv_voronoi *voronoi, const int32_t *there,
                          int runs) {
  static const char *const names[] = {"float32", "float64", "azimuth", "+ float32"};
  double device[MOST], whole[MOST], cells = (double)(r->width * r->height * r->k);
  void *distance = NULL, *azimuth = NULL;
  if (cudaMalloc(&distance, (size_t)cells * sizeof(double)) != cudaSuccess ||
      cudaMalloc(&azimuth, (size_t)cells * sizeof(float)) != cudaSuccess) {
    return 1;
  }
  for (int what = 0; what < 4; what++) {
    gv_measure m;
    gv_measure_init(&m);
    m.array_options = &on_device;
    m.type = what == 1 ? GV_FLOAT64 : GV_FLOAT32;
    if (what != 2) m.distance = distance;
    if (what >= 2) m.azimuth = azimuth;
    m.seed = there;
    m.bands = r->k;
    m.stride = m.out_stride = r->width;
    m.band_stride = m.out_band_stride = r->width * r->height;
    for (int run = -1; run < runs; run++) {
      double before = gv_context_device_seconds(context), start = now();
      if (gv_voronoi_measure(context, voronoi, &m) != GV_OK) return bench_strips_fail(context, "measuring");
      if (run < 0) continue;
      whole[run] = now() - start;
      device[run] = gv_context_device_seconds(context) - before;
    }
    report(names[what], cells, device, whole, runs);
  }
  return cudaFree(distance) == cudaSuccess && cudaFree(azimuth) == cudaSuccess ? 0 : 1;
}

/* Adds them to statistics: nothing but cells, areas and centroids; with distances; with a quantity that is
 * copied from the host first. */
static int count_cells(gv_context *context, const row *r, gv_voronoi *voronoi, const int32_t *there,
                       int runs) {
  static const char *const names[] = {"statistics", "+ dist.", "+ quantity", "copy alone"};
  double device[MOST], whole[MOST], bound = 2.0, cells = (double)(r->width * r->height);
  size_t bytes = (size_t)cells * sizeof(float);
  void *value = NULL, *from = NULL;
  if (cudaMalloc(&value, bytes) != cudaSuccess || cudaMallocHost(&from, bytes) != cudaSuccess) return 1;
  for (int64_t i = 0; i < r->width * r->height; i++)
    ((float *)from)[i] = (float)(i % 3) * 0.5F;
  for (int what = 0; what < 4; what++) {
    gv_statistics_options how;
    gv_statistics_options_init(&how);
    gv_statistics_cells strip;
    gv_statistics_cells_init(&strip);
    strip.array_options = &on_device;
    gv_quantity quantity;
    gv_quantity_init(&quantity);
    quantity.type = GV_FLOAT32;
    quantity.value = value;
    quantity.stride = r->width;
    gv_statistics *s = NULL;
    how.distances = what == 1;
    how.sums = what == 2;
    how.bound = &bound;
    if (gv_statistics_create(context, voronoi, &how, &s) != GV_OK)
      return bench_strips_fail(context, "statistics");
    strip.seed = there;
    strip.stride = r->width;
    strip.quantity = &quantity;
    for (int run = -1; run < runs; run++) {
      double before = gv_context_device_seconds(context), start = now();
      if (what >= 2 && cudaMemcpy(value, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
      if (what < 3 && gv_statistics_add(context, s, &strip) != GV_OK)
        return bench_strips_fail(context, "statistics");
      if (run < 0) continue;
      whole[run] = now() - start;
      device[run] = gv_context_device_seconds(context) - before;
    }
    gv_statistics_destroy(s);
    report(names[what], cells, device, whole, runs);
  }
  return cudaFree(value) == cudaSuccess && cudaFreeHost(from) == cudaSuccess ? 0 : 1;
}

static int bench_strips_measure(gv_context *context, const row *r, int runs) {
  double device[MOST], whole[MOST], fill = 0.0, cells = (double)(r->width * r->height * r->k);
  size_t bytes = (size_t)cells * sizeof(int32_t);
  gv_labels s;
  gv_labels_init(&s);
  void *there = NULL;
  if (cudaMalloc(&there, bytes) != cudaSuccess) return bench_strips_fail(context, "no memory on the device");
  gv_voronoi *voronoi = bench_strips_make(context, r, "cuda-tile");
  if (voronoi == NULL) return bench_strips_fail(context, "cuda-tile");
  s.array_options = &on_device;
  s.out = there;
  s.stride = r->width;
  s.band_stride = r->width * r->height;
  for (int run = -1; run < runs; run++) {
    double before = gv_context_device_seconds(context), start = now();
    if (gv_voronoi_fill(context, voronoi, &s, NULL) != GV_OK) return bench_strips_fail(context, "a strip");
    if (run < 0) continue;
    whole[run] = now() - start;
    device[run] = gv_context_device_seconds(context) - before;
  }
  if (gv_device_fill_seconds(context, (int64_t)bytes, &fill) != GV_OK)
    return bench_strips_fail(context, "filling");
  printf("%s, %lld x %lld cells, %lld seeds, k %d: memset %.3f ms\n", gv_metric_name(r->metric),
         (long long)r->width, (long long)r->height, (long long)r->seeds, (int)r->k, fill * 1e3);
  report("labels", cells, device, whole, runs);
  int result = measure_labels(context, r, voronoi, there, runs);
  if (result == 0) result = count_cells(context, r, voronoi, there, runs);
  gv_voronoi_destroy(voronoi);
  if (result == 0) result = compare(context, r, there);
  return cudaFree(there) == cudaSuccess ? result : 1;
}

/* ---------------------------------------------------------------------------------------- several devices */

enum { MOST_DEVICES = 16, REPEATS = 5 };

/* A device and its rows. */
typedef struct share {
  gv_context *context;
  gv_voronoi *voronoi;
  gv_statistics *statistics; /* that labels found there are added to; NULL: labels stay */
  gv_labels labels;
  gv_status status;
} share;

static void *bench_strips_work(void *opaque) {
  share *s = opaque;
  gv_statistics_cells add;
  gv_statistics_cells_init(&add);
  add.array_options = &on_device;
  add.row = s->labels.row;
  add.rows = s->labels.rows;
  s->status = GV_OK;
  for (int i = 0; i < REPEATS && s->status == GV_OK; i++) {
    s->status = s->statistics != NULL ? gv_statistics_add(s->context, s->statistics, &add)
                                      : gv_voronoi_fill(s->context, s->voronoi, &s->labels, NULL);
  }
  return NULL;
}

/* Seconds of one of REPEATS rounds by all devices; < 0: failed. */
static double round_of(share *shares, int devices) {
  pthread_t thread[MOST_DEVICES];
  int started = 0;
  double begin = now();
  while (started < devices &&
         pthread_create(&thread[started], NULL, bench_strips_work, &shares[started]) == 0)
    started++;
  for (int i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
  double seconds = (now() - begin) / REPEATS;
  for (int i = 0; i < started; i++) {
    if (shares[i].status != GV_OK) seconds = -1.0;
  }
  return started == devices ? seconds : -1.0;
}

static int open_share(const row *r, int number, int devices, share *s) {
  gv_context_options options;
  gv_context_options_init(&options);
  int64_t first = r->height * number / devices, end = r->height * (number + 1) / devices;
  options.device = number;
  if (gv_context_create(&options, &s->context) != GV_OK) return 1;
  s->voronoi = bench_strips_make(s->context, r, "cuda-tile");
  gv_labels_init(&s->labels);
  s->labels.array_options = &on_device;
  s->labels.row = first;
  s->labels.rows = end - first;
  s->labels.stride = r->width;
  if (s->voronoi == NULL || cudaSetDevice(number) != cudaSuccess) return 1;
  return cudaMalloc((void **)&s->labels.out, (size_t)(r->width * (end - first)) * sizeof(int32_t)) !=
         cudaSuccess;
}

static int close_share(share *s, int number) {
  gv_statistics_destroy(s->statistics);
  gv_voronoi_destroy(s->voronoi);
  gv_context_destroy(s->context);
  return cudaSetDevice(number) == cudaSuccess && cudaFree(s->labels.out) == cudaSuccess ? 0 : 1;
}

/* The whole call's wall time by this number of devices: labels that stay on them, statistics without and with
 * distances. */
static int by_devices(const row *r, int devices, int runs) {
  static const char *const names[] = {"labels", "statistics", "+ dist."};
  share shares[MOST_DEVICES] = {0};
  double seconds[MOST];
  int result = 0;
  for (int i = 0; i < devices && result == 0; i++)
    result = open_share(r, i, devices, &shares[i]);
  for (int what = 0; what < 3 && result == 0; what++) {
    for (int i = 0; i < devices && what > 0 && result == 0; i++) {
      gv_statistics_options how;
      gv_statistics_options_init(&how);
      how.distances = what == 2;
      gv_statistics_destroy(shares[i].statistics);
      shares[i].statistics = NULL;
      result =
          gv_statistics_create(shares[i].context, shares[i].voronoi, &how, &shares[i].statistics) != GV_OK;
    }
    for (int run = -1; run < runs && result == 0; run++) {
      double one = round_of(shares, devices);
      if (run >= 0) seconds[run] = one;
      result = one < 0.0;
    }
    if (result != 0) break;
    qsort(seconds, (size_t)runs, sizeof *seconds, ascending);
    printf("  %-10s %d devices, wall ms %8.3f (%8.3f)\n", names[what], devices, seconds[runs / 2] * 1e3,
           seconds[0] * 1e3);
  }
  for (int i = 0; i < devices; i++)
    if (shares[i].context != NULL) result |= close_share(&shares[i], i);
  return result;
}

static int several(gv_context *context, const row *r, int runs) {
  int count = 0, result = 0;
  if (gv_device_count(context, &count) != GV_OK) return bench_strips_fail(context, "devices");
  printf("%s, %lld x %lld cells, %lld seeds\n", gv_metric_name(r->metric), (long long)r->width,
         (long long)r->height, (long long)r->seeds);
  for (int devices = 1; devices <= count && devices <= MOST_DEVICES && result == 0; devices *= 2)
    result = by_devices(r, devices, runs);
  return result;
}

enum { SEVERAL = 6 /* in place of a row */ };

int main(int argc, char **argv) {
  static const row rows[] = {
      {GV_GREAT_CIRCLE, 43200, 21600, 100, 1},   {GV_GREAT_CIRCLE, 43200, 21600, 10000, 1},
      {GV_GEODESIC, 43200, 21600, 10000, 1},     {GV_GREAT_CIRCLE, 43200, 21600, 1000000, 1},
      {GV_GREAT_CIRCLE, 86400, 43200, 10000, 1}, {GV_GEODESIC, 21600, 10800, 10000, 4},
  };
  int runs = argc > 1 ? atoi(argv[1]) : 9, only = argc > 2 ? atoi(argv[2]) : -1, result = 0;
  gv_context *context = NULL;
  if (runs < 1 || runs > MOST) return 2;
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  for (int i = 0; i < (int)(sizeof rows / sizeof *rows) && result == 0; i++) {
    if (only < 0 || i == only) result = bench_strips_measure(context, &rows[i], runs);
  }
  for (int i = 2; i <= 4 && result == 0 && only == SEVERAL; i += 2)
    result = several(context, &rows[i], runs);
  gv_context_destroy(context);
  return result;
}
