/* The command as a rank that an MPI launcher has started. */
#ifndef GV_CLI_LAUNCHED_H
#define GV_CLI_LAUNCHED_H

#include "distributed/communicator.h"

/* An error for the standard input, which rank 0 alone has: EXIT_OK, or another status with the error printed. `source` may be NULL. */
int cli_check_launched_source(const char *source);

/* gv_cluster_open: EXIT_OK, or another status with the error printed. */
int cli_open_communicator(gv_io *io, gv_cluster *out);

/* Returns the exit status of the process, `result`. Some launchers end all ranks once one has failed: a rank that fails without having
 * started MPI waits for that, so that rank 0, which fails likewise, can print the reason. */
int cli_end_launched(int result);

#endif
