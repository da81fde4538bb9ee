/* Times of CUDA devices, for the benchmark program and the tests. Not part of the public interface. */
#ifndef GV_DEVICE_TIMES_H
#define GV_DEVICE_TIMES_H

#include "core/shared.h"
#include "gpuvoronoi/gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds that calls made with this context have spent in kernels on CUDA devices, without copies, measured
 * by events and added over streams and devices. 0 without CUDA. */
GV_SHARED double gv_context_device_seconds(const gv_context *context);

/* How long the context's device takes to set `bytes` of its own memory, in seconds, by events, the median of
 * a few times: a lower bound for any kernel that writes as much. Errors: INVALID_ARGUMENT, UNAVAILABLE,
 * OUT_OF_MEMORY, DEVICE. */
GV_SHARED gv_status gv_device_fill_seconds(gv_context *context, int64_t bytes, double *seconds);

#ifdef __cplusplus
}
#endif

#endif
