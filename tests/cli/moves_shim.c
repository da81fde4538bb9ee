/*
 * For LD_PRELOAD: logs fsync, links and renames in the file $MOVES_LOG, a line a call, and makes some of them
 * fail, or delays them by two SIGTERM and a fifth of a second. Names relative to a descriptor are logged with
 * its path.
 *
 * $MOVES_FAIL is "fsync 3": the third; "rename 2+": the second and all after it. $MOVES_SIGNAL likewise. With
 * $MOVES_NO_EXCHANGE renames have no flags, as on old file systems; with $MOVES_NO_LINKS no file has a second
 * name either. $MOVES_KILL is "5 before" or "5 after": the process is killed before or after the fifth of all
 * links and renames to an output's path (without ".tmp-").
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH = 8192 };

/* Whether $variable means this call. */
static int is_meant(const char *variable, const char *call, int number) {
  const char *wanted = getenv(variable);
  char name[16] = "", more = '\0';
  int at = 0;
  if (wanted == NULL || sscanf(wanted, "%15s %d%c", name, &at, &more) < 2 || strcmp(name, call) != 0)
    return 0;
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

/* The path of a descriptor, or of a name relative to it. */
static void path_at(int directory, const char *name, char path[MAX_PATH]) {
  char link[64];
  path[0] = '\0';
  if (name == NULL || name[0] != '/') {
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = directory == AT_FDCWD ? 0 : readlink(link, path, MAX_PATH / 2);
    path[length > 0 ? length : 0] = '\0';
  }
  if (name == NULL) return;
  size_t length = strlen(path);
  snprintf(path + length, MAX_PATH - length, "%s%s", length > 0 ? "/" : "", name);
}

int fsync(int file) {
  static int calls;
  char path[MAX_PATH];
  path_at(file, NULL, path);
  if (note("fsync", &calls, path, "")) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return real(file);
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
  static int calls;
  char a[MAX_PATH], b[MAX_PATH];
  path_at(from_directory, from, a);
  path_at(to_directory, to, b);
  if (flags != 0 && getenv("MOVES_NO_EXCHANGE") != NULL) {
    errno = EINVAL;
    return -1;
  }
  if (note("rename", &calls, a, b)) {
    errno = EIO;
    return -1;
  }
  int (*real)(int, const char *, int, const char *, unsigned) =
      (int (*)(int, const char *, int, const char *, unsigned))dlsym(RTLD_NEXT, "renameat2");
  end("before", b);
  int result = real(from_directory, from, to_directory, to, flags);
  end("after", b);
  return result;
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  return renameat2(from_directory, from, to_directory, to, 0);
}

int rename(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
  static int calls;
  char a[MAX_PATH], b[MAX_PATH];
  path_at(from_directory, from, a);
  path_at(to_directory, to, b);
  int fails = note("link", &calls, a, b);
  if (fails || getenv("MOVES_NO_LINKS") != NULL) {
    errno = fails ? EIO : EPERM;
    return -1;
  }
  int (*real)(int, const char *, int, const char *, int) =
      (int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat");
  end("before", b);
  int result = real(from_directory, from, to_directory, to, flags);
  end("after", b);
  return result;
}

int link(const char *from, const char *to) {
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}
