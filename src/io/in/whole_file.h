/* Files as texts and bytes, from any container: compressed files, archives, UTF-16, pipes. */
#ifndef GV_IO_WHOLE_FILE_H
#define GV_IO_WHOLE_FILE_H

#include <stdio.h>

#include "io/io.h"

/*
 * The name of a layer's file for GDAL: for files that GDAL cannot read directly (gzip, CSV in UTF-16 or with
 * only a WKT column), that of a copy in memory. Release it with gv_layer_name_free.
 */
gv_status gv_layer_name(gv_io *io, const char *path, char **name);
void gv_layer_name_free(char *name);

/* Opens a text file. *memory is NULL, or memory to free after the file is closed. */
gv_status gv_text_file_open(gv_io *io, const char *path, FILE **file, void **memory);

#endif
