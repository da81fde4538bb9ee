/* The path is looked for in windows that overlap by its length. */
#include "io/out/formats/own_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/path.h"
#include "io/retry.h"

enum { WINDOW = 1 << 20, SHORTEST = 64 /* bytes that PCIDSK keeps of a path */ };

bool gv_names_itself(GDALDriverH driver) {
  static const char *const names[] = {"HDF4Image", "PCIDSK"};
  for (size_t i = 0; i < sizeof names / sizeof *names && driver != NULL; i++)
    if (EQUAL(GDALGetDriverShortName(driver), names[i])) return true;
  return false;
}

/* Overwrites as much of `work` as is there at `found`: in the window and in the file, where it is at `place`. */
static int replace(int file, off_t place, char *found, size_t rest, const char *work, const char *name) {
  size_t length = 0;
  while (length < rest && work[length] != '\0' && found[length] == work[length])
    length++;
  size_t kept = strlen(name) < length ? strlen(name) : length;
  memcpy(found, name, kept);
  memset(found + kept, ' ', length - kept);
  ssize_t written = gv_retry_write_at(file, found, length, place);
  return written == (ssize_t)length ? 0 : errno;
}

/* 0, or the error's number. */
static int mend(gv_io *io, int file, const char *work, const char *name, char *window) {
  size_t whole = strlen(work), needle = whole < SHORTEST ? whole : SHORTEST;
  for (off_t at = 0; !gv_io_cancelled(io); at += WINDOW) {
    ssize_t got = gv_retry_read_at(file, window, WINDOW + whole, at);
    if (got < 0) return errno;
    char *end = window + got;
    for (char *found = window; (found = memmem(found, (size_t)(end - found), work, needle)) != NULL;) {
      if (found - window >= WINDOW) break; /* the next window begins there */
      int error = replace(file, at + (found - window), found, (size_t)(end - found), work, name);
      if (error != 0) return error;
    }
    if (got <= WINDOW) return 0;
  }
  return 0;
}

gv_status gv_own_name_mend(gv_io *io, const char *work, const char *path) {
  char *window = malloc(WINDOW + strlen(work));
  if (window == NULL) return gv_io_fail_memory(io, "an output");
  int file = gv_retry_open(work, O_RDWR | O_CLOEXEC, 0);
  int error = file >= 0 ? mend(io, file, work, gv_path_name(path), window) : errno;
  if (file >= 0 && close(file) != 0 && error == 0) error = errno;
  free(window);
  if (error == 0) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "cannot write %s: %s", path, strerror(error));
}
