/* The list of search backends, and which of them "auto" stands for. */
#include "search/backend.h"

#include <string.h>

#ifdef GPUVORONOI_WITH_CUDA
#include "search/cuda/devices.h"
#endif

extern const gv_backend gv_backend_serial, gv_backend_openmp, gv_backend_kdtree, gv_backend_octree;
#ifdef GPUVORONOI_WITH_CUDA
extern const gv_backend gv_backend_cuda_matrix, gv_backend_cuda_cublas, gv_backend_cuda_thrust,
    gv_backend_cuda_global, gv_backend_cuda_soa, gv_backend_cuda_shared, gv_backend_cuda_constant,
    gv_backend_cuda_register, gv_backend_cuda_texture, gv_backend_cuda_multiblock, gv_backend_cuda_multigpu,
    gv_backend_cuda_kdtree, gv_backend_cuda_octree;
#endif

const gv_backend *const gv_backends[] = {
    &gv_backend_serial,
    &gv_backend_openmp,
    &gv_backend_kdtree,
    &gv_backend_octree,
#ifdef GPUVORONOI_WITH_CUDA
    &gv_backend_cuda_matrix,
    &gv_backend_cuda_cublas,
    &gv_backend_cuda_thrust,
    &gv_backend_cuda_global,
    &gv_backend_cuda_soa,
    &gv_backend_cuda_shared,
    &gv_backend_cuda_constant,
    &gv_backend_cuda_register,
    &gv_backend_cuda_texture,
    &gv_backend_cuda_multiblock,
    &gv_backend_cuda_multigpu,
    &gv_backend_cuda_kdtree,
    &gv_backend_cuda_octree,
#endif
    NULL,
};

const gv_backend *gv_backend_find(const char *name) {
  for (const gv_backend *const *b = gv_backends; *b != NULL; b++) {
    if (strcmp((*b)->name, name) == 0) return *b;
  }
  return NULL;
}

/*
 * Measured on two AVX-512 cores (uniform points): a tree answers a query in about 2^(dim + 8) pair distances of
 * `openmp`, so it needs more points than that to win; building it costs as much as about 1,000 queries of `openmp`.
 */
const gv_backend *gv_backend_choose_processor(const gv_reference *reference, int32_t k, int64_t queries) {
  enum { TREE_DIM_MAX = 15, FEW_QUERIES = 1000 };
  if (reference->dim > TREE_DIM_MAX || (queries > 0 && queries < FEW_QUERIES)) return &gv_backend_openmp;
  int64_t points = reference->count / (k > 64 ? 4 : 1);
  return points < (int64_t)1 << (reference->dim + 8) ? &gv_backend_openmp : &gv_backend_kdtree;
}

#ifdef GPUVORONOI_WITH_CUDA

/* Seconds for building and searching on the processors: two cores of that kind compare a pair in 0.15 ns and 0.015 ns a
 * dimension, and prepare a coordinate in 5 ns. */
static double processor_seconds(const gv_context *context, const gv_backend *backend, const gv_reference *reference,
                                int64_t queries) {
  double dim = reference->dim, count = (double)reference->count,
         share = context->threads < 2 ? 1.0 : 2.0 / context->threads;
  double pair = 1.5e-10 + 1.5e-11 * dim, seen = count;
  if (backend != &gv_backend_openmp) seen = ldexp(1.0, reference->dim + 8) + 1000.0 * count / (double)queries;
  return share * (double)queries * (seen < count ? seen : count) * pair + 5e-9 * count * dim;
}

/*
 * Which of the GPU's. One H200: docs/benchmarks-search.md.
 */
static const gv_backend *choose_device(const gv_reference *reference, int64_t queries) {
  enum { FEW_QUERIES = 64 };
  (void)reference;
  return queries <= FEW_QUERIES ? &gv_backend_cuda_multiblock : &gv_backend_cuda_register;
}

const gv_backend *gv_backend_choose(const gv_context *context, const gv_reference *reference, int32_t k,
                                    int64_t queries) {
  const gv_backend *processor = gv_backend_choose_processor(reference, k, queries);
  /* Starting CUDA takes a fifth of a second, once a process. */
  const double worth = gv_cuda_started() ? 0.005 : 0.5;
  int64_t asked = queries > 0 ? queries : reference->count;
  const char *reason;
  if (processor_seconds(context, processor, reference, asked) < worth) return processor;
  if (gv_cuda_probe(&reason) != GV_OK) return processor;
  return choose_device(reference, asked);
}

#else

const gv_backend *gv_backend_choose(const gv_context *context, const gv_reference *reference, int32_t k,
                                    int64_t queries) {
  (void)context;
  return gv_backend_choose_processor(reference, k, queries);
}

#endif
