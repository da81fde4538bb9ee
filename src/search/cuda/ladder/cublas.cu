/*
 * cuda-cublas, step 2: the matrix as a matrix product of the vendor's library.
 *
 * Idea: |q - s|^2 / 2 orders points as |s|^2 / 2 - q.s does, so cuBLAS computes the products q.s of all
 * pairs, and a kernel adds the halves and takes the minima of groups. Cosine and inner product are the same
 * without halves; no other distance is a product. Memory: products in device memory, in chunks that stay in
 * the second-level cache between the two kernels. Limit: every product still leaves the multiprocessor and
 * comes back; kernels that reduce values in registers avoid that.
 *
 * The products are computed in accurate float arithmetic (CUBLAS_PEDANTIC_MATH: no TF32, no emulation by
 * other types), for which the filter's bound holds in any order of summation. cuBLAS is opened at its first
 * use, so a program without it starts, and all other backends work.
 */
#include "search/cuda/brute.cuh"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* The few declarations needed, as in cublas_api.h; building does not need cuBLAS. */
typedef struct cublasContext *handle;
typedef int (*create_fn)(handle *out);
typedef int (*destroy_fn)(handle h);
typedef int (*set_stream_fn)(handle h, cudaStream_t stream);
typedef int (*set_math_mode_fn)(handle h, int mode);
typedef int (*sgemm_fn)(handle h, int transpose_a, int transpose_b, int m, int n, int k, const float *alpha,
                        const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                        int ldc);
enum { SUCCESS = 0, ALLOC_FAILED = 3, OP_N = 0, OP_T = 1, PEDANTIC_MATH = 2 };

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static struct {
  create_fn create;
  destroy_fn destroy;
  set_stream_fn set_stream;
  set_math_mode_fn set_math_mode;
  sgemm_fn sgemm;
} library;
static const char *missing;

static void open_library(void) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                      "libcublas.so"};
  static char text[256];
  void *found = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && found == NULL; i++)
    found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (found == NULL) {
    const char *said = dlerror();
    (void)snprintf(text, sizeof text, "cuBLAS is not installed: %s",
                   said != NULL ? said : "no library found");
    missing = text;
    return;
  }
  library.create = (create_fn)dlsym(found, "cublasCreate_v2");
  library.destroy = (destroy_fn)dlsym(found, "cublasDestroy_v2");
  library.set_stream = (set_stream_fn)dlsym(found, "cublasSetStream_v2");
  library.set_math_mode = (set_math_mode_fn)dlsym(found, "cublasSetMathMode");
  library.sgemm = (sgemm_fn)dlsym(found, "cublasSgemm_v2");
  if (library.create == NULL || library.destroy == NULL || library.set_stream == NULL ||
      library.set_math_mode == NULL || library.sgemm == NULL) {
    missing = "this cuBLAS lacks a function";
  }
}

static gv_status probe(const char **reason) {
  GV_TRY(gv_cuda_probe_device(reason));
  (void)pthread_once(&open_once, open_library);
  if (missing != NULL) *reason = missing;
  return missing != NULL ? GV_ERROR_UNAVAILABLE : GV_OK;
}

static gv_status cublas_check(gv_context *context, int result) {
  if (result == SUCCESS) return GV_OK;
  (void)cudaGetLastError();
  if (result == ALLOC_FAILED)
    return gv_fail(context, GV_ERROR_OUT_OF_MEMORY, "cuBLAS: the device is out of memory");
  return gv_fail(context, GV_ERROR_DEVICE, "cuBLAS: error %d", result);
}

/* ------------------------------------------------------------------------------------------------ handles */

/* A handle serves one thread at a time, and making one takes milliseconds: an index keeps them for reuse. */
typedef struct kept {
  struct kept *next;
  handle handle_;
} kept;

typedef struct handles {
  pthread_mutex_t lock;
  kept *idle;
} handles;

static gv_status cublas_take(gv_context *context, gv_cuda_queue *queue, const gv_brute *brute, kept **out) {
  handles *own = (handles *)brute->own;
  (void)pthread_mutex_lock(&own->lock);
  kept *one = own->idle;
  if (one != NULL) own->idle = one->next;
  (void)pthread_mutex_unlock(&own->lock);
  gv_status status = GV_OK;
  if (one == NULL) {
    one = (kept *)gv_allocate_zeroed(&brute->allocator, 1, sizeof *one);
    if (one == NULL) return gv_fail_memory(context, "cuBLAS");
    status = cublas_check(context, library.create(&one->handle_));
    if (status != GV_OK) {
      gv_release(&brute->allocator, one);
      return status;
    }
    status = cublas_check(context, library.set_math_mode(one->handle_, PEDANTIC_MATH));
  }
  if (status == GV_OK) status = cublas_check(context, library.set_stream(one->handle_, queue->stream));
  *out = one;
  return status;
}

static void give(const gv_brute *brute, kept *one) {
  handles *own = (handles *)brute->own;
  if (one == NULL) return;
  (void)pthread_mutex_lock(&own->lock);
  one->next = own->idle;
  own->idle = one;
  (void)pthread_mutex_unlock(&own->lock);
}

static gv_status cublas_prepare(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference,
                                gv_brute *brute) {
  handles *own = (handles *)gv_allocate_zeroed(&reference->allocator, 1, sizeof *own);
  if (own == NULL) return gv_fail_memory(context, "cuBLAS");
  (void)pthread_mutex_init(&own->lock, NULL);
  brute->own = own;
  kept *one = NULL;
  gv_status status = cublas_take(context, queue, brute, &one);
  give(brute, one);
  return status;
}

static void forget(gv_brute *brute) {
  handles *own = (handles *)brute->own;
  if (own == NULL) return;
  int previous = -1;
  if (cudaGetDevice(&previous) != cudaSuccess) previous = -1;
  (void)cudaSetDevice(brute->device);
  while (own->idle != NULL) {
    kept *one = own->idle;
    own->idle = one->next;
    (void)library.destroy(one->handle_);
    gv_release(&brute->allocator, one);
  }
  if (previous >= 0) (void)cudaSetDevice(previous);
  (void)cudaGetLastError();
  (void)pthread_mutex_destroy(&own->lock);
  gv_release(&brute->allocator, own);
}

/* ------------------------------------------------------------------------------------------------- search */

enum { LANES = 32, PIECE = 4, STEP = LANES * PIECE, THREADS = 256, POINTS_MAX = 1 << 18 };

static gv_layout cublas_layout(int32_t dim) {
  (void)dim;
  return GV_COLUMNS;
}

static gv_group_shape cublas_shape(const gv_brute_sizes *sizes) {
  (void)sizes;
  return {PIECE, LANES, 1, 256, 0};
}

/* Minima of the groups of some rows of products: row r holds `length` of them. A warp makes 32 groups of one
 * row. */
static __global__ void __launch_bounds__(THREADS)
    reduce_products(const float *products, int64_t length, const float *halves, gv_scan scan,
                    int64_t first_group) {
  int64_t warp = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  int lane = (int)threadIdx.x % 32;
  int64_t share = (int64_t)scan.groups.steps * STEP, blocks = (length + share - 1) / share,
          query = warp / blocks;
  if (query >= scan.queries) return;
  int64_t block = warp - query * blocks, first = block * share;
  int64_t last = first + share < length ? first + share : length;
  const float *row = products + query * length;
  float least = INFINITY;
#pragma unroll 4
  for (int64_t at = first + lane * PIECE; at < last; at += STEP) {
    float4 p = *(const float4 *)(row + at), h = *(const float4 *)(halves + at);
    least = fminf(least, fminf(fminf(__fadd_rn(p.x, h.x), __fadd_rn(p.y, h.y)),
                               fminf(__fadd_rn(p.z, h.z), __fadd_rn(p.w, h.w))));
  }
  scan.minima[query * scan.row + first_group + block * LANES + lane] = least;
}

static gv_status cublas_filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *brute,
                               const gv_scan *scan, const gv_brute_sizes *) {
  gv_status status = GV_OK;
  const float one = 1.0F, zero = 0.0F;
  float *products = NULL;
  kept *h = NULL;
  /* Points and queries of a chunk: half of the second-level cache. */
  int64_t share = (int64_t)scan->groups.steps * STEP, end = gv_ceil_div(scan->count, STEP) * STEP;
  int64_t points = POINTS_MAX / share * share;
  if (points > end) points = end;
  int64_t queries = (int64_t)(queue->l2_bytes / 2 / sizeof(float)) / points / GV_QUERY_PAD * GV_QUERY_PAD;
  if (queries < GV_QUERY_PAD) queries = GV_QUERY_PAD;
  if (queries > scan->queries) queries = scan->queries;
  status = gv_cuda_reserve(context, queue, GV_SLOT_OWN, (size_t)points * (size_t)queries * sizeof(float),
                           (void **)&products);
  if (status != GV_OK) return status;
  status = cublas_take(context, queue, brute, &h);
  if (status != GV_OK) goto done;
  for (int64_t q = 0; q < scan->queries; q += queries) {
    for (int64_t p = 0; p < end; p += points) {
      gv_scan part = *scan;
      int64_t length = end - p < points ? end - p : points;
      part.queries = scan->queries - q < queries ? scan->queries - q : queries;
      part.minima = scan->minima + q * scan->row;
      /* Column-major: length x queries = (length x dim) (queries x dim)^T. */
      status = cublas_check(context, library.sgemm(h->handle_, OP_N, OP_T, (int)length, (int)part.queries,
                                                   (int)scan->dim, &one, scan->values + p,
                                                   (int)scan->dim_stride, scan->query + q,
                                                   (int)scan->query_stride, &zero, products, (int)length));
      if (status != GV_OK) goto done;
      int64_t warps = part.queries * gv_ceil_div(length, share);
      reduce_products<<<(unsigned)gv_ceil_div(warps, THREADS / 32), THREADS, 0, queue->stream>>>(
          products, length, scan->halves + p, part, p / share * LANES);
      GV_CUDA_LAUNCHED(context, "reducing products");
    }
  }

done:
  give(brute, h);
  return status;
}

static const gv_brute_method method = {cublas_layout, cublas_shape,   cublas_filter, NULL,
                                       NULL,          cublas_prepare, forget};

static gv_status cublas_build(gv_context *context, const gv_reference *reference, void **state) {
  if (reference->count > INT32_MAX - GV_SCAN_PAD) {
    return gv_fail(context, GV_ERROR_UNSUPPORTED,
                   "cuda-cublas: too many points (%lld); at most %d are supported",
                   (long long)reference->count, (int)(INT32_MAX - GV_SCAN_PAD));
  }
  return gv_brute_create(context, reference, &method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_cublas = {probe, cublas_build, gv_brute_search, gv_brute_forget};
