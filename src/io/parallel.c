#include "io/parallel.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/parallel.h"

typedef struct state {
  gv_io *io; /* for one worker at a time */
  const gv_io_loop *loop;
  gv_io_loop_body *body;
  gv_status status; /* the first error */
} state;

static gv_status work(gv_worker *worker, int64_t first, int64_t end) {
  state *s = worker->user;
  gv_io own;
  gv_io_for_worker(s->io, &own);
  gv_status status = s->body(&own, s->loop->user, worker->number, first, end);
  if (status == GV_OK) return GV_OK;
  gv_worker_lock(worker);
  if (s->status == GV_OK) s->status = gv_io_pass_on(s->io, status, &own);
  gv_worker_unlock(worker);
  return status;
}

gv_status gv_io_parallel_for(gv_io *io, const gv_io_loop *loop, gv_io_loop_body *body) {
  state s = {.io = io, .loop = loop, .body = body};
  gv_loop whole = {.threads = loop->threads, .count = loop->count, .grain = loop->grain, .user = &s};
  gv_parallel_for(&whole, work); /* whose status is that of any worker that failed */
  return s.status;
}

static void *wait_for(void *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

int gv_io_threads_at_hand(int wanted) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *made = wanted > 1 ? malloc((size_t)wanted * sizeof *made) : NULL;
  int count = 0;
  if (made == NULL) return 1;
  pthread_mutex_lock(&lock);
  while (count < wanted && pthread_create(&made[count], NULL, wait_for, &lock) == 0)
    count++;
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < count; i++)
    pthread_join(made[i], NULL);
  pthread_mutex_destroy(&lock);
  free(made);
  return count > 1 ? count : 1;
}
