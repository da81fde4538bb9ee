/* Seeds of one id are one region: which they are. */
#ifndef GV_JOB_GROUPS_H
#define GV_JOB_GROUPS_H

#include "io/in/seeds.h"

/* Begins as {0}. */
typedef struct gv_groups {
  int32_t count;
  int32_t *of_seed; /* the group of each seed */
  int32_t *first;   /* the lowest seed of each group */
  int32_t *seeds;   /* how many there are in each */
} gv_groups;

gv_status gv_groups_make(gv_io *io, const gv_seed_list *seeds, gv_groups *out);
void gv_groups_free(gv_groups *groups);

#endif
