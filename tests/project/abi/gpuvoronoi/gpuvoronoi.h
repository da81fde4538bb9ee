/**
 * @file gpuvoronoi.h
 * gpuvoronoi: exact nearest neighbors in k dimensions and on the globe, and nearest-seed (Voronoi) rasters.
 *
 * SPDX-License-Identifier: MIT
 *
 * Three parts; each uses the one before:
 *   1. the simple interface: one call, arrays in, arrays out (gv_knn, gv_geodesic_knn, gv_nearest_grid);
 *   2. contexts and objects: threads, progress, messages, indexes, grids, distances, statistics;
 *   3. geometries.h (lines and polygons), raster_seeds.h (raster cells as seeds), diagram.h (Voronoi
 * diagrams), cells.h (QTM, HEALPix, S2), crs.h (the default metric), experimental.h (CUDA arrays, several
 * processes).
 *
 * Conventions of all functions:
 *   - Functions return a gv_status; GV_OK is 0. After an error the outputs are unchanged, unless documented
 *     otherwise. gv_context_message describes which calls set the message of a context.
 *   - The library never prints, exits, aborts or resets a device.
 *   - The caller owns the arrays that it passes. Objects built from them hold copies, unless documented
 * otherwise.
 *   - If the context is NULL, functions return GV_ERROR_INVALID_ARGUMENT.
 *   - Structs begin with `struct_size`; 0 is an invalid argument. Set the defaults with gv_..._init(&value),
 * or make the value with gv_points_rows or gv_points_xy; then change fields. Later versions may add fields at
 * the end.
 *   - A gv_context belongs to one thread at a time. A gv_index and a gv_voronoi are immutable: any number of
 * threads may use one at once, each with its own context.
 *   - The result does not depend on the backend, the number of threads or the size of blocks: the same bytes
 * on every machine.
 *   - Longitudes and latitudes are degrees; longitudes wrap. Distances on the globe are meters.
 *
 * Examples are bodies of functions with a variable `gv_context *context`; they return 0. The tests compile
 * and run them.
 */
#ifndef GPUVORONOI_H
#define GPUVORONOI_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GV_VERSION_MAJOR  1
#define GV_VERSION_MINOR  0
#define GV_VERSION_PATCH  0
#define GV_VERSION_STRING "1.0.0-rc1"
#define GV_VERSION_NUMBER (GV_VERSION_MAJOR * 10000 + GV_VERSION_MINOR * 100 + GV_VERSION_PATCH)

/* Windows: programs that link the static library define GV_STATIC. */
#if defined(_WIN32) && !defined(GV_STATIC) && defined(GV_BUILDING)
#define GV_API __declspec(dllexport)
#elif defined(_WIN32) && !defined(GV_STATIC)
#define GV_API __declspec(dllimport)
#elif defined(__GNUC__)
#define GV_API __attribute__((visibility("default")))
#else
#define GV_API
#endif

/* ------------------------------------------------------------------------------- status, metrics, version */

/**
 * @par Example
 * @code
 * if (gv_version_number() < GV_VERSION_NUMBER) return 1; // an older library than the header
 * printf("gpuvoronoi %s: %s, %s\n", gv_version(), gv_status_message(GV_OK), gv_metric_name(GV_GEODESIC));
 * @endcode
 */

/** Status of a call. */
typedef enum gv_status {
  GV_OK = 0,
  GV_ERROR_INVALID_ARGUMENT = 1, /**< NULL, a size, an option or a coordinate out of range */
  GV_ERROR_OUT_OF_MEMORY = 2,    /**< an allocation failed, on the host or on a device */
  GV_ERROR_UNKNOWN_BACKEND = 3,  /**< unknown name of a backend */
  /** the backend or index does not support this metric, dimension, k or memory */
  GV_ERROR_UNSUPPORTED = 4,
  GV_ERROR_UNAVAILABLE = 5, /**< the backend cannot run on this machine (no GPU, no CUDA module, ...) */
  GV_ERROR_CANCELLED = 6,   /**< the progress callback returned 0 */
  GV_ERROR_PROJECTION = 7,  /**< a coordinate operation failed */
  GV_ERROR_IO = 8,          /**< reading or writing failed */
  GV_ERROR_DEVICE = 9,      /**< a CUDA call failed */
  GV_ERROR_INTERNAL = 10    /**< a bug in this library */
} gv_status;

/**
 * Describes a status in a few words ("out of memory"). Thread safe.
 * @param status any number.
 * @return static storage, never NULL; "unknown status" for other values.
 */
GV_API const char *gv_status_message(gv_status status);

/** @return the version of the library in use, e.g. "1.0.0-rc1"; GV_VERSION_STRING is the header's. Static
 * storage. */
GV_API const char *gv_version(void);

/** @return the same as a number: major * 10000 + minor * 100 + patch; GV_VERSION_NUMBER is the header's. */
GV_API int gv_version_number(void);

/**
 * Metrics, with their exact distances: computed in IEEE double without contraction, operands in the order of
 * the dimensions; q is the query or cell, s the reference point or seed. The nearest is the one with the
 * smallest exact distance; the lowest index wins ties.
 *
 * In a periodic box (gv_index_options.periods) a dimension of length L > 0 has coordinates in [0, L), and
 * min(u, L-u) replaces u = |q-s|. A query's coordinate x is first moved into the box: r = fmod(x, L), r+L if
 * r < 0, and 0 if that is L.
 *
 * GV_COSINE and GV_INNER_PRODUCT are for indexes of points; backends serial, openmp, cuda-register,
 * cuda-cublas and cuda-tensor. With p = sum of q*s, a = sqrt(sum of q*q), b = sqrt(sum of s*s), the cosine
 * distance is 1 - p/(a*b), limited to [0, 2]; it is 1 if a or b is outside [2^-450, 2^500]. A point with p =
 * NaN is not a neighbor. Inner products have no search by radius; their max_distance may be negative.
 * GV_MINKOWSKI is for indexes of points and backends of CPUs. x^e is the product, from 1, of x^(2^i) (x
 * squared i times) for each bit i = 0, 1, ... of the integer part of e, then of x^(2^-j) (j square roots of
 * x) for each bit j = 1, 2, ... of its fraction. Sums outside the normal range of double, [2^-1022, 2^1024),
 * are errors if a result depends on them.
 */
typedef enum gv_metric {
  GV_EUCLIDEAN = 0, /**< sum of (q-s)^2; reported as its square root */
  GV_MANHATTAN = 1, /**< sum of |q-s| */
  GV_CHEBYSHEV = 2, /**< largest |q-s| */
  /** squared chord of unit vectors; reported as the arc on the sphere of radius (2a+b)/3 */
  GV_GREAT_CIRCLE = 3,
  /** s12 of PROJ's geod_inverse(cell, seed) on the ellipsoid, in meters (Karney 2013) */
  GV_GEODESIC = 4,
  GV_COSINE = 5,        /**< 1 - cosine of the angle between q and s as vectors; see above */
  GV_INNER_PRODUCT = 6, /**< 0 - sum of q*s: the largest inner product is the nearest */
  GV_MINKOWSKI = 7      /**< sum of |q-s|^p, p = gv_index_options.power; reported as its (1/p)-th power */
} gv_metric;

/**
 * @param metric any number.
 * @return "euclidean", "great-circle", "inner-product" ... (static), or NULL for other values.
 */
GV_API const char *gv_metric_name(gv_metric metric);

/**
 * @par Example
 * @code
 * int64_t lowest, highest;
 * if (gv_limits(GV_LIMIT_DIM, &lowest, &highest) != GV_OK || lowest != 1 || highest < 3) return 1;
 * @endcode
 */

/** Arguments that have limits. */
typedef enum gv_limit {
  GV_LIMIT_DIM = 0, /**< dimensions of points in an index */
  /** neighbors of a query: gv_knn, GPU backends, GV_INDEX_GLOBE, _RASTER_SEEDS, several processes */
  GV_LIMIT_K = 1,
  /** neighbors of a query: GV_INDEX_POINTS, unless the caller selected a GPU backend */
  GV_LIMIT_K_CPU = 2,
  GV_LIMIT_K_FEATURES = 3,     /**< neighbors of a query: GV_INDEX_FEATURES */
  GV_LIMIT_K_GRID = 4,         /**< nearest seeds of a cell */
  GV_LIMIT_SEEDS = 5,          /**< seeds of a grid */
  GV_LIMIT_DIAGRAM_SEEDS = 6,  /**< seeds of a diagram */
  GV_LIMIT_SUMS = 7,           /**< quantities of statistics */
  GV_LIMIT_QTM_LEVEL = 8,      /**< levels of QTM cells */
  GV_LIMIT_QTM_GRID_LEVEL = 9, /**< levels of grids of QTM cells */
  GV_LIMIT_HEALPIX_ORDER = 10, /**< orders of HEALPix */
  GV_LIMIT_S2_LEVEL = 11       /**< levels of S2 cells */
} gv_limit;

/**
 * The limits of an argument, of the library in use. Both are allowed values. Thread safe.
 * @param      limit   the argument.
 * @param[out] lowest  may be NULL.
 * @param[out] highest may be NULL.
 * @return GV_OK, INVALID_ARGUMENT (unknown limit).
 */
GV_API gv_status gv_limits(gv_limit limit, int64_t *lowest, int64_t *highest);

/* --------------------------------------------------------------------------------------- simple interface */

/**
 * @par Example
 * @code
 * const double places[] = {0, 0, 3, 4, 10, 0}, query[] = {2, 3}; // three points of the plane, one query
 * int64_t neighbors[2];
 * double distances[2];
 * gv_status status = gv_knn(places, 3, query, 1, 2, 2, neighbors, distances);
 * if (status != GV_OK) {
 *   printf("%s\n", gv_status_message(status));
 *   return 1;
 * }
 * if (neighbors[0] != 1 || neighbors[1] != 0 || distances[0] != sqrt(2)) return 1;
 * @endcode
 *
 * @par Example
 * @code
 * const double lon[] = {13.4, -0.1, 2.35}, lat[] = {52.5, 51.5, 48.85}; // Berlin, London, Paris
 * const double here_lon = 4.9, here_lat = 52.4;                          // Amsterdam
 * int64_t nearest;
 * double meters;
 * if (gv_geodesic_knn(lon, lat, 3, &here_lon, &here_lat, 1, 1, &nearest, &meters) != GV_OK) return 1;
 * printf("nearest: %d, %.0f km\n", (int)nearest, meters / 1000);
 * if (nearest != 1 || fabs(meters - 358e3) > 2e3) return 1;
 * @endcode
 *
 * @par Example
 * @code
 * const double lon[] = {13.4, -0.1, 2.35}, lat[] = {52.5, 51.5, 48.85};
 * const double geotransform[] = {-10, 0.5, 0,
 *                                60,  0,   -0.5}; // north-west corner at 10 W, 60 N; cells of half a degree
 * static int32_t label[40][60];
 * static double meters[40][60];
 * if (gv_nearest_grid(lon, lat, 3, GV_GEODESIC, geotransform, 60, 40, &label[0][0], &meters[0][0]) != GV_OK)
 *   return 1;
 * if (label[0][0] != 1 || label[39][59] != 0 || meters[17][20] > 50e3)
 *   return 1; // London; Berlin; near London
 * @endcode
 */

/**
 * The k nearest reference points of each query by Euclidean distance. Builds an index, searches it with all
 * CPUs, frees it. Thread safe.
 * @param reference       reference_count x dim doubles, row-major, finite.
 * @param reference_count number of reference points, at least 1.
 * @param queries         query_count x dim doubles, row-major, finite.
 * @param query_count     number of queries, 0 or more. A query that is a reference point finds itself;
 * gv_index_search can exclude it.
 * @param dim             dimension, 1 ... 4096.
 * @param k               neighbors of each query, 1 ... 1024.
 * @param[out] indices    query_count x k reference numbers from 0, nearest first; -1 where there are fewer
 * than k points.
 * @param[out] distances  query_count x k distances in the coordinates' unit, INFINITY where indices is -1;
 * may be NULL.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY. After an error the outputs are unspecified.
 */
GV_API gv_status gv_knn(const double *reference, int64_t reference_count, const double *queries,
                        int64_t query_count, int32_t dim, int32_t k, int64_t *indices, double *distances);

/**
 * As gv_knn, with the reason of an error, which names a bad row.
 * @param reference,reference_count,queries,query_count,dim,k,indices,distances as for gv_knn.
 * @param[out] message      one line, ended by NUL; "" after success. NULL = none.
 * @param      message_size bytes of message, at least 1; 256 are enough.
 * @return as gv_knn.
 */
GV_API gv_status gv_knn_message(const double *reference, int64_t reference_count, const double *queries,
                                int64_t query_count, int32_t dim, int32_t k, int64_t *indices,
                                double *distances, char *message, size_t message_size);

/**
 * The k nearest reference points of each query on the WGS 84 ellipsoid, by geodesic distance. Thread safe.
 * @param longitude,latitude             reference_count degrees each; longitudes wrap, latitudes are in [-90,
 * 90].
 * @param reference_count                number of reference points, at least 1.
 * @param query_longitude,query_latitude query_count degrees each.
 * @param query_count                    number of queries, 0 or more.
 * @param k                              neighbors of each query, 1 ... 1024.
 * @param[out] indices                   query_count x k reference numbers from 0, nearest first; -1 where
 * there are fewer than k.
 * @param[out] meters                    query_count x k distances in meters, INFINITY where indices is -1;
 * may be NULL.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY. After an error the outputs are unspecified.
 */
GV_API gv_status gv_geodesic_knn(const double *longitude, const double *latitude, int64_t reference_count,
                                 const double *query_longitude, const double *query_latitude,
                                 int64_t query_count, int32_t k, int64_t *indices, double *meters);

/**
 * As gv_geodesic_knn, with the reason of an error, which names a bad row.
 * @param longitude,latitude,reference_count,query_longitude,query_latitude,query_count,k,indices,meters as
 * for gv_geodesic_knn.
 * @param[out] message      one line, ended by NUL; "" after success. NULL = none.
 * @param      message_size bytes of message, at least 1; 256 are enough.
 * @return as gv_geodesic_knn.
 */
GV_API gv_status gv_geodesic_knn_message(const double *longitude, const double *latitude,
                                         int64_t reference_count, const double *query_longitude,
                                         const double *query_latitude, int64_t query_count, int32_t k,
                                         int64_t *indices, double *meters, char *message,
                                         size_t message_size);

/**
 * The nearest seed of every cell of a raster. Thread safe.
 * @param x,y            seed_count coordinates each. GV_GREAT_CIRCLE, GV_GEODESIC: longitude and latitude in
 * degrees on WGS 84.
 * @param seed_count     number of seeds, 1 ... 2^31 - 1.
 * @param metric         distance; GV_GREAT_CIRCLE and GV_GEODESIC: the raster has longitudes and latitudes,
 * else plane coordinates.
 * @param geotransform   GDAL's six numbers: cell (column, row) has its center at x = g0 + (column + 0.5) g1 +
 * (row + 0.5) g2, y = g3 + (column + 0.5) g4 + (row + 0.5) g5.
 * @param width,height   columns and rows.
 * @param[out] labels    height x width seed numbers from 0, row-major.
 * @param[out] distances height x width distances (meters on the globe); may be NULL.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY. After an error the outputs are unspecified.
 */
GV_API gv_status gv_nearest_grid(const double *x, const double *y, int64_t seed_count, gv_metric metric,
                                 const double geotransform[6], int64_t width, int64_t height, int32_t *labels,
                                 double *distances);

/**
 * As gv_nearest_grid, with the reason of an error, which names a bad row.
 * @param x,y,seed_count,metric,geotransform,width,height,labels,distances as for gv_nearest_grid.
 * @param[out] message      one line, ended by NUL; "" after success. NULL = none.
 * @param      message_size bytes of message, at least 1; 256 are enough.
 * @return as gv_nearest_grid.
 */
GV_API gv_status gv_nearest_grid_message(const double *x, const double *y, int64_t seed_count,
                                         gv_metric metric, const double geotransform[6], int64_t width,
                                         int64_t height, int32_t *labels, double *distances, char *message,
                                         size_t message_size);

/* ----------------------------------------------------------------------------------------------- contexts */

/**
 * @par Example
 * @code
 * gv_context_options options;
 * gv_context_options_init(&options);
 * options.threads = 2;
 * gv_context *two_threads = NULL;
 * if (gv_context_create(&options, &two_threads) != GV_OK) return 1;
 * if (gv_context_threads(two_threads) != 2) return 1;
 * gv_context_destroy(two_threads);
 * @endcode
 */

/** Threads, memory, progress and the last error message. Not thread safe: one context for each thread. */
typedef struct gv_context gv_context;

/**
 * Progress and cancellation. Called from one thread at a time, not necessarily the caller's.
 * @param fraction from 0 to 1.
 * @param user     gv_context_options.progress_user.
 * @return non-zero to continue, 0 to cancel: the running function then returns GV_ERROR_CANCELLED soon.
 */
typedef int (*gv_progress_fn)(double fraction, void *user);

/** Allocator hooks, for embedding and for tests of failing allocations. Must be thread safe. */
typedef void *(*gv_allocate_fn)(size_t bytes, void *user);
typedef void (*gv_release_fn)(void *memory, void *user);

typedef struct gv_context_options {
  size_t struct_size;
  int threads;             /**< worker threads; 0 = the number of CPUs available to this process */
  gv_progress_fn progress; /**< may be NULL */
  void *progress_user;
  gv_allocate_fn allocate; /**< NULL together with release = malloc and free */
  gv_release_fn release;
  void *allocate_user;
  /** CUDA device by its number in gv_device_get; -1 = the first usable one, or all for backends that use
   * several */
  int device;
} gv_context_options;

/** Sets the defaults. */
static inline void gv_context_options_init(gv_context_options *options) {
  const gv_context_options defaults = {sizeof(gv_context_options), 0, NULL, NULL, NULL, NULL, NULL, -1};
  *options = defaults;
}

/**
 * Makes a context.
 * @param options  NULL = defaults.
 * @param[out] out the context; free it with gv_context_destroy.
 * @return GV_OK, INVALID_ARGUMENT (negative threads, a device below -1, one allocator hook without the
 * other), OUT_OF_MEMORY. The device is checked when a backend first uses it.
 */
GV_API gv_status gv_context_create(const gv_context_options *options, gv_context **out);

/**
 * Frees a context; NULL is allowed. Destroy the objects that were made with it first.
 * @param context from gv_context_create; no call may be using it.
 */
GV_API void gv_context_destroy(gv_context *context);

/**
 * The message of a context: one line, e.g. "k: out of range [1, 1024] (2000)".
 *
 * Every function with a gv_context parameter sets it if it returns an error; the message is then that of this
 * call. Successful calls leave it unchanged. Functions without a gv_context parameter set no message.
 * @param context may be NULL.
 * @return the message of the last failed call with this context, "" if no call has failed or the context is
 * NULL. Valid until the next failing call with it or gv_context_destroy.
 */
GV_API const char *gv_context_message(const gv_context *context);

/**
 * @param context not NULL.
 * @return the number of worker threads, at least 1.
 */
GV_API int gv_context_threads(const gv_context *context);

/* ----------------------------------------------------------------------------------- backends and devices */

/**
 * @par Example
 * @code
 * for (int number = 0; number < gv_backend_count(); number++) {
 *   gv_backend_info backend;
 *   gv_backend_info_init(&backend);
 *   if (gv_backend_get(number, &backend) != GV_OK) return 1;
 *   printf("%-16s %s %s\n", backend.name, backend.summary, backend.reason);
 * }
 * int devices = 0;
 * if (gv_device_count(context, &devices) != GV_OK)
 *   printf("%s\n", gv_context_message(context)); // not an error: no GPU
 * for (int number = 0; number < devices; number++) {
 *   gv_device_info device;
 *   gv_device_info_init(&device);
 *   if (gv_device_get(context, number, &device) != GV_OK) return 1;
 *   printf("%s %s\n", device.name, device.reason);
 * }
 * @endcode
 */

/** One backend. Strings are static. */
typedef struct gv_backend_info {
  size_t struct_size;
  const char *name;    /**< e.g. "kdtree" */
  const char *summary; /**< how it works, one line */
  int searches_points; /**< non-zero: usable with gv_index_build */
  int weighted_grids;  /**< non-zero: usable with gv_voronoi_create with weights, too; all are without */
  int available;       /**< non-zero: can run on this machine now */
  const char *reason;  /**< the reason if it is not available; else "" */
  /**
   * Non-zero: computes on GPUs, else on CPUs; searches by radius itself (where it does not, a backend of CPUs
   * does); usable with gv_voronoi_create for grids of HEALPix, S2 and lists of places; for grids with lines
   * and polygons as seeds; usable with gv_cost_create (1: with all cells in memory, 2: also with
   * gv_cost_options.folder).
   */
  int gpu, searches_radius, list_grids, feature_grids, travel_cost;
} gv_backend_info;

/** Sets the size; the rest is written by gv_backend_get. */
static inline void gv_backend_info_init(gv_backend_info *out) {
  const gv_backend_info defaults = {sizeof(gv_backend_info), "", "", 0, 0, 0, "", 0, 0, 0, 0, 0};
  *out = defaults;
}

/** @return the number of backends. */
GV_API int gv_backend_count(void);

/**
 * Describes backend `number`, 0 ... gv_backend_count() - 1. Thread safe.
 * @param number 0 ... gv_backend_count() - 1.
 * @param[in,out] out initialized by gv_backend_info_init.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_backend_get(int number, gv_backend_info *out);

/** Types of numbers in arrays. Coordinates and distances are floats (float32 is widened to double before any
 * arithmetic); cells of rasters may have any of these types. */
typedef enum gv_dtype {
  GV_FLOAT32 = 0,
  GV_FLOAT64 = 1,
  GV_INT8 = 2,
  GV_INT16 = 3,
  GV_INT32 = 4,
  GV_INT64 = 5,
  GV_UINT8 = 6,
  GV_UINT16 = 7,
  GV_UINT32 = 8,
  GV_UINT64 = 9
} gv_dtype;

/**
 * Whether a backend that searches points supports a metric, type of points and k, on any machine where it can
 * run. Thread safe.
 * @param number 0 ... gv_backend_count() - 1.
 * @param metric of the distances.
 * @param type of the points: GV_FLOAT32 or GV_FLOAT64.
 * @param k neighbors of a query, from 1: gv_limits.
 * @param[out] max_dim the largest dimension; may be NULL.
 * @param[out] reason  why it does not (static storage); may be NULL.
 * @return GV_OK, UNSUPPORTED, INVALID_ARGUMENT (no such backend).
 */
GV_API gv_status gv_backend_supports(int number, gv_metric metric, gv_dtype type, int32_t k, int32_t *max_dim,
                                     const char **reason);

/** One GPU, as the CUDA runtime numbers them (CUDA_VISIBLE_DEVICES counts). */
typedef struct gv_device_info {
  size_t struct_size;
  char name[256];             /**< e.g. "NVIDIA H200" */
  char pci[32];               /**< PCI bus address, e.g. "0000:41:00.0" */
  int compute_major;          /**< compute capability, e.g. 9 and 0 */
  int compute_minor;          /**< */
  int multiprocessors;        /**< streaming multiprocessors */
  int clock_mhz;              /**< peak clock; 0 = unknown */
  int64_t memory_bytes;       /**< device memory */
  int64_t free_memory_bytes;  /**< free now; 0 if the device is not usable */
  int64_t l2_bytes;           /**< L2 cache */
  int64_t shared_block_bytes; /**< shared memory that a block can opt in to */
  int usable;                 /**< non-zero: this library's kernels run on it now */
  char reason[256];           /**< the reason if it is not usable; else "" */
} gv_device_info;

/** Sets the size; the rest is written by gv_device_get. */
static inline void gv_device_info_init(gv_device_info *out) {
  const gv_device_info defaults = {sizeof(gv_device_info), "", "", 0, 0, 0, 0, 0, 0, 0, 0, 0, ""};
  *out = defaults;
}

/**
 * The number of CUDA devices.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param[out] count 0 after an error.
 * @return GV_OK; UNAVAILABLE with a message that names the reason (no CUDA module, no driver, driver too old,
 * no device).
 */
GV_API gv_status gv_device_count(gv_context *context, int *count);

/**
 * Describes device `number`, 0 ... count - 1. Makes the device's CUDA context if this process has none;
 * leaves the thread's current device unchanged. A device that cannot be used is described too, with usable 0.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param number 0 ... count - 1 of gv_device_count.
 * @param[in,out] out initialized by gv_device_info_init.
 * @return GV_OK, INVALID_ARGUMENT, UNAVAILABLE, DEVICE.
 */
GV_API gv_status gv_device_get(gv_context *context, int number, gv_device_info *out);

/* --------------------------------------------------------------------------- indexes: k nearest neighbors */

/**
 * @par Example
 * @code
 * const double places[] = {0, 0, 3, 4, 10, 0}, position[] = {2, 3};
 * const gv_points reference = gv_points_rows(places, 3, 2, GV_FLOAT64),
 *                 query = gv_points_rows(position, 1, 2, GV_FLOAT64);
 * gv_search_options nearest_two;
 * gv_search_options_init(&nearest_two);
 * nearest_two.k = 2;
 * gv_index *index = NULL;
 * int64_t neighbors[2];
 * double distances[2];
 * gv_status status = gv_index_build(context, &reference, NULL, &index);
 * if (status == GV_OK) status = gv_index_search(context, index, &query, &nearest_two, neighbors, distances);
 * gv_index_destroy(index);
 * if (status != GV_OK || neighbors[0] != 1 || neighbors[1] != 0 || distances[0] != sqrt(2)) return 1;
 * @endcode
 *
 * @par Example
 * @code
 * const double lon[] = {13.4, -0.1, 2.35}, lat[] = {52.5, 51.5, 48.85}, x = -179.9, y = 60;
 * const gv_points cities = gv_points_xy(lon, lat, 3), query = gv_points_xy(&x, &y, 1);
 * gv_index_options options;
 * gv_index_options_init(&options);
 * options.metric = GV_GEODESIC;
 * gv_index *index = NULL;
 * int64_t nearest;
 * double meters;
 * gv_status status = gv_index_build(context, &cities, &options, &index);
 * if (status == GV_OK) status = gv_index_search(context, index, &query, NULL, &nearest, &meters);
 * gv_index_destroy(index);
 * if (status != GV_OK || nearest != 0 || meters < 7e6) return 1; // Berlin, over the pole
 * @endcode
 */

/** Points: reference points, seeds or queries. Make one with gv_points_rows or gv_points_xy. */
typedef struct gv_points {
  size_t struct_size;
  /** count x dim values, row-major; NULL if x and y hold the coordinates, or if count is 0 */
  const void *data;
  int64_t count;
  int32_t dim; /**< 1 ... 4096; 2 on the globe: longitude, latitude */
  gv_dtype dtype;
  const double *x, *y; /**< two arrays of count coordinates, instead of data; NULL otherwise */
} gv_points;

/**
 * Points in rows: count x dim values of a type. The array must outlive the use.
 * @param data count x dim values, row-major; not copied.
 * @param count number of points, 0 or more.
 * @param dim 1 ... 4096 (GV_LIMIT_DIM).
 * @param dtype GV_FLOAT32 or GV_FLOAT64.
 * @return the description of the points.
 */
static inline gv_points gv_points_rows(const void *data, int64_t count, int32_t dim, gv_dtype dtype) {
  const gv_points points = {sizeof(gv_points), data, count, dim, dtype, NULL, NULL};
  return points;
}

/**
 * Points of two dimensions in two arrays: x and y, or longitude and latitude. The arrays must outlive the
 * use.
 * @param x `count` values: x, or longitudes in degrees; not copied.
 * @param y `count` values: y, or latitudes in degrees; not copied.
 * @param count number of points, 0 or more.
 * @return the description of the points.
 */
static inline gv_points gv_points_xy(const double *x, const double *y, int64_t count) {
  const gv_points points = {sizeof(gv_points), NULL, count, 2, GV_FLOAT64, x, y};
  return points;
}

struct gv_array_options; /* experimental.h */
/** A reference set prepared for searching. Immutable; threads may share it. */
typedef struct gv_index gv_index;

/** What an index holds. */
typedef enum gv_index_kind {
  GV_INDEX_POINTS = 0,      /**< points of a k-dimensional space: gv_index_build */
  GV_INDEX_GLOBE = 1,       /**< points on the globe: gv_index_build with GV_GREAT_CIRCLE or GV_GEODESIC */
  GV_INDEX_FEATURES = 2,    /**< lines and polygons: gv_index_build_features (geometries.h) */
  GV_INDEX_RASTER_SEEDS = 3 /**< cells of a raster: gv_index_build_raster_seeds (raster_seeds.h) */
} gv_index_kind;

typedef struct gv_index_options {
  size_t struct_size;
  /** a backend's name; NULL or "auto" = the library chooses. Features have one backend */
  const char *backend;
  gv_metric metric;         /**< default GV_EUCLIDEAN */
  double semi_major;        /**< globe: a in meters; 0 = WGS 84 */
  double flattening;        /**< globe: f = (a-b)/a; WGS 84's if semi_major is 0 */
  int32_t expected_k;       /**< hint for "auto": the usual k; 0 = 1 */
  int64_t expected_queries; /**< hint for "auto": the usual number of queries; 0 = unknown */
  const struct gv_array_options
      *array_options;    /**< of the reference points (GV_INDEX_POINTS only); NULL = host memory */
  const double *periods; /**< periodic box (GV_INDEX_POINTS): dim lengths, 0 = none; NULL = no box. Copied */
  double power;          /**< of GV_MINKOWSKI: 1 ... 1048576 */
} gv_index_options;

/** Sets the defaults. */
static inline void gv_index_options_init(gv_index_options *options) {
  const gv_index_options defaults = {
      sizeof(gv_index_options), NULL, GV_EUCLIDEAN, 0.0, 0.0, 0, 0, NULL, NULL, 2.0};
  *options = defaults;
}

/**
 * Copies reference points and builds an index over them, with the context's threads and progress. The metric
 * decides the kind: GV_INDEX_GLOBE for GV_GREAT_CIRCLE and GV_GEODESIC, else GV_INDEX_POINTS. Periodic boxes
 * are for backends of CPUs, of which "auto" chooses one.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param reference at least 1 point, all finite; on the globe longitude and latitude in degrees; in a
 * periodic box within [0, period).
 * @param options   NULL = defaults.
 * @param[out] out  the index; free it with gv_index_destroy.
 * @return GV_OK, INVALID_ARGUMENT (the message names the first bad row), UNKNOWN_BACKEND, UNSUPPORTED,
 * UNAVAILABLE, OUT_OF_MEMORY, DEVICE, CANCELLED.
 */
GV_API gv_status gv_index_build(gv_context *context, const gv_points *reference,
                                const gv_index_options *options, gv_index **out);

/**
 * Frees an index; NULL is allowed. No thread may be searching it.
 * @param index from gv_index_build and the like.
 */
GV_API void gv_index_destroy(gv_index *index);

/**
 * @param index may be NULL.
 * @return the kind of an index; GV_INDEX_POINTS for NULL.
 */
GV_API gv_index_kind gv_index_get_kind(const gv_index *index);

/**
 * @param index may be NULL.
 * @return the number of reference points, features or raster cells; 0 for NULL.
 */
GV_API int64_t gv_index_count(const gv_index *index);

/**
 * @param index may be NULL.
 * @return the dimension of queries; 0 for NULL.
 */
GV_API int32_t gv_index_dim(const gv_index *index);

/**
 * @param index may be NULL.
 * @return the name of the backend (static); with "auto" that of the selected one, "axes" for a grid of
 * longitudes and latitudes. "" for NULL.
 */
GV_API const char *gv_index_backend(const gv_index *index);

typedef struct gv_search_options {
  size_t struct_size;
  int32_t k;           /**< neighbors of each query, from 1: gv_limits */
  double max_distance; /**< inclusive, in the unit of distances; INFINITY = no limit; >= 0 */
  int exclude_self;    /**< non-zero: reference point i is not a neighbor of query i (other points at the same
                        * position are) */
  /** GV_INDEX_FEATURES: count x k x 2 coordinates (x, y or longitude, latitude) of each feature's closest
   * point (the query's own inside a polygon), NaN where there are fewer than k; may be NULL */
  double *nearest;
  const struct gv_array_options
      *array_options; /**< of queries, indices and distances (GV_INDEX_POINTS); NULL = host memory */
} gv_search_options;

/** Sets the defaults: the nearest neighbor at any distance. */
static inline void gv_search_options_init(gv_search_options *options) {
  const gv_search_options defaults = {sizeof(gv_search_options), 1, INFINITY, 0, NULL, NULL};
  *options = defaults;
}

/**
 * Finds for each query the k nearest of the index by (exact distance, number), nearest first, with the
 * context's threads and progress.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param index not changed; any number of threads may share it.
 * @param queries        points of the index's dimension; NULL = the reference points themselves
 * (GV_INDEX_POINTS, GV_INDEX_GLOBE). With exclude_self their count is that of the reference points: query i
 * is reference point i.
 * @param options        NULL = defaults.
 * @param[out] indices   count x k numbers from 0, row-major; -1 where there are fewer than k neighbors.
 * GV_INDEX_RASTER_SEEDS: row-major numbers of cells of the raster.
 * @param[out] distances count x k distances, INFINITY where indices is -1; meters on the globe, else in the
 * coordinates' unit; may be NULL. 0 inside a polygon.
 * @return GV_OK, INVALID_ARGUMENT (the message names the row of a bad query), UNSUPPORTED, OUT_OF_MEMORY,
 * CANCELLED, DEVICE. After an error the outputs are unspecified.
 */
GV_API gv_status gv_index_search(gv_context *context, const gv_index *index, const gv_points *queries,
                                 const gv_search_options *options, int64_t *indices, double *distances);

/**
 * @par Example
 * @code
 * const double places[] = {0, 0, 3, 4, 10, 0}, position[] = {2, 3, 9, 9};
 * const gv_points reference = gv_points_rows(places, 3, 2, GV_FLOAT64),
 *                 queries = gv_points_rows(position, 2, 2, GV_FLOAT64);
 * gv_radius_options within_five;
 * gv_radius_options_init(&within_five);
 * within_five.radius = 5;
 * gv_index *index = NULL;
 * int64_t offsets[3], neighbors[2];
 * double distances[2];
 * gv_status status = gv_index_build(context, &reference, NULL, &index);
 * if (status == GV_OK)
 *   status = gv_index_search_radius(context, index, &queries, &within_five, offsets, NULL, NULL);
 * if (status == GV_OK && offsets[2] != 2) return 1; // room for so many neighbors is needed
 * if (status == GV_OK)
 *   status = gv_index_search_radius(context, index, &queries, &within_five, offsets, neighbors, distances);
 * gv_index_destroy(index);
 * if (status != GV_OK || offsets[1] != 2 || neighbors[0] != 1 || neighbors[1] != 0 ||
 *     distances[0] != sqrt(2))
 *   return 1;
 * @endcode
 */

typedef struct gv_radius_options {
  size_t struct_size;
  /** inclusive, in the unit of distances (meters on the globe); >= 0; INFINITY = every point */
  double radius;
  const double *radii; /**< one radius for each query instead; NULL = `radius` for all */
  int exclude_self;    /**< non-zero: reference point i is not a neighbor of query i (other points at the same
                        * position are) */
  int by_number;       /**< non-zero: sort the neighbors of a query by number, not by distance */
} gv_radius_options;

/** Sets the defaults: radius 0, which finds only points at the query's position. */
static inline void gv_radius_options_init(gv_radius_options *options) {
  const gv_radius_options defaults = {sizeof(gv_radius_options), 0.0, NULL, 0, 0};
  *options = defaults;
}

/**
 * Finds for each query all neighbors within the radius, sorted by (exact distance, number), nearest first,
 * with the context's threads and progress. A neighbor is found if its reported distance is at most the
 * radius.
 *
 * Use two calls. The first counts (`indices` and `distances` NULL) and writes `offsets`. The second, with the
 * same queries and options, fills arrays of that size. The second call may be repeated for parts of the
 * queries, with `offsets` from the first query of the part on.
 *
 * GV_INDEX_RASTER_SEEDS: only kept cells are found; build the seeds with keep_all. The CPUs search, also for
 * GPU backends: such an index copies its points to the host and builds a tree in each call.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param index not changed; any number of threads may share it.
 * @param queries         as for gv_index_search; in host memory.
 * @param options         NULL = defaults.
 * @param offsets         count + 1 numbers: the neighbors of query i are at offsets[i] ... offsets[i + 1]
 * - 1. Written by a call that counts, from 0; read by a call that fills.
 * @param[out] indices    numbers of the neighbors, as gv_index_search writes them; may be NULL.
 * @param[out] distances  their distances; may be NULL.
 * @return GV_OK, INVALID_ARGUMENT (the message names the row of a bad query; also offsets that do not belong
 * to the queries), UNSUPPORTED, OUT_OF_MEMORY, CANCELLED, DEVICE. After an error the outputs are unspecified.
 */
GV_API gv_status gv_index_search_radius(gv_context *context, const gv_index *index, const gv_points *queries,
                                        const gv_radius_options *options, int64_t *offsets, int64_t *indices,
                                        double *distances);

/**
 * Finds all pairs (i, j), i < j, of points of an index (GV_INDEX_POINTS) that are at most the radius apart,
 * each once. Two calls, as for gv_index_search_radius: the first counts (`pairs` NULL) and writes `offsets`,
 * the second fills.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param index not changed; any number of threads may share it.
 * @param options    NULL = defaults; radii is not supported, exclude_self and by_number do not matter.
 * @param offsets    one number more than points: the pairs of point i and points after it are offsets[i] ...
 *         offsets[i + 1] - 1.
 * @param[out] pairs 2 offsets[n] numbers: i and j of each pair, in the order of (i, j).
 * @return As gv_index_search_radius.
 */
GV_API gv_status gv_index_search_pairs(gv_context *context, const gv_index *index,
                                       const gv_radius_options *options, int64_t *offsets, int64_t *pairs);

/* ----------------------------------------------------------------------- grids: the nearest seed of cells */

/**
 * @par Example
 * @code
 * const double lon[] = {13.4, -0.1, 2.35}, lat[] = {52.5, 51.5, 48.85},
 *              geotransform[] = {-10, 0.5, 0, 60, 0, -0.5};
 * const gv_points seeds = gv_points_xy(lon, lat, 3);
 * static int32_t nearest[40][60];
 * static float meters[40][60];
 * const gv_grid grid = gv_grid_lonlat(60, 40, geotransform);
 * gv_voronoi_options options;
 * gv_voronoi_options_init(&options);
 * options.metric = GV_GEODESIC;
 * gv_voronoi *voronoi = NULL;
 * gv_labels labels;
 * gv_labels_init(&labels);
 * labels.out = &nearest[0][0];
 * gv_measure measure;
 * gv_measure_init(&measure);
 * measure.seed = &nearest[0][0];
 * measure.distance = &meters[0][0];
 * gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
 * if (status == GV_OK) status = gv_voronoi_fill(context, voronoi, &labels, NULL);
 * if (status == GV_OK) status = gv_voronoi_measure(context, voronoi, &measure);
 * gv_voronoi_destroy(voronoi);
 * if (status != GV_OK || nearest[0][0] != 1 || meters[17][20] > 50e3f)
 *   return 1; // 60 N, 10 W: London; a cell near London
 * @endcode
 */

/** What the cells of a grid are. Seeds have plane coordinates for GV_GRID_PLANE, else longitude, latitude. */
typedef enum gv_grid_kind {
  GV_GRID_PLANE = 0,     /**< gv_grid_plane */
  GV_GRID_LONLAT = 1,    /**< gv_grid_lonlat */
  GV_GRID_PROJECTED = 2, /**< gv_grid_projected */
  GV_GRID_QTM = 3,       /**< gv_grid_qtm */
  GV_GRID_HEALPIX = 4,   /**< gv_grid_healpix */
  GV_GRID_POINTS = 5,    /**< gv_grid_points */
  GV_GRID_S2 = 6         /**< gv_grid_s2 */
} gv_grid_kind;

/**
 * Converts n positions in place from the grid's coordinates to longitude, latitude in degrees. A position
 * without an inverse becomes HUGE_VAL, HUGE_VAL: its cell gets no seed. Must be thread safe. The result for a
 * position must not depend on the others in the array.
 * @return 0 on success.
 */
typedef int (*gv_inverse_fn)(double *x, double *y, int64_t n, void *user);

/**
 * A grid of cells. Make one with gv_grid_plane, gv_grid_lonlat, gv_grid_projected or gv_grid_points, or with
 * gv_grid_qtm, gv_grid_healpix or gv_grid_s2 (cells.h). On the globe the ellipsoid is WGS 84;
 * gv_grid_set_ellipsoid changes it. `kind`, `width` and `height` may be read; the meaning of the other fields
 * is private.
 */
typedef struct gv_grid {
  size_t struct_size;
  gv_grid_kind kind;
  int64_t width, height;
  double geotransform[6];
  double semi_major, flattening;
  gv_inverse_fn inverse;
  void *inverse_user;
  int level, order, ring, authalic;
  const double *longitude, *latitude, *area;
} gv_grid;

#define GV_QTM_NONE           (-1)
#define GV_QTM_MAX_GRID_LEVEL 20
#define GV_HEALPIX_MAX_ORDER  18
#define GV_S2_MAX_LEVEL       18

/** Sets the defaults: a grid of the plane without cells. The functions below make grids with cells. */
static inline void gv_grid_init(gv_grid *grid) {
  const gv_grid defaults = {sizeof(gv_grid),
                            GV_GRID_PLANE,
                            0,
                            0,
                            {0, 1, 0, 0, 0, 1},
                            0.0,
                            0.0,
                            NULL,
                            NULL,
                            GV_QTM_NONE,
                            0,
                            0,
                            0,
                            NULL,
                            NULL,
                            NULL};
  *grid = defaults;
}

/**
 * Cells of the plane, for the metrics euclidean, manhattan and chebyshev. Cell (column, row) has its center
 * at x = (g[0] + (column + 0.5) * g[1]) + (row + 0.5) * g[2],  y likewise with g[3] ... g[5].
 * @param width,height columns and rows, at least 1.
 * @param geotransform GDAL's six numbers g, copied; NULL = cells of 1 x 1 from (0, 0) on, {0, 1, 0, 0, 0, 1}.
 * @return the grid, which is checked when it is used.
 */
static inline gv_grid gv_grid_plane(int64_t width, int64_t height, const double *geotransform) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.width = width;
  grid.height = height;
  for (int i = 0; geotransform != NULL && i < 6; i++)
    grid.geotransform[i] = geotransform[i];
  return grid;
}

/**
 * Cells with longitudes and latitudes, for the metrics great-circle and geodesic.
 * @param width,height columns and rows, at least 1.
 * @param geotransform as for gv_grid_plane, in degrees, not rotated (g[2] = g[4] = 0). Longitudes may leave
 *                     [-180, 180], latitudes of centers may not leave [-90, 90].
 * @return the grid.
 */
static inline gv_grid gv_grid_lonlat(int64_t width, int64_t height, const double *geotransform) {
  gv_grid grid = gv_grid_plane(width, height, geotransform);
  grid.kind = GV_GRID_LONLAT;
  return grid;
}

/**
 * Cells of a projected CRS, for the metrics great-circle and geodesic; seeds have longitude, latitude.
 * @param width,height columns and rows, at least 1.
 * @param geotransform as for gv_grid_plane, in projected coordinates.
 * @param inverse      converts them to longitude, latitude. It and `user` must outlive the objects made from
 * the grid.
 * @param user         for `inverse`; may be NULL.
 * @return the grid.
 */
static inline gv_grid gv_grid_projected(int64_t width, int64_t height, const double *geotransform,
                                        gv_inverse_fn inverse, void *user) {
  gv_grid grid = gv_grid_plane(width, height, geotransform);
  grid.kind = GV_GRID_PROJECTED;
  grid.inverse = inverse;
  grid.inverse_user = user;
  return grid;
}

/**
 * A list of points as one row of cells, in any order; computing is faster if nearby points are next to each
 * other (for example along a space-filling curve). The arrays are not copied: they must outlive the objects
 * made from the grid.
 * @param longitude `count` longitudes, degrees.
 * @param latitude  `count` latitudes, degrees; a point that is not finite or outside [-90, 90] gets no seed.
 * @param area      `count` areas of the cells in square meters; NULL = unknown.
 * @param count     number of points, at least 1.
 * @return the grid.
 */
static inline gv_grid gv_grid_points(const double *longitude, const double *latitude, const double *area,
                                     int64_t count) {
  gv_grid grid;
  gv_grid_init(&grid);
  grid.kind = GV_GRID_POINTS;
  grid.width = count;
  grid.height = 1;
  grid.longitude = longitude;
  grid.latitude = latitude;
  grid.area = area;
  return grid;
}

/**
 * Sets the ellipsoid of a grid on the globe.
 * @param[in,out] grid       the grid.
 * @param         semi_major a in meters; 0 = WGS 84.
 * @param         flattening f = (a-b)/a; 0 = a sphere. WGS 84's if semi_major is 0.
 */
static inline void gv_grid_set_ellipsoid(gv_grid *grid, double semi_major, double flattening) {
  grid->semi_major = semi_major;
  grid->flattening = flattening;
}

/**
 * Weighted distances. Seeds are compared by a value of their distance d and weight w, defined exactly as
 * follows (IEEE double, no contraction, operands as written; c is the metric's exact distance):
 *
 *                      euclidean         manhattan, chebyshev   great-circle      geodesic
 *   GV_MULTIPLICATIVE  c / (w * w)       c / w                  arc / w           c / w
 *   GV_ADDITIVE        sqrt(c) + w       c + w                  arc + w           c + w
 *   GV_POWER           c - w             -                      arc * arc - w     -
 *
 * arc is the great-circle distance in meters, computed from the squared chord with square roots, additions
 * and multiplications only: the same bits on every CPU. The least value wins; ties go to the lowest seed
 * number.
 */
typedef enum gv_weighting {
  GV_UNWEIGHTED = 0,
  GV_MULTIPLICATIVE = 1, /**< d / w; w in 1e-100 ... 1e100 */
  GV_ADDITIVE = 2,       /**< d + w; w finite, in units of distance */
  GV_POWER = 3           /**< d^2 - w; w finite, in squared units of distance; euclidean and great-circle */
} gv_weighting;

struct gv_features; /* geometries.h */

typedef struct gv_voronoi_options {
  size_t struct_size;
  const char *backend; /**< "auto" or NULL, "tile", "serial", ... */
  gv_metric metric;
  /** Cells computed at once; 0 = 512. Does not change results. GV_GRID_QTM: the width is rounded down to a
   * power of 4, up to 4^10; 0 = 4^8. */
  int32_t block_width, block_height;
  /** The value written for each seed (count values, copied); NULL = the seed's number from 0. */
  const int32_t *labels;
  /** the value of cells without a seed: no inverse projection, masked, or no seed within max_distance */
  int32_t nodata;
  int32_t k; /**< nearest seeds of each cell, 1 ... 64 (GV_LIMIT_K_GRID); 0 = 1 */
  /** only seeds within this distance count: inclusive, unweighted, meters on the globe */
  double max_distance;
  gv_weighting weighting;
  const double *weights; /**< of each seed (count values, copied); NULL if unweighted */
  const struct gv_features
      *features; /**< lines and polygons as seeds, copied (geometries.h): `seeds` is then NULL */
} gv_voronoi_options;

/** Sets the defaults: Euclidean, the nearest seed's number, nodata -1. */
static inline void gv_voronoi_options_init(gv_voronoi_options *options) {
  const gv_voronoi_options defaults = {
      sizeof(gv_voronoi_options), NULL, GV_EUCLIDEAN, 0, 0, NULL, -1, 1, INFINITY, GV_UNWEIGHTED, NULL, NULL};
  *options = defaults;
}

/** The nearest seeds of the cells of one grid. Immutable; threads may share it. */
typedef struct gv_voronoi gv_voronoi;

/**
 * Checks and copies grid, seeds and weights, and prepares the search.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param grid its arrays and functions are not copied.
 * @param seeds    1 ... 2^31 - 1 points (two coordinates); NULL with options->features.
 * @param options  NULL = defaults. The backends `tile`, `openmp` and `serial` support features.
 * @param[out] out free it with gv_voronoi_destroy.
 * @return GV_OK, INVALID_ARGUMENT (the message names a bad seed), UNKNOWN_BACKEND, UNSUPPORTED, UNAVAILABLE,
 * OUT_OF_MEMORY, CANCELLED. Errors of a GPU may also come from gv_voronoi_fill.
 */
GV_API gv_status gv_voronoi_create(gv_context *context, const gv_grid *grid, const gv_points *seeds,
                                   const gv_voronoi_options *options, gv_voronoi **out);

/**
 * Frees it; NULL is allowed. No thread may be using it.
 * @param voronoi from gv_voronoi_create.
 */
GV_API void gv_voronoi_destroy(gv_voronoi *voronoi);

/**
 * @param voronoi may be NULL.
 * @return the name of the backend in use (static); with "auto" it becomes "tile" where a device has failed.
 * "" for NULL.
 */
GV_API const char *gv_voronoi_backend(const gv_voronoi *voronoi);

/**
 * Returns the size of the blocks in which cells are computed, counted from cell (0, 0). Rectangles of whole
 * blocks are the fastest. Outputs may be NULL.
 * @param voronoi not changed.
 * @param[out] width columns of a block.
 * @param[out] height rows of a block.
 */
GV_API void gv_voronoi_block_size(const gv_voronoi *voronoi, int64_t *width, int64_t *height);

/** A rectangle of cells and the array for their labels. */
typedef struct gv_labels {
  size_t struct_size;
  int64_t column, row;   /**< the first cell */
  int64_t columns, rows; /**< 0 = up to the grid's edge */
  const uint8_t *mask;   /**< mask[r * mask_stride + c]: 0 = leave the cell out (nodata); NULL = all cells */
  int64_t mask_stride;   /**< 0 = columns */
  /** k x rows x columns; band b (0 ... k - 1: the b + 1st nearest seed), row r, column c of the rectangle:
   * out[b * band_stride + r * stride + c] */
  int32_t *out;
  int64_t stride;                               /**< in values; 0 = columns */
  int64_t band_stride;                          /**< in values; 0 = stride * rows */
  const struct gv_array_options *array_options; /**< of mask and out; NULL = host memory */
} gv_labels;

/** Sets the defaults: all cells of the grid. */
static inline void gv_labels_init(gv_labels *labels) {
  const gv_labels defaults = {sizeof(gv_labels), 0, 0, 0, 0, NULL, 0, NULL, 0, 0, NULL};
  *labels = defaults;
}

/**
 * Computes the labels of a rectangle of cells, with the context's threads and progress; a rectangle within
 * one block on the calling thread. Bands without a seed (fewer than k, none within max_distance) hold nodata.
 * The previous contents of `out` may be read but do not change the result.
 *
 * Arrays in device memory (experimental.h): the backend is `cuda-tile`, without weights and not on a
 * projected grid. The host decides the cells that need geodesics. The first call prepares the device that
 * `out` is on; use one gv_voronoi for each device. If the device fails, the call fails: neither another
 * device nor the CPU replaces it.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param voronoi not changed; any number of threads may share it.
 * @param labels       the rectangle, and its array in the caller's memory.
 * @param[out] uniform may be NULL, for which all cells are written. Else it is set to 1 if all cells of the
 * rectangle are known to have one result and only the first cell of each band was written; else to 0.
 * @return GV_OK, INVALID_ARGUMENT, UNSUPPORTED, UNAVAILABLE, PROJECTION, OUT_OF_MEMORY, DEVICE, CANCELLED.
 * After an error `out` is unspecified.
 */
GV_API gv_status gv_voronoi_fill(gv_context *context, const gv_voronoi *voronoi, const gv_labels *labels,
                                 int *uniform);

/** A rectangle of cells with their seeds, and the arrays for distances and azimuths. */
typedef struct gv_measure {
  size_t struct_size;
  int64_t column, row;   /**< the first cell */
  int64_t columns, rows; /**< 0 = up to the grid's edge */
  int32_t bands;         /**< at least 1 */
  /** seed[b * band_stride + r * stride + c]: seed numbers from 0, as without options.labels; < 0: none. */
  const int32_t *seed;
  int64_t stride;      /**< in values; 0 = columns */
  int64_t band_stride; /**< in values; 0 = stride * rows */
  gv_dtype type;       /**< of distance; computed in double, rounded once */
  /** May be NULL. Units of the plane, meters on the globe; NaN for cells without a seed or without a
   * position. */
  void *distance;
  /** May be NULL. Degrees clockwise from true north (on the plane from +y), [0, 360); NaN likewise. */
  float *azimuth;
  int64_t out_stride;      /**< of distance and azimuth; 0 = columns */
  int64_t out_band_stride; /**< 0 = out_stride * rows */
  /** features: inside a polygon the distance is minus the distance to the boundary of the cell's own
   * feature */
  int signed_distance;
  const struct gv_array_options *array_options; /**< of seed, distance and azimuth; NULL = host memory */
} gv_measure;

/** Sets the defaults: float32 distances of all cells of the grid, one band. */
static inline void gv_measure_init(gv_measure *measure) {
  const gv_measure defaults = {sizeof(gv_measure), 0,    0,    0, 0, 1, NULL, 0, 0,
                               GV_FLOAT32,         NULL, NULL, 0, 0, 0, NULL};
  *measure = defaults;
}

/**
 * Computes unweighted distances and directions from cells to their seeds by the metric of `voronoi`: on the
 * plane the root of the sum of squares, the sum or the largest of the differences; the arc on the sphere of
 * radius (2a+b)/3; the geodesic, within 1.6e-14 a (0.1 micrometers on the Earth) of geod_inverse. Arcs are
 * computed from chords, which hardly change near the antipodes: on the Earth they are within 1 micrometer up
 * to 179.5 degrees, within 0.3 m at 180. A cell at its seed's position has distance 0 and azimuth 0.
 * Features: the distance to the closest point; inside a polygon it is 0 and the azimuth is NaN.
 *
 * The azimuth is the direction in which the great circle, geodesic or straight line leaves the cell, within
 * 1e-6 degrees before it is rounded to float. A cell at a pole has the longitude of its column (of a
 * projected grid or a triangle: 0).
 *
 * Runs with the context's threads, a rectangle within one block on the calling thread; on a GPU for the
 * backend `cuda-tile` and, on large grids, "auto". Arrays in device memory: as gv_voronoi_fill; pairs near
 * the antipodes are measured by the host, as are all on an ellipsoid that is prolate or flatter than 1/50.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param voronoi not changed; any number of threads may share it.
 * @param measure the rectangle, its seeds, and the arrays in the caller's memory.
 * @return GV_OK, INVALID_ARGUMENT (also a seed number out of range), UNSUPPORTED, OUT_OF_MEMORY, PROJECTION,
 *         UNAVAILABLE, DEVICE, CANCELLED. After an error the outputs are unspecified.
 */
GV_API gv_status gv_voronoi_measure(gv_context *context, const gv_voronoi *voronoi,
                                    const gv_measure *measure);

/**
 * Returns the longitudes and latitudes of the centers of the cells of a rectangle of a grid on the globe; NaN
 * for a cell without a position.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param voronoi not changed; any number of threads may share it.
 * @param column,row      the first cell.
 * @param columns,rows    size of the rectangle; 0 = up to the grid's edge.
 * @param[out] longitude  longitude[r * stride + c], degrees, (-180, 180].
 * @param[out] latitude   likewise, geodetic.
 * @param stride          in values, at least columns; 0 = columns.
 * @return GV_OK, INVALID_ARGUMENT (also a grid on the plane), PROJECTION, OUT_OF_MEMORY.
 */
GV_API gv_status gv_voronoi_cell_centers(gv_context *context, const gv_voronoi *voronoi, int64_t column,
                                         int64_t row, int64_t columns, int64_t rows, double *longitude,
                                         double *latitude, int64_t stride);

/**
 * Returns the areas of the cells of a rectangle of the grid. GV_GRID_LONLAT, GV_GRID_QTM: square meters on
 * the grid's ellipsoid, of the part of the cell between the poles; triangles have edges that are straight in
 * the ZOT plane (gv_qtm_area). GV_GRID_HEALPIX, GV_GRID_S2: the cell's solid angle times the ellipsoid's area
 * by solid angle, that at the center or, with authalic latitudes, the mean. GV_GRID_POINTS: the areas of the
 * grid, NaN if unknown. Else |g1 g5 - g2 g4|, square units of the plane. Relative error below 1e-13.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param voronoi not changed; any number of threads may share it.
 * @param column,row   the first cell.
 * @param columns,rows size of the rectangle; 0 = up to the grid's edge.
 * @param[out] area    area[r * stride + c].
 * @param stride       in values, at least columns; 0 = columns.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_voronoi_cell_areas(gv_context *context, const gv_voronoi *voronoi, int64_t column,
                                       int64_t row, int64_t columns, int64_t rows, double *area,
                                       int64_t stride);

/* ---------------------------------------------------------------------------------- statistics of regions */

/**
 * @par Example
 * @code
 * const double x[] = {2, 7}, y[] = {5, 5}; // two seeds, a plane of 10 x 10 cells of size 1
 * const gv_points seeds = gv_points_xy(x, y, 2);
 * int32_t nearest[100];
 * const gv_grid grid = gv_grid_plane(10, 10, NULL);
 * gv_labels labels;
 * gv_labels_init(&labels);
 * labels.out = nearest;
 * gv_statistics_cells cells;
 * gv_statistics_cells_init(&cells);
 * cells.seed = nearest;
 * gv_seed_statistics first;
 * gv_seed_statistics_init(&first);
 * gv_voronoi *voronoi = NULL;
 * gv_statistics *statistics = NULL;
 * gv_status status = gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi);
 * if (status == GV_OK) status = gv_statistics_create(context, voronoi, NULL, &statistics);
 * if (status == GV_OK) status = gv_voronoi_fill(context, voronoi, &labels, NULL);
 * if (status == GV_OK) status = gv_statistics_add(context, statistics, &cells);
 * if (status == GV_OK) status = gv_statistics_get(context, statistics, 0, &first);
 * gv_statistics_destroy(statistics);
 * gv_voronoi_destroy(voronoi);
 * if (status != GV_OK || first.cells != 50 || first.area != 50)
 *   return 1; // centers at 4.5 tie and go to the lower number
 * @endcode
 */

/**
 * Number of cells, area, distances, centroid and sums of quantities (for example population) of each seed's
 * region. Rectangles of cells are added in any order and by any number of threads; all sums are exact sums of
 * integers (fixed point), so the bits of the results do not depend on the order, the threads or the
 * rectangles. For k > 1 the first band is used.
 */
typedef struct gv_statistics gv_statistics;

typedef struct gv_statistics_options {
  size_t struct_size;
  int distances; /**< non-zero: every rectangle comes with its distances */
  int32_t sums;  /**< number of quantities, 0 ... 1024 */
  /** `sums` values > 0, copied: upper bounds of the absolute values of a cell's quantities. A bound sets
   * the fixed point: its quantity is rounded to bound / 2^62, or 2e-299. */
  const double *bound;
  /** NULL: statistics of each seed. Else for each seed the group that its cells are added to, copied. */
  const int32_t *group;
  int32_t groups; /**< groups are 0 ... groups - 1 */
} gv_statistics_options;

/** Sets the defaults: no distances, sums or groups. */
static inline void gv_statistics_options_init(gv_statistics_options *options) {
  const gv_statistics_options defaults = {sizeof(gv_statistics_options), 0, 0, NULL, NULL, 0};
  *options = defaults;
}

/**
 * Makes empty statistics. Memory: about 130 bytes a seed, 16 to 32 more with labels, and 32 a quantity.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param voronoi  must outlive the statistics. If it has labels, those of different seeds (or groups) must
 * differ from each other and from nodata.
 * @param options  NULL = defaults.
 * @param[out] out free it with gv_statistics_destroy.
 * @return GV_OK, INVALID_ARGUMENT, OUT_OF_MEMORY.
 */
GV_API gv_status gv_statistics_create(gv_context *context, const gv_voronoi *voronoi,
                                      const gv_statistics_options *options, gv_statistics **out);

/**
 * Frees statistics; NULL is allowed. No other thread may be using them.
 * @param statistics from gv_statistics_create.
 */
GV_API void gv_statistics_destroy(gv_statistics *statistics);

/**
 * One quantity over a rectangle. A row holds `count` values: value i is that of each single cell of columns
 * first[i] ... first[i + 1] - 1 (the last up to the end of the row), so that a coarse raster need not be
 * expanded to fine cells. first[0] is 0 and the numbers ascend. In the same way row r of values holds for the
 * rows first_row[r] ... first_row[r + 1] - 1.
 */
typedef struct gv_quantity {
  size_t struct_size;
  gv_dtype type;        /**< GV_FLOAT64; in device memory GV_FLOAT32 too */
  const void *value;    /**< value[r * stride + i] */
  int64_t stride;       /**< in values */
  const int32_t *first; /**< count values; NULL = one value for each cell. Host memory only */
  int32_t count;
  const int32_t *first_row; /**< `rows` values; NULL = one row for each row of cells. Host memory only */
  int32_t rows;
} gv_quantity;

/** Sets the defaults: a double for each cell. */
static inline void gv_quantity_init(gv_quantity *quantity) {
  const gv_quantity defaults = {sizeof(gv_quantity), GV_FLOAT64, NULL, 0, NULL, 0, NULL, 0};
  *quantity = defaults;
}

/** A rectangle of cells with their seeds, distances and quantities. */
typedef struct gv_statistics_cells {
  size_t struct_size;
  int64_t column, row;   /**< the first cell */
  int64_t columns, rows; /**< 0 = up to the grid's edge */
  /** seed[r * stride + c]: the first band as gv_voronoi_fill of the same `voronoi` writes it. In device
   * memory without labels; NULL there: the nearest seeds are computed. */
  const int32_t *seed;
  int64_t stride; /**< in values; 0 = columns */
  /** As gv_voronoi_measure computes it; ignored without `distances`, and in device memory (measured there) */
  const double *distance;
  int64_t distance_stride;     /**< in values; 0 = columns */
  const gv_quantity *quantity; /**< an array in host memory, one for each of `sums`; NULL without sums */
  int uniform; /**< non-zero: all cells have the seed of the first cell (gv_voronoi_fill). Host memory only */
  const struct gv_array_options *array_options; /**< of seed and the quantities' values; NULL = host memory */
} gv_statistics_cells;

/** Sets the defaults: all cells of the grid. */
static inline void gv_statistics_cells_init(gv_statistics_cells *cells) {
  const gv_statistics_cells defaults = {
      sizeof(gv_statistics_cells), 0, 0, 0, 0, NULL, 0, NULL, 0, NULL, 0, NULL};
  *cells = defaults;
}

/**
 * Adds a rectangle. Each cell must be added only once. Runs on the calling thread; any number of threads may
 * add at once, each with its own context.
 *
 * Arrays in device memory: the same bits, also if mixed with host memory; supported as for gv_voronoi_fill,
 * without labels. Device memory: about 100 bytes a seed (or group) and 32 a quantity of each, at most 1 GiB
 * for seeds that are computed, at most 512 MiB for distances.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param statistics from gv_statistics_create.
 * @param cells the rectangle; its arrays are read during the call only.
 * @return GV_OK, INVALID_ARGUMENT (also a value that belongs to no seed, a quantity that is not finite or
 * above its bound, or a `first` or `first_row` that does not ascend from 0 within the rectangle),
 * UNSUPPORTED, OUT_OF_MEMORY, DEVICE. After an error with host memory the statistics are invalid; only
 *         gv_statistics_destroy may be called. After an error with device memory they are unchanged.
 */
GV_API gv_status gv_statistics_add(gv_context *context, gv_statistics *statistics,
                                   const gv_statistics_cells *cells);

/** Statistics of one region. */
typedef struct gv_seed_statistics {
  size_t struct_size;
  int64_t cells;
  double area; /**< sum of the areas of its cells (gv_voronoi_cell_areas); NaN if they are unknown */
  /** Mean of the cells' distances, weighted by area (equally if unknown); NaN without cells or distances. */
  double distance_mean;
  double distance_max; /**< likewise */
  /** On the globe: longitude (-180, 180] of the mean of the cells' unit vectors, weighted by area; NaN if
   * that vector has no direction. Else the mean of the centers. NaN without cells */
  double centroid_x;
  double centroid_y; /**< latitude, or y */
} gv_seed_statistics;

/** Sets the size; the rest is written by gv_statistics_get. */
static inline void gv_seed_statistics_init(gv_seed_statistics *out) {
  const gv_seed_statistics defaults = {sizeof(gv_seed_statistics), 0, 0.0, 0.0, 0.0, 0.0, 0.0};
  *out = defaults;
}

/**
 * Returns the statistics of one seed or group (from 0) so far. Of seeds at one position the first has the
 * cells.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param statistics not changed.
 * @param seed number of the seed or group, from 0.
 * @param[in,out] out initialized by gv_seed_statistics_init.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_statistics_get(gv_context *context, const gv_statistics *statistics, int64_t seed,
                                   gv_seed_statistics *out);

/**
 * Returns one quantity of one seed or group.
 * @param context of the calling thread; threads, progress and message. NULL is an error.
 * @param statistics not changed.
 * @param seed number of the seed or group, from 0.
 * @param quantity           0 ... sums - 1.
 * @param[out] sum           its sum over the region's cells.
 * @param[out] distance_mean the mean of the cells' distances weighted by the quantity; NaN where the sum is
 * 0, and without distances; may be NULL.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_statistics_get_sum(gv_context *context, const gv_statistics *statistics, int64_t seed,
                                       int32_t quantity, double *sum, double *distance_mean);

/**
 * Returns the statistics of consecutive seeds or groups: gv_statistics_get for each.
 * @param context    of the calling thread.
 * @param statistics the statistics.
 * @param first      number of the first seed or group, from 0.
 * @param count      number of seeds or groups, 0 or more.
 * @param[out] out   array of the caller of `count` structs, of which the first is initialized
 * (gv_seed_statistics_init).
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_statistics_get_range(gv_context *context, const gv_statistics *statistics, int64_t first,
                                         int64_t count, gv_seed_statistics *out);

/**
 * Returns one quantity of consecutive seeds or groups: gv_statistics_get_sum for each.
 * @param context            of the calling thread.
 * @param statistics         the statistics.
 * @param first              number of the first seed or group, from 0.
 * @param count              number of seeds or groups, 0 or more.
 * @param quantity           0 ... sums - 1.
 * @param[out] sum           array of the caller of `count` values.
 * @param[out] distance_mean likewise, in the unit of distances; may be NULL.
 * @return GV_OK, INVALID_ARGUMENT.
 */
GV_API gv_status gv_statistics_get_sum_range(gv_context *context, const gv_statistics *statistics,
                                             int64_t first, int64_t count, int32_t quantity, double *sum,
                                             double *distance_mean);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_H */
