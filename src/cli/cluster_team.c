#include "cli/cluster_team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/process.h"
#include "io/grow.h"

enum { PIECES_A_RANK = 16 /* of what is left, one of so many is the next piece */ };

enum { ASK_NEXT, TELL_SIZES, LEAVE };

/* To the first; TELL_SIZES has the sizes behind it. */
typedef struct request {
  int64_t what, first, count;
  int64_t failed; /* of LEAVE */
} request;

/* From the first: the next piece. count 0: none is left; -1: all are to stop. */
typedef struct reply {
  int64_t first, count;
} reply;

/* From the first, unasked: where the next complete piece belongs, or that all are to stop. */
typedef struct order {
  int64_t stop, at[GV_TEAM_MOST_FILES];
} order;

/* At the first: what was dealt, in the order of units. */
typedef struct dealt {
  int64_t first, count;
  uint64_t *sizes; /* NULL: not told yet */
  int rank;
  bool complete;
} dealt;

typedef struct post {
  gv_team team;
  const cli_cluster *cluster;
  gv_team_work work;
  bool failed;         /* all know that some have: nothing more is told or dealt */
  bool working, asked; /* between begin and end; for the next piece */
  atomic_bool stopped;
  atomic_llong listened; /* see cli_cluster_is_time */
  pthread_mutex_t lock;  /* on what follows */
  order *orders;         /* where complete pieces of this rank belong: `taken` of `known` were asked for */
  int64_t known, taken, order_room;
  /* At the first: */
  pthread_t thread;
  dealt *pieces;
  int64_t count, room, placed, next_unit;
  bool *left; /* by rank */
  int leavers;
  gv_status status; /* of placing and of messages */
  gv_io io;
} post;

static void nap(long nanoseconds) {
  const struct timespec while_ = {0, nanoseconds};
  (void)nanosleep(&while_, NULL);
}

/* ------------------------------------------------------------------------------------------------------- stopping */

/* At the first, with the lock: all who have not left learn that there is nothing more to do. */
static void stop_all(post *p) {
  order o = {.stop = 1};
  if (atomic_exchange(&p->stopped, true)) return;
  for (int rank = 1; rank < p->cluster->ranks; rank++)
    if (!p->left[rank]) (void)p->cluster->mpi->send(rank, GV_MPI_ORDER, &o, sizeof o);
}

static void fail(post *p, gv_status status) {
  if (p->status == GV_OK) p->status = status;
  stop_all(p);
}

/* With the lock: one more complete piece of this rank has its place. */
static gv_status keep_order(gv_io *io, post *p, const order *o) {
  order *more = gv_grow(p->orders, &p->order_room, p->known + 1, sizeof *more);
  if (more == NULL) return gv_io_fail_memory(io, "the pieces of a raster");
  p->orders = more;
  p->orders[p->known++] = *o;
  return GV_OK;
}

/* Not at the first: what it says unasked. */
static gv_status listen(gv_io *io, post *p) {
  const gv_mpi_module *mpi = p->cluster->mpi;
  gv_status status = GV_OK;
  int from = -1;
  pthread_mutex_lock(&p->lock);
  while (status == GV_OK) {
    order o;
    if (mpi->look(GV_MPI_ORDER, &from) != 0) status = cli_cluster_unreachable(io);
    if (status != GV_OK || from < 0) break;
    if (mpi->receive(0, GV_MPI_ORDER, &o, sizeof o) != 0) {
      status = cli_cluster_unreachable(io);
    } else if (o.stop != 0) {
      atomic_store(&p->stopped, true);
    } else {
      status = keep_order(io, p, &o);
    }
  }
  pthread_mutex_unlock(&p->lock);
  return status;
}

bool cli_team_stopped(void *team) {
  post *p = ((gv_team *)team)->user;
  if (cli_interrupted(NULL) || atomic_load(&p->stopped)) return true;
  if (p->cluster->rank == 0 || !p->working) return false;
  gv_io io = {.cancelled = NULL};
  return cli_cluster_is_time(&p->listened, 10) && (listen(&io, p) != GV_OK || atomic_load(&p->stopped));
}

/* -------------------------------------------------------------------------------------------------------- together */

static gv_status agree(gv_io *io, void *user, gv_status status) {
  post *p = user;
  int worst = 0;
  if (!p->failed && p->cluster->mpi->largest(status != GV_OK, &worst) != 0) worst = 1;
  p->failed = p->failed || worst != 0;
  if (status != GV_OK || !p->failed) return status;
  return gv_io_fail_cancelled(io);
}

static gv_status tell(gv_io *io, void *user, void *bytes, size_t count) {
  post *p = user;
  return p->cluster->mpi->send_to_all(0, bytes, count) == 0 ? GV_OK : cli_cluster_unreachable(io);
}

static gv_status send(gv_io *io, void *user, const void *bytes, size_t count) {
  post *p = user;
  return p->cluster->mpi->send(0, GV_MPI_DATA, bytes, count) == 0 ? GV_OK : cli_cluster_unreachable(io);
}

static gv_status receive(gv_io *io, void *user, int from, void *bytes, size_t count) {
  post *p = user;
  return p->cluster->mpi->receive(from, GV_MPI_DATA, bytes, count) == 0 ? GV_OK : cli_cluster_unreachable(io);
}

/* ------------------------------------------------------------------------------------------- dealing, at the first */

/* With the lock: the next piece, of `rank`. Pieces become smaller towards the end, so that all come to it at about the same time. */
static gv_status deal(gv_io *io, post *p, int rank, reply *out) {
  int64_t left = p->work.units - p->next_unit, ranks = p->cluster->ranks;
  int64_t rows = p->work.coarse ? (p->work.units + p->work.row - 1) / p->work.row : 0;
  int64_t count = p->work.coarse ? (rows + ranks - 1) / ranks * p->work.row : left / (PIECES_A_RANK * ranks) + 1;
  *out = (reply){p->next_unit, count < left ? count : left};
  if (atomic_load(&p->stopped)) out->count = -1;
  if (out->count <= 0 || p->work.tiles == 0) {
    if (out->count > 0) p->next_unit += out->count;
    return GV_OK;
  }
  dealt *more = gv_grow(p->pieces, &p->room, p->count + 1, sizeof *more);
  if (more == NULL) return gv_io_fail_memory(io, "the pieces of a raster");
  p->pieces = more;
  p->pieces[p->count++] = (dealt){.first = out->first, .count = out->count, .rank = rank};
  p->next_unit += out->count;
  return GV_OK;
}

static dealt *find(const post *p, int64_t first) {
  int64_t low = 0, high = p->count;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (p->pieces[middle].first < first) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < p->count && p->pieces[low].first == first ? &p->pieces[low] : NULL;
}

/* With the lock: a piece's sizes, which are freed here. All pieces that nothing is missing before get their places. */
static gv_status place(gv_io *io, post *p, int64_t first, uint64_t *sizes) {
  dealt *told = find(p, first);
  if (told == NULL) {
    free(sizes);
    return cli_cluster_unreachable(io);
  }
  told->sizes = sizes;
  told->complete = true;
  gv_status status = GV_OK;
  for (; p->placed < p->count && p->pieces[p->placed].complete && status == GV_OK; p->placed++) {
    dealt *d = &p->pieces[p->placed];
    order o = {.stop = 0};
    status = p->work.place(io, p->work.user, d->first, d->count, d->sizes, o.at);
    free(d->sizes);
    d->sizes = NULL;
    if (status != GV_OK) break;
    if (d->rank == 0) {
      status = keep_order(io, p, &o);
    } else if (p->cluster->mpi->send(d->rank, GV_MPI_ORDER, &o, sizeof o) != 0) {
      status = cli_cluster_unreachable(io);
    }
  }
  return status;
}

static gv_status answer(post *p, int from) {
  const gv_mpi_module *mpi = p->cluster->mpi;
  request q;
  reply r = {0, 0};
  if (mpi->receive(from, GV_MPI_REQUEST, &q, sizeof q) != 0) return cli_cluster_unreachable(&p->io);
  if (q.what == TELL_SIZES) {
    size_t bytes = (size_t)(q.count * p->work.tiles) * sizeof(uint64_t);
    uint64_t *sizes = malloc(bytes);
    if (sizes == NULL) return gv_io_fail_memory(&p->io, "the pieces of a raster");
    if (mpi->receive(from, GV_MPI_DATA, sizes, bytes) != 0) {
      free(sizes);
      return cli_cluster_unreachable(&p->io);
    }
    pthread_mutex_lock(&p->lock);
    gv_status status = place(&p->io, p, q.first, sizes);
    pthread_mutex_unlock(&p->lock);
    return status;
  }
  pthread_mutex_lock(&p->lock);
  if (q.what == LEAVE) {
    p->left[from] = true;
    p->leavers++;
    if (q.failed != 0) stop_all(p);
  }
  gv_status status = q.what == ASK_NEXT ? deal(&p->io, p, from, &r) : GV_OK;
  pthread_mutex_unlock(&p->lock);
  if (q.what != ASK_NEXT || status != GV_OK) return status;
  return mpi->send(from, GV_MPI_REPLY, &r, sizeof r) == 0 ? GV_OK : cli_cluster_unreachable(&p->io);
}

/* Until all others have left. */
static void *serve(void *user) {
  post *p = user;
  for (int idle = 0; p->leavers < p->cluster->ranks - 1;) {
    int from = -1;
    bool lost = p->cluster->mpi->look(GV_MPI_REQUEST, &from) != 0;
    gv_status status = lost ? cli_cluster_unreachable(&p->io) : from >= 0 ? answer(p, from) : GV_OK;
    if (status != GV_OK) {
      pthread_mutex_lock(&p->lock);
      fail(p, status);
      pthread_mutex_unlock(&p->lock);
    }
    if (lost) break;
    idle = from >= 0 ? 0 : idle + 1;
    if (idle > 0) nap(idle < 100 ? 100000 : 1000000);
  }
  return NULL;
}

/* -------------------------------------------------------------------------------------------------------- the work */

static gv_status begin(gv_io *io, void *user, const gv_team_work *work) {
  post *p = user;
  int coarse = 0;
  gv_status status = GV_OK;
  p->work = *work;
  if (p->cluster->rank == 0) {
    p->left = calloc((size_t)p->cluster->ranks, sizeof *p->left);
    if (p->left == NULL) status = gv_io_fail_memory(io, "the pieces of a raster");
  }
  status = agree(io, p, status);
  if (status != GV_OK) return status;
  if (p->cluster->mpi->largest(work->coarse, &coarse) != 0) return cli_cluster_unreachable(io);
  p->work.coarse = coarse != 0;
  p->working = true;
  if (p->cluster->rank == 0 && pthread_create(&p->thread, NULL, serve, p) != 0)
    status = gv_io_fail(io, GV_ERROR_OUT_OF_MEMORY, "the system gives no thread for the other ranks");
  status = agree(io, p, status);
  p->working = status == GV_OK;
  return status;
}

static gv_status ask(gv_io *io, post *p, int64_t what, int64_t first, int64_t count) {
  const request q = {what, first, count, 0};
  return p->cluster->mpi->send(0, GV_MPI_REQUEST, &q, sizeof q) == 0 ? GV_OK : cli_cluster_unreachable(io);
}

/* The one after it is asked for at once. */
static gv_status next(gv_io *io, void *user, int64_t *first, int64_t *count) {
  post *p = user;
  const gv_mpi_module *mpi = p->cluster->mpi;
  reply r = {0, 0};
  gv_status status = GV_OK;
  *first = *count = 0;
  if (p->cluster->rank == 0) {
    pthread_mutex_lock(&p->lock);
    status = deal(io, p, 0, &r);
    pthread_mutex_unlock(&p->lock);
  } else {
    if (!p->asked) status = ask(io, p, ASK_NEXT, 0, 0);
    p->asked = true;
    for (int from = -1; status == GV_OK && from < 0;) {
      if (mpi->look(GV_MPI_REPLY, &from) != 0) status = cli_cluster_unreachable(io);
      if (status == GV_OK && from < 0 && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
      if (status == GV_OK && from < 0) nap(200000);
    }
    if (status == GV_OK && mpi->receive(0, GV_MPI_REPLY, &r, sizeof r) != 0) status = cli_cluster_unreachable(io);
    if (status == GV_OK && r.count > 0) status = ask(io, p, ASK_NEXT, 0, 0);
  }
  if (status == GV_OK && r.count < 0) status = gv_io_fail_cancelled(io);
  if (status != GV_OK) return status;
  *first = r.first;
  *count = r.count;
  return GV_OK;
}

static gv_status complete(gv_io *io, void *user, int64_t first, int64_t count, const uint64_t *sizes) {
  post *p = user;
  size_t bytes = (size_t)(count * p->work.tiles) * sizeof *sizes;
  if (p->cluster->rank > 0) {
    gv_status status = ask(io, p, TELL_SIZES, first, count);
    return status == GV_OK ? send(io, p, sizes, bytes) : status;
  }
  uint64_t *own = malloc(bytes);
  if (own == NULL) return gv_io_fail_memory(io, "the pieces of a raster");
  memcpy(own, sizes, bytes);
  pthread_mutex_lock(&p->lock);
  gv_status status = place(io, p, first, own);
  pthread_mutex_unlock(&p->lock);
  return status;
}

static gv_status where(gv_io *io, void *user, bool wait, bool *known, int64_t *at) {
  post *p = user;
  for (*known = false;;) {
    gv_status status = p->cluster->rank > 0 ? listen(io, p) : GV_OK;
    if (status != GV_OK) return status;
    pthread_mutex_lock(&p->lock);
    *known = p->taken < p->known;
    if (*known) memcpy(at, p->orders[p->taken++].at, sizeof p->orders->at);
    if (p->taken == p->known) p->taken = p->known = 0;
    pthread_mutex_unlock(&p->lock);
    if (*known || !wait) return GV_OK;
    if (atomic_load(&p->stopped) || gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    nap(1000000);
  }
}

static gv_status end(gv_io *io, void *user, gv_status status) {
  post *p = user;
  p->working = false;
  if (p->cluster->rank > 0) {
    const request q = {LEAVE, 0, 0, status != GV_OK};
    bool sent = p->cluster->mpi->send(0, GV_MPI_REQUEST, &q, sizeof q) == 0;
    return sent || status != GV_OK ? status : cli_cluster_unreachable(io);
  }
  pthread_mutex_lock(&p->lock);
  if (status != GV_OK) stop_all(p);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  bool told = status == GV_OK || status == GV_ERROR_CANCELLED;
  return told && p->status != GV_OK ? gv_io_pass_on(io, p->status, &p->io) : status;
}

/* ------------------------------------------------------------------------------------------------------------ life */

gv_team *cli_team_new(const cli_cluster *cluster) {
  post *p = calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  p->cluster = cluster;
  p->team = (gv_team){.rank = cluster->rank,
                      .ranks = cluster->ranks,
                      .user = p,
                      .agree = agree,
                      .tell = tell,
                      .begin = begin,
                      .next = next,
                      .complete = complete,
                      .where = where,
                      .end = end,
                      .send = send,
                      .receive = receive};
  pthread_mutex_init(&p->lock, NULL);
  return &p->team;
}

void cli_team_free(gv_team *team) {
  if (team == NULL) return;
  post *p = team->user;
  for (int64_t i = 0; i < p->count; i++)
    free(p->pieces[i].sizes);
  free(p->pieces);
  free(p->orders);
  free(p->left);
  pthread_mutex_destroy(&p->lock);
  free(p);
}
