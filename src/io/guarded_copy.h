/* GDALCreateCopy for C, which no exception of a driver passes. */
#ifndef GV_IO_GUARDED_COPY_H
#define GV_IO_GUARDED_COPY_H

#include <gdal.h>

/* As GDALCreateCopy, not strict. An exception, as GDAL 3.13 has for NetCDF in some coordinate systems, is an
 * error of GDAL and NULL. */
GDALDatasetH gv_guarded_copy(GDALDriverH driver, const char *path, GDALDatasetH from, CSLConstList options,
                             GDALProgressFunc progress, void *progress_user);

#endif
