/* What creating, writing and finishing a raster share. */
#include "io/out/raster_file.h"

#include <stdlib.h>

#include <cpl_conv.h>
#include <cpl_multiproc.h>
#include <cpl_string.h>

#include "core/parallel.h"
#include "io/strings.h"

bool gv_raster_limit_threads(char ***options) {
  const char *requested = CSLFetchNameValue(*options, "NUM_THREADS");
  if (requested == NULL) return true;
  int wanted = EQUAL(requested, "ALL_CPUS") ? CPLGetNumCPUs() : atoi(requested);
  return gv_strings_set(options, "NUM_THREADS", CPLSPrintf("%d", gv_threads_available(wanted)));
}

gv_status gv_raster_open_source(gv_io *io, const gv_raster_out *raster, GDALDatasetH *out) {
  /* GDAL 3.6 cannot decode several planes in threads. */
  char **how = NULL;
  bool complete =
      raster->is.bands > 1 || gv_strings_set(&how, "NUM_THREADS", CPLSPrintf("%d", raster->threads));
  if (!complete || !gv_raster_limit_threads(&how)) {
    gv_strings_free(how);
    return gv_io_fail_memory(io, "the options of a raster");
  }
  gv_gdal_reset();
  *out = GDALOpenEx(raster->work, GDAL_OF_RASTER, NULL, (const char *const *)how, NULL);
  gv_strings_free(how);
  if (*out != NULL && !gv_gdal_lost()) return GV_OK;
  return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read the temporary raster");
}

GDALDatasetH gv_raster_dataset(const gv_raster_out *raster) {
  return raster->writer.dataset;
}

char **gv_raster_creation_options(const gv_raster_out *raster) {
  return raster->work_options != NULL ? raster->work_options : raster->options;
}

gv_place *gv_raster_place(gv_raster_out *raster) {
  return &raster->writer.place;
}

bool gv_raster_copies(const gv_raster_out *raster) {
  return raster->copies;
}

void gv_raster_close(gv_raster_out *raster) {
  if (raster == NULL) return;
  if (raster->tiff != NULL) gv_tiff_close(raster->tiff);
  gv_writer_abandon(&raster->writer);
  free(raster->work);
  gv_strings_free(raster->options);
  gv_strings_free(raster->work_options);
  gv_variable_free(&raster->variable);
  free(raster);
}
