/* For LD_PRELOAD: the n-th dataset that GDAL is to create, n being $FATAL, finds that GDAL has run out of
 * memory. */
#include <dlfcn.h>
#include <stdlib.h>

void CPLError(int level, int number, const char *format, ...);

void *GDALCreate(void *driver, const char *name, int width, int height, int bands, int type, char **options);

void *GDALCreate(void *driver, const char *name, int width, int height, int bands, int type, char **options) {
  static int calls;
  const char *number = getenv("FATAL");
  if (number != NULL && ++calls == atoi(number))
    CPLError(4, 2, "CPLMalloc(): Out of memory\nallocating 7 bytes.");
  void *(*real)(void *, const char *, int, int, int, int, char **) =
      (void *(*)(void *, const char *, int, int, int, int, char **))dlsym(RTLD_NEXT, "GDALCreate");
  return real(driver, name, width, height, bands, type, options);
}
