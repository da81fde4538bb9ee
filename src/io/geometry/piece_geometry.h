/* Rings and lines of the library as geometries of OGR. */
#ifndef GV_IO_PIECE_GEOMETRY_H
#define GV_IO_PIECE_GEOMETRY_H

#include <ogr_api.h>

#include "diagram/pieces.h"
#include "io/io.h"

/* Pieces as a multipolygon or a multiline. */
gv_status gv_piece_geometry(gv_io *io, const gv_pieces *pieces, bool polygons, OGRGeometryH *out);

#endif
