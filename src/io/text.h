/* Text that grows. */
#ifndef GV_IO_TEXT_H
#define GV_IO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as {0}. */
typedef struct gv_text {
  char *bytes; /* not terminated */
  size_t length;
  int64_t room;
  bool failed; /* out of memory: the rest is missing */
} gv_text;

void gv_text_put(gv_text *text, const char *bytes, size_t length);
void gv_text_put_string(gv_text *text, const char *string);

void gv_text_free(gv_text *text);

#endif
