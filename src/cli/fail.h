/* The error of a command, and its exit status. */
#ifndef GV_CLI_FAIL_H
#define GV_CLI_FAIL_H

#include "io/codes.h"

/* Prints "gpuvoronoi: error: ..." on stderr, without the secrets of the values that cli_parse has seen, and
 * returns `status`. Of the errors of a process, whatever thread has them, the first is printed. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of a message without secrets, as those of gv_io are, and of an error with a name. */
int cli_fail_as(gv_code code, int status, const char *message);

/* Call it after printing a result on the standard output. Returns `status`, or if that is success and the
 * result could not be written an error status. If the reader has closed the pipe, no error is printed and the
 * status is that of shells for SIGPIPE. */
int cli_end_output(int status);

#endif
