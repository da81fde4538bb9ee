#include "cli/launched.h"

#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/fail.h"
#include "cli/process.h"
#include "cli/standard_input.h"

static bool started; /* MPI */

int cli_check_launched_source(const char *source) {
  const char *name = cli_piped_name(source);
  return name == NULL ? EXIT_OK
                      : cli_fail(EXIT_USAGE, "%s: unsupported with mpirun; write it to a file", name);
}

int cli_open_communicator(gv_io *io, gv_cluster *out) {
  gv_status status = gv_cluster_open(io, out);
  started = out->finish != NULL;
  return status == GV_OK ? EXIT_OK : cli_report_failure(io);
}

int cli_end_launched(int result) {
  const double most = 30.0; /* seconds: rank 0 may be another command, which does not fail */
  double begun = cli_seconds();
  bool waits = result != EXIT_OK && !started && gv_launcher_rank() > 0 && gv_launcher_ends_all();
  while (waits && !cli_interrupted(NULL) && cli_seconds() - begun < most)
    (void)nanosleep(&(const struct timespec){0, 50000000}, NULL);
  return result;
}
