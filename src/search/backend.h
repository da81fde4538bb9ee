/*
 * The backend table's row type: one way to search points. A backend is one file (or a pair) that exports one
 * `const gv_backend`, listed once in table.c. Every backend gives the bytes of `serial`.
 */
#ifndef GV_BACKEND_H
#define GV_BACKEND_H

#include "core/core.h"
#include "exact/canonical.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A reference set as backends see it: checked (finite, dim and count in range), widened to double, row-major, owned
 * by the index and alive as long as the backend's state. */
typedef struct gv_reference {
  const double *data; /* count x dim */
  int64_t count;
  int32_t dim;
  gv_metric metric; /* euclidean, manhattan or chebyshev */
  gv_allocator allocator;
} gv_reference;

/* One search: queries are checked and widened like the reference. All distances here are canonical values (squared
 * for euclidean); the layer above takes roots and turned the caller's maximum distance into `max_canonical`. */
typedef struct gv_query {
  const double *data; /* count x dim */
  int64_t count;
  int32_t k;
  double max_canonical; /* inclusive; INFINITY = none */
  int64_t self_offset;  /* >= 0: query i must skip reference i + self_offset; -1: no exclusion */
} gv_query;

enum { GV_MAX_K = 1024 }; /* neighbours a query */

typedef struct gv_backend {
  const char *name;
  const char *summary;
  int32_t max_dim;

  /* Can it run on this machine? GV_OK, or GV_ERROR_UNAVAILABLE and a static text in *reason. */
  gv_status (*probe)(const char **reason);

  /* Prepares a reference set. On success *state is set (may stay NULL if none is needed). */
  gv_status (*build)(gv_context *context, const gv_reference *reference, void **state);

  /* For query i writes indices[i*k ...] and canonical[i*k ...] sorted by (canonical, index), padded with -1 and
   * +inf. Uses context->threads threads; reports progress itself; any number of searches may run at once. */
  gv_status (*search)(gv_context *context, const gv_reference *reference, const void *state, const gv_query *query,
                      int64_t *indices, double *canonical);

  void (*destroy)(const gv_reference *reference, void *state);

  /* NULL: everything is covered. Else gives NULL for what is, and a static text that says why for what is not. Only the
   * metric may decide: an index serves all types and all k. */
  const char *(*refuses)(gv_metric metric, gv_dtype dtype, int32_t k);
} gv_backend;

/* Threads worth waking for so many steps of about a nanosecond: a parallel region costs microseconds, and milliseconds
 * where the processors are busy with other things. */
static inline int gv_threads_for(const gv_context *context, double steps) {
  return steps < 1e6 ? 1 : context->threads;
}

/* The table, NULL-terminated, in the order in which it is listed to people. */
extern const gv_backend *const gv_backends[];

/* Finds a backend by name; NULL when there is none. "auto" is not a backend. */
const gv_backend *gv_backend_find(const char *name);

/* What "auto" stands for: the backend expected to be fastest for these sizes among those that can run here. `queries` 0:
 * unknown. The second never chooses one that needs a GPU. */
const gv_backend *gv_backend_choose(const gv_context *context, const gv_reference *reference, int32_t k,
                                    int64_t queries);
const gv_backend *gv_backend_choose_processor(const gv_reference *reference, int32_t k, int64_t queries);

/* The index behind the public handle. Also used by the Voronoi layer, which searches canonical values. */
struct gv_index {
  gv_reference reference;
  double *data;
  const gv_backend *backend;
  void *state;
  bool automatic; /* the library chose the backend, and may go on with another one where a device fails */
};

/* Search on canonical values with already checked double queries (see gv_query). */
gv_status gv_index_search_canonical(gv_context *context, const gv_index *index, const gv_query *query,
                                    int64_t *indices, double *canonical);

#ifdef __cplusplus
}
#endif

#endif
