/* Which options of a part file, which may come from another source, are used: none that decides which files are
 * written or replaced. */
#ifndef GV_CLI_MERGE_PART_OPTIONS_H
#define GV_CLI_MERGE_PART_OPTIONS_H

#include "job/raster/plan/description.h"

/* Removes from `run`, the description in a part file, the outputs, --overwrite, and options that have an effect
 * only for outputs that `own`, merge's command line, does not name. A warning names the options for outputs that
 * the parts' run had. */
gv_status gv_part_options_drop_outputs(gv_io *io, const gv_description *own, gv_description *run);

/* An error if an option that is not from the command line is unsafe: a driver option that may name a file to be written, or be a statement;
 * a source that is opened and is text, a connection, a pipe or device, or a file that describes other sources (VRT, WMS ...), which may
 * run SQL or write a cache. GDAL's drivers must be registered. */
gv_status gv_part_options_check(gv_io *io, const gv_description *description);

#endif
