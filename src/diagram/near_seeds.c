/* A grid of cells of four times the distance in a hash table; seeds of one table entry are a list. */
#include "diagram/near_seeds.h"

#include <math.h>
#include <string.h>

#include "core/hash.h"

typedef struct near_grid {
  gv_hash table; /* value: seed + 1 */
  int32_t *next; /* of each seed: the next seed of its entry, or -1 */
  const double *position;
  double distance, size;
} near_grid;

static uint64_t near_key(const int64_t cell[3]) {
  uint64_t key = 0;
  for (int axis = 0; axis < 3; axis++)
    key = gv_hash_mix(key ^ (uint64_t)cell[axis]);
  return key;
}

/* The seed of a cell within the distance of a position; -1: none. */
static int32_t near_find_in(const near_grid *g, const int64_t cell[3], const double p[3]) {
  int32_t seed = (int32_t)(gv_hash_find(&g->table, near_key(cell))->value - 1);
  for (; seed >= 0; seed = g->next[seed]) {
    const double *q = g->position + 3 * (int64_t)seed;
    double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    if (x * x + y * y + z * z <= g->distance * g->distance) return seed;
  }
  return -1;
}

/* The same in all cells that the distance reaches. `cell` receives the position's own. */
static int32_t near_find(const near_grid *g, const double p[3], int64_t cell[3]) {
  int64_t low[3], high[3], at[3];
  for (int axis = 0; axis < 3; axis++) {
    cell[axis] = (int64_t)floor(p[axis] / g->size);
    low[axis] = (int64_t)floor((p[axis] - g->distance) / g->size);
    high[axis] = (int64_t)floor((p[axis] + g->distance) / g->size);
  }
  for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
        int32_t seed = near_find_in(g, at, p);
        if (seed >= 0) return seed;
      }
  return -1;
}

gv_status gv_near_seeds(gv_context *context, const double *position, int64_t count, double distance,
                        int32_t *first) {
  const gv_allocator *allocator = &context->allocator;
  near_grid g = {.position = position, .distance = distance, .size = 4.0 * distance};
  for (g.table.capacity = 1024; g.table.capacity < 2 * (uint64_t)count;)
    g.table.capacity *= 2;
  g.table.entries = gv_allocate_zeroed(allocator, (int64_t)g.table.capacity, sizeof *g.table.entries);
  g.next = gv_allocate(allocator, count, sizeof *g.next);
  gv_status status = GV_OK;
  if (g.table.entries == NULL || g.next == NULL) status = gv_fail_memory(context, "the seeds");
  for (int64_t i = 0; status == GV_OK && i < count; i++) {
    int64_t cell[3];
    int32_t found = near_find(&g, position + 3 * i, cell);
    first[i] = found >= 0 ? found : (int32_t)i;
    if (found >= 0) continue;
    uint64_t key = near_key(cell);
    gv_hash_entry *entry = gv_hash_find(&g.table, key);
    g.next[i] = (int32_t)(entry->value - 1);
    *entry = (gv_hash_entry){key, i + 1};
  }
  gv_release(allocator, g.table.entries);
  gv_release(allocator, g.next);
  return status;
}
