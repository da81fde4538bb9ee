/* The query cells of --cells-of: QTM, HEALPix, S2, H3, or the places of a layer or table. */
#ifndef GV_IO_CELLS_OF_H
#define GV_IO_CELLS_OF_H

#include "io/in/seeds.h"
#include "io/io.h"

typedef enum gv_cells_of_kind {
  GV_CELLS_OF_NONE,
  GV_CELLS_OF_QTM,
  GV_CELLS_OF_HEALPIX,
  GV_CELLS_OF_S2,
  GV_CELLS_OF_H3,
  GV_CELLS_OF_FILE
} gv_cells_of_kind;

enum { GV_CELLS_OF_MOST_NAME = 2048 };

typedef struct gv_cells_of {
  gv_cells_of_kind kind;
  int level;                          /* QTM, HEALPix, S2; H3: the resolution */
  bool ring;                          /* HEALPix */
  bool authalic;                      /* HEALPix, S2 */
  char source[GV_CELLS_OF_MOST_NAME]; /* GV_CELLS_OF_FILE: a data source for OGR, or of arrays; else "" */
  const char *name; /* of a variable or layer of that; NULL: the only one. Part of the text that was read */
} gv_cells_of;

/* Reads qtm:LEVEL, healpix:LEVEL[,ring][,authalic], s2:LEVEL[,authalic], h3:RES, or the name of a source:
 * FILE or FILE:NAME. `option` is for messages. */
gv_status gv_cells_of_read(gv_io *io, const char *option, const char *text, gv_cells_of *out);

/* True for cells that are written to --cells alone: all but pixels of a raster and triangles of QTM. */
static inline bool gv_cells_of_lists(const gv_cells_of *cells) {
  return cells->kind > GV_CELLS_OF_QTM;
}

/* True for cells with places that are read or computed into a list. */
static inline bool gv_cells_of_have_places(const gv_cells_of *cells) {
  return cells->kind == GV_CELLS_OF_H3 || cells->kind == GV_CELLS_OF_FILE;
}

/* True if --cells-of is given. */
static inline bool gv_cells_of_are_given(const gv_cells_of *cells) {
  return cells->kind != GV_CELLS_OF_NONE;
}

/* True for the places of a file, which have no areas. */
static inline bool gv_cells_of_are_read(const gv_cells_of *cells) {
  return cells->kind == GV_CELLS_OF_FILE;
}

/* True for triangles of QTM, which also are cells of a raster with a level. */
static inline bool gv_cells_of_are_triangles(const gv_cells_of *cells) {
  return cells->kind == GV_CELLS_OF_QTM;
}

/* True for cells with two orders, `ring` and nested: HEALPix. */
static inline bool gv_cells_of_have_schemes(const gv_cells_of *cells) {
  return cells->kind == GV_CELLS_OF_HEALPIX;
}

/* The cells in words of the summary, e.g. "S2 level 5 (geodetic latitudes)". */
void gv_cells_of_describe(const gv_cells_of *cells, char *out, size_t size);

/* Number of the cell of HEALPix or S2 that contains a place in degrees, on the unit sphere. Errors:
 * INVALID_ARGUMENT, without a message. */
gv_status gv_cells_of_find(const gv_cells_of *cells, double lon, double lat, int64_t *number);

/* Name of the grid system in metadata, e.g. "healpix"; NULL: a file. */
const char *gv_cells_of_system(const gv_cells_of *cells);

/* The library's grid of such cells, with width and height. `places`: those of gv_cells_of_have_places, in
 * degrees, not copied; else NULL. The ellipsoid of *out is kept. */
void gv_cells_of_grid(const gv_cells_of *cells, const gv_seed_list *places, gv_grid *out);

/* The id of a cell in its own system: QTM's 64-bit id, HEALPix's number, the 64-bit id of S2 (as a signed
 * number) and H3, the id of a file's feature. */
int64_t gv_cells_of_id(const gv_cells_of *cells, const gv_seed_list *places, int64_t cell);

/* The inverse of that for HEALPix and S2. */
int64_t gv_cells_of_number(const gv_cells_of *cells, int64_t id);

/* True for cells with borders: HEALPix, S2 and H3. */
static inline bool gv_cells_of_have_borders(const gv_cells_of *cells) {
  return gv_cells_of_lists(cells) && !gv_cells_of_are_read(cells);
}

/* Ids that are also written as text, in hexadecimal digits: S2's tokens, H3's indexes. */
static inline bool gv_cells_of_have_tokens(const gv_cells_of *cells) {
  return cells->kind == GV_CELLS_OF_S2 || cells->kind == GV_CELLS_OF_H3;
}
void gv_cells_of_token(const gv_cells_of *cells, int64_t id, char out[17]);

#endif
