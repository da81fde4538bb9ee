/* Structs of callers, who may have been compiled with another version of the header. */
#ifndef GV_GIVEN_H
#define GV_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/core.h"

/* Copies the members that the caller has set of a struct, which begins with its size, of at most `size`
 * bytes; the rest of `to` is unchanged. NULL: copies nothing. False if its size was not set. */
static inline bool gv_copy_given(void *to, size_t size, const void *given) {
  size_t own = 0;
  if (given == NULL) return true;
  memcpy(&own, given, sizeof own);
  if (own <= sizeof own) return false;
  memcpy(to, given, own < size ? own : size);
  return true;
}

/* Copies a caller's struct, or returns an error from the function. `type` is its type, `to` holds the
 * defaults. */
#define GV_COPY_GIVEN(context, type, to, given)                                                              \
  do {                                                                                                       \
    if (!gv_copy_given(to, sizeof(type), given))                                                             \
      return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "%s: struct_size is not set; call gv_..._init",     \
                     #type);                                                                                 \
  } while (0)

/* The reverse: fills a struct of the caller, which begins with its size, from `from`. False if its size was
 * not set. */
static inline bool gv_fill_given(void *to, const void *from, size_t size) {
  size_t own = 0;
  memcpy(&own, to, sizeof own);
  if (own <= sizeof own) return false;
  memcpy((char *)to + sizeof own, (const char *)from + sizeof own, (own < size ? own : size) - sizeof own);
  return true;
}

#endif
