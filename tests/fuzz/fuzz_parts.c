/* Part files: read, or one line that gives the reason. Input that begins with '{' is the description of a
 * file with a valid hash, as an attacker would make it; other input is the whole file. */
#include "fuzz.h"
#include "gpuvoronoi/geometries.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cpl_error.h>

#include "io/retry.h"
#include "io/source_name.h"
#include "job/description/description.h"
#include "job/description/foreign_options.h"
#include "job/raster/parts/part_file.h"

enum { CONTENT = 8192, FOOTER = 32 };

static int file = -1;
static char path[64];

static void write_file(const uint8_t *data, size_t size) {
  static const unsigned char zeros[CONTENT];
  unsigned char footer[FOOTER] = "GVPART\r\n";
  if (file < 0) {
    file = memfd_create("part", MFD_CLOEXEC);
    FUZZ_REQUIRE(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  FUZZ_REQUIRE(gv_retry_truncate(file, 0) == 0);
  if (size == 0 || data[0] != '{') {
    FUZZ_REQUIRE(gv_retry_write_all_at(file, data, size, 0));
    return;
  }
  gv_part_put_number(footer + 8, CONTENT);
  gv_part_put_number(footer + 16, size);
  gv_part_put_number(footer + 24, gv_part_hash(0, data, size));
  FUZZ_REQUIRE(gv_retry_write_all_at(file, zeros, CONTENT, 0) &&
               gv_retry_write_all_at(file, data, size, CONTENT) &&
               gv_retry_write_all_at(file, footer, FOOTER, (off_t)(CONTENT + size)));
}

static gv_status take_record(gv_io *io, void *user, const unsigned char *record) {
  unsigned *sum = user;
  (void)io;
  *sum += record[0];
  return GV_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gv_io io = {.cancelled = NULL};
  gv_part part = {0};
  unsigned sum = 0;
  CPLSetErrorHandler(gv_io_take_message);
  write_file(data, size);
  gv_status status = gv_part_open(&io, path, &part);
  FUZZ_REQUIRE(status == GV_OK || (io.message[0] != '\0' && strchr(io.message, '\n') == NULL));
  if (status == GV_OK) {
    gv_description run = {0}, own = {0};
    status = gv_part_run(&io, &part, &run);
    if (status == GV_OK) status = gv_foreign_drop_outputs(&io, &own, &run);
    if (status == GV_OK) (void)gv_foreign_check(&io, &run, GV_FOREIGN_PART);
    for (int64_t i = 0; i < run.count && status == GV_OK; i++)
      FUZZ_REQUIRE(run.list[i].option != &gv_job_out && strcmp(run.list[i].option->name, "overwrite") != 0);
    gv_description_free(&run);
    (void)gv_part_check(&io, &part, true);
    FUZZ_REQUIRE(gv_part_records(&io, &part, take_record, &sum) == GV_OK);
    for (int i = 0; i < GV_RUN_RASTERS; i++)
      free(gv_part_raster(&part, i, path));
  }
  gv_part_free(&part);
  gv_source_forget();
  return 0;
}
