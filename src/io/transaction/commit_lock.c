#include "io/transaction/commit_lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/hash.h"

enum { WAITS_MS = 20, LONGEST_MS = 60000 };

static int lock_order(const void *a, const void *b) {
  const gv_commit_place *p = a, *q = b;
  if (p->device != q->device) return p->device < q->device ? -1 : 1;
  return p->number < q->number ? -1 : p->number > q->number;
}

/* The address; its length. */
static socklen_t lock_address(const gv_commit_place *place, struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  int length =
      snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "gpuvoronoi-%u-%" PRIx64 "-%" PRIx64,
               (unsigned)geteuid(), place->device, place->number);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* Whether a process of another user has taken the name. */
static bool lock_is_foreign(const struct sockaddr_un *address, socklen_t length) {
  struct ucred owner = {.uid = geteuid()};
  socklen_t size = sizeof owner;
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  bool foreign = probe >= 0 && connect(probe, (const struct sockaddr *)address, length) == 0 &&
                 getsockopt(probe, SOL_SOCKET, SO_PEERCRED, &owner, &size) == 0 && owner.uid != geteuid();
  if (probe >= 0) close(probe);
  return foreign;
}

/* The locked socket; -1: there can be no lock. */
static gv_status lock_take(gv_io *io, const gv_commit_place *place, int *out) {
  struct sockaddr_un address;
  const socklen_t length = lock_address(place, &address);
  *out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  for (int waited = 0; *out >= 0; waited += WAITS_MS) {
    if (bind(*out, (const struct sockaddr *)&address, length) == 0) {
      (void)listen(*out, 1); /* so that others can see its owner */
      return GV_OK;
    }
    if (errno != EADDRINUSE || lock_is_foreign(&address, length)) break;
    if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
    if (waited >= LONGEST_MS)
      return gv_io_fail(
          io, GV_ERROR_IO,
          "outputs: another run has been moving its outputs to the same place for %d s; try again",
          LONGEST_MS / 1000);
    const struct timespec pause = {0, WAITS_MS * 1000000L};
    nanosleep(&pause, NULL);
  }
  if (*out >= 0) close(*out);
  *out = -1;
  return GV_OK;
}

gv_commit_place gv_commit_directory(int directory) {
  struct stat found;
  return fstat(directory, &found) == 0 ? (gv_commit_place){(uint64_t)found.st_dev, (uint64_t)found.st_ino}
                                       : (gv_commit_place){0};
}

/* Device 0 has no files. */
gv_commit_place gv_commit_object(const char *path) {
  return (gv_commit_place){.number = gv_hash_bytes(0, path, strlen(path))};
}

gv_status gv_commit_locks_make(gv_io *io, int room, gv_commit_locks *out) {
  out->places = calloc((size_t)room + 1, sizeof *out->places);
  out->sockets = calloc((size_t)room + 1, sizeof *out->sockets);
  out->room = room;
  return out->places != NULL && out->sockets != NULL ? GV_OK : gv_io_fail_memory(io, "the outputs' names");
}

gv_status gv_commit_lock(gv_io *io, gv_commit_locks *locks) {
  static const gv_commit_place none = {0};
  const gv_commit_place *places = locks->places;
  gv_status status = GV_OK;
  if (locks->room > 0)
    qsort(locks->places, (size_t)locks->room, sizeof *places, lock_order); /* all runs in the same order */
  for (int i = 0; i < locks->room && status == GV_OK; i++) {
    if (lock_order(&places[i], i > 0 ? &places[i - 1] : &none) == 0) continue;
    status = lock_take(io, &places[i], &locks->sockets[locks->count++]);
  }
  return status;
}

void gv_commit_unlock(gv_commit_locks *locks) {
  for (int i = 0; i < locks->count; i++)
    if (locks->sockets[i] >= 0) close(locks->sockets[i]);
  free(locks->places);
  free(locks->sockets);
  *locks = (gv_commit_locks){0};
}
