/* The smallest program that uses the installed library: it makes a context and reports what it found. */
#include <gpuvoronoi/gpuvoronoi.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  gv_context *context = NULL;
  if (gv_context_create(NULL, &context) != GV_OK) return 1;
  if (strcmp(gv_version(), GV_VERSION_STRING) != 0) return 1;
  int devices = 0;
  gv_status status = gv_device_count(context, &devices);
  printf("gpuvoronoi %s, %d threads, ", gv_version(), gv_context_threads(context));
  if (status == GV_OK) {
    printf("%d CUDA devices\n", devices);
  } else {
    printf("no CUDA device: %s\n", gv_context_message(context));
  }
  gv_context_destroy(context);
  return 0;
}
