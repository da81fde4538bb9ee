#include "io/in/cells_of.h"

#include <stdlib.h>
#include <string.h>

#include "gpuvoronoi/gpuvoronoi.h"

/* A whole number and what follows it; -1 if there is none. */
static int cells_of_level(const char *text, const char **rest) {
  char *end;
  long level = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
  if (level < 0 || level > 99) return -1;
  *rest = end;
  return (int)level;
}

static bool cells_of_word(const char **at, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0 || ((*at)[length] != '\0' && (*at)[length] != ',')) return false;
  *at += length;
  return true;
}

static gv_status cells_of_healpix(gv_io *io, const char *text, const char *value, gv_cells_of *out) {
  const char *rest = "";
  *out = (gv_cells_of){.kind = GV_CELLS_OF_HEALPIX, .level = cells_of_level(value, &rest)};
  while (*rest == ',') {
    rest++;
    bool ring = cells_of_word(&rest, "ring"), authalic = !ring && cells_of_word(&rest, "authalic");
    out->ring = out->ring || ring;
    out->authalic = out->authalic || authalic;
    GV_REQUIRE(io, ring || authalic, "--cells-of: '%s' is not healpix:LEVEL[,ring][,authalic]", text);
  }
  GV_REQUIRE(io, *rest == '\0' && out->level >= 0 && out->level <= GV_HEALPIX_MAX_ORDER,
             "--cells-of: '%s' is not healpix:LEVEL[,ring][,authalic] with a level from 0 to %d", text,
             GV_HEALPIX_MAX_ORDER);
  return GV_OK;
}

gv_status gv_cells_of_read(gv_io *io, const char *text, gv_cells_of *out) {
  const char *rest = "";
  if (strncmp(text, "healpix:", 8) == 0) return cells_of_healpix(io, text, text + 8, out);
  if (strncmp(text, "qtm:", 4) == 0) {
    *out = (gv_cells_of){.kind = GV_CELLS_OF_QTM, .level = cells_of_level(text + 4, &rest)};
    GV_REQUIRE(io, out->level >= 0 && out->level <= GV_QTM_MAX_GRID_LEVEL && *rest == '\0',
               "--cells-of: '%s' is not qtm:LEVEL with a level from 0 to %d", text, GV_QTM_MAX_GRID_LEVEL);
    return GV_OK;
  }
  if (strncmp(text, "h3:", 3) == 0 || strncmp(text, "s2:", 3) == 0) {
    return gv_io_fail(
        io, GV_ERROR_UNSUPPORTED,
        "--cells-of: %.2s is not supported: write the centres of its cells to a file, by the Python package "
        "%s, and give --cells-of that file",
        text, text[0] == 'h' ? "h3" : "s2sphere");
  }
  GV_REQUIRE(io, *text != '\0', "--cells-of: the name of the file is empty");
  *out = (gv_cells_of){.kind = GV_CELLS_OF_FILE, .source = text};
  return GV_OK;
}
