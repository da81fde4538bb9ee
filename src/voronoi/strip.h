/*
 * Strips that the host makes, block by block.
 */
#ifndef GV_VORONOI_STRIP_H
#define GV_VORONOI_STRIP_H

#include "voronoi/engine.h"

/* A function that computes a block, like gv_engine's `block`. */
typedef struct gv_strip_source {
  gv_status (*block)(gv_context *context, void *from, const gv_tile *tile, const gv_labels *block);
  void *from;
} gv_strip_source;

/* A strip in the host's memory, checked, by the context's threads. `progress` counts cells; may be NULL. */
gv_status gv_strip_by_blocks(gv_context *context, const gv_voronoi *voronoi, const gv_strip_source *source,
                             const gv_labels *strip, gv_progress *progress);

#endif
