/*
 * For LD_PRELOAD: notes fsync, link and rename in the file $MOVES_LOG, a line a call, and makes some of them fail.
 *
 * $MOVES_FAIL is "fsync 3": the third; "rename 2+": the second and all after it. With $MOVES_NO_LINKS no file has a second name.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Notes a call; true if it is to fail. */
static int note(const char *call, int *calls, const char *a, const char *b) {
  const char *log = getenv("MOVES_LOG"), *fail = getenv("MOVES_FAIL");
  FILE *file = log != NULL ? fopen(log, "a") : NULL;
  if (file != NULL) {
    fprintf(file, "%s\t%s\t%s\n", call, a, b);
    fclose(file);
  }
  char name[16] = "", more = '\0';
  int number = 0;
  ++*calls;
  if (fail == NULL || sscanf(fail, "%15s %d%c", name, &number, &more) < 2 || strcmp(name, call) != 0) return 0;
  return more == '+' ? *calls >= number : *calls == number;
}

int fsync(int file) {
  static int calls;
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (readlink(link, path, sizeof path - 1) < 0) path[0] = '\0';
  if (note("fsync", &calls, path, "")) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return real(file);
}

int rename(const char *from, const char *to) {
  static int calls;
  if (note("rename", &calls, from, to)) {
    errno = EIO;
    return -1;
  }
  int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
  return real(from, to);
}

int link(const char *from, const char *to) {
  static int calls;
  int fails = note("link", &calls, from, to);
  if (fails || getenv("MOVES_NO_LINKS") != NULL) {
    errno = fails ? EIO : EPERM;
    return -1;
  }
  int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "link");
  return real(from, to);
}
