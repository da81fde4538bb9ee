/* Standard output and the error line. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/progress.h"
#include "gpuvoronoi/gpuvoronoi.h"
#include "io/text.h"

static int output_error; /* errno of output that could not be written */

void cli_put_output(const char *bytes, size_t length) {
  cli_end_progress();
  if (fwrite(bytes, 1, length, stdout) < length) output_error = errno;
}

int cli_output_error(void) {
  return output_error;
}

void cli_print_line(const char *format, ...) {
  char line[8192];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  gv_text_make_printable(line);
  cli_end_progress();
  fprintf(stderr, "gpuvoronoi: %s\n", line);
}

bool cli_open_standard_files(void) {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
    if (fcntl(file, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file) return false;
  }
  return true;
}

void cli_print_version(void) {
  printf("gpuvoronoi %s\n", gv_version());
  if (GPUVORONOI_MPI_FOUND[0] != '\0') printf("mpirun: %s\n", GPUVORONOI_MPI_FOUND);
}

static bool json, silent;

void cli_be_silent(void) {
  silent = true;
}

void cli_read_output_mode(int argc, char **argv) {
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
    json = json || strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "-json") == 0;
}

bool cli_is_silent(void) {
  return silent;
}

bool cli_reports_in_json(void) {
  return json;
}

double cli_seconds(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
