#include "io/transaction/zarr_directory.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/retry.h"

enum {
  MOST_ATTRIBUTES = 1 << 20, /* bytes that are searched */
  MOST_LEVELS = 16           /* of directories: an array, "c", and one for each of its dimensions */
};

/* Version 2 has the first three, version 3 the next; GDAL keeps statistics in the last. */
static const char *const metadata[] = {".zgroup",    ".zattrs",   ".zarray",
                                       ".zmetadata", "zarr.json", "pam.aux.xml"};

static bool zarr_is_metadata(const char *name) {
  for (size_t i = 0; i < sizeof metadata / sizeof *metadata; i++)
    if (strcmp(name, metadata[i]) == 0) return true;
  return false;
}

/* "source" : "gpuvoronoi ..., with any white space. */
static bool zarr_names_source(const char *text) {
  static const char key[] = "\"source\"", value[] = "\"gpuvoronoi ";
  static const char white[] = " \t\r\n";
  for (const char *at = strstr(text, key); at != NULL; at = strstr(at + 1, key)) {
    const char *next = at + sizeof key - 1;
    next += strspn(next, white);
    if (*next != ':') continue;
    next++;
    next += strspn(next, white);
    if (strncmp(next, value, sizeof value - 1) == 0) return true;
  }
  return false;
}

/* Whether the metadata of that name have this source. */
static bool zarr_is_from_here(int directory, const char *name) {
  int file = gv_retry_open_at(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  char *text = file >= 0 ? malloc(MOST_ATTRIBUTES + 1) : NULL;
  ssize_t got = text != NULL ? gv_retry_read_at(file, text, MOST_ATTRIBUTES, 0) : -1;
  if (got >= 0) text[got] = '\0';
  bool found = got >= 0 && zarr_names_source(text);
  free(text);
  if (file >= 0) close(file);
  return found;
}

/* Whether a directory, or what is within an array, holds nothing else. `level` 0: the group, in which
 * directories have any name. Closes `directory`. */
static bool zarr_is_pure(int directory, int level) {
  DIR *opened = directory >= 0 ? fdopendir(directory) : NULL;
  bool pure = opened != NULL && level < MOST_LEVELS;
  if (opened == NULL && directory >= 0) close(directory);
  for (const struct dirent *entry; pure && (entry = readdir(opened)) != NULL;) {
    const char *name = entry->d_name;
    struct stat found;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    bool known = fstatat(dirfd(opened), name, &found, AT_SYMLINK_NOFOLLOW) == 0;
    bool chunk = level > 0 && name[strspn(name, "0123456789.c")] == '\0';
    if (known && S_ISREG(found.st_mode)) {
      pure = zarr_is_metadata(name) || chunk;
    } else if (known && S_ISDIR(found.st_mode) && (chunk || level == 0)) {
      pure = zarr_is_pure(
          gv_retry_open_at(dirfd(opened), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0),
          level + 1);
    } else {
      pure = false;
    }
  }
  if (opened != NULL) closedir(opened);
  return pure;
}

bool gv_zarr_is_ours(const char *path) {
  int directory = gv_retry_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return false;
  if (zarr_is_from_here(directory, ".zattrs") || zarr_is_from_here(directory, "zarr.json"))
    return zarr_is_pure(directory, 0);
  close(directory);
  return false;
}
