#include "io/in/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "io/in/encoding.h"

void gv_fields_list(OGRFeatureDefnH layer, char *list, size_t size) {
  list[0] = '\0';
  for (int i = 0; i < OGR_FD_GetFieldCount(layer); i++) {
    size_t length = strlen(list);
    char *name = gv_utf8_of(OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(layer, i)), NULL);
    snprintf(list + length, size - length, "%s%s", i > 0 ? ", " : "", name != NULL ? name : "");
    free(name);
  }
}

int gv_field_look_up(OGRFeatureDefnH layer, const char *name, bool *unique) {
  int alike = -1, count = 0;
  *unique = true;
  for (int i = 0; i < OGR_FD_GetFieldCount(layer); i++) {
    const char *own = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(layer, i));
    char *utf8 = gv_utf8_of(own, NULL); /* names of columns may be in Latin-1 */
    const char *shown = utf8 != NULL ? utf8 : own;
    bool same = strcmp(own, name) == 0 || strcmp(shown, name) == 0,
         similar = EQUAL(own, name) || EQUAL(shown, name);
    free(utf8);
    if (same) return i;
    if (similar && count++ == 0) alike = i;
  }
  *unique = count <= 1;
  return alike;
}

gv_status gv_field_find(gv_io *io, const char *option, OGRFeatureDefnH layer, const char *name, int *field) {
  char list[512];
  bool unique;
  *field = gv_field_look_up(layer, name, &unique);
  if (*field >= 0 && unique) return GV_OK;
  gv_fields_list(layer, list, sizeof list);
  GV_REQUIRE(io, unique, "%s: layer '%s': ambiguous field (%s); write it as in: %s", option,
             OGR_FD_GetName(layer), name, list);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: layer '%s': unknown field (%s); it has: %s", option,
                    OGR_FD_GetName(layer), name, list);
}
