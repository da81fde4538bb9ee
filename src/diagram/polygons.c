/* All cells as polygons: the public face of pieces.h. */
#include <string.h>

#include "core/cancel.h"
#include "core/given.h"
#include "diagram/diagram.h"
#include "diagram/pieces.h"

struct gv_diagram_polygons {
  gv_allocator allocator;
  gv_pieces pieces;
  int64_t cells, *polygon;
};

gv_status gv_diagram_polygons_create(gv_context *context, const gv_diagram *diagram, int cut,
                                     gv_diagram_polygons **out) {
  gv_diagram_parts parts;
  gv_diagram_parts_init(&parts);
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (out == NULL) return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "polygons: the output pointer is NULL");
  GV_TRY(gv_diagram_get(context, diagram, &parts));
  gv_diagram_polygons *made = gv_allocate_zeroed(&context->allocator, 1, sizeof *made);
  if (made == NULL) return gv_fail_memory(context, "the polygons");
  made->allocator = context->allocator;
  made->cells = parts.seed_count;
  made->polygon = gv_allocate(&context->allocator, parts.seed_count + 1, sizeof *made->polygon);
  gv_status status = made->polygon != NULL ? GV_OK : gv_fail_memory(context, "the polygons");
  gv_progress progress;
  gv_progress_init(&progress, context, parts.seed_count);
  for (int64_t seed = 0; seed < parts.seed_count && status == GV_OK; seed++) {
    made->polygon[seed] = made->pieces.count;
    status = gv_pieces_of_cell(context, &parts, seed, gv_diagram_on_globe(diagram), cut != 0, &made->pieces);
    if (status == GV_OK && !gv_progress_add(&progress, 1)) status = gv_check_progress(context, &progress);
  }
  if (status == GV_OK) {
    made->polygon[parts.seed_count] = made->pieces.count;
    *out = made;
  } else {
    gv_diagram_polygons_destroy(made);
  }
  return status;
}

gv_status gv_diagram_polygons_get(gv_context *context, const gv_diagram_polygons *polygons,
                                  gv_diagram_rings *rings) {
  static const int64_t none[1] = {0};
  if (context == NULL) return GV_ERROR_INVALID_ARGUMENT;
  if (polygons == NULL || rings == NULL)
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "polygons or rings: the pointer is NULL");
  const gv_pieces *p = &polygons->pieces;
  const gv_diagram_rings own = {.struct_size = sizeof own,
                                .cell_count = polygons->cells,
                                .polygon_count = p->count,
                                .point_count = p->points,
                                .polygon = polygons->polygon,
                                .point = p->first != NULL ? p->first : none,
                                .x = p->x,
                                .y = p->y};
  if (!gv_fill_given(rings, &own, sizeof own))
    return gv_fail(context, GV_ERROR_INVALID_ARGUMENT,
                   "gv_diagram_rings: struct_size is not set; call gv_..._init");
  return GV_OK;
}

void gv_diagram_polygons_destroy(gv_diagram_polygons *polygons) {
  if (polygons == NULL) return;
  gv_allocator allocator = polygons->allocator;
  gv_pieces_clear(&allocator, &polygons->pieces);
  gv_release(&allocator, polygons->polygon);
  gv_release(&allocator, polygons);
}
