/* The backend of "auto" for searches of points. Device or CPUs: core/device_rule.h. */
#include "core/device_rule.h"
#include "search/backend.h"
#include "search/cuda_module.h"
#include "search/half_filter.h"

/*
 * Measured on two AVX-512 cores (uniform points): a tree searches a query in about 2^(dim + 8) pair distances
 * of `openmp`, so it needs more points than that to be faster; building it costs as much as about 1,000
 * queries of `openmp`. Of the two trees the octree is built faster and searched as fast, or up to 1.08 times
 * as long for ten neighbors. Gain: 1.4x of building, 1.1x of searching for the nearest of 10^6 points on a
 * sphere.
 */
const gv_backend *gv_backend_choose_cpu(const gv_reference *reference, int32_t k, int64_t queries) {
  enum { TREE_DIM_MAX = 15, OCTREE_DIM_MAX = 3, FEW_NEIGHBORS = 8, FEW_QUERIES = 1000 };
  if (gv_metric_of_products(reference->metric) || reference->dim > TREE_DIM_MAX ||
      (queries > 0 && queries < FEW_QUERIES))
    return &gv_backends[GV_BACKEND_OPENMP];
  int64_t points = reference->count / (k > 64 ? 4 : 1);
  if (points < (int64_t)1 << (reference->dim + 8)) return &gv_backends[GV_BACKEND_OPENMP];
  bool octree = reference->dim <= OCTREE_DIM_MAX && k <= FEW_NEIGHBORS;
  return &gv_backends[octree ? GV_BACKEND_OCTREE : GV_BACKEND_KDTREE];
}

/*
 * Which of the GPU's backends, by sizes, from figures of one H200 (docs/benchmarks-search.md). A tree's build
 * and three launches cost about what brute force needs for 10^9 pairs; above three dimensions it needs more
 * points, as it visits more of them. The octree is built faster, by 1.2 ns a point, the k-d tree searched
 * faster, by 0.1 to 0.4 ns a query up to k = 32 and by k / 160 ns above. The octree is built as a k-d tree
 * where the density of the points requires it (cuda/octree.cu). Brute force of many pairs is shared among
 * devices from 0.1 to 0.3 s on; tensor cores are fastest for many dimensions, blocks that share a query for
 * few queries.
 */
static gv_backend_number choose_device(const gv_cuda_module *cuda, const gv_context *context,
                                       const gv_reference *reference, int32_t k, int64_t queries) {
  enum { TREE_DIM_MAX = 8, TREE_QUERIES = 4096, FEW_QUERIES = 64, OCTREE_DIM_MAX = 3, FEW_NEIGHBORS = 32 };
  const double tree_pairs = 1e9, few_pairs = 1e8, shared_terms = 4e12;
  double n = (double)reference->count, q = (double)queries;
  int32_t dim = reference->dim;
  int devices = 0;
  if (gv_metric_of_products(reference->metric))
    return gv_half_filter_pays(reference->metric, dim) ? GV_BACKEND_CUDA_TENSOR : GV_BACKEND_CUDA_REGISTER;
  if (dim <= TREE_DIM_MAX && queries >= TREE_QUERIES && n * q >= tree_pairs &&
      (dim <= OCTREE_DIM_MAX || reference->count >= (int64_t)1 << (dim + 10))) {
    bool octree = dim <= OCTREE_DIM_MAX && (k <= FEW_NEIGHBORS ? q < 3.0 * n : q * k / 160.0 < 1.2 * n);
    return octree ? GV_BACKEND_CUDA_OCTREE : GV_BACKEND_CUDA_KDTREE;
  }
  gv_context quiet;
  gv_context_for_worker(context, &quiet);
  if (n * q * dim > shared_terms && context->device < 0 && cuda->device_count(&quiet, &devices) == GV_OK &&
      devices > 1) {
    return GV_BACKEND_CUDA_MULTIGPU;
  }
  if (gv_half_filter_pays(reference->metric, dim)) return GV_BACKEND_CUDA_TENSOR;
  bool few = queries <= FEW_QUERIES || (dim <= 3 && n * q < few_pairs);
  return few ? GV_BACKEND_CUDA_MULTIBLOCK : GV_BACKEND_CUDA_REGISTER;
}

const gv_backend *gv_backend_choose(const gv_context *context, const gv_reference *reference, int32_t k,
                                    int64_t queries) {
  int64_t requested = queries > 0 ? queries : reference->count;
  const char *reason;
  if (!gv_device_pays_for_search((double)reference->count, (double)requested, reference->dim, k,
                                 context->threads, gv_cuda_started()) ||
      gv_cuda_probe(&reason) != GV_OK) {
    return gv_backend_choose_cpu(reference, k, queries);
  }
  return &gv_backends[choose_device(gv_cuda_module_get(&reason), context, reference, k, requested)];
}

gv_status gv_backend_choose_device(gv_context *context, const gv_reference *reference, int32_t k,
                                   int64_t queries, const gv_backend **out) {
  const char *reason = "";
  gv_status status = gv_cuda_probe(&reason);
  if (status != GV_OK) return gv_fail(context, status, "device memory: unavailable (%s)", reason);
  gv_context one;
  gv_context_for_worker(context, &one);
  one.device = 0; /* any, but not all */
  *out = &gv_backends[choose_device(gv_cuda_module_get(&reason), &one, reference, k,
                                    queries > 0 ? queries : reference->count)];
  return GV_OK;
}
