/* Codes of errors and warnings, for programs: docs/messages.md. Names do not change. */
#ifndef GV_IO_CODES_H
#define GV_IO_CODES_H

#include <stdbool.h>

#include "gpuvoronoi/gpuvoronoi.h"

typedef enum gv_code {
  GV_CODE_NONE,
  /* Errors without a more specific code: gv_code_of_status. */
  GV_CODE_INVALID,
  GV_CODE_MEMORY,
  GV_CODE_BACKEND_UNKNOWN,
  GV_CODE_UNSUPPORTED,
  GV_CODE_UNAVAILABLE,
  GV_CODE_FILE,
  GV_CODE_PROJECTION,
  GV_CODE_INTERRUPTED,
  GV_CODE_INTERNAL,
  GV_CODE_USAGE,
  /* Errors. */
  GV_CODE_CRS_UNKNOWN,
  GV_CODE_CRS_MISSING,
  GV_CODE_GRID_TOO_LARGE,
  GV_CODE_GRID_TOO_SMALL,
  GV_CODE_INPUT_TOO_LARGE,
  GV_CODE_LAYER_NEEDED,
  GV_CODE_METRIC_REFUSED,
  GV_CODE_OUTPUT_EXISTS,
  GV_CODE_OUTPUT_FORMAT,
  GV_CODE_OUTPUT_IS_INPUT,
  GV_CODE_SEED_UNUSABLE,
  GV_CODE_SEEDS_NONE,
  /* Warnings. */
  GV_CODE_ACCURACY,
  GV_CODE_BACKUP_LEFT,
  GV_CODE_BARRIERS_NONE,
  GV_CODE_CELLS_CHOSEN,
  GV_CODE_CELLS_EMPTY,
  GV_CODE_COLUMNS_LEFT_OUT,
  GV_CODE_CRS_ASSUMED,
  GV_CODE_CRS_DEPRECATED,
  GV_CODE_CRS_NOT_STORED,
  GV_CODE_DEGREES_ON_PLANE,
  GV_CODE_ENCODING,
  GV_CODE_GDAL,
  GV_CODE_HEADER_OF_NUMBERS,
  GV_CODE_HEIGHTS_UNUSED,
  GV_CODE_METRIC_ON_MAP,
  GV_CODE_OUTSIDE_OPERATION,
  GV_CODE_PART_OUTPUT,
  GV_CODE_SEEDS_CURVED,
  GV_CODE_SEEDS_INVALID,
  GV_CODE_SEEDS_OUTSIDE,
  GV_CODE_SEEDS_SKIPPED,
  GV_CODE_SEEDS_WIDE,
  GV_CODE_SEEDS_WITHOUT_CELLS,
  GV_CODE_SECRET_LEFT_OUT,
  GV_CODE_STALE_FILE,
  GV_CODE_SUM_NEGATIVE,
  GV_CODE_SUM_OUTSIDE,
  GV_CODE_TABLE_MISSING,
  GV_CODE_VALUES_LOST,
  GV_CODES
} gv_code;

typedef struct gv_code_text {
  const char *name, *meaning, *remedy; /* name: e.g. "seed-unusable" */
} gv_code_text;

const char *gv_code_name(gv_code code);
const gv_code_text *gv_code_describe(gv_code code);

/* False for errors. */
static inline bool gv_code_is_warning(gv_code code) {
  return code >= GV_CODE_ACCURACY;
}

gv_code gv_code_of_status(gv_status status);

/* Whether it is a line of the summary, not a warning: what was assumed about an input. */
bool gv_code_is_note(gv_code code);

#endif
