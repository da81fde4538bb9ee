/*
 * CUDA as a module. All code that needs CUDA's libraries is in libgpuvoronoi_cuda.so. The library loads it at
 * the first use of a GPU. Without it the library works, and functions that need a GPU report the reason.
 *
 * The module is searched in the library's folder, in the folder gpuvoronoi there, then by the dynamic linker.
 * It must be of the library's own version and build: both sides share the library's internal types.
 */
#ifndef GV_CUDA_MODULE_H
#define GV_CUDA_MODULE_H

#include "search/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gv_raster_device;     /* voronoi/gpu/raster.h */
struct gv_measure_device;    /* voronoi/gpu/distances.h */
struct gv_statistics_device; /* statistics/device_sums.h */
struct gv_cost_device;       /* cost/device.h */
struct gv_device_radius;     /* search/device_radius.h */
struct gv_edges_device;      /* features/device_edges.h */

/* Bytes [at, at + bytes) of something, to `out`. */
typedef gv_status gv_fill_fn(gv_context *context, void *user, size_t at, size_t bytes, void *out);

/* Arrays on devices, callers' and the library's (search/arrays.h). */
typedef struct gv_array_device {
  /* The device that the arrays lie on (NULL: no array). Waits for the caller's stream and takes a queue
   * there. Errors: INVALID_ARGUMENT, UNAVAILABLE, OUT_OF_MEMORY, DEVICE. */
  gv_status (*begin)(gv_context *context, const void *const *array, int count, void *stream, void **queue,
                     int *device);
  /* The same for the library's own arrays, on device `wanted` (-1: the context's choice). */
  gv_status (*open)(gv_context *context, int wanted, void **queue, int *device);
  void (*end)(gv_context *context, void *queue);
  /* Memory that belongs to the queue; memory that must be released. */
  gv_status (*scratch)(gv_context *context, void *queue, int slot, size_t bytes, void **out);
  gv_status (*allocate)(gv_context *context, void *queue, size_t bytes, void **out);
  void (*release)(int device, void *memory);
  gv_status (*widen)(gv_context *context, void *queue, const void *from, gv_dtype dtype, int64_t rows,
                     int32_t dim, double *out, int64_t *bad);
  gv_status (*roots)(gv_context *context, void *queue, double *value, int64_t count);
  /* Copies to and from the queue's device, and copies of data that are produced in pieces of whole units
   * while the previous pieces are copied (search/cuda/transfer.cu). Done when they return. */
  gv_status (*upload)(gv_context *context, void *queue, void *to, const void *from, size_t bytes);
  gv_status (*download)(gv_context *context, void *queue, void *to, const void *from, size_t bytes);
  gv_status (*stream)(gv_context *context, void *queue, void *to, size_t bytes, size_t unit, gv_fill_fn *fill,
                      void *user);
} gv_array_device;

/* The module's interface, its only export (gv_cuda_module_offer). */
typedef struct gv_cuda_module {
  const char *version; /* GV_VERSION_STRING */
  size_t size;         /* of this structure and of the shared types, see GV_CUDA_MODULE_SIZE */

  /* Devices as the public functions of these names describe them. */
  gv_status (*device_count)(gv_context *context, int *count);
  gv_status (*device_get)(gv_context *context, int number, gv_device_info *out);
  gv_status (*device_fill_seconds)(gv_context *context, size_t bytes, double *seconds);
  /* The number of devices that can run this build's kernels, and which they are. Errors: UNAVAILABLE. */
  gv_status (*usable_devices)(gv_context *context, int *devices, int capacity, int *count);

  gv_status (*probe)(const char **reason); /* of every CUDA backend; called once a process; thread safe */
  bool (*started)(void);                   /* whether probe was called and succeeded. Starts nothing */

  const gv_search_engine *search[GV_BACKENDS]; /* by backend; NULL for those without CUDA */
  const struct gv_raster_device *raster;
  const struct gv_measure_device *measuring;
  const struct gv_statistics_device *statistics;
  const struct gv_cost_device *cost;
  const struct gv_edges_device *edges;
  const gv_array_device *arrays;
  /* gv_device_radius_fn of both trees. */
  gv_status (*tree_radius)(gv_context *context, const gv_reference *reference, const void *state,
                           const struct gv_device_radius *query, int64_t *offsets, int64_t *indices,
                           double *canonical);
} gv_cuda_module;

/* Detects modules compiled with other types: the sizes of the types that both sides use. */
#define GV_CUDA_MODULE_SIZE (sizeof(gv_cuda_module) * 4096 + sizeof(gv_context) + sizeof(gv_reference))

/* The library's gv_copy (core/parallel.h), for the module, which has no threads of its own. */
typedef void gv_copy_fn(void *to, const void *from, size_t bytes, int threads);

/* The module's only exported function. */
typedef const gv_cuda_module *gv_cuda_module_offer_fn(gv_copy_fn *copy);

/* The module, loaded at the first call; NULL, and why in *reason (it lives as long as the process). Thread
 * safe. */
const gv_cuda_module *gv_cuda_module_get(const char **reason);

/* Can any device run CUDA backends? GV_OK, or GV_ERROR_UNAVAILABLE and why. Loads the module. */
gv_status gv_cuda_probe(const char **reason);

/* Whether a driver is installed; whether a device was requested and found. Neither loads nor starts
 * anything. */
bool gv_cuda_has_driver(void);
bool gv_cuda_started(void);

#ifdef __cplusplus
}
#endif

#endif
