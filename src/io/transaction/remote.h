/* Objects of cloud storage (/vsis3/, /vsigs/, /vsiaz/ ...), to which outputs are copied (remote_copies.h). */
#ifndef GV_IO_REMOTE_H
#define GV_IO_REMOTE_H

#include <sys/types.h>

#include "io/io.h"

/* The local directory for temporary files: CPL_TMPDIR, TMPDIR or /tmp. Not to be freed. */
const char *gv_remote_temporary(void);

/* True if there is such an object. GDAL's stored results about the path are discarded: other programs may
 * have changed it. */
bool gv_remote_exists(const char *path);

/* The mode of a file or object; false: there is none. */
bool gv_remote_mode(const char *path, mode_t *mode);

/* Of an object: checks the credentials, and that no layer is added to it (`amends`). Other paths must be
 * those of a disk. */
gv_status gv_remote_check(gv_io *io, const char *path, bool amends);

#endif
