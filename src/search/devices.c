/* The public view of the GPUs, with or without CUDA in the build. */
#include "core/core.h"

#ifdef GPUVORONOI_WITH_CUDA

#include "search/cuda/devices.h"
#include "search/cuda/runtime.h"

gv_status gv_device_count(gv_context *context, int *count) {
  if (count == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no place for the number of devices");
  char text[256] = "";
  gv_status status = gv_cuda_device_count(count, text, sizeof text);
  return status == GV_OK ? GV_OK : gv_fail(context, status, "%s", text);
}

gv_status gv_device_get(gv_context *context, int number, gv_device_info *out) {
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no place for the device's description");
  char text[256] = "";
  gv_status status = gv_cuda_device_get(number, out, text, sizeof text);
  return status == GV_OK ? GV_OK : gv_fail(context, status, "%s", text);
}

gv_status gv_device_fill_seconds(gv_context *context, int64_t bytes, double *seconds) {
  if (seconds == NULL || bytes < 1) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "nothing to fill");
  return gv_cuda_fill_seconds(context, (size_t)bytes, seconds);
}

#else

gv_status gv_device_count(gv_context *context, int *count) {
  if (count == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no place for the number of devices");
  *count = 0;
  return gv_fail(context, GV_ERROR_UNAVAILABLE, "built without CUDA");
}

gv_status gv_device_get(gv_context *context, int number, gv_device_info *out) {
  (void)number;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no place for the device's description");
  return gv_fail(context, GV_ERROR_UNAVAILABLE, "built without CUDA");
}

gv_status gv_device_fill_seconds(gv_context *context, int64_t bytes, double *seconds) {
  (void)bytes;
  if (seconds == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "nothing to fill");
  return gv_fail(context, GV_ERROR_UNAVAILABLE, "built without CUDA");
}

#endif
