/*
 * Texts of layers in UTF-8, for any encoding of the file: drivers return the unchanged bytes of CSV files,
 * and of Shapefiles without a declared encoding.
 */
#ifndef GV_IO_ENCODING_H
#define GV_IO_ENCODING_H

#include <stdbool.h>

#include <ogr_api.h>

/* True if GDAL can convert from this encoding. */
bool gv_encoding_is_known(const char *encoding);

/* The text in UTF-8: converted from `encoding`; if that is NULL, unchanged if it is valid UTF-8 and converted
 * from Latin-1 otherwise. The caller's to free; NULL: out of memory. */
char *gv_utf8_of(const char *text, const char *encoding);

/* Converts all texts of a feature so; true if one has changed. */
bool gv_feature_to_utf8(OGRFeatureH feature, const char *encoding);

/* Converts a text in UTF-8 to the encoding of the layer's texts, for its attribute filter. Reads the layer
 * until a text decides. The caller's to free; NULL: out of memory. */
char *gv_text_for_layer(const char *utf8, OGRLayerH layer, const char *encoding);

#endif
