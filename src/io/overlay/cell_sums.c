/* Sums by cell of terms that threads add in any order. */
#include "io/overlay/cell_sums.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { CHUNK_BITS = 12, CHUNK = 1 << CHUNK_BITS /* gv_cell_sums_least: one pointer each */ };

typedef struct cell_chunk {
  _Atomic int64_t sum[CHUNK];
} cell_chunk;

struct gv_cell_sums {
  int64_t chunks;
  _Atomic int64_t left; /* chunks that may still be allocated */
  atomic_bool incomplete;
  _Atomic(cell_chunk *) chunk[];
};

gv_cell_sums *gv_cell_sums_create(int64_t cells, int64_t most) {
  const int64_t chunks = (cells + CHUNK - 1) / CHUNK;
  gv_cell_sums *sums = calloc(1, sizeof *sums + (size_t)chunks * sizeof sums->chunk[0]);
  if (sums == NULL) return NULL;
  sums->chunks = chunks;
  atomic_init(&sums->left, most / (int64_t)sizeof(cell_chunk));
  atomic_init(&sums->incomplete, false);
  for (int64_t i = 0; i < chunks; i++)
    atomic_init(&sums->chunk[i], NULL);
  return sums;
}

void gv_cell_sums_destroy(gv_cell_sums *sums) {
  for (int64_t i = 0; sums != NULL && i < sums->chunks; i++)
    free(atomic_load(&sums->chunk[i]));
  free(sums);
}

/* The chunk at a place that has none, which another thread may have allocated meanwhile; NULL without
 * memory. */
static cell_chunk *cell_sums_allocate(gv_cell_sums *sums, int64_t at) {
  cell_chunk *found = NULL;
  if (atomic_fetch_sub(&sums->left, 1) > 0) {
    cell_chunk *made = calloc(1, sizeof *made);
    if (made == NULL || atomic_compare_exchange_strong(&sums->chunk[at], &found, made)) return made;
    free(made);
  }
  atomic_fetch_add(&sums->left, 1);
  return atomic_load(&sums->chunk[at]);
}

void gv_cell_sums_add(gv_cell_sums *sums, int64_t cell, double term) {
  if (term == 0.0) return;
  const int64_t at = cell >> CHUNK_BITS;
  cell_chunk *chunk = atomic_load_explicit(&sums->chunk[at], memory_order_acquire);
  if (chunk == NULL) chunk = cell_sums_allocate(sums, at);
  if (chunk == NULL) {
    atomic_store(&sums->incomplete, true);
    return;
  }
  atomic_fetch_add_explicit(&chunk->sum[cell & (CHUNK - 1)], (int64_t)term, memory_order_relaxed);
}

bool gv_cell_sums_are_complete(const gv_cell_sums *sums) {
  return !atomic_load(&sums->incomplete);
}

void gv_cell_sums_get(const gv_cell_sums *sums, int64_t first, int64_t count, double unit, double *out) {
  for (int64_t i = 0; i < count; i++) {
    const cell_chunk *chunk =
        atomic_load_explicit(&sums->chunk[(first + i) >> CHUNK_BITS], memory_order_relaxed);
    out[i] = chunk == NULL ? 0.0
                           : unit * (double)atomic_load_explicit(&chunk->sum[(first + i) & (CHUNK - 1)],
                                                                 memory_order_relaxed);
  }
}
