/*
 * Rasters by `cuda-tile` and "auto" from the first use of CUDA in a process on, compared with those of
 * `tile`. Each case has its own process, in which CUDA has not run. Skipped without a GPU.
 */
#include "cmocka_test.h"
#include "grid_fill.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/parallel.h"

enum { SEEDS = 20000, SIDE = 512 };
enum { GOOD, WRONG, FAILED, NO_DEVICE };

typedef struct use {
  const char *backend;
  int64_t width, height;
  int32_t k;
  int threads;
  double share;   /* of the blocks that are computed */
  const char *by; /* the backend at work */
} use;

static double lon[SEEDS], lat[SEEDS];

static void place_seeds(void) {
  uint64_t state = 1;
  for (int i = 0; i < 2 * SEEDS; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double u = (double)(state >> 11) * 0x1p-53;
    if (i % 2 == 0) lon[i / 2] = 360.0 * u - 180.0;
    if (i % 2 != 0) lat[i / 2] = asin(2.0 * u - 1.0) * 57.29577951308232;
  }
}

static gv_status make(gv_context *context, const use *u, const char *backend, gv_voronoi **out) {
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  const double geotransform[6] = {-180, 360.0 / (double)u->width, 0, 90, 0, -180.0 / (double)u->height};
  gv_points seeds = gv_points_xy(lon, lat, SEEDS);
  grid.kind = GV_GRID_LONLAT;
  grid.width = u->width;
  grid.height = u->height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.backend = backend;
  o.metric = GV_GREAT_CIRCLE;
  o.k = u->k;
  o.block_width = o.block_height = SIDE;
  return gv_voronoi_create(context, &grid, &seeds, &o, out);
}

static int say(gv_context *context) {
  printf("%s\n", gv_context_message(context));
  fflush(stdout);
  return FAILED;
}

/* Blocks by both engines. */
typedef struct comparing {
  const use *u;
  gv_voronoi *const *voronoi;
  int64_t first;
  atomic_int result; /* the worst */
} comparing;

static gv_status compare_some(gv_worker *worker, int64_t first, int64_t end) {
  comparing *c = worker->user;
  int64_t across = blocks_across(c->voronoi[0]);
  gv_context *context = NULL;
  size_t cells = (size_t)c->u->k * SIDE * SIDE;
  int32_t *out[2] = {calloc(cells, sizeof **out), calloc(cells, sizeof **out)};
  int result = out[0] != NULL && out[1] != NULL && gv_context_create(NULL, &context) == GV_OK ? GOOD : FAILED;
  for (int64_t b = c->first + first; b < c->first + end && result == GOOD; b++) {
    for (int m = 0; m < 2 && result == GOOD; m++) {
      gv_status status = fill_block(context, c->voronoi[m], b % across, b / across, out[m], SIDE);
      if (status != GV_OK) result = say(context);
    }
    if (result == GOOD && memcmp(out[0], out[1], cells * sizeof **out) != 0) result = WRONG;
  }
  free(out[0]);
  free(out[1]);
  gv_context_destroy(context);
  int before = atomic_load(&c->result);
  while (before < result && !atomic_compare_exchange_weak(&c->result, &before, result)) {
  }
  return GV_OK;
}

/* Blocks first ... end - 1. */
static int compare_blocks(const use *u, gv_voronoi *const *voronoi, int64_t first, int64_t end) {
  comparing c = {u, voronoi, first, GOOD};
  gv_loop loop = {.threads = u->threads, .count = end - first, .grain = 1, .user = &c};
  (void)gv_parallel_for(&loop, compare_some);
  return atomic_load(&c.result);
}

static int compare(const use *u) {
  gv_context_options options;
  gv_context_options_init(&options);
  gv_context *context = NULL;
  gv_voronoi *voronoi[2] = {NULL, NULL};
  int result = GOOD;
  options.threads = u->threads;
  if (gv_context_create(&options, &context) != GV_OK) return FAILED;
  gv_status status = make(context, u, u->backend, &voronoi[0]);
  if (status == GV_OK) status = make(context, u, "tile", &voronoi[1]);
  if (status != GV_OK) {
    result = say(context);
  } else {
    int64_t blocks = blocks_across(voronoi[0]) * blocks_down(voronoi[0]);
    result = compare_blocks(u, voronoi, 0, (int64_t)(u->share * (double)blocks));
    /* Again. */
    if (result == GOOD) result = compare_blocks(u, voronoi, 0, (int64_t)(u->share * (double)blocks / 8.0));
    printf("%s: by %s\n", u->backend, gv_voronoi_backend(voronoi[0]));
    if (result == GOOD && strcmp(gv_voronoi_backend(voronoi[0]), u->by) != 0) result = FAILED;
    fflush(stdout);
  }
  gv_voronoi_destroy(voronoi[0]);
  gv_voronoi_destroy(voronoi[1]);
  gv_context_destroy(context);
  return result;
}

/* Whether `cuda-tile` can run here; must not be tested in the main process. */
static int look_for_device(const use *u) {
  gv_backend_info info;
  gv_backend_info_init(&info);
  for (int b = 0; b < gv_backend_count(); b++) {
    if (gv_backend_get(b, &info) != GV_OK) return FAILED;
    if (strcmp(info.name, u->backend) == 0) break;
  }
  if (info.available) return GOOD;
  printf("skipped: %s: %s\n", info.name, info.reason);
  fflush(stdout);
  return NO_DEVICE;
}

/* The result of a function in its own process. */
static int fork_for(int (*function)(const use *), const use *u) {
  int how = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) exit(function(u));
  return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) ? WEXITSTATUS(how) : FAILED;
}

static void in_a_process(const use *u) {
  assert_int_equal(fork_for(compare, u), GOOD);
}

static void all_blocks(void **state) {
  (void)state;
  in_a_process(&(use){"cuda-tile", 16384, 8192, 1, 4, 1.0, "cuda-tile"});
}

static void some_blocks(void **state) {
  (void)state;
  in_a_process(&(use){"cuda-tile", 16384, 8192, 1, 2, 0.05, "cuda-tile"});
  in_a_process(&(use){"cuda-tile", 16384, 8192, 1, 2, 0.0, "cuda-tile"});
}

/* Large enough for a device to be worth its start (core/device_rule.h), and not. */
static void by_sizes(void **state) {
  (void)state;
  in_a_process(&(use){"auto", 16384, 8192, 8, 2, 1.0, "cuda-tile"});
  in_a_process(&(use){"auto", 4096, 2048, 1, 2, 1.0, "tile"});
}

int main(void) {
  if (fork_for(look_for_device, &(use){.backend = "cuda-tile"}) == NO_DEVICE) return 77;
  place_seeds();
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_blocks), cmocka_unit_test(some_blocks),
                                     cmocka_unit_test(by_sizes)};
  return cmocka_run_group_tests_name("first_use", tests, NULL, NULL);
}
