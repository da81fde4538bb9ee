/*
 * The part that all brute-force backends on the GPU have in common: staging of points, filter, decision. A
 * backend adds a method: a layout of the points and kernels that fill the group minima (scan.cuh).
 */
#ifndef GV_CUDA_BRUTE_CUH
#define GV_CUDA_BRUTE_CUH

#include "search/cuda/devices.h"
#include "search/cuda/scan.cuh"

/* Layout of the reference points' floats in device memory. */
typedef enum gv_layout {
  GV_ROWS,    /* array of structures: dim values a point */
  GV_FOURS,   /* the same with zeros after the last dimension, up to a multiple of four */
  GV_COLUMNS, /* structure of arrays: one array a dimension */
  GV_QUADS    /* at most three dimensions: x, y, z and half the squared length, 16 bytes */
} gv_layout;

/* Dimensions of a row, with zeros up to a multiple of four; floats of a point. */
static inline int32_t gv_brute_depth(int32_t dim) {
  return (dim + 3) / 4 * 4;
}

static inline int32_t gv_brute_stride(gv_layout layout, int32_t dim) {
  return layout == GV_QUADS ? 4 : layout == GV_FOURS ? gv_brute_depth(dim) : dim;
}

struct gv_brute_method;

/* Reference points on one device. */
typedef struct gv_brute {
  const struct gv_brute_method *method;
  int device;
  bool filterable; /* false: scales are so extreme that all points are compared by exact distances */
  int exponent;    /* coordinates are scaled by 2^exponent, after the center was subtracted */
  double longest;  /* the largest length of a scaled point */
  gv_layout layout;
  int64_t count, padded;
  const double *rows;  /* the doubles of the points, count x dim, */
  const float *narrow; /* or, where this is not NULL, floats */
  void *own_rows;      /* the same, where they are not the reference set's */
  double *center;      /* for products of vectors: 0 */
  float *values,
      /* see gv_scan; halves NULL unless the filter is euclidean, and part of the values in GV_QUADS */
      *halves;
  void *own; /* the method's */
  gv_allocator allocator;
} gv_brute;

/* Shape of a backend's groups (scan.cuh); brute.cu chooses the number of steps. */
typedef struct gv_group_shape {
  int32_t piece, lanes, steps_min, steps_max;
  int64_t blocks_min; /* do not make so few blocks of groups, where there are enough points */
} gv_group_shape;

/* Sizes of a search for a method, before its filter runs. */
typedef struct gv_brute_sizes {
  int32_t dim, k;
  gv_metric metric;
  int64_t count, queries;
  int multiprocessors;
  bool itself; /* the queries are the reference points, all of them */
} gv_brute_sizes;

/* The nearest group of each query with the runner-up: see register.cu. Values are filter values. */
typedef struct gv_pair {
  float *best, *second; /* smallest value of all groups, and of all other groups */
  int32_t *group;       /* the best one */
} gv_pair;

typedef struct gv_brute_method {
  gv_layout (*layout)(int32_t dim);
  gv_group_shape (*shape)(const gv_brute_sizes *sizes);

  /* Fills scan->minima. Runs on the queue's stream. */
  gv_status (*filter)(gv_context *context, gv_cuda_queue *queue, const gv_brute *brute, const gv_scan *scan,
                      const gv_brute_sizes *sizes);

  /* May be NULL. For k = 1: finds the best group of `pair_group` points and the runner-up; where it leaves a
   * query open (gv_pair's values too close) `filter` is used. False from `pairs` where it does not apply. */
  bool (*pairs)(const gv_brute_sizes *sizes);
  gv_status (*pair)(gv_context *context, gv_cuda_queue *queue, const gv_brute *brute, const gv_scan *scan,
                    gv_pair out);

  /* May be NULL. Makes data of the backend other than the points. */
  gv_status (*prepare)(gv_context *context, gv_cuda_queue *queue, const gv_reference *reference,
                       gv_brute *brute);
  void (*forget)(gv_brute *brute);

  bool halves = false; /* products of 16-bit floats (search/half_filter.h) */
} gv_brute_method;

/* cuda-register's and cuda-tensor's, one of which cuda-multigpu runs on every device. */
extern const gv_brute_method gv_register_method, gv_tensor_method;

enum { GV_PAIR_GROUP = 32 };

/* Slots of a queue's device buffers. The last ones are the backend's own. */
enum {
  GV_SLOT_QUERIES,
  GV_SLOT_COLUMNS,
  GV_SLOT_ROWS,
  GV_SLOT_MARGINS,
  GV_SLOT_MINIMA,
  GV_SLOT_INDICES,
  GV_SLOT_CANONICAL,
  GV_SLOT_PAIRS,
  GV_SLOT_LIST,
  GV_SLOT_LIST_COLUMNS,
  GV_SLOT_LIST_ROWS,
  GV_SLOT_LIST_MARGINS,
  GV_SLOT_NARROW,
  GV_SLOT_OWN,
  GV_SLOT_OWN_2,
  GV_SLOT_SCALES
};

/* Factors that make the lengths of `count` vectors 1, for GV_COSINE: rows of doubles, or of floats where
 * `narrow` is not NULL. */
cudaError_t gv_brute_scales(gv_cuda_queue *queue, const double *rows, const float *narrow, int64_t count,
                            int32_t dim, double *out);

/* Prepares the reference points, on `device` (-1: the context's), to which they are copied unless they are
 * there. */
gv_status gv_brute_create(gv_context *context, const gv_reference *reference, const gv_brute_method *method,
                          int device, gv_brute **out);
void gv_brute_destroy(const gv_reference *reference, gv_brute *brute);

/* Searches reference points [first, end), first a multiple of GV_SCAN_PAD; `progress` counts queries. Numbers
 * written are those of the whole reference set. */
gv_status gv_brute_run(gv_context *context, const gv_reference *reference, const gv_brute *brute,
                       const gv_query *query, int64_t first, int64_t end, gv_progress *progress,
                       int64_t *indices, double *canonical);

/* A backend's functions, for all ideas that use one device. */
gv_status gv_brute_search(gv_context *context, const gv_reference *reference, const void *state,
                          const gv_query *query, int64_t *indices, double *canonical);
void gv_brute_forget(const gv_reference *reference, void *state);

extern "C" {
extern const gv_search_engine gv_search_cuda_matrix, gv_search_cuda_cublas, gv_search_cuda_thrust,
    gv_search_cuda_global, gv_search_cuda_soa, gv_search_cuda_shared, gv_search_cuda_constant,
    gv_search_cuda_register, gv_search_cuda_tensor, gv_search_cuda_texture, gv_search_cuda_multiblock,
    gv_search_cuda_multigpu;
}

#endif
