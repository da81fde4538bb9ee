#include "job/on_demand/call.h"

#include <string.h>

#include "job/on_demand/name.h"

gv_status gv_on_demand_begin(gv_on_demand_call *call) {
  memset(call, 0, sizeof *call);
  /* A source of an on-demand raster is an on-demand raster itself, in a format with sources that
   * gv_on_demand_open does not see. */
  if (gv_messages_used() != NULL) return gv_on_demand_refuse_nested(&call->io, "VORONOI");
  call->messages = gv_messages_new();
  if (call->messages == NULL) return gv_io_fail_memory(&call->io, "GDAL's messages");
  call->scope = gv_messages_enter(call->messages);
  return GV_OK;
}

static CPLErrorNum on_demand_call_number_of(gv_status status) {
  switch (status) {
  case GV_ERROR_OUT_OF_MEMORY:
    return CPLE_OutOfMemory;
  case GV_ERROR_CANCELLED:
    return CPLE_UserInterrupt;
  case GV_ERROR_IO:
    return CPLE_OpenFailed;
  case GV_ERROR_INVALID_ARGUMENT:
    return CPLE_IllegalArg;
  default:
    return CPLE_AppDefined;
  }
}

/* The next warning of a call that has ended. */
static bool next_warning(gv_messages *messages, gv_warning *out) {
  gv_messages_scope scope = gv_messages_enter(messages);
  bool some = gv_io_next_warning(out);
  gv_messages_leave(scope);
  return some;
}

bool gv_on_demand_end(gv_on_demand_call *call, gv_status status) {
  gv_warning warning;
  if (call->messages != NULL) {
    gv_messages_leave(call->scope);
    CPLErrorReset(); /* GDAL's errors within a call are not failures of the call */
    while (next_warning(call->messages, &warning))
      CPLError(CE_Warning, CPLE_AppDefined, "%s", warning.text);
    gv_messages_free(call->messages);
  }
  if (status != GV_OK) CPLError(CE_Failure, on_demand_call_number_of(status), "%s", call->io.message);
  return status == GV_OK;
}
