/* The separator of the fields of a text file: OGR's rule, for arrays and layers. */
#ifndef GV_IO_SEPARATOR_H
#define GV_IO_SEPARATOR_H

#include "io/io.h"

/*
 * The comma, semicolon, tab or bar in a file's first line outside quotes; a blank if the line has only blanks
 * between fields, else a comma. '\0' if the line has two kinds of them and is ambiguous; OGR uses the comma.
 */
char gv_separator_of(const char *line);

/* The same for the first line of a file that GDAL reads; '\0' if it is not a file. */
gv_status gv_separator_of_file(gv_io *io, const char *path, char *out);

/* As gv_parse_number; between semicolons, numbers may have decimal commas. */
bool gv_parse_separated(const char *text, char separator, double *out);

#endif
