#include "job/raster/on_demand/nested.h"

gv_status gv_on_demand_refuse_nested(gv_io *io, const char *name) {
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: unsupported on-demand raster as a source of another one; write it to a file first", name);
}
