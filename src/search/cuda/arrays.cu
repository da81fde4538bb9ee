/* Callers' arrays on devices: see search/cuda_module.h. */
#include <math.h>

#include "search/cuda/runtime.h"

extern "C" {
extern const gv_array_device gv_cuda_arrays;
}

namespace {

enum { BLOCK = 256, SLOT_BAD = GV_CUDA_SLOTS - 1, BLOCKS_EACH = 16 };

template <typename T>
__global__ void widen_values(const T *from, int64_t values, int32_t dim, double *to,
                             unsigned long long *bad) {
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < values; i += step) {
    double value = (double)from[i];
    if (!isfinite(value)) atomicMin(bad, (unsigned long long)(i / dim));
    if (to != NULL) to[i] = value;
  }
}

__global__ void device_arrays_take_roots(double *value, int64_t count) {
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    value[i] = __dsqrt_rn(value[i]);
}

unsigned blocks_for(const gv_cuda_queue *queue, int64_t count) {
  int64_t blocks = (count + BLOCK - 1) / BLOCK, most = (int64_t)BLOCKS_EACH * queue->multiprocessors;
  return (unsigned)(blocks < most ? blocks : most);
}

} // namespace

/* The one device that all arrays lie on. */
static gv_status find_device(gv_context *context, const void *const *array, int count, int *device) {
  *device = -1;
  for (int i = 0; i < count; i++) {
    struct cudaPointerAttributes attributes;
    if (array[i] == NULL) continue;
    gv_status status =
        gv_cuda_result(context, cudaPointerGetAttributes(&attributes, array[i]), "examining an array");
    if (status != GV_OK) return status;
    if (attributes.type != cudaMemoryTypeDevice)
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "array: not in the memory of a CUDA device");
    if (*device >= 0 && *device != attributes.device) {
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                     "arrays: in the memory of different devices (%d and %d)", *device, attributes.device);
    }
    *device = attributes.device;
  }
  return GV_OK;
}

static gv_status device_arrays_begin(gv_context *context, const void *const *array, int count, void *stream,
                                     void **queue, int *device) {
  gv_cuda_queue *taken = NULL;
  gv_status status = find_device(context, array, count, device);
  if (status == GV_OK) status = gv_cuda_queue_take(context, *device, &taken);
  if (status != GV_OK) return status;
  status =
      gv_cuda_result(context, cudaStreamSynchronize((cudaStream_t)stream), "waiting for the caller's stream");
  if (status != GV_OK) {
    gv_cuda_queue_give(context, taken);
    return status;
  }
  *queue = taken;
  *device = taken->device;
  return GV_OK;
}

static gv_status open_queue(gv_context *context, int wanted, void **queue, int *device) {
  gv_cuda_queue *taken = NULL;
  GV_TRY(gv_cuda_queue_take(context, wanted, &taken));
  *queue = taken;
  *device = taken->device;
  return GV_OK;
}

static void device_arrays_end(gv_context *context, void *queue) {
  gv_cuda_queue_give(context, (gv_cuda_queue *)queue);
}

static gv_status scratch(gv_context *context, void *queue, int slot, size_t bytes, void **out) {
  return gv_cuda_reserve(context, (gv_cuda_queue *)queue, slot, bytes, out);
}

static gv_status allocate(gv_context *context, void *queue, size_t bytes, void **out) {
  (void)queue; /* its device is current */
  return gv_cuda_allocate(context, bytes, out);
}

static gv_status device_arrays_widen(gv_context *context, void *opaque, const void *from, gv_dtype dtype,
                                     int64_t rows, int32_t dim, double *out, int64_t *bad) {
  gv_cuda_queue *queue = (gv_cuda_queue *)opaque;
  unsigned long long *least = NULL;
  int64_t values = rows * dim;
  gv_status status = gv_cuda_reserve(context, queue, SLOT_BAD, sizeof *least, (void **)&least);
  if (status != GV_OK) return status;
  GV_CUDA_TRY(context, cudaMemcpyAsync(least, bad, sizeof *least, cudaMemcpyHostToDevice, queue->stream),
              "examining points");
  gv_cuda_mark_begin(queue);
  if (dtype == GV_FLOAT32) {
    widen_values<<<blocks_for(queue, values), BLOCK, 0, queue->stream>>>((const float *)from, values, dim,
                                                                         out, least);
  } else {
    widen_values<<<blocks_for(queue, values), BLOCK, 0, queue->stream>>>((const double *)from, values, dim,
                                                                         out, least);
  }
  GV_CUDA_LAUNCHED(context, "examining points");
  gv_cuda_mark_end(queue);
  GV_CUDA_TRY(context, cudaMemcpyAsync(bad, least, sizeof *least, cudaMemcpyDeviceToHost, queue->stream),
              "examining points");
  status = gv_cuda_wait(context, queue, "examining points");
done:
  return status;
}

static gv_status roots(gv_context *context, void *opaque, double *value, int64_t count) {
  gv_cuda_queue *queue = (gv_cuda_queue *)opaque;
  gv_status status = GV_OK;
  gv_cuda_mark_begin(queue);
  device_arrays_take_roots<<<blocks_for(queue, count), BLOCK, 0, queue->stream>>>(value, count);
  GV_CUDA_LAUNCHED(context, "taking roots");
  gv_cuda_mark_end(queue);
  status = gv_cuda_wait(context, queue, "taking roots");
done:
  return status;
}

static gv_status upload(gv_context *context, void *opaque, void *to, const void *from, size_t bytes) {
  gv_cuda_queue *queue = (gv_cuda_queue *)opaque;
  gv_status status = gv_cuda_upload(context, queue, to, from, bytes, "copying points");
  return status == GV_OK ? gv_cuda_wait(context, queue, "copying points") : status;
}

static gv_status download(gv_context *context, void *queue, void *to, const void *from, size_t bytes) {
  return gv_cuda_download(context, (gv_cuda_queue *)queue, to, from, bytes, "copying points");
}

static gv_status stream(gv_context *context, void *opaque, void *to, size_t bytes, size_t unit,
                        gv_fill_fn *fill, void *user) {
  gv_cuda_queue *queue = (gv_cuda_queue *)opaque;
  gv_status status = gv_cuda_stream(context, queue, to, bytes, unit, fill, user, "copying points");
  return status == GV_OK ? gv_cuda_wait(context, queue, "copying points") : status;
}

const gv_array_device gv_cuda_arrays = {device_arrays_begin,
                                        open_queue,
                                        device_arrays_end,
                                        scratch,
                                        allocate,
                                        gv_cuda_release,
                                        device_arrays_widen,
                                        roots,
                                        upload,
                                        download,
                                        stream};
