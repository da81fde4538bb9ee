#include "io/in/encoding.h"

#include <string.h>

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>

static const char latin_1[] = "ISO-8859-1";

static char *recode(const char *text, const char *from, const char *to) {
  CPLPushErrorHandler(CPLQuietErrorHandler);
  char *recoded = CPLRecode(text, from, to);
  CPLPopErrorHandler();
  return recoded;
}

bool gv_encoding_is_known(const char *encoding) {
  char *recoded = recode("\xe9 and a", encoding, CPL_ENC_UTF8);
  bool known = recoded != NULL && CPLGetLastErrorType() == CE_None;
  CPLFree(recoded);
  CPLErrorReset();
  return known;
}

static char *encoding_to_utf8(const char *text, const char *encoding) {
  if (encoding == NULL && CPLIsUTF8(text, -1)) return CPLStrdup(text);
  char *recoded = recode(text, encoding != NULL ? encoding : latin_1, CPL_ENC_UTF8);
  if (recoded != NULL && CPLIsUTF8(recoded, -1)) return recoded;
  CPLFree(recoded); /* not what the encoding allows */
  return recode(text, latin_1, CPL_ENC_UTF8);
}

/* A copy in memory of malloc; frees GDAL's. */
static char *encoding_take(char *text) {
  char *taken = text != NULL ? strdup(text) : NULL;
  CPLFree(text);
  return taken;
}

char *gv_utf8_of(const char *text, const char *encoding) {
  return encoding_take(encoding_to_utf8(text, encoding));
}

/* Converts a text in GDAL's memory; true if it has changed. */
static bool convert(char **text, const char *encoding) {
  char *recoded = encoding_to_utf8(*text, encoding);
  bool changed = strcmp(recoded, *text) != 0;
  CPLFree(*text);
  *text = recoded;
  return changed;
}

bool gv_feature_to_utf8(OGRFeatureH feature, const char *encoding) {
  bool any = false;
  for (int i = 0; i < OGR_F_GetFieldCount(feature); i++) {
    OGRFieldType type = OGR_Fld_GetType(OGR_F_GetFieldDefnRef(feature, i));
    if ((type != OFTString && type != OFTStringList) || !OGR_F_IsFieldSetAndNotNull(feature, i)) continue;
    bool here = false;
    if (type == OFTString) {
      if (encoding == NULL && CPLIsUTF8(OGR_F_GetFieldAsString(feature, i), -1)) continue;
      char *text = CPLStrdup(OGR_F_GetFieldAsString(feature, i));
      here = convert(&text, encoding);
      if (here) OGR_F_SetFieldString(feature, i, text);
      CPLFree(text);
    } else {
      char **list = CSLDuplicate(OGR_F_GetFieldAsStringList(feature, i));
      for (char **one = list; one != NULL && *one != NULL; one++)
        here = convert(one, encoding) || here;
      if (here) OGR_F_SetFieldStringList(feature, i, list);
      CSLDestroy(list);
    }
    any = any || here;
  }
  return any;
}

static bool is_ascii(const char *text) {
  for (; *text != '\0'; text++)
    if ((unsigned char)*text >= 0x80) return false;
  return true;
}

/* True if a name or a text of the layer is not UTF-8. */
static bool has_other_texts(OGRLayerH layer) {
  OGRFeatureDefnH fields = OGR_L_GetLayerDefn(layer);
  bool found = false;
  for (int i = 0; i < OGR_FD_GetFieldCount(fields) && !found; i++)
    found = !CPLIsUTF8(OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(fields, i)), -1);
  OGR_L_ResetReading(layer);
  for (OGRFeatureH feature; !found && (feature = OGR_L_GetNextFeature(layer)) != NULL;) {
    found = gv_feature_to_utf8(feature, NULL);
    OGR_F_Destroy(feature);
  }
  OGR_L_ResetReading(layer);
  return found;
}

char *gv_text_for_layer(const char *utf8, OGRLayerH layer, const char *encoding) {
  if (is_ascii(utf8)) return strdup(utf8);
  if (encoding == NULL && !has_other_texts(layer)) return strdup(utf8);
  char *recoded = recode(utf8, CPL_ENC_UTF8, encoding != NULL ? encoding : latin_1);
  return recoded != NULL ? encoding_take(recoded) : strdup(utf8);
}
