/*
 * `cuda-tile` from the first use of CUDA in a process on: blocks come from the CPU while devices are opened, then from
 * those, and nobody can tell which. Each case has a process of its own, in which CUDA has not run. Skipped without a GPU.
 */
#include "cmocka_test.h"

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

typedef struct handover {
  const char *backend;
  int64_t width, height;
  int32_t k;
  int threads;
  double first;   /* share of the blocks that is asked for at once */
  unsigned pause; /* seconds until the rest is */
  bool rest;
} handover;

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

static gv_status make(gv_context *context, const handover *h, const char *backend, gv_voronoi **out) {
  gv_grid grid = GV_GRID_INIT;
  gv_voronoi_options o = GV_VORONOI_OPTIONS_INIT;
  const double geotransform[6] = {-180, 360.0 / (double)h->width, 0, 90, 0, -180.0 / (double)h->height};
  gv_seeds seeds = {lon, lat, SEEDS};
  grid.kind = GV_GRID_LONLAT;
  grid.width = h->width;
  grid.height = h->height;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.backend = backend;
  o.metric = GV_GREAT_CIRCLE;
  o.k = h->k;
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
  const handover *h;
  gv_voronoi *const *voronoi;
  int64_t first;
  atomic_int result; /* the worst */
} comparing;

static gv_status compare_some(gv_worker *worker, int64_t first, int64_t end) {
  comparing *c = worker->user;
  int64_t across = gv_voronoi_blocks_across(c->voronoi[0]);
  gv_context *context = NULL;
  size_t cells = (size_t)c->h->k * SIDE * SIDE;
  int32_t *out[2] = {calloc(cells, sizeof **out), calloc(cells, sizeof **out)};
  int result = out[0] != NULL && out[1] != NULL && gv_context_create(NULL, &context) == GV_OK ? GOOD : FAILED;
  for (int64_t b = c->first + first; b < c->first + end && result == GOOD; b++) {
    for (int m = 0; m < 2 && result == GOOD; m++) {
      gv_status status = gv_voronoi_block(context, c->voronoi[m], b % across, b / across, out[m], SIDE);
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
static int compare_blocks(const handover *h, gv_voronoi *const *voronoi, int64_t first, int64_t end) {
  comparing c = {h, voronoi, first, GOOD};
  gv_loop loop = {.threads = h->threads, .count = end - first, .grain = 1, .user = &c};
  (void)gv_parallel_for(&loop, compare_some);
  return atomic_load(&c.result);
}

static int hand_over(const handover *h) {
  gv_context_options options = GV_CONTEXT_OPTIONS_INIT;
  gv_context *context = NULL;
  gv_voronoi *voronoi[2] = {NULL, NULL};
  int result = GOOD;
  options.threads = h->threads;
  if (gv_context_create(&options, &context) != GV_OK) return FAILED;
  gv_status status = make(context, h, h->backend, &voronoi[0]);
  if (status == GV_OK) status = make(context, h, "tile", &voronoi[1]);
  if (status != GV_OK) {
    result = say(context);
  } else {
    int64_t blocks = gv_voronoi_blocks_across(voronoi[0]) * gv_voronoi_blocks_down(voronoi[0]);
    int64_t first = (int64_t)(h->first * (double)blocks);
    result = compare_blocks(h, voronoi, 0, first);
    sleep(h->pause);
    if (result == GOOD && h->rest) result = compare_blocks(h, voronoi, first, blocks);
    /* Again, and those that the CPU has done. */
    if (result == GOOD && h->rest) result = compare_blocks(h, voronoi, 0, blocks / 8);
    printf("%s: in the end by %s\n", h->backend, gv_voronoi_backend(voronoi[0]));
    fflush(stdout);
  }
  gv_voronoi_destroy(voronoi[0]);
  gv_voronoi_destroy(voronoi[1]);
  gv_context_destroy(context);
  return result;
}

/* Whether `cuda-tile` can run here, which is not to be asked in the process that goes on. */
static int look_for_device(const handover *h) {
  gv_backend_info info = {0};
  for (int b = 0; b < gv_backend_count(); b++) {
    if (gv_backend_get(b, &info) != GV_OK) return FAILED;
    if (strcmp(info.name, h->backend) == 0) break;
  }
  if (info.available) return GOOD;
  printf("skipped: %s: %s\n", info.name, info.reason);
  fflush(stdout);
  return NO_DEVICE;
}

/* What comes of a function in a process of its own. */
static int fork_for(int (*function)(const handover *), const handover *h) {
  int how = 0;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) exit(function(h));
  return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) ? WEXITSTATUS(how) : FAILED;
}

static void in_a_process(const handover *h) {
  assert_int_equal(fork_for(hand_over, h), GOOD);
}

static void blocks_before_and_after_the_start(void **state) {
  (void)state;
  in_a_process(&(handover){"cuda-tile", 16384, 8192, 1, 4, 0.3, 2, true});
}

static void without_a_pause(void **state) {
  (void)state;
  in_a_process(&(handover){"cuda-tile", 16384, 8192, 1, 4, 1.0, 0, true});
}

static void given_up_while_it_starts(void **state) {
  (void)state;
  in_a_process(&(handover){"cuda-tile", 16384, 8192, 1, 2, 0.05, 0, false});
  in_a_process(&(handover){"cuda-tile", 16384, 8192, 1, 2, 0.0, 0, false});
}

/* Long enough for a device to be worth its start, and not. */
static void whichever_is_faster(void **state) {
  (void)state;
  in_a_process(&(handover){"auto", 16384, 8192, 8, 2, 0.2, 1, true});
  in_a_process(&(handover){"auto", 4096, 2048, 1, 2, 0.5, 0, true});
}

int main(void) {
  if (fork_for(look_for_device, &(handover){.backend = "cuda-tile"}) == NO_DEVICE) return 77;
  place_seeds();
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_before_and_after_the_start),
                                     cmocka_unit_test(without_a_pause), cmocka_unit_test(given_up_while_it_starts),
                                     cmocka_unit_test(whichever_is_faster)};
  return cmocka_run_group_tests_name("handover", tests, NULL, NULL);
}
