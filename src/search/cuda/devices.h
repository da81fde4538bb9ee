/*
 * Which GPUs there are and whether this build's kernels run on them. Nothing here resets a device or leaves an
 * error behind in the CUDA runtime.
 */
#ifndef GV_CUDA_DEVICES_H
#define GV_CUDA_DEVICES_H

#include <stdbool.h>

#include "gpuvoronoi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* gv_device_count and gv_device_get with the message in `text` (of `size` bytes) instead of a context. */
gv_status gv_cuda_device_count(int *count, char *text, size_t size);
gv_status gv_cuda_device_get(int number, gv_device_info *out, char *text, size_t size);

/* The probe of every CUDA backend: can device 0 run this build's kernels? GV_OK, or GV_ERROR_UNAVAILABLE and a text
 * that lives as long as the process. Asked once a process; thread safe. */
gv_status gv_cuda_probe(const char **reason);

/* Is there a driver at all? Starts nothing. */
bool gv_cuda_has_driver(void);

/* Has it been asked, and was the answer yes? Starts nothing. */
bool gv_cuda_started(void);

#ifdef __cplusplus
}
#endif

#endif
