#include "io/in/cells_of.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_vsi.h>

#include "gpuvoronoi/cells.h"

enum { MOST_H3 = 15 };

/* A system of cells: NAME:LEVEL and words after it. */
typedef struct cells_of_form {
  const char *name, *form;
  gv_cells_of_kind kind;
  int most;
  bool ring, authalic;
} cells_of_form;

static const cells_of_form cells_of_forms[] = {
    {"qtm", "qtm:LEVEL", GV_CELLS_OF_QTM, GV_QTM_MAX_GRID_LEVEL, false, false},
    {"healpix", "healpix:LEVEL[,ring][,authalic]", GV_CELLS_OF_HEALPIX, GV_HEALPIX_MAX_ORDER, true, true},
    {"s2", "s2:LEVEL[,authalic]", GV_CELLS_OF_S2, GV_S2_MAX_LEVEL, false, true},
    {"h3", "h3:LEVEL", GV_CELLS_OF_H3, MOST_H3, false, false}};

enum { FORMS = sizeof cells_of_forms / sizeof *cells_of_forms };

static bool cells_of_word(const char **at, const char *word) {
  size_t length = strlen(word);
  if (strncmp(*at, word, length) != 0 || ((*at)[length] != '\0' && (*at)[length] != ',')) return false;
  *at += length;
  return true;
}

/* What follows the colon; false if it is not of that form. */
static bool cells_of_take(const cells_of_form *form, const char *value, gv_cells_of *out) {
  char *end;
  long level = *value >= '0' && *value <= '9' ? strtol(value, &end, 10) : -1;
  if (level < 0 || level > form->most) return false;
  *out = (gv_cells_of){.kind = form->kind, .level = (int)level};
  const char *rest = end;
  while (*rest == ',') {
    rest++;
    bool ring = form->ring && cells_of_word(&rest, "ring");
    bool authalic = !ring && form->authalic && cells_of_word(&rest, "authalic");
    if (!ring && !authalic) return false;
    out->ring = out->ring || ring;
    out->authalic = out->authalic || authalic;
  }
  return *rest == '\0';
}

/* Where the name begins in FILE:NAME; NULL: the text is a source by itself. */
static const char *cells_of_name(const char *text) {
  VSIStatBufL found;
  const char *colon = strrchr(text, ':');
  if (colon == NULL || colon == text || colon[1] == '\0' || strchr(colon, '/') != NULL) return NULL;
  if (VSIStatL(text, &found) == 0) return NULL;
  char *file = CPLStrdup(text);
  file[colon - text] = '\0';
  const bool exists = VSIStatL(file, &found) == 0;
  CPLFree(file);
  return exists ? colon + 1 : NULL;
}

gv_status gv_cells_of_read(gv_io *io, const char *option, const char *text, gv_cells_of *out) {
  for (int i = 0; i < FORMS; i++) {
    const cells_of_form *form = &cells_of_forms[i];
    size_t length = strlen(form->name);
    if (strncmp(text, form->name, length) != 0 || text[length] != ':') continue;
    GV_REQUIRE(io, cells_of_take(form, text + length + 1, out),
               "%s: invalid cells (%s); expected %s with a level from 0 to %d", option, text, form->form,
               form->most);
    return GV_OK;
  }
  GV_REQUIRE(io, *text != '\0', "%s: missing file name", option);
  *out = (gv_cells_of){.kind = GV_CELLS_OF_FILE, .name = cells_of_name(text)};
  const size_t length = out->name != NULL ? (size_t)(out->name - text) - 1 : strlen(text);
  GV_REQUIRE(io, length < sizeof out->source, "%s: the name of the file is too long (%s)", option, text);
  memcpy(out->source, text, length);
  out->source[length] = '\0';
  return GV_OK;
}

const char *gv_cells_of_system(const gv_cells_of *cells) {
  for (int i = 0; i < FORMS; i++)
    if (cells_of_forms[i].kind == cells->kind) return cells_of_forms[i].name;
  return NULL;
}

void gv_cells_of_grid(const gv_cells_of *cells, const gv_seed_list *places, gv_grid *out) {
  out->height = 1;
  out->order = cells->level;
  out->ring = cells->ring;
  out->authalic = cells->authalic;
  out->level = GV_QTM_NONE;
  out->inverse = NULL;
  out->inverse_user = NULL;
  if (cells->kind == GV_CELLS_OF_HEALPIX) {
    out->kind = GV_GRID_HEALPIX;
    out->width = gv_healpix_count(cells->level);
  } else if (cells->kind == GV_CELLS_OF_S2) {
    out->kind = GV_GRID_S2;
    out->width = gv_s2_count(cells->level);
  } else if (cells->kind == GV_CELLS_OF_QTM) {
    out->kind = GV_GRID_QTM;
    out->level = cells->level;
    out->width = gv_qtm_count(cells->level);
  } else {
    out->kind = GV_GRID_POINTS;
    out->width = places->count;
    out->longitude = places->x;
    out->latitude = places->y;
    out->area = places->areas;
  }
}

int64_t gv_cells_of_id(const gv_cells_of *cells, const gv_seed_list *places, int64_t cell) {
  gv_qtm_id triangle = 0;
  if (gv_cells_of_have_places(cells)) return places->fids[cell];
  if (cells->kind == GV_CELLS_OF_QTM) {
    gv_qtm_from_number(cells->level, cell, &triangle);
    return triangle;
  }
  return cells->kind == GV_CELLS_OF_S2 ? (int64_t)gv_s2_id(cells->level, cell) : cell;
}

int64_t gv_cells_of_number(const gv_cells_of *cells, int64_t id) {
  /* An id of S2 is its number, a 1, and zeros up to 64 bits. */
  return cells->kind == GV_CELLS_OF_S2 ? (int64_t)((uint64_t)id >> (61 - 2 * cells->level)) : id;
}

void gv_cells_of_token(const gv_cells_of *cells, int64_t id, char out[17]) {
  int length = snprintf(out, 17, cells->kind == GV_CELLS_OF_S2 ? "%016" PRIx64 : "%" PRIx64, (uint64_t)id);
  /* S2 leaves out zeros at the end. */
  while (cells->kind == GV_CELLS_OF_S2 && length > 1 && out[length - 1] == '0')
    out[--length] = '\0';
}

void gv_cells_of_describe(const gv_cells_of *cells, char *out, size_t size) {
  const char *latitudes = cells->authalic ? "authalic" : "geodetic";
  if (cells->kind == GV_CELLS_OF_FILE) {
    snprintf(out, size, "places of a file");
  } else if (cells->kind == GV_CELLS_OF_HEALPIX) {
    snprintf(out, size, "HEALPix level %d (%s, %s latitudes)", cells->level, cells->ring ? "RING" : "NESTED",
             latitudes);
  } else if (cells->kind == GV_CELLS_OF_S2) {
    snprintf(out, size, "S2 level %d (%s latitudes)", cells->level, latitudes);
  } else {
    snprintf(out, size, "H3 resolution %d", cells->level);
  }
}

gv_status gv_cells_of_find(const gv_cells_of *cells, double lon, double lat, int64_t *number) {
  if (cells->kind == GV_CELLS_OF_S2) return gv_s2_from_lonlat(cells->level, lon, lat, number);
  GV_TRY(gv_healpix_from_lonlat(cells->level, lon, lat, number));
  if (cells->ring) *number = gv_healpix_to_ring(cells->level, *number);
  return GV_OK;
}
