/*
 * Many searches and grids in one process: memory, file descriptors and threads stay what they are after
 * the first tenth, and answers repeat.
 *
 *   soak SEARCHES GRIDS [memory|descriptor|thread|answer]
 *
 * The last argument plants that fault in every round, for the check of this check.
 */
#include <dirent.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "grid_fill.h"
#include "split_mix.h"

enum {
  POINTS = 300,
  DIM = 3,
  QUERIES = 20,
  K = 3,
  SEARCHES_AN_INDEX = 10,
  WIDTH = 96,
  HEIGHT = 48,
  BLOCK = 32,
  TRIANGLES = 2048, /* of QTM level 4 */
  SEEDS = 60,
  THREADS = 3,
  VARIANTS = 48,         /* a multiple of the period of all variations */
  LIVE_SLACK = 64 << 10, /* bytes: what malloc keeps for threads */
  RESIDENT_SLACK = 4 << 20
};

typedef struct figures {
  size_t live;     /* allocated bytes that were not freed */
  size_t resident; /* bytes */
  int descriptors, threads;
} figures;

static int entries(const char *folder) {
  DIR *opened = opendir(folder);
  int count = 0;
  if (opened == NULL) return -1;
  for (struct dirent *entry = readdir(opened); entry != NULL; entry = readdir(opened))
    count += entry->d_name[0] != '.';
  closedir(opened);
  return count;
}

static figures look(void) {
  figures f = {0};
  struct mallinfo2 memory = mallinfo2();
  f.live = memory.uordblks + memory.hblkhd;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file != NULL) {
    if (fscanf(file, "%*u %zu", &f.resident) != 1) f.resident = 0;
    fclose(file);
  }
  f.resident *= (size_t)sysconf(_SC_PAGESIZE);
  f.descriptors = entries("/proc/self/fd") - 1; /* that of the folder itself */
  f.threads = entries("/proc/self/task");
  return f;
}

static void print(const char *what, int64_t round, const figures *f) {
  printf("%s %lld: %zu bytes allocated, %.1f MiB resident, %d descriptors, %d threads\n", what,
         (long long)round, f->live, (double)f->resident / (1 << 20), f->descriptors, f->threads);
}

static int grown(const figures *before, const figures *now) {
  return now->live > before->live + LIVE_SLACK || now->resident > before->resident + RESIDENT_SLACK ||
         now->descriptors != before->descriptors || now->threads > before->threads;
}

static double uniform(uint64_t *state) {
  return (double)(split_mix(state) >> 11) * 0x1p-53;
}

static uint64_t digest(uint64_t so_far, const void *data, size_t bytes) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; i++)
    so_far = (so_far ^ byte[i]) * UINT64_C(0x100000001B3);
  return so_far;
}

/* ------------------------------------------------------------------------------------------------- rounds */

static gv_context *context_of(int threads) {
  gv_context_options options;
  gv_context_options_init(&options);
  options.threads = threads;
  gv_context *context = NULL;
  return gv_context_create(&options, &context) == GV_OK ? context : NULL;
}

/* Some searches of a new index; returns the digest of their results, 0 after an error. */
static uint64_t search(int variant) {
  static const char *const backends[] = {"auto", "serial", "openmp", "kdtree", "octree", "auto"};
  uint64_t state = (uint64_t)variant + 1, seen = 1;
  double points[POINTS * DIM], queries[QUERIES * DIM], distances[QUERIES * K];
  int64_t indices[QUERIES * K];
  for (int i = 0; i < POINTS * DIM; i++)
    points[i] = uniform(&state);
  gv_context *context = context_of(1 + variant % THREADS);
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backends[variant % 6];
  options.metric = (gv_metric)(variant % 3);
  gv_points reference = gv_points_rows(points, POINTS, DIM, GV_FLOAT64);
  gv_index *index = NULL;
  gv_status status =
      context == NULL ? GV_ERROR_OUT_OF_MEMORY : gv_index_build(context, &reference, &options, &index);
  for (int i = 0; i < SEARCHES_AN_INDEX && status == GV_OK; i++) {
    gv_search_options how;
    gv_search_options_init(&how);
    how.k = K;
    how.max_distance = i % 2 == 0 ? INFINITY : 0.2;
    for (int q = 0; q < QUERIES * DIM; q++)
      queries[q] = uniform(&state);
    gv_points asked = gv_points_rows(queries, QUERIES, DIM, GV_FLOAT64);
    status = gv_index_search(context, index, &asked, &how, indices, distances);
    seen = digest(digest(seen, indices, sizeof indices), distances, sizeof distances);
  }
  if (status != GV_OK)
    fprintf(stderr, "soak: %s\n", context == NULL ? "no context" : gv_context_message(context));
  gv_index_destroy(index);
  gv_context_destroy(context);
  return status == GV_OK ? seen : 0;
}

static int inverse(double *x, double *y, int64_t n, void *user) {
  (void)user;
  for (int64_t i = 0; i < n; i++) {
    if (fabs(y[i]) > 88.0)
      x[i] = y[i] = HUGE_VAL;
    else
      y[i] *= 0.9;
  }
  return 0;
}

/* Which block, of how wide a grid. */
typedef struct where {
  int64_t column, row, stride;
} where;

static gv_status add_block(gv_context *context, const gv_voronoi *voronoi, gv_statistics *statistics,
                           where at, int32_t width, const int32_t *out) {
  static double distance[WIDTH * HEIGHT];
  gv_measure measure;
  gv_measure_init(&measure);
  gv_statistics_cells block;
  gv_statistics_cells_init(&block);
  AT_BLOCK(measure, voronoi, at.column, at.row);
  AT_BLOCK(block, voronoi, at.column, at.row);
  measure.seed = block.seed = out + at.row * BLOCK * at.stride + at.column * width;
  measure.stride = measure.out_stride = block.stride = block.distance_stride = at.stride;
  measure.type = GV_FLOAT64;
  measure.distance = distance;
  block.distance = distance;
  gv_status status = gv_voronoi_measure(context, voronoi, &measure);
  return status == GV_OK ? gv_statistics_add(context, statistics, &block) : status;
}

/* A grid, its distances and its table; returns the digest of the results, 0 after an error. */
static uint64_t grid(int variant) {
  uint64_t state = (uint64_t)variant + 1, seen = 1;
  double x[SEEDS], y[SEEDS], weights[SEEDS];
  static int32_t out[2 * WIDTH * HEIGHT];
  for (int i = 0; i < SEEDS; i++) {
    x[i] = uniform(&state) * 360 - 180;
    y[i] = uniform(&state) * 180 - 90;
    weights[i] = 0.5 + uniform(&state);
  }
  gv_grid_kind kind = (gv_grid_kind)(variant % 4);
  gv_grid asked = {
      .struct_size = sizeof asked, .kind = kind, .width = WIDTH, .height = HEIGHT, .level = GV_QTM_NONE};
  const double transform[6] = {-180, 360.0 / WIDTH, 0, 90, 0, -180.0 / HEIGHT};
  memcpy(asked.geotransform, transform, sizeof transform);
  int plane = kind == GV_GRID_PLANE;
  if (kind == GV_GRID_PROJECTED) asked.inverse = inverse;
  if (kind == GV_GRID_QTM) asked.level = 4;
  gv_voronoi_options options;
  gv_voronoi_options_init(&options);
  options.metric = plane                  ? (gv_metric)(variant / 4 % 3)
                   : variant / 4 % 2 == 0 ? GV_GREAT_CIRCLE
                                          : GV_GEODESIC;
  options.k = 1 + variant / 8 % 2;
  options.max_distance = variant / 16 % 2 == 0 ? INFINITY : plane ? 40.0 : 4e6;
  if (plane && variant % 16 == 0) options.weighting = GV_MULTIPLICATIVE, options.weights = weights;
  options.block_width = kind == GV_GRID_QTM ? TRIANGLES / 8 : BLOCK;
  options.block_height = BLOCK;
  gv_points seeds = gv_points_xy(x, y, SEEDS);
  gv_context *context = context_of(1 + variant % THREADS);
  gv_voronoi *voronoi = NULL;
  gv_statistics *statistics = NULL;
  gv_status status = context == NULL ? GV_ERROR_OUT_OF_MEMORY
                                     : gv_voronoi_create(context, &asked, &seeds, &options, &voronoi);
  int64_t stride = kind == GV_GRID_QTM ? TRIANGLES : WIDTH,
          cells = kind == GV_GRID_QTM ? TRIANGLES : WIDTH * HEIGHT;
  if (status == GV_OK) status = fill_grid(context, voronoi, out, stride);
  if (status == GV_OK) seen = digest(seen, out, (size_t)(cells * options.k) * sizeof *out);
  gv_statistics_options with;
  gv_statistics_options_init(&with);
  with.distances = 1;
  if (status == GV_OK) status = gv_statistics_create(context, voronoi, &with, &statistics);
  int64_t across = status == GV_OK ? blocks_across(voronoi) : 0;
  int64_t blocks = status == GV_OK ? across * blocks_down(voronoi) : 0;
  for (int64_t i = 0; i < blocks && status == GV_OK; i++)
    status = add_block(context, voronoi, statistics, (where){i % across, i / across, stride},
                       options.block_width, out);
  for (int i = 0; i < SEEDS && status == GV_OK; i++) {
    gv_seed_statistics one;
    gv_seed_statistics_init(&one);
    status = gv_statistics_get(context, statistics, i, &one);
    seen = digest(digest(seen, &one.cells, sizeof one.cells), &one.area, sizeof one.area);
  }
  if (status != GV_OK)
    fprintf(stderr, "soak: %s\n", context == NULL ? "no context" : gv_context_message(context));
  gv_statistics_destroy(statistics);
  gv_voronoi_destroy(voronoi);
  gv_context_destroy(context);
  return status == GV_OK ? seen : 0;
}

/* ------------------------------------------------------------------------------------------------ soaking */

static void *wait_for_ever(void *unused) {
  (void)unused;
  for (;;)
    pause();
  return NULL;
}

static void *kept; /* the last planted leak */

/* The planted fault: something is not released. */
static int plant(const char *fault) {
  pthread_t thread;
  if (strcmp(fault, "memory") == 0) {
    void **more = malloc(1000);
    if (more != NULL) *more = kept;
    kept = more;
    return more != NULL;
  }
  if (strcmp(fault, "descriptor") == 0) return dup(0) >= 0;
  if (strcmp(fault, "thread") == 0) return pthread_create(&thread, NULL, wait_for_ever, NULL) == 0;
  return 1;
}

/* `rounds` rounds; 0 if all is well. */
static int soak(const char *what, int64_t rounds, uint64_t (*once)(int variant), const char *fault) {
  static uint64_t first[VARIANTS];
  figures warm = {0}, now = {0};
  int64_t warming = rounds / 10 > VARIANTS ? rounds / 10 : VARIANTS;
  for (int64_t i = 0; i < rounds + warming; i++) {
    if (i == warming) {
      warm = look();
      print(what, i, &warm);
    }
    int variant = (int)(i % VARIANTS);
    uint64_t seen = once(variant);
    if (i >= warming && strcmp(fault, "answer") == 0) seen++;
    if (seen == 0) return 1;
    if (i < VARIANTS) first[variant] = seen;
    if (seen != first[variant]) {
      fprintf(stderr, "soak: %s %lld has another answer than before\n", what, (long long)i);
      return 1;
    }
    if (!plant(fault)) return 1;
  }
  now = look();
  /* Threads that OpenMP no longer uses end a little later. */
  for (int wait = 0; wait < 100 && now.threads > warm.threads; wait++) {
    usleep(20000);
    now = look();
  }
  print(what, rounds + warming, &now);
  if (!grown(&warm, &now)) return 0;
  fprintf(stderr, "soak: the process has grown\n");
  return 1;
}

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: soak SEARCHES GRIDS [FAULT]\n");
    return 2;
  }
  const char *fault = count > 3 ? arguments[3] : "";
  int64_t searches = atoll(arguments[1]), grids = atoll(arguments[2]);
  int failed = soak("index", searches / SEARCHES_AN_INDEX, search, fault);
  return soak("grid", grids, grid, fault) != 0 || failed != 0;
}
