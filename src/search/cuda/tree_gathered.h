/* Searching a tree for more neighbors than the lists in registers have room for: tree_gathered.cuh. */
#ifndef GV_CUDA_TREE_GATHERED_H
#define GV_CUDA_TREE_GATHERED_H

#include "search/cuda/tree_visit.cuh"

struct filtered_counts;

/* Shared memory of a block, in bytes. */
size_t gv_tree_gathered_bytes(int dim, int k);

/* Searches the queries of a chunk that have an order, in 2 or 3 dimensions, by euclidean distance. undecided,
 * counts: as search_filtered. */
cudaError_t gv_tree_gathered(cudaStream_t stream, const gv_tree_view *tree, const chunk_view *chunk,
                             int *undecided, filtered_counts *counts);

#endif
