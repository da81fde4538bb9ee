/*
 * For LD_PRELOAD, in two ranks of MPI: what comes to pass when rank $PIECES_RANK writes tiles of an output for the $PIECES_AT-th time.
 * $PIECES_DO: "kill", the process is gone; "full", this and all its later writes fail as on a full disk; "wait", it stays there; "slow",
 * nothing, but each write takes long.
 * But where it is slow the other rank's first write waits until that has come to pass, when the file $PIECES_REACHED is made: so this
 * rank has something to write, however fast the other one is.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files that become outputs; MPI writes others. */
static int is_output(int file) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  return readlink(link, path, sizeof path - 1) > 0 && strstr(path, ".tmp-") != NULL;
}

/* 0, or the error that the write ends with. */
static int happen(void) {
  static int writes;
  const char *own = getenv("OMPI_COMM_WORLD_RANK"), *act = getenv("PIECES_DO"), *reached = getenv("PIECES_REACHED");
  const char *meant = getenv("PIECES_RANK"), *at = getenv("PIECES_AT");
  if (own == NULL) own = getenv("PMI_RANK");
  if (own == NULL || act == NULL || reached == NULL || meant == NULL || at == NULL) return 0;
  writes++;
  if (strcmp(act, "slow") == 0) {
    if (strcmp(own, meant) == 0) usleep(30000);
    return 0;
  }
  if (strcmp(own, meant) != 0) {
    while (access(reached, F_OK) != 0)
      usleep(10000);
    return 0;
  }
  if (writes < atoi(at)) return 0;
  close(open(reached, O_WRONLY | O_CREAT, 0600));
  if (strcmp(act, "kill") == 0) raise(SIGKILL);
  while (strcmp(act, "wait") == 0)
    pause();
  return ENOSPC;
}

static ssize_t write_at(const char *name, int file, const void *bytes, size_t count, off_t at) {
  ssize_t (*real)(int, const void *, size_t, off_t);
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(&real, &found, sizeof real);
  errno = is_output(file) ? happen() : 0;
  return errno != 0 ? -1 : real(file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  return write_at("pwrite", file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t at) {
  return write_at("pwrite64", file, bytes, count, at);
}
