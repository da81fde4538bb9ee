#include "cli/fail.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "io/source_name.h"
#include "io/text.h"

/* The lock makes a thread that ends the process wait for the line of another. */
int cli_fail_as(gv_code code, int status, const char *message) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static bool printed;
  if (cli_is_silent()) return status;
  pthread_mutex_lock(&lock);
  bool first = !printed;
  printed = true;
  if (first && cli_reports_in_json()) {
    cli_report_error(code, status, message);
  } else if (first) {
    fprintf(stderr, "gpuvoronoi: error: %s\n", message);
  }
  pthread_mutex_unlock(&lock);
  return status;
}

int cli_fail(int status, const char *format, ...) {
  char message[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  gv_text_make_printable(message);
  char *clean = gv_clean_message(message);
  (void)cli_fail_as(status == EXIT_USAGE ? GV_CODE_USAGE : GV_CODE_FILE, status,
                    clean != NULL ? clean : "out of memory");
  free(clean);
  return status;
}

int cli_end_output(int status) {
  errno = cli_output_error();
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (status != EXIT_OK || written) return status;
  if (errno == EPIPE) return 128 + SIGPIPE;
  return cli_fail(EXIT_ERROR, "cannot write to standard output: %s", strerror(errno != 0 ? errno : EIO));
}
