/*
 * Large copies between pageable host memory and a device, faster than cudaMemcpy, which copies through its
 * own small page-locked buffer with one thread. Here the context's threads copy pieces to or from two
 * page-locked buffers of the queue in turn, while the previous piece is transferred.
 */
#include "search/cuda/runtime.h"

enum { BUFFERS = 2 };

static const size_t piece_bytes = (size_t)16 << 20, direct_bytes = (size_t)1 << 20;

typedef struct ring {
  char *buffer[BUFFERS];
  cudaEvent_t free[BUFFERS]; /* the bus has done with the buffer */
} ring;

static gv_status ring_make(gv_context *context, gv_cuda_queue *queue, size_t bytes, ring *r) {
  gv_status status = GV_OK;
  if (bytes > piece_bytes) bytes = piece_bytes;
  for (int i = 0; i < BUFFERS && status == GV_OK; i++) {
    status = gv_cuda_reserve_pinned(context, queue, GV_CUDA_SLOT_TRANSFER + i, bytes, (void **)&r->buffer[i]);
    if (status == GV_OK) {
      status = gv_cuda_result(context, cudaEventCreateWithFlags(&r->free[i], cudaEventDisableTiming),
                              "making a CUDA event");
    }
  }
  return status;
}

static void ring_destroy(ring *r) {
  for (int i = 0; i < BUFFERS; i++) {
    if (r->free[i] == NULL) continue;
    (void)cudaEventSynchronize(r->free[i]);
    (void)cudaEventDestroy(r->free[i]);
  }
  (void)cudaGetLastError();
}

static size_t piece_of(size_t bytes, size_t at) {
  return bytes - at < piece_bytes ? bytes - at : piece_bytes;
}

static gv_status copy_from(gv_context *context, void *from, size_t at, size_t bytes, void *out) {
  gv_cuda_copy(out, (const char *)from + at, bytes, context->threads);
  return GV_OK;
}

/* Whether memory is of this type; its device. */
static bool is_memory(const void *memory, cudaMemoryType type, int *device) {
  cudaPointerAttributes attributes;
  bool found = cudaPointerGetAttributes(&attributes, memory) == cudaSuccess;
  (void)cudaGetLastError();
  *device = found ? attributes.device : -1;
  return found && attributes.type == type;
}

int gv_cuda_device_of(const void *memory) {
  int device;
  return is_memory(memory, cudaMemoryTypeDevice, &device) ? device : -1;
}

gv_status gv_cuda_stream(gv_context *context, gv_cuda_queue *queue, void *to, size_t bytes, size_t unit,
                         gv_fill_fn *fill, void *user, const char *doing) {
  gv_status status = GV_OK;
  ring r = {};
  status = ring_make(context, queue, bytes, &r);
  int turn = 0;
  const size_t piece = piece_bytes / unit * unit;
  for (size_t at = 0; at < bytes && status == GV_OK; at += piece, turn = 1 - turn) {
    size_t size = bytes - at < piece ? bytes - at : piece;
    GV_CUDA_TRY(context, cudaEventSynchronize(r.free[turn]), doing);
    status = fill(context, user, at, size, r.buffer[turn]);
    if (status != GV_OK) break;
    GV_CUDA_TRY(context,
                cudaMemcpyAsync((char *)to + at, r.buffer[turn], size, cudaMemcpyHostToDevice, queue->stream),
                doing);
    GV_CUDA_TRY(context, cudaEventRecord(r.free[turn], queue->stream), doing);
  }

done:
  ring_destroy(&r);
  return status;
}

gv_status gv_cuda_upload(gv_context *context, gv_cuda_queue *queue, void *to, const void *from, size_t bytes,
                         const char *doing) {
  int device;
  if (bytes <= direct_bytes || gv_cuda_device_of(from) >= 0 || is_memory(from, cudaMemoryTypeHost, &device)) {
    return gv_cuda_result(context, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue->stream), doing);
  }
  return gv_cuda_stream(context, queue, to, bytes, 1, copy_from, (void *)from, doing);
}

gv_status gv_cuda_download(gv_context *context, gv_cuda_queue *queue, void *to, const void *from,
                           size_t bytes, const char *doing) {
  gv_status status = GV_OK;
  if (bytes <= direct_bytes || gv_cuda_device_of(to) >= 0) {
    status =
        gv_cuda_result(context, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, queue->stream), doing);
    return status != GV_OK ? status : gv_cuda_result(context, cudaStreamSynchronize(queue->stream), doing);
  }
  ring r = {};
  status = ring_make(context, queue, bytes, &r);
  /* Each step sends for the next piece and empties the buffer of the one before. */
  for (size_t at = 0; at < bytes + piece_bytes && status == GV_OK; at += piece_bytes) {
    int turn = (int)(at / piece_bytes % BUFFERS), other = 1 - turn;
    if (at < bytes) {
      GV_CUDA_TRY(context,
                  cudaMemcpyAsync(r.buffer[turn], (const char *)from + at, piece_of(bytes, at),
                                  cudaMemcpyDeviceToHost, queue->stream),
                  doing);
      GV_CUDA_TRY(context, cudaEventRecord(r.free[turn], queue->stream), doing);
    }
    if (at > 0) {
      size_t before = at - piece_bytes;
      GV_CUDA_TRY(context, cudaEventSynchronize(r.free[other]), doing);
      gv_cuda_copy((char *)to + before, r.buffer[other], piece_of(bytes, before), context->threads);
    }
  }

done:
  ring_destroy(&r);
  return status;
}
