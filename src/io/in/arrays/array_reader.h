/* Shared by the files that read arrays: arrays.c reads rows, array_files.c opens binary files, array_text.c
 * reads text; these use array_reader.c. */
#ifndef GV_IO_ARRAY_READER_H
#define GV_IO_ARRAY_READER_H

#include <stdio.h>

#include "io/in/arrays/arrays.h"

struct gv_array_reader {
  FILE *file; /* NULL: the bytes are in memory */
  char *path;
  gv_array_open_options options;
  bool text;
  int32_t dim;
  int64_t count, row; /* row: the next one */
  int64_t skipped;    /* rows left out, and the error of the first */
  char skipped_first[256];
  /* Values. */
  char type; /* 'f' float, 'i' signed, 'u' unsigned */
  int bytes; /* of a value */
  bool big_endian;
  bool fortran;  /* columns lie behind each other, not rows */
  int prefix;    /* bytes in front of each row: its dimension */
  int64_t start; /* of the rows in the file */
  /* Text. */
  void *memory; /* of the file, or NULL */
  char *line;   /* the current line, and whether it is waiting to be read */
  size_t line_capacity;
  int64_t line_number;
  bool line_waiting;
  char separator; /* '\0' until the first line is there */
  char *header;   /* that line, if it is a heading; else NULL */
  int64_t columns;
  int32_t *place; /* of each column: its coordinate, or -1 */
};

gv_status gv_array_open_values(gv_io *io, gv_array_reader *reader);

/* array_sets.c: copies a pipe, a file of GDAL's virtual file systems, a member of an archive or a dataset to
 * a temporary file. */
gv_status gv_array_take_pipe(gv_io *io, gv_array_reader *reader);
gv_status gv_array_take_virtual(gv_io *io, gv_array_reader *reader);
gv_status gv_array_take_npz(gv_io *io, gv_array_reader *reader);
gv_status gv_array_take_hdf5(gv_io *io, gv_array_reader *reader);

gv_status gv_array_open_text(gv_io *io, gv_array_reader *reader);
gv_status gv_array_read_text(gv_io *io, gv_array_reader *reader, int64_t rows, double *out, int64_t *got);

/* One row less to read; false at the end (*status). */
bool gv_array_skip_line(gv_io *io, gv_array_reader *reader, gv_status *status);

/* Handles a row that cannot be used (error in io->message): it is counted if it may be left out. */
bool gv_array_leave_out(gv_io *io, gv_array_reader *reader, gv_status status);

uint64_t gv_little_endian(const unsigned char *bytes, int count);

/* Fails with an error of the file; a read error is reported instead if there is one. */
gv_status gv_array_fail_file(gv_io *io, const gv_array_reader *reader, const char *reason);
gv_status gv_array_check_dim(gv_io *io, const gv_array_reader *reader, int64_t dim);

#endif
