/* The error line. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/source_name.h"

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
