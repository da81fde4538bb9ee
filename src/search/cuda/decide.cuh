/*
 * From group minima to neighbors: for which points the exact distance is computed, and which of them are the
 * k nearest. The argument is in brute.cu.
 */
#ifndef GV_CUDA_DECIDE_CUH
#define GV_CUDA_DECIDE_CUH

#include "search/cuda/brute.cuh"
#include "search/cuda/halves.cuh"

/* Error bounds of a query's filter values. */
typedef struct gv_margins {
  float *twice; /* 2 e, rounded up; infinite where the filter cannot be used */
  float *limit; /* the largest filter value of a point within the maximum distance, rounded up */
} gv_margins;

/* A slot is a query's position in the arrays of floats; `number` maps slots to queries of the chunk. */
typedef struct gv_decision {
  gv_scan scan;
  gv_metric metric; /* of exact distances; the filter's is scan.metric */
  bool filtered;    /* false: there are no filter values, every point is compared */
  /* rows of `depth` floats of the points, for looking at single points; NULL: use scan.values */
  const float *wide;
  int32_t depth;        /* dim, rounded up to a multiple of 4 */
  const __half *halves; /* the points' slabs, where margins are those of search/half_filter.h, or NULL */
  int32_t half_depth;
  int32_t *open; /* not NULL: of each slot, whether gv_decide_halves has left it */
  gv_margins margin;
  const double *points;  /* canonical coordinates of the scanned points, ... */
  const float *narrow;   /* ... or, where this is not NULL, the same as floats */
  const double *queries; /* and of the queries, by number */
  const int32_t *number; /* of each slot; NULL: the slot itself */
  int64_t base;          /* number of the first scanned point in the reference set */
  int64_t self;          /* point that query 0 must skip; -1: none is skipped */
  int32_t k, needed;     /* needed: k, and one more where a point is skipped */
  double max_canonical;
  int64_t *indices; /* by query number */
  double *canonical;
} gv_decision;

/* One warp a query (needed <= 32), or one block. */
cudaError_t gv_decide(const gv_decision *decision, bool block, cudaStream_t stream);

/* The same for decision->halves. Writes the queries that it leaves undecided to `open`. At most
 * GV_DECIDE_HALVES_MOST are needed. */
cudaError_t gv_decide_halves(const gv_decision *decision, bool block, cudaStream_t stream);
enum { GV_DECIDE_HALVES_MOST = 256 };

/* Decides queries with a best group that leads by more than the margins. Lists the others: list[0] counts
 * them (it must be 0 before), list[1 ...] are their slots. */
cudaError_t gv_decide_pairs(const gv_decision *decision, gv_pair pair, int32_t *list, cudaStream_t stream);

#endif
