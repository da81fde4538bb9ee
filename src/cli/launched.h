/* The command as a rank started by an MPI launcher. */
#ifndef GV_CLI_LAUNCHED_H
#define GV_CLI_LAUNCHED_H

#include "distributed/communicator.h"

/* Checks that the standard input, which only rank 0 has, is not a source: EXIT_OK, or another status with the
 * error printed. `source` may be NULL. */
int cli_check_launched_source(const char *source);

/* gv_cluster_open: EXIT_OK, or another status with the error printed. */
int cli_open_communicator(gv_io *io, gv_cluster *out);

/* Returns the exit status of the process, `result`. Some launchers end all ranks once one has failed: a rank
 * that fails before it has started MPI waits for that, so that rank 0, which fails with the same error, can
 * print it. */
int cli_end_launched(int result);

#endif
