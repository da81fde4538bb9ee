/*
 * cuda-tensor on Hopper (compute capability 9.0, code for 90a): wgmma, whose operands come from shared memory without passing through
 * registers. Two groups of four warps have 64 queries each, all of a matrix tile's 256 points, and 128 sums a thread. While the tensor cores
 * work on one stage, the next ones are being copied.
 */
#include "search/cuda/tensor/tensor.cuh"

namespace {

enum {
  GROUP_QUERIES = 64,
  STAGES = 4,
  ALIGNED = 1024, /* the pattern of 16-byte pieces repeats that often, and wgmma knows it by the address */
  SUMS = 32       /* products of eight points */
};
typedef gv_tensor_stage<2 * GROUP_QUERIES, 8 * SUMS> form;
static_assert(form::BYTES % ALIGNED == 0, "stages begin where the pattern does");

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/* Describes rows of 128 bytes in that pattern, eight of which are 1,024 bytes. */
__device__ __forceinline__ uint64_t describe(const __half *rows) {
  uint64_t at = (uint64_t)__cvta_generic_to_shared(rows);
  return (at & 0x3FFFF) >> 4 | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

/* What other threads have copied to shared memory is there for the tensor cores, once a barrier has been passed. */
__device__ __forceinline__ void publish() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int STILL> __device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(STILL) : "memory");
}

#define FOUR(i)       "+f"(sum[i][0]), "+f"(sum[i][1]), "+f"(sum[i][2]), "+f"(sum[i][3])
#define SIXTEEN(i)    FOUR(i), FOUR(i + 1), FOUR(i + 2), FOUR(i + 3)
#define SIXTY_FOUR(i) SIXTEEN(i), SIXTEEN(i + 4), SIXTEEN(i + 8), SIXTEEN(i + 12)

/* 64 queries x 256 points, 16 dimensions; `add` 0: sums begin anew. */
__device__ __forceinline__ void multiply(float (&sum)[SUMS][4], uint64_t queries, uint64_t points, int add) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
               "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
               "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
               "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
               "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
               "%128, %129, p, 1, 1, 0, 0;\n}\n"
               : SIXTY_FOUR(0), SIXTY_FOUR(16)
               : "l"(queries), "l"(points), "r"(add)
               : "memory");
}

#endif

/* Each chunk has PRODUCTS times 16 dimensions. */
template <int STEPS, int PRODUCTS>
__global__ void __launch_bounds__(GV_TENSOR_THREADS, 1)
    find_minima(gv_scan scan, gv_halves h, gv_tensor_plan plan) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char unaligned[];
  unsigned char *memory = unaligned + (ALIGNED - (unsigned)__cvta_generic_to_shared(unaligned) % ALIGNED) % ALIGNED;
  const int chunks = (h.depth + GV_TENSOR_CHUNK - 1) / GV_TENSOR_CHUNK;
  const int group = (int)threadIdx.x / 128, warp = (int)threadIdx.x / 32 % 4;
  float sum[1][SUMS][4];
  gv_tensor_walk at = gv_walk_begin(plan), ahead = at;
  auto fetch_next = [&](int stage) {
    if (ahead.point < plan.point_tiles) {
      gv_tensor_fetch<form>(scan, h, ahead, ahead.chunk + 1 == chunks, memory + stage * form::BYTES);
      if (++ahead.chunk == chunks) gv_walk_on(plan, ahead);
    }
    gv_end_of_stage();
  };
  /* At a barrier the products of the stage before the last are done: two stages are not being filled. */
  for (int s = 0; s < STAGES - 2; s++)
    fetch_next(s);
  for (int stage = 0; at.point < plan.point_tiles; gv_walk_on(plan, at)) {
    for (int chunk = 0; chunk < chunks; chunk++, stage = (stage + 1) % STAGES) {
      gv_wait_for_stage<STAGES - 3>();
      publish();
      wait_for_products<1>();
      __syncthreads();
      const __half *queries =
                       (const __half *)(memory + stage * form::BYTES) + group * GROUP_QUERIES * GV_TENSOR_CHUNK,
                   *points = (const __half *)(memory + stage * form::BYTES) + form::QUERIES * GV_TENSOR_CHUNK;
      uint64_t q = describe(queries), s = describe(points);
      begin_products();
#pragma unroll
      for (int k = 0; k < PRODUCTS; k++)
        multiply(sum[0], q + 2 * k, s + 2 * k, chunk + k > 0 ? 1 : 0); /* 32 bytes on, in sixteens */
      end_products();
      fetch_next((stage + STAGES - 2) % STAGES);
    }
    wait_for_products<0>();
    const unsigned char *last = memory + (stage + STAGES - 1) % STAGES * form::BYTES;
    gv_put_minima<1, SUMS, STEPS>(scan, h, at.query * form::QUERIES + group * GROUP_QUERIES + warp * 16,
                                  at.point * form::POINTS, (const float *)(last + form::HALVES), sum);
  }
#endif
}

template <int STEPS, int PRODUCTS> cudaError_t launch(gv_cuda_lane *lane, const gv_scan *scan, const gv_halves *h) {
  const int bytes = STAGES * form::BYTES + ALIGNED;
  cudaError_t error =
      cudaFuncSetAttribute(find_minima<STEPS, PRODUCTS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  return gv_tensor_bands(lane, scan, h, [&](const gv_scan &some, const gv_halves &of) {
    gv_tensor_plan plan;
    unsigned blocks = gv_tensor_blocks(lane, &some, form::QUERIES, form::POINTS, &plan);
    find_minima<STEPS, PRODUCTS><<<blocks, GV_TENSOR_THREADS, bytes, lane->stream>>>(some, of, plan);
    return cudaPeekAtLastError();
  });
}

template <int PRODUCTS> cudaError_t launch_steps(gv_cuda_lane *lane, const gv_scan *scan, const gv_halves *h) {
  return scan->groups.steps == GV_TENSOR_STEPS_LEAST  ? launch<GV_TENSOR_STEPS_LEAST, PRODUCTS>(lane, scan, h)
         : scan->groups.steps == GV_TENSOR_STEPS_MOST ? launch<GV_TENSOR_STEPS_MOST, PRODUCTS>(lane, scan, h)
                                                      : launch<GV_TENSOR_STEPS_MOST / 2, PRODUCTS>(lane, scan, h);
}

} // namespace

cudaError_t gv_tensor_hopper(gv_cuda_lane *lane, const gv_scan *scan, const gv_halves *halves) {
  return halves->depth == 16   ? launch_steps<1>(lane, scan, halves)
         : halves->depth == 32 ? launch_steps<2>(lane, scan, halves)
         : halves->depth == 48 ? launch_steps<3>(lane, scan, halves)
                               : launch_steps<4>(lane, scan, halves);
}
