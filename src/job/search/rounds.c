/* The queries of a search, processed round by round. */
#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/experimental.h"
#include "job/search/run.h"

enum {
  BATCH_BYTES = 64 << 20,
  TEXT_ROWS = 32768 /* assigned to a rank at once, if their number is unknown */
};

/* Results of some queries. */
typedef struct results {
  int64_t first, count; /* queries */
  int64_t *indices;
  double *values, *nearest; /* NULL: not requested */
  void *points;             /* of an array's queries */
} results;

typedef struct search_rounds {
  gv_search_run *run;
  gv_search_options options;
  bool distances, nearest; /* are requested */
  int rank, ranks, k;
  /* neighbors that are searched: one more where a query is to be left out of them afterwards */
  int found_k;
  int64_t rows;     /* of a round and rank */
  int64_t position; /* in the array */
  results here;
  results all;     /* of rank 0: of all ranks in a round */
  int64_t *counts; /* queries of a round, by rank ... */
  int *sizes;      /* ... and bytes */
} search_rounds;

/* ------------------------------------------------------------------------------------------------- memory */

static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t round_rows(const search_rounds *r) {
  const gv_search_queries *q = &r->run->searched;
  int64_t rows = most(BATCH_BYTES / ((int64_t)q->dim * 8 + (int64_t)r->found_k * 16) / r->ranks, 1);
  if (q->total < 0) return r->ranks > 1 && rows > TEXT_ROWS ? TEXT_ROWS : rows;
  int64_t needed = most((q->total + r->ranks - 1) / r->ranks, 1);
  return needed < rows ? needed : rows;
}

static bool make_results(const search_rounds *r, int64_t room, int k, results *a) {
  size_t places = (size_t)(room * k);
  a->indices = malloc(places * sizeof *a->indices);
  if (r->distances) a->values = malloc(places * sizeof *a->values);
  if (r->nearest) a->nearest = malloc(2 * places * sizeof *a->nearest);
  return a->indices != NULL && (!r->distances || a->values != NULL) && (!r->nearest || a->nearest != NULL);
}

static void free_results(results *a) {
  free(a->indices);
  free(a->values);
  free(a->nearest);
  free(a->points);
}

static gv_status make_rounds(gv_io *io, search_rounds *r) {
  const gv_search_queries *q = &r->run->searched;
  r->rows = round_rows(r);
  r->counts = calloc((size_t)r->ranks, sizeof *r->counts);
  r->sizes = calloc((size_t)r->ranks, sizeof *r->sizes);
  bool made = r->counts != NULL && r->sizes != NULL && make_results(r, r->rows, r->found_k, &r->here);
  if (made && r->ranks > 1 && r->rank == 0) made = make_results(r, r->rows * r->ranks, r->k, &r->all);
  if (made && q->array != NULL) r->here.points = malloc((size_t)(r->rows * q->dim) * sizeof(double));
  made = made && (q->array == NULL || r->here.points != NULL);
  return made ? GV_OK : gv_io_fail_memory(io, "the results");
}

/* ---------------------------------------------------------------------------------------------- searching */

/* The queries from `first` on, as many as there are, up to a round's rows. */
static gv_status load_queries(gv_io *io, search_rounds *r, int64_t first, gv_points *out) {
  const gv_search_queries *q = &r->run->searched;
  int64_t left = q->total - first, skipped = 0;
  if (q->total >= 0 && left < 0) first = q->total;
  *out = gv_points_rows(NULL, left < 0 ? 0 : left < r->rows ? left : r->rows, q->dim, GV_FLOAT64);
  if (q->array == NULL) {
    if (q->rows != NULL) out->data = q->rows + first * q->dim;
    return GV_OK;
  }
  out->count = 0;
  gv_status status = gv_array_skip(io, q->array, first - r->position, &skipped);
  r->position += skipped;
  if (status != GV_OK || r->position < first) return status;
  out->data = r->here.points;
  out->dtype = gv_array_dtype(q->array);
  status = gv_array_read(io, q->array, r->rows, r->here.points, &out->count);
  r->position += out->count;
  return status;
}

/* Among the points of all ranks. The queries are not the points of this rank's index, so the library cannot
 * exclude a query itself: it is removed from k + 1 neighbors; the first k of the others are the result. */
static gv_status search_shards(search_rounds *r, const gv_points *queries) {
  gv_search_run *run = r->run;
  const gv_communicator *all = &run->communicator->all;
  results *a = &r->here;
  gv_search_options o = r->options;
  o.k = r->found_k;
  o.exclude_self = 0;
  gv_status status =
      gv_index_search_distributed(run->context, all, run->index, queries, &o, a->indices, a->values);
  if (status != GV_OK || r->found_k == r->k) return status;
  for (int64_t i = 0, to = 0; i < a->count; i++) {
    for (int64_t from = i * r->found_k, end = to + r->k; to < end; from++) {
      if (a->indices[from] == a->first + i) continue;
      a->indices[to] = a->indices[from];
      if (a->values != NULL) a->values[to] = a->values[from];
      to++;
    }
  }
  return GV_OK;
}

static gv_status rounds_search(gv_io *io, search_rounds *r, const gv_points *points) {
  gv_search_run *run = r->run;
  gv_context *context = run->context;
  const gv_search_queries *all = &run->searched;
  gv_search_options o = r->options;
  results *a = &r->here;
  int64_t first = a->first, from = first < all->total ? first : all->total;
  gv_status status = GV_OK;
  gv_points columns = gv_points_xy(all->x, all->y, a->count);
  if (all->x != NULL) columns = gv_points_xy(all->x + from, all->y + from, a->count);
  const gv_points *queries = all->x != NULL ? &columns : points;
  if (a->count == 0 && !run->sharded) return GV_OK;
  if (run->sharded) {
    status = search_shards(r, queries);
  } else if (gv_index_get_kind(run->index) == GV_INDEX_FEATURES) {
    o.nearest = a->nearest;
    status = gv_index_search(context, run->index, queries, &o, a->indices, a->values);
  } else {
    status = gv_index_search_part(context, run->index, queries, &o, first, 0, a->indices, a->values);
    if (status == GV_OK && a->values != NULL)
      status = gv_index_distances(context, run->index, a->count * r->k, a->values);
  }
  if (status == GV_OK) return GV_OK;
  const char *name = run->q != NULL ? run->q->path : run->reference.path;
  return gv_io_fail(io, status, "%s: %s", name, gv_context_message(context));
}

/* ------------------------------------------------------------------------------------------------ writing */

static gv_status write_results(gv_io *io, search_rounds *r, const results *a) {
  return gv_search_results_write(io, r->run, a->count, a->indices, a->values, a->nearest);
}

/* Some bytes of each query. */
static gv_status rounds_collect(gv_io *io, search_rounds *r, const void *own, void *all, size_t bytes) {
  for (int i = 0; i < r->ranks; i++)
    r->sizes[i] = (int)(r->counts[i] * (int64_t)bytes);
  return gv_cluster_collect(io, r->run->communicator, own, all, r->sizes);
}

/* Sends the round's results to rank 0, which writes them. */
static gv_status deliver(gv_io *io, search_rounds *r) {
  const results *a = &r->here;
  results *all = &r->all;
  size_t row = (size_t)r->k * sizeof(double);
  if (r->ranks == 1) return write_results(io, r, a);
  GV_TRY(rounds_collect(io, r, a->indices, all->indices, row));
  if (a->values != NULL) GV_TRY(rounds_collect(io, r, a->values, all->values, row));
  if (a->nearest != NULL) GV_TRY(rounds_collect(io, r, a->nearest, all->nearest, 2 * row));
  if (r->rank > 0) return GV_OK;
  all->count = 0;
  for (int i = 0; i < r->ranks; i++)
    all->count += r->counts[i];
  return write_results(io, r, all);
}

/* ------------------------------------------------------------------------------------------------- rounds */

/* The progress of the search of `count` queries after `done`; their total number may be unknown. */
static void next_part(gv_search_run *run, int64_t done, int64_t count) {
  const double build_share = GV_SEARCH_BUILD_SHARE;
  int64_t total = run->searched.total;
  double all = (double)most(total, 1), end = (double)(done + count < total ? done + count : total);
  run->bar_from = total >= 0 ? build_share + (1.0 - build_share) * (double)done / all : run->bar_to;
  run->bar_to = total >= 0 ? build_share + (1.0 - build_share) * end / all : run->bar_to;
}

/* *full: there may be queries behind these. */
static gv_status run_round(gv_io *io, search_rounds *r, int64_t done, bool *full) {
  const gv_cluster *c = r->run->communicator;
  gv_points points;
  next_part(r->run, done, r->ranks * r->rows);
  r->here.first = done + r->rank * r->rows;
  gv_status status = load_queries(io, r, r->here.first, &points);
  r->here.count = points.count;
  if (r->run->sharded) status = gv_cluster_agree(io, c, status); /* all search, or none */
  if (status == GV_OK) status = rounds_search(io, r, &points);
  GV_TRY(gv_cluster_agree(io, c, status));
  r->counts[0] = points.count;
  if (c != NULL) status = gv_cluster_gather(io, c, &points.count, r->counts, (int)sizeof *r->counts);
  *full = r->counts[r->ranks - 1] == r->rows;
  if (status == GV_OK) status = deliver(io, r);
  return gv_cluster_agree(io, c, status);
}

gv_status gv_search_rounds(gv_io *io, gv_search_run *run) {
  const gv_search_job *j = run->job;
  const gv_cluster *c = run->communicator;
  bool table = run->output == GV_SEARCH_TABLE, more = true;
  search_rounds r = {.run = run,
                     .distances = run->output != GV_SEARCH_ARRAY || j->distances != NULL,
                     .nearest = j->nearest != NULL ||
                                (table && j->lines && gv_index_get_kind(run->index) == GV_INDEX_FEATURES),
                     .ranks = 1,
                     .k = j->k};
  gv_search_options_init(&r.options);
  r.options.k = j->k;
  r.options.max_distance = run->max_distance;
  r.options.exclude_self = run->q == NULL;
  if (c != NULL) r.rank = c->all.rank, r.ranks = c->all.ranks;
  r.found_k = r.k + (run->sharded && run->q == NULL);
  gv_status status = gv_cluster_agree(io, c, make_rounds(io, &r));
  int64_t step = r.rows * r.ranks;
  run->results.expected = run->searched.total >= 0 ? run->searched.total * r.k : -1;
  for (int64_t done = 0; status == GV_OK && more; done += step) {
    status = run_round(io, &r, done, &more);
    more = run->searched.total < 0 ? more : done + step < run->searched.total;
  }
  free_results(&r.here);
  free_results(&r.all);
  free(r.counts);
  free(r.sizes);
  return status;
}
