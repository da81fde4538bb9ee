#include "io/transaction/shared_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/retry.h"

/* A descriptor of this file that can be read, other than `own`; -1 = none, or the system does not list
 * descriptors. */
static int find_descriptor(const struct stat *wanted, int own) {
  DIR *opened = opendir("/proc/self/fd");
  int found = -1;
  for (const struct dirent *entry; opened != NULL && found < 0 && (entry = readdir(opened)) != NULL;) {
    struct stat about;
    char *end;
    long number = strtol(entry->d_name, &end, 10);
    if (*end != '\0' || end == entry->d_name || number == own || number == dirfd(opened)) continue;
    if (fstat((int)number, &about) != 0 || about.st_dev != wanted->st_dev || about.st_ino != wanted->st_ino)
      continue;
    int mode = fcntl((int)number, F_GETFL);
    if (mode >= 0 && (mode & O_PATH) == 0 && (mode & O_ACCMODE) != O_WRONLY) found = (int)number;
  }
  if (opened != NULL) closedir(opened);
  return found;
}

gv_shared_file gv_shared_open(const char *path) {
  struct stat wanted;
  gv_shared_file shared = {.file = -1};
  if (stat(path, &wanted) == 0 && S_ISREG(wanted.st_mode)) shared.file = find_descriptor(&wanted, -1);
  shared.borrowed = shared.file >= 0;
  if (!shared.borrowed) shared.file = gv_retry_open(path, O_RDONLY | O_CLOEXEC, 0);
  return shared;
}

void gv_shared_close(gv_shared_file *shared) {
  struct stat about;
  bool needed =
      shared->file >= 0 && !shared->borrowed && fstat(shared->file, &about) == 0 &&
      find_descriptor(&about, shared->file) >= 0; /* another thread has opened it meanwhile: it stays open */
  if (shared->file >= 0 && !shared->borrowed && !needed) close(shared->file);
  shared->file = -1;
}
