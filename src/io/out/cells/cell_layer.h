/* Cells as rows of a layer: what triangles and the table of other cells share. */
#ifndef GV_IO_CELL_LAYER_H
#define GV_IO_CELL_LAYER_H

#include "core/limits.h"
#include "io/in/cells/cell_border.h"
#include "io/out/layer_values.h"
#include "io/out/mesh_sink.h"

typedef struct gv_cell_layer gv_cell_layer;

/* Creates layer and fields. */
typedef gv_status gv_cell_layer_create(gv_cell_layer *layer);

/* Fills the row of cell i of a block. */
typedef gv_status gv_cell_layer_set(const gv_cell_layer *layer, OGRFeatureH feature,
                                    const gv_mesh_block *block, int64_t i);

enum { GV_CELL_FIELDS = 5, GV_CELL_FIELDS_OF_SEED = 4 };

struct gv_cell_layer {
  gv_layer_out out;
  const gv_mesh_facts *facts;
  gv_cell_layer_set *set;
  gv_cell_border *border; /* NULL: no borders are drawn */
  double unit;            /* degrees in the layer's unit */
  /* Numbers of fields, for `set`. */
  int field[GV_CELL_FIELDS]; /* -1 = there is none */
  int of_seed[GV_VORONOI_MAX_K][GV_CELL_FIELDS_OF_SEED];
};

gv_status gv_cell_layer_begin(gv_io *io, gv_writer *writer, const gv_mesh_facts *facts,
                              gv_cell_layer_create *create, gv_cell_layer_set *set, void **out);

/* Members of gv_mesh_format. */
gv_status gv_cell_layer_block(gv_io *io, void *layer, const gv_mesh_block *block);
gv_status gv_cell_layer_finish(gv_io *io, void *layer, gv_status status);

#endif
