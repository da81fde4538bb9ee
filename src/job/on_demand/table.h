/* Ids, metadata, and the table of names and colors: what needs the seeds. */
#ifndef GV_JOB_ON_DEMAND_TABLE_H
#define GV_JOB_ON_DEMAND_TABLE_H

#include "job/on_demand/on_demand.h"

gv_status gv_on_demand_nodata(gv_io *io, gv_on_demand *on_demand, int64_t *out);
gv_status gv_on_demand_id_range(gv_io *io, gv_on_demand *on_demand, int64_t range[2]);

/* A list of io/strings.h, to be freed in any case. */
gv_status gv_on_demand_metadata(gv_io *io, gv_on_demand *on_demand, char ***out);

/* Ids, names and colors, as the level with some millions of cells at most shows them; NULL where there are
 * too many seeds. To be freed with GDALDestroyRasterAttributeTable. */
gv_status gv_on_demand_table(gv_io *io, gv_on_demand *on_demand, GDALRasterAttributeTableH *out);

#endif
