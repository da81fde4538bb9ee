/*
 * The options of a command: one row each, of which the parser and --help are made.
 *
 * A new option is a row in its command's table, and at most one setter for what the kinds of value do not cover.
 */
#ifndef GV_CLI_OPTIONS_H
#define GV_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "io/units.h"

/* What the value is and the type of the member that takes it. */
typedef enum cli_kind {
  CLI_HEADING, /* no option: begins a section of --help */
  CLI_FLAG,    /* bool, set to true; no value */
  CLI_TEXT,    /* const char *: the argument itself */
  CLI_INT,     /* int, within the range */
  CLI_LONG,    /* int64_t, within the range if there is one */
  CLI_REAL,    /* double, within the range */
  CLI_LIST,    /* char **: GDAL's list of strings, one more each time */
  CLI_CHOICE,  /* an enum or an int: the value of the choice's name */
  CLI_SET,     /* whatever `set` makes of it */
  CLI_HELP,    /* prints the help; nothing is left to be done */
  CLI_VERSION
} cli_kind;

typedef struct cli_choice {
  const char *name; /* NULL ends a list */
  int value;
} cli_choice;

typedef struct cli_option {
  const char *name;    /* without dashes; of a heading its text */
  const char *metavar; /* what --help calls the value; NULL = the option takes none */
  const char *help;    /* of any length: --help breaks lines */
  cli_kind kind;
  size_t at;    /* the member's offset in the command's settings */
  size_t given; /* 1 + the offset of a bool that is set, too; 0 = none */
  double low, high;
  const cli_choice *choices;
  void (*add_help)(char *text, size_t size); /* NULL, or adds to `help` what only the library knows */
  /* EXIT_OK, or another status with the error printed. */
  int (*set)(void *settings, const char *value);
} cli_option;

/* Rows end with one of these. `settings` is the name of each command's type. */
#define CLI_INTO(member)                                                                                           \
  .kind = _Generic(((settings *)0)->member, bool                                                                   \
                   : CLI_FLAG, const char *                                                                        \
                   : CLI_TEXT, int                                                                                 \
                   : CLI_INT, int64_t                                                                              \
                   : CLI_LONG, double                                                                              \
                   : CLI_REAL, char **                                                                             \
                   : CLI_LIST),                                                                                    \
  .at = offsetof(settings, member)
#define CLI_RANGE(member, least, most) CLI_INTO(member), .low = (least), .high = (most)
#define CLI_ONE_OF(member, list)                                                                                   \
  .kind = CLI_CHOICE, .choices = (list),                                                                           \
  .at = offsetof(settings, member) + 0 / (sizeof((settings *)0)->member == sizeof(int))
#define CLI_BY(setter) .kind = CLI_SET, .set = (setter)
/* May follow them. */
#define CLI_AND(member) .given = 1 + _Generic(((settings *)0)->member, bool : offsetof(settings, member))

/* Rows that several commands have. */
#define CLI_SECTION(text)                                                                                          \
  { .kind = CLI_HEADING, .name = (text) }
#define CLI_THREADS_ROW(member)                                                                                    \
  { "threads", "N", "threads to use (default: one a processor)", CLI_RANGE(member, 1, 4096) }
#define CLI_SYNC_ROW(member)                                                                                       \
  {                                                                                                                \
    "sync", "WHEN",                                                                                                \
        "wait for the disk, so that a loss of power leaves the old files or the new ones: auto (default: if "      \
        "files are replaced), always, never",                                                                      \
        CLI_ONE_OF(member, cli_sync_choices)                                                                       \
  }
#define CLI_HELP_ROW                                                                                               \
  { "help", NULL, "print this", .kind = CLI_HELP }

extern const cli_choice cli_sync_choices[];

typedef struct cli_syntax {
  const char *name;  /* of the command, for error lines */
  const char *usage; /* what --help begins with, ... */
  const cli_option *options;
  size_t count;
  const char *examples; /* ... and ends with; may be NULL */
  /* Takes an argument that is no option, as an option's `set` does; NULL = there may be none. */
  int (*positional)(void *settings, char *value);
  bool negative_numbers; /* "-70.5" is no option */
} cli_syntax;

#define CLI_ROWS(table) .options = (table), .count = sizeof(table) / sizeof *(table)

/* --help or --version has been answered. */
enum { CLI_DONE = -1 };

/*
 * Fills the settings from the arguments: options and others in any order, "--" ends the options. "--name VALUE",
 * "--name=VALUE", and the same with one dash. EXIT_OK, CLI_DONE, or another status with the error printed. Values
 * may begin with a dash (negative numbers).
 */
int cli_parse(const cli_syntax *syntax, void *settings, int argc, char **argv);

void cli_print_help(const cli_syntax *syntax, FILE *out);

/* Reads exactly `count` numbers separated by commas or blanks; false if the text is anything else. */
bool cli_numbers(const char *text, double *numbers, int count);
bool cli_integers(const char *text, int64_t *numbers, int count);

/* Any number of integers separated by commas, ascending, for `option`; *list is to be freed, and was so before. EXIT_OK, or another
 * status with the error printed. */
int cli_whole_list(const char *option, const char *value, int64_t **list, int64_t *count);

/* Reads up to `count` numbers separated by commas, each with a unit behind it or without; gives their number, 0 if the text is
 * anything else. */
int cli_measures(const char *text, double *numbers, gv_unit *units, int count);

/* A unit of length alone; EXIT_OK, or another status with the error printed. */
int cli_length_unit(const char *option, const char *value, gv_unit *unit);

/* A distance, 0 or above, with a unit of length or without; EXIT_OK, or another status with the error printed. */
int cli_distance(const char *option, const char *value, double *distance, gv_unit *unit);

#endif
