/*
 * Options of a file from another source, a part file or a description: none decides that a file is replaced,
 * or which files are written without being named as outputs.
 */
#ifndef GV_JOB_FOREIGN_OPTIONS_H
#define GV_JOB_FOREIGN_OPTIONS_H

#include "job/description/description.h"

typedef enum gv_foreign_file { GV_FOREIGN_PART, GV_FOREIGN_DESCRIPTION } gv_foreign_file;

/* Removes from `run`, the description in a part file, the outputs, --overwrite, and options that have an
 * effect only for outputs that `own`, merge's command line, does not name. A warning names the options for
 * outputs that the parts' run had. */
gv_status gv_foreign_drop_outputs(gv_io *io, const gv_description *own, gv_description *run);

/* Removes --overwrite. */
void gv_foreign_drop_overwrite(gv_description *description);

/* An error if an option that is not from the command line is unsafe: a driver option that may name a file to
 * be written, or be a statement; a pipe or device; in a part file a source that is opened and is text, a
 * connection, or a file that describes other sources (VRT, WMS ...), which may run SQL or write a cache.
 * GDAL's drivers must be registered. */
gv_status gv_foreign_check(gv_io *io, const gv_description *description, gv_foreign_file from);

/* An error if an output that is not from the command line exists, also if only a layer would be added to it;
 * `overwrite`: of the command line. */
gv_status gv_foreign_check_outputs(gv_io *io, const gv_description *description, bool overwrite);

#endif
