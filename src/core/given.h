/* Structs of callers, who may have been compiled with another version of the header. */
#ifndef GV_GIVEN_H
#define GV_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What callers have set of a struct of `size` bytes that begins with the size of theirs: the rest of `to` stays as it is. NULL: all. */
static inline void gv_take_given(void *to, size_t size, const void *given) {
  size_t own = 0;
  if (given != NULL) memcpy(&own, given, sizeof own);
  if (own > 0) memcpy(to, given, own < size ? own : size);
}

/* The other way: fills a struct of the caller's, which begins with its size, with what `from` has for it. False if its size was not
 * set. */
static inline bool gv_give(void *to, const void *from, size_t size) {
  size_t own = 0;
  memcpy(&own, to, sizeof own);
  if (own <= sizeof own) return false;
  memcpy((char *)to + sizeof own, (const char *)from + sizeof own, (own < size ? own : size) - sizeof own);
  return true;
}

#endif
