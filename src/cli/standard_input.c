#include "cli/standard_input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <cpl_vsi.h>

#include "cli/cli.h"
#include "cli/process.h"
#include "job/raster/budget.h"

#define STANDARD_INPUT "/vsimem/standard input/"

/* Waits for bytes, or for a signal that ends the command: how many were read, -1 where they cannot be. */
static ssize_t standard_input_read_some(char *to, size_t room) {
  for (;;) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (cli_interrupted(NULL)) return -1;
    if (poll(&input, 1, 50) == 0) continue;
    ssize_t got = read(STDIN_FILENO, to, room);
    if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
  }
}

/* Reads everything, at most `most` bytes, into memory of GDAL. */
static int standard_input_read_all(char **bytes, size_t *size, int64_t most) {
  size_t room = 1 << 16;
  ssize_t got = 0;
  gv_io io = {.cancelled = NULL};
  *size = 0;
  *bytes = VSIMalloc(room);
  while (*bytes != NULL && (got = standard_input_read_some(*bytes + *size, room - *size)) > 0) {
    *size += (size_t)got;
    if (*size > (size_t)most) {
      VSIFree(*bytes);
      return cli_fail(EXIT_ERROR,
                      "standard input: more than %" PRId64 " bytes; write it to a file, or increase --memory",
                      most);
    }
    if (*size < room) continue;
    char *more = VSIRealloc(*bytes, room *= 2);
    if (more == NULL) VSIFree(*bytes);
    *bytes = more;
  }
  if (*bytes == NULL) return cli_fail(EXIT_ERROR, "out of memory for the standard input");
  if (got == 0 && *size > 0) return EXIT_OK;
  int error = errno;
  VSIFree(*bytes);
  if (cli_interrupted(NULL)) return cli_report_failure(&io);
  if (got == 0) return cli_fail(EXIT_ERROR, "standard input: empty");
  return cli_fail(EXIT_ERROR, "standard input: cannot read: %s", strerror(error));
}

bool cli_is_standard_input(const char *source) {
  return strncmp(source, STANDARD_INPUT, sizeof STANDARD_INPUT - 1) == 0;
}

int cli_read_standard_input(const char **source, int64_t most) {
  static bool taken;
  if (*source == NULL || (strcmp(*source, "-") != 0 && strcmp(*source, "/vsistdin/") != 0)) return EXIT_OK;
  if (taken) return cli_fail(EXIT_USAGE, "standard input: used for two inputs; write one of them to a file");
  taken = true;
  char *bytes;
  size_t size, first = 0;
  int status = standard_input_read_all(&bytes, &size, most > 0 ? most : gv_budget_default());
  if (status != EXIT_OK) return status;
  bool array = size > 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
  while (first < size && (isspace((unsigned char)bytes[first]) || memchr("\xef\xbb\xbf", bytes[first], 3) != NULL))
    first++;
  bool json = first < size && bytes[first] == '{';
  *source = array ? STANDARD_INPUT "stdin.npy" : json ? STANDARD_INPUT "stdin.geojson" : STANDARD_INPUT "stdin.csv";
  VSILFILE *file = VSIFileFromMemBuffer(*source, (GByte *)bytes, size, TRUE);
  if (file == NULL) return cli_fail(EXIT_ERROR, "out of memory for the standard input");
  VSIFCloseL(file);
  return EXIT_OK;
}
