/* Seeds, grids and threads of benchmarks. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014. */
double bench_uniform(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* How many lines begin with two numbers; these become the first n places. */
static int64_t read_places(FILE *file, double *x, double *y, int64_t n) {
  char line[1024];
  double lon, lat;
  int64_t found = 0;
  rewind(file);
  for (; fgets(line, sizeof line, file) != NULL;) {
    if (sscanf(line, "%lf,%lf", &lon, &lat) != 2) continue;
    if (found < n) x[found] = lon, y[found] = lat;
    found++;
  }
  return found;
}

gv_points bench_seeds(const bench *b, int64_t n) {
  FILE *file = b->seed_file != NULL ? fopen(b->seed_file, "r") : NULL;
  uint64_t state = 42;
  if (b->seed_file != NULL) n = file != NULL ? read_places(file, NULL, NULL, 0) : 0;
  double *x = n > 0 ? malloc(2 * (size_t)n * sizeof *x) : NULL;
  for (int64_t i = 0; i < n && x != NULL; i++) {
    x[i] = 360.0 * bench_uniform(&state) - 180.0;
    x[n + i] = asin(2.0 * bench_uniform(&state) - 1.0) * (180.0 / 3.14159265358979323846);
  }
  if (x != NULL && file != NULL) read_places(file, x, x + n, n);
  if (x == NULL && b->seed_file != NULL)
    bench_fail("--seed-file: no lines of longitude,latitude (%s)", b->seed_file);
  if (x == NULL && b->seed_file == NULL) bench_fail("out of memory for the seeds");
  if (file != NULL) fclose(file);
  return gv_points_xy(x, x != NULL ? x + n : NULL, n);
}

bool bench_print_seeds(bench *b) {
  gv_points seeds = bench_seeds(b, b->seeds[0]);
  if (seeds.x != NULL) printf("lon,lat\n");
  for (int64_t i = 0; i < seeds.count && seeds.x != NULL; i++)
    printf("%.9f,%.9f\n", seeds.x[i], seeds.y[i]);
  free((void *)seeds.x);
  return seeds.x != NULL;
}

gv_grid bench_globe(const bench *b) {
  gv_grid grid;
  gv_grid_init(&grid);
  const double geotransform[] = {-180.0, 360.0 / (double)b->size[0], 0.0, 90.0,
                                 0.0,    -180.0 / (double)b->size[1]};
  grid.kind = GV_GRID_LONLAT;
  grid.width = b->size[0];
  grid.height = b->size[1];
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  return grid;
}

void bench_name(const bench *b, gv_points seeds, char name[128]) {
  int length = b->mesh               ? snprintf(name, 128, "QTM level %d", b->level)
               : b->cells_of != NULL ? snprintf(name, 128, "%.40s", b->cells_of)
               : b->points > 0       ? snprintf(name, 128, "%d points", b->points)
                               : snprintf(name, 128, "%" PRId64 "x%" PRId64 " cells", b->size[0], b->size[1]);
  snprintf(name + length, 128 - (size_t)length, ", %" PRId64 " seeds", seeds.count);
}

/* ------------------------------------------------------------------------------------------------ threads */

typedef struct loop {
  atomic_llong next;
  atomic_int status, threads;
  int64_t count;
  bench_one *one;
  void *user;
} loop;

static void *bench_world_work(void *opaque) {
  loop *all = opaque;
  int thread = atomic_fetch_add(&all->threads, 1), none = GV_OK;
  gv_context *context = NULL;
  gv_status status = gv_context_create(NULL, &context);
  for (int64_t i; status == GV_OK && (i = atomic_fetch_add(&all->next, 1)) < all->count;)
    status = all->one(all->user, context, thread, i);
  if (status != GV_OK) {
    atomic_store(&all->next, all->count);
    atomic_compare_exchange_strong(&all->status, &none, (int)status);
  }
  gv_context_destroy(context);
  return NULL;
}

gv_status bench_parallel(const bench *b, int64_t count, bench_one *one, void *user) {
  loop all = {.count = count, .one = one, .user = user};
  int threads = gv_context_threads(b->context), started = 1;
  pthread_t *thread = malloc((size_t)threads * sizeof *thread);
  if (thread == NULL) return GV_ERROR_OUT_OF_MEMORY;
  while (started < threads && pthread_create(&thread[started], NULL, bench_world_work, &all) == 0)
    started++;
  bench_world_work(&all);
  for (int i = 1; i < started; i++)
    pthread_join(thread[i], NULL);
  free(thread);
  return started == threads ? (gv_status)atomic_load(&all.status) : GV_ERROR_OUT_OF_MEMORY;
}
