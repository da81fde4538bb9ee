#include "io/in/fields.h"

#include <stdio.h>
#include <string.h>

void gv_fields_list(OGRFeatureDefnH layer, char *list, size_t size) {
  list[0] = '\0';
  for (int i = 0; i < OGR_FD_GetFieldCount(layer); i++) {
    size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", i > 0 ? ", " : "",
             OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(layer, i)));
  }
}

gv_status gv_field_find(gv_io *io, const char *option, OGRFeatureDefnH layer, const char *name, int *field) {
  char list[512];
  *field = OGR_FD_GetFieldIndex(layer, name);
  if (*field >= 0) return GV_OK;
  gv_fields_list(layer, list, sizeof list);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: the layer '%s' has no field '%s' (it has: %s)", option,
                    OGR_FD_GetName(layer), name, list);
}
