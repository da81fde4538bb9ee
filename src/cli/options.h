/* The arguments and the --help of a command, by its table of options. */
#ifndef GV_CLI_OPTIONS_H
#define GV_CLI_OPTIONS_H

#include <stdio.h>

#include "job/option.h"

typedef struct cli_syntax {
  const char *name;    /* of the command, for error lines */
  const char *usage;   /* begins --help */
  const char *details; /* follows it in --help-all; may be NULL */
  const gv_option *options;
  size_t count;
  const char *examples; /* end --help; may be NULL */
  /* Handles an argument that is not an option, like an option's `set`; NULL = not supported */
  int (*positional)(void *settings, char *value);
  bool negative_numbers; /* "-70.5" is not an option */
} cli_syntax;

#define CLI_ROWS(table) .options = (table), .count = sizeof(table) / sizeof *(table)

/* --help, --help-all or --version was printed. */
enum { CLI_DONE = -1 };

/*
 * Fills the settings from the arguments: options and others in any order, "--" ends the options. "--name
 * VALUE",
 * "--name=VALUE", and the same with one dash. EXIT_OK, CLI_DONE, or another status with the error printed.
 * Values may begin with a dash (negative numbers).
 */
int cli_parse(const cli_syntax *syntax, void *settings, int argc, char **argv);

/* The same with a callback: `take` receives each option with its value (NULL without one), or NULL and an
 * argument that is not an option, and returns EXIT_OK or another status with the error printed. */
typedef int cli_take_fn(void *user, const gv_option *option, char *value);
int cli_read(const cli_syntax *syntax, int argc, char **argv, cli_take_fn *take, void *user);

/* Prints the error of two arguments that both stand for the output, where `input` is the option of the
 * input. */
int cli_second_output(const char *first, const char *second, const char *input);

/* Prints the error of an option and returns its exit status; EXIT_OK for GV_OK. */
int cli_wrong(gv_status status, const gv_io *io);

/* Prints a line for each option that is not rare, or all options with their details. */
void cli_print_help(const cli_syntax *syntax, bool all, FILE *out);

#endif
