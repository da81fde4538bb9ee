/*
 * gpuvoronoi - exact nearest seeds: k-dimensional search and Voronoi ("allocation") rasters.
 *
 * SPDX-License-Identifier: MIT
 *
 * Conventions that hold for every function here:
 *   - Functions return a gv_status; 0 (GV_OK) is success. On failure the context holds one line of text
 *     (gv_context_message) and every output argument is left as it was, unless said otherwise.
 *   - Nothing prints, exits, aborts or resets a device.
 *   - The caller owns the arrays it passes in and out. Inputs of a build are copied unless said otherwise.
 *   - Option structs begin with `struct_size`; start from their *_INIT macro. Fields may be added at the end.
 *   - A gv_context belongs to one thread at a time (it carries the message). A gv_index or gv_voronoi is immutable
 *     once made: any number of threads may use it at once, each with a context of its own.
 *   - Examples are bodies of functions that have a `gv_context *context` and return 0; tests compile and run them.
 *   - Results do not depend on the backend, the number of threads or the block size: the same bytes everywhere.
 */
#ifndef GPUVORONOI_H
#define GPUVORONOI_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GV_VERSION_MAJOR  0
#define GV_VERSION_MINOR  1
#define GV_VERSION_PATCH  0
#define GV_VERSION_STRING "0.1.0"

#if defined(_WIN32)
#define GV_API __declspec(dllexport)
#elif defined(__GNUC__)
#define GV_API __attribute__((visibility("default")))
#else
#define GV_API
#endif

/* ---------------------------------------------------------------------------------------------------- status */

/*
 * Example:
 *     printf("library %s, header %s: %s\n", gv_version(), GV_VERSION_STRING, gv_status_name(GV_OK));
 */

typedef enum gv_status {
  GV_OK = 0,
  GV_ERROR_INVALID_ARGUMENT = 1, /* a NULL, a size, an option or a coordinate that makes no sense */
  GV_ERROR_OUT_OF_MEMORY = 2,    /* an allocation failed, on the host or on a device */
  GV_ERROR_UNKNOWN_BACKEND = 3,  /* no backend of that name */
  GV_ERROR_UNSUPPORTED = 4,      /* the backend cannot do this combination of metric, dimension, k */
  GV_ERROR_UNAVAILABLE = 5,      /* the backend cannot run on this machine (no GPU, no CUDA module, ...) */
  GV_ERROR_CANCELLED = 6,        /* the progress callback asked to stop */
  GV_ERROR_PROJECTION = 7,       /* a coordinate operation could not be set up or carried out */
  GV_ERROR_IO = 8,               /* reading or writing failed */
  GV_ERROR_DEVICE = 9,           /* a CUDA call failed */
  GV_ERROR_INTERNAL = 10         /* a bug in this library */
} gv_status;

/* A short English name of a status ("out of memory"); never NULL. */
GV_API const char *gv_status_name(gv_status status);

/* Version of the library in use, e.g. "0.1.0" (GV_VERSION_STRING is that of the header). */
GV_API const char *gv_version(void);

/* --------------------------------------------------------------------------------------------------- context */

/*
 * Example:
 *     gv_context_options options = GV_CONTEXT_OPTIONS_INIT;
 *     gv_context *two_threads = NULL;
 *     options.threads = 2;
 *     if (gv_context_create(&options, &two_threads) != GV_OK) return 1;
 *     printf("%d threads\n", gv_context_threads(two_threads));
 *     gv_context_destroy(two_threads);
 */

/* Threads, memory, progress and the last message. Not thread safe: one context a thread. */
typedef struct gv_context gv_context;

/*
 * Progress and cancel. `fraction` runs from 0 to 1. Called from one thread at a time, not necessarily the caller's.
 * Return non-zero to go on, 0 to cancel: the running function then returns GV_ERROR_CANCELLED soon.
 */
typedef int (*gv_progress_fn)(double fraction, void *user);

/* Allocator hooks, for embedding and for tests that make allocations fail. Must be thread safe. */
typedef void *(*gv_allocate_fn)(size_t bytes, void *user);
typedef void (*gv_release_fn)(void *memory, void *user);

typedef struct gv_context_options {
  size_t struct_size;
  int threads;             /* worker threads; 0 = as many as the machine has processors for this process */
  gv_progress_fn progress; /* may be NULL */
  void *progress_user;
  gv_allocate_fn allocate; /* both NULL = malloc/free */
  gv_release_fn release;
  void *allocate_user;
  int device; /* CUDA device for the backends that use one, numbered as by gv_device_get; -1 = the first usable one, or
                 all of them for backends that use several */
} gv_context_options;

#define GV_CONTEXT_OPTIONS_INIT                                                                                    \
  { sizeof(gv_context_options), 0, NULL, NULL, NULL, NULL, NULL, -1 }

/*
 * Makes a context. `options` may be NULL (all defaults). *out is set on success and is to be given back with
 * gv_context_destroy. Errors: INVALID_ARGUMENT (NULL out, negative threads, a device below -1, one allocator hook without the other),
 * OUT_OF_MEMORY. Whether there is such a device is found out by the first backend that wants it.
 */
GV_API gv_status gv_context_create(const gv_context_options *options, gv_context **out);

/* Frees a context; NULL is allowed. Objects made with it must be destroyed first. */
GV_API void gv_context_destroy(gv_context *context);

/* What went wrong in the last failed call made with this context: one line, no newline, "" if nothing did. The text
 * lives until the next failing call with the same context. */
GV_API const char *gv_context_message(const gv_context *context);

/* The number of worker threads the context uses (>= 1). */
GV_API int gv_context_threads(const gv_context *context);

/* Seconds that calls made with this context have spent in kernels on CUDA devices, without copies, measured by events and
 * added over streams and devices. 0 without CUDA. */
GV_API double gv_context_device_seconds(const gv_context *context);

/* --------------------------------------------------------------------------------------------------- metrics */

/*
 * Example:
 *     for (int m = GV_EUCLIDEAN; m <= GV_GEODESIC; m++)
 *       printf("%s\n", gv_metric_name((gv_metric)m));
 */

/*
 * Canonical distances, all in IEEE double without contraction, operands in dimension order; q is the query or cell,
 * s the reference or seed. Nearest means smallest canonical value; equal values go to the lowest index.
 */
typedef enum gv_metric {
  GV_EUCLIDEAN = 0,    /* sum (q-s)^2; reported as its root */
  GV_MANHATTAN = 1,    /* sum |q-s| */
  GV_CHEBYSHEV = 2,    /* max |q-s| */
  GV_GREAT_CIRCLE = 3, /* squared chord of unit vectors; reported as the arc on the sphere of radius (2a+b)/3 */
  GV_GEODESIC = 4      /* s12 of PROJ's geod_inverse(cell, seed) on the ellipsoid, in metres (Karney 2013) */
} gv_metric;

/*
 * The canonical distance from q to an edge, whose ends are a before b in one order (plane: by x, then y; great-circle arcs: by the unit
 * vectors' coordinates; else by latitude, then longitude), so an edge and its reverse give the same bits: the least of the distances to a
 * and to b as points, and, where the nearest point lies between them, with d = b - a, w from the nearer end to q, c = w x d:
 *
 *   euclidean c c / d.d    manhattan |c| / max(|dx|, |dy|)    chebyshev |c| / (|dx| + |dy|)
 *   great-circle arc, n = a x d, u = (w.n)^2 / n.n:   2 u / (1 + sqrt(1 - u))
 *   geodesics, and lines straight in longitude and latitude on the globe: the distance from q to the place on the edge that an iteration
 *   finds, whose operations are fixed (src/exact/edge_search.c, which proves it): at most 0.07 mm more than the least one.
 */

/* "euclidean", "manhattan", "chebyshev", "great-circle", "geodesic"; NULL for a value outside the enum. */
GV_API const char *gv_metric_name(gv_metric metric);

/* -------------------------------------------------------------------------------------------------- backends */

/*
 * Example:
 *     for (int number = 0; number < gv_backend_count(); number++) {
 *       gv_backend_info backend;
 *       if (gv_backend_get(number, &backend) != GV_OK) return 1;
 *       printf("%-16s %s %s\n", backend.name, backend.summary, backend.reason);
 *     }
 */

typedef struct gv_backend_info {
  const char *name;    /* e.g. "kdtree" */
  const char *summary; /* one line on the idea */
  int searches_points; /* non-zero: usable with gv_index_build */
  int allocates_grids; /* non-zero: usable with gv_voronoi_create ... */
  int weighted_grids;  /* ... and non-zero: with a weighting too */
  int available;       /* non-zero: can run on this machine now */
  const char *reason;  /* why not, when it cannot; "" otherwise. Static storage. */
} gv_backend_info;

/* Number of backends in the table, in the order gv_backend_get numbers them. */
GV_API int gv_backend_count(void);

/* Describes backend `number` (0 <= number < gv_backend_count()). All strings are static. Thread safe. */
GV_API gv_status gv_backend_get(int number, gv_backend_info *out);

/* --------------------------------------------------------------------------------------------------- devices */

/*
 * Example:
 *     int count = 0;
 *     if (gv_device_count(context, &count) != GV_OK) printf("%s\n", gv_context_message(context)); // no GPU is no failure
 *     for (int number = 0; number < count; number++) {
 *       gv_device_info device;
 *       if (gv_device_get(context, number, &device) != GV_OK) return 1;
 *       printf("%s %s\n", device.name, device.reason);
 *     }
 */

/* One GPU as the CUDA runtime numbers them (CUDA_VISIBLE_DEVICES counts). */
typedef struct gv_device_info {
  char name[256];    /* e.g. "NVIDIA H200" */
  char pci[32];      /* PCI bus address, e.g. "0000:41:00.0" */
  int compute_major; /* compute capability, e.g. 9 and 0 */
  int compute_minor;
  int multiprocessors;        /* number of streaming multiprocessors */
  int clock_mhz;              /* peak clock; 0 = unknown */
  int64_t memory_bytes;       /* total device memory */
  int64_t free_memory_bytes;  /* free now; 0 on a device that is not usable */
  int64_t l2_bytes;           /* size of the L2 cache */
  int64_t shared_block_bytes; /* shared memory a block can opt in to */
  int usable;                 /* non-zero: this library's kernels run on it now */
  char reason[256];           /* why not, when it is not usable; "" otherwise */
} gv_device_info;

/*
 * Number of CUDA devices. Without any, GV_ERROR_UNAVAILABLE and a message that tells the reasons apart: no
 * CUDA module, no NVIDIA driver, driver too old for this build, no device. *count is then 0.
 */
GV_API gv_status gv_device_count(gv_context *context, int *count);

/*
 * Describes device `number` (0 <= number < count). Makes that device's CUDA context if this process has none yet,
 * and leaves the calling thread's current device as it was. A device that cannot be used (no machine code for its
 * architecture, busy, in exclusive mode, ...) is described too, with `usable` 0: that is no error.
 * Errors: as gv_device_count, INVALID_ARGUMENT, DEVICE.
 */
GV_API gv_status gv_device_get(gv_context *context, int number, gv_device_info *out);

/*
 * How long the context's device takes to set `bytes` of its own memory, in seconds, by events, the median of a few times:
 * the limit of whatever writes that much. Errors: INVALID_ARGUMENT, UNAVAILABLE, OUT_OF_MEMORY, DEVICE.
 */
GV_API gv_status gv_device_fill_seconds(gv_context *context, int64_t bytes, double *seconds);

/*
 * Where the arrays of a call lie. GV_MEMORY_CUDA: on a CUDA device, all of them on the same one, in memory of its primary context, as
 * cudaMalloc, CuPy and torch give it. The call waits for `stream` (a cudaStream_t; NULL: the default stream) before it looks at them, works
 * in streams of its own, waits for nothing else on the device, and has written its answers when it returns. Nothing of the arrays
 * is copied to the host. An error of the caller's own work in the stream may be what the call reports, as GV_ERROR_DEVICE.
 *
 * GV_ERROR_UNSUPPORTED: a processor's backend, cuda-multigpu, or a function that does not say that it takes such arrays.
 * GV_ERROR_INVALID_ARGUMENT: an array lies somewhere else.
 */
typedef enum gv_memory { GV_MEMORY_HOST = 0, GV_MEMORY_CUDA = 1 } gv_memory;

/* ---------------------------------------------------------------------------------- k-dimensional neighbours */

/*
 * Example:
 *     const double places[] = {0, 0, 3, 4, 10, 0}, position[] = {2, 3}; // three points of the plane, a query
 *     gv_points reference = {places, 3, 2, GV_FLOAT64}, query = {position, 1, 2, GV_FLOAT64};
 *     gv_search_options nearest_two = GV_SEARCH_OPTIONS_INIT;
 *     gv_index *index = NULL;
 *     int64_t neighbour[2] = {-1, -1};
 *     double distance[2];
 *     nearest_two.k = 2;
 *     gv_status status = gv_index_build(context, &reference, NULL, &index);
 *     if (status == GV_OK) status = gv_index_search(context, index, &query, &nearest_two, neighbour, distance);
 *     gv_index_destroy(index);
 *     if (status != GV_OK || neighbour[0] != 1 || neighbour[1] != 0 || distance[0] != sqrt(2)) return 1;
 */

/* Numbers in arrays. Coordinates and distances are floats; cells of rasters may be of any of these types. */
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

/* A row-major array of count points of dim coordinates. float32 is widened to double before any arithmetic. */
typedef struct gv_points {
  const void *data; /* count x dim values of `dtype`; may be NULL only if count is 0 */
  int64_t count;
  int32_t dim; /* 1 ... 4096 */
  gv_dtype dtype;
} gv_points;

/*
 * Whether a backend that searches points covers a metric and type of points and k neighbours, wherever it can run.
 * GV_ERROR_UNSUPPORTED: it does not, and *reason says why in a few words (static storage; may be NULL if nobody wants to
 * know). GV_ERROR_INVALID_ARGUMENT: no such backend. *max_dim (may be NULL) becomes the largest dimension it takes.
 */
GV_API gv_status gv_backend_supports(int number, gv_metric metric, gv_dtype type, int32_t k, int32_t *max_dim,
                                     const char **reason);

/* A reference set prepared for searching by one backend. Immutable; shared by threads. */
typedef struct gv_index gv_index;

typedef struct gv_index_options {
  size_t struct_size;
  const char *backend;      /* a name from the table; NULL or "auto" lets the library choose */
  gv_metric metric;         /* GV_EUCLIDEAN, GV_MANHATTAN or GV_CHEBYSHEV */
  int32_t expected_k;       /* hint for "auto": the k searched for most; 0 = 1 */
  int64_t expected_queries; /* hint for "auto": 0 = unknown */
  void *stream;             /* of `memory` */
  gv_memory memory; /* of the reference points; with GV_MEMORY_CUDA "auto" chooses among the backends of GPUs */
} gv_index_options;

#define GV_INDEX_OPTIONS_INIT                                                                                      \
  { sizeof(gv_index_options), NULL, GV_EUCLIDEAN, 0, 0, NULL, GV_MEMORY_HOST }

/*
 * Copies the reference points and builds an index over them.
 * reference: count >= 1 points, all finite. options may be NULL.
 * Errors: INVALID_ARGUMENT (message names the first bad row), UNKNOWN_BACKEND, UNSUPPORTED, UNAVAILABLE,
 * OUT_OF_MEMORY, CANCELLED. Uses the context's threads and progress.
 */
GV_API gv_status gv_index_build(gv_context *context, const gv_points *reference, const gv_index_options *options,
                                gv_index **out);

/* Frees an index; NULL is allowed. No thread may be searching it. */
GV_API void gv_index_destroy(gv_index *index);

/* Facts about an index: number of points, dimension, and the backend that "auto" chose (static string). */
GV_API int64_t gv_index_count(const gv_index *index);
GV_API int32_t gv_index_dim(const gv_index *index);
GV_API const char *gv_index_backend(const gv_index *index);

typedef struct gv_search_options {
  size_t struct_size;
  int32_t k;           /* neighbours a query, 1 ... 1024 */
  double max_distance; /* inclusive, in true distance (not squared); INFINITY = no limit; >= 0 */
  int exclude_self;    /* non-zero: reference i is no neighbour of query i (its duplicates are) */
  void *stream;        /* of `memory` */
  gv_memory memory;    /* gv_index_search: of queries, indices and distances, wherever the index was built from */
} gv_search_options;

#define GV_SEARCH_OPTIONS_INIT                                                                                     \
  { sizeof(gv_search_options), 1, INFINITY, 0, NULL, GV_MEMORY_HOST }

/*
 * For each query the k nearest reference points by (canonical distance, index), nearest first.
 * queries: count x dim of the index's dim; NULL = the reference set itself. With exclude_self the count must equal
 * the reference count (query i is reference i).
 * indices:   count x k, row-major, caller-owned; -1 where there are fewer than k neighbours.
 * distances: count x k true distances (double), +inf where there is none; may be NULL.
 * Errors: INVALID_ARGUMENT (also NaN or infinite queries; message names the row), UNSUPPORTED, OUT_OF_MEMORY,
 * CANCELLED, DEVICE. After an error the output arrays hold unspecified values.
 */
GV_API gv_status gv_index_search(gv_context *context, const gv_index *index, const gv_points *queries,
                                 const gv_search_options *options, int64_t *indices, double *distances);

/* ------------------------------------------------------------------------------------------ Voronoi of a grid */

/*
 * Example:
 *     const double lon[] = {13.4, -0.1, 2.35}, lat[] = {52.5, 51.5, 48.85}; // Berlin, London, Paris
 *     const double geotransform[] = {-10, 0.5, 0, 60, 0, -0.5};
 *     static int32_t nearest[40][60];
 *     gv_grid grid = GV_GRID_INIT;
 *     gv_seeds seeds = {lon, lat, 3};
 *     gv_voronoi_options options = GV_VORONOI_OPTIONS_INIT;
 *     gv_voronoi *voronoi = NULL;
 *     grid.kind = GV_GRID_LONLAT;
 *     grid.width = 60;
 *     grid.height = 40;
 *     memcpy(grid.geotransform, geotransform, sizeof geotransform);
 *     options.metric = GV_GEODESIC;
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, &options, &voronoi);
 *     if (status == GV_OK) status = gv_voronoi_compute(context, voronoi, &nearest[0][0], 60);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK || nearest[0][0] != 1) return 1; // 60 N, 10 W: London
 */

typedef enum gv_grid_kind {
  GV_GRID_PLANE = 0,     /* cells and seeds share plane coordinates; euclidean, manhattan, chebyshev */
  GV_GRID_LONLAT = 1,    /* cells and seeds are longitude, latitude in degrees; great-circle, geodesic */
  GV_GRID_PROJECTED = 2, /* cells are projected, `inverse` gives their longitude, latitude; seeds are lon, lat */
  GV_GRID_QTM = 3 /* cells are the triangles of a QTM level, in the order of gv_qtm_number; seeds are lon, lat */
} gv_grid_kind;

/*
 * Turns n positions in place from the grid's coordinates to longitude, latitude in degrees. A position without an
 * inverse becomes HUGE_VAL, HUGE_VAL (its cell is left without a seed). Must be thread safe and give the same
 * result for a position whatever the company it comes in. Returns 0 on success.
 */
typedef int (*gv_inverse_fn)(double *x, double *y, int64_t n, void *user);

/*
 * A raster grid: cell (column, row) has its centre at
 *   x = (g[0] + (column + 0.5) * g[1]) + (row + 0.5) * g[2],  y likewise with g[3..5]   (GDAL's geotransform).
 * Lon/lat grids must not be rotated (g[2] = g[4] = 0). Longitudes may leave [-180, 180]; latitudes of centres may
 * not leave [-90, 90].
 *
 * With `level` from 0 to GV_QTM_MAX_GRID_LEVEL the cells that ask for their nearest seed are the triangles of that QTM
 * level, at their centres (gv_qtm_center_vector). GV_GRID_QTM lists them: one row of gv_qtm_count(level) cells, in the
 * order of their numbers (width and height are set by the library, geotransform is not looked at). On a LONLAT or
 * PROJECTED grid each cell of the raster carries the answer of the triangle that its centre lies in, by the rule of
 * gv_qtm_from_lonlat.
 */
typedef struct gv_grid {
  size_t struct_size;
  gv_grid_kind kind;
  int64_t width, height;
  double geotransform[6];
  double semi_major;     /* a in metres; 0 = WGS 84. Used by the globe's metrics only. */
  double flattening;     /* f = (a-b)/a; with semi_major 0 also WGS 84's */
  gv_inverse_fn inverse; /* GV_GRID_PROJECTED only */
  void *inverse_user;
  int level; /* of the QTM mesh; GV_QTM_NONE = the raster's own cells ask */
} gv_grid;

#define GV_QTM_NONE           (-1)
#define GV_QTM_MAX_GRID_LEVEL 20

#define GV_GRID_INIT                                                                                               \
  { sizeof(gv_grid), GV_GRID_PLANE, 0, 0, {0, 1, 0, 0, 0, 1}, 0.0, 0.0, NULL, NULL, GV_QTM_NONE }

/* Seeds of a grid: count pairs x[i], y[i] (longitude and latitude in degrees on the globe). */
typedef struct gv_seeds {
  const double *x, *y;
  int64_t count; /* 1 ... 2^31 - 1 */
} gv_seeds;

/* Lines and polygons as seeds: gv_features. */
#include "gpuvoronoi_features.h"

/*
 * Weighted distances: what counts is not a seed's distance d but a value made of it and the seed's weight w, with these
 * canonical definitions (IEEE double, no contraction, operands as written; c is the metric's canonical value):
 *
 *                      euclidean         manhattan, chebyshev   great-circle      geodesic
 *   GV_MULTIPLICATIVE  c / (w * w)       c / w                  arc / w           c / w
 *   GV_ADDITIVE        sqrt(c) + w       c + w                  arc + w           c + w
 *   GV_POWER           c - w             -                      arc * arc - w     -
 *
 * arc is the great-circle distance in metres, made of the squared chord with square roots, additions and multiplications
 * only, so that every processor gives the same bits. Least value wins, ties go to the lowest seed number.
 */
typedef enum gv_weighting {
  GV_UNWEIGHTED = 0,
  GV_MULTIPLICATIVE = 1, /* d / w; w in 1e-100 ... 1e100 */
  GV_ADDITIVE = 2,       /* d + w; w finite, in units of distance */
  GV_POWER = 3           /* d^2 - w; w finite, in squared units of distance; euclidean and great-circle */
} gv_weighting;

#define GV_VORONOI_MAX_K 64

typedef struct gv_voronoi_options {
  size_t struct_size;
  const char *backend; /* "auto" or NULL, "tile", "serial", ... */
  gv_metric metric;
  int32_t block_width, block_height; /* cells handled at once; 0 = 512. Has no influence on results.
                                        GV_GRID_QTM: the width goes down to a power of 4, up to 4^10; 0 = 4^8 */
  const int32_t *labels; /* value written for each seed (count values, copied); NULL = the seed's number from 0 */
  int32_t nodata; /* value of cells that have no seed: no inverse projection, masked, none within max_distance */
  int32_t k;      /* nearest seeds a cell, 1 ... GV_VORONOI_MAX_K; 0 counts as 1 */
  double max_distance; /* seeds farther away do not count: inclusive, the plain distance (unweighted, no square),
                            metres on the globe, units of the plane there; INFINITY = no limit */
  gv_weighting weighting;
  const double *weights;       /* of each seed (count values, copied); NULL if unweighted */
  const gv_features *features; /* the seeds, copied; gv_voronoi_create's `seeds` is then NULL. NULL = points */
} gv_voronoi_options;

#define GV_VORONOI_OPTIONS_INIT                                                                                    \
  { sizeof(gv_voronoi_options), NULL, GV_EUCLIDEAN, 0, 0, NULL, -1, 1, INFINITY, GV_UNWEIGHTED, NULL, NULL }

/* The Voronoi allocation of one grid, ready to be computed block by block. Immutable; shared by threads. */
typedef struct gv_voronoi gv_voronoi;

/*
 * Checks grid, seeds and weights (finite, latitudes in range, metric fits the grid's kind) and copies the seeds. The grid's
 * `inverse` and its user data must outlive the object. With options->features the seeds are lines and polygons; of the backends `tile`,
 * `openmp` and `serial` take them. Errors: INVALID_ARGUMENT, UNKNOWN_BACKEND, UNSUPPORTED, UNAVAILABLE, OUT_OF_MEMORY, CANCELLED;
 * where a GPU is needed, some may be said by gv_voronoi_fill only.
 */
GV_API gv_status gv_voronoi_create(gv_context *context, const gv_grid *grid, const gv_seeds *seeds,
                                   const gv_voronoi_options *options, gv_voronoi **out);

GV_API void gv_voronoi_destroy(gv_voronoi *voronoi);

/* The backend in use (static string; with "auto" it becomes "tile" where a device has failed) and the number of blocks across and
 * down. */
GV_API const char *gv_voronoi_backend(const gv_voronoi *voronoi);
GV_API int64_t gv_voronoi_blocks_across(const gv_voronoi *voronoi);
GV_API int64_t gv_voronoi_blocks_down(const gv_voronoi *voronoi);

/* A block of cells to compute: where it is, which of its cells are wanted, and where they go. */
typedef struct gv_block {
  size_t struct_size;
  int64_t column, row; /* which block */
  const uint8_t
      *mask; /* mask[r * mask_stride + c] of the block's cells: 0 = leave out (nodata); NULL = all cells */
  int64_t mask_stride;
  int32_t *
      out; /* band b (0 ... k - 1: the b + 1st nearest seed), row r, column c: out[b * band_stride + r * stride + c] */
  int64_t stride, band_stride; /* in cells; band_stride is not looked at when k is 1 */
  int32_t *
      uniform; /* not NULL: becomes 1 where all cells of the block are known to have one answer, and only the first cell of each
                       band is written then; else 0 */
} gv_block;

#define GV_BLOCK_INIT                                                                                              \
  { sizeof(gv_block), 0, 0, NULL, 0, NULL, 0, 0, NULL }

/*
 * Computes one block. Blocks at the right and lower edge may be partial: only cells inside the grid are written (and
 * only their part of the mask is read). Bands without a seed (fewer than k, none within max_distance) hold nodata. Runs
 * on the calling thread; safe to call from many threads at once, each with a context of its own. What `out` held before
 * has no influence, but may be read. Errors: INVALID_ARGUMENT, PROJECTION, OUT_OF_MEMORY, DEVICE.
 */
GV_API gv_status gv_voronoi_fill(gv_context *context, const gv_voronoi *voronoi, const gv_block *block);

/* gv_voronoi_fill of all cells of block (column, row), bands one after another: band_stride is stride x rows of the
 * block. */
GV_API gv_status gv_voronoi_block(gv_context *context, const gv_voronoi *voronoi, int64_t block_column,
                                  int64_t block_row, int32_t *out, int64_t stride);

/* Computes the whole grid into out[row * stride + column], bands stride x height apart, with the context's threads and
 * progress. */
GV_API gv_status gv_voronoi_compute(gv_context *context, const gv_voronoi *voronoi, int32_t *out, int64_t stride);

/*
 * Distances and directions from the cells of one block to their seeds. Start from GV_MEASURE_INIT.
 *
 * `seed` holds seed numbers (from 0) as the library writes them without labels; band b, row r, column c of the block is
 * seed[b * band_stride + r * stride + c], and likewise with the out_ strides for distance and azimuth. Only cells inside
 * the grid are read and written. GV_GRID_QTM: a block is one row.
 */
typedef struct gv_measure {
  size_t struct_size;
  int64_t column, row;         /* which block */
  int32_t bands;               /* >= 1 */
  const int32_t *seed;         /* < 0: none */
  int64_t stride, band_stride; /* of seed, in values */
  gv_dtype type;               /* of distance; computed in double, rounded once */
  void *distance; /* may be NULL. Plane units; on the globe metres. NaN where there is no seed or no place */
  float
      *azimuth; /* may be NULL. Degrees clockwise from true north (on the plane from +y), [0, 360); NaN likewise */
  int64_t out_stride, out_band_stride;
  int signed_distance; /* features: within a polygon minus the distance to the boundary of the cell's own feature */
} gv_measure;

#define GV_MEASURE_INIT                                                                                            \
  { sizeof(gv_measure), 0, 0, 1, NULL, 0, 0, GV_FLOAT32, NULL, NULL, 0, 0, 0 }

/*
 * Measures one block with the metric of `voronoi`, unweighted: the root of the sum of squares, the sum or the largest
 * of the plane's differences; the arc on the sphere of radius (2a+b)/3; the geodesic, within 1.6e-14 a (0.1 micrometres
 * on the Earth) of geod_inverse. Arcs are made of chords, which hardly change near the antipodes: on the Earth within 1
 * micrometre up to 179.5 degrees, 0.3 m at 180. A cell at its seed's place is at distance 0 and azimuth 0.
 *
 * Features: the distance to the nearest point, 0 within a polygon, where the azimuth is NaN; geodesics as the canonical distance
 * has them.
 *
 * The azimuth is the direction in which the great circle, the geodesic or the straight line leaves the cell, within
 * 1e-6 degrees before it is rounded to float. A cell at a pole has the longitude of its column (a projected grid's or triangle's: 0).
 *
 * Runs on the calling thread, by way of it on a device with the backend `cuda-tile` and, for large grids, `auto`; safe to call from
 * many threads at once, each with a context of its own. Errors: INVALID_ARGUMENT (also a seed number beyond the last), OUT_OF_MEMORY,
 * PROJECTION, and of a device that was asked for UNAVAILABLE, DEVICE; after one the outputs hold
 * unspecified values.
 */
GV_API gv_status gv_voronoi_measure(gv_context *context, const gv_voronoi *voronoi, const gv_measure *measure);

/*
 * Area of every cell of block (column, row) into area[r * stride + c]. GV_GRID_LONLAT and GV_GRID_QTM: square metres
 * on the grid's ellipsoid, of the part of the cell that lies between the poles; cells of the mesh have edges that are
 * straight in the ZOT plane (see gv_qtm_area). GV_GRID_PLANE and GV_GRID_PROJECTED: |g1 g5 - g2 g4|, square units of the
 * plane. Relative error below 1e-13. Errors: INVALID_ARGUMENT.
 */
GV_API gv_status gv_voronoi_cell_areas(gv_context *context, const gv_voronoi *voronoi, int64_t block_column,
                                       int64_t block_row, double *area, int64_t stride);

/* --------------------------------------------------------------------------------------- statistics of regions */

/*
 * Example:
 *     const double x[] = {2, 7}, y[] = {5, 5}; // two seeds, a plane of 10 x 10 cells of size 1
 *     int32_t seed[100];
 *     gv_grid grid = GV_GRID_INIT;
 *     gv_seeds seeds = {x, y, 2};
 *     gv_block block = GV_BLOCK_INIT;
 *     gv_statistics_block counted = GV_STATISTICS_BLOCK_INIT;
 *     gv_seed_statistics first;
 *     gv_voronoi *voronoi = NULL;
 *     gv_statistics *statistics = NULL;
 *     grid.width = grid.height = 10;
 *     block.out = seed;
 *     block.stride = 10;
 *     counted.seed = seed;
 *     counted.stride = 10;
 *     gv_status status = gv_voronoi_create(context, &grid, &seeds, NULL, &voronoi);
 *     if (status == GV_OK) status = gv_statistics_create(context, voronoi, NULL, &statistics);
 *     if (status == GV_OK) status = gv_voronoi_fill(context, voronoi, &block); // the only one; else each, in any order
 *     if (status == GV_OK) status = gv_statistics_add(context, statistics, &counted);
 *     if (status == GV_OK) status = gv_statistics_get(context, statistics, 0, &first, NULL);
 *     gv_statistics_destroy(statistics);
 *     gv_voronoi_destroy(voronoi);
 *     if (status != GV_OK || first.cells != 50) return 1; // the cell centres at 4.5 tie, and go to the lower number
 */

/*
 * What each seed's region amounts to: cells, area, distances, centroid, and sums of quantities given cell by cell (people,
 * say). Blocks are added in any order and by any number of threads; all sums are exact sums of integers (fixed point), so
 * the results have the same bits whatever the order, the threads and the size of the blocks. For k > 1 it is the first
 * band, the nearest seed, that is added.
 */
typedef struct gv_statistics gv_statistics;

typedef struct gv_statistics_options {
  size_t struct_size;
  int distances;        /* non-zero: every block comes with its distances */
  int32_t sums;         /* number of quantities, 0 ... 1024 */
  const double *bound;  /* sums values, copied: no cell's quantity exceeds it in size; > 0. It sets the fixed point:
                           a cell's quantity is kept to bound / 2^62, or 2e-299 */
  const int32_t *group; /* NULL: each seed by itself. Else of each seed the group that its cells count for, copied;
                           several seeds of one id, say */
  int32_t groups;       /* their numbers are 0 ... groups - 1; not looked at without `group` */
} gv_statistics_options;

#define GV_STATISTICS_OPTIONS_INIT                                                                                 \
  { sizeof(gv_statistics_options), 0, 0, NULL, NULL, 0 }

/* `voronoi` must outlive the statistics; if it was made with labels, these must tell its seeds (its groups, if there are some)
 * apart, and differ from nodata. Memory: about 130 bytes a seed, 16 to 32 more with labels, and 32 a quantity. options may be NULL.
 * Errors: INVALID_ARGUMENT, OUT_OF_MEMORY. */
GV_API gv_status gv_statistics_create(gv_context *context, const gv_voronoi *voronoi,
                                      const gv_statistics_options *options, gv_statistics **out);

/* NULL is allowed. No thread may be adding. */
GV_API void gv_statistics_destroy(gv_statistics *statistics);

/*
 * One quantity over a block. A row holds `count` values: value i stands for each single cell of columns first[i] up to
 * first[i + 1] of the block (the last one up to the end of the row), so that a coarse raster need not be spread over
 * fine cells. first[0] is 0, and the numbers ascend. first NULL: one value a cell. In the same way row r of values serves
 * rows first_row[r] up to first_row[r + 1] of the block; first_row NULL: one row of cells.
 */
typedef struct gv_quantity {
  const double *value;  /* value[r * stride + i] */
  const int32_t *first; /* count values, or NULL */
  int32_t count;
  int64_t stride;           /* in values */
  const int32_t *first_row; /* `rows` numbers, or NULL */
  int32_t rows;
} gv_quantity;

typedef struct gv_statistics_block {
  size_t struct_size;
  int64_t column, row; /* which block of `voronoi` */
  const int32_t *seed; /* the first band as gv_voronoi_fill of the same `voronoi` writes it, row by row */
  int64_t stride;
  const double *distance; /* as gv_voronoi_measure gives it; not looked at without `distances` */
  int64_t distance_stride;
  const gv_quantity *quantity; /* one for each of `sums` */
  int uniform; /* non-zero: all cells have the seed of the first, and no other is read (see gv_block.uniform) */
} gv_statistics_block;

#define GV_STATISTICS_BLOCK_INIT                                                                                   \
  { sizeof(gv_statistics_block), 0, 0, NULL, 0, NULL, 0, NULL, 0 }

/*
 * Adds a block; each block once. Safe to call from many threads at once, each with a context of its own.
 * Errors: INVALID_ARGUMENT (also a value that is no seed's, a quantity that is not finite or above its bound, or whose `first`
 * or `first_row` do not ascend from 0 within the block),
 * OUT_OF_MEMORY; after one the statistics are of no use.
 */
GV_API gv_status gv_statistics_add(gv_context *context, gv_statistics *statistics,
                                   const gv_statistics_block *block);

typedef struct gv_seed_statistics {
  int64_t cells;
  double area;          /* GV_GRID_LONLAT, GV_GRID_QTM: true area, square metres; else square units of the plane */
  double distance_mean; /* of the cells' distances, by area; NaN without cells or distances */
  double distance_max;
  /* GV_GRID_LONLAT, GV_GRID_QTM: longitude (-180 ... 180] and latitude in degrees of the mean of the cells' unit vectors by
   * area; NaN where that has no direction. Else the mean of the cells' centres, units of the plane. NaN without cells. */
  double centroid_x, centroid_y;
} gv_seed_statistics;

typedef struct gv_sum_statistics {
  double sum;           /* of the quantity */
  double distance_mean; /* of the cells' distances, by the quantity; NaN where the sum is 0 or without distances */
} gv_sum_statistics;

/* What one seed, or group, (numbered from 0) has got so far. Of seeds at one place the first has the cells. `sums`: one for each
 * quantity, may be NULL. Errors: INVALID_ARGUMENT. */
GV_API gv_status gv_statistics_get(gv_context *context, const gv_statistics *statistics, int64_t seed,
                                   gv_seed_statistics *out, gv_sum_statistics *sums);

/* ---------------------------------------------------------------------------------------------- QTM: mesh cells */

/*
 * Example:
 *     gv_qtm_id cell, neighbours[3];
 *     char digits[GV_QTM_STRING_SIZE];
 *     double longitude, latitude;
 *     if (gv_qtm_from_lonlat(13.4, 52.5, 9, &cell) != GV_OK) return 1;
 *     if (gv_qtm_to_string(cell, digits, sizeof digits) != GV_OK || strlen(digits) != 10) return 1;
 *     if (gv_qtm_neighbors(cell, neighbours) != GV_OK || gv_qtm_center(cell, &longitude, &latitude) != GV_OK) return 1;
 *     if (fabs(longitude - 13.4) > 0.2 || fabs(latitude - 52.5) > 0.2) return 1;
 */

/*
 * Dutton's quaternary triangular mesh: the octahedron's eight faces, each split in four again and again at the edge
 * midpoints of the ZOT projection (colatitude and longitude are linear along an octant's rows). Level L has 8 x 4^L
 * triangles. See docs/qtm.md for the definitions.
 *
 * These functions are pure: no context, no message, no memory, safe in any thread. Where one fails
 * (GV_ERROR_INVALID_ARGUMENT) its outputs are left as they were.
 */

/* A cell of any level. Bits 62-59 hold the octant (1 ... 8), then two bits a digit, a 1 bit that ends the digits, and
 * zeros: so an id knows its level, is positive, and a cell's descendants are the ids around it. 0 is no cell. */
typedef int64_t gv_qtm_id;

#define GV_QTM_MAX_LEVEL   29
#define GV_QTM_STRING_SIZE 31 /* bytes of the longest digit string: octant, 29 digits, NUL */

/*
 * The cell of `level` (0 ... GV_QTM_MAX_LEVEL) that a place belongs to, decided exactly for the doubles given. Degrees;
 * longitudes wrap, +-180 is in octant 3 (7), the equator in the north, meridians in the octant to their east, the poles
 * in octants 1 and 5. A place on an edge goes to the corner cell of the two that the edge parts, at the level where the
 * edge appears; the midpoint of an edge to the lower basis number.
 * Errors: a level out of range, a longitude that is not finite, a latitude not in [-90, 90].
 */
GV_API gv_status gv_qtm_from_lonlat(double longitude, double latitude, int level, gv_qtm_id *id);

/* Non-zero for the id of a cell. */
GV_API int gv_qtm_is_valid(gv_qtm_id id);

/* Level (0 ... 29) and octant (1 ... 4 north from 0 degrees eastward, 5 ... 8 south); -1 for an invalid id. */
GV_API int gv_qtm_level(gv_qtm_id id);
GV_API int gv_qtm_octant(gv_qtm_id id);

/* Dutton's notation: the octant's digit and one digit 0 ... 3 a level, e.g. "1133013130312011310", with a NUL. `size` of
 * `text` must be at least level + 2 (GV_QTM_STRING_SIZE is always enough). Errors: an invalid id, a short buffer. */
GV_API gv_status gv_qtm_to_string(gv_qtm_id id, char *text, size_t size);

/* Reads such a string, nothing before or after it. Errors: NULL, anything else. */
GV_API gv_status gv_qtm_from_string(const char *text, gv_qtm_id *id);

/* Number of cells of a level, 8 x 4^level; -1 for a level out of range. */
GV_API int64_t gv_qtm_count(int level);

/* Cells of a level in the order of their digit strings: number 0 ... gv_qtm_count(level) - 1. A cell's children have
 * the numbers 4 x number + child. gv_qtm_number gives -1 for an invalid id. */
GV_API gv_status gv_qtm_from_number(int level, int64_t number, gv_qtm_id *id);
GV_API int64_t gv_qtm_number(gv_qtm_id id);

/* The cell of a coarser (or the same) level that contains this one. Errors: an invalid id, a level out of range. */
GV_API gv_status gv_qtm_ancestor(gv_qtm_id id, int level, gv_qtm_id *ancestor);

/* The cell one level up. Errors: an invalid id, level 0. */
GV_API gv_status gv_qtm_parent(gv_qtm_id id, gv_qtm_id *parent);

/* The four cells one level down: 0 the centre, 1 ... 3 at the corner of that basis number. Errors: an invalid id, level
 * GV_QTM_MAX_LEVEL. */
GV_API gv_status gv_qtm_children(gv_qtm_id id, gv_qtm_id children[4]);

/*
 * Corners in degrees, counter-clockwise seen from outside, starting with basis number 1. Any output may be NULL.
 * Corners that cells share have the same numbers, except for longitudes at +-180 (180 in octants 2 and 6, -180 in 3 and
 * 7), and at the poles (the middle of the octant), so that a cell never reaches across the map.
 */
GV_API gv_status gv_qtm_corners(gv_qtm_id id, double longitude[3], double latitude[3], int basis[3]);

/* The three cells of the same level across the edges; number i lies opposite corner i of gv_qtm_corners. */
GV_API gv_status gv_qtm_neighbors(gv_qtm_id id, gv_qtm_id neighbors[3]);

/* The centre: the normalised sum of the corners' unit vectors. As a unit vector, the canonical position that distances
 * are measured from, and in degrees. */
GV_API gv_status gv_qtm_center_vector(gv_qtm_id id, double vector[3]);
GV_API gv_status gv_qtm_center(gv_qtm_id id, double *longitude, double *latitude);

/* Area on the unit sphere, in steradians, of the cell whose edges are straight in the ZOT plane (so the cells tile the
 * sphere); relative error below 1e-13. Multiply by the radius squared. NaN for an invalid id. */
GV_API double gv_qtm_area(gv_qtm_id id);

/* ------------------------------------------------------------------------------------- neighbours on the globe */

/*
 * Example:
 *     const double lon[] = {13.4, -0.1, 2.35}, lat[] = {52.5, 51.5, 48.85}, x = -179.9, y = 60;
 *     gv_seeds seeds = {lon, lat, 3}, query = {&x, &y, 1};
 *     gv_globe_index *index = NULL;
 *     int64_t nearest = -1;
 *     double metres;
 *     gv_status status = gv_globe_index_build(context, &seeds, NULL, &index);
 *     if (status == GV_OK) status = gv_globe_index_search(context, index, &query, NULL, &nearest, &metres);
 *     gv_globe_index_destroy(index);
 *     if (status != GV_OK || nearest != 0 || metres < 7e6) return 1; // Berlin, over the pole
 */

/* Seeds on the globe prepared for searching from any positions. Immutable; shared by threads. */
typedef struct gv_globe_index gv_globe_index;

typedef struct gv_globe_options {
  size_t struct_size;
  const char *backend; /* searches by chord: as in gv_index_options */
  gv_metric metric;    /* GV_GEODESIC or GV_GREAT_CIRCLE */
  double semi_major;   /* a in metres; 0 = WGS 84 */
  double flattening;   /* f = (a-b)/a; with semi_major 0 also WGS 84's */
} gv_globe_options;

#define GV_GLOBE_OPTIONS_INIT                                                                                      \
  { sizeof(gv_globe_options), NULL, GV_GEODESIC, 0.0, 0.0 }

/*
 * Copies the seeds (longitude, latitude in degrees; longitudes wrap) and builds an index over them. options may be NULL.
 * Errors: INVALID_ARGUMENT (message names the first bad seed), UNSUPPORTED, UNKNOWN_BACKEND, UNAVAILABLE,
 * OUT_OF_MEMORY, CANCELLED.
 */
GV_API gv_status gv_globe_index_build(gv_context *context, const gv_seeds *seeds, const gv_globe_options *options,
                                      gv_globe_index **out);

/* Frees an index; NULL is allowed. No thread may be searching it. */
GV_API void gv_globe_index_destroy(gv_globe_index *index);

/* The backend that searches by chord (static string). */
GV_API const char *gv_globe_index_backend(const gv_globe_index *index);

/*
 * As gv_index_search, for queries in degrees (NULL = the seeds themselves): the k nearest seeds by (canonical distance,
 * index). Distances and options->max_distance are in metres.
 */
GV_API gv_status gv_globe_index_search(gv_context *context, const gv_globe_index *index, const gv_seeds *queries,
                                       const gv_search_options *options, int64_t *indices, double *distances);

/* ----------------------------------------------------------------------------- neighbours among lines and polygons */

/*
 * Example:
 *     const int64_t part[] = {0, 1, 2}, ring[] = {0, 1, 2}, vertex[] = {0, 2, 4};
 *     const uint8_t kind[] = {GV_PART_LINE, GV_PART_LINE};
 *     const double lon[] = {10.0, 12.0, 20.0, 21.0}, lat[] = {50.0, 51.0, 50.0, 49.0}, town_lon = 13.0, town_lat = 52.0;
 *     gv_features lines = GV_FEATURES_INIT;
 *     lines.count = 2;
 *     lines.part = part;
 *     lines.ring = ring;
 *     lines.vertex = vertex;
 *     lines.kind = kind;
 *     lines.x = lon;
 *     lines.y = lat;
 *     gv_feature_index *index;
 *     if (gv_feature_index_build(context, &lines, NULL, &index) != GV_OK) return 1;
 *     const gv_seeds town = {&town_lon, &town_lat, 1};
 *     int64_t line;
 *     double metres, place[2];
 *     if (gv_feature_index_search(context, index, &town, NULL, &line, &metres, place) == GV_OK)
 *       printf("line %d, %.0f m, at %f %f\n", (int)line, metres, place[0], place[1]);
 *     gv_feature_index_destroy(index);
 */

/* Lines and polygons prepared for searching from any positions. Immutable; shared by threads. */
typedef struct gv_feature_index gv_feature_index;

typedef struct gv_feature_index_options {
  size_t struct_size;
  gv_metric metric;  /* on the globe coordinates are longitude and latitude in degrees */
  double semi_major; /* a in metres; 0 = WGS 84. The globe only */
  double flattening; /* f = (a-b)/a; with semi_major 0 also WGS 84's */
} gv_feature_index_options;

#define GV_FEATURE_INDEX_OPTIONS_INIT                                                                              \
  { sizeof(gv_feature_index_options), GV_GEODESIC, 0.0, 0.0 }

/*
 * Copies the features and builds an index over them. options may be NULL. Free it with gv_feature_index_destroy.
 * Errors: INVALID_ARGUMENT (message names the first bad feature), OUT_OF_MEMORY.
 */
GV_API gv_status gv_feature_index_build(gv_context *context, const gv_features *features,
                                        const gv_feature_index_options *options, gv_feature_index **out);

/* Frees an index; NULL is allowed. No thread may be searching it. */
GV_API void gv_feature_index_destroy(gv_feature_index *index);

/*
 * For each query the k (1 ... 64) nearest features by (canonical distance, number), nearest first; 0 is the distance within a polygon.
 * queries: longitude and latitude in degrees on the globe, else coordinates of the plane; the library reads, and keeps nothing.
 * options: k and max_distance (inclusive; metres on the globe); may be NULL. There is no exclude_self.
 * indices:   count x k, row-major, caller-owned; -1 where there are fewer than k.
 * distances: count x k, metres or the plane's units, +inf where there is none; may be NULL.
 * nearest:   count x k x 2, the coordinates of each feature's nearest point (the query's own within a polygon), NaN where there is
 *            none; may be NULL.
 * Errors: INVALID_ARGUMENT (message names the row of a bad query), OUT_OF_MEMORY, CANCELLED. After one the outputs hold
 * unspecified values.
 */
GV_API gv_status gv_feature_index_search(gv_context *context, const gv_feature_index *index,
                                         const gv_seeds *queries, const gv_search_options *options,
                                         int64_t *indices, double *distances, double *nearest);

#ifdef __cplusplus
}
#endif

#endif /* GPUVORONOI_H */
