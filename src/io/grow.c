#include "io/grow.h"

#include <stdlib.h>

void *gv_grow(void *array, int64_t *capacity, int64_t count, size_t size) {
  enum { LEAST = 16 };
  if (array != NULL && count <= *capacity) return array;
  int64_t room = *capacity + *capacity / 2 > count ? *capacity + *capacity / 2 : count;
  if (room < LEAST) room = LEAST;
  if ((uint64_t)room > (uint64_t)INT64_MAX / size) return NULL;
  void *more = realloc(array, (size_t)room * size);
  if (more != NULL) *capacity = room;
  return more;
}
