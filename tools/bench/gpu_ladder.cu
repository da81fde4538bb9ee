/*
 * Not a test: two steps of the ladder in docs/benchmarks-search.md that exist in one version in the library.
 * The minimum of each row of a matrix, by a block with a tree in shared memory with a rolled loop, the same
 * unrolled, and with shuffles; and half of a distance matrix against the whole one (a set searched against
 * itself, or against its copy).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include <cuda_runtime.h>

#include "gpuvoronoi/gpuvoronoi.h"
#include "search/device_times.h"

enum { THREADS = 256, REPEAT = 9 };

static void bench_ladder_check(cudaError_t error, const char *doing) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(error));
  exit(1);
}

static __device__ float column_minimum(const float *row, int length) {
  float least = INFINITY;
  for (int i = (int)threadIdx.x; i < length; i += THREADS)
    least = fminf(least, row[i]);
  return least;
}

/* A step at a time, all threads of the block waiting for each. */
static __global__ void rolled(const float *values, int length, float *out) {
  __shared__ float part[THREADS];
  part[threadIdx.x] = column_minimum(values + (size_t)blockIdx.x * (size_t)length, length);
#pragma unroll 1
  for (int gap = THREADS / 2; gap > 0; gap /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < gap) part[threadIdx.x] = fminf(part[threadIdx.x], part[threadIdx.x + gap]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

/* The loop unrolled; the last steps are one warp's, which needs no barrier of the block. */
static __global__ void unrolled(const float *values, int length, float *out) {
  __shared__ float part[THREADS];
  part[threadIdx.x] = column_minimum(values + (size_t)blockIdx.x * (size_t)length, length);
#pragma unroll
  for (int gap = THREADS / 2; gap > 32; gap /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < gap) part[threadIdx.x] = fminf(part[threadIdx.x], part[threadIdx.x + gap]);
  }
  __syncthreads();
  if (threadIdx.x >= 32) return;
#pragma unroll
  for (int gap = 32; gap > 0; gap /= 2) {
    float other = part[threadIdx.x + (gap > (int)threadIdx.x ? gap : 0)];
    __syncwarp();
    part[threadIdx.x] = fminf(part[threadIdx.x], other);
    __syncwarp();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

/* Registers of a warp; shared memory only between warps. */
static __global__ void shuffled(const float *values, int length, float *out) {
  __shared__ float part[THREADS / 32];
  float least = column_minimum(values + (size_t)blockIdx.x * (size_t)length, length);
  for (int gap = 16; gap > 0; gap /= 2)
    least = fminf(least, __shfl_xor_sync(0xffffffffU, least, gap));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = least;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  least = threadIdx.x < THREADS / 32 ? part[threadIdx.x] : INFINITY;
  for (int gap = 4; gap > 0; gap /= 2)
    least = fminf(least, __shfl_xor_sync(0xffffffffU, least, gap));
  if (threadIdx.x == 0) out[blockIdx.x] = least;
}

static void reductions(int rows, int length) {
  static const struct {
    const char *name;
    void (*kernel)(const float *, int, float *);
  } ways[] = {{"rolled", rolled}, {"unrolled", unrolled}, {"shuffled", shuffled}};
  size_t count = (size_t)rows * (size_t)length;
  std::vector<float> values(count), expected((size_t)rows), got((size_t)rows);
  unsigned state = 1;
  for (size_t i = 0; i < count; i++) {
    state = state * 1664525U + 1013904223U;
    values[i] = (float)(state >> 8);
  }
  for (int r = 0; r < rows; r++)
    expected[(size_t)r] =
        *std::min_element(values.begin() + (size_t)r * length, values.begin() + (size_t)(r + 1) * length);
  float *device, *out;
  bench_ladder_check(cudaMalloc(&device, count * sizeof(float)), "allocating");
  bench_ladder_check(cudaMalloc(&out, (size_t)rows * sizeof(float)), "allocating");
  bench_ladder_check(cudaMemcpy(device, values.data(), count * sizeof(float), cudaMemcpyHostToDevice),
                     "copying");
  cudaEvent_t begin, end;
  bench_ladder_check(cudaEventCreate(&begin), "making an event");
  bench_ladder_check(cudaEventCreate(&end), "making an event");
  for (const auto &way : ways) {
    std::vector<float> times;
    for (int i = 0; i < REPEAT; i++) {
      bench_ladder_check(cudaEventRecord(begin), "measuring");
      way.kernel<<<(unsigned)rows, THREADS>>>(device, length, out);
      bench_ladder_check(cudaEventRecord(end), "measuring");
      bench_ladder_check(cudaEventSynchronize(end), "measuring");
      float ms;
      bench_ladder_check(cudaEventElapsedTime(&ms, begin, end), "measuring");
      times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    bench_ladder_check(cudaMemcpy(got.data(), out, (size_t)rows * sizeof(float), cudaMemcpyDeviceToHost),
                       "copying");
    printf("minimum of %d rows of %d, %-9s %.4f ms%s\n", rows, length, way.name, (double)times[REPEAT / 2],
           got == expected ? "" : " WRONG");
  }
  bench_ladder_check(cudaFree(device), "freeing");
  bench_ladder_check(cudaFree(out), "freeing");
}

static void halves(int n, int dim, int k) {
  std::vector<double> points((size_t)n * (size_t)dim), copy;
  unsigned state = 7;
  for (double &x : points) {
    state = state * 1664525U + 1013904223U;
    x = state * 0x1p-32;
  }
  copy = points;
  gv_context *context = NULL;
  gv_index *index = NULL;
  gv_points reference = gv_points_rows(points.data(), n, dim, GV_FLOAT64),
            queries = gv_points_rows(copy.data(), n, dim, GV_FLOAT64);
  gv_index_options options;
  gv_index_options_init(&options);
  options.backend = "cuda-matrix";
  gv_search_options search;
  gv_search_options_init(&search);
  search.k = k;
  search.exclude_self = 1;
  std::vector<int64_t> found[2];
  std::vector<double> distance((size_t)n * (size_t)k);
  if (gv_context_create(NULL, &context) != GV_OK ||
      gv_index_build(context, &reference, &options, &index) != GV_OK) {
    fprintf(stderr, "%s\n", gv_context_message(context));
    exit(1);
  }
  for (int whole = 0; whole < 2; whole++) {
    std::vector<double> times;
    found[whole].resize((size_t)n * (size_t)k);
    for (int i = 0; i < REPEAT; i++) {
      double before = gv_context_device_seconds(context);
      if (gv_index_search(context, index, whole ? &queries : NULL, &search, found[whole].data(),
                          distance.data()) != GV_OK) {
        fprintf(stderr, "%s\n", gv_context_message(context));
        exit(1);
      }
      times.push_back(1e3 * (gv_context_device_seconds(context) - before));
    }
    std::sort(times.begin(), times.end());
    printf("cuda-matrix, %d points against themselves, d %d, k %d, %s matrix: %.4f ms\n", n, dim, k,
           whole ? "whole" : "half", times[REPEAT / 2]);
  }
  if (found[0] != found[1]) printf("WRONG\n");
  gv_index_destroy(index);
  gv_context_destroy(context);
}

int main(void) {
  reductions(65536, 1024);
  reductions(4096, 65536);
  reductions(1000000, 128);
  for (int dim = 4; dim <= 256; dim *= 8)
    halves(16384, dim, 10);
  return 0;
}
