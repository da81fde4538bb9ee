/* The list of search backends, and which of them "auto" stands for. */
#include "search/backend.h"

#include <string.h>

extern const gv_backend gv_backend_serial, gv_backend_openmp, gv_backend_kdtree, gv_backend_octree;
#ifdef GPUVORONOI_WITH_CUDA
extern const gv_backend gv_backend_cuda_global, gv_backend_cuda_soa, gv_backend_cuda_shared,
    gv_backend_cuda_register, gv_backend_cuda_multiblock, gv_backend_cuda_kdtree, gv_backend_cuda_octree;
#endif

const gv_backend *const gv_backends[] = {
    &gv_backend_serial,
    &gv_backend_openmp,
    &gv_backend_kdtree,
    &gv_backend_octree,
#ifdef GPUVORONOI_WITH_CUDA
    &gv_backend_cuda_global,
    &gv_backend_cuda_soa,
    &gv_backend_cuda_shared,
    &gv_backend_cuda_register,
    &gv_backend_cuda_multiblock,
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
const gv_backend *gv_backend_choose(const gv_reference *reference, int32_t k, int64_t queries) {
  enum { TREE_DIM_MAX = 15, FEW_QUERIES = 1000 };
  if (reference->dim > TREE_DIM_MAX || (queries > 0 && queries < FEW_QUERIES)) return &gv_backend_openmp;
  int64_t points = reference->count / (k > 64 ? 4 : 1);
  return points < (int64_t)1 << (reference->dim + 8) ? &gv_backend_openmp : &gv_backend_kdtree;
}
