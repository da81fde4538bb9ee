/* The blocks of an on-demand raster that are kept. */
#ifndef GV_JOB_ON_DEMAND_CACHE_H
#define GV_JOB_ON_DEMAND_CACHE_H

#include "job/on_demand/state.h"

gv_status gv_on_demand_cache_make(gv_io *io, gv_on_demand_cache *cache);
void gv_on_demand_cache_free(gv_on_demand_cache *cache);

/* The block with all requested kinds, marked as last used; NULL if it must be computed. */
gv_on_demand_block *gv_on_demand_cache_find(gv_on_demand_cache *cache, int level, int64_t column, int64_t row,
                                            unsigned kinds);

/* Adds a block, and frees the least recently used ones beyond `most` bytes. */
void gv_on_demand_cache_keep(gv_on_demand_cache *cache, gv_on_demand_block *block, size_t most);

#endif
