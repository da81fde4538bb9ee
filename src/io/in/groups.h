/* Seeds of one id are one region: which they are. */
#ifndef GV_IO_GROUPS_H
#define GV_IO_GROUPS_H

#include "io/in/seeds.h"

/* In ascending order of their ids. Begins as {0}. */
typedef struct gv_id_groups {
  int32_t count;
  int32_t *of_seed; /* the group of each seed */
  int32_t *first;   /* the lowest seed of each group */
  int32_t *seeds;   /* how many there are in each */
} gv_id_groups;

gv_status gv_groups_make(gv_io *io, const gv_seed_list *seeds, gv_id_groups *out);
void gv_groups_free(gv_id_groups *groups);

/* The group of an id of the seeds that the groups were made from; -1: none. */
int32_t gv_groups_find(const gv_id_groups *groups, const gv_seed_list *seeds, int64_t id);

/* Whether a seed represents its group: the seed with the lowest number. */
static inline bool gv_groups_leads(const gv_id_groups *groups, int64_t seed) {
  return groups->first[groups->of_seed[seed]] == seed;
}

#endif
