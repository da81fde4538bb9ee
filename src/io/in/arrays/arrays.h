/*
 * Arrays of numbers from files: .npy, .fvecs, .bvecs and CSV. Read row by row, so that an array need not fit
 * into memory.
 */
#ifndef GV_IO_ARRAYS_H
#define GV_IO_ARRAYS_H

#include "io/io.h"

typedef enum gv_header { GV_HEADER_AUTO, GV_HEADER_YES, GV_HEADER_NO } gv_header;

typedef struct gv_array_open_options {
  /* of text: names, or numbers from 1, with commas between them; NULL = all but ids */
  const char *columns;
  const char *columns_option; /* name of the columns option, for messages */
  gv_header header;           /* of text: with GV_HEADER_AUTO a first line that is not numeric is a heading */
  const char *set;            /* of a file with several arrays; NULL = `usual_set`, or the only one */
  const char *usual_set;
  bool skip_invalid; /* rows that cannot be used are left out and counted */
} gv_array_open_options;

/* A file of count x dim numbers being read from its beginning to its end. */
typedef struct gv_array_reader gv_array_reader;

/*
 * Opens a file by its extension: .npy (floats, integers and bool of either byte order, one or two dimensions,
 * versions 1 to 3), .npz, .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin, .hdf5 and .h5 if GDAL supports them;
 * all others are read as text: numbers with the separator of the first line (gv_separator_of; decimal commas
 * with semicolons), the first line may be a header, lines that start with # and empty lines are skipped.
 * Errors name the file and the reason: IO, INVALID_ARGUMENT, OUT_OF_MEMORY.
 */
gv_status gv_array_open(gv_io *io, const char *path, const gv_array_open_options *options,
                        gv_array_reader **out);
void gv_array_close(gv_array_reader *reader);

/* Numbers a row, the type rows are delivered in (float32 if it holds all values of the file's type), and the
 * number of rows (-1: text, not known before its end). */
int32_t gv_array_dim(const gv_array_reader *reader);
gv_dtype gv_array_dtype(const gv_array_reader *reader);
int64_t gv_array_count(const gv_array_reader *reader);

/* Reads up to `rows` rows into `out` (rows x dim values of gv_array_dtype); *got < rows only at the end. A
 * value that is not finite, or an integer that a double cannot hold exactly, is an error that names the
 * row. */
gv_status gv_array_read(gv_io *io, gv_array_reader *reader, int64_t rows, void *out, int64_t *got);

/*
 * Reads rows first ... first + rows - 1 of a file that is not text, independent of the reader's position. Any
 * number of threads at once, each with its own `io`. Errors as gv_array_read.
 */
gv_status gv_array_read_at(gv_io *io, const gv_array_reader *reader, int64_t first, int64_t rows, void *out);

/* Skips up to `rows` rows; *skipped < rows only at the end. Text is read line by line. */
gv_status gv_array_skip(gv_io *io, gv_array_reader *reader, int64_t rows, int64_t *skipped);

/* Fails if an index of so many rows needs more memory than --memory allows. */
gv_status gv_array_check_memory(gv_io *io, const gv_array_reader *reader, int64_t rows);

/* Reads all remaining rows into memory of malloc. */
gv_status gv_array_read_all(gv_io *io, gv_array_reader *reader, void **out, int64_t *count);

/* Number of rows left out so far, and the error of the first. */
int64_t gv_array_skipped(const gv_array_reader *reader, const char **first);

/* Whether files of that name hold several arrays. */
bool gv_array_has_sets(const char *path);

/* True for a name that gv_array_open reads as text. */
bool gv_array_is_text(const char *path);

/* Whether the first line of a text file names a longitude and a latitude column, or one of WKT: such a table
 * is a layer. */
gv_status gv_array_is_layer(gv_io *io, const char *path, bool *is);

#endif
