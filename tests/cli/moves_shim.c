/*
 * For LD_PRELOAD: notes fsync, link and rename in the file $MOVES_LOG, a line a call, and makes some of them fail, or come after
 * two SIGTERM and a fifth of a second.
 *
 * $MOVES_FAIL is "fsync 3": the third; "rename 2+": the second and all after it. $MOVES_SIGNAL likewise.
 * With $MOVES_NO_LINKS no file has a second name.
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

/* Whether $variable means this call. */
static int is_meant(const char *variable, const char *call, int number) {
  const char *wanted = getenv(variable);
  char name[16] = "", more = '\0';
  int at = 0;
  if (wanted == NULL || sscanf(wanted, "%15s %d%c", name, &at, &more) < 2 || strcmp(name, call) != 0) return 0;
  return more == '+' ? number >= at : number == at;
}

/* Notes a call; true if it is to fail. */
static int note(const char *call, int *calls, const char *a, const char *b) {
  const char *log = getenv("MOVES_LOG");
  FILE *file = log != NULL ? fopen(log, "a") : NULL;
  if (file != NULL) {
    fprintf(file, "%s\t%s\t%s\n", call, a, b);
    fclose(file);
  }
  ++*calls;
  if (is_meant("MOVES_SIGNAL", call, *calls)) {
    kill(getpid(), SIGTERM);
    usleep(100000);
    kill(getpid(), SIGTERM);
    usleep(100000);
  }
  return is_meant("MOVES_FAIL", call, *calls);
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
