#include "io/json_writer.h"

#include <inttypes.h>
#include <stdio.h>

static void json_put_line(gv_json_writer *json) {
  char line[2 + 2 * GV_JSON_MOST_DEPTH];
  snprintf(line, sizeof line, "\n%*s", 2 * json->depth, "");
  gv_text_put_string(&json->text, line);
}

/* Writes the separator and name before a value. */
static void json_put_name(gv_json_writer *json, const char *name) {
  if (json->depth > 0) {
    bool lines = json->open[json->depth - 1].lines;
    if (json->open[json->depth - 1].some) gv_text_put_string(&json->text, lines ? "," : ", ");
    if (lines) json_put_line(json);
    json->open[json->depth - 1].some = true;
  }
  if (name == NULL) return;
  gv_text_put_json(&json->text, name);
  gv_text_put_string(&json->text, ": ");
}

static void json_begin(gv_json_writer *json, const char *name, gv_json_layout layout, char bracket,
                       char end) {
  json_put_name(json, name);
  gv_text_put(&json->text, &bracket, 1);
  json->open[json->depth].end = end;
  json->open[json->depth].lines = layout == GV_JSON_IN_LINES;
  json->open[json->depth].some = false;
  json->depth++;
}

void gv_json_begin_object(gv_json_writer *json, const char *name, gv_json_layout layout) {
  json_begin(json, name, layout, '{', '}');
}

void gv_json_begin_array(gv_json_writer *json, const char *name, gv_json_layout layout) {
  json_begin(json, name, layout, '[', ']');
}

void gv_json_end(gv_json_writer *json) {
  json->depth--;
  if (json->open[json->depth].lines && json->open[json->depth].some) json_put_line(json);
  gv_text_put(&json->text, &json->open[json->depth].end, 1);
  if (json->depth == 0) gv_text_put_string(&json->text, "\n");
}

void gv_json_put_as_is(gv_json_writer *json, const char *name, const char *value) {
  json_put_name(json, name);
  gv_text_put_string(&json->text, value);
}

void gv_json_put_string(gv_json_writer *json, const char *name, const char *value) {
  json_put_name(json, name);
  gv_text_put_json(&json->text, value);
}

void gv_json_put_bool(gv_json_writer *json, const char *name, bool value) {
  gv_json_put_as_is(json, name, value ? "true" : "false");
}

void gv_json_put_integer(gv_json_writer *json, const char *name, int64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, value);
  gv_json_put_as_is(json, name, digits);
}

void gv_json_put_integers(gv_json_writer *json, const char *name, const int64_t *list, int count) {
  gv_json_begin_array(json, name, GV_JSON_IN_LINE);
  for (int i = 0; i < count; i++)
    gv_json_put_integer(json, NULL, list[i]);
  gv_json_end(json);
}

void gv_json_put_null(gv_json_writer *json, const char *name) {
  gv_json_put_as_is(json, name, "null");
}

void gv_json_put_number(gv_json_writer *json, const char *name, double value) {
  char text[GV_NUMBER_TEXT];
  gv_number_text(value, text);
  gv_json_put_as_is(json, name, text[0] != '\0' ? text : "null");
}
