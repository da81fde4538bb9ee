/*
 * Places on the Hilbert curve, in coordinates that adapt to the points.
 *
 * A frame has GV_TREE_BINS + 1 edges a dimension, quantiles of a sample of the coordinates; a coordinate's
 * place is its bin plus how far it is inside. So clusters of any scale get their share of the curve, and an
 * outlier cannot squeeze the rest into one cell. It is for queries, which have short codes; the tree of
 * cuda-octree has a frame of equal steps. It only has to be good: nothing that is decided depends on it.
 *
 * The curve rather than Morton's order, because consecutive cells touch: 32 consecutive queries stay
 * together. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707 (2004), 381.
 */
#ifndef GV_CUDA_TREE_CURVE_CUH
#define GV_CUDA_TREE_CURVE_CUH

#include "search/cuda/tree.h"

/* Position of x on 2^bits steps. */
static __device__ __forceinline__ uint32_t gv_frame_step(const double *edges, double x, int bits) {
  int bin = 0;
#pragma unroll
  for (int width = GV_TREE_BINS / 2; width > 0; width /= 2) {
    if (edges[bin + width] <= x) bin += width;
  }
  if (bits <= 8) return (uint32_t)bin >> (8 - bits);
  /* Halved, so that a bin over the whole range of double does not overflow. */
  double low = 0.5 * edges[bin], width = 0.5 * edges[bin + 1] - low, steps = (double)(1u << (bits - 8));
  double inside = width > 0.0 ? (0.5 * x - low) / width * steps : 0.0;
  if (!(inside >= 0.0)) inside = 0.0;
  uint32_t step = inside < steps ? (uint32_t)inside : (1u << (bits - 8)) - 1u;
  return (uint32_t)bin << (bits - 8) | step;
}

/* The lowest bits of x with DIM - 1 zeros after each: 31 bits in two dimensions, 21 in three. */
template <int DIM> static __device__ __forceinline__ uint64_t gv_spread(uint64_t x) {
  if (DIM == 2) {
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    x = (x | x << 1) & 0x5555555555555555u;
  } else if (DIM == 3) {
    x = (x | x << 32) & 0x001f00000000ffffu;
    x = (x | x << 16) & 0x001f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    x = (x | x << 2) & 0x1249249249249249u;
  }
  return x;
}

/* The place of a cell on the curve; cell[0 ... dim - 1] of `bits` bits each is lost. */
template <int DIM> static __device__ __forceinline__ uint64_t gv_hilbert(uint32_t *cell, int dim, int bits) {
  const int dims = DIM > 0 ? DIM : dim;
  for (uint32_t q = 1u << (bits - 1); q > 1; q >>= 1) {
    uint32_t p = q - 1;
    if (cell[0] & q) cell[0] ^= p;
#pragma unroll
    for (int d = 1; d < dims; d++) {
      uint32_t t = cell[d] & q ? 0 : (cell[0] ^ cell[d]) & p;
      cell[0] ^= cell[d] & q ? p : t;
      cell[d] ^= t;
    }
  }
#pragma unroll
  for (int d = 1; d < dims; d++)
    cell[d] ^= cell[d - 1];
  /* Gray code: every bit of the last coordinate inverts all lower ones. */
  uint32_t t = cell[dims - 1];
  t ^= t >> 16;
  t ^= t >> 8;
  t ^= t >> 4;
  t ^= t >> 2;
  t ^= t >> 1;
  t >>= 1;
#pragma unroll
  for (int d = 0; d < dims; d++)
    cell[d] ^= t;
  uint64_t code = 0;
  if constexpr (DIM > 0) {
#pragma unroll
    for (int d = 0; d < DIM; d++)
      code = code << 1 | gv_spread<DIM>(cell[d]);
  } else {
    for (int b = bits - 1; b >= 0; b--) {
      for (int d = 0; d < dims; d++)
        code = code << 1 | (cell[d] >> b & 1u);
    }
  }
  return code;
}

/* Codes of `count` points and their numbers from 0. DIM 0: any dimension, of which the first
 * GV_TREE_ORDER_DIM count. bits <= 31 a dimension. The frame is copied to shared memory: looking it up is
 * most of the work. */
template <typename CODE, int DIM>
static __global__ void gv_curve_codes(const double *data, int dim, const double *frame, int count, int bits,
                                      CODE *codes, int *numbers) {
  extern __shared__ double edges[];
  const int dims = DIM > 0 ? DIM : dim < GV_TREE_ORDER_DIM ? dim : GV_TREE_ORDER_DIM;
  for (int i = (int)threadIdx.x; i < dims * (GV_TREE_BINS + 1); i += (int)blockDim.x)
    edges[i] = frame[i];
  __syncthreads();
  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += (int64_t)gridDim.x * blockDim.x) {
    uint32_t cell[DIM > 0 ? DIM : GV_TREE_ORDER_DIM];
    const double *point = data + i * dim;
#pragma unroll
    for (int d = 0; d < dims; d++)
      cell[d] = gv_frame_step(edges + d * (GV_TREE_BINS + 1), point[d], bits);
    codes[i] = (CODE)gv_hilbert<DIM>(cell, dims, bits);
    numbers[i] = (int)i;
  }
}

template <typename CODE>
static void gv_curve_codes_launch(gv_cuda_queue *queue, const double *data, int dim, const double *edges,
                                  int count, int bits, CODE *codes, int *numbers) {
  const int threads = 256, dims = dim < GV_TREE_ORDER_DIM ? dim : GV_TREE_ORDER_DIM;
  unsigned blocks = gv_tree_blocks(count, threads), most = 8u * (unsigned)queue->multiprocessors;
  if (blocks > most) blocks = most;
  size_t bytes = (size_t)dims * (GV_TREE_BINS + 1) * sizeof(double);
  switch (dim) {
  case 1:
    gv_curve_codes<CODE, 1>
        <<<blocks, threads, bytes, queue->stream>>>(data, dim, edges, count, bits, codes, numbers);
    break;
  case 2:
    gv_curve_codes<CODE, 2>
        <<<blocks, threads, bytes, queue->stream>>>(data, dim, edges, count, bits, codes, numbers);
    break;
  case 3:
    gv_curve_codes<CODE, 3>
        <<<blocks, threads, bytes, queue->stream>>>(data, dim, edges, count, bits, codes, numbers);
    break;
  default:
    gv_curve_codes<CODE, 0>
        <<<blocks, threads, bytes, queue->stream>>>(data, dim, edges, count, bits, codes, numbers);
    break;
  }
}

#endif
