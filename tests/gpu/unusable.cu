/*
 * Machines with some unusable GPUs, without a GPU: CUDA's device queries are replaced, and the library's
 * source that calls them is compiled in here.
 */
#include <cuda_runtime.h>

#include <string.h>

/* The machine, by device: whether its properties can be read, it can be selected, and kernels run. */
static struct {
  int count, current;
  bool known[4], open[4], runs[4];
} machine;

static cudaError_t pretend_count(int *count) {
  *count = machine.count;
  return machine.count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

static cudaError_t pretend_properties(cudaDeviceProp *properties, int device) {
  memset(properties, 0, sizeof *properties);
  return machine.known[device] ? cudaSuccess : cudaErrorUnknown;
}

static cudaError_t pretend_choose(int device) {
  if (!machine.open[device]) return cudaErrorDevicesUnavailable;
  machine.current = device;
  return cudaSuccess;
}

static cudaError_t pretend_current(int *device) {
  *device = machine.current;
  return cudaSuccess;
}

static cudaError_t pretend_attributes(cudaFuncAttributes *, const void *) {
  return machine.runs[machine.current] ? cudaSuccess : cudaErrorNoKernelImageForDevice;
}

static cudaError_t pretend_attribute(int *value, cudaDeviceAttr, int) {
  *value = 0;
  return cudaSuccess;
}

static cudaError_t pretend_memory(size_t *free_bytes, size_t *total) {
  *free_bytes = *total = 1;
  return cudaSuccess;
}

static cudaError_t pretend_version(int *version) {
  *version = 13000;
  return cudaSuccess;
}

#undef cudaGetDeviceProperties
#define cudaGetDeviceCount      pretend_count
#define cudaGetDeviceProperties pretend_properties
#define cudaSetDevice           pretend_choose
#define cudaGetDevice           pretend_current
#define cudaFuncGetAttributes   pretend_attributes
#define cudaDeviceGetAttribute  pretend_attribute
#define cudaMemGetInfo          pretend_memory
#define cudaDriverGetVersion    pretend_version
#include "search/cuda/devices.cu"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>
}

static void check(gv_context *context, int expected) {
  int device = -1, count = 0;
  gv_status status = gv_cuda_usable_devices(context, &device, 1, &count);
  assert_int_equal(status, expected >= 0 ? GV_OK : GV_ERROR_UNAVAILABLE);
  if (expected >= 0) assert_int_equal(device, expected);
  /* As in a process of its own. */
  const char *reason = NULL;
  probe_once = PTHREAD_ONCE_INIT;
  assert_int_equal(gv_cuda_probe_device(&reason), status);
  assert_true((*reason == '\0') == (expected >= 0));
  assert_true(gv_cuda_device_started() == (expected >= 0));
}

static void the_first_that_can_be_used(void **) {
  gv_context *context = NULL;
  assert_int_equal(gv_context_create(NULL, &context), GV_OK);
  for (int bad = 0; bad < 8; bad++) {
    memset(&machine, 0, sizeof machine);
    machine.count = 3;
    /* Each of the three has something else that is wrong, or nothing. */
    for (int i = 0; i < 3; i++) {
      bool fails = (bad >> i & 1) != 0;
      machine.known[i] = !fails || i != 0;
      machine.open[i] = !fails || i != 1;
      machine.runs[i] = !fails || i != 2;
    }
    check(context, (bad & 1) == 0 ? 0 : (bad & 2) == 0 ? 1 : (bad & 4) == 0 ? 2 : -1);
  }
  machine.count = 0;
  check(context, -1);
  gv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_that_can_be_used)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
