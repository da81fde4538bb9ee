#include "io/strings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static size_t strings_count(const char *const *list) {
  size_t count = 0;
  while (list != NULL && list[count] != NULL)
    count++;
  return count;
}

/* Takes ownership of `text`, which may be NULL: out of memory. */
static bool strings_append(char ***list, char *text) {
  size_t count = strings_count((const char *const *)*list);
  char **more = text != NULL ? realloc(*list, (count + 2) * sizeof *more) : NULL;
  if (more == NULL) {
    free(text);
    return false;
  }
  more[count] = text;
  more[count + 1] = NULL;
  *list = more;
  return true;
}

bool gv_strings_add(char ***list, const char *text) {
  return strings_append(list, strdup(text));
}

bool gv_strings_set(char ***list, const char *key, const char *value) {
  size_t length = strlen(key), size = strlen(value) + 1;
  char *text = malloc(length + 1 + size);
  if (text == NULL) return false;
  memcpy(text, key, length);
  text[length] = '=';
  memcpy(text + length + 1, value, size);
  for (char **one = *list; one != NULL && *one != NULL; one++) {
    if (strncasecmp(*one, key, length) != 0 || ((*one)[length] != '=' && (*one)[length] != ':')) continue;
    free(*one);
    *one = text;
    return true;
  }
  return strings_append(list, text);
}

bool gv_strings_copy(const char *const *from, char ***out) {
  *out = NULL;
  for (; from != NULL && *from != NULL; from++) {
    if (gv_strings_add(out, *from)) continue;
    gv_strings_free(*out);
    *out = NULL;
    return false;
  }
  return true;
}

void gv_strings_free(char **list) {
  for (char **one = list; one != NULL && *one != NULL; one++)
    free(*one);
  free(list);
}
