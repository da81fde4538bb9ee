/* fsync, for trees of files. */
#include "io/transaction/sync.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/path.h"
#include "io/retry.h"

static int sync_open(int file) {
  int error = gv_retry_sync(file) == 0 ? 0 : errno;
  close(file); /* read only: nothing that could fail */
  return error;
}

int gv_sync_directory_at(int directory) {
  int file = gv_retry_open_at(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (file < 0) return errno == EACCES ? 0 : errno; /* may be written to, but not read */
  int error = sync_open(file);
  return error == EINVAL || error == EOPNOTSUPP ? 0 : error;
}

static int sync_directory(const char *path) {
  int file = gv_retry_open(path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  if (file < 0) return errno;
  int error = gv_sync_directory_at(file);
  close(file);
  return error;
}

static int sync_contents(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL) return errno;
  int error = 0;
  for (const struct dirent *entry; error == 0 && (errno = 0, entry = readdir(directory)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char *name = gv_path_join(path, entry->d_name);
    error = name != NULL ? gv_sync_all(name) : ENOMEM;
    free(name);
  }
  if (error == 0) error = errno;
  closedir(directory);
  return error;
}

int gv_sync_all(const char *path) {
  struct stat found;
  if (lstat(path, &found) != 0) return errno;
  if (S_ISDIR(found.st_mode)) {
    int error = sync_contents(path);
    return error != 0 ? error : sync_directory(path);
  }
  if (!S_ISREG(found.st_mode)) return 0;
  int file = gv_retry_open(path, O_RDONLY | O_CLOEXEC, 0);
  return file >= 0 ? sync_open(file) : errno;
}
