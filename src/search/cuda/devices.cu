/*
 * Devices of the CUDA runtime.
 *
 * A GPU can be unavailable for several reasons with different remedies, and the runtime reports most of them
 * as "insufficient driver". So the driver's version is queried first (0: no driver). Whether the kernels of
 * this build run on a device is tested with one of them: the runtime then loads the machine code or compiles
 * the PTX, or returns an error. cudaGetLastError clears such errors.
 */
#include "search/cuda/devices.h"

#include <atomic>
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Stands for all kernels of the library: they are compiled for the same architectures. */
static __global__ void architecture_probe(int *out) {
  if (out != NULL) *out = 1;
}

static void forget_error(void) {
  (void)cudaGetLastError();
}

/* CUDA's 1000 * major + 10 * minor. */
static int version_major(int version) {
  return version / 1000;
}
static int version_minor(int version) {
  return version % 1000 / 10;
}

extern "C" gv_status gv_cuda_device_count(gv_context *context, int *count) {
  *count = 0;
  int driver = 0, runtime = 0, found = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  (void)cudaRuntimeGetVersion(&runtime);
  forget_error();
  if (driver == 0) {
    return gv_fail(context, GV_ERROR_UNAVAILABLE, "no NVIDIA driver is installed on this machine");
  }
  cudaError_t error = cudaGetDeviceCount(&found);
  forget_error();
  if (error == cudaSuccess && found > 0) {
    *count = found;
    return GV_OK;
  }
  if (error == cudaSuccess || error == cudaErrorNoDevice) {
    return gv_fail(context, GV_ERROR_UNAVAILABLE,
                   "no CUDA device found (is one hidden by CUDA_VISIBLE_DEVICES?)");
  }
  if (error == cudaErrorInsufficientDriver) {
    return gv_fail(context, GV_ERROR_UNAVAILABLE,
                   "the NVIDIA driver is too old: it supports CUDA %d.%d, this build needs %d.%d",
                   version_major(driver), version_minor(driver), version_major(runtime),
                   version_minor(runtime));
  }
  return gv_fail(context, GV_ERROR_UNAVAILABLE, "CUDA cannot start: %s", cudaGetErrorString(error));
}

/* Fills usable and reason; the device is the current one. */
static void examine_current(gv_device_info *info) {
  struct cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)architecture_probe);
  forget_error();
  size_t free_bytes = 0, total_bytes = 0;
  switch (error) {
  case cudaSuccess:
    error = cudaMemGetInfo(&free_bytes, &total_bytes);
    forget_error();
    if (error != cudaSuccess) {
      snprintf(info->reason, sizeof info->reason, "%s", cudaGetErrorString(error));
      return;
    }
    info->free_memory_bytes = (int64_t)free_bytes;
    info->usable = 1;
    return;
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorInvalidDeviceFunction:
  case cudaErrorUnsupportedPtxVersion:
    snprintf(info->reason, sizeof info->reason,
             "this build has no code for compute capability %d.%d (it has %s); see CMAKE_CUDA_ARCHITECTURES",
             info->compute_major, info->compute_minor, GPUVORONOI_CUDA_ARCHITECTURES);
    return;
  case cudaErrorDevicesUnavailable:
    snprintf(info->reason, sizeof info->reason,
             "busy: in use by another process in exclusive mode, or prohibited");
    return;
  default:
    snprintf(info->reason, sizeof info->reason, "%s", cudaGetErrorString(error));
    return;
  }
}

extern "C" gv_status gv_cuda_device_get(gv_context *context, int number, gv_device_info *out) {
  int count = 0;
  GV_TRY(gv_cuda_device_count(context, &count));
  if (number < 0 || number >= count) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "no CUDA device %d: there %s %d, numbered from 0",
                   number, count == 1 ? "is" : "are", count);
  }
  struct cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, number);
  if (error != cudaSuccess) {
    forget_error();
    return gv_fail(context, GV_ERROR_DEVICE, "CUDA device %d: %s", number, cudaGetErrorString(error));
  }
  gv_device_info info;
  memset(&info, 0, sizeof info);
  snprintf(info.name, sizeof info.name, "%s", properties.name);
  snprintf(info.pci, sizeof info.pci, "%04x:%02x:%02x.0", (unsigned)properties.pciDomainID,
           (unsigned)properties.pciBusID, (unsigned)properties.pciDeviceID);
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_bytes = (int64_t)properties.totalGlobalMem;
  info.l2_bytes = properties.l2CacheSize;
  info.shared_block_bytes = (int64_t)properties.sharedMemPerBlockOptin;
  int kilohertz = 0;
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, number) == cudaSuccess) {
    info.clock_mhz = kilohertz / 1000;
  }

  int current = 0;
  error = cudaGetDevice(&current);
  if (error == cudaSuccess) {
    error = cudaSetDevice(number);
    forget_error();
    if (error == cudaSuccess) {
      examine_current(&info);
    } else {
      snprintf(info.reason, sizeof info.reason, "%s", cudaGetErrorString(error));
    }
    (void)cudaSetDevice(current);
  } else {
    snprintf(info.reason, sizeof info.reason, "%s", cudaGetErrorString(error));
  }
  forget_error();
  *out = info;
  return GV_OK;
}

/* A device that is out of order does not make the others unusable. */
extern "C" gv_status gv_cuda_usable_devices(gv_context *context, int *devices, int capacity, int *count) {
  int present = 0, found = 0;
  gv_status status = gv_cuda_device_count(context, &present);
  *count = 0;
  if (status != GV_OK) return status;
  gv_device_info info;
  char reason[sizeof info.reason] = "";
  for (int i = 0; i < present && found < capacity; i++) {
    gv_context quiet;
    gv_context_for_worker(context, &quiet);
    status = gv_cuda_device_get(&quiet, i, &info);
    if (status == GV_OK && info.usable) {
      devices[found++] = i;
    } else {
      snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1,
               status == GV_OK ? info.reason : quiet.message);
    }
  }
  if (found == 0) return gv_fail(context, GV_ERROR_UNAVAILABLE, "no usable CUDA device: %s", reason);
  *count = found;
  return GV_OK;
}

/* -------------------------------------------------------------------------------------------------- probe */

static pthread_once_t probe_once = PTHREAD_ONCE_INIT;
static gv_status probe_status;
static char probe_reason[256];
static std::atomic<bool> started(false);

static void probe_devices(void) {
  int device, count;
  gv_context quiet;
  memset(&quiet, 0, sizeof quiet);
  bool found = gv_cuda_usable_devices(&quiet, &device, 1, &count) == GV_OK;
  probe_status = found ? GV_OK : GV_ERROR_UNAVAILABLE;
  snprintf(probe_reason, sizeof probe_reason, "%.*s", (int)sizeof probe_reason - 1, quiet.message);
  started = found;
}

extern "C" gv_status gv_cuda_probe_device(const char **reason) {
  (void)pthread_once(&probe_once, probe_devices);
  *reason = probe_reason;
  return probe_status;
}

extern "C" bool gv_cuda_device_started(void) {
  return started;
}
