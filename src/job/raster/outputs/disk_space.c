#include "job/raster/outputs/disk_space.h"

#include <stdlib.h>

#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/path.h"

gv_status gv_job_check_space(gv_io *io, const char *temporary, double bytes) {
  double left = (double)VSIGetDiskFreeSpace(temporary);
  if (left < 0.0 || left >= bytes) return GV_OK; /* below 0: unknown */
  char *folder = gv_path_parent(temporary);
  gv_status status = gv_io_fail(io, GV_ERROR_IO,
                                "%s: too little disk space for the parts of all ranks and the merged raster (%.3g "
                                "of %.3g GB); free some, or use another disk",
                                folder != NULL ? folder : temporary, left * 1e-9, bytes * 1e-9);
  free(folder);
  return status;
}

/* The sizes of compressed rasters are unknown at this point: they are checked before merging (ranks.c). */
gv_status gv_run_check_space(gv_io *io, const gv_run_plan *p) {
  const gv_job *j = p->job;
  const char *compression = CSLFetchNameValueDef(j->raster.creation_options, "COMPRESS", "");
  double cell = 0.0;
  if (!j->spread || j->part != 1 || !EQUAL(compression, "NONE")) return GV_OK;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (p->slot[i] >= 0) cell += p->bands[i] * GDALGetDataTypeSizeBytes(p->type[i]);
  char *folder = gv_path_parent(j->raster.path);
  if (folder == NULL) return gv_io_fail_memory(io, "a file name");
  gv_status status = gv_job_check_space(io, folder, 2.0 * cell * (double)p->width * (double)p->height);
  free(folder);
  return status;
}
