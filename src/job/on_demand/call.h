/* Calls of programs that have error handlers and threads of their own. */
#ifndef GV_JOB_ON_DEMAND_CALL_H
#define GV_JOB_ON_DEMAND_CALL_H

#include "io/io.h"

/* A call from outside: until it ends, GDAL's messages in this thread are its own. */
typedef struct gv_on_demand_call {
  gv_io io;
  gv_messages *messages; /* NULL: the call was refused */
  gv_messages_scope scope;
} gv_on_demand_call;

/* Fails within another call of this thread: that on-demand raster has this one as a source. gv_on_demand_end
 * is called in any case. */
gv_status gv_on_demand_begin(gv_on_demand_call *call);

/* Reports the warnings, and the error of a status that is not GV_OK, to GDAL's error handler; true for
 * GV_OK. */
bool gv_on_demand_end(gv_on_demand_call *call, gv_status status);

#endif
