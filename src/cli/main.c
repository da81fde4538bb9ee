/* The gpuvoronoi program: finds the command and runs it. The main job is the one without a name. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gpuvoronoi.h"

static const struct {
  const char *name;
  command_fn run;
} commands[] = {
    {"backends", backends_command}, {"bench", bench_command},   {"devices", devices_command},
    {"qtm", qtm_command},           {"search", search_command},
};

int main(int argc, char **argv) {
  if (argc < 2) return cli_fail(EXIT_USAGE, "nothing to do (gpuvoronoi --help tells how it is used)");
  if (strcmp(argv[1], "--version") == 0) {
    printf("gpuvoronoi %s\n", gv_version());
    return EXIT_OK;
  }
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 2, argv + 2);
  }
  int status = voronoi_command(argc - 1, argv + 1);
  /* All files are closed. What GDAL and its hundred libraries would give back one by one, the system takes at once. */
  fflush(NULL);
  _exit(status);
}
