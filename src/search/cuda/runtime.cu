/* Queues, device memory, errors and device time: see runtime.h. */
#include "search/cuda/runtime.h"

#include <pthread.h>
#include <string.h>

#include "search/cuda/devices.h"

/* Data that a context keeps for CUDA. */
typedef struct gv_cuda_resources {
  gv_allocator allocator;
  pthread_mutex_t lock;
  gv_cuda_queue *idle;
} gv_cuda_resources;

/* Guards the creation of a context's resources, which several workers may need at once. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static size_t rounded(size_t bytes) {
  return (bytes + 511) / 512 * 512;
}

#ifdef GPUVORONOI_FAILING_CUDA_CALLS
#include <stdlib.h>

/* For tests/gpu/failing_calls.c: call number GPUVORONOI_FAILING_CUDA_CALL since that was set fails. */
static cudaError_t perhaps_failing(cudaError_t error) {
  static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
  static int wanted, calls;
  const char *text = getenv("GPUVORONOI_FAILING_CUDA_CALL");
  int number = text != NULL ? atoi(text) : 0;
  (void)pthread_mutex_lock(&counting);
  if (number != wanted) calls = 0;
  wanted = number;
  calls++;
  if (calls == number) error = number % 2 == 0 ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
  (void)pthread_mutex_unlock(&counting);
  return error;
}
#else
#define perhaps_failing(error) (error)
#endif

extern "C" gv_status gv_cuda_result(gv_context *context, cudaError_t error, const char *doing) {
  error = perhaps_failing(error);
  if (error == cudaSuccess) return GV_OK;
  (void)cudaGetLastError();
  switch (error) {
  case cudaErrorMemoryAllocation:
    return gv_fail(context, GV_ERROR_OUT_OF_MEMORY, "%s: the device is out of memory", doing);
  case cudaErrorNoDevice:
  case cudaErrorInsufficientDriver:
  case cudaErrorDevicesUnavailable:
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorUnsupportedPtxVersion:
    return gv_fail(context, GV_ERROR_UNAVAILABLE, "%s: %s", doing, cudaGetErrorString(error));
  default:
    return gv_fail(context, GV_ERROR_DEVICE, "%s: %s", doing, cudaGetErrorString(error));
  }
}

/* -------------------------------------------------------------------------------------------------- lanes */

static void free_host(const gv_allocator *allocator, gv_cuda_buffer *buffer) {
  if (buffer->data != NULL && buffer->ordinary) gv_release(allocator, buffer->data);
  if (buffer->data != NULL && !buffer->ordinary) (void)cudaFreeHost(buffer->data);
  buffer->data = NULL;
  buffer->bytes = 0;
}

static void free_buffers(const gv_allocator *allocator, gv_cuda_queue *queue) {
  for (int i = 0; i < GV_CUDA_SLOTS; i++) {
    if (queue->buffer[i].data != NULL) (void)cudaFree(queue->buffer[i].data);
    queue->buffer[i].data = NULL;
    queue->buffer[i].bytes = 0;
    free_host(allocator, &queue->pinned[i]);
  }
  (void)cudaGetLastError();
}

/* The queue's device must be current. */
static void queue_destroy(const gv_allocator *allocator, gv_cuda_queue *queue) {
  free_buffers(allocator, queue);
  for (int i = 0; i < 2 * GV_CUDA_MARKS; i++) {
    if (queue->mark[i] != NULL) (void)cudaEventDestroy(queue->mark[i]);
  }
  if (queue->stream != NULL) (void)cudaStreamDestroy(queue->stream);
  (void)cudaGetLastError();
  gv_release(allocator, queue);
}

static void resources_destroy(void *opaque) {
  gv_cuda_resources *resources = (gv_cuda_resources *)opaque;
  int previous = -1;
  if (cudaGetDevice(&previous) != cudaSuccess) previous = -1;
  while (resources->idle != NULL) {
    gv_cuda_queue *queue = resources->idle;
    resources->idle = queue->next;
    (void)cudaSetDevice(queue->device);
    queue_destroy(&resources->allocator, queue);
  }
  if (previous >= 0) (void)cudaSetDevice(previous);
  (void)cudaGetLastError();
  (void)pthread_mutex_destroy(&resources->lock);
  gv_allocator allocator = resources->allocator;
  gv_release(&allocator, resources);
}

static gv_cuda_resources *resources_of(gv_context *context) {
  gv_context *owner = context->owner;
  (void)pthread_mutex_lock(&making);
  gv_cuda_resources *resources = (gv_cuda_resources *)owner->kept;
  if (resources == NULL) {
    resources = (gv_cuda_resources *)gv_allocate_zeroed(&owner->allocator, 1, sizeof *resources);
    if (resources != NULL) {
      resources->allocator = owner->allocator;
      (void)pthread_mutex_init(&resources->lock, NULL);
      owner->kept = resources;
      owner->kept_destroy = resources_destroy;
    }
  }
  (void)pthread_mutex_unlock(&making);
  return resources;
}

/* The device of a context if the caller selects none. */
static gv_status choose_device(gv_context *context, int *device) {
  if (*device < 0) *device = context->device;
  if (*device >= 0) {
    gv_device_info info;
    gv_status status = gv_cuda_device_get(context, *device, &info);
    if (status != GV_OK) return status == GV_ERROR_INVALID_ARGUMENT ? GV_ERROR_UNAVAILABLE : status;
    if (!info.usable) {
      return gv_fail(context, GV_ERROR_UNAVAILABLE, "CUDA device %d (%s): %s", *device, info.name,
                     info.reason);
    }
    return GV_OK;
  }
  int count;
  return gv_cuda_usable_devices(context, device, 1, &count);
}

static gv_status queue_create(gv_context *context, const gv_allocator *allocator, int device,
                              gv_cuda_queue **out) {
  struct cudaDeviceProp properties;
  gv_status status = GV_OK;
  gv_cuda_queue *queue = (gv_cuda_queue *)gv_allocate_zeroed(allocator, 1, sizeof *queue);
  if (queue == NULL) return gv_fail_memory(context, "a CUDA stream");
  queue->device = device;
  GV_CUDA_TRY(context, cudaGetDeviceProperties(&properties, device), "querying a CUDA device");
  queue->multiprocessors = properties.multiProcessorCount;
  queue->shared_block_bytes = properties.sharedMemPerBlockOptin;
  queue->memory_bytes = properties.totalGlobalMem;
  queue->l2_bytes = (size_t)properties.l2CacheSize;
  GV_CUDA_TRY(context, cudaStreamCreateWithFlags(&queue->stream, cudaStreamNonBlocking),
              "making a CUDA stream");
  for (int i = 0; i < 2 * GV_CUDA_MARKS; i++) {
    GV_CUDA_TRY(context, cudaEventCreate(&queue->mark[i]), "making a CUDA event");
  }
  *out = queue;
  return GV_OK;

done:
  queue_destroy(allocator, queue);
  return status;
}

extern "C" gv_status gv_cuda_queue_take(gv_context *context, int device, gv_cuda_queue **out) {
  gv_cuda_resources *resources = resources_of(context);
  if (resources == NULL) return gv_fail_memory(context, "CUDA streams");
  int wanted = device >= 0 ? device : context->device, previous = -1;
  if (cudaGetDevice(&previous) != cudaSuccess) previous = -1;
  (void)cudaGetLastError();

  gv_cuda_queue *queue = NULL;
  (void)pthread_mutex_lock(&resources->lock);
  for (gv_cuda_queue **at = &resources->idle; *at != NULL && queue == NULL; at = &(*at)->next) {
    if (wanted >= 0 && (*at)->device != wanted) continue;
    queue = *at;
    *at = queue->next;
    break;
  }
  (void)pthread_mutex_unlock(&resources->lock);

  gv_status status = GV_OK;
  if (queue == NULL) {
    status = choose_device(context, &device);
    if (status != GV_OK) return status;
    status = gv_cuda_result(context, cudaSetDevice(device), "choosing a CUDA device");
    if (status == GV_OK) status = queue_create(context, &resources->allocator, device, &queue);
  } else {
    status = gv_cuda_result(context, cudaSetDevice(queue->device), "choosing a CUDA device");
    if (status != GV_OK) queue_destroy(&resources->allocator, queue);
  }
  if (status != GV_OK) {
    if (previous >= 0) (void)cudaSetDevice(previous);
    (void)cudaGetLastError();
    return status;
  }
  queue->previous_device = previous;
  queue->marks = 0;
  *out = queue;
  return GV_OK;
}

extern "C" void gv_cuda_queue_give(gv_context *context, gv_cuda_queue *queue) {
  if (queue == NULL) return;
  gv_cuda_resources *resources = resources_of(context);
  (void)cudaStreamSynchronize(queue->stream);
  (void)cudaGetLastError();
  if (queue->previous_device >= 0) (void)cudaSetDevice(queue->previous_device);
  (void)pthread_mutex_lock(&resources->lock);
  queue->next = resources->idle;
  resources->idle = queue;
  (void)pthread_mutex_unlock(&resources->lock);
}

/* ------------------------------------------------------------------------------------------------- memory */

/* Frees what idle queues hold on the current device. */
static void trim(gv_context *context, int device) {
  gv_cuda_resources *resources = resources_of(context);
  if (resources == NULL) return;
  (void)pthread_mutex_lock(&resources->lock);
  for (gv_cuda_queue *queue = resources->idle; queue != NULL; queue = queue->next) {
    if (queue->device == device) free_buffers(&resources->allocator, queue);
  }
  (void)pthread_mutex_unlock(&resources->lock);
}

extern "C" gv_status gv_cuda_allocate(gv_context *context, size_t bytes, void **out) {
  *out = NULL;
  cudaError_t error = cudaMalloc(out, rounded(bytes > 0 ? bytes : 1));
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    int device = 0;
    if (cudaGetDevice(&device) == cudaSuccess) trim(context, device);
    error = cudaMalloc(out, rounded(bytes > 0 ? bytes : 1));
  }
  if (error != cudaSuccess) *out = NULL;
  return gv_cuda_result(context, error, "allocating device memory");
}

extern "C" void gv_cuda_release(int device, void *memory) {
  if (memory == NULL) return;
  int previous = -1;
  if (cudaGetDevice(&previous) != cudaSuccess) previous = -1;
  if (previous != device) (void)cudaSetDevice(device);
  (void)cudaFree(memory);
  if (previous >= 0 && previous != device) (void)cudaSetDevice(previous);
  (void)cudaGetLastError();
}

extern "C" gv_status gv_cuda_reserve(gv_context *context, gv_cuda_queue *queue, int slot, size_t bytes,
                                     void **out) {
  gv_cuda_buffer *buffer = &queue->buffer[slot];
  if (buffer->data == NULL || buffer->bytes < bytes) {
    GV_TRY(gv_cuda_result(context, cudaStreamSynchronize(queue->stream), "waiting for the device"));
    if (buffer->data != NULL) (void)cudaFree(buffer->data);
    buffer->bytes = 0;
    GV_TRY(gv_cuda_allocate(context, bytes, &buffer->data));
    buffer->bytes = rounded(bytes > 0 ? bytes : 1);
  }
  *out = buffer->data;
  return GV_OK;
}

extern "C" gv_status gv_cuda_reserve_pinned(gv_context *context, gv_cuda_queue *queue, int slot, size_t bytes,
                                            void **out) {
  gv_cuda_buffer *buffer = &queue->pinned[slot];
  gv_status status = GV_OK;
  if (buffer->data == NULL || buffer->bytes < bytes) {
    GV_TRY(gv_cuda_result(context, cudaStreamSynchronize(queue->stream), "waiting for the device"));
    const gv_allocator *allocator = &context->owner->allocator;
    size_t wanted = rounded(bytes > 0 ? bytes : 1);
    free_host(allocator, buffer);
    void *data = NULL;
    cudaError_t error = cudaHostAlloc(&data, wanted, cudaHostAllocDefault);
    buffer->ordinary = error == cudaErrorMemoryAllocation;
    if (buffer->ordinary) {
      (void)cudaGetLastError();
      data = gv_allocate(allocator, 1, wanted);
      if (data == NULL) return gv_fail_memory(context, "the device's buffers");
    } else {
      status = gv_cuda_result(context, error, "allocating page-locked memory");
      if (status != GV_OK) return status;
    }
    buffer->data = data;
    buffer->bytes = wanted;
  }
  *out = buffer->data;
  return GV_OK;
}

extern "C" gv_status gv_cuda_free_bytes(gv_context *context, const gv_cuda_queue *queue, size_t *out) {
  size_t free_bytes = 0, total = 0;
  GV_TRY(gv_cuda_result(context, cudaMemGetInfo(&free_bytes, &total), "querying free device memory"));
  gv_cuda_resources *resources = resources_of(context);
  if (resources == NULL) return gv_fail_memory(context, "CUDA streams");
  (void)pthread_mutex_lock(&resources->lock);
  for (const gv_cuda_queue *idle = resources->idle; idle != NULL; idle = idle->next) {
    for (int i = 0; i < GV_CUDA_SLOTS && idle->device == queue->device; i++)
      free_bytes += idle->buffer[i].bytes;
  }
  (void)pthread_mutex_unlock(&resources->lock);
  *out = free_bytes;
  return GV_OK;
}

/* --------------------------------------------------------------------------------------------------- time */

extern "C" void gv_cuda_mark_begin(gv_cuda_queue *queue) {
  if (queue->marks < GV_CUDA_MARKS) (void)cudaEventRecord(queue->mark[2 * queue->marks], queue->stream);
}

extern "C" void gv_cuda_mark_end(gv_cuda_queue *queue) {
  if (queue->marks < GV_CUDA_MARKS) (void)cudaEventRecord(queue->mark[2 * queue->marks + 1], queue->stream);
  if (queue->marks < GV_CUDA_MARKS) queue->marks++;
}

extern "C" gv_status gv_cuda_wait(gv_context *context, gv_cuda_queue *queue, const char *doing) {
  gv_status status = gv_cuda_result(context, cudaStreamSynchronize(queue->stream), doing);
  double seconds = 0.0;
  for (int i = 0; status == GV_OK && i < queue->marks; i++) {
    float milliseconds = 0.0F;
    if (cudaEventElapsedTime(&milliseconds, queue->mark[2 * i], queue->mark[2 * i + 1]) == cudaSuccess) {
      seconds += 1e-3 * (double)milliseconds;
    }
  }
  queue->marks = 0;
  (void)cudaGetLastError();
  if (seconds > 0.0) {
    gv_cuda_resources *resources = resources_of(context);
    if (resources == NULL) return gv_fail_memory(context, "CUDA streams");
    (void)pthread_mutex_lock(&resources->lock);
    context->owner->device_seconds += seconds;
    (void)pthread_mutex_unlock(&resources->lock);
  }
  return status;
}

extern "C" gv_status gv_cuda_fill_seconds(gv_context *context, size_t bytes, double *seconds) {
  enum { TIMES = 7 };
  gv_cuda_queue *queue = NULL;
  void *memory = NULL;
  double time[TIMES];
  gv_status status = gv_cuda_queue_take(context, -1, &queue);
  if (status != GV_OK) return status;
  status = gv_cuda_allocate(context, bytes, &memory);
  if (status != GV_OK) goto done;
  for (int i = -1; i < TIMES; i++) {
    float milliseconds = 0.0F;
    GV_CUDA_TRY(context, cudaEventRecord(queue->mark[0], queue->stream), "timing the device");
    GV_CUDA_TRY(context, cudaMemsetAsync(memory, i + 2, bytes, queue->stream), "filling device memory");
    GV_CUDA_TRY(context, cudaEventRecord(queue->mark[1], queue->stream), "timing the device");
    GV_CUDA_TRY(context, cudaStreamSynchronize(queue->stream), "filling device memory");
    GV_CUDA_TRY(context, cudaEventElapsedTime(&milliseconds, queue->mark[0], queue->mark[1]),
                "timing the device");
    if (i < 0) continue;
    int at = i;
    for (; at > 0 && time[at - 1] > 1e-3 * (double)milliseconds; at--)
      time[at] = time[at - 1];
    time[at] = 1e-3 * (double)milliseconds;
  }
  *seconds = time[TIMES / 2];
done:
  gv_cuda_release(queue->device, memory);
  gv_cuda_queue_give(context, queue);
  return status;
}
