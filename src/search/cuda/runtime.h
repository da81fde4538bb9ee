/*
 * Runtime of all CUDA files: queues (a CUDA stream with its buffers on one device, kept by the context and
 * reused), memory that belongs to an index, errors as statuses, device time.
 *
 * Rules. A thread that works on a device holds a queue: the queue's device is then current, and the previous
 * device is current again after the queue is released. Errors are cleared where they occur (gv_cuda_result),
 * so that none remains for the caller's own use of the CUDA runtime; no device is ever reset, no managed
 * memory is used. Kernel launches are checked by GV_CUDA_LAUNCHED. Exceptions of CUB, Thrust and the like are
 * stopped before they leave the .cu file.
 */
#ifndef GV_CUDA_RUNTIME_H
#define GV_CUDA_RUNTIME_H

#include "search/cuda_module.h"

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library's gv_copy. */
extern gv_copy_fn *gv_cuda_copy;

enum { GV_CUDA_SLOTS = 32, GV_CUDA_MARKS = 32 };

typedef struct gv_cuda_buffer {
  void *data;
  size_t bytes;
  bool ordinary; /* host memory that could not be page-locked */
} gv_cuda_buffer;

/* A CUDA stream with its buffers on one device, used by one thread at a time. */
typedef struct gv_cuda_queue {
  struct gv_cuda_queue *next;
  int device;
  int previous_device; /* device that was current before the queue was taken */
  cudaStream_t stream;
  int multiprocessors;
  size_t shared_block_bytes; /* shared memory a block can opt in to */
  size_t memory_bytes, l2_bytes;
  gv_cuda_buffer buffer[GV_CUDA_SLOTS], pinned[GV_CUDA_SLOTS];
  cudaEvent_t mark[2 * GV_CUDA_MARKS]; /* begin and end of stretches of device time */
  int marks;
} gv_cuda_queue;

/*
 * A queue on `device` (-1: the context's own choice, else the first usable device). It belongs to the calling
 * thread until it is released. Errors: UNAVAILABLE (no such device, not usable), OUT_OF_MEMORY, DEVICE.
 */
gv_status gv_cuda_queue_take(gv_context *context, int device, gv_cuda_queue **out);

/* Waits for the queue's stream, keeps its buffers for the next user and makes the previous device current
 * again. */
void gv_cuda_queue_give(gv_context *context, gv_cuda_queue *queue);

/*
 * Device memory of at least `bytes` in `slot` of the queue; it grows when needed (its contents are then lost)
 * and stays with the queue. Rounded up to whole 512 bytes, so vector loads may read past the requested end up
 * to there. Errors: OUT_OF_MEMORY (after the memory of the context's idle queues on the device was freed),
 * DEVICE.
 */
gv_status gv_cuda_reserve(gv_context *context, gv_cuda_queue *queue, int slot, size_t bytes, void **out);

/* The same for host memory: page-locked, or ordinary memory if no more can be locked (copies are then
 * slower). */
gv_status gv_cuda_reserve_pinned(gv_context *context, gv_cuda_queue *queue, int slot, size_t bytes,
                                 void **out);

/* Bytes that can still be reserved on the queue's device, with what its idle queues hold; an estimate. */
gv_status gv_cuda_free_bytes(gv_context *context, const gv_cuda_queue *queue, size_t *out);

/* Memory of an index: on the current device, lives until gv_cuda_release (any thread, any current device). */
gv_status gv_cuda_allocate(gv_context *context, size_t bytes, void **out);
void gv_cuda_release(int device, void *memory);

/* Converts the result of a CUDA call to a status with a message ("doing: CUDA's error text") and clears the
 * CUDA runtime's last error. */
gv_status gv_cuda_result(gv_context *context, cudaError_t error, const char *doing);

/* Waits for the queue's stream; also adds the device time of the stretches marked since to the context
 * (gv_context_device_seconds). */
gv_status gv_cuda_wait(gv_context *context, gv_cuda_queue *queue, const char *doing);

/* Begin and end of a stretch of device time on the queue's stream (kernels without copies). More than
 * GV_CUDA_MARKS stretches between two waits are not counted. */
void gv_cuda_mark_begin(gv_cuda_queue *queue);
void gv_cuda_mark_end(gv_cuda_queue *queue);

/*
 * Large copies between the host's memory and a device (transfer.cu). Use the last two page-locked slots of
 * the queue.
 */
enum { GV_CUDA_SLOT_TRANSFER = GV_CUDA_SLOTS - 2 };

/* Copies `bytes` to the device, ordered on the queue's stream. `from` must stay until the stream has been
 * waited for. */
gv_status gv_cuda_upload(gv_context *context, gv_cuda_queue *queue, void *to, const void *from, size_t bytes,
                         const char *doing);

/* The same of what `fill` puts into the queue's buffers, in pieces of whole units. */
gv_status gv_cuda_stream(gv_context *context, gv_cuda_queue *queue, void *to, size_t bytes, size_t unit,
                         gv_fill_fn *fill, void *user, const char *doing);

/* The device that owns this memory; -1: memory of the host, managed memory, or unknown to CUDA. */
int gv_cuda_device_of(const void *memory);

/* Copies `bytes` from the device, after the previous work of the queue's stream. Done when this returns. */
gv_status gv_cuda_download(gv_context *context, gv_cuda_queue *queue, void *to, const void *from,
                           size_t bytes, const char *doing);

/* See search/device_times.h. */
gv_status gv_cuda_fill_seconds(gv_context *context, size_t bytes, double *seconds);

#ifdef __cplusplus
}
#endif

/* For functions with a `gv_status status` and a label `done` for cleaning up. */
#define GV_CUDA_TRY(context, call, doing)                                                                    \
  do {                                                                                                       \
    status = gv_cuda_result((context), (call), (doing));                                                     \
    if (status != GV_OK) goto done;                                                                          \
  } while (0)
#define GV_CUDA_LAUNCHED(context, doing) GV_CUDA_TRY(context, cudaPeekAtLastError(), doing)

#endif
