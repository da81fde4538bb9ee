/*
 * The registry: every backend's name, abilities and engines. To add a backend, add its number
 * (search/backend.h) and its row; the conformance tests then compare it with `serial`.
 */
#include "core/given.h"
#include "cost/cost.h"
#include "gpuvoronoi/experimental.h"
#include "search/box_tree.h"
#include "search/cuda_module.h"
#include "search/radius.h"
#include "voronoi/engine.h"

#include <string.h>

extern const gv_search_engine gv_search_serial, gv_search_openmp, gv_search_kdtree, gv_search_octree;

enum { TREE_MAX_DIM = 128, OCTREE_MAX_DIM = 3 };

/* Every backend that searches points is an engine for grids too. */
static const gv_engine *points(const gv_grid *grid) {
  (void)grid;
  return &gv_engine_points;
}

static const gv_engine *cuda_tile(const gv_grid *grid) {
  (void)grid;
  return &gv_engine_cuda_tile;
}

static const char *only_products(gv_metric metric) {
  return metric == GV_EUCLIDEAN ? NULL : "supports only euclidean and cosine distances and inner products";
}

#define SEARCH(NAME, DIM, SUMMARY)                                                                           \
  .name = NAME, .summary = SUMMARY, .max_dim = DIM, .searches_points = true, .lists = true,                  \
  .engine_for = points
#define CUDA_TREE(NAME, DIM, SUMMARY)   SEARCH(NAME, DIM, SUMMARY), .device = true, .device_radius = true
#define CUDA_SEARCH(NAME, DIM, SUMMARY) SEARCH(NAME, DIM, SUMMARY), .device = true, .floats = true

const gv_backend gv_backends[GV_BACKENDS] = {
    [GV_BACKEND_SERIAL] = {SEARCH("serial", GV_MAX_DIM,
                                  "the obvious double loop on one thread, the reference for all others"),
                           .exhaustive = true, .weighted = true, .features = true, .floats = true,
                           .products = true, .cost = GV_COST_SERIAL, .search = &gv_search_serial,
                           .within = gv_radius_compare_all},
    [GV_BACKEND_OPENMP] = {SEARCH(
                               "openmp", GV_MAX_DIM,
                               "blocked brute force on all CPUs: float filter in registers, exact recheck"),
                           .weighted = true, .features = true, .floats = true, .products = true,
                           .search = &gv_search_openmp, .within = gv_radius_compare_all},
    [GV_BACKEND_KDTREE] =
        {SEARCH("kdtree", GV_MAX_DIM,
                "k-d tree, medians on the widest dimension, nodes of eight boxes searched with "
                "vector instructions"),
         .search = &gv_search_kdtree, .within = gv_box_tree_within, .pairs = gv_box_tree_pairs},
    [GV_BACKEND_OCTREE] = {SEARCH("octree", OCTREE_MAX_DIM,
                                  "octree (quadtree in two dimensions) by Morton codes and radix sort, up to "
                                  "three dimensions"),
                           .search = &gv_search_octree, .within = gv_box_tree_within,
                           .pairs = gv_box_tree_pairs},
    [GV_BACKEND_CUDA_MATRIX] = {CUDA_SEARCH("cuda-matrix", GV_MAX_DIM,
                                            "distance matrix in bounded chunks (half of it for a set against "
                                            "itself), then a reduction")},
    [GV_BACKEND_CUDA_CUBLAS] = {CUDA_SEARCH("cuda-cublas", GV_MAX_DIM,
                                            "a matrix product by cuBLAS as filter, for euclidean, cosine and "
                                            "inner product; for many dimensions"),
                                .products = true, .refuses = only_products},
    [GV_BACKEND_CUDA_THRUST] = {CUDA_SEARCH("cuda-thrust", GV_MAX_DIM,
                                            "thrust/CUB reduction over a lazily computed distance matrix")},
    [GV_BACKEND_CUDA_GLOBAL] = {CUDA_SEARCH(
        "cuda-global", GV_MAX_DIM,
        "one block for four queries; array of structures read from global "
        "memory")},
    [GV_BACKEND_CUDA_SOA] = {CUDA_SEARCH(
        "cuda-soa", GV_MAX_DIM, "as cuda-global, over a structure of arrays: coalesced 16-byte loads")},
    [GV_BACKEND_CUDA_SHARED] = {CUDA_SEARCH("cuda-shared", GV_MAX_DIM,
                                            "points staged through shared memory, one query or 4 x 4 pairs a "
                                            "thread")},
    [GV_BACKEND_CUDA_CONSTANT] = {CUDA_SEARCH(
        "cuda-constant", GV_MAX_DIM,
        "broadcast from constant memory, in passes of 64 KB: points, or queries if they are fewer")},
    [GV_BACKEND_CUDA_REGISTER] = {CUDA_SEARCH(
                                      "cuda-register", GV_MAX_DIM,
                                      "several queries a thread in registers, one read of a point serves "
                                      "them all"),
                                  .products = true},
    [GV_BACKEND_CUDA_TENSOR] =
        {CUDA_SEARCH("cuda-tensor", GV_MAX_DIM,
                     "products of 16-bit floats on tensor cores as filter, for euclidean, cosine "
                     "and inner product; for many dimensions"),
         .products = true, .refuses = only_products},
    [GV_BACKEND_CUDA_TEXTURE] = {CUDA_SEARCH("cuda-texture", GV_MAX_DIM,
                                             "points read through two-dimensional texture objects")},
    [GV_BACKEND_CUDA_MULTIBLOCK] = {CUDA_SEARCH(
        "cuda-multiblock", GV_MAX_DIM,
        "few queries, many points: several blocks a query, then a second "
        "reduction")},
    [GV_BACKEND_CUDA_MULTIGPU] =
        {CUDA_SEARCH(
             "cuda-multigpu", GV_MAX_DIM,
             "cuda-register on all GPUs: queries distributed, or points distributed and the results merged"),
         .several = true},
    [GV_BACKEND_CUDA_KDTREE] = {CUDA_TREE("cuda-kdtree", TREE_MAX_DIM,
                                          "k-d tree on the GPU: split at medians by radix sorts, searched by "
                                          "warps, in groups of queries where they are dense")},
    [GV_BACKEND_CUDA_OCTREE] = {CUDA_TREE("cuda-octree", OCTREE_MAX_DIM,
                                          "linear octree on the GPU: one radix sort along the Hilbert curve, "
                                          "searched by warps in groups of queries")},
    [GV_BACKEND_TILE] = {.name = "tile",
                         .summary = "hierarchical culling of tiles of cells",
                         .max_dim = 3,
                         .weighted = true,
                         .features = true,
                         .lists = true,
                         .cost = GV_COST_TILES,
                         .engine_for = gv_tile_engine_for},
    [GV_BACKEND_CUDA_TILE] = {.name = "cuda-tile",
                              .summary = "the culling engine on GPUs; strips of the raster are copied back",
                              .max_dim = 3,
                              .device = true,
                              .weighted = true,
                              .features = true,
                              .lists = true,
                              .cost = GV_COST_CUDA,
                              .engine_for = cuda_tile,
                              .probe = gv_cuda_probe},
};

const char *gv_backend_refuses(const gv_backend *backend, gv_metric metric) {
  if (gv_metric_of_products(metric))
    return backend->products
               ? NULL
               : "serial, openmp, cuda-register, cuda-cublas and cuda-tensor search by products of vectors";
  if (metric == GV_MINKOWSKI) return backend->device ? "CPU backends search by metric minkowski" : NULL;
  return backend->refuses != NULL ? backend->refuses(metric) : NULL;
}

const gv_backend *gv_backend_find(const char *name) {
  for (int i = 0; i < GV_BACKENDS; i++) {
    if (strcmp(gv_backends[i].name, name) == 0) return &gv_backends[i];
  }
  return NULL;
}

bool gv_backend_is_automatic(const char *name) {
  return name == NULL || strcmp(name, "auto") == 0;
}

const gv_search_engine *gv_backend_search_engine(const gv_backend *backend) {
  if (!backend->device) return backend->search;
  const char *reason;
  const gv_cuda_module *cuda = gv_cuda_module_get(&reason);
  return cuda != NULL ? cuda->search[backend - gv_backends] : NULL;
}

gv_status gv_backend_probe(const gv_backend *backend, const char **reason) {
  *reason = "";
  if (backend->probe != NULL) return backend->probe(reason);
  if (!backend->searches_points) return GV_OK;
  const gv_search_engine *engine = gv_backend_search_engine(backend);
  if (engine == NULL) return gv_cuda_probe(reason);
  return engine->probe != NULL ? engine->probe(reason) : GV_OK;
}

/* ---------------------------------------------------------------------------------------- the public list */

int gv_backend_count(void) {
  return GV_BACKENDS;
}

int gv_backend_number_of(const char *name) {
  const gv_backend *backend = name != NULL ? gv_backend_find(name) : NULL;
  return backend != NULL ? (int)(backend - gv_backends) : -1;
}

gv_status gv_backend_get(int number, gv_backend_info *out) {
  if (out == NULL || number < 0 || number >= GV_BACKENDS) return GV_ERROR_INVALID_ARGUMENT;
  const gv_backend *backend = &gv_backends[number];
  const char *reason = "";
  bool available = gv_backend_probe(backend, &reason) == GV_OK;
  const gv_backend_info info = {.name = backend->name,
                                .summary = backend->summary,
                                .searches_points = backend->searches_points,
                                .weighted_grids = backend->weighted,
                                .available = available,
                                .reason = available ? "" : reason,
                                .gpu = backend->device,
                                .searches_radius = backend->within != NULL || backend->device_radius,
                                .list_grids = backend->lists,
                                .feature_grids = backend->features,
                                .travel_cost = backend->cost == 0                ? 0
                                               : backend->cost == GV_COST_SERIAL ? 1
                                                                                 : 2};
  return gv_fill_given(out, &info, sizeof info) ? GV_OK : GV_ERROR_INVALID_ARGUMENT;
}

gv_status gv_backend_supports(int number, gv_metric metric, gv_dtype type, int32_t k, int32_t *max_dim,
                              const char **reason) {
  if (number < 0 || number >= GV_BACKENDS) return GV_ERROR_INVALID_ARGUMENT;
  const gv_backend *backend = &gv_backends[number];
  const char *why = NULL;
  /* Indexes on the globe search chords. */
  bool globe = metric == GV_GREAT_CIRCLE || metric == GV_GEODESIC;
  if (globe) metric = GV_EUCLIDEAN;
  if (max_dim != NULL) *max_dim = globe ? 2 : backend->max_dim;
  if (!backend->searches_points) {
    why = "does not search points";
  } else if (type != GV_FLOAT32 && type != GV_FLOAT64) {
    why = "unknown type";
  } else if (gv_metric_name(metric) == NULL) {
    why = "unknown metric";
  } else if (k < 1 || k > (globe || backend->device ? GV_MAX_K : GV_MAX_K_CPU)) {
    why = globe || backend->device ? "k is out of range [1, 1024]" : "k is out of range [1, 16777216]";
  } else {
    why = gv_backend_refuses(backend, metric);
  }
  if (why == NULL) return GV_OK;
  if (reason != NULL) *reason = why;
  return GV_ERROR_UNSUPPORTED;
}
