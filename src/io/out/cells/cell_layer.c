#include "io/out/cells/cell_layer.h"

#include <stdlib.h>

gv_status gv_cell_layer_begin(gv_io *io, gv_writer *writer, const gv_mesh_facts *facts,
                              gv_cell_layer_create *create, gv_cell_layer_set *set, void **out) {
  gv_cell_layer *layer = *out = calloc(1, sizeof *layer);
  if (layer == NULL) return gv_io_fail_memory(io, "the cells");
  layer->out = (gv_layer_out){.io = io, .writer = writer};
  layer->facts = facts;
  layer->set = set;
  layer->unit = gv_crs_unit_degrees(facts->crs);
  return create(layer);
}

gv_status gv_cell_layer_block(gv_io *io, void *user, const gv_mesh_block *block) {
  gv_cell_layer *layer = user;
  gv_status status = GV_OK;
  (void)io;
  for (int64_t i = 0; i < block->count && status == GV_OK; i++) {
    OGRFeatureH feature = gv_layer_feature(&layer->out);
    if (feature != NULL) status = layer->set(layer, feature, block, i);
    status = gv_layer_write(&layer->out, feature, status);
  }
  return status;
}

gv_status gv_cell_layer_finish(gv_io *io, void *user, gv_status status) {
  gv_cell_layer *layer = user;
  (void)io;
  status = gv_layer_finish(&layer->out, status);
  gv_cell_border_free(layer->border);
  free(layer);
  return status;
}
