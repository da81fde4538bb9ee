/* Unsupported metrics and grids of backends. */
#ifndef GV_CLI_BACKEND_LIMITS_H
#define GV_CLI_BACKEND_LIMITS_H

#include <stddef.h>

#include "gpuvoronoi/gpuvoronoi.h"

/* The reason why a backend does not support a metric; NULL if it does, or if the metric is not one of
 * points. */
const char *cli_backend_refuses(int backend, gv_metric metric);
/* The most dimensions of points that it searches; 0 = none. */
int32_t cli_backend_largest_dimension(int backend);

/* Adds the backends that do not support some grids, or some points, to the text of --help. */
void cli_add_limits_of_grids(char *text, size_t size);
void cli_add_limits_of_points(char *text, size_t size);

#endif
