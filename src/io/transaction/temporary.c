/* Making, locking and removing temporary directories, by descriptors. */
#include "io/transaction/temporary.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "io/path.h"
#include "io/retry.h"

enum {
  /* The longest parts of a name that are the output's and the machine's. */
  MAX_STEM = 64,
  MAX_HOST = 32,
  RANDOM_DIGITS = 32,
  MAX_PREFIX = 1 + MAX_STEM + 5 + MAX_HOST + 1 + 1,
  ATTEMPTS = 100,
  MAX_DEPTH = 64 /* of directories to be removed */
};

/* Locked as long as the process runs. A directory of the right name without this file was not made here. */
static const char LOCK_NAME[] = GV_SCRATCH "lock";

/* The name of the backups' directory once they are not needed. */
static const char DISCARDED[] = GV_SCRATCH "replaced";

static const int OPEN_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/* -------------------------------------------------------------------------------------------------- names */

/* The length of an output's name without its extension, or of the beginning of a longer one. */
static size_t stem_length(const char *output) {
  const char *dot = strrchr(output, '.');
  size_t length = dot != NULL ? (size_t)(dot - output) : strlen(output);
  if (length > MAX_STEM) {
    length = MAX_STEM;
    while (length > 0 && ((unsigned char)output[length] & 0xC0) == 0x80) /* within a character of UTF-8 */
      length--;
  }
  return length;
}

/* ".STEM.tmp-HOST-", without the output's extension: to GDAL, what follows ".xlsx" or ".zip" in a path is
 * inside of an archive. */
static void temporary_prefix(const char *output, char prefix[MAX_PREFIX]) {
  char host[256] = "";
  size_t length = stem_length(output);
  if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') strcpy(host, "_");
  host[MAX_HOST] = '\0';
  for (char *c = host; *c != '\0'; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    if (!plain) *c = '_';
  }
  snprintf(prefix, MAX_PREFIX, ".%.*s.tmp-%s-", (int)length, output, host);
}

/* False with errno set if the system has no random numbers. */
static bool temporary_name(const char *prefix, char name[NAME_MAX + 1]) {
  unsigned char random[RANDOM_DIGITS / 2];
  ssize_t got;
  do {
    got = getrandom(random, sizeof random, 0);
  } while (got < 0 && errno == EINTR);
  if (got != (ssize_t)sizeof random) return false;
  int at = snprintf(name, NAME_MAX + 1, "%s", prefix);
  for (size_t i = 0; i < sizeof random; i++)
    at += snprintf(name + at, 3, "%02x", random[i]);
  return true;
}

static bool is_temporary_name(const char *name, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(name, prefix, length) == 0 && strlen(name) == length + RANDOM_DIGITS &&
         strspn(name + length, "0123456789abcdef") == RANDOM_DIGITS;
}

/* ----------------------------------------------------------------------------------------------- removing */

/* The names in a directory; NULL with errno set if it may not be read. */
static DIR *open_names(int directory) {
  int again = gv_retry_open_at(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  DIR *opened = again >= 0 ? fdopendir(again) : NULL;
  if (opened == NULL && again >= 0) close(again);
  return opened;
}

static bool is_self_or_parent(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Whether a run for this output may have made a file in its directory: it has the output's stem, as a
 * temporary directory of a part has after its dot, or is scratch. */
static bool is_of_output(int directory, const char *name, const char *output) {
  struct stat found;
  size_t length = stem_length(output);
  if (length == 0) length = strlen(output);
  bool named = strncmp(name, GV_SCRATCH, strlen(GV_SCRATCH)) == 0 || strncmp(name, output, length) == 0 ||
               (name[0] == '.' && strncmp(name + 1, output, length) == 0);
  return named && fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && found.st_uid == geteuid();
}

/* Removes the contents of a directory except `keep`, and, unless `output` is NULL, files that a run for it
 * has not made. False if something is left. */
static bool remove_contents(int directory, dev_t device, const char *keep, const char *output, int depth) {
  DIR *opened = open_names(directory);
  bool gone = opened != NULL;
  for (const struct dirent *entry; opened != NULL && (entry = readdir(opened)) != NULL;) {
    const char *name = entry->d_name;
    if (is_self_or_parent(name) || (keep != NULL && strcmp(name, keep) == 0)) continue;
    if (output != NULL && !is_of_output(directory, name, output)) {
      gone = false;
      continue;
    }
    if (unlinkat(directory, name, 0) == 0 || errno == ENOENT) continue;
    struct stat found;
    int inner = depth < MAX_DEPTH ? gv_retry_open_at(directory, name, OPEN_DIRECTORY, 0) : -1;
    bool empty = inner >= 0 && fstat(inner, &found) == 0 && found.st_dev == device &&
                 remove_contents(inner, device, NULL, NULL, depth + 1);
    if (inner >= 0) close(inner);
    if (!empty || (unlinkat(directory, name, AT_REMOVEDIR) != 0 && errno != ENOENT)) gone = false;
  }
  if (opened != NULL) closedir(opened);
  return gone;
}

/* The backups first and the lock file last: what an interrupted removal leaves is removed by the next run.
 * `output`: as in remove_contents. */
static bool remove_directory(int parent, const char *name, int directory, int *lock, const char *output) {
  struct stat found;
  if (fstat(directory, &found) != 0) return false;
  int backups = gv_retry_open_at(directory, GV_BACKUPS, OPEN_DIRECTORY, 0);
  bool gone = backups < 0 || remove_contents(backups, found.st_dev, NULL, NULL, 1);
  if (backups >= 0) close(backups);
  if (!gone || !remove_contents(directory, found.st_dev, LOCK_NAME, output, 0)) return false;
  if (*lock >= 0) close(*lock); /* NFS keeps the name of a file that is open */
  *lock = -1;
  if (unlinkat(directory, LOCK_NAME, 0) != 0 && errno != ENOENT) return false;
  return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

bool gv_temporary_remove(gv_temporary *t) {
  return t->directory >= 0 && remove_directory(t->parent, t->name, t->directory, &t->lock, NULL);
}

/* ---------------------------------------------------------------------------------------------- leftovers */

/* True if the directory belongs to the caller, is private, and still has the name. */
static bool is_own_directory(int parent, const char *name, int directory) {
  struct stat opened, named;
  return fstat(directory, &opened) == 0 && opened.st_uid == geteuid() && (opened.st_mode & 0777) == 0700 &&
         fstatat(parent, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

static bool has_backups(int directory) {
  return unlinkat(directory, GV_BACKUPS, AT_REMOVEDIR) != 0 && errno != ENOENT;
}

/* `output`: the name of the output. */
static void clear_leftover(int parent, const char *parent_path, const char *name, const char *output) {
  int directory = gv_retry_open_at(parent, name, OPEN_DIRECTORY, 0);
  if (directory < 0) return;
  bool own = is_own_directory(parent, name, directory);
  int lock = own ? gv_retry_open_at(directory, LOCK_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0) : -1;
  if (own && lock < 0) unlinkat(parent, name, AT_REMOVEDIR); /* empty: killed before it made the lock file */
  if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) {
    if (has_backups(directory)) {
      gv_io_warn(GV_CODE_BACKUP_LEFT, 0,
                 "%s/%s/%s: files of an interrupted run that were being replaced; move them back, or remove "
                 "the directory",
                 parent_path, name, GV_BACKUPS);
    } else {
      remove_directory(parent, name, directory, &lock, output);
    }
  }
  if (lock >= 0) close(lock);
  close(directory);
}

static void clear_leftovers(int parent, const char *parent_path, const char *prefix, const char *output) {
  DIR *opened = open_names(parent);
  if (opened == NULL) return; /* directories that may be written to, but not read */
  for (const struct dirent *entry; (entry = readdir(opened)) != NULL;)
    if (is_temporary_name(entry->d_name, prefix)) clear_leftover(parent, parent_path, entry->d_name, output);
  closedir(opened);
}

/* ------------------------------------------------------------------------------------------------- making */

static bool is_empty(int directory) {
  DIR *opened = open_names(directory);
  bool empty = opened != NULL;
  for (const struct dirent *entry; empty && (entry = readdir(opened)) != NULL;)
    empty = is_self_or_parent(entry->d_name);
  if (opened != NULL) closedir(opened);
  return empty;
}

/* One attempt: 0, or an error's number; EAGAIN if another process removed the directory as a leftover before
 * it was locked. */
static int make_directory(gv_temporary *t) {
  if (mkdirat(t->parent, t->name, 0700) != 0) return errno == EEXIST ? EAGAIN : errno;
  t->directory = gv_retry_open_at(t->parent, t->name, OPEN_DIRECTORY, 0);
  if (t->directory < 0) return errno == ENOENT ? EAGAIN : errno;
  if (!is_empty(t->directory) || !is_own_directory(t->parent, t->name, t->directory)) {
    struct stat opened; /* removed as a leftover, or another user put another directory in its place */
    return fstat(t->directory, &opened) == 0 && opened.st_nlink == 0 ? EAGAIN : EPERM;
  }
  t->lock =
      gv_retry_open_at(t->directory, LOCK_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (t->lock < 0) return errno == ENOENT ? EAGAIN : errno;
  if (flock(t->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return EAGAIN;
  struct stat lock;
  return fstat(t->lock, &lock) != 0 || lock.st_nlink == 0 ? EAGAIN : 0;
}

/* /proc/self/fd/N where that leads to the directory. */
static char *access_path(const gv_temporary *t) {
  char path[64];
  struct stat opened, named;
  snprintf(path, sizeof path, "/proc/self/fd/%d", t->directory);
  bool same = stat(path, &named) == 0 && fstat(t->directory, &opened) == 0 && named.st_dev == opened.st_dev &&
              named.st_ino == opened.st_ino;
  return same ? strdup(path) : gv_path_join(t->parent_path, t->name);
}

static void close_directory(gv_temporary *t) {
  if (t->lock >= 0) close(t->lock);
  if (t->directory >= 0) close(t->directory);
  t->lock = t->directory = -1;
}

gv_status gv_temporary_make(gv_io *io, const char *parent, const char *output, gv_temporary *out) {
  char prefix[MAX_PREFIX];
  gv_temporary made = GV_TEMPORARY_NONE;
  *out = made;
  made.parent_path = strdup(parent);
  if (made.parent_path == NULL) return gv_io_fail_memory(io, "a file name");
  made.parent = gv_retry_open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  int error = made.parent < 0 ? errno : EAGAIN;
  temporary_prefix(gv_path_name(output), prefix);
  if (made.parent >= 0) clear_leftovers(made.parent, parent, prefix, gv_path_name(output));
  for (int attempt = 0; error == EAGAIN && attempt < ATTEMPTS; attempt++) {
    close_directory(&made);
    error = temporary_name(prefix, made.name) ? make_directory(&made) : errno;
  }
  if (error == 0 && (made.path = access_path(&made)) == NULL) error = ENOMEM;
  if (error == 0) {
    *out = made;
    return GV_OK;
  }
  if (made.directory >= 0) unlinkat(made.directory, LOCK_NAME, 0);
  if (made.parent >= 0) unlinkat(made.parent, made.name, AT_REMOVEDIR);
  gv_temporary_close(&made);
  return gv_io_fail(io, GV_ERROR_IO, "%s: cannot write into its directory: %s", output, strerror(error));
}

int gv_temporary_backups(const gv_temporary *t) {
  if (mkdirat(t->directory, GV_BACKUPS, 0700) != 0 && errno != EEXIST) return -1;
  return gv_retry_open_at(t->directory, GV_BACKUPS, OPEN_DIRECTORY, 0);
}

void gv_temporary_discard_backups(const gv_temporary *t) {
  (void)renameat(t->directory, GV_BACKUPS, t->directory, DISCARDED);
}

char *gv_temporary_backup_path(const gv_temporary *t, const char *name) {
  char *path = NULL;
  return asprintf(&path, "%s/%s/" GV_BACKUPS "/%s", t->parent_path, t->name, name) >= 0 ? path : NULL;
}

void gv_temporary_close(gv_temporary *t) {
  close_directory(t);
  if (t->parent >= 0) close(t->parent);
  free(t->parent_path);
  free(t->path);
  *t = (gv_temporary)GV_TEMPORARY_NONE;
}
