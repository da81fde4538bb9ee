/* Taking names of files apart and putting them together. */
#include "io/path.h"

#include <stdlib.h>
#include <string.h>

const char *gv_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
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

char *gv_path_add(const char *path, const char *suffix) {
  return concatenate(path, suffix, "");
}
