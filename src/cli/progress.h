/* The progress bar of all commands, on stderr: standard output is for results. */
#ifndef GV_CLI_PROGRESS_H
#define GV_CLI_PROGRESS_H

#include <stdbool.h>

/* Whether a run shows it: with --progress, or on a terminal if the report is text. Never with --quiet. */
bool cli_wants_progress(bool requested, bool quiet, bool json);

/* A gv_progress_fn that prints "0...10...20" up to "100 - done." in forty steps. Values never decrease the
 * bar. */
int cli_show_progress(double fraction, void *unused);

/* Ends the line of a bar that has begun: as complete, or where it is. Nothing happens without one. */
void cli_complete_progress(void);
void cli_end_progress(void);

#endif
