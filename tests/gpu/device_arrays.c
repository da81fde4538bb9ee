/*
 * Searches of arrays on a device: the bytes of the same arrays on the host, for all backends that support
 * them, types and sizes of queries, with the index, the queries or both on the device; the caller's stream is
 * waited for; an error is reported by its call and by no later one. Skipped without a GPU.
 */
#include "backends_here.h"
#include "cmocka_test.h"

#include <cuda_runtime_api.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpuvoronoi/experimental.h"
#include "gpuvoronoi/raster_seeds.h"
#include "point_sets.h"
#include "search/cuda_module.h"

static const gv_array_options in_cuda = {sizeof(gv_array_options), GV_MEMORY_CUDA, NULL};

enum { POINTS = 6000, QUERIES = 700, MOST_K = 40, MOST_DIM = 24 };

#define CUDA(call) assert_int_equal((call), cudaSuccess)

static bool takes_device_arrays(const gv_backend *backend) {
  return backend->device && !backend->several && searches_here(backend);
}

/* An array on the host and on the device, there `skip` bytes behind what cudaMalloc aligns. */
typedef struct both {
  void *host, *memory, *device;
  size_t bytes;
} both;

static both make(size_t bytes, size_t skip) {
  both b = {malloc(bytes), NULL, NULL, bytes};
  assert_non_null(b.host);
  CUDA(cudaMalloc(&b.memory, bytes + skip));
  b.device = (char *)b.memory + skip;
  return b;
}

static void to_device(const both *b) {
  CUDA(cudaMemcpy(b->device, b->host, b->bytes, cudaMemcpyHostToDevice));
}

static void drop(both *b) {
  free(b->host);
  CUDA(cudaFree(b->memory));
}

static gv_points points_of(const both *b, gv_memory memory, int64_t count, int32_t dim, gv_dtype dtype) {
  return gv_points_rows(memory == GV_MEMORY_CUDA ? b->device : b->host, count, dim, dtype);
}

static both random_rows(int64_t count, int32_t dim, gv_dtype dtype, shape s) {
  size_t size = dtype == GV_FLOAT32 ? sizeof(float) : sizeof(double);
  both b = make((size_t)(count * dim) * size, size);
  double *values = malloc((size_t)(count * dim) * sizeof *values);
  assert_non_null(values);
  fill(values, count, dim, s, 5);
  for (int64_t i = 0; i < count * dim; i++) {
    if (dtype == GV_FLOAT32) {
      ((float *)b.host)[i] = (float)fmax(fmin(values[i], FLT_MAX), -FLT_MAX);
    } else {
      ((double *)b.host)[i] = values[i];
    }
  }
  free(values);
  to_device(&b);
  return b;
}

static gv_index *build(gv_context *context, const char *backend, gv_metric metric, gv_memory memory,
                       const gv_points *points) {
  gv_index *index = NULL;
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = backend;
  options.metric = metric;
  options.array_options = memory == GV_MEMORY_CUDA ? &in_cuda : NULL;
  if (gv_index_build(context, points, &options, &index) != GV_OK)
    fail_msg("%s: %s", backend, gv_context_message(context));
  return index;
}

/* The results of `serial` for the host's arrays. */
static void compare(gv_context *context, gv_index *const index[2], const gv_points *host,
                    const gv_points *device, int32_t k, double limit, bool self) {
  size_t places = (size_t)host->count * (size_t)k;
  int64_t *expected = malloc(places * sizeof *expected);
  double *value = malloc(places * sizeof *value);
  both indices = make(places * sizeof *expected, 8), distances = make(places * sizeof *value, 8);
  gv_search_options options;
  gv_search_options_init(&options);
  assert_true(expected != NULL && value != NULL);
  options.k = k;
  options.max_distance = limit;
  options.exclude_self = self;
  assert_int_equal(gv_index_search(context, index[0], self ? NULL : host, &options, expected, value), GV_OK);
  for (int on_device = 0; on_device < 2; on_device++) {
    for (int measured = 0; measured < 2; measured++) {
      memset(indices.host, 0x55, indices.bytes);
      memset(distances.host, 0x55, distances.bytes);
      to_device(&indices);
      to_device(&distances);
      options.array_options = on_device ? &in_cuda : NULL;
      int64_t *to = on_device ? indices.device : indices.host;
      double *far = on_device ? distances.device : distances.host;
      const gv_points *queries = self ? NULL : on_device ? device : host;
      if (gv_index_search(context, index[1], queries, &options, to, measured ? far : NULL) != GV_OK)
        fail_msg("%s: %s", gv_index_backend(index[1]), gv_context_message(context));
      if (on_device) {
        CUDA(cudaMemcpy(indices.host, indices.device, indices.bytes, cudaMemcpyDeviceToHost));
        CUDA(cudaMemcpy(distances.host, distances.device, distances.bytes, cudaMemcpyDeviceToHost));
      }
      if (memcmp(indices.host, expected, indices.bytes) != 0 ||
          (measured && memcmp(distances.host, value, distances.bytes) != 0)) {
        fail_msg("%s: other answers, k %d, self %d, queries on the %s", gv_index_backend(index[1]), (int)k,
                 self, on_device ? "device" : "host");
      }
    }
  }
  drop(&indices);
  drop(&distances);
  free(expected);
  free(value);
}

static void check(gv_context *context, const gv_backend *backend, gv_metric metric, int32_t dim,
                  gv_dtype dtype, shape s) {
  both points = random_rows(POINTS, dim, dtype, s), queries = random_rows(QUERIES, dim, dtype, s);
  gv_points host = points_of(&points, GV_MEMORY_HOST, POINTS, dim, dtype),
            device = points_of(&points, GV_MEMORY_CUDA, POINTS, dim, dtype);
  for (int on_device = 0; on_device < 2; on_device++) {
    gv_index *index[2] = {build(context, "serial", metric, GV_MEMORY_HOST, &host),
                          build(context, backend->name, metric, on_device ? GV_MEMORY_CUDA : GV_MEMORY_HOST,
                                on_device ? &device : &host)};
    static const int64_t counts[] = {1, 33, QUERIES};
    for (int i = 0; i < 3; i++) {
      gv_points asked = points_of(&queries, GV_MEMORY_HOST, counts[i], dim, dtype),
                asked_there = points_of(&queries, GV_MEMORY_CUDA, counts[i], dim, dtype);
      compare(context, index, &asked, &asked_there, i == 1 ? MOST_K : 1 + 4 * i, INFINITY, false);
      compare(context, index, &asked, &asked_there, 3, 0.25, false);
    }
    gv_index_destroy(index[0]);
    gv_index_destroy(index[1]);
  }
  drop(&points);
  drop(&queries);
}

static void arrays_on_a_device_give_the_same_bytes(void **state) {
  gv_context *context = *state;
  static const shape shapes[] = {UNIFORM, LATTICE, DUPLICATES, EXTREME, SCALES};
  static const gv_metric metrics[] = {GV_EUCLIDEAN, GV_MANHATTAN, GV_CHEBYSHEV, GV_COSINE, GV_INNER_PRODUCT};
  int turn = 0;
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!takes_device_arrays(b)) continue;
    for (int i = 0; i < 4; i++, turn++) {
      int32_t dim = i < 2 ? 2 + i : b->max_dim < MOST_DIM ? b->max_dim : MOST_DIM;
      int m = (turn + i) % 5;
      while (gv_backend_refuses(b, metrics[m]) != NULL)
        m = (m + 1) % 5;
      check(context, b, metrics[m], dim, turn % 2 == 0 ? GV_FLOAT32 : GV_FLOAT64, shapes[turn % 5]);
    }
  }
}

/* Against itself, without distances of its own; and more than one piece of copies (transfer.cu). */
static void a_set_against_itself(void **state) {
  gv_context *context = *state;
  enum { COUNT = 200000, LESS = 3000, DIM = 3 };
  both points = random_rows(COUNT, DIM, GV_FLOAT64, CLUSTERS);
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!takes_device_arrays(b)) continue;
    bool tree = b == &gv_backends[GV_BACKEND_CUDA_KDTREE] || b == &gv_backends[GV_BACKEND_CUDA_OCTREE];
    int64_t count = tree ? COUNT : LESS;
    gv_points host = points_of(&points, GV_MEMORY_HOST, count, DIM, GV_FLOAT64),
              device = points_of(&points, GV_MEMORY_CUDA, count, DIM, GV_FLOAT64);
    gv_index *index[2] = {build(context, tree ? "kdtree" : "serial", GV_EUCLIDEAN, GV_MEMORY_HOST, &host),
                          build(context, b->name, GV_EUCLIDEAN, GV_MEMORY_CUDA, &device)};
    compare(context, index, &host, &device, 2, INFINITY, true);
    gv_index_destroy(index[0]);
    gv_index_destroy(index[1]);
  }
  drop(&points);
}

/* On the last device: an index is made there, unless the context has another one. */
static void any_device(void **state) {
  (void)state;
  enum { DIM = 3, COUNT = 100000 };
  int devices = 0, now = -1;
  CUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) skip();
  CUDA(cudaSetDevice(devices - 1));
  both points = random_rows(COUNT, DIM, GV_FLOAT64, UNIFORM),
       queries = random_rows(QUERIES, DIM, GV_FLOAT32, UNIFORM);
  void *elsewhere = NULL;
  gv_points host = points_of(&points, GV_MEMORY_HOST, COUNT, DIM, GV_FLOAT64),
            device = points_of(&points, GV_MEMORY_CUDA, COUNT, DIM, GV_FLOAT64),
            asked = points_of(&queries, GV_MEMORY_HOST, QUERIES, DIM, GV_FLOAT32),
            asked_there = points_of(&queries, GV_MEMORY_CUDA, QUERIES, DIM, GV_FLOAT32);
  for (int chosen = -1; chosen < 2; chosen++) {
    gv_context_options options;
    gv_context_options_init(&options);
    gv_search_options one;
    gv_search_options_init(&one);
    gv_context *context = NULL;
    options.device = chosen;
    one.array_options = &in_cuda;
    assert_int_equal(gv_context_create(&options, &context), GV_OK);
    for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
      if (!takes_device_arrays(b)) continue;
      gv_index *index[2] = {build(context, "kdtree", GV_EUCLIDEAN, GV_MEMORY_HOST, &host),
                            build(context, b->name, GV_EUCLIDEAN, GV_MEMORY_CUDA, &device)};
      compare(context, index, &asked, &asked_there, 3, INFINITY, false);
      CUDA(cudaSetDevice(0));
      CUDA(cudaMalloc(&elsewhere, QUERIES * sizeof(int64_t)));
      CUDA(cudaSetDevice(devices - 1));
      assert_int_equal(gv_index_search(context, index[1], &asked_there, &one, elsewhere, NULL),
                       GV_ERROR_INVALID_ARGUMENT);
      assert_non_null(strstr(gv_context_message(context), "different devices"));
      CUDA(cudaFree(elsewhere));
      gv_index_destroy(index[0]);
      gv_index_destroy(index[1]);
      CUDA(cudaGetDevice(&now));
      assert_int_equal(now, devices - 1);
    }
    gv_context_destroy(context);
  }
  drop(&points);
  drop(&queries);
  CUDA(cudaSetDevice(0));
}

static void sleep_a_while(void *unused) {
  (void)unused;
  usleep(100000);
}

/* Pending writes to the arrays when the call is made are waited for. */
static void the_callers_stream_is_waited_for(void **state) {
  gv_context *context = *state;
  enum { DIM = 3 };
  both points = random_rows(POINTS, DIM, GV_FLOAT64, UNIFORM);
  double *pinned = NULL;
  int64_t nearest[POINTS], found[POINTS];
  both indices = make(sizeof found, 0);
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA(cudaHostAlloc((void **)&pinned, points.bytes, cudaHostAllocDefault));
  memcpy(pinned, points.host, points.bytes);
  gv_points device = points_of(&points, GV_MEMORY_CUDA, POINTS, DIM, GV_FLOAT64);
  gv_index_options options;
  gv_index_options_init(&options);
  gv_search_options one;
  gv_search_options_init(&one);
  const gv_array_options in_stream = {sizeof(gv_array_options), GV_MEMORY_CUDA, stream};
  options.array_options = one.array_options = &in_stream;
  for (int late = 0; late < 2; late++) { /* the points of the index; the queries */
    gv_index *index = NULL;
    for (int step = 0; step < 2; step++) {
      if (step == late) {
        CUDA(cudaMemset(points.device, 0, points.bytes));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaLaunchHostFunc(stream, sleep_a_while, NULL));
        CUDA(cudaMemcpyAsync(points.device, pinned, points.bytes, cudaMemcpyHostToDevice, stream));
      }
      if (step == 0) {
        assert_int_equal(gv_index_build(context, &device, &options, &index), GV_OK);
      } else {
        assert_int_equal(gv_index_search(context, index, &device, &one, indices.device, NULL), GV_OK);
      }
    }
    CUDA(cudaMemcpy(found, indices.device, sizeof found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < POINTS; i++)
      nearest[i] = i;
    assert_memory_equal(found, nearest, sizeof found);
    gv_index_destroy(index);
  }
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaFreeHost(pinned));
  drop(&points);
  drop(&indices);
}

static void expect(gv_context *context, gv_status status, gv_status expected, const char *part) {
  assert_int_equal(status, expected);
  if (strstr(gv_context_message(context), part) == NULL)
    fail_msg("%s: not '%s'", gv_context_message(context), part);
  assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void what_is_wrong_is_said(void **state) {
  gv_context *context = *state;
  enum { DIM = 4 };
  both points = random_rows(POINTS, DIM, GV_FLOAT32, UNIFORM),
       bad = random_rows(POINTS, DIM, GV_FLOAT32, UNIFORM);
  both indices = make(POINTS * sizeof(int64_t), 0), distances = make(POINTS * sizeof(double), 0);
  ((float *)bad.host)[4321 * DIM + 1] = NAN;
  ((float *)bad.host)[5000 * DIM + 3] = -INFINITY;
  to_device(&bad);
  gv_points good = points_of(&points, GV_MEMORY_CUDA, POINTS, DIM, GV_FLOAT32),
            on_host = points_of(&points, GV_MEMORY_HOST, POINTS, DIM, GV_FLOAT32),
            not_finite = points_of(&bad, GV_MEMORY_CUDA, POINTS, DIM, GV_FLOAT32);
  gv_index_options options;
  gv_index_options_init(&options);
  gv_search_options one;
  gv_search_options_init(&one);
  gv_index *index = NULL;
  options.array_options = one.array_options = &in_cuda;
  for (int round = 0; round < 3; round++) {
    expect(context, gv_index_build(context, &not_finite, &options, &index), GV_ERROR_INVALID_ARGUMENT,
           "reference point 4321 ");
    expect(context, gv_index_build(context, &on_host, &options, &index), GV_ERROR_INVALID_ARGUMENT,
           "CUDA device");
    options.backend = "openmp";
    expect(context, gv_index_build(context, &good, &options, &index), GV_ERROR_UNSUPPORTED, "(openmp)");
    options.backend = "cuda-multigpu";
    expect(context, gv_index_build(context, &good, &options, &index), GV_ERROR_UNSUPPORTED,
           "(cuda-multigpu)");
    assert_null(index);
    options.backend = NULL;
    assert_int_equal(gv_index_build(context, &good, &options, &index), GV_OK);
    assert_true(takes_device_arrays(gv_backend_find(gv_index_backend(index))));
    expect(context, gv_index_search(context, index, &not_finite, &one, indices.device, NULL),
           GV_ERROR_INVALID_ARGUMENT, "query point 4321 ");
    expect(context, gv_index_search(context, index, &on_host, &one, indices.device, NULL),
           GV_ERROR_INVALID_ARGUMENT, "CUDA device");
    expect(context, gv_index_search(context, index, &good, &one, indices.host, NULL),
           GV_ERROR_INVALID_ARGUMENT, "CUDA device");
    expect(context, gv_index_search(context, index, &good, &one, indices.device, distances.host),
           GV_ERROR_INVALID_ARGUMENT, "CUDA device");
    assert_int_equal(gv_index_search(context, index, &good, &one, indices.device, distances.device), GV_OK);
    gv_index_destroy(index);
    index = NULL;
  }
  gv_index_options_init(&options);
  options.backend = "kdtree";
  assert_int_equal(gv_index_build(context, &on_host, &options, &index), GV_OK);
  expect(context, gv_index_search(context, index, &good, &one, indices.device, NULL), GV_ERROR_UNSUPPORTED,
         "(kdtree)");
  gv_index_destroy(index);
  drop(&points);
  drop(&bad);
  drop(&indices);
  drop(&distances);
}

/* Cells of rasters have numbers of their own: device memory is refused, and nothing is written. */
static void cells_of_rasters(void **state) {
  gv_context *context = *state;
  static const int64_t land[4][4] = {{0}, {0, 7, 7}, {0, 7, 7}, {0}};
  for (const gv_backend *b = gv_backends; b < gv_backends + GV_BACKENDS; b++) {
    if (!takes_device_arrays(b)) continue;
    gv_grid raster;
    gv_grid_init(&raster);
    raster.width = raster.height = 4;
    gv_raster_array array;
    gv_raster_array_init(&array);
    array.data = land;
    array.rows = 4;
    array.row_stride = sizeof land[0];
    array.column_stride = sizeof land[0][0];
    gv_index_options options;
    gv_index_options_init(&options);
    options.backend = b->name;
    gv_search_options search;
    gv_search_options_init(&search);
    gv_raster_seeds *seeds = NULL;
    gv_index *index = NULL;
    both query = make(2 * sizeof(double), 0), found = make(sizeof(int64_t), 0);
    double *place = query.host;
    int64_t *cell = found.host;
    place[0] = place[1] = 2.4;
    *cell = -7;
    to_device(&query);
    to_device(&found);
    gv_points on_host = points_of(&query, GV_MEMORY_HOST, 1, 2, GV_FLOAT64),
              on_device = points_of(&query, GV_MEMORY_CUDA, 1, 2, GV_FLOAT64);
    assert_int_equal(gv_raster_seeds_create(context, &raster, NULL, &seeds), GV_OK);
    assert_int_equal(gv_raster_seeds_add_array(context, seeds, &array), GV_OK);
    assert_int_equal(gv_raster_seeds_finish(context, seeds), GV_OK);
    assert_int_equal(gv_index_build_raster_seeds(context, seeds, &options, &index), GV_OK);
    search.array_options = &in_cuda;
    assert_int_equal(gv_index_search(context, index, &on_device, &search, found.device, NULL),
                     GV_ERROR_UNSUPPORTED);
    CUDA(cudaMemcpy(found.host, found.device, found.bytes, cudaMemcpyDeviceToHost));
    assert_int_equal(*cell, -7);
    assert_int_equal(gv_index_search(context, index, &on_host, NULL, cell, NULL), GV_OK);
    assert_int_equal(*cell, 2 * 4 + 2);
    gv_index_destroy(index);
    gv_raster_seeds_destroy(seeds);
    drop(&query);
    drop(&found);
  }
}

static int make_context(void **state) {
  return gv_context_create(NULL, (gv_context **)state) == GV_OK ? 0 : -1;
}

static int drop_context(void **state) {
  gv_context_destroy(*state);
  return 0;
}

int main(void) {
  const char *reason = "";
  if (gv_cuda_probe(&reason) != GV_OK) {
    print_message("skipped: %s\n", reason);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_on_a_device_give_the_same_bytes),
      cmocka_unit_test(a_set_against_itself),
      cmocka_unit_test(any_device),
      cmocka_unit_test(the_callers_stream_is_waited_for),
      cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(cells_of_rasters),
  };
  return cmocka_run_group_tests(tests, make_context, drop_context);
}
