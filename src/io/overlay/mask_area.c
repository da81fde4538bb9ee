/* An invalid polygon is divided into the faces between its edges. */
#include "io/overlay/mask_area.h"

#include <cpl_error.h>
#include <ogr_api.h>

#include "io/overlay/mask_polygons.h"

/* The rings of a polygon as closed lines. */
static OGRGeometryH mask_rings(OGRGeometryH polygon) {
  OGRGeometryH lines = OGR_G_CreateGeometry(wkbMultiLineString);
  for (int i = 0; lines != NULL && i < OGR_G_GetGeometryCount(polygon); i++) {
    OGRGeometryH ring = OGR_G_GetGeometryRef(polygon, i), line = OGR_G_CreateGeometry(wkbLineString);
    int count = OGR_G_GetPointCount(ring);
    for (int k = 0; line != NULL && k <= count && count > 1; k++)
      OGR_G_AddPoint_2D(line, OGR_G_GetX(ring, k % count), OGR_G_GetY(ring, k % count));
    if (line != NULL) OGR_G_AddGeometryDirectly(lines, line);
  }
  return lines;
}

/* Adds the faces of an invalid polygon that are inside it. */
static gv_status mask_add_faces(gv_io *io, OGRGeometryH polygon, OGRGeometryH all) {
  gv_mask_polygons *rule = NULL;
  gv_status status = gv_mask_polygons_of(io, polygon, &rule);
  OGRGeometryH lines = mask_rings(polygon);
  OGRGeometryH nodes = lines != NULL ? OGR_G_Union(lines, lines) : NULL; /* divided where they cross */
  OGRGeometryH faces = nodes != NULL ? OGR_G_Polygonize(nodes) : NULL;
  for (int i = 0; status == GV_OK && faces != NULL && i < OGR_G_GetGeometryCount(faces); i++) {
    OGRGeometryH face = OGR_G_GetGeometryRef(faces, i), inside = OGR_G_PointOnSurface(face);
    if (inside == NULL) continue; /* no area */
    if (gv_mask_polygons_hold(rule, OGR_G_GetX(inside, 0), OGR_G_GetY(inside, 0)))
      OGR_G_AddGeometry(all, face);
    OGR_G_DestroyGeometry(inside);
  }
  OGRGeometryH const made[] = {lines, nodes, faces};
  for (int i = 0; i < 3; i++)
    if (made[i] != NULL) OGR_G_DestroyGeometry(made[i]);
  gv_mask_polygons_free(rule);
  return status;
}

static gv_status mask_collect(gv_io *io, OGRGeometryH polygon, void *user) {
  OGRGeometryH flat = OGR_G_Clone(polygon);
  if (flat == NULL) return gv_io_fail_memory(io, "the mask");
  OGR_G_FlattenTo2D(flat);
  OGR_G_AddGeometryDirectly(user, flat);
  return GV_OK;
}

/* The union of polygons, valid or not; *out NULL: they have no area. */
static gv_status mask_unite(gv_io *io, OGRGeometryH raw, OGRGeometryH *out) {
  OGRGeometryH good = OGR_G_CreateGeometry(wkbMultiPolygon);
  if (good == NULL) return gv_io_fail_memory(io, "the mask");
  gv_status status = GV_OK;
  for (int i = 0; status == GV_OK && i < OGR_G_GetGeometryCount(raw); i++) {
    OGRGeometryH polygon = OGR_G_GetGeometryRef(raw, i);
    if (OGR_G_IsValid(polygon)) {
      OGR_G_AddGeometry(good, polygon);
    } else {
      status = mask_add_faces(io, polygon, good);
    }
  }
  bool any = status == GV_OK && OGR_G_GetGeometryCount(good) > 0;
  if (any) *out = OGR_G_UnionCascaded(good);
  OGR_G_DestroyGeometry(good);
  return any && *out == NULL ? gv_io_fail_memory(io, "the mask") : status;
}

gv_status gv_mask_layer_area(gv_io *io, gv_mask_layer *l, OGRGeometryH *out) {
  *out = NULL;
  OGRGeometryH raw = OGR_G_CreateGeometry(wkbMultiPolygon);
  if (raw == NULL) return gv_io_fail_memory(io, "the mask");
  gv_status status = gv_mask_layer_visit(io, l, mask_collect, raw);
  CPLPushErrorHandler(CPLQuietErrorHandler); /* GEOS reports what is invalid */
  if (status == GV_OK) status = mask_unite(io, raw, out);
  CPLPopErrorHandler();
  OGR_G_DestroyGeometry(raw);
  return status;
}
