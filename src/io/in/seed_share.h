/* Seeds that one process of several reads, for all of them. */
#ifndef GV_IO_SEED_SHARE_H
#define GV_IO_SEED_SHARE_H

#include "io/in/seeds.h"
#include "io/team.h"

/* The first process reads as gv_seeds_read does. The others get what it has read, but for what only tables tell: names, and positions as
 * they were read. */
gv_status gv_seeds_read_together(gv_io *io, gv_team *team, const gv_seed_options *options, gv_seed_list *out);

#endif
