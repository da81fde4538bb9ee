/*
 * Strips in a device's memory: the cells of `serial`, for all cuts and layouts; the caller's stream is waited
 * for; pieces, threads, devices; an error is reported by its call and by no later one. Skipped without a GPU.
 */
#include "../conformance/strip_cases.h"
#include "grid_fill.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <unistd.h>

#include "gpuvoronoi/experimental.h"
#include "search/cuda_module.h"
#include "search/device_times.h"

static const gv_array_options on_device = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static void *take(size_t bytes) {
  void *memory = NULL;
  CUDA(cudaMalloc(&memory, bytes > 0 ? bytes : 1));
  return memory;
}

static void give(void *memory) {
  CUDA(cudaFree(memory));
}

static void copy(void *to, const void *from, size_t bytes) {
  CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

static const store device = {GV_MEMORY_CUDA, take, give, copy};

static void every_grid(void **state) {
  (void)state;
  random_state = 11;
  check_every_grid(&device, "cuda-tile");
}

static void every_mesh(void **state) {
  (void)state;
  random_state = 12;
  check_meshes(&device, "cuda-tile");
}

/* ------------------------------------------------------------------------------ one grid, and its answers */

enum { WIDTH = 1500, HEIGHT = 700, SEEDS = 3000 };

typedef struct world {
  gv_context *context;
  gv_voronoi *voronoi;
  int32_t *expected, *got;
} world;

static double lon[SEEDS], lat[SEEDS];

static gv_voronoi *make_world(gv_context *context, const char *backend, int64_t seeds, double flattening) {
  gv_grid grid;
  gv_grid_init(&grid);
  gv_voronoi_options o;
  gv_voronoi_options_init(&o);
  gv_voronoi *voronoi = NULL;
  const double geotransform[] = {-180, 360.0 / WIDTH, 0, 90, 0, -180.0 / HEIGHT};
  gv_points places = gv_points_xy(lon, lat, seeds);
  random_state = 3;
  for (int i = 0; i < SEEDS; i++) {
    lon[i] = 360.0 * uniform() - 180.0;
    lat[i] = asin(2.0 * uniform() - 1.0) * 180.0 / pi;
  }
  grid.kind = GV_GRID_LONLAT;
  grid.width = WIDTH;
  grid.height = HEIGHT;
  grid.semi_major = 6378137.0;
  grid.flattening = flattening;
  memcpy(grid.geotransform, geotransform, sizeof geotransform);
  o.backend = backend;
  o.metric = GV_GEODESIC;
  if (gv_voronoi_create(context, &grid, &places, &o, &voronoi) != GV_OK)
    fail_msg("%s", gv_context_message(context));
  return voronoi;
}

static world begin_world(int64_t seeds, double flattening) {
  world w;
  w.expected = malloc(sizeof *w.expected * WIDTH * HEIGHT);
  w.got = malloc(sizeof *w.got * WIDTH * HEIGHT);
  assert_true(w.expected != NULL && w.got != NULL);
  assert_int_equal(gv_context_create(NULL, &w.context), GV_OK);
  gv_voronoi *tile = make_world(w.context, "tile", seeds, flattening);
  assert_int_equal(fill_grid(w.context, tile, w.expected, WIDTH), GV_OK);
  gv_voronoi_destroy(tile);
  w.voronoi = make_world(w.context, "cuda-tile", seeds, flattening);
  return w;
}

static void end_world(world *w) {
  gv_voronoi_destroy(w->voronoi);
  gv_context_destroy(w->context);
  free(w->expected);
  free(w->got);
}

static gv_labels whole(int32_t *out) {
  gv_labels s;
  gv_labels_init(&s);
  s.out = out;
  s.stride = WIDTH;
  s.array_options = &on_device;
  return s;
}

static void compare_world(const world *w, const int32_t *there) {
  copy(w->got, there, sizeof *w->got * WIDTH * HEIGHT);
  assert_memory_equal(w->got, w->expected, sizeof *w->got * WIDTH * HEIGHT);
}

/* Repeatedly, also through host memory in between. */
static void again_and_beside_the_host(void **state) {
  (void)state;
  world w = begin_world(SEEDS, 1.0 / 298.257223563);
  int32_t *there = take(sizeof *there * WIDTH * HEIGHT);
  gv_labels s = whole(there);
  for (int round = 0; round < 3; round++) {
    double before = gv_context_device_seconds(w.context);
    CUDA(cudaMemset(there, 0x55, sizeof *there * WIDTH * HEIGHT));
    CUDA(cudaDeviceSynchronize());
    assert_int_equal(gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_OK);
    assert_true(gv_context_device_seconds(w.context) > before);
    compare_world(&w, there);
    assert_int_equal(fill_grid(w.context, w.voronoi, w.got, WIDTH), GV_OK);
    assert_memory_equal(w.got, w.expected, sizeof *w.got * WIDTH * HEIGHT);
  }
  give(there);
  end_world(&w);
}

/* Of a prolate ellipsoid everything is left open: the processors answer. */
static void what_a_device_leaves_to_processors(void **state) {
  (void)state;
  world w = begin_world(3, -0.001);
  int32_t *there = take(sizeof *there * (WIDTH + 3) * HEIGHT);
  uint8_t *mask = take(WIDTH * HEIGHT);
  gv_labels s = whole(there);
  assert_int_equal(gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_OK);
  compare_world(&w, there);
  CUDA(cudaMemset(mask, 0, WIDTH * HEIGHT));
  s.mask = mask;
  s.mask_stride = WIDTH;
  s.stride = WIDTH + 3;
  assert_int_equal(gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_OK);
  copy(w.got, there, sizeof *w.got * WIDTH * HEIGHT);
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    if (i % (WIDTH + 3) < WIDTH) assert_int_equal(w.got[i], -1);
  }
  give(mask);
  give(there);
  end_world(&w);
}

/* Rows so far apart that a strip is cut into pieces: of some rows, of one each. */
static void rows_far_apart(void **state) {
  (void)state;
  static const int64_t strides[] = {(int64_t)1 << 27, ((int64_t)1 << 28) + 1};
  world w = begin_world(SEEDS, 1.0 / 298.257223563);
  enum { ROWS = 11 };
  bool skipped = false;
  for (int i = 0; i < 2; i++) {
    int32_t *there = NULL;
    gv_labels s = whole(NULL);
    int64_t rows = i == 0 ? ROWS : 5;
    if (cudaMalloc((void **)&there, sizeof *there * (size_t)((rows - 1) * strides[i] + WIDTH)) !=
        cudaSuccess) {
      (void)cudaGetLastError();
      skipped = true;
      continue;
    }
    s.out = there;
    s.stride = strides[i];
    s.row = 300;
    s.rows = rows;
    if (gv_voronoi_fill(w.context, w.voronoi, &s, NULL) != GV_OK)
      fail_msg("%s", gv_context_message(w.context));
    for (int64_t r = 0; r < rows; r++) {
      copy(w.got, there + r * strides[i], sizeof *w.got * WIDTH);
      assert_memory_equal(w.got, w.expected + (s.row + r) * WIDTH, sizeof *w.got * WIDTH);
    }
    give(there);
  }
  end_world(&w);
  if (skipped) skip();
}

static void sleep_a_while(void *unused) {
  (void)unused;
  usleep(100000);
}

/* Pending work on the arrays when the call is made is waited for: a mask that is written late, memory that is
 * still overwritten. */
static void the_callers_stream_is_waited_for(void **state) {
  (void)state;
  world w = begin_world(SEEDS, 1.0 / 298.257223563);
  int32_t *there = take(sizeof *there * WIDTH * HEIGHT);
  uint8_t *mask = take(WIDTH * HEIGHT);
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  gv_labels s = whole(there);
  const gv_array_options in_stream = {sizeof(gv_array_options), GV_MEMORY_CUDA, stream};
  s.array_options = &in_stream;
  s.mask = mask;
  s.mask_stride = WIDTH;
  for (int round = 0; round < 2; round++) { /* with the device prepared already */
    CUDA(cudaMemset(mask, 0, WIDTH * HEIGHT));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaLaunchHostFunc(stream, sleep_a_while, NULL));
    CUDA(cudaMemsetAsync(mask, 1, WIDTH * HEIGHT, stream));
    CUDA(cudaMemsetAsync(there, 0x55, sizeof *there * WIDTH * HEIGHT, stream));
    assert_int_equal(gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_OK);
    compare_world(&w, there);
  }
  CUDA(cudaStreamDestroy(stream));
  give(mask);
  give(there);
  end_world(&w);
}

/* A thread's share of the rows. */
typedef struct share {
  const world *w;
  int32_t *there;
  int number;
  gv_status status;
} share;

enum { THREADS = 4 };

static void *fill_share(void *opaque) {
  share *one = opaque;
  gv_context *context = NULL;
  one->status = gv_context_create(NULL, &context);
  for (int row = one->number; row < HEIGHT && one->status == GV_OK; row += THREADS * 25) {
    gv_labels s = whole(one->there + (int64_t)row * WIDTH);
    s.row = row;
    s.rows = 1;
    one->status = gv_voronoi_fill(context, one->w->voronoi, &s, NULL);
  }
  gv_context_destroy(context);
  return NULL;
}

static void many_threads(void **state) {
  (void)state;
  world w = begin_world(SEEDS, 1.0 / 298.257223563);
  int32_t *there = take(sizeof *there * WIDTH * HEIGHT);
  pthread_t thread[THREADS];
  share all[THREADS];
  for (int i = 0; i < THREADS; i++) {
    all[i] = (share){&w, there, i, GV_OK};
    assert_int_equal(pthread_create(&thread[i], NULL, fill_share, &all[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(all[i].status, GV_OK);
  }
  copy(w.got, there, sizeof *w.got * WIDTH * HEIGHT);
  for (int row = 0; row < HEIGHT; row++) {
    if (row % (THREADS * 25) < THREADS)
      assert_memory_equal(w.got + row * WIDTH, w.expected + row * WIDTH, sizeof *w.got * WIDTH);
  }
  give(there);
  end_world(&w);
}

/* One object with one device after the other: results are computed on the device of the memory. */
static void any_device(void **state) {
  (void)state;
  int devices = 0, now = -1;
  CUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) skip();
  world w = begin_world(SEEDS, 1.0 / 298.257223563);
  for (int round = 0; round < 4; round++) {
    CUDA(cudaSetDevice(round % 2));
    int32_t *there = take(sizeof *there * WIDTH * HEIGHT);
    uint8_t *mask = take(WIDTH * HEIGHT);
    gv_labels s = whole(there);
    CUDA(cudaSetDevice(1 - round % 2));
    assert_int_equal(gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_OK);
    CUDA(cudaGetDevice(&now));
    assert_int_equal(now, 1 - round % 2);
    compare_world(&w, there);
    uint8_t *elsewhere = take(WIDTH * HEIGHT);
    s.mask = elsewhere;
    s.mask_stride = WIDTH;
    assert_int_equal(gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gv_context_message(w.context), "different devices"));
    give(elsewhere);
    give(mask);
    give(there);
  }
  end_world(&w);
  CUDA(cudaGetDevice(&now));
  assert_int_equal(now, 0);
  CUDA(cudaSetDevice(0));
}

/* ------------------------------------------------------------------------------------------------- errors */

static void expect(gv_context *context, gv_status status, gv_status expected, const char *part) {
  if (status != expected || strstr(gv_context_message(context), part) == NULL)
    fail_msg("%s: %s: not '%s'", gv_status_message(status), gv_context_message(context), part);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static int go_on(double fraction, void *user) {
  (void)fraction;
  return *(int *)user;
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  world w = begin_world(SEEDS, 1.0 / 298.257223563);
  int32_t *there = take(sizeof *there * WIDTH * HEIGHT);
  gv_context_options options;
  gv_context_options_init(&options);
  gv_context *patient = NULL;
  int wanted = 0;
  options.progress = go_on;
  options.progress_user = &wanted;
  assert_int_equal(gv_context_create(&options, &patient), GV_OK);
  for (int round = 0; round < 2; round++) {
    gv_labels s = whole(w.got);
    expect(w.context, gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT,
           "CUDA device");
    s = whole(there);
    s.mask = (const uint8_t *)w.got;
    s.mask_stride = WIDTH;
    expect(w.context, gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT,
           "CUDA device");
    s = whole(there);
    s.rows = HEIGHT + 1;
    expect(w.context, gv_voronoi_fill(w.context, w.voronoi, &s, NULL), GV_ERROR_INVALID_ARGUMENT,
           "outside the grid");
    s = whole(there);
    wanted = 0;
    expect(patient, gv_voronoi_fill(patient, w.voronoi, &s, NULL), GV_ERROR_CANCELLED, "cancelled");
    wanted = 1;
    assert_int_equal(gv_voronoi_fill(patient, w.voronoi, &s, NULL), GV_OK);
    compare_world(&w, there);
  }
  gv_context_destroy(patient);
  give(there);
  end_world(&w);
}

/* Weights and projected grids, which processors answer also for cuda-tile. */
static void what_devices_do_not_do(void **state) {
  (void)state;
  const double x[] = {10.0, 20.0}, y[] = {5.0, 6.0}, weights[] = {1.0, 2.0};
  gv_points seeds = gv_points_xy(x, y, 2);
  gv_context *context = NULL;
  int32_t *there = take(1 << 20);
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (size_t i = 0; i < sizeof grid_cases / sizeof *grid_cases; i++) {
    gv_grid grid = grid_of(&grid_cases[i]);
    gv_voronoi_options o;
    gv_voronoi_options_init(&o);
    gv_voronoi *voronoi = NULL;
    gv_labels s = whole(there);
    bool projected = grid.kind == GV_GRID_PROJECTED;
    o.backend = "cuda-tile";
    o.metric = on_globe(&grid_cases[i]) ? GV_GREAT_CIRCLE : GV_EUCLIDEAN;
    o.weighting = projected ? GV_UNWEIGHTED : GV_MULTIPLICATIVE;
    o.weights = projected ? NULL : weights;
    assert_int_equal(gv_voronoi_create(context, &grid, &seeds, &o, &voronoi), GV_OK);
    expect(context, gv_voronoi_fill(context, voronoi, &s, NULL), GV_ERROR_UNSUPPORTED,
           "weights and projected grids");
    gv_voronoi_destroy(voronoi);
  }
  gv_context_destroy(context);
  give(there);
}

int main(void) {
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_grid),
      cmocka_unit_test(every_mesh),
      cmocka_unit_test(again_and_beside_the_host),
      cmocka_unit_test(what_a_device_leaves_to_processors),
      cmocka_unit_test(rows_far_apart),
      cmocka_unit_test(the_callers_stream_is_waited_for),
      cmocka_unit_test(many_threads),
      cmocka_unit_test(any_device),
      cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(what_devices_do_not_do),
  };
  return cmocka_run_group_tests_name("device strips", tests, NULL, NULL);
}
