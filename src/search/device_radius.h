/* Searches by radius on a device: what search/radius.c asks of the CUDA module. */
#ifndef GV_DEVICE_RADIUS_H
#define GV_DEVICE_RADIUS_H

#include "search/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GV_DEVICE_RADIUS_MAX_DIM = 4 };

/* Queries in host memory, or points of the index. */
typedef struct gv_device_radius {
  const double *data; /* count x dim; NULL: the points from number `first` on */
  int64_t count;
  double limit;         /* exact, inclusive */
  const double *limits; /* of each query; NULL: `limit` of all */
  int64_t self_offset;  /* as gv_query's */
  int64_t later;        /* >= 0: query i has only neighbors with a number above later + i; -1: all */
  bool by_number;       /* neighbors are in the order of their numbers, else of (exact distance, number) */
  int64_t first;        /* the number of the first query, in messages */
  bool pairs;           /* `indices` are pairs (i, number) of query i, from 2 x offsets[i] on; no distances */
  bool reported;        /* distances are those that the index reports, else exact ones */
} gv_device_radius;

/*
 * Counts where indices and canonical are NULL: offsets[i + 1] is how many neighbors query i has. Else fills
 * both (one may be NULL) from offsets[i] on. The state is that of cuda-kdtree or cuda-octree. UNSUPPORTED: a
 * query has more neighbors than the device can sort; nothing that matters was written.
 */
typedef gv_status gv_device_radius_fn(gv_context *context, const gv_reference *reference, const void *state,
                                      const gv_device_radius *query, int64_t *offsets, int64_t *indices,
                                      double *canonical);

#ifdef __cplusplus
}
#endif

#endif
