#include "io/object_name.h"

#include <stdlib.h>
#include <string.h>

/* The file systems of clouds, each with its other names for the same objects. */
enum { OBJECT_NAMES = 3 };
static const struct {
  const char *names[OBJECT_NAMES]; /* two to write to, one to read from; may be NULL */
} systems[] = {
    {{"/vsis3/", NULL, "/vsis3_streaming/"}},        {{"/vsigs/", NULL, "/vsigs_streaming/"}},
    {{"/vsiaz/", "/vsiadls/", "/vsiaz_streaming/"}}, {{"/vsioss/", NULL, "/vsioss_streaming/"}},
    {{"/vsiswift/", NULL, "/vsiswift_streaming/"}},  {{"/vsiwebhdfs/", NULL, "/vsiwebhdfs_streaming/"}}};

enum { OBJECT_SYSTEMS = sizeof systems / sizeof *systems };

/* Length of this name of a system, if the path begins with it. */
static size_t object_name_length(const char *path, size_t system, size_t name) {
  const char *start = systems[system].names[name];
  return start != NULL && strncmp(path, start, strlen(start)) == 0 ? strlen(start) : 0;
}

bool gv_object_is(const char *path) {
  for (size_t i = 0; i < OBJECT_SYSTEMS; i++)
    if (object_name_length(path, i, 0) > 0 || object_name_length(path, i, 1) > 0) return true;
  return false;
}

static bool is_dots(const char *segment, size_t length) {
  return (length == 1 && segment[0] == '.') || (length == 2 && segment[0] == '.' && segment[1] == '.');
}

bool gv_object_has_dots(const char *path) {
  for (const char *at = path; at != NULL; at = strchr(at, '/')) {
    at += *at == '/';
    if (is_dots(at, strcspn(at, "/"))) return true;
  }
  return false;
}

/* BUCKET/KEY of an object, within the path; NULL for other paths. *system: its number. */
static const char *object_key(const char *path, size_t *system) {
  for (size_t i = 0; i < OBJECT_SYSTEMS; i++) {
    for (size_t k = 0; k < OBJECT_NAMES; k++) {
      const size_t length = object_name_length(path, i, k);
      if (length == 0) continue;
      *system = i;
      return path + length;
    }
  }
  return NULL;
}

/* The key without "." and "..", to be freed. As servers with the bucket in the address see it (`in_bucket`),
 * or those with it in the path. */
static char *object_plain(const char *key, bool in_bucket) {
  char *plain = malloc(strlen(key) + 1);
  if (plain == NULL) return NULL;
  const size_t bucket = in_bucket ? strcspn(key, "/") : 0;
  size_t length = bucket;
  memcpy(plain, key, bucket);
  for (const char *at = key + bucket; *at != '\0';) {
    size_t slash = *at == '/', segment = strcspn(at + slash, "/");
    if (!is_dots(at + slash, segment)) {
      memcpy(plain + length, at, slash + segment);
      length += slash + segment;
    } else if (segment == 2) {
      while (length > bucket && plain[length - 1] != '/')
        length--;
      if (length > bucket) length--;
    }
    at += slash + segment;
  }
  plain[length] = '\0';
  return plain;
}

static bool object_keys_match(const char *a, const char *b) {
  bool same = false;
  for (int way = 0; way < 2 && !same; way++) {
    char *p = object_plain(a, way == 1), *q = object_plain(b, way == 1);
    same = p != NULL && q != NULL && strcmp(p + (*p == '/'), q + (*q == '/')) == 0;
    free(p);
    free(q);
  }
  return same;
}

/* The object that a path through other file systems has within, /vsizip//vsis3/b/a.zip/t.csv: the path from
 * there on; NULL = none. */
static const char *object_within(const char *path) {
  size_t system;
  for (const char *at = strncmp(path, "/vsi", 4) == 0 ? strstr(path + 1, "/vsi") : NULL; at != NULL;
       at = strstr(at + 1, "/vsi"))
    if (object_key(at, &system) != NULL) return at;
  return NULL;
}

/* Whether `within` is the object `archive`, or a file in it. */
static bool object_is_archive(const char *archive, const char *within) {
  char *path = strdup(within);
  bool found = false;
  for (size_t end = path != NULL ? strlen(path) : 0; end > 0 && !found; end--) {
    if (within[end] != '\0' && within[end] != '/' && within[end] != '}') continue;
    path[end] = '\0';
    found = gv_object_same(archive, path);
  }
  free(path);
  return found;
}

bool gv_object_same(const char *a, const char *b) {
  size_t system_a, system_b;
  const char *key_a = object_key(a, &system_a), *key_b = object_key(b, &system_b);
  if (key_a != NULL && key_b != NULL) return system_a == system_b && object_keys_match(key_a, key_b);
  const char *within_a = object_within(a), *within_b = object_within(b);
  if (key_a != NULL && within_b != NULL) return object_is_archive(a, within_b);
  return key_b != NULL && within_a != NULL && object_is_archive(b, within_a);
}
