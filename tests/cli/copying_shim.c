/* For LD_PRELOAD: $COPYING_FAILS is "read N" or "memory N": the Nth read of 1 MiB from a file, or allocation
 * of 1 MiB, fails. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20 };

static bool fails(const char *what, size_t size) {
  static int seen;
  const char *fault = getenv("COPYING_FAILS");
  size_t length = strlen(what);
  if (size != CHUNK || fault == NULL || strncmp(fault, what, length) != 0) return false;
  return __sync_add_and_fetch(&seen, 1) == atoi(fault + length);
}

void *malloc(size_t size) {
  static void *(*next)(size_t);
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "malloc");
  if (!fails("memory ", size)) return next(size);
  errno = ENOMEM;
  return NULL;
}

size_t fread(void *to, size_t size, size_t count, FILE *file) {
  static size_t (*next)(void *, size_t, size_t, FILE *);
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, "fread");
  if (!fails("read ", size * count)) return next(to, size, count, file);
  errno = EIO;
  return 0;
}
