/*
 * The ranks of a cluster as processes that share a run (io/team.h). The first has a thread that deals the work and learns the sizes of what
 * was made, so it answers while it computes.
 */
#ifndef GV_CLI_CLUSTER_TEAM_H
#define GV_CLI_CLUSTER_TEAM_H

#include "cli/cluster.h"
#include "io/team.h"

/* NULL: out of memory. */
gv_team *cli_team_new(const cli_cluster *cluster);
void cli_team_free(gv_team *team);

/* For io->cancelled: true once another rank has failed, or this process is to end. */
bool cli_team_stopped(void *team);

#endif
