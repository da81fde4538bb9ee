/* What the float filters of trees share (tree_filtered.cuh has the proof of the margin). */
#ifndef GV_CUDA_TREE_MARGIN_CUH
#define GV_CUDA_TREE_MARGIN_CUH

#include "search/cuda/tree_visit.cuh"

#define FILTER_FACTOR 0x1p-21f
#define FILTER_TINY   1e-20f

enum { SEARCHED_MIN = 4096 /* number of queries after which blocks check how many were undecided */ };

/* Queries of the chunk that have been searched, that were undecided, and of these that were in groups with
 * others too far away. */
struct filtered_counts {
  int searched, undecided, far;
};

#endif
