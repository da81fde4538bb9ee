/* Shared by the commands: exit statuses and the standard files. */
#ifndef GV_CLI_CLI_H
#define GV_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

/* Prints a part of the result on the standard output. */
void cli_put_output(const char *bytes, size_t length);

/* errno of output that could not be written; 0: none. */
int cli_output_error(void);

/* Prints a line on stderr, "gpuvoronoi: ...", without control characters. */
void cli_print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Opens those of the standard files that the process was started without, so that no file of a run gets their
 * numbers. They can be neither read nor written, as before. False if that fails. */
bool cli_open_standard_files(void);

/* Prints the text of --version. */
void cli_print_version(void);

/* Disables all output from here on: for all ranks of MPI except rank 0. */
void cli_be_silent(void);
bool cli_is_silent(void);

/* If --json is among the arguments errors are a JSON object on the standard output from here on
 * (cli/report.h), those in other options before and behind it too. */
void cli_read_output_mode(int argc, char **argv);
bool cli_reports_in_json(void);

/* Seconds of a monotonic clock. */
double cli_seconds(void);

#endif
