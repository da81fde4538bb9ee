/* gpuvoronoi backends: the table of backends and what can run on this machine. */
#include "cli/commands.h"

#include <stdio.h>

#include "cli/cli.h"
#include "gpuvoronoi.h"

static const char help[] =
    "Usage: gpuvoronoi backends\n"
    "\n"
    "Lists the backends: what each can do (s = search of points, g = Voronoi of a grid), whether\n"
    "it can run on this machine, and the idea behind it. All of them give the same results.\n";

int backends_command(int argc, char **argv) {
  enum { KEY_HELP = 1 };
  static const cli_option options[] = {{"help", KEY_HELP, false}, {NULL, 0, false}};
  cli_parser parser = {.options = options, .argc = argc, .argv = argv};
  const char *value;
  switch (cli_next(&parser, &value)) {
  case CLI_END:
    break;
  case KEY_HELP:
    fputs(help, stdout);
    return EXIT_OK;
  case CLI_POSITIONAL:
    return cli_fail(EXIT_USAGE, "backends takes no arguments, not '%s'", value);
  default:
    return EXIT_USAGE;
  }
  for (int i = 0; i < gv_backend_count(); i++) {
    gv_backend_info info;
    if (gv_backend_get(i, &info) != GV_OK) continue;
    printf("%-18s %c%c  %s%s%s%s\n", info.name, info.searches_points ? 's' : '-', info.allocates_grids ? 'g' : '-',
           info.summary, info.available ? "" : " [not available here: ", info.available ? "" : info.reason,
           info.available ? "" : "]");
  }
  return EXIT_OK;
}
