/*
 * Places of cells from arrays of longitudes and latitudes: two-dimensional coordinates of curvilinear grids
 * and swaths, one place a cell of unstructured meshes, axes of regular grids, in files of GDAL's
 * multidimensional drivers (NetCDF, Zarr).
 */
#ifndef GV_IO_PLACE_ARRAYS_H
#define GV_IO_PLACE_ARRAYS_H

#include "io/in/seeds.h"

/* True if the name is one of such a file. */
bool gv_place_arrays_may_be(const char *source);

/*
 * The places in the order of the arrays, which are chosen by gv_place_list_choose (variable: NULL, or the one
 * to follow); fids are numbers from 0. *found: false if the file has no such arrays. `out` must be
 * GV_SEED_LIST_INIT, and is freed by gv_seeds_free.
 */
gv_status gv_place_arrays_read(gv_io *io, const char *source, const char *variable, gv_seed_list *out,
                               bool *found);

#endif
