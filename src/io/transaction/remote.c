#include "io/transaction/remote.h"

#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <cpl_vsi_error.h>

#include "io/object_name.h"

const char *gv_remote_temporary(void) {
  const char *directory = CPLGetConfigOption("CPL_TMPDIR", NULL);
  if (directory == NULL) directory = CPLGetConfigOption("TMPDIR", NULL);
  return directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

bool gv_remote_exists(const char *path) {
  VSIStatBufL found;
  /* with the lists of names that openings of its neighbors left */
  VSICurlPartialClearCache(CPLGetPath(path));
  VSIErrorReset();
  return VSIStatExL(path, &found, VSI_STAT_EXISTS_FLAG | VSI_STAT_NATURE_FLAG | VSI_STAT_SET_ERROR_FLAG) == 0;
}

bool gv_remote_mode(const char *path, mode_t *mode) {
  VSIStatBufL found;
  if (VSIStatL(path, &found) != 0) return false;
  *mode = found.st_mode;
  return true;
}

static gv_status remote_check_disk(gv_io *io, const char *path) {
  char **prefixes = VSIGetFileSystemsPrefixes();
  gv_status status = GV_OK;
  for (char **one = prefixes; status == GV_OK && one != NULL && *one != NULL; one++) {
    size_t length = strlen(*one);
    if (length == 0 || strncmp(path, *one, length) != 0) continue;
    status =
        gv_io_fail(io, GV_ERROR_IO,
                   "the output %s is in a virtual file system that outputs cannot be written to; write it to "
                   "a disk or to cloud "
                   "storage (/vsis3/, /vsigs/, /vsiaz/)",
                   path);
  }
  CSLDestroy(prefixes);
  return status;
}

gv_status gv_remote_check(gv_io *io, const char *path, bool amends) {
  if (!gv_object_is(path)) return remote_check_disk(io, path);
  if (gv_object_has_dots(path))
    return gv_io_fail(
        io, GV_ERROR_INVALID_ARGUMENT,
        "output %s: unsupported name: \".\" or \"..\" in the path of an object; use its plain path", path);
  bool there = gv_remote_exists(path);
  int error = there ? 0 : VSIGetLastErrorNo();
  if (error != 0 && error != VSIE_AWSObjectNotFound)
    return gv_io_fail_foreign(io, path, VSIGetLastErrorMsg());
  if (there && amends)
    return gv_io_fail(
        io, GV_ERROR_IO,
        "output %s: unsupported: adding a layer to an object of cloud storage; choose another name", path);
  return GV_OK;
}
