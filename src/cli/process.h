/*
 * Process-wide settings: GDAL, signals, exit. Only commands use it, so that programs that use the layers
 * below keep their own.
 */
#ifndef GV_CLI_PROCESS_H
#define GV_CLI_PROCESS_H

#include <stdbool.h>

#include "io/io.h"

/* Prepares signals and GDAL as below: EXIT_OK, or another status with the error printed. */
int cli_prepare(void);

/* A closed progress pipe and a full disk quota cause failed writes instead of ending the process. Call it
 * first. */
void cli_ignore_signals(void);

/*
 * From here on SIGINT, SIGTERM and SIGHUP set a flag that cli_interrupted reads, so that the command can
 * clean up and exit; if it has not exited after two seconds, another thread abandons the outputs and ends the
 * process. A second signal ends it at once. From the first rename of outputs on, signals are ignored: the run
 * continues, and its exit status is 0. Call it before any other thread is created. False if the thread cannot
 * be created: a signal might then end the command between two renames of a set of outputs.
 */
bool cli_catch_signals(void);
bool cli_interrupted(void *unused);

/* Prints the error of a failed run; returns the exit status: 130 for SIGINT, 143 for SIGTERM ... */
int cli_report_failure(const gv_io *io);

#endif
