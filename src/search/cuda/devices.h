/*
 * Which GPUs there are and whether this build's kernels run on them. Nothing here resets a device or leaves
 * an error behind in the CUDA runtime.
 */
#ifndef GV_CUDA_DEVICES_H
#define GV_CUDA_DEVICES_H

#include "search/cuda_module.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that the module offers under these names. */
gv_status gv_cuda_device_count(gv_context *context, int *count);
gv_status gv_cuda_device_get(gv_context *context, int number, gv_device_info *out);
gv_status gv_cuda_usable_devices(gv_context *context, int *devices, int capacity, int *count);
gv_status gv_cuda_probe_device(const char **reason);
bool gv_cuda_device_started(void);

#ifdef __cplusplus
}
#endif

#endif
