/*
 * Reference points of brute force on a GPU: their center and scale, and their floats in the layout of the
 * backend's kernels (search/float_filter.h).
 */
#include "search/cuda/brute.cuh"

#include <math.h>
#include <string.h>

#include "search/float_filter.h"

namespace {

enum { WARP = 32, BLOCK = 256 };

/* Doubles as integers of the same order, for atomic minima and maxima. */
__host__ __device__ inline unsigned long long ordered(double x) {
  long long bits;
#ifdef __CUDA_ARCH__
  bits = __double_as_longlong(x);
#else
  memcpy(&bits, &x, sizeof bits);
#endif
  return bits < 0 ? ~(unsigned long long)bits : (unsigned long long)bits | 0x8000000000000000ULL;
}

double from_ordered(unsigned long long u) {
  unsigned long long bits = u & 0x8000000000000000ULL ? u & 0x7fffffffffffffffULL : ~u;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* extremes[d] and extremes[dim + d]: the smallest and largest coordinate, ordered(). The number of threads is
 * a multiple of dim, so each thread reads one dimension. */
template <typename T>
__global__ void find_extremes(const T *rows, int64_t values, int32_t dim, int64_t threads,
                              unsigned long long *extremes) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads || i >= values) return;
  int32_t d = (int32_t)(i % dim);
  T low = rows[i], high = low;
  for (i += threads; i < values; i += threads) {
    low = rows[i] < low ? rows[i] : low;
    high = rows[i] > high ? rows[i] : high;
  }
  atomicMin(&extremes[d], ordered((double)low));
  atomicMax(&extremes[dim + d], ordered((double)high));
}

/* gv_brute_scales, by a thread a vector: squares are added in the order of the exact distance, which then has
 * the same vectors without a direction. */
template <typename T> __global__ void find_scales(const T *rows, int64_t count, int32_t dim, double *out) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  double squares = 0.0;
  GV_UNROLL_4
  for (int32_t d = 0; d < dim; d++)
    squares += (double)rows[i * dim + d] * (double)rows[i * dim + d];
  double length = gv_cosine_length(squares);
  out[i] = length > 0.0 ? 1.0 / length : 0.0;
}

/* Half the squared length as the filter's kernels add it (gv_scan). */
__device__ inline float half_of(gv_metric metric, bool real, double length) {
  return !real ? INFINITY : metric == GV_EUCLIDEAN ? (float)(0.5 * length) : 0.0F;
}

/* Centered and scaled floats of all points in the layout, and the longest length (bits of a double >= 0).
 * `scales`: of each point, instead of `scale`; or NULL. */
template <typename T>
__global__ void convert(const T *rows, int64_t count, int64_t padded, int32_t dim, gv_metric metric,
                        gv_layout layout, const double *center, double scale, const double *scales,
                        float *values, float *halves, int32_t depth, unsigned long long *longest) {
  int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= padded) return;
  const bool real = i < count, euclidean = gv_filter_metric(metric) == GV_EUCLIDEAN;
  if (scales != NULL && real) scale = scales[i];
  float filling = euclidean ? 0.0F : INFINITY;
  double length = 0.0;
  float quad[4] = {0.0F, 0.0F, 0.0F, 0.0F};
  for (int32_t d = 0; d < dim; d++) {
    float value = real ? (float)(((double)rows[i * dim + d] - center[d]) * scale) : filling;
    if (layout == GV_ROWS) values[i * dim + d] = value;
    if (layout == GV_FOURS) values[i * depth + d] = value;
    if (layout == GV_COLUMNS) values[d * padded + i] = value;
    if (layout == GV_QUADS) quad[d] = value;
    if (real) length = gv_norm_join(metric, length, gv_norm_of(metric, (double)value));
  }
  for (int32_t d = dim; d < depth; d++) {
    if (layout == GV_FOURS) values[i * depth + d] = 0.0F;
  }
  if (euclidean) {
    float half = half_of(metric, real, length);
    if (layout == GV_QUADS) {
      quad[3] = half;
    } else {
      halves[i] = half;
    }
  }
  length = gv_float_length(metric, length);
  if (layout == GV_QUADS) ((float4 *)values)[i] = make_float4(quad[0], quad[1], quad[2], quad[3]);
  for (int shift = 16; shift > 0; shift /= 2)
    length = fmax(length, __shfl_xor_sync(0xffffffffU, length, shift));
  if (threadIdx.x % WARP == 0) atomicMax(longest, (unsigned long long)__double_as_longlong(length));
}

/* The same in layouts of rows, of `stride` floats, by a warp a point, so that neighboring values are read and
 * written together. */
template <typename T>
__global__ void convert_rows(const T *rows, int64_t count, int64_t padded, int32_t dim, gv_metric metric,
                             int32_t stride, const double *center, double scale, const double *scales,
                             float *values, float *halves, unsigned long long *longest) {
  int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  if (i >= padded) return;
  const bool real = i < count, euclidean = gv_filter_metric(metric) == GV_EUCLIDEAN;
  if (scales != NULL && real) scale = scales[i];
  float filling = euclidean ? 0.0F : INFINITY;
  double length = 0.0;
  for (int32_t d = (int32_t)threadIdx.x % WARP; d < stride; d += WARP) {
    float value = d < dim ? filling : 0.0F;
    if (real && d < dim) {
      value = (float)(((double)rows[i * dim + d] - center[d]) * scale);
      length = gv_norm_join(metric, length, gv_norm_of(metric, (double)value));
    }
    values[i * stride + d] = value;
  }
  for (int shift = 16; shift > 0; shift /= 2)
    length = gv_norm_join(metric, length, __shfl_xor_sync(0xffffffffU, length, shift));
  if (threadIdx.x % WARP != 0) return;
  if (euclidean) halves[i] = half_of(metric, real, length);
  if (real) atomicMax(longest, (unsigned long long)__double_as_longlong(gv_float_length(metric, length)));
}

} // namespace

template <typename T>
static cudaError_t launch_extremes(const gv_cuda_queue *queue, const T *rows, int64_t values, int32_t dim,
                                   unsigned long long *extremes) {
  int64_t blocks = gv_ceil_div(values, BLOCK), most = 8 * (int64_t)queue->multiprocessors;
  if (blocks > most) blocks = most;
  if (blocks * BLOCK < dim) blocks = gv_ceil_div(dim, BLOCK);
  int64_t threads = blocks * BLOCK / dim * dim;
  find_extremes<<<(unsigned)blocks, BLOCK, 0, queue->stream>>>(rows, values, dim, threads, extremes);
  return cudaPeekAtLastError();
}

cudaError_t gv_brute_scales(gv_cuda_queue *queue, const double *rows, const float *narrow, int64_t count,
                            int32_t dim, double *out) {
  const unsigned blocks = (unsigned)gv_ceil_div(count, BLOCK);
  if (narrow != NULL) {
    find_scales<<<blocks, BLOCK, 0, queue->stream>>>(narrow, count, dim, out);
  } else {
    find_scales<<<blocks, BLOCK, 0, queue->stream>>>(rows, count, dim, out);
  }
  return cudaPeekAtLastError();
}

template <typename T>
static cudaError_t launch_convert(const gv_cuda_queue *queue, const gv_brute *brute, const T *rows,
                                  int32_t dim, gv_metric metric, const double *scales,
                                  unsigned long long *longest) {
  const double scale = ldexp(1.0, brute->exponent);
  bool by_rows = (brute->layout == GV_ROWS || brute->layout == GV_FOURS) && dim >= WARP;
  if (by_rows) {
    convert_rows<<<(unsigned)(brute->padded / (BLOCK / WARP)), BLOCK, 0, queue->stream>>>(
        rows, brute->count, brute->padded, dim, metric, gv_brute_stride(brute->layout, dim), brute->center,
        scale, scales, brute->values, brute->halves, longest);
  } else {
    convert<<<(unsigned)(brute->padded / BLOCK), BLOCK, 0, queue->stream>>>(
        rows, brute->count, brute->padded, dim, metric, brute->layout, brute->center, scale, scales,
        brute->values, brute->halves, gv_brute_depth(dim), longest);
  }
  return cudaPeekAtLastError();
}

static gv_status convert_points(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference,
                                gv_brute *brute) {
  gv_status status = GV_OK;
  int32_t dim = reference->dim;
  int64_t values = reference->count * dim;
  unsigned long long *extremes = NULL, *host = NULL;
  double *center = NULL, *scales = NULL, widest = 0.0, longest = 0.0;
  size_t bytes = (size_t)dim * 2 * sizeof *host;
  host = (unsigned long long *)gv_allocate(&reference->allocator, dim, 2 * sizeof *host);
  center = (double *)gv_allocate(&reference->allocator, dim, sizeof *center);
  if (host == NULL || center == NULL) {
    status = gv_fail_memory(context, "the index");
    goto done;
  }
  status = gv_cuda_reserve(context, queue, GV_SLOT_MARGINS, bytes + sizeof *host, (void **)&extremes);
  if (status != GV_OK) goto done;
  for (int32_t d = 0; d < dim; d++) {
    host[d] = ~0ULL;
    host[dim + d] = 0;
  }
  GV_CUDA_TRY(context, cudaMemcpyAsync(extremes, host, bytes, cudaMemcpyHostToDevice, queue->stream),
              "copying");
  GV_CUDA_TRY(context,
              brute->narrow != NULL ? launch_extremes(queue, brute->narrow, values, dim, extremes)
                                    : launch_extremes(queue, brute->rows, values, dim, extremes),
              "examining points");
  GV_CUDA_TRY(context, cudaMemcpyAsync(host, extremes, bytes, cudaMemcpyDeviceToHost, queue->stream),
              "copying");
  status = gv_cuda_wait(context, queue, "examining points");
  if (status != GV_OK) goto done;
  for (int32_t d = 0; d < dim; d++) {
    double low = from_ordered(host[d]), high = from_ordered(host[dim + d]);
    center[d] = gv_metric_of_products(reference->metric) ? 0.0 : 0.5 * low + 0.5 * high;
    double reach = fmax(fabs(high - center[d]), fabs(low - center[d]));
    widest = reach > widest ? reach : widest;
  }
  /* Vectors of length 1 suit floats. */
  brute->filterable = reference->metric == GV_COSINE || gv_float_exponent(widest, &brute->exponent);
  if (!brute->filterable) goto done;

  {
    size_t points = (size_t)brute->padded;
    bool quads = brute->layout == GV_QUADS,
         halves = gv_filter_metric(reference->metric) == GV_EUCLIDEAN && !quads;
    status = gv_cuda_allocate(context, (size_t)dim * sizeof(double), (void **)&brute->center);
    if (status == GV_OK) {
      status = gv_cuda_allocate(context, points * (size_t)gv_brute_stride(brute->layout, dim) * sizeof(float),
                                (void **)&brute->values);
    }
    if (status == GV_OK && halves) {
      status = gv_cuda_allocate(context, points * sizeof(float), (void **)&brute->halves);
    }
    if (status != GV_OK) goto done;
  }
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(brute->center, center, (size_t)dim * sizeof *center, cudaMemcpyHostToDevice,
                              queue->stream),
              "copying");
  GV_CUDA_TRY(context, cudaMemsetAsync(extremes, 0, sizeof *extremes, queue->stream), "clearing");
  if (reference->metric == GV_COSINE) {
    status = gv_cuda_reserve(context, queue, GV_SLOT_SCALES, (size_t)brute->count * sizeof *scales,
                             (void **)&scales);
    if (status != GV_OK) goto done;
    GV_CUDA_TRY(context, gv_brute_scales(queue, brute->rows, brute->narrow, brute->count, dim, scales),
                "converting points");
  }
  GV_CUDA_TRY(context,
              brute->narrow != NULL
                  ? launch_convert(queue, brute, brute->narrow, dim, reference->metric, scales, extremes)
                  : launch_convert(queue, brute, brute->rows, dim, reference->metric, scales, extremes),
              "converting points");
  GV_CUDA_TRY(context,
              cudaMemcpyAsync(&longest, extremes, sizeof longest, cudaMemcpyDeviceToHost, queue->stream),
              "copying");
  status = gv_cuda_wait(context, queue, "converting points");
  brute->longest = gv_float_longest(longest);

done:
  gv_release(&reference->allocator, host);
  gv_release(&reference->allocator, center);
  return status;
}

/* The canonical rows on the queue's device. */
static gv_status brute_points_take_rows(gv_context *context, gv_cuda_queue *queue,
                                        const gv_reference *reference, gv_brute *brute) {
  bool narrow = reference->floats != NULL;
  const void *rows = narrow ? (const void *)reference->floats : (const void *)reference->data;
  size_t bytes =
      (size_t)reference->count * (size_t)reference->dim * (narrow ? sizeof(float) : sizeof(double));
  if (gv_cuda_device_of(rows) != queue->device) {
    gv_status status = gv_cuda_allocate(context, bytes, &brute->own_rows);
    if (status == GV_OK)
      status = gv_cuda_upload(context, queue, brute->own_rows, rows, bytes, "copying points");
    if (status != GV_OK) return status;
    rows = brute->own_rows;
  }
  brute->narrow = narrow ? (const float *)rows : NULL;
  brute->rows = narrow ? NULL : (const double *)rows;
  return GV_OK;
}

gv_status gv_brute_create(gv_context *context, const gv_reference *reference, const gv_brute_method *method,
                          int device, gv_brute **out) {
  gv_cuda_queue *queue = NULL;
  gv_brute *brute = NULL;
  gv_status status = gv_cuda_queue_take(context, device, &queue);
  if (status != GV_OK) return status;
  brute = (gv_brute *)gv_allocate_zeroed(&reference->allocator, 1, sizeof *brute);
  if (brute == NULL) {
    status = gv_fail_memory(context, "the index");
    goto done;
  }
  brute->method = method;
  brute->allocator = reference->allocator;
  brute->device = queue->device;
  brute->layout = method->layout(reference->dim);
  brute->count = reference->count;
  brute->padded = gv_ceil_div(reference->count, GV_SCAN_PAD) * GV_SCAN_PAD;
  status = brute_points_take_rows(context, queue, reference, brute);
  if (status != GV_OK) goto done;
  gv_cuda_mark_begin(queue);
  status = convert_points(context, queue, reference, brute);
  gv_cuda_mark_end(queue);
  if (status == GV_OK && brute->filterable && method->prepare != NULL) {
    status = method->prepare(context, queue, reference, brute);
  }
  if (status == GV_OK) status = gv_cuda_wait(context, queue, "preparing points");

done:
  gv_cuda_queue_give(context, queue);
  if (status != GV_OK) {
    gv_brute_destroy(reference, brute);
    return status;
  }
  *out = brute;
  return GV_OK;
}

void gv_brute_destroy(const gv_reference *reference, gv_brute *brute) {
  if (brute == NULL) return;
  if (brute->method->forget != NULL) brute->method->forget(brute);
  gv_cuda_release(brute->device, brute->own_rows);
  gv_cuda_release(brute->device, brute->center);
  gv_cuda_release(brute->device, brute->values);
  gv_cuda_release(brute->device, brute->halves);
  gv_release(&reference->allocator, brute);
}
