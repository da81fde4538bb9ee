/*
 * cuda-tensor: q.s by tensor cores, in 16-bit floats (search/half_filter.h has the error bound), |s|^2 / 2
 * and the minima of groups from their registers; cosine and inner product are the same with |s|^2 / 2 = 0. No
 * other distance is a product. The kernel for any device since Turing; hopper.cu has another. A warp has a
 * rectangle of products in registers, and reads their operands by ldmatrix.
 */
#include "search/cuda/tensor/tensor.cuh"

#include "search/half_filter.h"

namespace {

enum {
  THREADS = 256,
  FEW_QUERIES = 32,
  CHUNK = GV_HALF_CHUNK,
  PIECES = CHUNK / GV_HALF_PIECE /* of a row in a stage */
};

/* A block's shape: warps across the queries, products of 16 queries a warp, of 8 points each; and a stage of
 * its: a chunk of all its queries and points and, with the last chunk, half the squared lengths of the
 * points. */
template <int WARPS_DOWN, int DOWN> struct form {
  enum {
    Q_WARPS = WARPS_DOWN,
    M = DOWN,
    N = 8,
    QUERIES = WARPS_DOWN * DOWN * 16,
    POINTS = THREADS / 32 / WARPS_DOWN * 64,
    HALVES = (QUERIES + POINTS) * CHUNK * (int)sizeof(__half), /* where they begin, in bytes */
    BYTES = HALVES + POINTS * (int)sizeof(float)
  };
};
typedef form<2, 4> large; /* 128 x 256 */
typedef form<4, 1> small; /* 64 x 128: where shared memory is short */
typedef form<1, 2> few;   /* 32 x 512 */

/* --------------------------------------------------------------------------------------------- conversion */

/* Dimensions d ... of a row of `stride` floats, rounded. */
__device__ __forceinline__ void put_piece(const float *row, int32_t d, int32_t stride, float times,
                                          __half *to) {
  union {
    __half2 pair[GV_HALF_PIECE / 2];
    uint4 piece;
  } out;
#pragma unroll
  for (int i = 0; i < GV_HALF_PIECE / 2; i += 2) {
    float4 v = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    if (d + 2 * i < stride) v = *(const float4 *)(row + d + 2 * i);
    out.pair[i] = __floats2half2_rn(v.x * times, v.y * times);
    out.pair[i + 1] = __floats2half2_rn(v.z * times, v.w * times);
  }
  *(uint4 *)to = out.piece;
}

/* A thread a piece. */
__global__ void __launch_bounds__(THREADS)
    convert_points(const float *rows, int32_t stride, int64_t points, int32_t depth, __half *out) {
  int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  int32_t pieces = depth / GV_HALF_PIECE, first = gv_half_width(depth) / GV_HALF_PIECE;
  if (i >= points * pieces) return;
  int64_t point = i / pieces;
  int32_t piece = (int32_t)(i - point * pieces), chunk = piece / first;
  put_piece(rows + point * stride, piece * GV_HALF_PIECE, stride, (float)(1 << GV_HALF_POINT_EXPONENT),
            out + gv_half_at(point, piece - chunk * first, depth, GV_POINT_SLAB) +
                (int64_t)chunk * GV_POINT_SLAB * CHUNK);
}

/* A warp a query. Rows behind the last query are zeros. */
__global__ void __launch_bounds__(THREADS)
    convert_queries(const float *rows, int32_t stride, int64_t queries, int64_t padded, int32_t depth,
                    __half *out, float *scale) {
  int64_t query = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  int lane = (int)threadIdx.x % 32;
  if (query >= padded) return;
  const float *row = rows + query * stride;
  int32_t there = query < queries ? stride : 0, first = gv_half_width(depth) / GV_HALF_PIECE;
  float largest = 0.0F;
  for (int32_t d = lane; d < there; d += 32)
    largest = fmaxf(largest, fabsf(row[d]));
  for (int shift = 16; shift > 0; shift /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffU, largest, shift));
  /* largest < 2^(exponent + 1); numbers that small are zeros to all others. */
  int exponent = largest >= 0x1p-60F ? ilogbf(largest) : -61;
  float times = ldexpf(1.0F, GV_HALF_QUERY_EXPONENT - 1 - exponent);
  for (int32_t piece = lane; piece < depth / GV_HALF_PIECE; piece += 32) {
    int32_t chunk = piece / first;
    put_piece(row, piece * GV_HALF_PIECE, there, times,
              out + gv_half_at(query, piece - chunk * first, depth, GV_QUERY_SLAB) +
                  chunk * GV_QUERY_SLAB * CHUNK);
  }
  if (lane == 0) scale[query] = ldexpf(1.0F, exponent + 1 - GV_HALF_QUERY_EXPONENT - GV_HALF_POINT_EXPONENT);
}

/* ------------------------------------------------------------------------------------------- instructions */

__device__ __forceinline__ void copy_ahead(void *to, const void *from) {
#if __CUDA_ARCH__ >= 800
  unsigned at = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
#else
  *(uint4 *)to = *(const uint4 *)from;
#endif
}

__device__ __forceinline__ void end_of_stage() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all but the last `STILL` stages are there. */
template <int STILL> __device__ __forceinline__ void wait_for_stage() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(STILL) : "memory");
#endif
}

__device__ __forceinline__ void load_matrices(unsigned (&r)[4], const void *from) {
  unsigned at = (unsigned)__cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at)
               : "memory");
}

/* 16 queries x 8 points, 16 dimensions. */
__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&q)[4], unsigned s0, unsigned s1) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]), "r"(s0), "r"(s1));
#else
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(q[0]), "r"(q[1]), "r"(s0));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(q[2]), "r"(q[3]), "r"(s1));
#endif
}

/* ------------------------------------------------------------------------------------------------- kernel */

/* Copies a stage. */
template <typename F>
__device__ __forceinline__ void fetch(const gv_scan &scan, const gv_halves &h, const gv_tensor_walk &at,
                                      bool last, unsigned char *stage) {
  const int rows = THREADS / PIECES, width = gv_half_width(h.depth);
  int piece = (int)threadIdx.x % PIECES, row = (int)threadIdx.x / PIECES;
  if (last && threadIdx.x < F::POINTS / 4) {
    copy_ahead(stage + F::HALVES + threadIdx.x * 16, scan.halves + at.point * F::POINTS + threadIdx.x * 4);
  }
  if (piece * GV_HALF_PIECE >= width) return;
  const __half *query = h.queries + gv_half_at(at.query * F::QUERIES + row, piece, h.depth, GV_QUERY_SLAB) +
                        at.chunk * GV_QUERY_SLAB * width;
  const __half *point = h.points + gv_half_at(at.point * F::POINTS + row, piece, h.depth, GV_POINT_SLAB) +
                        (int64_t)at.chunk * GV_POINT_SLAB * width;
  /* `rows` is a multiple of the pattern's 8 */
  __half *to = (__half *)stage + gv_half_place(row, piece, CHUNK);
#pragma unroll
  for (int r = 0; r < F::QUERIES; r += rows)
    copy_ahead(to + r * CHUNK, query + r * width);
#pragma unroll
  for (int r = 0; r < F::POINTS; r += rows) {
    copy_ahead(to + (F::QUERIES + r) * CHUNK,
               point + r / GV_POINT_SLAB * GV_POINT_SLAB * (int64_t)h.depth + r % GV_POINT_SLAB * width);
  }
}

template <typename F, int STAGES, int STEPS>
__global__ void __launch_bounds__(THREADS, 1) find_minima(gv_scan scan, gv_halves h, gv_tensor_plan plan) {
  extern __shared__ __align__(128) unsigned char memory[];
  const int chunks = (h.depth + CHUNK - 1) / CHUNK;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  const int down = warp % F::Q_WARPS * F::M * 16, across = warp / F::Q_WARPS * F::N * 8;
  const int query_row = down + lane % 16, query_piece = lane / 16;
  const int point_row = across + lane / 16 * 8 + lane % 8, point_piece = lane / 8 % 2;
  float sum[F::M][F::N][4] = {};
  gv_tensor_walk at = gv_walk_begin(plan), ahead = at;
  auto fetch_next = [&](int stage) {
    if (ahead.point < plan.point_tiles) {
      fetch<F>(scan, h, ahead, ahead.chunk + 1 == chunks, memory + stage * F::BYTES);
      if (++ahead.chunk == chunks) gv_walk_on(plan, ahead);
    }
    end_of_stage();
  };
  for (int s = 0; s < STAGES - 1; s++)
    fetch_next(s);
  for (int stage = 0; at.point < plan.point_tiles; stage = stage + 1 < STAGES ? stage + 1 : 0) {
    wait_for_stage<STAGES - 2>();
    __syncthreads();
    fetch_next(stage > 0 ? stage - 1 : STAGES - 1);
    const __half *queries = (const __half *)(memory + stage * F::BYTES),
                 *points = queries + F::QUERIES * CHUNK;
    int products = gv_half_width(h.depth) / GV_TENSOR_STEP;
#pragma unroll
    for (int k = 0; k < CHUNK / GV_TENSOR_STEP; k++) {
      if (k >= products) break;
      unsigned q[F::M][4], s[F::N / 2][4];
#pragma unroll
      for (int m = 0; m < F::M; m++)
        load_matrices(q[m], queries + gv_half_place(query_row + 16 * m, 2 * k + query_piece, CHUNK));
#pragma unroll
      for (int n = 0; n < F::N / 2; n++)
        load_matrices(s[n], points + gv_half_place(point_row + 16 * n, 2 * k + point_piece, CHUNK));
#pragma unroll
      for (int m = 0; m < F::M; m++) {
#pragma unroll
        for (int n = 0; n < F::N; n++)
          multiply(sum[m][n], q[m], s[n / 2][n % 2 * 2], s[n / 2][n % 2 * 2 + 1]);
      }
    }
    if (++at.chunk < chunks) continue;
    gv_put_minima<F::M, F::N, STEPS>(scan, h, at.query * F::QUERIES + down, at.point * F::POINTS + across,
                                     (const float *)(memory + stage * F::BYTES + F::HALVES) + across, sum);
#pragma unroll
    for (int m = 0; m < F::M; m++) {
#pragma unroll
      for (int n = 0; n < F::N; n++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
          sum[m][n][i] = 0.0F;
      }
    }
    gv_walk_on(plan, at);
  }
}

/* ------------------------------------------------------------------------------------------------- launch */

template <typename F, int STAGES, int STEPS>
cudaError_t launch(gv_cuda_queue *queue, const gv_scan *scan, const gv_halves *h) {
  const int bytes = STAGES * F::BYTES;
  cudaError_t error =
      cudaFuncSetAttribute(find_minima<F, STAGES, STEPS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  return gv_tensor_bands(queue, scan, h, [&](const gv_scan &some, const gv_halves &of) {
    gv_tensor_plan plan;
    unsigned blocks = gv_tensor_blocks(queue, &some, F::QUERIES, F::POINTS, &plan);
    find_minima<F, STAGES, STEPS><<<blocks, THREADS, bytes, queue->stream>>>(some, of, plan);
    return cudaPeekAtLastError();
  });
}

template <typename F, int STAGES>
cudaError_t launch_steps(gv_cuda_queue *queue, const gv_scan *scan, const gv_halves *h) {
  return scan->groups.steps == GV_TENSOR_STEPS_LEAST
             ? launch<F, STAGES, GV_TENSOR_STEPS_LEAST>(queue, scan, h)
         : scan->groups.steps == GV_TENSOR_STEPS_MOST
             ? launch<F, STAGES, GV_TENSOR_STEPS_MOST>(queue, scan, h)
             : launch<F, STAGES, GV_TENSOR_STEPS_MOST / 2>(queue, scan, h);
}

/* As many stages as a multiprocessor has room for. */
cudaError_t launch_form(gv_cuda_queue *queue, const gv_scan *scan, const gv_halves *h) {
  size_t room = queue->shared_block_bytes;
#ifdef GPUVORONOI_HOPPER
  int major = 0, minor = 0;
  cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, queue->device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, queue->device);
  if (error != cudaSuccess) return error;
  if (major == 9 && minor == 0 && scan->queries > FEW_QUERIES) return gv_tensor_hopper(queue, scan, h);
#endif
  if (scan->queries <= FEW_QUERIES && room >= 3 * few::BYTES) return launch_steps<few, 3>(queue, scan, h);
  if (room >= 4 * large::BYTES) return launch_steps<large, 4>(queue, scan, h);
  if (room >= 3 * large::BYTES) return launch_steps<large, 3>(queue, scan, h);
  return room >= 2 * large::BYTES ? launch_steps<large, 2>(queue, scan, h)
                                  : launch_steps<small, 2>(queue, scan, h);
}

/* --------------------------------------------------------------------------------------------- the method */

/* Floats of a row of GV_FOURS. */
int32_t stride_of(int32_t dim) {
  return (dim + 3) / 4 * 4;
}

gv_layout layout(int32_t dim) {
  (void)dim;
  return GV_FOURS;
}

gv_group_shape shape(const gv_brute_sizes *sizes) {
  (void)sizes;
  return {GV_TENSOR_PIECE, GV_TENSOR_LANES, GV_TENSOR_STEPS_LEAST, GV_TENSOR_STEPS_MOST, 0};
}

gv_status prepare(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference, gv_brute *brute) {
  int32_t depth = gv_half_depth(reference->dim);
  int64_t values = brute->padded * depth;
  GV_TRY(gv_cuda_allocate(context, (size_t)values * sizeof(__half), &brute->own));
  convert_points<<<(unsigned)gv_ceil_div(values / GV_HALF_PIECE, THREADS), THREADS, 0, queue->stream>>>(
      brute->values, stride_of(reference->dim), brute->padded, depth, (__half *)brute->own);
  return gv_cuda_result(context, cudaPeekAtLastError(), "converting points");
}

void forget(gv_brute *brute) {
  gv_cuda_release(brute->device, brute->own);
}

gv_status filter(gv_context *context, gv_cuda_queue *queue, const gv_brute *brute, const gv_scan *scan,
                 const gv_brute_sizes *) {
  gv_halves h = {};
  h.depth = gv_half_depth(scan->dim);
  h.points = (const __half *)brute->own + (scan->values - brute->values) / scan->point_stride * h.depth;
  int64_t padded = gv_ceil_div(scan->queries, GV_QUERY_PAD) * GV_QUERY_PAD;
  __half *queries = NULL;
  float *scale = NULL;
  gv_status status = gv_cuda_reserve(context, queue, GV_SLOT_OWN,
                                     (size_t)padded * (size_t)h.depth * sizeof *queries, (void **)&queries);
  if (status == GV_OK)
    status = gv_cuda_reserve(context, queue, GV_SLOT_OWN_2, (size_t)padded * sizeof *scale, (void **)&scale);
  if (status != GV_OK) return status;
  convert_queries<<<(unsigned)gv_ceil_div(padded, THREADS / 32), THREADS, 0, queue->stream>>>(
      scan->query_rows, stride_of(scan->dim), scan->queries, padded, h.depth, queries, scale);
  GV_TRY(gv_cuda_result(context, cudaPeekAtLastError(), "converting queries"));
  h.queries = queries;
  h.scale = scale;
  return gv_cuda_result(context, launch_form(queue, scan, &h), "searching by tensor cores");
}

} // namespace

const gv_brute_method gv_tensor_method = {layout, shape, filter, NULL, NULL, prepare, forget, true};

static gv_status tensor_build(gv_context *context, const gv_reference *reference, void **state) {
  return gv_brute_create(context, reference, &gv_tensor_method, -1, (gv_brute **)state);
}

const gv_search_engine gv_search_cuda_tensor = {gv_cuda_probe_device, tensor_build, gv_brute_search,
                                                gv_brute_forget};
