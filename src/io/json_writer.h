/*
 * JSON as text, member by member: separators, indents and quotation marks are put here. Strings are escaped
 * for terminals too (gv_text_put_json), which writers of libraries do not do.
 *
 * Names are NULL within arrays and for the outermost value. That memory has run out is in `text`.
 */
#ifndef GV_IO_JSON_WRITER_H
#define GV_IO_JSON_WRITER_H

#include "io/text.h"

enum { GV_JSON_MOST_DEPTH = 8 };

/* Begins as {0}; `text` is to be freed. */
typedef struct gv_json_writer {
  gv_text text;
  int depth;
  struct {
    char end;   /* bracket */
    bool lines; /* each member on a line of its own */
    bool some;  /* has members */
  } open[GV_JSON_MOST_DEPTH];
} gv_json_writer;

/* How the members of an object or array are laid out. */
typedef enum gv_json_layout { GV_JSON_IN_LINE, GV_JSON_IN_LINES } gv_json_layout;

void gv_json_begin_object(gv_json_writer *json, const char *name, gv_json_layout layout);
void gv_json_begin_array(gv_json_writer *json, const char *name, gv_json_layout layout);

/* Ends the object or array that was begun last; the outermost with a line feed. */
void gv_json_end(gv_json_writer *json);

void gv_json_put_string(gv_json_writer *json, const char *name, const char *value);
void gv_json_put_bool(gv_json_writer *json, const char *name, bool value);
void gv_json_put_integer(gv_json_writer *json, const char *name, int64_t value);
void gv_json_put_integers(gv_json_writer *json, const char *name, const int64_t *list, int count);
void gv_json_put_null(gv_json_writer *json, const char *name);

/* One that reads back; null if it is not finite. */
void gv_json_put_number(gv_json_writer *json, const char *name, double value);

/* Writes a value that is already JSON. */
void gv_json_put_as_is(gv_json_writer *json, const char *name, const char *value);

#endif
