#include "io/out/files/remote.h"

#include <cpl_conv.h>
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
  VSICurlPartialClearCache(path);
  VSIErrorReset();
  return VSIStatExL(path, &found, VSI_STAT_EXISTS_FLAG | VSI_STAT_NATURE_FLAG | VSI_STAT_SET_ERROR_FLAG) == 0;
}

gv_status gv_remote_check(gv_io *io, const char *path, bool amends) {
  if (gv_object_has_dots(path))
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "output %s: unsupported name: \".\" or \"..\" in the path of an object; use its plain path",
                      path);
  bool there = gv_remote_exists(path);
  int error = there ? 0 : VSIGetLastErrorNo();
  if (error != 0 && error != VSIE_AWSObjectNotFound) return gv_io_fail_foreign(io, path, VSIGetLastErrorMsg());
  if (there && amends)
    return gv_io_fail(io, GV_ERROR_IO,
                      "output %s: unsupported: adding a layer to an object of cloud storage; choose another name",
                      path);
  return GV_OK;
}
