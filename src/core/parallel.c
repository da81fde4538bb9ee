/* Loops over workers. */
#include "core/parallel.h"

#include <pthread.h>

#include "core/pool.h"

struct gv_loop_state {
  const gv_loop *loop;
  gv_loop_body *body;
  int64_t stretches;
  atomic_llong next; /* stretch */
  gv_first_error error;
  pthread_mutex_t lock;
};

/* Where stretch i begins. */
static int64_t begin_of(const struct gv_loop_state *state, int64_t i) {
  const gv_loop *loop = state->loop;
  if (loop->grain > 0) return i < state->stretches ? i * loop->grain : loop->count;
  return loop->count / state->stretches * i + loop->count % state->stretches * i / state->stretches;
}

static void work(void *user, int number) {
  struct gv_loop_state *state = user;
  const gv_loop *loop = state->loop;
  gv_worker worker;
  worker.number = number;
  worker.user = loop->user;
  worker.loop = state;
  if (loop->context != NULL) gv_context_for_worker(loop->context, &worker.context);
  for (;;) {
    int64_t i = atomic_fetch_add_explicit(&state->next, 1, memory_order_relaxed);
    if (i >= state->stretches || gv_first_error_seen(&state->error)) return;
    if (loop->progress != NULL && gv_progress_cancelled(loop->progress)) return;
    gv_status status = state->body(&worker, begin_of(state, i), begin_of(state, i + 1));
    if (status != GV_OK)
      gv_first_error_set(&state->error, status, loop->context != NULL ? worker.context.message : "");
  }
}

gv_status gv_parallel_for(const gv_loop *loop, gv_loop_body *body) {
  int threads = loop->threads > 1 ? loop->threads : 1;
  struct gv_loop_state state = {.loop = loop, .body = body};
  state.stretches = loop->grain > 0 ? loop->count / loop->grain + (loop->count % loop->grain != 0) : threads;
  if (state.stretches > loop->count) state.stretches = loop->count;
  if (threads > state.stretches) threads = (int)state.stretches;
  atomic_init(&state.next, 0);
  gv_first_error_init(&state.error);
  pthread_mutex_init(&state.lock, NULL);
  gv_pool_run(threads, work, &state);
  pthread_mutex_destroy(&state.lock);
  if (gv_first_error_seen(&state.error)) return gv_first_error_finish(&state.error, loop->context);
  if (loop->progress != NULL && gv_progress_cancelled(loop->progress))
    return gv_fail(loop->context, GV_ERROR_CANCELLED, "cancelled");
  return GV_OK;
}

void gv_worker_lock(gv_worker *worker) {
  pthread_mutex_lock(&worker->loop->lock);
}

void gv_worker_unlock(gv_worker *worker) {
  pthread_mutex_unlock(&worker->loop->lock);
}
