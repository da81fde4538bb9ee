/*
 * Whoever has work opens a crew with some places, wakes as many threads, begins to work, and in the end closes the crew: places that
 * nobody has taken by then are gone, so that short work does not wait for threads to wake up.
 *
 * A child that was forked has one thread. The lock is held while forking, and the child begins with an empty pool. Threads are never
 * joined, and there is no moment when they could be: the library stays loaded for them (-z nodelete).
 */
#include "core/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/machine.h"

enum { STACK_BYTES = 2 << 20 /* at most; address space may be scarce */ };

typedef struct crew {
  gv_pool_work *work;
  void *user;
  int places; /* not taken */
  int taken;
  int working;
  pthread_cond_t left; /* the last of those working has */
  struct crew *next;
} crew;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t opened;
  crew *crews; /* those with places */
  int waiting; /* threads, and those being made */
  int places;  /* of all crews */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};

/* ------------------------------------------------------------------------------------------------------ forking */

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void) {
  pthread_mutex_lock(&pool.lock);
}

static void after_fork(void) {
  pthread_mutex_unlock(&pool.lock);
}

static void in_child(void) {
  pthread_cond_init(&pool.opened, NULL);
  pool.crews = NULL;
  pool.waiting = pool.places = 0;
  pthread_mutex_unlock(&pool.lock);
}

static void watch_forks(void) {
  gv_machine_at_fork(before_fork, after_fork, in_child);
}

/* ------------------------------------------------------------------------------------------------------ threads */

/* Takes a crew off the list. With the lock. */
static void forget(crew *c) {
  crew **at = &pool.crews;
  while (*at != c)
    at = &(*at)->next;
  *at = c->next;
}

/* Waking all would keep one thread busy for long: each wakes two more. */
static void wake(int places) {
  if (places > 0) pthread_cond_signal(&pool.opened);
  if (places > 1) pthread_cond_signal(&pool.opened);
}

static void *thread(void *unused) {
  (void)unused;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    crew *c = pool.crews;
    if (c == NULL) {
      pthread_cond_wait(&pool.opened, &pool.lock);
      continue;
    }
    pool.waiting--;
    pool.places--;
    c->working++;
    int number = ++c->taken;
    if (--c->places == 0) forget(c);
    int more = pool.places;
    pthread_mutex_unlock(&pool.lock);
    wake(more);
    c->work(c->user, number);
    pthread_mutex_lock(&pool.lock);
    pool.waiting++;
    if (--c->working == 0) pthread_cond_signal(&c->left);
  }
  return NULL;
}

static bool make_thread(void) {
  pthread_t made;
  pthread_attr_t how;
  size_t stack = 0;
  if (pthread_attr_init(&how) != 0) return false;
  bool good = pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED) == 0 &&
              pthread_attr_getstacksize(&how, &stack) == 0 &&
              (stack <= STACK_BYTES || pthread_attr_setstacksize(&how, STACK_BYTES) == 0) &&
              pthread_create(&made, &how, thread, NULL) == 0;
  pthread_attr_destroy(&how);
  return good;
}

/* Sees to it that there is a thread for every place, as far as there are threads to be had. With the lock; gives how many
 * places are without. */
static int staff(void) {
  while (pool.waiting < pool.places && make_thread())
    pool.waiting++;
  return pool.places > pool.waiting ? pool.places - pool.waiting : 0;
}

void gv_pool_run(int threads, gv_pool_work *work, void *user) {
  crew c = {.work = work, .user = user, .places = threads - 1};
  if (threads < 2) {
    work(user, 0);
    return;
  }
  (void)pthread_once(&fork_once, watch_forks);
  pthread_cond_init(&c.left, NULL);
  pthread_mutex_lock(&pool.lock);
  pool.places += c.places;
  int missing = staff();
  if (missing > c.places) missing = c.places;
  c.places -= missing;
  pool.places -= missing;
  int places = c.places;
  if (places > 0) {
    c.next = pool.crews;
    pool.crews = &c;
  }
  pthread_mutex_unlock(&pool.lock);
  wake(places);
  work(user, 0);
  pthread_mutex_lock(&pool.lock);
  pool.places -= c.places;
  if (c.places > 0) forget(&c);
  while (c.working > 0)
    pthread_cond_wait(&c.left, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
  pthread_cond_destroy(&c.left);
}
