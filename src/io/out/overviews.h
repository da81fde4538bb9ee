/*
 * Overviews of a raster of ids, by nearest cell: each is a GeoTIFF of half the size beside the one before
 * (.ovr, .ovr.ovr ...), where GDAL finds them. All threads read, thin out and encode TIFF tiles; GDAL makes
 * overviews in one, and rounds ids above 2^24.
 *
 * Gain: without them a COG of 7,700 airports, 10800x5400, takes 1.56 times the CPU time.
 */
#ifndef GV_IO_OVERVIEWS_H
#define GV_IO_OVERVIEWS_H

#include "io/out/raster_out.h"

/* Makes the overviews of a GeoTIFF in `path`, which must not be open for writing, until one has at most
 * `largest` columns and rows. `of`: its size, type, nodata and bands. */
gv_status gv_overviews_write(gv_io *io, const char *path, const gv_raster_description *of, int64_t largest,
                             int threads);

#endif
