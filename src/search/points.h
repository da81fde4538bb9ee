/*
 * Loads points into an index: from an array, or from a callback that reads pieces of them; to the memory that
 * its backend needs.
 */
#ifndef GV_POINTS_H
#define GV_POINTS_H

#include "gpuvoronoi/experimental.h"
#include "search/arrays.h"

typedef struct gv_supply {
  gv_point_source source; /* of an array: all but `read` */
  const void *array;      /* NULL: they are read */
  gv_memory memory;       /* of the array */
  void *stream;           /* the caller's, of memory on a device */
} gv_supply;

/*
 * Loads all points of a supply: index->data, ->device and ->reference; index->kept if the CPUs may replace
 * the device. Float32 is kept if the index's backend supports it. Release them with gv_points_drop, also
 * after an error. Errors: INVALID_ARGUMENT (a point that is not finite), those of reading, OUT_OF_MEMORY,
 * UNAVAILABLE, DEVICE.
 */
gv_status gv_points_take(gv_context *context, const gv_supply *supply, gv_point_index *index);
void gv_points_drop(gv_point_index *index);

/* Checks all of points but their coordinates. `role`: of the points, in messages. */
gv_status gv_check_points(gv_context *context, const gv_points *points, const char *role);

gv_status gv_fail_not_finite(gv_context *context, const char *role, int64_t row);

/* An index's points [first, first + count) as they lie; `of` has no data where they lie on a device and in no
 * copy. */
gv_points gv_points_of(const gv_point_index *index, int64_t first, int64_t count);

/* The same as doubles in host memory, from any memory. */
gv_status gv_points_fetch(gv_context *context, const gv_point_index *index, int64_t first, int64_t count,
                          double *out);

/*
 * The reference set for a backend of CPUs in place of the index's own: the index's points where the host has
 * them, else doubles in *wide (released with gv_release by the caller, also after an error).
 */
gv_status gv_points_for_cpu(gv_context *context, const gv_point_index *index, const gv_backend *backend,
                            gv_reference *out, double **wide);

/* Values [0, count) as doubles. */
void gv_widen_floats(const float *from, int64_t count, double *to);

#endif
