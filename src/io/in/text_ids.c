/* Open addressing by a hash of the text. */
#include "io/in/text_ids.h"

#include <stdlib.h>
#include <string.h>

typedef struct gv_text_id {
  uint64_t hash; /* 0 = free */
  size_t at;     /* of the text */
  int64_t number;
} gv_text_id;

/* FNV-1a. */
static uint64_t hash_of(const char *text) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return hash != 0 ? hash : 1;
}

/* Where the text is, or where there is room for it. */
static gv_text_id *find(const gv_text_ids *ids, uint64_t hash, const char *text) {
  uint64_t mask = (uint64_t)ids->capacity - 1, at = hash & mask;
  while (ids->slots[at].hash != 0 &&
         (ids->slots[at].hash != hash || strcmp(ids->texts.bytes + ids->slots[at].at, text) != 0))
    at = (at + 1) & mask;
  return &ids->slots[at];
}

/* Twice the room; false when out of memory. */
static bool grow(gv_text_ids *ids) {
  gv_text_ids more = {.capacity = ids->capacity > 0 ? 2 * ids->capacity : 1024};
  more.slots = calloc((size_t)more.capacity, sizeof *more.slots);
  if (more.slots == NULL) return false;
  for (int64_t i = 0; i < ids->capacity; i++) {
    const gv_text_id *one = &ids->slots[i];
    uint64_t at = one->hash & ((uint64_t)more.capacity - 1);
    while (one->hash != 0 && more.slots[at].hash != 0)
      at = (at + 1) & ((uint64_t)more.capacity - 1);
    if (one->hash != 0) more.slots[at] = *one;
  }
  free(ids->slots);
  ids->slots = more.slots;
  ids->capacity = more.capacity;
  return true;
}

gv_status gv_text_ids_find(gv_io *io, gv_text_ids *ids, const char *text, int64_t number, int64_t *first) {
  uint64_t hash = hash_of(text);
  if (2 * (ids->count + 1) > ids->capacity && !grow(ids)) return gv_io_fail_memory(io, "the seeds' ids");
  gv_text_id *slot = find(ids, hash, text);
  if (slot->hash == 0) {
    size_t at = ids->texts.length;
    gv_text_put(&ids->texts, text, strlen(text) + 1);
    if (ids->texts.failed) return gv_io_fail_memory(io, "the seeds' ids");
    *slot = (gv_text_id){hash, at, number};
    ids->count++;
  }
  *first = slot->number;
  return GV_OK;
}

void gv_text_ids_free(gv_text_ids *ids) {
  gv_text_free(&ids->texts);
  free(ids->slots);
  *ids = (gv_text_ids){.count = 0};
}
