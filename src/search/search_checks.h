/* Shared by searches of points, seeds and features: checks of arguments, numbers, progress. */
#ifndef GV_SEARCH_CHECKS_H
#define GV_SEARCH_CHECKS_H

#include "core/array_options.h"

/* `most`: neighbors; `where`: among what, at the end of a line. */
static inline gv_status gv_check_search_options(gv_context *context, const gv_search_options *o, int32_t most,
                                                const char *where) {
  if (o->k < 1 || o->k > most) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "k: out of range [1, %d] (%d)%s", (int)most, (int)o->k,
                   where);
  }
  if (!(o->max_distance >= 0.0)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "maximum distance: out of range [0, inf] (%g)",
                   o->max_distance);
  }
  return gv_check_array_options(context, o->array_options);
}

/* Numbers that the first query and the first of an index's own `count` points have among all. */
static inline gv_status gv_check_part(gv_context *context, int64_t first_query, int64_t first_reference,
                                      int64_t count) {
  if (first_query >= 0 && first_reference >= 0 && first_reference <= INT64_MAX - count) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "first_query and first_reference: out of range [0, 2^63 - 1]");
}

/* Canonical values that are to become distances. */
static inline gv_status gv_check_values(gv_context *context, const void *index, int64_t count,
                                        const double *values) {
  if (index != NULL && count >= 0 && (values != NULL || count == 0)) return GV_OK;
  return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                 "index or values: the pointer is NULL, or the number is negative");
}

/* `own`: number of the reference point that the next query is, if it exists. Returns the offset for gv_query,
 * and limits *run to the queries with the same offset. */
static inline int64_t gv_self_offset(int64_t own, int64_t references, int64_t *run) {
  if (own >= references) return -1;
  int64_t end = own < 0 ? -own : references - own;
  if (*run > end) *run = end;
  return own < 0 ? -1 : own;
}

/* Numbers of an index's own points to those among all, of which `first` is its first. */
static inline void gv_number_among_all(int64_t first, int64_t count, int64_t *indices) {
  for (int64_t i = 0; i < count && first != 0; i++)
    indices[i] += indices[i] >= 0 ? first : 0;
}

/* The progress of a part of a call, mapped to the whole's. */
typedef struct gv_part_progress {
  gv_progress_fn call;
  void *user;
  double start, share;
} gv_part_progress;

static inline int gv_report_part(double fraction, void *user) {
  const gv_part_progress *part = user;
  return part->call(part->start + part->share * fraction, part->user);
}

/* A context for `count` of `total` steps of a call, after `done` steps. Copy its message if the call
 * fails. */
static inline gv_context gv_context_for_part(const gv_context *context, int64_t done, int64_t count,
                                             int64_t total, gv_part_progress *part) {
  gv_context inner = *context;
  *part = (gv_part_progress){context->progress, context->progress_user, (double)done / (double)total,
                             (double)count / (double)total};
  if (context->progress != NULL) {
    inner.progress = gv_report_part;
    inner.progress_user = part;
  }
  return inner;
}

#endif
