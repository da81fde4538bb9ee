/* gpuvoronoi bench NAME: measurements by name. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

int bench_command(int argc, char **argv) {
  if (argc > 0 && strcmp(argv[0], "search") == 0) return bench_search_command(argc - 1, argv + 1);
  if (argc > 0 && strcmp(argv[0], "--help") == 0) {
    printf("Usage: gpuvoronoi bench search [options]\n\nMeasures the search backends (bench search --help).\n");
    return EXIT_OK;
  }
  return cli_fail(EXIT_USAGE, "bench needs what to measure: search");
}
