#include "cli/search_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gpuvoronoi_parts.h"

enum {
  BATCH_BYTES = 64 << 20,
  TEXT_ROWS = 32768 /* dealt to a rank at once, where nobody knows how many there are */
};

/* What a rank has of a round. */
typedef struct answers {
  int64_t first, count, room; /* queries */
  int64_t *indices;
  double *values, *nearest; /* NULL: nobody wants them */
  void *points;             /* of an array's queries */
} answers;

typedef struct rounds {
  const cli_search_rounds *how;
  cli_results *results;
  int rank, ranks, k;
  int64_t rows;       /* of a round: each rank's, or sharded all ranks' */
  int64_t position;   /* in the array */
  answers here, join; /* what this rank has found; sharded: in the end */
  answers all;        /* of the first rank, for a table: what all have found */
} rounds;

/* --------------------------------------------------------------------------------------------------------- ranks */

gv_status cli_search_together(gv_io *io, const cli_cluster *cluster, gv_status status, bool *told) {
  if (cluster == NULL) return status;
  if (cli_cluster_agree(cluster, io, status) == EXIT_OK) return GV_OK;
  *told = true;
  return GV_ERROR_CANCELLED;
}

void cli_search_deal(const cli_cluster *cluster, int64_t count, int rank, int64_t *first, int64_t *end) {
  int64_t ranks = cluster != NULL ? cluster->ranks : 1, share = count / ranks, more = count % ranks;
  *first = rank * share + (rank < more ? rank : more);
  *end = *first + share + (rank < more);
}

/* -------------------------------------------------------------------------------------------------------- memory */

static int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Queries of one batch, by memory. */
static int64_t batch_rows(int32_t dim, int k) {
  return most(BATCH_BYTES / ((int64_t)dim * 8 + (int64_t)k * 16), 1);
}

static int64_t round_rows(const rounds *r) {
  const cli_search_queries *q = &r->how->queries;
  int64_t rows = batch_rows(q->dim, r->k), share = r->how->sharded ? 1 : r->ranks;
  if (q->total < 0) return r->ranks > 1 && rows > TEXT_ROWS ? TEXT_ROWS : rows;
  int64_t needed = most((q->total + share - 1) / share, 1);
  bool at_once = q->array == NULL && !r->how->sharded;
  return at_once || needed < rows ? needed : rows;
}

static bool make_answers(const rounds *r, int64_t room, answers *a) {
  size_t places = (size_t)(room * r->k);
  bool values = r->how->distances || r->how->sharded;
  a->room = room;
  a->indices = malloc(places * sizeof *a->indices);
  if (values) a->values = malloc(places * sizeof *a->values);
  if (r->how->nearest) a->nearest = malloc(2 * places * sizeof *a->nearest);
  return a->indices != NULL && (!values || a->values != NULL) && (!r->how->nearest || a->nearest != NULL);
}

static void free_answers(answers *a) {
  free(a->indices);
  free(a->values);
  free(a->nearest);
  free(a->points);
}

static gv_status make_rounds(gv_io *io, rounds *r) {
  const cli_search_queries *q = &r->how->queries;
  bool whole = r->ranks > 1 && r->rank == 0 && r->results->table != NULL;
  r->rows = round_rows(r);
  bool made = make_answers(r, r->rows, &r->here);
  if (made && r->how->sharded) made = make_answers(r, r->rows / r->ranks + 1, &r->join);
  if (made && whole) made = make_answers(r, most(q->total, 1), &r->all);
  if (made && q->array != NULL) r->here.points = malloc((size_t)(r->rows * q->dim) * sizeof(double));
  made = made && (q->array == NULL || r->here.points != NULL);
  return made ? GV_OK : gv_io_fail_memory(io, "the results");
}

/* ----------------------------------------------------------------------------------------------------- searching */

/* The queries from `first` on, as many as there are, up to a round's rows. */
static gv_status take_queries(gv_io *io, rounds *r, int64_t first, gv_points *out) {
  const cli_search_queries *q = &r->how->queries;
  int64_t left = q->total - first, skipped = 0;
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

/* To distances, or canonical values where they are still to be joined. */
static gv_status search(gv_io *io, rounds *r, const gv_points *points) {
  const cli_search_rounds *how = r->how;
  const cli_search_index *index = how->index;
  answers *a = &r->here;
  int64_t places = a->count * r->k, first = a->first;
  gv_status status = GV_OK;
  if (a->count == 0) return GV_OK;
  gv_seeds at = {NULL, NULL, a->count};
  if (how->queries.x != NULL) at = (gv_seeds){how->queries.x + first, how->queries.y + first, a->count};
  if (index->features != NULL) {
    status = gv_feature_index_search(how->context, index->features, &at, &how->options, a->indices, a->values,
                                     a->nearest);
  } else if (index->globe != NULL) {
    status = gv_globe_index_search_part(how->context, index->globe, &at, &how->options, first, index->first,
                                        a->indices, a->values);
    if (status == GV_OK && !how->sharded && a->values != NULL)
      status = gv_globe_index_distances(how->context, index->globe, places, a->values);
  } else {
    status = gv_index_search_part(how->context, index->plane, points, &how->options, first, index->first,
                                  a->indices, a->values);
    if (status == GV_OK && !how->sharded && a->values != NULL)
      status = gv_index_distances(how->context, index->plane, places, a->values);
  }
  if (status == GV_OK) return GV_OK;
  return gv_io_fail(io, status, "%s: %s", how->name, gv_context_message(how->context));
}

/* ------------------------------------------------------------------------------------------------------- joining */

/* Of the round's queries each rank gets its share's answers from all others. */
static gv_status trade(gv_io *io, rounds *r, const int64_t **indices, const double **values) {
  const cli_cluster *c = r->how->cluster;
  answers *a = &r->here;
  size_t row = (size_t)r->k * sizeof(double);
  int64_t own, own_end;
  cli_search_deal(c, a->count, r->rank, &own, &own_end);
  size_t bytes = (size_t)(own_end - own) * row;
  indices[r->rank] = a->indices + own * r->k;
  values[r->rank] = a->values + own * r->k;
  for (int step = 1; step < r->ranks; step++) {
    int to = (r->rank + step) % r->ranks, from = (r->rank + r->ranks - step) % r->ranks;
    int64_t first, end;
    cli_search_deal(c, a->count, to, &first, &end);
    size_t out = (size_t)(end - first) * row;
    int64_t *their = malloc(bytes + 1);
    double *their_values = malloc(bytes + 1);
    indices[from] = their;
    values[from] = their_values;
    if (their == NULL || their_values == NULL) return gv_io_fail_memory(io, "the results of other ranks");
    if (c->mpi->pass(to, a->indices + first * r->k, out, from, their, bytes) != 0 ||
        c->mpi->pass(to, a->values + first * r->k, out, from, their_values, bytes) != 0) {
      return cli_cluster_unreachable(io);
    }
  }
  r->join.first = a->first + own;
  r->join.count = own_end - own;
  return GV_OK;
}

static gv_status join(gv_io *io, rounds *r) {
  const cli_search_rounds *how = r->how;
  size_t ranks = (size_t)r->ranks;
  const int64_t **indices = calloc(ranks, sizeof *indices);
  const double **values = calloc(ranks, sizeof *values);
  answers *out = &r->join;
  gv_status status = indices != NULL && values != NULL ? trade(io, r, indices, values)
                                                       : gv_io_fail_memory(io, "the results of other ranks");
  if (status == GV_OK) {
    status =
        gv_neighbours_join(how->context, r->k, out->count, r->ranks, indices, values, out->indices, out->values);
    if (status == GV_OK && how->index->plane != NULL)
      status = gv_index_distances(how->context, how->index->plane, out->count * r->k, out->values);
    if (status == GV_OK && how->index->globe != NULL)
      status = gv_globe_index_distances(how->context, how->index->globe, out->count * r->k, out->values);
    if (status != GV_OK) gv_io_fail(io, status, "%s: %s", how->name, gv_context_message(how->context));
  }
  for (int i = 0; i < r->ranks && indices != NULL && values != NULL; i++) {
    if (i == r->rank) continue;
    free((void *)indices[i]);
    free((void *)values[i]);
  }
  free(indices);
  free(values);
  return status;
}

/* ------------------------------------------------------------------------------------------------------- writing */

/* The next queries' answers, by the first rank. */
static gv_status write_answers(gv_io *io, rounds *r, answers *a) {
  answers *all = &r->all;
  size_t done = (size_t)(all->count * r->k), places = (size_t)(a->count * r->k);
  gv_status status = GV_OK;
  if (all->indices == NULL) {
    r->results->content.nearest = a->nearest;
    status = cli_results_write(io, r->results, a->count, a->indices, a->values);
    if (status == GV_OK && r->results->nearest != NULL)
      status = gv_array_write(io, r->results->nearest, a->nearest, a->count);
    return status;
  }
  memcpy(all->indices + done, a->indices, places * sizeof *a->indices);
  memcpy(all->values + done, a->values, places * sizeof *a->values);
  if (a->nearest != NULL) memcpy(all->nearest + 2 * done, a->nearest, 2 * places * sizeof *a->nearest);
  all->count += a->count;
  return GV_OK;
}

static gv_status send_answers(gv_io *io, const rounds *r, const answers *a) {
  const gv_mpi_module *mpi = r->how->cluster->mpi;
  size_t places = (size_t)(a->count * r->k);
  bool sent = mpi->send(0, GV_MPI_DATA, &a->count, sizeof a->count) == 0 &&
              mpi->send(0, GV_MPI_DATA, a->indices, places * sizeof *a->indices) == 0;
  if (sent && a->values != NULL) sent = mpi->send(0, GV_MPI_DATA, a->values, places * sizeof *a->values) == 0;
  if (sent && a->nearest != NULL)
    sent = mpi->send(0, GV_MPI_DATA, a->nearest, 2 * places * sizeof *a->nearest) == 0;
  return sent ? GV_OK : cli_cluster_unreachable(io);
}

/* Into the memory of this rank's own, which are written already. */
static gv_status receive_answers(gv_io *io, const rounds *r, int from, answers *a) {
  const gv_mpi_module *mpi = r->how->cluster->mpi;
  bool came = mpi->receive(from, GV_MPI_DATA, &a->count, sizeof a->count) == 0 && a->count <= a->room;
  size_t places = came ? (size_t)(a->count * r->k) : 0;
  came = came && mpi->receive(from, GV_MPI_DATA, a->indices, places * sizeof *a->indices) == 0;
  if (came && a->values != NULL) came = mpi->receive(from, GV_MPI_DATA, a->values, places * sizeof *a->values) == 0;
  if (came && a->nearest != NULL)
    came = mpi->receive(from, GV_MPI_DATA, a->nearest, 2 * places * sizeof *a->nearest) == 0;
  return came ? GV_OK : cli_cluster_unreachable(io);
}

/* The first rank takes what all have, also where it cannot write any more. */
static gv_status deliver(gv_io *io, rounds *r, answers *a) {
  if (r->rank > 0) return send_answers(io, r, a);
  gv_status written = write_answers(io, r, a);
  for (int from = 1; from < r->ranks; from++) {
    gv_status status = receive_answers(io, r, from, a);
    if (status != GV_OK) return status;
    if (written == GV_OK) written = write_answers(io, r, a);
  }
  return written;
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
  bool dealt = r->ranks > 1 && !how->sharded;
  next_part(how->bar, done, dealt ? r->ranks * r->rows : r->rows, how->queries.total);
  r->here.first = done + (dealt ? r->rank * r->rows : 0);
  gv_status status = take_queries(io, r, r->here.first, &points);
  r->here.count = points.count;
  if (status == GV_OK) status = search(io, r, &points);
  status = cli_search_together(io, how->cluster, status, how->told);
  if (status != GV_OK) return status;
  *full = points.count == r->rows;
  if (how->sharded) {
    status = cli_search_together(io, how->cluster, join(io, r), how->told);
    if (status != GV_OK) return status;
  }
  status = deliver(io, r, how->sharded ? &r->join : &r->here);
  if (!dealt) return cli_search_together(io, how->cluster, status, how->told);
  status = cli_search_together(io, how->cluster, status, how->told);
  int last = 0;
  if (status == GV_OK && how->cluster->mpi->largest(r->rank == r->ranks - 1 && *full, &last) != 0)
    return cli_cluster_unreachable(io);
  *full = last != 0;
  return status;
}

gv_status cli_search_rounds_run(gv_io *io, const cli_search_rounds *how, cli_results *results) {
  rounds r = {.how = how, .results = results, .ranks = 1, .k = how->options.k};
  if (how->cluster != NULL) r.rank = how->cluster->rank, r.ranks = how->cluster->ranks;
  gv_status status = cli_search_together(io, how->cluster, make_rounds(io, &r), how->told);
  int64_t step = r.rows * (how->sharded ? 1 : r.ranks);
  bool more = true;
  for (int64_t done = 0; status == GV_OK && more; done += step) {
    status = run_round(io, &r, done, &more);
    more = more && (how->queries.total < 0 || done + step < how->queries.total);
  }
  answers *all = &r.all;
  if (status == GV_OK && all->indices != NULL) {
    results->content.nearest = all->nearest;
    status = cli_results_write(io, results, all->count, all->indices, all->values);
  }
  free_answers(&r.here);
  free_answers(&r.join);
  free_answers(&r.all);
  return status;
}
