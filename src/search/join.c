/* Neighbors that were found among several parts of a reference set, put together. */
#include "gpuvoronoi/experimental.h"

#include "core/parallel.h"
#include "search/backend.h"
#include "search/nearest_list.h"

typedef struct joining {
  const int64_t *const *indices;
  const double *const *canonical;
  int32_t k, parts;
  int64_t *out_indices;
  double *out_canonical;
} joining;

/* Each part's neighbors are in order: the next one is the first of some part. */
static gv_status join_some(gv_worker *worker, int64_t first, int64_t end) {
  const joining *j = worker->user;
  int32_t k = j->k;
  gv_status status = GV_OK;
  int32_t *next = gv_allocate(&worker->context.allocator, j->parts, sizeof *next);
  if (next == NULL) return gv_fail_memory(&worker->context, "joining neighbors");
  for (int64_t query = first; query < end; query++) {
    int64_t at = query * k;
    for (int32_t p = 0; p < j->parts; p++)
      next[p] = 0;
    for (int32_t neighbor = 0; neighbor < k; neighbor++) {
      int32_t best = -1;
      for (int32_t p = 0; p < j->parts; p++) {
        int64_t here = at + next[p];
        if (next[p] == k || j->indices[p][here] < 0) continue;
        if (best < 0 ||
            gv_pair_before(j->canonical[p][here], j->indices[p][here], j->canonical[best][at + next[best]],
                           j->indices[best][at + next[best]])) {
          best = p;
        }
      }
      j->out_indices[at + neighbor] = best >= 0 ? j->indices[best][at + next[best]] : -1;
      j->out_canonical[at + neighbor] = best >= 0 ? j->canonical[best][at + next[best]] : INFINITY;
      if (best >= 0) next[best]++;
    }
  }
  gv_release(&worker->context.allocator, next);
  return status;
}

gv_status gv_neighbors_join(gv_context *context, const int64_t *const *indices,
                            const double *const *canonical, int32_t parts, int64_t queries, int32_t k,
                            int64_t *out_indices, double *out_canonical) {
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  bool given = indices != NULL && canonical != NULL && out_indices != NULL && out_canonical != NULL;
  for (int32_t p = 0; p < parts && given; p++)
    given = indices[p] != NULL && canonical[p] != NULL;
  if (k < 1 || k > GV_MAX_K)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "k: out of range [1, %d] (%d)", GV_MAX_K, (int)k);
  if (queries < 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of queries: out of range (%lld)",
                   (long long)queries);
  if (parts < 1)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "number of parts: out of range (%d)", (int)parts);
  if (!given && queries > 0)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "neighbors of parts: the pointer is NULL");
  joining j = {indices, canonical, k, parts, out_indices, out_canonical};
  gv_loop loop = {
      .context = context, .threads = context->threads, .count = queries, .grain = 256, .user = &j};
  return gv_parallel_for(&loop, join_some);
}
