/*
 * Arrays of numbers to files: .npy, .ivecs and CSV, row by row, put in their place like all outputs
 * (io/transaction/output.h), or on the standard output once they are complete.
 */
#ifndef GV_IO_ARRAY_OUT_H
#define GV_IO_ARRAY_OUT_H

#include "io/transaction/output.h"

typedef struct gv_array_writer gv_array_writer;

typedef enum gv_array_format {
  GV_ARRAY_NPY_INT64,   /* rows x columns of int64 */
  GV_ARRAY_NPY_FLOAT64, /* rows x columns of float64 */
  GV_ARRAY_IVECS,       /* TEXMEX: rows of int32 after their number; values are passed as int64 */
  GV_ARRAY_CSV          /* text lines, by gv_array_print */
} gv_array_format;

/* Whether `path` is the standard output: "-" or "/dev/stdout". */
bool gv_array_is_stream(const char *path);

/* Begins the output at `path`. Fails if path exists, unless overwrite is set. 0 columns: a .npy of one
 * dimension. */
gv_status gv_array_create(gv_io *io, const char *path, bool overwrite, gv_array_format format,
                          int32_t columns, gv_array_writer **out);

/* Appends rows of a .npy or .ivecs. */
gv_status gv_array_write(gv_io *io, gv_array_writer *writer, const void *rows, int64_t count);

/* Appends text (at most 255 bytes a call) to a CSV. */
gv_status gv_array_print(gv_io *io, gv_array_writer *writer, const char *format, ...) GV_IO_PRINTF(3, 4);

/* Completes the file; gv_outputs_commit then moves it into place. */
gv_status gv_array_finish(gv_io *io, gv_array_writer *writer);
/* NULL: it is the standard output. */
gv_output *gv_array_output(gv_array_writer *writer);

/* Frees the writer; a file that was not moved is removed. NULL is allowed. */
void gv_array_discard(gv_array_writer *writer);

#endif
