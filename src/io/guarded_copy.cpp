#include <exception>

extern "C" {
#include "io/guarded_copy.h"
}

GDALDatasetH gv_guarded_copy(GDALDriverH driver, const char *path, GDALDatasetH from, CSLConstList options,
                             GDALProgressFunc progress, void *progress_user) {
  try {
    return GDALCreateCopy(driver, path, from, FALSE, options, progress, progress_user);
  } catch (const std::exception &e) {
    CPLError(CE_Failure, CPLE_AppDefined, "unexpected exception: %s", e.what());
    return nullptr;
  }
}
