#include "io/out/writer.h"

gv_status gv_writer_begin(gv_io *io, gv_writer *writer) {
  GV_TRY(gv_place_begin(io, &writer->place));
  gv_gdal_reset();
  return GV_OK;
}

gv_status gv_writer_fail(gv_io *io, const gv_writer *writer) {
  return gv_place_fail(io, &writer->place, "write");
}

gv_status gv_writer_fail_create(gv_io *io, const gv_writer *writer) {
  return gv_place_fail(io, &writer->place, "create");
}

/* GDALClose reports a full disk only to the message handler. */
gv_status gv_writer_close(gv_io *io, const gv_writer *writer, GDALDatasetH *dataset, gv_status status) {
  GDALDatasetH made = *dataset;
  *dataset = NULL;
  if (made == NULL) return status;
  GDALClose(made);
  return status == GV_OK && gv_gdal_failed() ? gv_writer_fail(io, writer) : status;
}

gv_status gv_writer_finish(gv_io *io, gv_writer *writer, gv_status status) {
  status = gv_writer_close(io, writer, &writer->dataset, status);
  return status == GV_OK ? gv_place_check_written(io, &writer->place) : status;
}

void gv_writer_abandon(gv_writer *writer) {
  if (writer->dataset != NULL) GDALClose(writer->dataset);
  writer->dataset = NULL;
  gv_place_clear(&writer->place);
}
