/*
 * cuda-tensor on Hopper (compute capability 9.0, code for 90a): wgmma, which reads its operands from shared
 * memory without registers, and copies of whole slabs, which a single thread starts.
 *
 * Two groups of four warps have 64 queries each, all of a matrix tile's 256 points, and 128 sums a thread. A
 * thread of a third, which leaves its registers to them, fills stages, ahead of them. Two barriers a stage:
 * `full` once all its bytes are there, `empty` once all warps have done with it. So one group multiplies
 * while the other computes its minima.
 */
#include "search/cuda/tensor/tensor.cuh"

namespace {

enum {
  GROUPS = 2,
  GROUP_THREADS = 128,
  GROUP_QUERIES = 64,
  THREADS = (GROUPS + 1) * GROUP_THREADS,
  STAGES = 4,
  ALIGNED = 1024, /* period of the pattern of 16-byte pieces, at most; wgmma derives it from the address */
  SUMS = 32,      /* products of eight points */
  QUERIES = GROUPS * GROUP_QUERIES,
  POINTS = 8 * SUMS
};
static_assert((int)QUERIES == (int)GV_QUERY_SLAB && (int)POINTS == (int)GV_POINT_SLAB,
              "a stage has whole slabs");

/* In bytes: a chunk of the queries and the points and, with the last chunk, half the squared lengths of the
 * points. */
template <int WIDTH> struct form {
  enum {
    QUERY_BYTES = QUERIES * WIDTH * (int)sizeof(__half),
    POINT_BYTES = POINTS * WIDTH * (int)sizeof(__half),
    HALF_BYTES = POINTS * (int)sizeof(float),
    HALVES = QUERY_BYTES + POINT_BYTES,
    BYTES = HALVES + HALF_BYTES
  };
  static_assert(BYTES % ALIGNED == 0 && QUERY_BYTES % ALIGNED == 0, "slabs begin where the pattern does");
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ unsigned shared_address(const void *at) {
  return (unsigned)__cvta_generic_to_shared(at);
}

/* ----------------------------------------------------------------------------------------------- barriers */

__device__ __forceinline__ void start_barrier(uint64_t *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}

/* This thread has arrived; `bytes` are still expected. */
__device__ __forceinline__ void expect(uint64_t *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void arrive(uint64_t *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Until the barrier has turned from this parity. */
__device__ __forceinline__ void wait(uint64_t *barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{\n.reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
  } while (done == 0);
}

/* ------------------------------------------------------------------------------------------------- copies */

__device__ __forceinline__ void copy(void *to, const void *from, unsigned bytes, uint64_t *full) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(full))
      : "memory");
}

/* ----------------------------------------------------------------------------------------------- products */

/* Describes rows of WIDTH dimensions in their pattern, which repeats every eight of them. */
template <int WIDTH> __device__ __forceinline__ uint64_t hopper_describe(const void *rows) {
  const uint64_t eight = 8 * WIDTH * sizeof(__half), pattern = WIDTH == 64 ? 1 : WIDTH == 32 ? 2 : 3;
  return (shared_address(rows) & 0x3FFFF) >> 4 | (uint64_t)1 << 16 | eight >> 4 << 32 | pattern << 62;
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
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
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

/* ------------------------------------------------------------------------------------------------- kernel */

/* A stage's number and its parity bit. */
struct turn {
  int stage;
  unsigned parity;
  __device__ __forceinline__ void on() {
    if (++stage < STAGES) return;
    stage = 0;
    parity ^= 1;
  }
};

struct barriers {
  uint64_t full[STAGES], empty[STAGES];
};

/* One thread's work: orders the copies for all stages, one after the other. */
template <int WIDTH>
__device__ void fill_stages(const gv_scan &scan, const gv_halves &h, const gv_tensor_plan &plan,
                            unsigned char *memory, barriers *at_stage) {
  typedef form<WIDTH> F;
  const int chunks = h.depth / WIDTH;
  turn now = {0, 1};
  for (gv_tensor_walk at = gv_walk_begin(plan); at.point < plan.point_tiles; gv_walk_on(plan, at)) {
    const __half *queries = h.queries + at.query * QUERIES * h.depth,
                 *points = h.points + at.point * POINTS * h.depth;
    for (int chunk = 0; chunk < chunks; chunk++, now.on()) {
      unsigned char *stage = memory + now.stage * F::BYTES;
      uint64_t *full = &at_stage->full[now.stage];
      wait(&at_stage->empty[now.stage], now.parity);
      const bool last = chunk + 1 == chunks;
      expect(full, F::HALVES + (last ? (unsigned)F::HALF_BYTES : 0));
      copy(stage, queries, F::QUERY_BYTES, full);
      copy(stage + F::QUERY_BYTES, points, F::POINT_BYTES, full);
      if (last) copy(stage + F::HALVES, scan.halves + at.point * POINTS, F::HALF_BYTES, full);
      queries += QUERIES * WIDTH;
      points += POINTS * WIDTH;
    }
  }
}

/* A warp has done with a stage. */
__device__ __forceinline__ void leave_stage(uint64_t *empty) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) arrive(empty);
}

/* A group's work: products and their minima. */
template <int STEPS, int WIDTH>
__device__ __forceinline__ void use_stages(const gv_scan &scan, const gv_halves &h,
                                           const gv_tensor_plan &plan, const unsigned char *memory,
                                           barriers *at_stage) {
  typedef form<WIDTH> F;
  const int chunks = h.depth / WIDTH, group = (int)threadIdx.x / GROUP_THREADS,
            warp = (int)threadIdx.x / 32 % 4;
  float sum[1][SUMS][4];
  turn now = {0, 0};
  for (gv_tensor_walk at = gv_walk_begin(plan); at.point < plan.point_tiles; gv_walk_on(plan, at)) {
    int before = 0;
    for (int chunk = 0; chunk < chunks; chunk++, now.on()) {
      const unsigned char *stage = memory + now.stage * F::BYTES;
      uint64_t q = hopper_describe<WIDTH>(stage + group * (F::QUERY_BYTES / GROUPS)),
               s = hopper_describe<WIDTH>(stage + F::QUERY_BYTES);
      wait(&at_stage->full[now.stage], now.parity);
      begin_products();
#pragma unroll
      for (int k = 0; k < WIDTH / GV_TENSOR_STEP; k++)
        multiply(sum[0], q + 2 * k, s + 2 * k, chunk + k > 0 ? 1 : 0); /* 32 bytes on, in sixteens */
      end_products();
      if (chunk > 0) {
        wait_for_products<1>();
        leave_stage(&at_stage->empty[before]);
      }
      before = now.stage;
    }
    wait_for_products<0>();
    gv_put_minima<1, SUMS, STEPS>(scan, h, at.query * QUERIES + group * GROUP_QUERIES + warp * 16,
                                  at.point * POINTS, (const float *)(memory + before * F::BYTES + F::HALVES),
                                  sum);
    leave_stage(&at_stage->empty[before]);
  }
}

#endif

template <int STEPS, int WIDTH>
__global__ void __launch_bounds__(THREADS, 1) find_minima(gv_scan scan, gv_halves h, gv_tensor_plan plan) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __shared__ barriers at_stage;
  extern __shared__ unsigned char unaligned[];
  unsigned char *memory = unaligned + (ALIGNED - shared_address(unaligned) % ALIGNED) % ALIGNED;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      start_barrier(&at_stage.full[s], 1);
      start_barrier(&at_stage.empty[s], GROUPS * GROUP_THREADS / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < GROUPS * GROUP_THREADS) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    use_stages<STEPS, WIDTH>(scan, h, plan, memory, &at_stage);
  } else {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == GROUPS * GROUP_THREADS) fill_stages<WIDTH>(scan, h, plan, memory, &at_stage);
  }
#endif
}

template <int STEPS, int WIDTH>
cudaError_t launch(gv_cuda_queue *queue, const gv_scan *scan, const gv_halves *h) {
  const int bytes = STAGES * form<WIDTH>::BYTES + ALIGNED;
  cudaError_t error =
      cudaFuncSetAttribute(find_minima<STEPS, WIDTH>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) return error;
  return gv_tensor_bands(queue, scan, h, [&](const gv_scan &some, const gv_halves &of) {
    gv_tensor_plan plan;
    unsigned blocks = gv_tensor_blocks(queue, &some, QUERIES, POINTS, &plan);
    find_minima<STEPS, WIDTH><<<blocks, THREADS, bytes, queue->stream>>>(some, of, plan);
    return cudaPeekAtLastError();
  });
}

template <int WIDTH> cudaError_t launch_steps(gv_cuda_queue *queue, const gv_scan *scan, const gv_halves *h) {
  return scan->groups.steps == GV_TENSOR_STEPS_LEAST ? launch<GV_TENSOR_STEPS_LEAST, WIDTH>(queue, scan, h)
         : scan->groups.steps == GV_TENSOR_STEPS_MOST
             ? launch<GV_TENSOR_STEPS_MOST, WIDTH>(queue, scan, h)
             : launch<GV_TENSOR_STEPS_MOST / 2, WIDTH>(queue, scan, h);
}

} // namespace

cudaError_t gv_tensor_hopper(gv_cuda_queue *queue, const gv_scan *scan, const gv_halves *halves) {
  return halves->depth == 16   ? launch_steps<16>(queue, scan, halves)
         : halves->depth == 32 ? launch_steps<32>(queue, scan, halves)
                               : launch_steps<64>(queue, scan, halves);
}
