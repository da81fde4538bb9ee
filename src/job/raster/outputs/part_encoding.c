#include "job/raster/outputs/part_encoding.h"

#include <stdlib.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/format.h"

char **gv_run_part_options(const gv_job *j) {
  static const char *const keys[] = {"COMPRESS", "PREDICTOR", "ZLEVEL", "ZSTD_LEVEL", "LZMA_PRESET", "ENDIANNESS"},
                           *const codecs[] = {"NONE", "LZW", "PACKBITS", "DEFLATE", "ZSTD", "LZMA"};
  char **from = j->raster.creation_options, **kept = NULL;
  const char *compression = CSLFetchNameValueDef(from, "COMPRESS", codecs[4]);
  bool known = false;
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
    known = known || EQUAL(compression, codecs[i]);
  bool gtiff = j->raster.driver == NULL || gv_format_is(gv_format_tiled(), j->raster.driver);
  for (size_t i = 0; i < sizeof keys / sizeof *keys && gtiff && known; i++) {
    const char *value = CSLFetchNameValue(from, keys[i]);
    if (value != NULL) kept = CSLSetNameValue(kept, keys[i], value);
  }
  int side = atoi(CSLFetchNameValueDef(from, "BLOCKYSIZE", "0"));
  bool square = side >= 64 && side <= 1024 && atoi(CSLFetchNameValueDef(from, "BLOCKXSIZE", "0")) == side;
  if (gtiff && square && CPLTestBool(CSLFetchNameValueDef(from, "TILED", "YES"))) {
    kept = CSLSetNameValue(kept, "BLOCKXSIZE", CPLSPrintf("%d", side));
    kept = CSLSetNameValue(kept, "BLOCKYSIZE", CPLSPrintf("%d", side));
  }
  return kept;
}
