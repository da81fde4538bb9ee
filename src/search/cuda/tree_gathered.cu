/* The kernels of tree_gathered.cuh, compiled once. */
#include "search/cuda/tree_gathered.cuh"
#include "search/cuda/tree_gathered.h"

size_t gv_tree_gathered_bytes(int dim, int k) {
  return dim == 2 ? gathered_bytes<2>(k) : gathered_bytes<3>(k);
}

template <int DIM>
static cudaError_t gathered_launch(cudaStream_t stream, const gv_tree_view &tree, const chunk_view &chunk,
                                   int *undecided, filtered_counts *counts) {
  size_t bytes = gathered_bytes<DIM>(chunk.k);
  cudaError_t error =
      cudaFuncSetAttribute(search_gathered<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
  if (error != cudaSuccess) return error;
  search_gathered<DIM>
      <<<gv_tree_blocks(chunk.count, GATHERED_GROUP), (unsigned)gathered_threads(chunk.k), bytes, stream>>>(
          tree, chunk, undecided, counts);
  return cudaPeekAtLastError();
}

cudaError_t gv_tree_gathered(cudaStream_t stream, const gv_tree_view *tree, const chunk_view *chunk,
                             int *undecided, filtered_counts *counts) {
  return tree->dim == 2 ? gathered_launch<2>(stream, *tree, *chunk, undecided, counts)
                        : gathered_launch<3>(stream, *tree, *chunk, undecided, counts);
}
