/*
 * A quadtree of boxes that overlap: each box is widened by half of its sides, so that a geometry smaller than
 * half a box is within one of them. A box has the part of the polygons within it, made on first use from that
 * of the box above.
 */
#include "io/geometry/window.h"

#include <stdlib.h>

#include "io/geometry/parts.h"

enum { WINDOW_POINTS = 256 /* in boxes that are not divided */, WINDOW_DEPTH = 16 };

typedef struct window_node {
  double box[4];         /* before it is widened */
  OGRGeometryH polygons; /* NULL: none */
  OGRPreparedGeometryH prepared;
  OGREnvelope bounds; /* of `polygons` */
  bool divided;
  struct window_node *below[4];
} window_node;

struct gv_window {
  window_node root;
};

static int64_t window_points(OGRGeometryH geometry) {
  int64_t sum = OGR_G_GetPointCount(geometry);
  for (int i = 0; i < OGR_G_GetGeometryCount(geometry); i++)
    sum += window_points(OGR_G_GetGeometryRef(geometry, i));
  return sum;
}

/* Takes ownership of the polygons. */
static gv_status window_fill(gv_io *io, window_node *node, OGRGeometryH polygons, int depth) {
  node->polygons = polygons;
  if (polygons == NULL) return GV_OK;
  OGR_G_GetEnvelope(polygons, &node->bounds);
  node->divided = depth < WINDOW_DEPTH && window_points(polygons) > WINDOW_POINTS;
  node->prepared = OGRCreatePreparedGeometry(polygons);
  return node->prepared != NULL ? GV_OK : gv_io_fail_memory(io, "the mask");
}

static void window_clear(window_node *node) {
  if (node->prepared != NULL) OGRDestroyPreparedGeometry(node->prepared);
  if (node->polygons != NULL) OGR_G_DestroyGeometry(node->polygons);
  for (int i = 0; i < 4; i++)
    if (node->below[i] != NULL) window_clear(node->below[i]), free(node->below[i]);
}

gv_status gv_window_make(gv_io *io, OGRGeometryH polygons, gv_window **out) {
  gv_window *window = calloc(1, sizeof *window);
  if (window == NULL) {
    if (polygons != NULL) OGR_G_DestroyGeometry(polygons);
    return gv_io_fail_memory(io, "the mask");
  }
  *out = window;
  gv_status status = window_fill(io, &window->root, polygons, 0);
  const OGREnvelope *e = &window->root.bounds;
  const double box[4] = {e->MinX, e->MinY, e->MaxX, e->MaxY};
  for (int i = 0; i < 4; i++)
    window->root.box[i] = box[i];
  return status;
}

void gv_window_free(gv_window *window) {
  if (window == NULL) return;
  window_clear(&window->root);
  free(window);
}

/* Of the boxes below, that with its middle nearest to the geometry's, if the geometry is within it; NULL: it
 * is not. */
static gv_status window_below(gv_io *io, window_node *node, const OGREnvelope *e, int depth,
                              window_node **out) {
  const double *b = node->box, x = 0.5 * (b[0] + b[2]), y = 0.5 * (b[1] + b[3]);
  int east = 0.5 * (e->MinX + e->MaxX) >= x, north = 0.5 * (e->MinY + e->MaxY) >= y,
      quarter = 2 * north + east;
  const double box[4] = {east ? x : b[0], north ? y : b[1], east ? b[2] : x, north ? b[3] : y};
  const double across = 0.5 * (box[2] - box[0]), up = 0.5 * (box[3] - box[1]);
  const double wide[4] = {box[0] - across, box[1] - up, box[2] + across, box[3] + up};
  *out = NULL;
  if (e->MinX <= wide[0] || e->MinY <= wide[1] || e->MaxX >= wide[2] || e->MaxY >= wide[3]) return GV_OK;
  if (node->below[quarter] == NULL) {
    window_node *made = calloc(1, sizeof *made);
    OGRGeometryH rectangle = gv_parts_rectangle(wide), part = NULL;
    if (made == NULL || rectangle == NULL) {
      free(made);
      return gv_io_fail_memory(io, "the mask");
    }
    for (int i = 0; i < 4; i++)
      made->box[i] = box[i];
    node->below[quarter] = made;
    gv_status status = gv_parts_intersect(io, node->polygons, rectangle, true, &part);
    OGR_G_DestroyGeometry(rectangle);
    if (status == GV_OK) status = window_fill(io, made, part, depth + 1);
    GV_TRY(status);
  }
  *out = node->below[quarter];
  return GV_OK;
}

gv_status gv_window_cut(gv_io *io, gv_window *window, bool polygons, OGRGeometryH *geometry, bool *changed) {
  OGREnvelope e;
  OGR_G_GetEnvelope(*geometry, &e);
  window_node *node = &window->root, *below = node;
  for (int depth = 0; below != NULL; depth++) {
    node = below;
    below = NULL;
    if (node->polygons != NULL && node->divided) GV_TRY(window_below(io, node, &e, depth, &below));
  }
  bool apart = node->polygons == NULL || e.MinX > node->bounds.MaxX || e.MaxX < node->bounds.MinX ||
               e.MinY > node->bounds.MaxY || e.MaxY < node->bounds.MinY;
  if (!apart && OGRPreparedGeometryContains(node->prepared, *geometry)) return GV_OK;
  OGRGeometryH cut = NULL;
  gv_status status = GV_OK;
  if (!apart && OGRPreparedGeometryIntersects(node->prepared, *geometry))
    status = gv_parts_intersect(io, *geometry, node->polygons, polygons, &cut);
  OGR_G_DestroyGeometry(*geometry);
  *geometry = cut;
  *changed = true;
  return status;
}
