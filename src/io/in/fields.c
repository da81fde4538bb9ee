#include "io/in/fields.h"

#include <stdio.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/in/encoding.h"

void gv_fields_list(OGRFeatureDefnH layer, char *list, size_t size) {
  list[0] = '\0';
  for (int i = 0; i < OGR_FD_GetFieldCount(layer); i++) {
    size_t length = strlen(list);
    char *name = gv_utf8_of(OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(layer, i)), NULL);
    snprintf(list + length, size - length, "%s%s", i > 0 ? ", " : "", name);
    CPLFree(name);
  }
}

gv_status gv_field_find(gv_io *io, const char *option, OGRFeatureDefnH layer, const char *name, int *field) {
  char list[512];
  *field = OGR_FD_GetFieldIndex(layer, name);
  for (int i = 0; i < OGR_FD_GetFieldCount(layer) && *field < 0; i++) { /* names of columns may be in Latin-1 */
    char *utf8 = gv_utf8_of(OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(layer, i)), NULL);
    if (EQUAL(utf8, name)) *field = i;
    CPLFree(utf8);
  }
  if (*field >= 0) return GV_OK;
  gv_fields_list(layer, list, sizeof list);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: layer '%s': unknown field (%s); it has: %s", option,
                    OGR_FD_GetName(layer), name, list);
}
