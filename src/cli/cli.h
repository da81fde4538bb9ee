/*
 * What the commands share: parsing of options, the error line, signals.
 */
#ifndef GV_CLI_CLI_H
#define GV_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "io/out/sync.h"

enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

/* Prints "gpuvoronoi: error: ..." on stderr, without the secrets of the values that cli_next has given, and returns `status`. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ----------------------------------------------------------------------------------------------- options */

/* One option, "--name VALUE" or "--name=VALUE", or "--name" if it takes no value. */
typedef struct cli_option {
  const char *name; /* without the dashes; NULL ends a table */
  int key;          /* > 0, for the caller's switch */
  bool has_value;
} cli_option;

/* Walks through the arguments: options and positional arguments in any order, "--" ends the options. */
typedef struct cli_parser {
  const cli_option *options;
  int argc, at;
  char **argv;
  bool only_positional;
  const char *name; /* the current option, as in the table */
} cli_parser;

enum { CLI_END = 0, CLI_POSITIONAL = -1, CLI_WRONG = -2 };

/* The next option's key with its value in *value, CLI_POSITIONAL with the argument in *value, or CLI_END. After
 * CLI_WRONG the error is printed. Values may begin with a dash (negative numbers). */
int cli_next(cli_parser *parser, const char **value);

/* Reads exactly `count` numbers separated by commas or blanks; false if the text is anything else. */
bool cli_numbers(const char *text, double *numbers, int count);
bool cli_integers(const char *text, int64_t *numbers, int count);

/* Reads the value of `option` (its name without dashes), a whole number from `low` to `high`: EXIT_OK, or EXIT_USAGE with
 * the error printed. */
int cli_whole(const char *option, const char *value, int low, int high, int *out);

/* Reads the value of --sync: EXIT_OK, or EXIT_USAGE with the error printed. */
int cli_sync(const char *value, gv_sync *out);

/* ----------------------------------------------------------------------------------------------- signals */

/*
 * From here on SIGINT, SIGTERM and SIGHUP set a flag that cli_interrupted reads, so that the command can clean up
 * and leave; if it has not done so after two seconds, `abandon` is called from another thread and the process ends.
 * A second signal ends it at once. To be called before any other thread is made.
 */
void cli_catch_signals(void (*abandon)(void));
bool cli_interrupted(void *unused);
/* 130 for SIGINT, 143 for SIGTERM ...; 0 if there was no signal. */
int cli_signal_status(void);

#endif
