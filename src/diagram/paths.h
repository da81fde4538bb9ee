/* Lines of edges around the antipodes of all seeds, point by point. */
#ifndef GV_DIAGRAM_PATHS_H
#define GV_DIAGRAM_PATHS_H

#include "core/buffer.h"

/* An edge or the last part of one, as a line. */
typedef struct gv_path {
  int64_t from, to; /* 3 * facet + side, at the vertices of both facets; -1: none */
  bool enters;      /* begins on the boundary of the disc, not at the vertex of `from` */
  bool leaves;      /* ends on the boundary, not at the vertex of `to` */
  int64_t count;
  gv_buffer points; /* longitudes and latitudes in turn */
} gv_path;

typedef struct gv_paths {
  gv_allocator allocator;
  int64_t count;
  gv_buffer paths; /* of gv_path */
} gv_paths;

static inline gv_path *gv_paths_get(const gv_paths *paths, int64_t number) {
  return (gv_path *)paths->paths.memory + number;
}

/* Adds a path without points, and gives its number. */
gv_status gv_paths_begin(gv_context *context, gv_paths *paths, const gv_path *path, int64_t *number);

gv_status gv_paths_put(gv_context *context, gv_paths *paths, int64_t number, double lon, double lat);

/* Onto a pole or the meridian of 180 degrees, where rounding would decide on the side. `noise`: how far the
 * place may be off, in meters. */
void gv_paths_snap(double noise, double *lon, double *lat);

void gv_paths_free(gv_paths *paths);

#endif
