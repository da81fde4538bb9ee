/* Fields of layers by their names. */
#ifndef GV_IO_FIELDS_H
#define GV_IO_FIELDS_H

#include <ogr_api.h>

#include "io/io.h"

/* All names, with commas between them, as far as there is room. */
void gv_fields_list(OGRFeatureDefnH layer, char *list, size_t size);

/* The field that `option` names; an error lists those that are there. */
gv_status gv_field_find(gv_io *io, const char *option, OGRFeatureDefnH layer, const char *name, int *field);

#endif
