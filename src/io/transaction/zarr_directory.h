/* Directories of the format Zarr, which are outputs as files are. */
#ifndef GV_IO_ZARR_DIRECTORY_H
#define GV_IO_ZARR_DIRECTORY_H

#include <stdbool.h>

/*
 * True for a directory that this program has made, as its attribute "source" says, and that holds arrays and
 * their metadata only: then --overwrite may replace it as a whole. False if it cannot be read.
 */
bool gv_zarr_is_ours(const char *path);

#endif
