/*
 * Strips, distances, azimuths and statistics on a device, and blocks of the host's measured there, while one CUDA call fails, the first, the second ... up to the last: the call says so, nothing
 * sticks, and the same object has the right answers afterwards. With a module of its own (GPUVORONOI_FAILING_CUDA_CALLS). Skipped where
 * there is no GPU.
 */
#include "cmocka_test.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi_device.h"
#include "gpuvoronoi_parts.h"
#include "search/cuda_module.h"

enum {
  WIDTH = 300,
  HEIGHT = 150,
  CELLS = WIDTH * HEIGHT,
  SEEDS = 200,
  MOST_CALLS = 2000,
  MOST_BYTES = 256, /* of a seed's sums */
  QUIET = 20        /* numbers in a row that nothing fails at: there are no more calls */
};

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static double lon[SEEDS], lat[SEEDS];
static int32_t *label;
static float *distance, *azimuth;
static int32_t label_here[CELLS];
static float distance_here[CELLS], azimuth_here[CELLS];
static uint8_t *mask;

static void fail_at(int call) {
  char text[16];
  snprintf(text, sizeof text, "%d", call);
  assert_int_equal(setenv("GPUVORONOI_FAILING_CUDA_CALL", text, 1), 0);
}

/* What was asked: a grid, and sums about it. */
typedef struct question {
  gv_voronoi *voronoi;
  gv_statistics *statistics;
} question;

static gv_status create_statistics(gv_context *context, question *q) {
  gv_statistics_options how = GV_STATISTICS_OPTIONS_INIT;
  return gv_statistics_create(context, q->voronoi, &how, &q->statistics);
}

static gv_status create(gv_context *context, question *out) {
  const double geotransform[] = {-180, 360.0 / WIDTH, 0, 90, 0, -180.0 / HEIGHT};
  gv_grid grid = GV_GRID_INIT;
  gv_seeds seeds = {lon, lat, SEEDS};
  gv_voronoi_options o = GV_VORONOI_OPTIONS_INIT;
  grid.kind = GV_GRID_LONLAT;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.backend = "cuda-tile";
  o.metric = GV_GEODESIC;
  gv_status status = gv_voronoi_create(context, &grid, &seeds, &o, &out->voronoi);
  return status == GV_OK ? create_statistics(context, out) : status;
}

/* The only block, from and into the host's memory. */
static gv_status measure_here(gv_context *context, const question *q) {
  gv_measure m = GV_MEASURE_INIT;
  m.seed = label_here;
  m.stride = m.out_stride = WIDTH;
  m.distance = distance_here;
  m.azimuth = azimuth_here;
  return gv_voronoi_measure(context, q->voronoi, &m);
}

static gv_status ask(gv_context *context, const question *q) {
  gv_strip s = GV_STRIP_INIT;
  gv_strip_measure m = GV_STRIP_MEASURE_INIT;
  gv_strip_statistics found = GV_STRIP_STATISTICS_INIT;
  s.out = label;
  s.stride = s.mask_stride = WIDTH;
  s.mask = mask;
  s.memory = GV_MEMORY_CUDA;
  m.seed = label;
  m.distance = distance;
  m.azimuth = azimuth;
  m.stride = m.out_stride = WIDTH;
  gv_status status = gv_voronoi_strip(context, q->voronoi, &s);
  if (status == GV_OK) status = gv_voronoi_measure_strip(context, q->voronoi, &m);
  if (status == GV_OK) status = measure_here(context, q);
  return status == GV_OK ? gv_statistics_add_strip(context, q->statistics, &found) : status;
}

typedef struct answers {
  int32_t label[CELLS];
  float distance[CELLS], azimuth[CELLS], distance_here[CELLS], azimuth_here[CELLS];
  unsigned char sums[SEEDS][MOST_BYTES];
} answers;

static void take_answers(gv_context *context, const question *q, answers *out) {
  memset(out, 0, sizeof *out);
  CUDA(cudaMemcpy(out->label, label, sizeof out->label, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(out->distance, distance, sizeof out->distance, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(out->azimuth, azimuth, sizeof out->azimuth, cudaMemcpyDeviceToHost));
  memcpy(out->distance_here, distance_here, sizeof distance_here);
  memcpy(out->azimuth_here, azimuth_here, sizeof azimuth_here);
  assert_true(gv_statistics_sums_size(q->statistics) <= MOST_BYTES);
  for (int i = 0; i < SEEDS; i++)
    assert_int_equal(gv_statistics_get_sums(context, q->statistics, i, out->sums[i]), GV_OK);
}

static void each_call_fails_once(void **state) {
  (void)state;
  static answers expected, got;
  int failures = 0, quiet = 0, call = 0;
  for (; quiet < QUIET && call < MOST_CALLS; call++) { /* 0: none does */
    gv_context *context = NULL;
    question q = {NULL, NULL};
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    fail_at(call);
    gv_status status = create(context, &q);
    if (status == GV_OK) status = ask(context, &q);
    if (status == GV_OK && call > 0) quiet++;
    if (status != GV_OK) {
      if (quiet > 0) fail_msg("nobody says that call %d has failed", call - quiet);
      failures++;
      assert_true(call > 0 && gv_context_message(context)[0] != '\0');
    }
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    fail_at(0);
    memset(distance_here, 0x55, sizeof distance_here);
    memset(azimuth_here, 0x55, sizeof azimuth_here);
    CUDA(cudaMemset(label, 0x55, CELLS * sizeof *label));
    CUDA(cudaDeviceSynchronize());
    if (q.voronoi == NULL) {
      assert_int_equal(create(context, &q), GV_OK);
    } else if (status == GV_OK) { /* else nothing has been added */
      gv_statistics_destroy(q.statistics);
      assert_int_equal(create_statistics(context, &q), GV_OK);
    }
    if (ask(context, &q) != GV_OK) fail_msg("after call %d: %s", call, gv_context_message(context));
    take_answers(context, &q, call == 0 ? &expected : &got);
    if (call > 0 && memcmp(&got, &expected, sizeof got) != 0)
      fail_msg("other answers after call %d has failed", call);
    gv_statistics_destroy(q.statistics);
    gv_voronoi_destroy(q.voronoi);
    gv_context_destroy(context);
  }
  print_message("%d calls\n", failures);
  assert_true(failures > 20 && call < MOST_CALLS);
}

int main(void) {
  const char *reason = "";
  uint64_t random_state = 1;
  if (gv_cuda_probe(&reason) != GV_OK) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  for (int i = 0; i < 2 * SEEDS; i++) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double u = (double)(random_state >> 11) * 0x1p-53;
    if (i % 2 == 0) lon[i / 2] = 360.0 * u - 180.0;
    if (i % 2 != 0) lat[i / 2] = 179.0 * u - 89.5;
  }
  if (cudaMalloc((void **)&label, CELLS * sizeof *label) != cudaSuccess ||
      cudaMalloc((void **)&distance, CELLS * sizeof *distance) != cudaSuccess ||
      cudaMalloc((void **)&azimuth, CELLS * sizeof *azimuth) != cudaSuccess ||
      cudaMalloc((void **)&mask, CELLS) != cudaSuccess || cudaMemset(mask, 1, CELLS) != cudaSuccess) {
    return 1;
  }
  for (int i = 0; i < CELLS; i++)
    label_here[i] = (i * 7) % SEEDS;
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_fails_once)};
  int result = cmocka_run_group_tests_name("failing calls", tests, NULL, NULL);
  return cudaFree(label) == cudaSuccess && cudaFree(distance) == cudaSuccess && cudaFree(azimuth) == cudaSuccess &&
                 cudaFree(mask) == cudaSuccess
             ? result
             : 1;
}
