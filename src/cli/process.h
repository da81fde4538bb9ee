/*
 * What belongs to the whole process: GDAL's settings, signals, the end. Only commands touch it, so that programs which use
 * the layers below keep their own.
 */
#ifndef GV_CLI_PROCESS_H
#define GV_CLI_PROCESS_H

#include <stdbool.h>

#include "io/io.h"

/* What follows, of signals and of GDAL: EXIT_OK, or another status with the error printed. */
int cli_prepare(void);

/* A reader of progress that has gone and a full disk quota show as failed writes, not as a death. To be called first of all. */
void cli_ignore_signals(void);

/*
 * From here on SIGINT, SIGTERM and SIGHUP set a flag that cli_interrupted reads, so that the command can clean up
 * and leave; if it has not done so after two seconds, outputs are abandoned from another thread and the process ends.
 * A second signal ends it at once. From the first rename of outputs on, signals change nothing: the run goes on, and its exit status
 * is 0. To be called before any other thread is made. False if there is no thread to be had: a signal might end the command
 * between two renames of a set of outputs then.
 */
bool cli_catch_signals(void);
bool cli_interrupted(void *unused);

/* A gv_progress_fn that shows GDAL's bar on the standard output, or one like it on stderr where answers are JSON. */
int cli_show_progress(double fraction, void *unused);

/* Prints the error of a run that did not go well; gives the exit status: 130 for SIGINT, 143 for SIGTERM ... */
int cli_report_failure(const gv_io *io);

#endif
