#include "io/codes.h"

const char *gv_code_name(gv_code code) {
  static const char *const names[GV_CODES] = {
      [GV_CODE_NONE] = "",
      [GV_CODE_INVALID] = "invalid",
      [GV_CODE_MEMORY] = "memory",
      [GV_CODE_BACKEND_UNKNOWN] = "backend-unknown",
      [GV_CODE_UNSUPPORTED] = "unsupported",
      [GV_CODE_UNAVAILABLE] = "unavailable",
      [GV_CODE_FILE] = "file",
      [GV_CODE_PROJECTION] = "projection",
      [GV_CODE_INTERRUPTED] = "interrupted",
      [GV_CODE_INTERNAL] = "internal",
      [GV_CODE_USAGE] = "usage",
      [GV_CODE_CRS_UNKNOWN] = "crs-unknown",
      [GV_CODE_CRS_MISSING] = "crs-missing",
      [GV_CODE_GRID_TOO_LARGE] = "grid-too-large",
      [GV_CODE_GRID_TOO_SMALL] = "grid-too-small",
      [GV_CODE_LAYER_NEEDED] = "layer-needed",
      [GV_CODE_METRIC_REFUSED] = "metric-refused",
      [GV_CODE_OUTPUT_EXISTS] = "output-exists",
      [GV_CODE_OUTPUT_FORMAT] = "output-format",
      [GV_CODE_OUTPUT_IS_INPUT] = "output-is-input",
      [GV_CODE_SEED_UNUSABLE] = "seed-unusable",
      [GV_CODE_SEEDS_NONE] = "seeds-none",
      [GV_CODE_ACCURACY] = "accuracy",
      [GV_CODE_BACKUP_LEFT] = "backup-left",
      [GV_CODE_CELLS_EMPTY] = "cells-empty",
      [GV_CODE_COLUMNS_LEFT_OUT] = "columns-left-out",
      [GV_CODE_CRS_ASSUMED] = "crs-assumed",
      [GV_CODE_CRS_DEPRECATED] = "crs-deprecated",
      [GV_CODE_DEGREES_ON_PLANE] = "degrees-on-plane",
      [GV_CODE_ENCODING] = "encoding",
      [GV_CODE_GDAL] = "gdal",
      [GV_CODE_HEADING_OF_NUMBERS] = "heading-of-numbers",
      [GV_CODE_HEIGHTS_UNUSED] = "heights-unused",
      [GV_CODE_METRIC_ON_MAP] = "metric-on-map",
      [GV_CODE_OUTSIDE_OPERATION] = "outside-operation",
      [GV_CODE_PART_OUTPUT] = "part-output",
      [GV_CODE_SEEDS_CURVED] = "seeds-curved",
      [GV_CODE_SEEDS_INVALID] = "seeds-invalid",
      [GV_CODE_SEEDS_OUTSIDE] = "seeds-outside",
      [GV_CODE_SEEDS_SKIPPED] = "seeds-skipped",
      [GV_CODE_SEEDS_WIDE] = "seeds-wide",
      [GV_CODE_SEEDS_WITHOUT_CELLS] = "seeds-without-cells",
      [GV_CODE_SECRET_LEFT_OUT] = "secret-left-out",
      [GV_CODE_SUM_OUTSIDE] = "sum-outside",
      [GV_CODE_TABLE_MISSING] = "table-missing",
  };
  return names[code];
}

bool gv_code_is_note(gv_code code) {
  return code == GV_CODE_CRS_ASSUMED || code == GV_CODE_COLUMNS_LEFT_OUT;
}

gv_code gv_code_of_status(gv_status status) {
  switch (status) {
  case GV_ERROR_INVALID_ARGUMENT:
    return GV_CODE_INVALID;
  case GV_ERROR_OUT_OF_MEMORY:
    return GV_CODE_MEMORY;
  case GV_ERROR_UNKNOWN_BACKEND:
    return GV_CODE_BACKEND_UNKNOWN;
  case GV_ERROR_UNSUPPORTED:
    return GV_CODE_UNSUPPORTED;
  case GV_ERROR_UNAVAILABLE:
    return GV_CODE_UNAVAILABLE;
  case GV_ERROR_IO:
    return GV_CODE_FILE;
  case GV_ERROR_PROJECTION:
    return GV_CODE_PROJECTION;
  case GV_ERROR_CANCELLED:
    return GV_CODE_INTERRUPTED;
  default:
    return GV_CODE_INTERNAL;
  }
}
