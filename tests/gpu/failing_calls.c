/*
 * Strips and distances on a device while one CUDA call fails, the first, the second ... up to the last: the call says so, nothing
 * sticks, and the same object has the right answers afterwards. With a module of its own (GPUVORONOI_FAILING_CUDA_CALLS). Skipped where
 * there is no GPU.
 */
#include "cmocka_test.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi_device.h"
#include "search/cuda_module.h"

enum {
  WIDTH = 300,
  HEIGHT = 150,
  CELLS = WIDTH * HEIGHT,
  SEEDS = 200,
  MOST_CALLS = 2000,
  QUIET = 20 /* numbers in a row that nothing fails at: there are no more calls */
};

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static double lon[SEEDS], lat[SEEDS];
static int32_t *label;
static float *distance;
static uint8_t *mask;

static void fail_at(int call) {
  char text[16];
  snprintf(text, sizeof text, "%d", call);
  assert_int_equal(setenv("GPUVORONOI_FAILING_CUDA_CALL", text, 1), 0);
}

static gv_status create(gv_context *context, gv_voronoi **out) {
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
  return gv_voronoi_create(context, &grid, &seeds, &o, out);
}

static gv_status ask(gv_context *context, const gv_voronoi *voronoi) {
  gv_strip s = GV_STRIP_INIT;
  gv_strip_measure m = GV_STRIP_MEASURE_INIT;
  s.out = label;
  s.stride = s.mask_stride = WIDTH;
  s.mask = mask;
  s.memory = GV_MEMORY_CUDA;
  m.seed = label;
  m.distance = distance;
  m.stride = m.out_stride = WIDTH;
  gv_status status = gv_voronoi_strip(context, voronoi, &s);
  return status == GV_OK ? gv_voronoi_measure_strip(context, voronoi, &m) : status;
}

static void take_answers(int32_t *labels, float *distances) {
  CUDA(cudaMemcpy(labels, label, CELLS * sizeof *labels, cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(distances, distance, CELLS * sizeof *distances, cudaMemcpyDeviceToHost));
}

static void each_call_fails_once(void **state) {
  (void)state;
  static int32_t expected[CELLS], got[CELLS];
  static float far_expected[CELLS], far[CELLS];
  int failures = 0, quiet = 0, call = 0;
  for (; quiet < QUIET && call < MOST_CALLS; call++) { /* 0: none does */
    gv_context *context = NULL;
    gv_voronoi *voronoi = NULL;
    assert_int_equal(gv_context_create(NULL, &context), GV_OK);
    fail_at(call);
    gv_status status = create(context, &voronoi);
    if (status == GV_OK) status = ask(context, voronoi);
    if (status == GV_OK && call > 0) quiet++;
    if (status != GV_OK) {
      if (quiet > 0) fail_msg("nobody says that call %d has failed", call - quiet);
      failures++;
      assert_true(call > 0 && gv_context_message(context)[0] != '\0');
    }
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    fail_at(0);
    CUDA(cudaMemset(label, 0x55, CELLS * sizeof *label));
    CUDA(cudaDeviceSynchronize());
    if (voronoi == NULL) assert_int_equal(create(context, &voronoi), GV_OK);
    if (ask(context, voronoi) != GV_OK) fail_msg("after call %d: %s", call, gv_context_message(context));
    take_answers(call == 0 ? expected : got, call == 0 ? far_expected : far);
    if (call > 0 && (memcmp(got, expected, sizeof got) != 0 || memcmp(far, far_expected, sizeof far) != 0))
      fail_msg("other answers after call %d has failed", call);
    gv_voronoi_destroy(voronoi);
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
      cudaMalloc((void **)&mask, CELLS) != cudaSuccess || cudaMemset(mask, 1, CELLS) != cudaSuccess) {
    return 1;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_fails_once)};
  int result = cmocka_run_group_tests_name("failing calls", tests, NULL, NULL);
  return cudaFree(label) == cudaSuccess && cudaFree(distance) == cudaSuccess && cudaFree(mask) == cudaSuccess
             ? result
             : 1;
}
