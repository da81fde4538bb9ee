/*
 * Sums of terms by cell of a mesh or list, while their memory suffices.
 *
 * Terms are whole numbers with a sum of sizes below 2^53, so sums do not depend on the order, and are exact
 * as doubles. Consecutive cells are a chunk, which is allocated when the first term is added to one of them.
 */
#ifndef GV_IO_CELL_SUMS_H
#define GV_IO_CELL_SUMS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gv_cell_sums gv_cell_sums;

/* Bytes for the list of chunks alone. */
static inline int64_t gv_cell_sums_least(int64_t cells) {
  return cells / 512;
}

/* Of `cells` cells, in at most `most` bytes of chunks, at least gv_cell_sums_least. NULL if memory fails. */
gv_cell_sums *gv_cell_sums_create(int64_t cells, int64_t most);
void gv_cell_sums_destroy(gv_cell_sums *sums);

/* By any number of threads. The sums become incomplete if the term needs a chunk that there is no memory
 * for. */
void gv_cell_sums_add(gv_cell_sums *sums, int64_t cell, double term);

bool gv_cell_sums_are_complete(const gv_cell_sums *sums);

/* The sums of `count` cells from `first` on, times `unit`. Not while terms are added. */
void gv_cell_sums_get(const gv_cell_sums *sums, int64_t first, int64_t count, double unit, double *out);

#endif
