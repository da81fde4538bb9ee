/* Names of on-demand rasters. */
#ifndef GV_JOB_ON_DEMAND_NAME_H
#define GV_JOB_ON_DEMAND_NAME_H

#include "io/io.h"

struct gv_description;

/* True for names that gv_on_demand_open accepts, even if no such file exists: "VORONOI:..." and
 * "....voronoi.json". */
bool gv_on_demand_is_name(const char *name);

/* The supported options, as GDAL's XML: to be freed; NULL = out of memory. */
char *gv_on_demand_option_list(void);

/* What a name and open options describe, with absolute names of files. */
gv_status gv_on_demand_describe(gv_io *io, const char *name, char **options, struct gv_description *out);

/* The error of an on-demand raster that is a source of another one. */
gv_status gv_on_demand_refuse_nested(gv_io *io, const char *name);

#endif
