/*
 * Arrays of numbers in files: .npy, .fvecs, .bvecs and CSV in, .npy and CSV out. Read row by row, so that an array
 * need not fit into memory; written into a temporary directory (io/output.h).
 */
#ifndef GV_IO_ARRAYS_H
#define GV_IO_ARRAYS_H

#include "io/io.h"
#include "io/out/output.h"

/* A file of count x dim numbers being read from its beginning to its end. */
typedef struct gv_array_reader gv_array_reader;

/*
 * Opens a file by its extension: .npy (float32, float64, integers and bool of either byte order, C order, one or two
 * dimensions, versions 1 to 3), .fvecs, .bvecs; anything else is read as text: numbers separated by commas,
 * semicolons, tabs or blanks, the first line may be a header, lines that start with # and empty lines are skipped.
 * Errors name the file and the reason: IO, INVALID_ARGUMENT, OUT_OF_MEMORY.
 */
gv_status gv_array_open(gv_io *io, const char *path, gv_array_reader **out);
void gv_array_close(gv_array_reader *reader);

/* Numbers a row, the type rows are delivered in, and the number of rows (-1: text, not known before its end). */
int32_t gv_array_dim(const gv_array_reader *reader);
gv_dtype gv_array_dtype(const gv_array_reader *reader);
int64_t gv_array_count(const gv_array_reader *reader);

/* Reads up to `rows` rows into `out` (rows x dim values of gv_array_dtype); *got < rows only at the end. A value that
 * is not finite, or an integer that a double cannot hold exactly, is an error that names the row. */
gv_status gv_array_read(gv_io *io, gv_array_reader *reader, int64_t rows, void *out, int64_t *got);

/* Reads all that is left into memory of malloc. */
gv_status gv_array_read_all(gv_io *io, gv_array_reader *reader, void **out, int64_t *count);

/* True for a name that gv_array_open reads as text. */
bool gv_array_is_text(const char *path);

/* True if the first line of a text file names both a longitude and a latitude column: such a table is a point layer. */
bool gv_array_has_lonlat(const char *path);

/* ------------------------------------------------------------------------------------------------- writing */

typedef struct gv_array_writer gv_array_writer;

typedef enum gv_array_format {
  GV_ARRAY_NPY_INT64,   /* rows x columns of int64 */
  GV_ARRAY_NPY_FLOAT64, /* rows x columns of float64 */
  GV_ARRAY_CSV          /* text lines, by gv_array_print */
} gv_array_format;

/* Begins the output at `path`. Fails if path exists, unless overwrite is set. */
gv_status gv_array_create(gv_io *io, const char *path, bool overwrite, gv_array_format format, int32_t columns,
                          gv_array_writer **out);

/* Appends rows of a .npy. */
gv_status gv_array_write(gv_io *io, gv_array_writer *writer, const void *rows, int64_t count);

/* Appends text (at most 255 bytes a call) to a CSV. */
gv_status gv_array_print(gv_io *io, gv_array_writer *writer, const char *format, ...) GV_IO_PRINTF(3, 4);

/* Completes the file; gv_outputs_commit then moves it into place. */
gv_status gv_array_finish(gv_io *io, gv_array_writer *writer);
gv_output *gv_array_output(gv_array_writer *writer);

/* Frees the writer; a file that was not moved is removed. NULL is allowed. */
void gv_array_discard(gv_array_writer *writer);

#endif
