#include "job/on_demand/cache.h"

#include <stdlib.h>

enum { SLOTS = 1 << 12 };

gv_status gv_on_demand_cache_make(gv_io *io, gv_on_demand_cache *cache) {
  pthread_mutex_init(&cache->lock, NULL);
  cache->slots = calloc(SLOTS, sizeof *cache->slots);
  return cache->slots != NULL ? GV_OK : gv_io_fail_memory(io, "the blocks");
}

void gv_on_demand_cache_free(gv_on_demand_cache *cache) {
  for (gv_on_demand_block *b = cache->newest, *older; b != NULL; b = older) {
    older = b->older;
    free(b);
  }
  free(cache->slots);
}

static gv_on_demand_block **cache_slot(gv_on_demand_cache *cache, int level, int64_t column, int64_t row) {
  uint64_t key = ((uint64_t)row * UINT64_C(0x9e3779b97f4a7c15)) ^
                 ((uint64_t)column * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                 ((uint64_t)level * UINT64_C(0x165667b19e3779f9));
  return &cache->slots[(key ^ (key >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) >> 52];
}

static void cache_unlink(gv_on_demand_cache *cache, gv_on_demand_block *b) {
  *(b->newer != NULL ? &b->newer->older : &cache->newest) = b->older;
  *(b->older != NULL ? &b->older->newer : &cache->oldest) = b->newer;
}

static void cache_link(gv_on_demand_cache *cache, gv_on_demand_block *b) {
  b->newer = NULL;
  b->older = cache->newest;
  *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = b;
  cache->newest = b;
}

gv_on_demand_block *gv_on_demand_cache_find(gv_on_demand_cache *cache, int level, int64_t column, int64_t row,
                                            unsigned kinds) {
  gv_on_demand_block *b = *cache_slot(cache, level, column, row);
  while (b != NULL &&
         (b->level != level || b->column != column || b->row != row || (b->kinds & kinds) != kinds))
    b = b->next;
  if (b != NULL) {
    cache_unlink(cache, b);
    cache_link(cache, b);
  }
  return b;
}

void gv_on_demand_cache_keep(gv_on_demand_cache *cache, gv_on_demand_block *b, size_t most) {
  gv_on_demand_block **slot = cache_slot(cache, b->level, b->column, b->row);
  pthread_mutex_lock(&cache->lock);
  b->next = *slot;
  *slot = b;
  cache_link(cache, b);
  cache->bytes += b->bytes;
  while (cache->oldest != NULL && cache->bytes > most) {
    gv_on_demand_block *old = cache->oldest;
    cache->oldest = old->newer;
    gv_on_demand_block **at = cache_slot(cache, old->level, old->column, old->row);
    while (*at != old)
      at = &(*at)->next;
    *at = old->next;
    *(old->newer != NULL ? &old->newer->older : &cache->newest) = NULL;
    cache->bytes -= old->bytes;
    free(old);
  }
  pthread_mutex_unlock(&cache->lock);
}
