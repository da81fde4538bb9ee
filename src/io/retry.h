/* Calls of the system that are made again when a signal has interrupted them. */
#ifndef GV_IO_RETRY_H
#define GV_IO_RETRY_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

static inline int gv_retry_open(const char *path, int how, mode_t mode) {
  int file;
  do {
    file = open(path, how, mode);
  } while (file < 0 && errno == EINTR);
  return file;
}

static inline int gv_retry_open_at(int directory, const char *name, int how, mode_t mode) {
  int file;
  do {
    file = openat(directory, name, how, mode);
  } while (file < 0 && errno == EINTR);
  return file;
}

static inline ssize_t gv_retry_read(int file, void *to, size_t count) {
  ssize_t got;
  do {
    got = read(file, to, count);
  } while (got < 0 && errno == EINTR);
  return got;
}

static inline ssize_t gv_retry_read_at(int file, void *to, size_t count, off_t at) {
  ssize_t got;
  do {
    got = pread(file, to, count, at);
  } while (got < 0 && errno == EINTR);
  return got;
}

static inline ssize_t gv_retry_write(int file, const void *from, size_t count) {
  ssize_t written;
  do {
    written = write(file, from, count);
  } while (written < 0 && errno == EINTR);
  return written;
}

static inline ssize_t gv_retry_write_at(int file, const void *from, size_t count, off_t at) {
  ssize_t written;
  do {
    written = pwrite(file, from, count, at);
  } while (written < 0 && errno == EINTR);
  return written;
}

/* All bytes; false with errno set. */
static inline bool gv_retry_write_all(int file, const void *from, size_t count) {
  for (const char *at = from; count > 0;) {
    ssize_t written = gv_retry_write(file, at, count);
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    at += written;
    count -= (size_t)written;
  }
  return true;
}

static inline bool gv_retry_write_all_at(int file, const void *from, size_t count, off_t to) {
  for (const char *at = from; count > 0;) {
    ssize_t written = gv_retry_write_at(file, at, count, to);
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    at += written;
    to += written;
    count -= (size_t)written;
  }
  return true;
}

static inline int gv_retry_truncate(int file, off_t size) {
  int result;
  do {
    result = ftruncate(file, size);
  } while (result != 0 && errno == EINTR);
  return result;
}

static inline int gv_retry_sync(int file) {
  int result;
  do {
    result = fsync(file);
  } while (result != 0 && errno == EINTR);
  return result;
}

#endif
