/*
 * For LD_PRELOAD: notes fsync, link and rename in the file $MOVES_LOG, a line a call, and makes some of them fail.
 *
 * $MOVES_FAIL is "fsync 3": the third; "rename 2+": the second and all after it. With $MOVES_NO_LINKS no file has a second name.
 * $MOVES_KILL is "5 before" or "5 after": the fifth of all links and renames that are about one of the outputs' places (that have
 * no .tmp- in what they lead to) is the last thing the process does, or is not done any more.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
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

/* Ends the process where it is to end. */
static void end(const char *when, const char *to) {
  static int places;
  const char *kill_at = getenv("MOVES_KILL");
  char at[16] = "";
  int number = 0;
  if (strcmp(when, "before") == 0) places += strstr(to, ".tmp-") == NULL ? 1 : 0;
  if (kill_at == NULL || sscanf(kill_at, "%d %15s", &number, at) != 2 || strstr(to, ".tmp-") != NULL) return;
  if (places == number && strcmp(at, when) == 0) raise(SIGKILL);
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
  end("before", to);
  int result = real(from, to);
  end("after", to);
  return result;
}

int link(const char *from, const char *to) {
  static int calls;
  int fails = note("link", &calls, from, to);
  if (fails || getenv("MOVES_NO_LINKS") != NULL) {
    errno = fails ? EIO : EPERM;
    return -1;
  }
  int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "link");
  end("before", to);
  int result = real(from, to);
  end("after", to);
  return result;
}
