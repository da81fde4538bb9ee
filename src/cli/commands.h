/*
 * The commands of the gpuvoronoi program.
 */
#ifndef GV_CLI_COMMANDS_H
#define GV_CLI_COMMANDS_H

#include "cli/options.h"

/* Parses the arguments after the command's name, ended by NULL, and returns the exit status: 0, 1 for an
 * error, 2 for wrong usage, 130 and 143 when interrupted. */
typedef int (*command_fn)(int argc, char **argv);

typedef struct cli_command {
  const char *name; /* NULL ends a list */
  command_fn run;
  const cli_syntax *syntax;
  const char *summary;
} cli_command;

/* All but the main job, which has no name of its own. */
extern const cli_command cli_commands[];

/* The command of that name, or NULL. */
const cli_command *cli_find(const cli_command *commands, const char *name);

/* The command that a misspelled word seems to name; NULL if there is none, and for paths and options. */
const cli_command *cli_find_similar(const cli_command *commands, const char *word);

/* gpuvoronoi --seeds SRC ... OUT */
extern const cli_syntax voronoi_syntax;
int voronoi_command(int argc, char **argv);

extern const cli_syntax backends_syntax, devices_syntax, diagram_syntax, merge_syntax, qtm_syntax,
    search_syntax, weights_syntax;
int backends_command(int argc, char **argv);
int devices_command(int argc, char **argv);
int diagram_command(int argc, char **argv);
int merge_command(int argc, char **argv);
int qtm_command(int argc, char **argv);
int search_command(int argc, char **argv);
int weights_command(int argc, char **argv);

#endif
