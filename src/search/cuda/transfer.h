/*
 * Large copies between the caller's memory and a device, faster than CUDA does them by itself: the caller's memory is
 * pageable, so CUDA would copy it through its own small page-locked buffer with one thread. Here the context's threads copy
 * pieces to or from the lane's page-locked buffers while the piece before is on the bus.
 */
#ifndef GV_CUDA_TRANSFER_H
#define GV_CUDA_TRANSFER_H

#include "search/cuda/runtime.h"
#include "search/cuda_module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Uses the last two page-locked slots of the lane. */
enum { GV_CUDA_SLOT_TRANSFER = GV_CUDA_SLOTS - 2 };

/* Copies `bytes` to the device, ordered on the lane's stream. `from` must stay until the
 * stream has been waited for. */
gv_status gv_cuda_upload(gv_context *context, gv_cuda_lane *lane, void *to, const void *from, size_t bytes,
                         const char *doing);

/* The same of what `fill` puts into the lane's buffers, in pieces of whole units. */
gv_status gv_cuda_stream(gv_context *context, gv_cuda_lane *lane, void *to, size_t bytes, size_t unit,
                         gv_fill_fn *fill, void *user, const char *doing);

/* Copies `bytes` from the device after what the lane's stream was given before. Done when this returns. */
gv_status gv_cuda_download(gv_context *context, gv_cuda_lane *lane, void *to, const void *from, size_t bytes,
                           const char *doing);

#ifdef __cplusplus
}
#endif

#endif
