/*
 * JSON on the standard output, member by member: separators, indents and quotation marks are put here.
 *
 * Names are NULL within arrays and for the outermost value.
 */
#ifndef GV_CLI_JSON_H
#define GV_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

enum { CLI_JSON_MOST_DEPTH = 8 };

typedef struct cli_json {
  int depth;
  struct {
    char end;   /* bracket */
    bool lines; /* each member on a line of its own */
    bool some;  /* has members */
  } open[CLI_JSON_MOST_DEPTH];
} cli_json;

/* Begins as {0}. How the members of an object or array are laid out: */
typedef enum cli_json_layout { CLI_JSON_IN_LINE, CLI_JSON_IN_LINES } cli_json_layout;

void cli_json_object(cli_json *json, const char *name, cli_json_layout layout);
void cli_json_array(cli_json *json, const char *name, cli_json_layout layout);

/* Ends the object or array that was begun last; the outermost with a line feed. */
void cli_json_end(cli_json *json);

void cli_json_string(cli_json *json, const char *name, const char *value);
void cli_json_bool(cli_json *json, const char *name, bool value);
void cli_json_integer(cli_json *json, const char *name, int64_t value);
void cli_json_null(cli_json *json, const char *name);

/* One that reads back; null if it is not finite. */
void cli_json_number(cli_json *json, const char *name, double value);

#endif
