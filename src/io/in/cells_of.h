/* The query cells of --cells-of: HEALPix, or the places of a layer or table. */
#ifndef GV_IO_CELLS_OF_H
#define GV_IO_CELLS_OF_H

#include "io/io.h"

typedef enum gv_cells_of_kind {
  GV_CELLS_OF_NONE,
  GV_CELLS_OF_QTM,
  GV_CELLS_OF_HEALPIX,
  GV_CELLS_OF_FILE
} gv_cells_of_kind;

typedef struct gv_cells_of {
  gv_cells_of_kind kind;
  int level;           /* of QTM and HEALPix */
  bool ring, authalic; /* of HEALPix */
  const char *source;  /* GV_CELLS_OF_FILE: a data source for OGR; the text that was read */
} gv_cells_of;

/* Reads qtm:LEVEL, healpix:LEVEL[,ring][,authalic], or the name of a source. */
gv_status gv_cells_of_read(gv_io *io, const char *text, gv_cells_of *out);

/* True if cells are neither pixels of a raster nor triangles of a raster's QTM level. */
static inline bool gv_cells_of_lists(const gv_cells_of *cells) {
  return cells->kind == GV_CELLS_OF_HEALPIX || cells->kind == GV_CELLS_OF_FILE;
}

#endif
