#include "io/in/text_ids.h"

#include <stdlib.h>
#include <string.h>

/* The entry of a text, behind those of others with its hash: these have the keys that follow. */
static gv_hash_entry *text_ids_find(const gv_text_ids *ids, const char *text, uint64_t *key) {
  for (*key = gv_hash_bytes(0, text, strlen(text));; ++*key) {
    gv_hash_entry *entry = gv_hash_find(&ids->table, *key);
    if (entry->value == 0 || strcmp(ids->texts.bytes + entry->value + sizeof(int64_t) - 1, text) == 0)
      return entry;
  }
}

gv_status gv_text_ids_find(gv_io *io, gv_text_ids *ids, const char *text, int64_t number, int64_t *first) {
  uint64_t key;
  if (!gv_hash_reserve(&ids->table)) return gv_io_fail_memory(io, "the seeds' ids");
  gv_hash_entry *entry = text_ids_find(ids, text, &key);
  if (entry->value == 0) {
    int64_t at = (int64_t)ids->texts.length;
    gv_text_put(&ids->texts, (const char *)&number, sizeof number);
    gv_text_put(&ids->texts, text, strlen(text) + 1);
    if (ids->texts.failed) return gv_io_fail_memory(io, "the seeds' ids");
    *entry = (gv_hash_entry){key, at + 1};
    ids->table.count++;
  }
  memcpy(first, ids->texts.bytes + entry->value - 1, sizeof *first);
  return GV_OK;
}

void gv_text_ids_free(gv_text_ids *ids) {
  gv_text_free(&ids->texts);
  free(ids->table.entries);
  *ids = (gv_text_ids){.table = {0}};
}
