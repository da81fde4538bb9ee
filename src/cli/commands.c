/* The list of commands. */
#include "cli/commands.h"

#include <string.h>

#include "cli/suggest.h"

const cli_command cli_commands[] = {
    {"backends", backends_command, &backends_syntax, "list the backends and their support on this machine"},
    {"devices", devices_command, &devices_syntax, "list the GPUs of this machine"},
    {"diagram", diagram_command, &diagram_syntax, "Voronoi polygons of points"},
    {"merge", merge_command, &merge_syntax, "merge the parts of a raster (--part)"},
    {"qtm", qtm_command, &qtm_syntax, "convert places to cells of the triangular mesh and back"},
    {"search", search_command, &search_syntax, "search nearest neighbors of points in files"},
    {"weights", weights_command, &weights_syntax,
     "weights of regridding between rasters, HEALPix, S2, H3 and points"},
    {NULL, NULL, NULL, NULL},
};

const cli_command *cli_find(const cli_command *commands, const char *name) {
  while (commands->name != NULL && strcmp(commands->name, name) != 0)
    commands++;
  return commands->name != NULL ? commands : NULL;
}

const cli_command *cli_find_similar(const cli_command *commands, const char *word) {
  const cli_command *closest = NULL;
  int least = GV_SUGGEST_FAR;
  if (strpbrk(word, "-./") != NULL) return NULL;
  for (; commands->name != NULL; commands++)
    if (cli_is_closer(word, strlen(word), commands->name, &least)) closest = commands;
  return closest;
}
