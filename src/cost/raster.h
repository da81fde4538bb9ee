/* The raster of a search, with margins of barriers, so that no move leaves its memory. */
#ifndef GV_COST_RASTER_H
#define GV_COST_RASTER_H

#include <math.h>

#include "cost/cost.h"
#include "cost/lengths.h"

enum {
  /* bytes of a file that come into memory with a byte of it: systems map pages in groups */
  GV_COST_PAGES = 1 << 16
};

enum { GV_COST_MARGIN = 3 /* cells on each side: the longest move */ };

/* A way to a cell (its number with margins). */
typedef struct gv_cost_entry {
  double cost;
  int32_t seed, cell;
} gv_cost_entry;

typedef struct gv_cost_starts {
  gv_cost_entry *entries;
  int64_t count, room;
} gv_cost_starts;

struct gv_cost {
  gv_cost_settings is;
  gv_allocator allocator;
  int64_t stride, cells; /* with margins */
  bool wraps;
  gv_cost_lengths lengths;
  double *friction, *cost;
  int32_t *seed;
  uint8_t *from; /* of the engine `tile`: how cells were reached (window.h) */
  char *folder;  /* a copy of that of the settings */
  void *mapped;  /* the file that all arrays are in (cells.c); NULL: they are in memory */
  size_t mapped_bytes;
  atomic_llong touched; /* bytes of it since the last time that pages were removed from memory, about */
  gv_cost_sources sources;
  gv_cost_starts starts;    /* once solved: by cell */
  uint8_t *has_row;         /* its friction is set */
  bool has_results, solved; /* not all cells are without a cost; all costs are final */
  bool overflows;           /* the cost of a start did */
  bool may_overflow;        /* a sum of costs did, perhaps of a way that is not the cheapest */
};

static inline int64_t gv_cost_at(const gv_cost *c, int64_t column, int64_t row) {
  return (row + GV_COST_MARGIN) * c->stride + column + GV_COST_MARGIN;
}

/* The cell that is meant by one of the margins at the sides: the same, or that on the other side of the
 * seam. */
static inline int64_t gv_cost_wrapped(const gv_cost *c, int64_t column, int64_t at) {
  if (!c->wraps) return at;
  return column < 0 ? at + c->is.width : column >= c->is.width ? at - c->is.width : at;
}

/* Memory in a file in its folder, for gv_machine_unmap. Errors: IO. */
gv_status gv_cost_map(gv_context *context, const gv_cost *cost, size_t bytes, void **out);

/* So many bytes of the file are about to come into memory: keeps them within the limit. */
void gv_cost_touched(gv_cost *cost, int64_t bytes);

/* A way with this cost and seed is better than the one that a cell has, and not above the limit. */
static inline bool gv_cost_better(const gv_cost *c, int64_t cell, double cost, int32_t seed) {
  return cost <= c->is.most && (cost < c->cost[cell] || (cost == c->cost[cell] && seed < c->seed[cell]));
}

#endif
