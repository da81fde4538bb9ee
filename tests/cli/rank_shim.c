/*
 * For LD_PRELOAD, in ranks of MPI: injects a fault into rank $RANK_NUMBER. $RANK_DO: "kill", the process ends
 * when it writes to an output for the $RANK_AT-th time; "full", this and all its later writes fail as on a
 * full disk; "wait", it stays there. The other ranks' first write waits until then, when the file
 * $RANK_REACHED is made. "hide": the parts of other ranks do not exist for this rank; "hide-all": nor does
 * the directory of the parts.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_act(const char *act) {
  const char *wanted = getenv("RANK_DO");
  return wanted != NULL && strcmp(wanted, act) == 0;
}

static int is_meant(void) {
  const char *own = getenv("OMPI_COMM_WORLD_RANK"), *meant = getenv("RANK_NUMBER");
  if (own == NULL) own = getenv("PMI_RANK");
  return own != NULL && meant != NULL && strcmp(own, meant) == 0;
}

static void *next(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

/* Files that become outputs; MPI writes others. */
static int is_output(int file) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  return readlink(link, path, sizeof path - 1) > 0 && strstr(path, ".tmp-") != NULL;
}

/* 0, or the error that the write ends with. */
static int happen(void) {
  static int writes;
  const char *reached = getenv("RANK_REACHED"), *at = getenv("RANK_AT");
  if (reached == NULL || at == NULL || is_act("hide") || is_act("hide-all")) return 0;
  if (!is_meant()) {
    while (access(reached, F_OK) != 0)
      usleep(10000);
    return 0;
  }
  if (++writes < atoi(at)) return 0;
  close(open(reached, O_WRONLY | O_CREAT, 0600));
  if (is_act("kill")) raise(SIGKILL);
  while (is_act("wait"))
    pause();
  return ENOSPC;
}

ssize_t write(int file, const void *bytes, size_t count) {
  ssize_t (*real)(int, const void *, size_t);
  void *found = next("write");
  memcpy(&real, &found, sizeof real);
  int error = is_output(file) ? happen() : 0;
  if (error == 0) return real(file, bytes, count);
  errno = error;
  return -1;
}

int stat(const char *restrict path, struct stat *restrict out) {
  int (*real)(const char *, struct stat *);
  void *found = next("stat");
  memcpy(&real, &found, sizeof real);
  const char *part = strstr(path, ".tmp-") != NULL ? strstr(path, ".part2.tif") : NULL;
  if (!is_act("hide") || part == NULL || !is_meant()) return real(path, out);
  errno = ENOENT;
  return -1;
}

int access(const char *path, int how) {
  int (*real)(const char *, int);
  void *found = next("access");
  memcpy(&real, &found, sizeof real);
  if (!is_act("hide-all") || strstr(path, ".tmp-") == NULL || !is_meant()) return real(path, how);
  errno = ENOENT;
  return -1;
}
