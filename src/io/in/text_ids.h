/* Texts as ids: equal ones have one number. */
#ifndef GV_IO_TEXT_IDS_H
#define GV_IO_TEXT_IDS_H

#include "core/hash.h"
#include "io/io.h"
#include "io/text.h"

/* Begins as {0}. */
typedef struct gv_text_ids {
  gv_text texts; /* the number of each, and the text with its terminating zero */
  gv_hash table; /* to where these are in `texts`, from 1 */
} gv_text_ids;

/* The number that came with this text when it was met first: `number` itself if this is the first time. */
gv_status gv_text_ids_find(gv_io *io, gv_text_ids *ids, const char *text, int64_t number, int64_t *first);

void gv_text_ids_free(gv_text_ids *ids);

#endif
