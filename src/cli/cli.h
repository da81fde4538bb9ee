/*
 * What the commands share: the error line, signals.
 */
#ifndef GV_CLI_CLI_H
#define GV_CLI_CLI_H

#include <stdbool.h>

enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

/* Prints "gpuvoronoi: error: ..." on stderr, without the secrets of the values that cli_parse has seen, and returns `status`. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ----------------------------------------------------------------------------------------------- signals */

/*
 * From here on SIGINT, SIGTERM and SIGHUP set a flag that cli_interrupted reads, so that the command can clean up
 * and leave; if it has not done so after two seconds, `abandon` is called from another thread and the process ends.
 * A second signal ends it at once. To be called before any other thread is made.
 */
void cli_catch_signals(void (*abandon)(void));
bool cli_interrupted(void *unused);
/* 130 for SIGINT, 143 for SIGTERM ...; 0 if there was no signal. */
int cli_signal_status(void);

#endif
