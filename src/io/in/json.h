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
  const char *text; /* of a text, or a number as it is written; else "" */
} gv_json_item;

/* A member of an object: an item, or an array of them. What is neither has one item that is GV_JSON_OTHER. */
typedef struct gv_json_member {
  const char *object; /* whose member it is; NULL = the root's */
  const char *name;
  bool array;
  const gv_json_item *items;
  int count;
} gv_json_member;

typedef gv_status (*gv_json_member_fn)(gv_io *io, void *user, const gv_json_member *member);

/* Calls `take` for each member of the root in order; of a member called `inner`, which must be an object, for each member of that.
 * `name` is what messages call the text. */
gv_status gv_json_read(gv_io *io, const char *text, size_t length, const char *name, const char *inner,
                       gv_json_member_fn take, void *user);

#endif
