/* A hash table from 64-bit to positive numbers: open addressing; entries are never removed. */
#ifndef GV_CORE_HASH_H
#define GV_CORE_HASH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct gv_hash_entry {
  uint64_t key;
  int64_t value; /* 0 = free */
} gv_hash_entry;

/* Begins as {0}. Who fills an entry that is free counts it. */
typedef struct gv_hash {
  gv_hash_entry *entries;
  uint64_t capacity, count; /* a power of two, twice the count at least */
} gv_hash;

/* MurmurHash3's last step: each bit of the key changes half of the result's. */
static inline uint64_t gv_hash_mix(uint64_t key) {
  key ^= key >> 33;
  key *= UINT64_C(0xff51afd7ed558ccd);
  key ^= key >> 33;
  key *= UINT64_C(0xc4ceb9fe1a85ec53);
  return key ^ (key >> 33);
}

/* FNV-1a in 64 bits of bytes, continued from that of previous bytes (0: none). */
static inline uint64_t gv_hash_bytes(uint64_t before, const void *bytes, size_t count) {
  const unsigned char *byte = (const unsigned char *)bytes;
  uint64_t hash = before != 0 ? before : UINT64_C(14695981039346656037);
  for (size_t i = 0; i < count; i++)
    hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  return hash;
}

/* The entry of a key, or the free one that it would have, in a table that has room. */
static inline gv_hash_entry *gv_hash_find(const gv_hash *table, uint64_t key) {
  uint64_t at = gv_hash_mix(key) & (table->capacity - 1);
  while (table->entries[at].value != 0 && table->entries[at].key != key)
    at = (at + 1) & (table->capacity - 1);
  return &table->entries[at];
}

/* The capacity that is to be made before one more entry is filled; 0 if there is room. */
static inline uint64_t gv_hash_wanted(const gv_hash *table) {
  if (2 * (table->count + 1) <= table->capacity) return 0;
  return table->capacity > 0 ? 2 * table->capacity : 1024;
}

/* Moves all entries to `entries`, which are zero; returns the old ones, to be freed. */
static inline gv_hash_entry *gv_hash_move(gv_hash *table, gv_hash_entry *entries, uint64_t capacity) {
  gv_hash from = *table;
  table->entries = entries;
  table->capacity = capacity;
  for (uint64_t i = 0; i < from.capacity; i++)
    if (from.entries[i].value != 0) *gv_hash_find(table, from.entries[i].key) = from.entries[i];
  return from.entries;
}

/* Makes room for one more entry, with the C library's memory; false if that has run out. */
static inline bool gv_hash_reserve(gv_hash *table) {
  uint64_t wanted = gv_hash_wanted(table);
  gv_hash_entry *entries = wanted > 0 ? (gv_hash_entry *)calloc((size_t)wanted, sizeof *entries) : NULL;
  if (wanted > 0 && entries != NULL) free(gv_hash_move(table, entries, wanted));
  return wanted == 0 || entries != NULL;
}

#endif
