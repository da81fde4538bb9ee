/*
 * Searches by several processes, each with a part of the points and its own queries. Round by round all
 * processes receive some queries of each, search them among their own points, and return the results, which
 * are joined by the queries' process.
 */
#ifndef GV_TOGETHER_H
#define GV_TOGETHER_H

#include "core/core.h"
#include "gpuvoronoi/experimental.h"

/* Queries that are searched at once. */
typedef struct gv_together_rows {
  const double *data; /* count x dim */
  int64_t count;
  int64_t first_query, first_point; /* their number, and that of this process's first point, among all */
} gv_together_rows;

/* This process's points, and how to search them. */
typedef struct gv_together {
  const gv_search_options *options;
  int64_t points, queries;
  int32_t dim;
  double kind[4]; /* other properties that must agree in all processes */
  const void *user;
  /* Queries first ... first + count - 1, checked. */
  gv_status (*take)(gv_context *context, const void *user, int64_t first, int64_t count, double *data);
  gv_status (*search)(gv_context *context, const void *user, const gv_search_options *options,
                      const gv_together_rows *rows, int64_t *indices, double *canonical);
  gv_status (*distances)(gv_context *context, const void *user, int64_t count, double *values);
} gv_together;

/* `status`: this process's status so far, which is reported to the others. distances may be NULL. */
gv_status gv_search_together(gv_context *context, const gv_communicator *processes,
                             const gv_together *together, gv_status status, int64_t *indices,
                             double *distances);

#endif
