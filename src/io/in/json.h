/*
 * Reading a JSON object of at most one object within, as descriptions of runs are.
 */
#ifndef GV_IO_JSON_H
#define GV_IO_JSON_H

#include "io/io.h"

typedef enum gv_json_kind {
  GV_JSON_TEXT,
  GV_JSON_NUMBER,
  GV_JSON_TRUE,
  GV_JSON_FALSE,
  GV_JSON_NULL,
  GV_JSON_OTHER
} gv_json_kind;

typedef struct gv_json_item {
  gv_json_kind kind;
  const char *text; /* text of a string or a number; else "" */
} gv_json_item;

/* A member of an object: an item, or an array of items. Other values have one item of kind GV_JSON_OTHER. */
typedef struct gv_json_member {
  const char *object; /* name of the object; NULL = the root */
  const char *name;
  bool array;
  const gv_json_item *items;
  int count;
} gv_json_member;

typedef gv_status (*gv_json_member_fn)(gv_io *io, void *user, const gv_json_member *member);

/* Calls `take` for each member of the root in order; for the member named `inner`, which must be an object,
 * for each of its members. `name`: of the text, for messages. */
gv_status gv_json_read(gv_io *io, const char *text, size_t length, const char *name, const char *inner,
                       gv_json_member_fn take, void *user);

#endif
