#include "search/together.h"

#include <limits.h>
#include <string.h>

#include "core/given.h"
#include "search/search_checks.h"

enum { ROUND_BYTES = 64 << 20 };

/* The first message of a process to all others. */
typedef struct handshake {
  int64_t points, queries, k, dim, exclude_self;
  double max_distance, kind[4];
} handshake;

typedef struct together_rounds {
  gv_context *context;
  gv_communicator processes;
  const gv_together *here;
  handshake *all;            /* by process ... */
  int64_t *first_point;      /* ... */
  int *sizes;                /* ... of messages, and their places: four times as many */
  int64_t room;              /* queries of a process in a round */
  int64_t most;              /* queries of the process that has the most */
  double *own, *all_queries; /* queries: this process's, all */
  int64_t *found, *came;     /* for all; by all for this process */
  double *values, *came_values, *joined;
  const int64_t **parts;
  const double **part_values;
} together_rounds;

/* ---------------------------------------------------------------------------------------------- processes */

static gv_status together_unreachable(const together_rounds *r, gv_status status) {
  if (status != GV_OK) return status;
  return gv_fail(r->context, GV_ERROR_IO, "processes: the communication failed");
}

/* GV_OK where all are well; where they are not, the others name the first that is not. */
static gv_status agree(const together_rounds *r, gv_status status) {
  const gv_communicator *p = &r->processes;
  int worst = 0, what = 0;
  if (p->ranks == 1) return status;
  if (p->allreduce_max(p->user, status != GV_OK ? p->ranks - p->rank : 0, &worst) != 0)
    return together_unreachable(r, status);
  if (worst == 0) return status;
  int from = p->ranks - worst;
  if (p->allreduce_max(p->user, from == p->rank ? (int)status : 0, &what) != 0)
    return together_unreachable(r, status);
  if (status != GV_OK) return status;
  return gv_fail(r->context, (gv_status)what, "process %d of %d failed: %s", from, p->ranks,
                 gv_status_message((gv_status)what));
}

/* Sizes of the data of each process in bytes, and their offsets one after the other. */
static void set_places(int count, const int *bytes, int *places) {
  for (int i = 0, at = 0; i < count; at += bytes[i++])
    places[i] = at;
}

/* Copies the data of a single process; NULL if empty. */
static void copy_bytes(void *to, const void *from, int bytes) {
  if (to != NULL && from != NULL) memcpy(to, from, (size_t)bytes);
}

static gv_status together_gather(const together_rounds *r, const void *own, void *all) {
  const gv_communicator *p = &r->processes;
  int *bytes = r->sizes, *places = bytes + p->ranks;
  set_places(p->ranks, bytes, places);
  if (p->ranks == 1) {
    copy_bytes(all, own, bytes[0]);
    return GV_OK;
  }
  return p->allgatherv(p->user, own, all, bytes, places) == 0 ? GV_OK : together_unreachable(r, GV_OK);
}

static gv_status trade(const together_rounds *r, const void *out, void *in) {
  const gv_communicator *p = &r->processes;
  int *out_bytes = r->sizes, *out_places = out_bytes + p->ranks, *in_bytes = out_places + p->ranks;
  int *in_places = in_bytes + p->ranks;
  set_places(p->ranks, out_bytes, out_places);
  set_places(p->ranks, in_bytes, in_places);
  if (p->ranks == 1) {
    copy_bytes(in, out, out_bytes[0]);
    return GV_OK;
  }
  bool done = p->alltoallv(p->user, out, out_bytes, out_places, in, in_bytes, in_places) == 0;
  return done ? GV_OK : together_unreachable(r, GV_OK);
}

/* ---------------------------------------------------------------------------------------------- beginning */

static gv_status allocate_tables(together_rounds *r) {
  const gv_allocator *a = &r->context->allocator;
  int64_t ranks = r->processes.ranks;
  r->all = gv_allocate(a, ranks, sizeof *r->all);
  r->first_point = gv_allocate(a, ranks, sizeof *r->first_point);
  r->sizes = gv_allocate(a, ranks, 4 * sizeof *r->sizes);
  r->parts = gv_allocate(a, ranks, sizeof *r->parts);
  r->part_values = gv_allocate(a, ranks, sizeof *r->part_values);
  bool made = r->all != NULL && r->first_point != NULL && r->sizes != NULL && r->parts != NULL &&
              r->part_values != NULL;
  return made ? GV_OK : gv_fail_memory(r->context, "the other processes");
}

/* Checks the properties that must agree; all processes get the same result. */
static gv_status compare(together_rounds *r) {
  const handshake *first = r->all;
  int64_t points = 0;
  for (int p = 0; p < r->processes.ranks; p++) {
    const handshake *h = &r->all[p];
    bool alike = h->k == first->k && h->dim == first->dim && h->exclude_self == first->exclude_self &&
                 h->max_distance == first->max_distance && memcmp(h->kind, first->kind, sizeof h->kind) == 0;
    if (!alike) {
      return gv_fail(
          r->context, GV_ERROR_INVALID_ARGUMENT,
          "process %d: k, max_distance, exclude_self, dimension, metric or periods differ from process 0", p);
    }
    if (h->points > INT64_MAX - points)
      return gv_fail(r->context, GV_ERROR_INVALID_ARGUMENT,
                     "number of points of all processes: out of range");
    r->first_point[p] = points;
    points += h->points;
    if (h->queries > r->most) r->most = h->queries;
  }
  return GV_OK;
}

static gv_status meet(together_rounds *r) {
  const gv_together *t = r->here;
  const gv_search_options *o = t->options;
  handshake own = {.points = t->points,
                   .queries = t->queries,
                   .k = o->k,
                   .dim = t->dim,
                   .exclude_self = o->exclude_self != 0,
                   .max_distance = o->max_distance};
  memcpy(own.kind, t->kind, sizeof own.kind);
  for (int p = 0; p < r->processes.ranks; p++)
    r->sizes[p] = (int)sizeof own;
  GV_TRY(together_gather(r, &own, r->all));
  return compare(r);
}

/* Memory of a round's queries: those of all processes, their results, and the results that come back. */
static gv_status allocate_round(together_rounds *r) {
  const gv_allocator *a = &r->context->allocator;
  int64_t ranks = r->processes.ranks, k = r->here->options->k, dim = r->here->dim, row = 8 * dim + 32 * k;
  int64_t room = ROUND_BYTES / (row * ranks);
  r->room = room < 1 ? 1 : room < r->most ? room : r->most;
  if (ranks * r->room * row > INT_MAX)
    return gv_fail(r->context, GV_ERROR_UNSUPPORTED,
                   "search by several processes: too many neighbors for one call; pass fewer queries");
  int64_t all = ranks * r->room;
  r->own = gv_allocate(a, r->room, (size_t)dim * sizeof *r->own);
  r->all_queries = gv_allocate(a, all, (size_t)dim * sizeof *r->all_queries);
  r->found = gv_allocate(a, all, (size_t)k * sizeof *r->found);
  r->values = gv_allocate(a, all, (size_t)k * sizeof *r->values);
  r->came = gv_allocate(a, all, (size_t)k * sizeof *r->came);
  r->came_values = gv_allocate(a, all, (size_t)k * sizeof *r->came_values);
  r->joined = gv_allocate(a, r->room, (size_t)k * sizeof *r->joined);
  bool made = r->own != NULL && r->all_queries != NULL && r->found != NULL && r->values != NULL &&
              r->came != NULL && r->came_values != NULL && r->joined != NULL;
  return made ? GV_OK : gv_fail_memory(r->context, "queries of other processes");
}

static void together_clear(together_rounds *r) {
  const gv_allocator *a = &r->context->allocator;
  void *const all[] = {r->all,         r->first_point, r->sizes, (void *)r->parts, (void *)r->part_values,
                       r->own,         r->all_queries, r->found, r->values,        r->came,
                       r->came_values, r->joined};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    gv_release(a, all[i]);
}

/* ------------------------------------------------------------------------------------------------- rounds */

/* Queries of a process in the round that begins with their number `first`. */
static int64_t count_of(const together_rounds *r, int process, int64_t first) {
  int64_t left = r->all[process].queries - first;
  return left < 0 ? 0 : left < r->room ? left : r->room;
}

/* Searches the round's queries of all processes. For those of other processes no point is excluded, because
 * their points are not in this index. */
static gv_status search_all(together_rounds *r, int64_t first) {
  const gv_together *t = r->here;
  const gv_communicator *p = &r->processes;
  int64_t before = 0, own = count_of(r, p->rank, first), all = 0, k = t->options->k;
  for (int i = 0; i < p->ranks; i++) {
    if (i == p->rank) before = all;
    all += count_of(r, i, first);
  }
  int64_t span = r->room < r->most - first ? r->room : r->most - first;
  bool apart = t->options->exclude_self != 0;
  const int64_t cut[] = {0, apart ? before : 0, apart ? before + own : 0, all};
  gv_status status = GV_OK;
  for (int i = 0; i < 3 && status == GV_OK; i++) {
    gv_search_options o = *t->options;
    int64_t at = cut[i], count = cut[i + 1] - at, point = r->first_point[p->rank];
    if (count == 0) continue;
    o.exclude_self = apart && i == 1;
    const gv_together_rows rows = {r->all_queries + at * t->dim, count, o.exclude_self ? point + first : 0,
                                   point};
    gv_part_progress part;
    gv_context inner =
        gv_context_for_part(r->context, first * all + at * span, count * span, r->most * all, &part);
    status = t->search(&inner, t->user, &o, &rows, r->found + at * k, r->values + at * k);
    if (status != GV_OK) memcpy(r->context->message, inner.message, sizeof inner.message);
  }
  return status;
}

/* Sends the queries from `first` on to all processes. Then all agree on the status; `status`: this process's
 * status since the last agreement. */
static gv_status together_send_queries(together_rounds *r, int64_t first, gv_status status) {
  const gv_together *t = r->here;
  int ranks = r->processes.ranks;
  if (status == GV_OK)
    status = t->take(r->context, t->user, first, count_of(r, r->processes.rank, first), r->own);
  GV_TRY(agree(r, status));
  for (int p = 0; p < ranks; p++)
    r->sizes[p] = (int)count_of(r, p, first) * t->dim * (int)sizeof *r->own;
  status = together_gather(r, r->own, r->all_queries);
  if (status == GV_OK) status = search_all(r, first);
  return agree(r, status);
}

/* Returns the results to the queries' processes, and joins those received here. */
static gv_status together_return_results(together_rounds *r, int64_t first, int64_t *indices,
                                         double *distances) {
  const gv_together *t = r->here;
  int ranks = r->processes.ranks;
  int64_t k = t->options->k, own = count_of(r, r->processes.rank, first), places = own * k;
  double *values = distances != NULL ? distances + first * k : r->joined;
  for (int p = 0; p < ranks; p++) {
    r->sizes[p] = (int)(count_of(r, p, first) * k * (int64_t)sizeof *values);
    r->sizes[2 * ranks + p] = (int)(places * (int64_t)sizeof *values);
    r->parts[p] = r->came + p * places;
    r->part_values[p] = r->came_values + p * places;
  }
  gv_status status = trade(r, r->found, r->came);
  if (status == GV_OK) status = trade(r, r->values, r->came_values);
  if (status != GV_OK || own == 0) return status;
  gv_context quiet = *r->context;
  quiet.progress = NULL;
  status = gv_neighbors_join(&quiet, r->parts, r->part_values, ranks, own, t->options->k, indices + first * k,
                             values);
  if (status == GV_OK && distances != NULL) status = t->distances(&quiet, t->user, places, values);
  if (status != GV_OK) memcpy(r->context->message, quiet.message, sizeof quiet.message);
  return status;
}

gv_status gv_search_together(gv_context *context, const gv_communicator *processes,
                             const gv_together *together, gv_status status, int64_t *indices,
                             double *distances) {
  together_rounds r = {.context = context, .here = together};
  GV_COPY_GIVEN(context, gv_communicator, &r.processes, processes);
  const gv_communicator *p = &r.processes;
  bool reach = p->allreduce_max != NULL && p->allgatherv != NULL && p->alltoallv != NULL;
  if (p->rank < 0 || p->rank >= p->ranks || (p->ranks > 1 && !reach)) {
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "process number: out of range (%d of %d), or a function is NULL", p->rank, p->ranks);
  }
  if (status == GV_OK) status = allocate_tables(&r);
  status = agree(&r, status);
  if (status == GV_OK) status = meet(&r);
  if (status == GV_OK) status = agree(&r, allocate_round(&r));
  gv_status searched = GV_OK;
  for (int64_t first = 0; status == GV_OK && first < r.most; first += r.room) {
    status = together_send_queries(&r, first, searched);
    if (status == GV_OK) searched = together_return_results(&r, first, indices, distances);
  }
  if (status == GV_OK) status = agree(&r, searched);
  together_clear(&r);
  return status;
}
