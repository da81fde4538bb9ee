/* The options of `gpuvoronoi search`. */
#ifndef GV_CLI_SEARCH_COMMAND_H
#define GV_CLI_SEARCH_COMMAND_H

#include "job/search/search_job.h"

typedef struct search_settings {
  gv_search_job job;
  bool progress, quiet, json;
  bool has_k, has_max_distance; /* option was set */
  double power;                 /* of --p; 0: not set */
} search_settings;

void search_settings_free(search_settings *settings);

#endif
