/*
 * One output of GDAL's while it is written: what rasters, tables, meshes and virtual rasters have in common.
 *
 *   gv_place_plan        before any work: checks the path, and what the file holds
 *   gv_writer_begin      makes the temporary directory
 *   blocks               by each kind: tiles (raster_out.h), rows (layer_out.h), cells (mesh_sink.h)
 *   gv_writer_finish     closes the dataset: the file is complete, and gv_places_commit may move it into
 *                        place
 *   gv_writer_abandon    in any case at the end: removes what is not in place, and frees
 */
#ifndef GV_IO_WRITER_H
#define GV_IO_WRITER_H

#include "io/out/place.h"

/* Begins as {0}; must stay where it is once its place is planned. */
typedef struct gv_writer {
  gv_place place;
  GDALDatasetH dataset; /* NULL = not open */
} gv_writer;

/* Makes the temporary directory, unless another output of the same file has; from here on GDAL's failures are
 * this output's. */
gv_status gv_writer_begin(gv_io *io, gv_writer *writer);

/* Fails with "cannot write PATH", or "cannot create PATH", and GDAL's message. */
gv_status gv_writer_fail(gv_io *io, const gv_writer *writer);
gv_status gv_writer_fail_create(gv_io *io, const gv_writer *writer);

/* Closes a dataset of the output: its own, or another; NULL is allowed. Returns `status`, or an error if GDAL
 * has reported one, for example when it wrote the rest. */
gv_status gv_writer_close(gv_io *io, const gv_writer *writer, GDALDatasetH *dataset, gv_status status);

/* Closes its own; then looks for files that were cut short (gv_output_check_written). */
gv_status gv_writer_finish(gv_io *io, gv_writer *writer, gv_status status);

void gv_writer_abandon(gv_writer *writer);

#endif
