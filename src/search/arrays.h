/* Callers' arrays in host memory or on a device, and operations for both. */
#ifndef GV_ARRAYS_H
#define GV_ARRAYS_H

#include "search/cuda_module.h"

enum { GV_ARRAYS_SCRATCH = 2 };

typedef struct gv_arrays {
  const gv_array_device *cuda; /* NULL: the host's */
  void *queue;
  int device;                         /* -1: the host */
  double *scratch[GV_ARRAYS_SCRATCH]; /* the host's */
} gv_arrays;

/* Finds out where the arrays of a call lie (NULL: no array) and waits for the caller's stream. Ends with
 * gv_arrays_end, also after an error. Errors: INVALID_ARGUMENT, UNAVAILABLE, OUT_OF_MEMORY, DEVICE. */
gv_status gv_arrays_begin(gv_context *context, gv_memory memory, void *stream, const void *const *array,
                          int count, gv_arrays *out);
/* The same for arrays of the library's own: on that device (-1: the context's own choice, else the first
 * usable one). */
gv_status gv_arrays_open(gv_context *context, int device, gv_arrays *out);
void gv_arrays_end(gv_context *context, gv_arrays *arrays);

/* Allocates `count` doubles in the arrays' memory: until the end of the call; permanently. */
gv_status gv_arrays_scratch(gv_context *context, gv_arrays *arrays, int slot, int64_t count, const char *what,
                            double **out);
gv_status gv_arrays_allocate(gv_context *context, const gv_arrays *arrays, int64_t count, const char *what,
                             double **out);
/* Frees memory that was allocated on a device, -1: the host. */
void gv_arrays_release(const gv_allocator *allocator, int device, void *memory);

/* Copies rows [first, first + count) of points as doubles to `out` (NULL: only checks them). *bad: the first
 * row with a NaN or an infinity, or -1. */
gv_status gv_arrays_widen(gv_context *context, const gv_arrays *arrays, const gv_points *points,
                          int64_t first, int64_t count, double *out, int64_t *bad);

/* What canonical values of an index are reported as. */
gv_status gv_arrays_to_distances(gv_context *context, const gv_arrays *arrays, const gv_reference *reference,
                                 double *value, int64_t count);

#endif
