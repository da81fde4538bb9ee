/*
 * Layout of points and queries in device memory as 16-bit floats (search/half_filter.h): slabs of rows,
 * divided into consecutive chunks of up to 64 dimensions. A stage of cuda-tensor holds one chunk of a slab in
 * shared memory: rows of 32, 64 or 128 bytes. The 16-byte pieces of a row are permuted by the row's number,
 * so that no two pieces of a column are in the same bank. The pattern is wgmma's swizzle; it repeats every
 * eight rows.
 */
#ifndef GV_CUDA_HALVES_CUH
#define GV_CUDA_HALVES_CUH

#include "search/cuda/scan.cuh"

#include <cuda_fp16.h>

enum {
  GV_HALF_CHUNK = 64, /* dimensions */
  GV_HALF_PIECE = 8,
  GV_POINT_SLAB = 256, /* rows; GV_SCAN_PAD is a multiple */
  GV_QUERY_SLAB = GV_QUERY_PAD
};

/* Dimensions of a row: less than a chunk, or whole ones. */
static inline int32_t gv_half_depth(int32_t dim) {
  const int32_t chunk = GV_HALF_CHUNK;
  return dim <= chunk / 4 ? chunk / 4 : dim <= chunk / 2 ? chunk / 2 : (dim + chunk - 1) / chunk * chunk;
}

/* Dimensions of a row's chunk. */
static __host__ __device__ __forceinline__ int32_t gv_half_width(int32_t depth) {
  return depth < GV_HALF_CHUNK ? depth : GV_HALF_CHUNK;
}

/* Position in a chunk with rows of `width` dimensions of a piece of a row. */
static __host__ __device__ __forceinline__ int32_t gv_half_place(int32_t row, int32_t piece, int32_t width) {
  int32_t pieces = width / GV_HALF_PIECE;
  return row * width + (piece ^ (row * pieces / 8 % pieces)) * GV_HALF_PIECE;
}

/* Position of a piece of the first chunk of a row; those of the next chunks are slab * width further each. */
static __host__ __device__ __forceinline__ int64_t gv_half_at(int64_t row, int32_t piece, int32_t depth,
                                                              int32_t slab) {
  int32_t within = (int32_t)(row % slab);
  return (row - within) * depth + gv_half_place(within, piece, gv_half_width(depth));
}

#endif
