/*
 * serial: the obvious double loop on one thread, the reference for all other backends. O(m n d).
 */
#include "search/backend.h"
#include "search/nearest_list.h"

static gv_status serial_build(gv_context *context, const gv_reference *reference, void **state) {
  (void)context, (void)reference;
  *state = NULL;
  return GV_OK;
}

static gv_status serial_search(gv_context *context, const gv_reference *reference, const void *state,
                               const gv_query *query, int64_t *indices, double *canonical) {
  (void)state;
  int32_t dim = reference->dim;
  gv_progress progress;
  gv_progress_init(&progress, context, query->count);
  for (int64_t i = 0; i < query->count; i++) {
    const double *q = query->data + i * dim;
    int64_t self = query->self_offset >= 0 ? query->self_offset + i : -1;
    gv_nearest_list list;
    gv_list_start(&list, canonical + i * query->k, indices + i * query->k, query->k, query->max_canonical);
    for (int64_t j = 0; j < reference->count; j++) {
      if (j == self) continue;
      gv_list_offer(&list, gv_reference_distance(reference, q, j), j);
    }
    gv_list_finish(&list);
    if (!gv_progress_add(&progress, 1)) return gv_fail(context, GV_ERROR_CANCELLED, "cancelled");
  }
  return GV_OK;
}

static void serial_destroy(const gv_reference *reference, void *state) {
  (void)reference, (void)state;
}

const gv_search_engine gv_search_serial = {
    .build = serial_build,
    .search = serial_search,
    .destroy = serial_destroy,
};
