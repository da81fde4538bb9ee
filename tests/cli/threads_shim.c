/* For LD_PRELOAD: the system has $THREADS threads beside the first, and no more. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *user) {
  static int made;
  const char *most = getenv("THREADS");
  if (most != NULL && __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED) > atoi(most)) return EAGAIN;
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
      (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
  return real(thread, how, start, user);
}
