/* Standard output and the error line. */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/source_name.h"

int cli_answered(int status) {
  errno = 0;
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (status != EXIT_OK || written) return status;
  if (errno == EPIPE) return 128 + SIGPIPE;
  return cli_fail(EXIT_ERROR, "cannot write to standard output: %s", strerror(errno != 0 ? errno : EIO));
}

int cli_check_lasting(const char *path) {
  if (path == NULL || strncmp(path, "/vsimem/", 8) != 0) return EXIT_OK;
  return cli_fail(EXIT_ERROR,
                  "the output %s would be in memory and gone with the end of the command: write it to a disk",
                  path);
}

int cli_fail(int status, const char *format, ...) {
  char message[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  char *clean = gv_clean_message(message);
  fprintf(stderr, "gpuvoronoi: error: %s\n", clean != NULL ? clean : "out of memory");
  free(clean);
  return status;
}
