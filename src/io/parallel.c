#include "io/parallel.h"

#include "core/parallel.h"

typedef struct state {
  gv_io *io;             /* for one worker at a time */
  gv_messages *messages; /* of the calling thread */
  const gv_io_loop *loop;
  gv_io_loop_body *body;
  gv_status status; /* the first error */
} state;

static gv_status io_loop_work(gv_worker *worker, int64_t first, int64_t end) {
  state *s = worker->user;
  gv_io own;
  gv_io_for_worker(s->io, &own);
  gv_messages_scope scope = gv_messages_enter(s->messages);
  gv_status status = s->body(&own, s->loop->user, worker->number, first, end);
  gv_messages_leave(scope);
  if (status == GV_OK) return GV_OK;
  gv_worker_lock(worker);
  if (s->status == GV_OK) s->status = gv_io_pass_on(s->io, status, &own);
  gv_worker_unlock(worker);
  return status;
}

gv_status gv_io_parallel_for(gv_io *io, const gv_io_loop *loop, gv_io_loop_body *body) {
  state s = {.io = io, .messages = gv_messages_used(), .loop = loop, .body = body};
  gv_loop whole = {.threads = loop->threads, .count = loop->count, .grain = loop->grain, .user = &s};
  gv_parallel_for(&whole, io_loop_work); /* returns the status of a worker that failed */
  return s.status;
}
