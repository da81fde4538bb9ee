/* Files of numbers: .npy, .fvecs, .bvecs, text, whatever is in them. They are read, or refused with a line of text. */
#include "fuzz.h"

#include <math.h>
#include <unistd.h>

#include "io/in/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[] = {"a.npy", "a.fvecs", "a.bvecs", "a.csv"};
  static char path[64];
  if (size == 0) return 0;
  snprintf(path, sizeof path, "/tmp/fuzz-%ld-%s", (long)getpid(), names[data[0] % 4]);
  FILE *file = fopen(path, "wb");
  FUZZ_REQUIRE(file != NULL && fwrite(data + 1, 1, size - 1, file) == size - 1 && fclose(file) == 0);

  gv_io io = {.message = ""};
  gv_array_reader *reader = NULL;
  void *values = NULL;
  int64_t count = -1;
  gv_status status = gv_array_open(&io, path, &reader);
  if (status == GV_OK) status = gv_array_read_all(&io, reader, &values, &count);
  if (status == GV_OK) {
    int64_t cells = count * gv_array_dim(reader);
    FUZZ_REQUIRE(count >= 0 && gv_array_dim(reader) >= 1);
    for (int64_t i = 0; i < cells; i++)
      FUZZ_REQUIRE(isfinite(gv_array_dtype(reader) == GV_FLOAT32 ? ((float *)values)[i] : ((double *)values)[i]));
  } else {
    FUZZ_REQUIRE(io.message[0] != '\0');
  }
  gv_array_close(reader);
  free(values);
  remove(path);
  return 0;
}
