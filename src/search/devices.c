/* The public view of the GPUs. */
#include "core/given.h"
#include "search/cuda_module.h"
#include "search/device_times.h"

/* Without a module there are no devices. */
static const gv_cuda_module *module(gv_context *context) {
  const char *reason = "";
  const gv_cuda_module *cuda = gv_cuda_module_get(&reason);
  if (cuda == NULL) (void)gv_fail(context, GV_ERROR_UNAVAILABLE, "%s", reason);
  return cuda;
}

gv_status gv_device_count(gv_context *context, int *count) {
  if (count == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of devices: the output pointer is NULL");
  *count = 0;
  const gv_cuda_module *cuda = module(context);
  return cuda != NULL ? cuda->device_count(context, count) : GV_ERROR_UNAVAILABLE;
}

gv_status gv_device_get(gv_context *context, int number, gv_device_info *out) {
  if (out == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "description of the device: the output pointer is NULL");
  const gv_cuda_module *cuda = module(context);
  if (cuda == NULL) return GV_ERROR_UNAVAILABLE;
  gv_device_info info;
  gv_device_info_init(&info);
  GV_TRY(cuda->device_get(context, number, &info));
  if (gv_fill_given(out, &info, sizeof info)) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "gv_device_info: struct_size is not set; call gv_device_info_init");
}

double gv_context_device_seconds(const gv_context *context) {
  return context != NULL ? context->device_seconds : 0.0;
}

gv_status gv_device_fill_seconds(gv_context *context, int64_t bytes, double *seconds) {
  if (seconds == NULL || bytes < 1)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "output: the pointer is NULL");
  const gv_cuda_module *cuda = module(context);
  return cuda != NULL ? cuda->device_fill_seconds(context, (size_t)bytes, seconds) : GV_ERROR_UNAVAILABLE;
}
