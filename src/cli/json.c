#include "cli/json.h"

#include <inttypes.h>
#include <stdio.h>

#include "io/text.h"

static void put_string(const char *text) {
  gv_text out = {0};
  gv_text_put_json(&out, text);
  if (out.bytes != NULL) fwrite(out.bytes, 1, out.length, stdout);
  gv_text_free(&out);
}

static void put_line(int depth) {
  printf("\n%*s", 2 * depth, "");
}

/* What stands before a value. */
static void put_name(cli_json *json, const char *name) {
  if (json->depth > 0) {
    if (json->open[json->depth - 1].some) printf(json->open[json->depth - 1].lines ? "," : ", ");
    if (json->open[json->depth - 1].lines) put_line(json->depth);
    json->open[json->depth - 1].some = true;
  }
  if (name == NULL) return;
  put_string(name);
  fputs(": ", stdout);
}

static void begin(cli_json *json, const char *name, cli_json_layout layout, char bracket, char end) {
  put_name(json, name);
  putchar(bracket);
  json->open[json->depth].end = end;
  json->open[json->depth].lines = layout == CLI_JSON_IN_LINES;
  json->open[json->depth].some = false;
  json->depth++;
}

void cli_json_object(cli_json *json, const char *name, cli_json_layout layout) {
  begin(json, name, layout, '{', '}');
}

void cli_json_array(cli_json *json, const char *name, cli_json_layout layout) {
  begin(json, name, layout, '[', ']');
}

void cli_json_end(cli_json *json) {
  json->depth--;
  if (json->open[json->depth].lines && json->open[json->depth].some) put_line(json->depth);
  putchar(json->open[json->depth].end);
  if (json->depth == 0) putchar('\n');
}

void cli_json_string(cli_json *json, const char *name, const char *value) {
  put_name(json, name);
  put_string(value);
}

void cli_json_bool(cli_json *json, const char *name, bool value) {
  put_name(json, name);
  fputs(value ? "true" : "false", stdout);
}

void cli_json_integer(cli_json *json, const char *name, int64_t value) {
  put_name(json, name);
  printf("%" PRId64, value);
}

void cli_json_null(cli_json *json, const char *name) {
  put_name(json, name);
  fputs("null", stdout);
}

void cli_json_number(cli_json *json, const char *name, double value) {
  char text[GV_NUMBER_TEXT];
  gv_number_text(value, text);
  put_name(json, name);
  fputs(text[0] != '\0' ? text : "null", stdout);
}
