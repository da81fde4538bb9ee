/* The list of commands. */
#include "cli/commands.h"

#include <string.h>

const cli_command cli_commands[] = {
    {"backends", backends_command, &backends_syntax, "what can compute, and what it can do on this machine"},
    {"devices", devices_command, &devices_syntax, "the GPUs of this machine"},
    {"diagram", diagram_command, &diagram_syntax, "Voronoi polygons of points"},
    {"merge", merge_command, &merge_syntax, "parts of a raster (--part) put together"},
    {"qtm", qtm_command, &qtm_syntax, "places to cells of the triangular mesh and back"},
    {"search", search_command, &search_syntax, "nearest neighbours of points in files"},
    {NULL, NULL, NULL, NULL},
};

const cli_command *cli_find(const cli_command *commands, const char *name) {
  while (commands->name != NULL && strcmp(commands->name, name) != 0)
    commands++;
  return commands->name != NULL ? commands : NULL;
}
