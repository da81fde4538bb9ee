/* What other files of this folder need of a diagram in addition to its parts. */
#ifndef GV_DIAGRAM_DIAGRAM_H
#define GV_DIAGRAM_DIAGRAM_H

#include "core/core.h"
#include "gpuvoronoi/diagram.h"

/* Whether a diagram is of longitudes and latitudes. */
bool gv_diagram_on_globe(const gv_diagram *diagram);

#endif
