/* Taking names of files apart and putting them together. */
#include "io/path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *gv_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

bool gv_path_ends(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length >= tail && strcasecmp(path + length - tail, end) == 0;
}

char *gv_path_parent(const char *path) {
  size_t length = (size_t)(gv_path_name(path) - path);
  if (length == 0) return strdup(".");
  while (length > 1 && path[length - 1] == '/')
    length--;
  return strndup(path, length);
}

/* Three strings in a row. */
static char *concatenate(const char *a, const char *b, const char *c) {
  size_t first = strlen(a), second = strlen(b), third = strlen(c);
  char *all = malloc(first + second + third + 1);
  if (all == NULL) return NULL;
  memcpy(all, a, first);
  memcpy(all + first, b, second);
  memcpy(all + first + second, c, third + 1);
  return all;
}

char *gv_path_join(const char *directory, const char *name) {
  if (strcmp(directory, ".") == 0) return strdup(name);
  size_t length = strlen(directory);
  return concatenate(directory, length > 0 && directory[length - 1] == '/' ? "" : "/", name);
}

/* The target of a link, relative to the link's directory. NULL: not a link, or out of memory (ENOMEM). */
static char *read_link(const char *path) {
  char text[PATH_MAX + 1];
  ssize_t length = readlink(path, text, sizeof text - 1);
  if (length <= 0) return NULL;
  text[length] = '\0';
  char *parent = text[0] != '/' ? gv_path_parent(path) : NULL;
  char *next = text[0] == '/' ? strdup(text) : parent != NULL ? gv_path_join(parent, text) : NULL;
  free(parent);
  if (next == NULL) errno = ENOMEM;
  return next;
}

bool gv_path_is_foreign_link(const char *path) {
  struct stat link, around;
  if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode) || link.st_uid == geteuid()) return false;
  char *parent = gv_path_parent(path);
  bool trusted =
      parent != NULL && stat(parent, &around) == 0 &&
      ((around.st_mode & S_ISVTX) == 0 || (around.st_mode & S_IWOTH) == 0 || around.st_uid == link.st_uid);
  free(parent);
  return !trusted;
}

char *gv_path_follow(const char *path) {
  enum { MOST = 40 }; /* as many as the system follows */
  char *at = strdup(path);
  for (int i = 0; at != NULL && i <= MOST; i++) {
    errno = 0;
    char *next = gv_path_is_foreign_link(at) ? NULL : read_link(at);
    bool failed = next == NULL && errno == ENOMEM;
    if (next == NULL && !failed) return at;
    free(at);
    at = next;
  }
  if (at == NULL) return NULL;
  free(at);
  return strdup(path);
}

char *gv_path_add(const char *path, const char *suffix) {
  return concatenate(path, suffix, "");
}
