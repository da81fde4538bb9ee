/*
 * cuda-thrust, step 3: no matrix, by library functions.
 *
 * Idea: a row of distances is a counting iterator with a transformation. CUB, the library below Thrust,
 * reduces segments of it to their minima, so no kernel is written here, only the formula of an element.
 * Memory: coordinates from device memory and its caches; no distance is stored.
 * Limit: arithmetic that finds out which pair an element is (64-bit divisions), and no reuse: each value read
 * serves one pair. For one query with many points, where nothing can be reused, it is as fast as any.
 */
#include "search/cuda/brute.cuh"

#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <new>

enum { GROUP = 1024, SEGMENTS_MAX = 1 << 30 };

/* Element e of all rows, one after the other. */
template <int METRIC> struct element {
  gv_scan scan;
  int64_t length; /* of a row */
  __device__ float operator()(int64_t e) const {
    int64_t query = e / length, point = e - query * length;
    if (point >= scan.count) return INFINITY;
    float sum = METRIC == GV_EUCLIDEAN ? scan.halves[point] : 0.0F;
    for (int32_t d = 0; d < scan.dim; d++) {
      sum = gv_step<METRIC>(sum, scan.query[d * scan.query_stride + query],
                            scan.values[d * scan.dim_stride + point]);
    }
    return sum;
  }
};

struct start_of {
  int64_t size;
  __host__ __device__ int64_t operator()(int64_t segment) const { return segment * size; }
};

struct smaller {
  __host__ __device__ float operator()(float a, float b) const { return b < a ? b : a; }
};

static gv_layout thrust_layout(int32_t dim) {
  (void)dim;
  return GV_COLUMNS;
}

static gv_group_shape thrust_shape(const gv_brute_sizes *sizes) {
  (void)sizes;
  return {1, 1, GROUP, GROUP, 0};
}

template <int METRIC>
static cudaError_t reduce(gv_cuda_queue *queue, const gv_scan *scan, void *memory, size_t *bytes) {
  int64_t length = scan->groups.count * GROUP;
  auto elements =
      thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), element<METRIC>{*scan, length});
  auto starts = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), start_of{GROUP});
  return cub::DeviceSegmentedReduce::Reduce(memory, *bytes, elements, scan->minima,
                                            scan->queries * scan->groups.count, starts, starts + 1, smaller(),
                                            INFINITY, queue->stream);
}

static gv_status thrust_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *,
                               const gv_scan *scan, const gv_brute_sizes *) {
  int64_t at_once = SEGMENTS_MAX / scan->groups.count;
  if (at_once < 1)
    return gv_fail(context, GV_ERROR_UNSUPPORTED, "too many points for one segmented reduction");
  for (int64_t first = 0; first < scan->queries; first += at_once) {
    gv_scan part = *scan;
    part.queries = scan->queries - first < at_once ? scan->queries - first : at_once;
    part.query += first;
    part.minima += first * scan->row;
    try {
      size_t bytes = 0;
      void *memory = NULL;
      gv_status status = gv_cuda_result(
          context, GV_FOR_METRIC(scan->metric, reduce, queue, &part, memory, &bytes), "reducing distances");
      if (status == GV_OK) status = gv_cuda_reserve(context, queue, GV_SLOT_OWN, bytes + 1, &memory);
      if (status == GV_OK) {
        status = gv_cuda_result(context, GV_FOR_METRIC(scan->metric, reduce, queue, &part, memory, &bytes),
                                "reducing distances");
      }
      if (status != GV_OK) return status;
    } catch (const std::bad_alloc &) {
      return gv_fail_memory(context, "the reduction");
    } catch (...) {
      return gv_fail(context, GV_ERROR_DEVICE, "reducing distances failed");
    }
  }
  return GV_OK;
}

static const gv_brute_method method = {thrust_layout, thrust_shape, thrust_filter, NULL, NULL, NULL, NULL};

static gv_status thrust_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_thrust = {gv_cuda_probe_device, thrust_build, gv_brute_search,
                                                gv_brute_forget};
