#include "io/geometry/piece_geometry.h"

gv_status gv_piece_geometry(gv_io *io, const gv_pieces *p, bool polygons, OGRGeometryH *out) {
  OGRGeometryH all = OGR_G_CreateGeometry(polygons ? wkbMultiPolygon : wkbMultiLineString);
  if (all == NULL) return gv_io_fail_memory(io, "a geometry");
  for (int64_t i = 0; i < p->count; i++) {
    int64_t first = p->first[i], count = p->first[i + 1] - first;
    OGRGeometryH line = OGR_G_CreateGeometry(polygons ? wkbLinearRing : wkbLineString), piece = line;
    if (line == NULL || count > INT32_MAX) {
      OGR_G_DestroyGeometry(all);
      return gv_io_fail_memory(io, "a geometry");
    }
    OGR_G_SetPoints(line, (int)count, p->x + first, sizeof(double), p->y + first, sizeof(double), NULL, 0);
    if (polygons) {
      piece = OGR_G_CreateGeometry(wkbPolygon);
      OGR_G_AddGeometryDirectly(piece, line);
    }
    OGR_G_AddGeometryDirectly(all, piece);
  }
  *out = all;
  return GV_OK;
}
