/* The gpuvoronoi program: finds the command and runs it. The main job is the one without a name. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/launched.h"
#include "cli/process.h"
#include "io/mdarray.h"

static int main_end(int result) {
  result = cli_end_launched(result);
  if (!gv_mdarray_left_open()) return result;
  fflush(stdout);
  _exit(result);
}

int main(int argc, char **argv) {
  if (!cli_open_standard_files()) return EXIT_ERROR;
  cli_ignore_signals();
  if (gv_launcher_rank() > 0) {
    /* Answers and errors of the command line are those of the first. */
    cli_be_silent();
    if (freopen("/dev/null", "w", stdout) == NULL) return EXIT_ERROR;
  }
  if (argc < 2) return main_end(cli_fail(EXIT_USAGE, "missing command or options; see gpuvoronoi --help"));
  if (strcmp(argv[1], "--version") == 0) {
    cli_print_version();
    return cli_end_output(EXIT_OK);
  }
  const cli_command *found = cli_find(cli_commands, argv[1]);
  const cli_command *similar = found == NULL ? cli_find_similar(cli_commands, argv[1]) : NULL;
  if (similar != NULL)
    return main_end(cli_fail(EXIT_USAGE, "unknown command %s; did you mean %s?", argv[1], similar->name));
  bool shared = found != NULL && strcmp(argv[1], "search") == 0;
  if (found != NULL && !shared && gv_launcher_rank() > 0) return EXIT_OK;
  return main_end(found != NULL ? found->run(argc - 2, argv + 2) : voronoi_command(argc - 1, argv + 1));
}
