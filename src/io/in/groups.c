#include "io/in/groups.h"

#include <stdlib.h>

typedef struct entry {
  int64_t id;
  int32_t seed;
} entry;

static int by_id(const void *a, const void *b) {
  const entry *p = a, *q = b;
  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  return p->seed < q->seed ? -1 : p->seed > q->seed;
}

gv_status gv_groups_make(gv_io *io, const gv_seed_list *seeds, gv_id_groups *out) {
  size_t count = (size_t)seeds->count;
  entry *entries = malloc(count * sizeof *entries);
  out->of_seed = malloc(count * sizeof *out->of_seed);
  out->first = malloc(count * sizeof *out->first);
  out->seeds = malloc(count * sizeof *out->seeds);
  if (entries == NULL || out->of_seed == NULL || out->first == NULL || out->seeds == NULL) {
    free(entries);
    return gv_io_fail_memory(io, "the ids");
  }
  bool ascending = true; /* as most sources have them from the start */
  for (size_t i = 0; i < count; i++) {
    entries[i] = (entry){seeds->ids[i], (int32_t)i};
    ascending = ascending && (i == 0 || entries[i].id >= entries[i - 1].id);
  }
  if (!ascending) qsort(entries, count, sizeof *entries, by_id);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || entries[i].id != entries[i - 1].id) {
      out->first[out->count] = entries[i].seed;
      out->seeds[out->count++] = 0;
    }
    out->of_seed[entries[i].seed] = out->count - 1;
    out->seeds[out->count - 1]++;
  }
  free(entries);
  return GV_OK;
}

int32_t gv_groups_find(const gv_id_groups *groups, const gv_seed_list *seeds, int64_t id) {
  int32_t low = 0, high = groups->count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (seeds->ids[groups->first[middle]] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < groups->count && seeds->ids[groups->first[low]] == id ? low : -1;
}

void gv_groups_free(gv_id_groups *groups) {
  free(groups->of_seed);
  free(groups->first);
  free(groups->seeds);
  *groups = (gv_id_groups){0};
}
