/* Files of numbers in all formats of the library's own or GDAL's readers of archives, with any contents. They
 * are read, or rejected with a line of text. HDF5 is left to its library. */
#include "gdal_input.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/in/arrays/arrays.h"

enum { FILES = 11, GZIP = 9, FILE_BITS = 16 };

typedef struct number_file {
  char path[64];
  int descriptor;
} number_file;

static number_file files[FILES];

static void remove_files(void) {
  for (int i = 0; i < FILES; i++)
    unlink(files[i].path);
}

/* One file of each kind is written to again and again, in memory where the system has a place for that. */
static void make_files(void) {
  static const char *const endings[FILES] = {"npy",   "fvecs", "bvecs", "csv",    "ivecs",   "fbin",
                                             "u8bin", "i8bin", "npz",   "csv.gz", "b.csv.gz"};
  const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  for (int i = 0; i < FILES; i++) {
    snprintf(files[i].path, sizeof files[i].path, "%s/fuzz-%ld.%s", place, (long)getpid(), endings[i]);
    files[i].descriptor = open(files[i].path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_REQUIRE(files[i].descriptor >= 0);
  }
  atexit(remove_files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  if (files[0].path[0] == '\0') make_files();
  fuzz_begin_gdal();
  static time_t now; /* GDAL caches an archive of the same time, */
  static int turn;   /* and of the last .gz, by its name */
  int kind = data[0] % FILE_BITS % (FILES - 1);
  if (kind == GZIP) kind += turn ^= 1;
  const number_file *file = &files[kind];
  const struct timespec times[2] = {{.tv_sec = ++now}, {.tv_sec = now}};
  const bool skips = (data[0] & FILE_BITS) != 0;
  const char *path = file->path;
  FUZZ_REQUIRE(ftruncate(file->descriptor, 0) == 0);
  FUZZ_REQUIRE(pwrite(file->descriptor, data + 1, size - 1, 0) == (ssize_t)(size - 1));
  FUZZ_REQUIRE(futimens(file->descriptor, times) == 0);

  gv_io io = {.message = ""};
  const gv_array_open_options options = {.columns_option = "--columns",
                                         .usual_set = "train",
                                         .skip_invalid = skips,
                                         .set = (data[0] & 32U) != 0 ? "test" : NULL};
  gv_array_reader *reader = NULL;
  void *values = NULL;
  int64_t count = -1;
  gv_status status = gv_array_open(&io, path, &options, &reader);
  if (status == GV_OK) status = gv_array_read_all(&io, reader, &values, &count);
  if (status == GV_OK) {
    int64_t cells = count * gv_array_dim(reader);
    FUZZ_REQUIRE(count >= 0 && gv_array_dim(reader) >= 1);
    for (int64_t i = 0; i < cells; i++)
      FUZZ_REQUIRE(
          isfinite(gv_array_dtype(reader) == GV_FLOAT32 ? ((float *)values)[i] : ((double *)values)[i]));
    if (!skips) FUZZ_REQUIRE(gv_array_count(reader) < 0 || gv_array_count(reader) == count);
  }
  fuzz_check_failure(status, &io);
  gv_array_close(reader);
  free(values);
  fuzz_end_gdal();
  return 0;
}
