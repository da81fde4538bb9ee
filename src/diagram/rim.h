/*
 * The seeds with cells at the rim of a disc, in their order around it, for searches of the nearest one.
 *
 * A tree over parts of the sequence, which are halved: all seeds of a part lie within a radius of the one in its middle. Around the antipodes of all
 * seeds the index over the globe compares a place with all of them: bounds by chords are wider there than the differences.
 */
#ifndef GV_DIAGRAM_RIM_H
#define GV_DIAGRAM_RIM_H

#include "diagram/equidistant.h"

typedef struct gv_rim {
  gv_allocator allocator;
  const gv_globe *globe;
  const double *lon, *lat; /* of all seeds */
  int32_t *seed, count;
  double *radius; /* of the parts: number n has 2 n and 2 n + 1; metres */
} gv_rim;

/* Takes `seeds`, of the context's allocator, in any case; NULL: memory has run out. */
gv_status gv_rim_take(gv_context *context, const gv_globe *globe, const double *lon, const double *lat,
                      int32_t *seeds, int32_t count, gv_rim *out);

/* The nearest seed that is nearer than *least metres. */
void gv_rim_search(const gv_rim *rim, double lon, double lat, double *least, int32_t *nearest);

void gv_rim_free(gv_rim *rim);

#endif
