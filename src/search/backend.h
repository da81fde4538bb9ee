/*
 * Backends: what an engine that searches points is, the registry of all backends, and the index on top of
 * them.
 */
#ifndef GV_BACKEND_H
#define GV_BACKEND_H

#include "core/core.h"
#include "exact/canonical.h"
#include "gpuvoronoi/experimental.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A reference set as backends see it: checked (finite, dim and count in range), row-major, owned by the index
 * and alive as long as the backend's state. In the host's memory, or a device's where the backend is a
 * device's. */
typedef struct gv_reference {
  const double *data; /* count x dim; NULL where `floats` has them */
  int64_t count;
  int32_t dim;
  gv_metric metric; /* none of the globe's */
  gv_allocator allocator;
  const float *floats; /* count x dim; not NULL only for backends that support them */
  const double
      *periods; /* of a periodic box, one for each dimension, INFINITY without a period; NULL: no box. Points
                 * and queries are within the box, and doubles; GPU backends do not support it */
  double power; /* of GV_MINKOWSKI */
} gv_reference;

/* Whether distances are gv_general_distance: then points are doubles, and only backends of processors have
 * them. */
static inline bool gv_reference_is_general(const gv_reference *reference) {
  return reference->periods != NULL || reference->metric == GV_MINKOWSKI;
}

/* The exact distance from a query to point `number`. */
static inline double gv_reference_distance(const gv_reference *reference, const double *query,
                                           int64_t number) {
  int32_t dim = reference->dim;
  if (gv_reference_is_general(reference))
    return gv_general_distance(query, reference->data + number * dim, dim, reference->metric,
                               reference->periods, reference->power);
  if (gv_metric_of_products(reference->metric)) {
    return reference->floats != NULL
               ? gv_product_distance_of_floats(query, reference->floats + number * dim, dim,
                                               reference->metric)
               : gv_product_distance(query, reference->data + number * dim, dim, reference->metric);
  }
  return reference->floats != NULL
             ? gv_canonical_distance_of_floats(query, reference->floats + number * dim, dim,
                                               reference->metric)
             : gv_canonical_distance(query, reference->data + number * dim, dim, reference->metric);
}

/* The largest exact distance that is reported as at most `distance`. */
static inline double gv_reference_limit(const gv_reference *reference, double distance) {
  return reference->metric == GV_MINKOWSKI ? gv_largest_power(distance, reference->power)
                                           : gv_largest_canonical(distance, reference->metric);
}

/* One search: queries are checked, and widened unless they are for a device that supports floats. All
 * distances here are exact distances (squared for euclidean); the layer above computes roots and converts the
 * caller's maximum distance to `max_canonical`. */
typedef struct gv_query {
  const double *data; /* count x dim; NULL where `floats` has them */
  int64_t count;
  int32_t k;
  double max_canonical; /* inclusive; INFINITY = none */
  int64_t self_offset;  /* >= 0: query i must skip reference i + self_offset; -1: no exclusion */
  const float *floats;
  /* of each query, at most max_canonical: an engine may leave out neighbors beyond; NULL = none */
  const double *limits;
} gv_query;

typedef struct gv_found_list gv_found_list; /* radius.h */

/* Adds the points with an exact distance from `query` of at most `limit`, except `self`, to a list, in any
 * order. May be called by any number of threads at once. */
typedef void gv_within_fn(const gv_reference *reference, const void *state, const double *query, double limit,
                          int64_t self, gv_found_list *list);

/* Pairs (i, j) of points, i < j, with an exact distance of at most `limit`: writes the number of each i at
 * offsets[i + 1], or (pairs not NULL), with offsets that were counted, the pairs in order. */
typedef gv_status gv_pairs_fn(gv_context *context, const gv_reference *reference, const void *state,
                              double limit, int64_t *offsets, int64_t *pairs);

/* A search engine of points. Each is one file (or a pair) that exports one; all return the same bytes as
 * serial. */
typedef struct gv_search_engine {
  /* Can it run on this machine? GV_OK, or GV_ERROR_UNAVAILABLE and a static text in *reason. NULL: it always
   * can. */
  gv_status (*probe)(const char **reason);

  /* Prepares a reference set. On success *state is set (may stay NULL if none is needed). */
  gv_status (*build)(gv_context *context, const gv_reference *reference, void **state);

  /* For query i writes indices[i*k ...] and canonical[i*k ...] sorted by (canonical, index), padded with -1
   * and +inf. Uses context->threads threads; reports progress itself; any number of searches may run at
   * once. */
  gv_status (*search)(gv_context *context, const gv_reference *reference, const void *state,
                      const gv_query *query, int64_t *indices, double *canonical);

  void (*destroy)(const gv_reference *reference, void *state);
} gv_search_engine;

/* ------------------------------------------------------------------------------------------- the registry */

/* The rows of the registry, in the order in which they are listed to people. */
typedef enum gv_backend_number {
  GV_BACKEND_SERIAL,
  GV_BACKEND_OPENMP,
  GV_BACKEND_KDTREE,
  GV_BACKEND_OCTREE,
  GV_BACKEND_CUDA_MATRIX,
  GV_BACKEND_CUDA_CUBLAS,
  GV_BACKEND_CUDA_THRUST,
  GV_BACKEND_CUDA_GLOBAL,
  GV_BACKEND_CUDA_SOA,
  GV_BACKEND_CUDA_SHARED,
  GV_BACKEND_CUDA_CONSTANT,
  GV_BACKEND_CUDA_REGISTER,
  GV_BACKEND_CUDA_TENSOR,
  GV_BACKEND_CUDA_TEXTURE,
  GV_BACKEND_CUDA_MULTIBLOCK,
  GV_BACKEND_CUDA_MULTIGPU,
  GV_BACKEND_CUDA_KDTREE,
  GV_BACKEND_CUDA_OCTREE,
  GV_BACKEND_TILE,
  GV_BACKEND_CUDA_TILE,
  GV_BACKENDS
} gv_backend_number;

struct gv_engine; /* voronoi/engine.h */

/* One backend with all its properties: code never compares names. */
typedef struct gv_backend {
  const char *name, *summary;
  int32_t max_dim;
  bool searches_points;
  bool device;     /* works on GPUs: its search engine is the CUDA module's */
  bool several;    /* on all of them, so callers' arrays must be the host's */
  bool floats;     /* supports points of float32 directly */
  bool exhaustive; /* the reference: compares every seed of a grid, also duplicates */
  bool weighted;   /* supports weighted grids */
  bool features;   /* and grids of lines and polygons */
  bool lists;      /* and grids of HEALPix, S2 and lists of places */
  int cost;        /* the engine for travel cost (gv_cost_engine); 0: none */
  bool products;   /* searches by cosine and inner product */

  /* Searching points: NULL for a device's (see gv_backend_search_engine) and for backends that search
   * none. */
  const gv_search_engine *search;
  gv_within_fn *within; /* by radius, from the state of `search` */
  gv_pairs_fn *pairs;   /* the same; NULL: by `within` */
  bool device_radius;   /* by radius on a device (search/device_radius.h), in few dimensions */
  /* Grids: the engine for this kind of grid. */
  const struct gv_engine *(*engine_for)(const gv_grid *grid);
  /* For backends that search no points: whether it can run on this machine, as gv_search_engine's; NULL:
   * always. */
  gv_status (*probe)(const char **reason);

  /* NULL: euclidean, manhattan and chebyshev. Else returns NULL for those of them that are supported, and a
   * static text with the reason for others. Only the metric may decide: an index supports all types and all
   * k. */
  const char *(*refuses)(gv_metric metric);
} gv_backend;

/* The registry; its rows are in voronoi/backends.c. */
extern const gv_backend gv_backends[GV_BACKENDS];

/* Why a backend does not search points by a metric, which is not one of the globe; NULL if it does. */
const char *gv_backend_refuses(const gv_backend *backend, gv_metric metric);

/* Finds a backend by name; NULL when there is none. "auto" is not a backend, ... */
const gv_backend *gv_backend_find(const char *name);

/* ... but what no name (NULL) means too: the library's choice. */
bool gv_backend_is_automatic(const char *name);

/* Its engine for points; NULL if it has none, or if it needs the CUDA module and that is missing. */
const gv_search_engine *gv_backend_search_engine(const gv_backend *backend);

/* Can it run on this machine? GV_OK, or GV_ERROR_UNAVAILABLE and a text that lives as long as the process in
 * *reason. */
gv_status gv_backend_probe(const gv_backend *backend, const char **reason);

/* Is this a device's failure, after which the processors can go on? */
static inline bool gv_backend_failed(const gv_backend *backend, gv_status status) {
  return backend->device &&
         (status == GV_ERROR_OUT_OF_MEMORY || status == GV_ERROR_UNAVAILABLE || status == GV_ERROR_DEVICE);
}

/* Number of threads worth waking for this number of steps of about a nanosecond: a parallel region costs
 * microseconds, and milliseconds if the processors are busy. */
static inline int gv_threads_for(const gv_context *context, double steps) {
  return steps < 1e6 ? 1 : context->threads;
}

/* The backend for "auto": the one expected to be fastest for these sizes among those that can run here.
 * `queries` 0: unknown. The second never selects one that needs a GPU. */
const gv_backend *gv_backend_choose(const gv_context *context, const gv_reference *reference, int32_t k,
                                    int64_t queries);
const gv_backend *gv_backend_choose_cpu(const gv_reference *reference, int32_t k, int64_t queries);
/* For arrays on a device. */
gv_status gv_backend_choose_device(gv_context *context, const gv_reference *reference, int32_t k,
                                   int64_t queries, const gv_backend **out);

/* Operations of an index of one kind. Options, and queries that are not NULL, have their full size. NULL: not
 * supported. */
typedef struct gv_index_type {
  gv_index_kind kind;
  gv_status (*search)(gv_context *context, const gv_index *index, const gv_points *queries,
                      const gv_search_options *options, int64_t *indices, double *distances);
  gv_status (*search_part)(gv_context *context, const gv_index *index, const gv_points *queries,
                           const gv_search_options *options, int64_t first_query, int64_t first_reference,
                           int64_t *indices, double *canonical);
  gv_status (*distances)(gv_context *context, const gv_index *index, int64_t count, double *values);
  gv_status (*search_distributed)(gv_context *context, const gv_communicator *communicator,
                                  const gv_index *index, const gv_points *queries,
                                  const gv_search_options *options, int64_t *indices, double *distances);
  void (*destroy)(gv_index *index);
  /* Queries, offsets and radii are there, radii are numbers >= 0. The offsets that are counted are written as
   * numbers of neighbors, at i + 1 that of query i. */
  gv_status (*search_radius)(gv_context *context, const gv_index *index, const gv_points *queries,
                             const gv_radius_options *options, int64_t *offsets, int64_t *indices,
                             double *distances);
  /* Offsets as of search_radius. */
  gv_status (*search_pairs)(gv_context *context, const gv_index *index, const gv_radius_options *options,
                            int64_t *offsets, int64_t *pairs);
} gv_index_type;

/* The head of every index (indexes/index.c has the public functions). */
struct gv_index {
  const gv_index_type *type;
  const char *backend; /* static */
  int64_t count;
  int32_t dim;
};

/* An index over points of a k-dimensional space. Also used by other indexes and the Voronoi layer, which
 * search canonical values. */
typedef struct gv_point_index {
  gv_index base;
  gv_reference reference;
  void *data;      /* memory of the reference set */
  int device;      /* that the data lies on; -1: the host's memory */
  double *periods; /* the reference's, owned */
  void *kept;      /* host's copy of data on a device, for processors that replace it; NULL: none */
  const gv_backend *backend;
  const gv_search_engine *engine; /* the backend's */
  void *state;
  bool automatic; /* the library chose the backend, and may go on with another one where a device fails */
} gv_point_index;

/* gv_index_build of points. *o has its full size. */
gv_status gv_point_index_build(gv_context *context, const gv_points *reference, const gv_index_options *o,
                               gv_point_index **out);
void gv_point_index_destroy(gv_point_index *index);

/* Search on canonical values with already checked double queries (see gv_query). */
gv_status gv_index_search_canonical(gv_context *context, const gv_point_index *index, const gv_query *query,
                                    int64_t *indices, double *canonical);

#ifdef __cplusplus
}
#endif

#endif
