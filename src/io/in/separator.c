#include "io/in/separator.h"

#include <string.h>

#include <cpl_conv.h>
#include <cpl_vsi.h>

#include "io/in/numbers.h"

char gv_separator_of(const char *line) {
  char found = '\0';
  bool quoted = false, blanks = false;
  for (; *line != '\0'; line++) {
    if (*line == '"') quoted = !quoted; /* two of them within quotes are none */
    if (quoted) continue;
    blanks = blanks || *line == ' ';
    if (strchr(",;\t|", *line) == NULL) continue;
    if (found != '\0' && found != *line) return '\0';
    found = *line;
  }
  return found != '\0' ? found : blanks ? ' ' : ',';
}

gv_status gv_separator_of_file(gv_io *io, const char *path, char *out) {
  enum { LONGEST = 1 << 20 };
  VSIStatBufL found;
  *out = '\0';
  if (VSIStatL(path, &found) != 0 || VSI_ISDIR(found.st_mode)) return GV_OK;
  gv_gdal_reset();
  VSILFILE *file = VSIFOpenL(path, "rb");
  if (file == NULL) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", path);
  const char *line = CPLReadLine2L(file, LONGEST, NULL);
  if (line != NULL) *out = gv_separator_of(line);
  CPLReadLineL(NULL); /* frees its buffer */
  VSIFCloseL(file);
  return GV_OK;
}

bool gv_parse_separated(const char *text, char separator, double *out) {
  char copy[64];
  if (gv_parse_number(text, out)) return true;
  const char *comma = strchr(text, ',');
  if (separator != ';' || comma == NULL || strlen(text) >= sizeof copy) return false;
  strcpy(copy, text);
  copy[comma - text] = '.';
  return gv_parse_number(copy, out);
}
