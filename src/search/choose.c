/* Which backend "auto" stands for in a search of points. */
#include "search/backend.h"
#include "search/cuda_module.h"
#include "search/half_filter.h"

/*
 * Measured on two AVX-512 cores (uniform points): a tree answers a query in about 2^(dim + 8) pair distances of
 * `openmp`, so it needs more points than that to win; building it costs as much as about 1,000 queries of `openmp`.
 */
const gv_backend *gv_backend_choose_processor(const gv_reference *reference, int32_t k, int64_t queries) {
  enum { TREE_DIM_MAX = 15, FEW_QUERIES = 1000 };
  if (reference->dim > TREE_DIM_MAX || (queries > 0 && queries < FEW_QUERIES))
    return &gv_backends[GV_BACKEND_OPENMP];
  int64_t points = reference->count / (k > 64 ? 4 : 1);
  return points < (int64_t)1 << (reference->dim + 8) ? &gv_backends[GV_BACKEND_OPENMP]
                                                     : &gv_backends[GV_BACKEND_KDTREE];
}

/* What a choice takes: one search of all queries with its copies, and an eighth of the building, since an index is
 * searched more often than once. */
typedef struct estimate {
  const gv_backend *backend;
  double seconds;
} estimate;

static const double built = 1.0 / 8.0;

/* On the processors: two cores of that kind compare a pair in 0.15 ns and 0.015 ns a dimension, and keep a neighbour of
 * several in 80 ns, in a tree in 25. Sixteen read 160 GB a second; more have not been seen to gain in searches that are
 * this short. Preparing a coordinate takes 5 ns on two cores and 2.4 on sixteen. */
static double processor_seconds(const gv_context *context, const gv_backend *backend, const gv_reference *reference,
                                int32_t k, int64_t queries) {
  enum { THREADS_MOST = 16 };
  int threads = context->threads < THREADS_MOST ? context->threads : THREADS_MOST;
  double dim = reference->dim, count = (double)reference->count, share = threads < 2 ? 1.0 : 2.0 / threads;
  double pair = 1.5e-10 + 1.5e-11 * dim, seen = count, preparing = 5e-9 * share, keeping = k > 1 ? 8e-8 * k : 0.0;
  if (backend != &gv_backends[GV_BACKEND_OPENMP]) {
    seen = ldexp(1.0, reference->dim + 8) + 1000.0 * count / (double)queries;
    keeping *= 0.3;
  }
  return share * (double)queries * ((seen < count ? seen : count) * pair + keeping) + 4e-10 * share * count * dim +
         built * count * dim * (preparing > 2.4e-9 ? preparing : 2.4e-9);
}

/*
 * Which of the GPU's, from figures of one H200 (docs/benchmarks-search.md). Brute force compares 70 femtoseconds a pair and
 * dimension, 400 more a pair for k > 1, and reads points at 2.5 TB/s; tensor cores 12.5 a pair and dimension and 350 a pair, 850 more
 * for k > 1. A tree's point costs 1.9 ns (kdtree) or 0.35 ns
 * (octree) to build, a query 0.25 to 0.3 ns in three dimensions, more for k > 1, and 2.5 times as much in each further one
 * (a guess above four). Queries and answers are copied at 10 GB/s, by trees at 20; preparing and copying a coordinate of a
 * point takes 1.25 ns, launching 0.1 ms. A tree must win with all of its building, or it is brute force.
 */
static estimate choose_device(const gv_cuda_module *cuda, const gv_context *context, const gv_reference *reference,
                              int32_t k, int64_t queries) {
  enum { TREE_DIM_MAX = 8, OCTREE_DIM_MAX = 3, FEW_QUERIES = 64, FEW_PAIRS = 100000000 };
  const double tree_launches = k > 1 ? 6e-4 : 3e-4, launches = 1e-4, many = 0.1;
  double n = (double)reference->count, q = (double)queries, dim = reference->dim;
  bool products = gv_half_filter_pays(reference->metric, reference->dim);
  double pair = products ? 1.25e-14 * dim + (k > 1 ? 1.2e-12 : 3.5e-13) : 7e-14 * dim + (k > 1 ? 4e-13 : 0.0);
  double brute = n * q * pair + n * dim * 1.6e-12;
  double points = launches + built * 1.25e-9 * n * dim, bytes = q * (dim * 8.0 + k * 16.0);
  if (reference->dim <= TREE_DIM_MAX) {
    double further = dim > 3.0 ? pow(2.5, dim - 3.0) : 1.0;
    double kdtree = 2.5e-10 * q * (1.0 + k / 3.3) * further, octree = 2.9e-10 * q * (1.0 + k / 2.2);
    bool octal = reference->dim <= OCTREE_DIM_MAX && octree + built * 0.35e-9 * n < kdtree + built * 1.9e-9 * n;
    double tree = tree_launches + (octal ? octree + 0.35e-9 * n : kdtree + 1.9e-9 * n) + bytes / 2e10;
    if (tree < brute + bytes / 1e10)
      return (estimate){octal ? &gv_backends[GV_BACKEND_CUDA_OCTREE] : &gv_backends[GV_BACKEND_CUDA_KDTREE],
                        tree + points};
  }
  int devices = 0;
  gv_context quiet;
  gv_context_for_worker(context, &quiet);
  if (brute > many && context->device < 0 && cuda->device_count(&quiet, &devices) == GV_OK && devices > 1) {
    return (estimate){&gv_backends[GV_BACKEND_CUDA_MULTIGPU], brute / devices + points + bytes / 1e10};
  }
  bool few = queries <= FEW_QUERIES || (reference->dim <= 3 && n * q < FEW_PAIRS);
  gv_backend_number number = products ? GV_BACKEND_CUDA_TENSOR
                             : few    ? GV_BACKEND_CUDA_MULTIBLOCK
                                      : GV_BACKEND_CUDA_REGISTER;
  return (estimate){&gv_backends[number], brute + points + bytes / 1e10};
}

const gv_backend *gv_backend_choose(const gv_context *context, const gv_reference *reference, int32_t k,
                                    int64_t queries) {
  const gv_backend *processor = gv_backend_choose_processor(reference, k, queries);
  /* Starting CUDA takes two to four tenths of a second, once a process. */
  const double start = gv_cuda_started() ? 0.0 : 0.4;
  int64_t asked = queries > 0 ? queries : reference->count;
  const char *reason;
  double alone = processor_seconds(context, processor, reference, k, asked);
  if (alone < start || gv_cuda_probe(&reason) != GV_OK) return processor;
  estimate device = choose_device(gv_cuda_module_get(&reason), context, reference, k, asked);
  return alone < start + device.seconds ? processor : device.backend;
}

gv_status gv_backend_choose_device(gv_context *context, const gv_reference *reference, int32_t k, int64_t queries,
                                   const gv_backend **out) {
  const char *reason = "";
  gv_status status = gv_cuda_probe(&reason);
  if (status != GV_OK) return gv_fail(context, status, "arrays on a device: %s", reason);
  gv_context one;
  gv_context_for_worker(context, &one);
  one.device = 0; /* any, but not all */
  *out = choose_device(gv_cuda_module_get(&reason), &one, reference, k, queries > 0 ? queries : reference->count)
             .backend;
  return GV_OK;
}
