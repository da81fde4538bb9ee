/* Files as texts and bytes, whatever they are kept in: compressed files, archives, UTF-16, pipes. */
#ifndef GV_IO_WHOLE_FILE_H
#define GV_IO_WHOLE_FILE_H

#include <stdio.h>

#include "io/io.h"

/* The name by which GDAL reads a file: that of a gzip file, by its ending, is one of /vsigzip/. To be freed; NULL: out of memory. */
char *gv_file_name_for_gdal(const char *path);

/* All bytes of a file that GDAL can open, in memory of malloc, with a NUL behind them. */
gv_status gv_file_read(gv_io *io, const char *path, unsigned char **bytes, int64_t *size);

/* Whether a file begins with the byte order mark of UTF-16. */
bool gv_file_is_utf16(const char *path);

/* UTF-16 with its mark, as UTF-8 in memory of malloc with a NUL behind it; NULL: out of memory. Lone surrogates become U+FFFD. */
char *gv_utf16_to_utf8(const unsigned char *bytes, int64_t size, int64_t *length);

/* A text file to read. *memory is NULL, or what is to be freed after the file is closed. */
gv_status gv_text_file_open(gv_io *io, const char *path, FILE **file, void **memory);

#endif
