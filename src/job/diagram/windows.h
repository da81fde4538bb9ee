/* What a diagram is cut by: --extent, --mask, and the edge of the map. */
#ifndef GV_JOB_DIAGRAM_WINDOWS_H
#define GV_JOB_DIAGRAM_WINDOWS_H

#include "job/diagram/diagram_job.h"

/* Sets map.center, region and within of content on the globe: `crs` is the layer's system, `degrees` that of
 * the seeds. */
gv_status gv_diagram_windows_globe(gv_io *io, const gv_diagram_job *job, const gv_seed_list *seeds,
                                   OGRSpatialReferenceH degrees, gv_diagram_content *content);

/* Sets `within` on the plane. */
gv_status gv_diagram_windows_plane(gv_io *io, const gv_diagram_job *job, const gv_seed_list *seeds,
                                   gv_diagram_content *content);

#endif
