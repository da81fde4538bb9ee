/* Formats that write the name of their file into it. */
#ifndef GV_IO_OWN_NAME_H
#define GV_IO_OWN_NAME_H

#include <gdal.h>

#include "io/io.h"

/* True if the driver's (NULL: none of GDAL's) files have their own path within, which would be that in the temporary directory. */
bool gv_names_itself(GDALDriverH driver);

/* Where the file that was made at `work`, complete and closed, has that path, the name of `path`, its place, takes it, with blanks to
 * its length. */
gv_status gv_own_name_mend(gv_io *io, const char *work, const char *path);

#endif
