/* Calls of programs that have error handlers and threads of their own. */
#include "job/live_parts.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>

static _Thread_local const gv_live_frame *inside;

const gv_live_frame *gv_live_inside(void) {
  return inside;
}

const gv_live_frame *gv_live_enter(gv_live_frame *frame, const char *key) {
  const gv_live_frame *before = inside;
  *frame = (gv_live_frame){key, before, before != NULL ? before->depth + 1 : 1};
  inside = frame;
  return before;
}

void gv_live_leave(const gv_live_frame *before) {
  inside = before;
}

gv_live_duty gv_live_duty_here(void) {
  return (gv_live_duty){gv_messages_used(), inside, false};
}

gv_live_duty gv_live_take_on(gv_live_duty duty) {
  gv_live_duty before = {gv_messages_use(duty.messages), inside, gv_crs_keep_codes()};
  inside = duty.inside;
  CPLPushErrorHandler(gv_io_take_message);
  return before;
}

void gv_live_end_duty(gv_live_duty before) {
  CPLPopErrorHandler();
  if (before.replaces_codes) gv_crs_replace_codes();
  inside = before.inside;
  gv_messages_use(before.messages);
}

void gv_live_begin(gv_live_call *call) {
  memset(call, 0, sizeof *call);
  call->messages = gv_messages_new(); /* without memory for it they go where the process's go */
  call->before = gv_messages_use(call->messages);
  CPLPushErrorHandler(gv_io_take_message);
  call->replaces_codes = gv_crs_keep_codes();
}

static CPLErrorNum number_of(gv_status status) {
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

bool gv_live_end(gv_live_call *call, gv_status status) {
  gv_warning warning;
  CPLPopErrorHandler();
  if (call->replaces_codes) gv_crs_replace_codes();
  gv_messages_use(call->before);
  /* What went wrong on the way is no failure of the call. */
  CPLErrorReset();
  if (call->messages != NULL) {
    gv_messages *before = gv_messages_use(call->messages);
    while (gv_io_next_warning(&warning))
      CPLError(CE_Warning, CPLE_AppDefined, "%s", warning.text);
    gv_messages_use(before);
    gv_messages_free(call->messages);
  }
  if (status != GV_OK) CPLError(CE_Failure, number_of(status), "%s", call->io.message);
  return status == GV_OK;
}
