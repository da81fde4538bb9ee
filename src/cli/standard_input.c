#include "cli/standard_input.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cpl_vsi.h>

#include "cli/cli.h"
#include "cli/fail.h"
#include "cli/process.h"
#include "job/raster/plan/budget.h"

#define IN_MEMORY "/vsimem/standard input/"

enum { INPUTS = 2 /* of a command */ };

/* Waits for bytes, or for a signal that ends the command: how many were read, -1 where they cannot be. */
static ssize_t standard_input_read_some(int file, char *to, size_t room) {
  for (;;) {
    struct pollfd input = {.fd = file, .events = POLLIN};
    if (cli_interrupted(NULL)) return -1;
    if (poll(&input, 1, 50) == 0) continue;
    ssize_t got = read(file, to, room);
    if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
  }
}

/* Reads everything, at most `most` bytes, into memory of GDAL. `name`: in messages. */
static int standard_input_read_all(int file, const char *name, char **bytes, size_t *size, int64_t most) {
  size_t room = 1 << 16;
  ssize_t got = 0;
  gv_io io = {.cancelled = NULL};
  *size = 0;
  *bytes = VSIMalloc(room);
  while (*bytes != NULL && (got = standard_input_read_some(file, *bytes + *size, room - *size)) > 0) {
    *size += (size_t)got;
    if (*size > (size_t)most) {
      VSIFree(*bytes);
      return cli_fail(EXIT_ERROR, "%s: more than %" PRId64 " bytes; write it to a file, or increase --memory",
                      name, most);
    }
    if (*size < room) continue;
    char *more = VSIRealloc(*bytes, room *= 2);
    if (more == NULL) VSIFree(*bytes);
    *bytes = more;
  }
  if (*bytes == NULL) return cli_fail(EXIT_ERROR, "out of memory for the %s", name);
  if (got == 0 && *size > 0) return EXIT_OK;
  int error = errno;
  VSIFree(*bytes);
  if (cli_interrupted(NULL)) return cli_report_failure(&io);
  if (got == 0) return cli_fail(EXIT_ERROR, "%s: empty", name);
  return cli_fail(EXIT_ERROR, "%s: cannot read: %s", name, strerror(error));
}

static bool standard_input_is_named(const char *source) {
  return strcmp(source, "-") == 0 || strcmp(source, "/vsistdin/") == 0;
}

static bool standard_input_is_pipe(const char *source) {
  struct stat found;
  return stat(source, &found) == 0 && S_ISFIFO(found.st_mode);
}

/* Opens a pipe, which waits for its writer until a signal ends the command. */
static int standard_input_open(const char *path) {
  int file;
  do
    file = open(path, O_RDONLY | O_CLOEXEC);
  while (file < 0 && errno == EINTR && !cli_interrupted(NULL));
  return file;
}

bool cli_is_standard_input(const char *source) {
  return strncmp(source, IN_MEMORY, sizeof IN_MEMORY - 1) == 0;
}

const char *cli_piped_name(const char *source) {
  if (source == NULL) return NULL;
  return standard_input_is_named(source) ? "standard input" : standard_input_is_pipe(source) ? source : NULL;
}

/* Replaces a source by a file in memory, which takes over the bytes. */
static int standard_input_replace(const char **source, const char *name, char *bytes, size_t size) {
  static char path[INPUTS][sizeof IN_MEMORY + 32];
  static int count;
  size_t first = 0;
  bool array = size > 6 && memcmp(bytes, "\x93NUMPY", 6) == 0;
  while (first < size &&
         (isspace((unsigned char)bytes[first]) || memchr("\xef\xbb\xbf", bytes[first], 3) != NULL))
    first++;
  bool json = first < size && bytes[first] == '{';
  snprintf(path[count], sizeof path[count], IN_MEMORY "%d.%s", count + 1,
           array  ? "npy"
           : json ? "geojson"
                  : "csv");
  *source = path[count++];
  VSILFILE *file = VSIFileFromMemBuffer(*source, (GByte *)bytes, size, TRUE);
  if (file == NULL) return cli_fail(EXIT_ERROR, "out of memory for the %s", name);
  VSIFCloseL(file);
  return EXIT_OK;
}

int cli_read_standard_input(const char **source, int64_t most) {
  static bool taken;
  const char *name = cli_piped_name(*source);
  if (name == NULL) return EXIT_OK;
  bool named = name != *source;
  if (named && taken)
    return cli_fail(EXIT_USAGE, "standard input: used for two inputs; write one of them to a file");
  taken |= named;
  char *bytes;
  size_t size;
  gv_io io = {.cancelled = NULL};
  int file = named ? STDIN_FILENO : standard_input_open(*source);
  if (file < 0 && cli_interrupted(NULL)) return cli_report_failure(&io);
  if (file < 0) return cli_fail(EXIT_ERROR, "%s: cannot read: %s", name, strerror(errno));
  int status = standard_input_read_all(file, name, &bytes, &size, most > 0 ? most : gv_budget_default());
  if (!named) (void)close(file);
  return status == EXIT_OK ? standard_input_replace(source, name, bytes, size) : status;
}
