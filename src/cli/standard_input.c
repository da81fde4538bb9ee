#include "cli/standard_input.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_vsi.h>

#include "cli/cli.h"

/* All that is there, in memory of GDAL's. */
static int read_all(char **bytes, size_t *size) {
  size_t room = 1 << 16, got;
  *size = 0;
  *bytes = VSIMalloc(room);
  while (*bytes != NULL && (got = fread(*bytes + *size, 1, room - *size, stdin)) > 0) {
    *size += got;
    if (*size < room) continue;
    char *more = VSIRealloc(*bytes, room *= 2);
    if (more == NULL) VSIFree(*bytes);
    *bytes = more;
  }
  if (*bytes == NULL) return cli_fail(EXIT_ERROR, "out of memory for the standard input");
  if (ferror(stdin) == 0 && *size > 0) return EXIT_OK;
  VSIFree(*bytes);
  return cli_fail(EXIT_ERROR, *size > 0 ? "the standard input cannot be read" : "the standard input is empty");
}

int cli_read_standard_input(const char **source) {
  static bool taken;
  if (*source == NULL || (strcmp(*source, "-") != 0 && strcmp(*source, "/vsistdin/") != 0)) return EXIT_OK;
  if (taken) return cli_fail(EXIT_USAGE, "one input can be the standard input, not two");
  taken = true;
  char *bytes;
  size_t size, first = 0;
  int status = read_all(&bytes, &size);
  if (status != EXIT_OK) return status;
  while (first < size && (isspace((unsigned char)bytes[first]) || memchr("\xef\xbb\xbf", bytes[first], 3) != NULL))
    first++;
  bool json = first < size && bytes[first] == '{';
  *source = json ? "/vsimem/standard input/stdin.geojson" : "/vsimem/standard input/stdin.csv";
  VSILFILE *file = VSIFileFromMemBuffer(*source, (GByte *)bytes, size, TRUE);
  if (file == NULL) return cli_fail(EXIT_ERROR, "out of memory for the standard input");
  VSIFCloseL(file);
  return EXIT_OK;
}
