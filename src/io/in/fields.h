/* Fields of layers by their names. */
#ifndef GV_IO_FIELDS_H
#define GV_IO_FIELDS_H

#include <stdbool.h>

#include <ogr_api.h>

#include "io/io.h"

/* All names, with commas between them, as far as there is room. */
void gv_fields_list(OGRFeatureDefnH layer, char *list, size_t size);

/* The field of this name, or in another letter case; -1: none. *unique false: several differ in letter case
 * only, and none is the name. */
int gv_field_look_up(OGRFeatureDefnH layer, const char *name, bool *unique);

/* The field that `option` names; an error lists those that are there. */
gv_status gv_field_find(gv_io *io, const char *option, OGRFeatureDefnH layer, const char *name, int *field);

#endif
