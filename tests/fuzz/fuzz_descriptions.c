/* Descriptions of runs: they result in settings, or in one line with the reason. */
#include "fuzz.h"

#include <cpl_error.h>

#include "io/source_name.h"
#include "job/description/conflicts.h"
#include "job/description/description.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  CPLSetErrorHandler(gv_io_take_message);
  for (int outputs = 0; outputs < 2; outputs++) {
    gv_io io = {.cancelled = NULL};
    gv_description d = {0};
    gv_job_settings s;
    gv_job_settings_begin(&s);
    gv_status status =
        gv_description_parse(&io, (const char *)data, size, "fuzz", "/folder", outputs != 0, &d);
    if (status == GV_OK) status = gv_description_apply(&io, &d, &s);
    if (status == GV_OK) status = gv_job_settings_check(&io, &s);
    FUZZ_REQUIRE(status == GV_OK || (io.message[0] != '\0' && strchr(io.message, '\n') == NULL));
    FUZZ_REQUIRE(status != GV_OK || (s.job.seeds.source != NULL) != (s.job.raster_seeds.source != NULL));
    gv_job_settings_clear(&s);
    gv_description_free(&d);
    gv_source_forget();
  }
  return 0;
}
