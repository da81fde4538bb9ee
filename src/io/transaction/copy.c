#include "io/transaction/copy.h"

#include <stdlib.h>

#include "io/retry.h"

/* By the system, which shares blocks where the file system can; else through memory. The position of `from`,
 * which other code may have opened, stays. */
int gv_copy_bytes(const gv_io *io, int from, int to) {
  enum { CHUNK = 1 << 20 };
  ssize_t got = 1;
  off_t at = 0;
  while (got > 0 && !gv_io_cancelled(io))
    got = copy_file_range(from, &at, to, NULL, 64 * (size_t)CHUNK, 0);
  if (got == 0 && at > 0) return 0;
  char *buffer = malloc(CHUNK);
  int error = buffer != NULL ? 0 : ENOMEM;
  while (error == 0 && !gv_io_cancelled(io)) {
    got = gv_retry_read_at(from, buffer, CHUNK, at);
    if (got == 0) break;
    if (got < 0 || !gv_retry_write_all(to, buffer, (size_t)got)) error = errno;
    if (got > 0) at += got;
  }
  free(buffer);
  return error;
}

int gv_copy_contents(const gv_io *io, int from, const char *to) {
  struct stat about;
  int out = gv_retry_open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error = 0;
  if (out < 0) return errno;
  if (fstat(from, &about) != 0) error = errno;
  if (error == 0) error = gv_copy_bytes(io, from, out);
  if (error == 0 && fchmod(out, about.st_mode & 07777) != 0) error = errno;
  if (close(out) != 0 && error == 0) error = errno;
  return error;
}

int gv_copy_file(const gv_io *io, const char *from, const char *to) {
  if (link(from, to) == 0) return 0;
  int in = gv_retry_open(from, O_RDONLY | O_CLOEXEC, 0);
  if (in < 0) return errno;
  int error = gv_copy_contents(io, in, to);
  close(in);
  return error;
}

void gv_copy_permissions(const char *path, const struct stat *like) {
  struct stat own;
  mode_t mode = like->st_mode & 0777;
  bool directory = S_ISDIR(like->st_mode);
  if (stat(path, &own) != 0 || (!directory && !S_ISREG(like->st_mode)) || S_ISDIR(own.st_mode) != directory)
    return;
  bool owner = own.st_uid == like->st_uid || chown(path, like->st_uid, (gid_t)-1) == 0;
  bool group = own.st_gid == like->st_gid || chown(path, (uid_t)-1, like->st_gid) == 0;
  if (!group) mode = (mode & 0707) | (mode & 07) << 3; /* another group: only the permissions of others */
  if (owner && group) mode = like->st_mode & 07777;
  if (chmod(path, mode) != 0) return; /* file systems without modes */
}

bool gv_is_read_only(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && ((found.st_mode & 0222) == 0 || access(path, W_OK) != 0);
}
