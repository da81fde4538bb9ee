#include "cli/search_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuvoronoi_parts.h"

enum {
  BATCH_BYTES = 64 << 20,
  TEXT_ROWS = 32768 /* dealt to a rank at once, where nobody knows how many there are */
};

/* Answers of some queries. */
typedef struct answers {
  int64_t first, count; /* queries */
  int64_t *indices;
  double *values, *nearest; /* NULL: not wanted */
  void *points;             /* of an array's queries */
} answers;

typedef struct rounds {
  const cli_search_rounds *how;
  cli_results *results;
  int rank, ranks, k;
  int found_k;      /* neighbours that are searched: one more where a query is to be left out of them afterwards */
  int64_t rows;     /* of a round and rank */
  int64_t position; /* in the array */
  answers here;
  answers all;     /* of rank 0: of all ranks in a round, for a table of all queries */
  int64_t *counts; /* queries of a round, by rank ... */
  int *sizes;      /* ... and bytes */
} rounds;

/* --------------------------------------------------------------------------------------------------------- ranks */

gv_status cli_search_together(gv_io *io, const gv_communicator *communicator, gv_status status) {
  return communicator != NULL ? gv_communicator_agree(io, communicator, status) : status;
}

void cli_search_deal(const gv_communicator *communicator, int64_t count, int rank, int64_t *first, int64_t *end) {
  int64_t ranks = communicator != NULL ? communicator->all.ranks : 1, share = count / ranks, more = count % ranks;
  *first = rank * share + (rank < more ? rank : more);
  *end = *first + share + (rank < more);
}

/* -------------------------------------------------------------------------------------------------------- memory */

static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t round_rows(const rounds *r) {
  const cli_search_queries *q = &r->how->queries;
  int64_t rows = most(BATCH_BYTES / ((int64_t)q->dim * 8 + (int64_t)r->found_k * 16) / r->ranks, 1);
  if (q->total < 0) return r->ranks > 1 && rows > TEXT_ROWS ? TEXT_ROWS : rows;
  int64_t needed = most((q->total + r->ranks - 1) / r->ranks, 1);
  bool at_once = q->array == NULL && r->ranks == 1;
  return at_once || needed < rows ? needed : rows;
}

static bool make_answers(const rounds *r, int64_t room, int k, answers *a) {
  size_t places = (size_t)(room * k);
  a->indices = malloc(places * sizeof *a->indices);
  if (r->how->distances) a->values = malloc(places * sizeof *a->values);
  if (r->how->nearest) a->nearest = malloc(2 * places * sizeof *a->nearest);
  return a->indices != NULL && (!r->how->distances || a->values != NULL) &&
         (!r->how->nearest || a->nearest != NULL);
}

static void free_answers(answers *a) {
  free(a->indices);
  free(a->values);
  free(a->nearest);
  free(a->points);
}

static gv_status make_rounds(gv_io *io, rounds *r) {
  const cli_search_queries *q = &r->how->queries;
  bool whole = r->rank == 0 && r->results->table != NULL;
  r->rows = round_rows(r);
  r->counts = calloc((size_t)r->ranks, sizeof *r->counts);
  r->sizes = calloc((size_t)r->ranks, sizeof *r->sizes);
  bool made = r->counts != NULL && r->sizes != NULL && make_answers(r, r->rows, r->found_k, &r->here);
  if (made && r->ranks > 1 && r->rank == 0)
    made = make_answers(r, whole ? most(q->total, 1) : r->rows * r->ranks, r->k, &r->all);
  if (made && q->array != NULL) r->here.points = malloc((size_t)(r->rows * q->dim) * sizeof(double));
  made = made && (q->array == NULL || r->here.points != NULL);
  return made ? GV_OK : gv_io_fail_memory(io, "the results");
}

/* ----------------------------------------------------------------------------------------------------- searching */

/* The queries from `first` on, as many as there are, up to a round's rows. */
static gv_status take_queries(gv_io *io, rounds *r, int64_t first, gv_points *out) {
  const cli_search_queries *q = &r->how->queries;
  int64_t left = q->total - first, skipped = 0;
  if (q->total >= 0 && left < 0) first = q->total;
  *out = (gv_points){NULL, left < 0 ? 0 : left < r->rows ? left : r->rows, q->dim, GV_FLOAT64};
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

/* Among the points of all ranks. The queries are not the points of this rank's index, so that the library cannot exclude a query
 * itself: it is left out of k + 1 neighbours, of which the first k without it are the answer whatever the distances. */
static gv_status search_shards(rounds *r, const gv_points *points, const gv_seeds *at) {
  const cli_search_rounds *how = r->how;
  answers *a = &r->here;
  gv_search_options o = how->options;
  o.k = r->found_k;
  o.exclude_self = 0;
  gv_status status = how->index->globe != NULL
                         ? gv_globe_index_search_together(how->context, &how->communicator->all, how->index->globe,
                                                          at, &o, a->indices, a->values)
                         : gv_index_search_together(how->context, &how->communicator->all, how->index->plane,
                                                    points, &o, a->indices, a->values);
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

static gv_status search(gv_io *io, rounds *r, const gv_points *points) {
  const cli_search_rounds *how = r->how;
  const cli_search_index *index = how->index;
  answers *a = &r->here;
  int64_t places = a->count * r->k, first = a->first;
  gv_status status = GV_OK;
  gv_seeds at = {NULL, NULL, a->count};
  if (how->queries.x != NULL) {
    int64_t from = first < how->queries.total ? first : how->queries.total;
    at = (gv_seeds){how->queries.x + from, how->queries.y + from, a->count};
  }
  if (a->count == 0 && !how->sharded) return GV_OK;
  if (how->sharded) {
    status = search_shards(r, points, &at);
  } else if (index->features != NULL) {
    status = gv_feature_index_search(how->context, index->features, &at, &how->options, a->indices, a->values,
                                     a->nearest);
  } else if (index->globe != NULL) {
    status =
        gv_globe_index_search_part(how->context, index->globe, &at, &how->options, first, 0, a->indices, a->values);
    if (status == GV_OK && a->values != NULL)
      status = gv_globe_index_distances(how->context, index->globe, places, a->values);
  } else {
    status =
        gv_index_search_part(how->context, index->plane, points, &how->options, first, 0, a->indices, a->values);
    if (status == GV_OK && a->values != NULL)
      status = gv_index_distances(how->context, index->plane, places, a->values);
  }
  if (status == GV_OK) return GV_OK;
  return gv_io_fail(io, status, "%s: %s", how->name, gv_context_message(how->context));
}

/* ------------------------------------------------------------------------------------------------------- writing */

static gv_status write_answers(gv_io *io, rounds *r, const answers *a) {
  r->results->content.nearest = a->nearest;
  gv_status status = cli_results_write(io, r->results, a->count, a->indices, a->values);
  if (status == GV_OK && r->results->nearest != NULL)
    status = gv_array_write(io, r->results->nearest, a->nearest, a->count);
  return status;
}

/* Some bytes of each query, behind those of the `done` queries that `all` has. */
static gv_status collect(gv_io *io, rounds *r, const void *own, void *all, int64_t done, size_t bytes) {
  for (int i = 0; i < r->ranks; i++)
    r->sizes[i] = (int)(r->counts[i] * (int64_t)bytes);
  void *to = all != NULL ? (char *)all + (size_t)done * bytes : NULL;
  return gv_communicator_collect(io, r->how->communicator, own, to, r->sizes);
}

/* To rank 0, which writes what all ranks have found in the round; a table is written at the end. */
static gv_status deliver(gv_io *io, rounds *r) {
  const answers *a = &r->here;
  answers *all = &r->all;
  int64_t done = all->count;
  size_t row = (size_t)r->k * sizeof(double);
  if (r->ranks == 1) return write_answers(io, r, a);
  gv_status status = collect(io, r, a->indices, all->indices, done, row);
  if (status == GV_OK && a->values != NULL) status = collect(io, r, a->values, all->values, done, row);
  if (status == GV_OK && a->nearest != NULL) status = collect(io, r, a->nearest, all->nearest, done, 2 * row);
  if (status != GV_OK || r->rank > 0) return status;
  for (int i = 0; i < r->ranks; i++)
    all->count += r->counts[i];
  if (r->results->table != NULL) return GV_OK;
  status = write_answers(io, r, all);
  all->count = 0;
  return status;
}

/* -------------------------------------------------------------------------------------------------------- rounds */

/* The next part is the search of `count` queries after `done` of `total` (-1: nobody knows how many). */
static void next_part(cli_search_bar *b, int64_t done, int64_t count, int64_t total) {
  const double build_share = CLI_SEARCH_BUILD_SHARE;
  double all = (double)most(total, 1), end = (double)(done + count < total ? done + count : total);
  b->from = total >= 0 ? build_share + (1.0 - build_share) * (double)done / all : b->to;
  b->to = total >= 0 ? build_share + (1.0 - build_share) * end / all : b->to;
}

/* *full: there may be queries behind these. */
static gv_status run_round(gv_io *io, rounds *r, int64_t done, bool *full) {
  const cli_search_rounds *how = r->how;
  gv_points points;
  next_part(how->bar, done, r->ranks * r->rows, how->queries.total);
  r->here.first = done + r->rank * r->rows;
  gv_status status = take_queries(io, r, r->here.first, &points);
  r->here.count = points.count;
  if (how->sharded) status = cli_search_together(io, how->communicator, status); /* all search, or none */
  if (status == GV_OK) status = search(io, r, &points);
  status = cli_search_together(io, how->communicator, status);
  if (status != GV_OK) return status;
  r->counts[0] = points.count;
  if (how->communicator != NULL)
    status = gv_communicator_gather(io, how->communicator, &points.count, r->counts, (int)sizeof *r->counts);
  *full = r->counts[r->ranks - 1] == r->rows;
  if (status == GV_OK) status = deliver(io, r);
  return cli_search_together(io, how->communicator, status);
}

gv_status cli_search_rounds_run(gv_io *io, const cli_search_rounds *how, cli_results *results) {
  rounds r = {.how = how, .results = results, .ranks = 1, .k = how->options.k};
  const gv_communicator *c = how->communicator;
  if (c != NULL) r.rank = c->all.rank, r.ranks = c->all.ranks;
  r.found_k = r.k + (how->sharded && how->options.exclude_self != 0);
  gv_status status = cli_search_together(io, c, make_rounds(io, &r));
  int64_t step = r.rows * r.ranks;
  bool more = true;
  for (int64_t done = 0; status == GV_OK && more; done += step) {
    status = run_round(io, &r, done, &more);
    more = how->queries.total < 0 ? more : done + step < how->queries.total;
  }
  if (status == GV_OK && r.ranks > 1 && r.rank == 0 && results->table != NULL)
    status = write_answers(io, &r, &r.all);
  free_answers(&r.here);
  free_answers(&r.all);
  free(r.counts);
  free(r.sizes);
  return status;
}
