/* What counts of the options in a part file, which may come from elsewhere: none that decides which files are written or replaced. */
#ifndef GV_CLI_MERGE_PART_OPTIONS_H
#define GV_CLI_MERGE_PART_OPTIONS_H

#include "job/description.h"

/* Takes out of `run`, the description in a part file, the outputs, --overwrite, and what is of use only for outputs that `own`, merge's
 * command line, does not name. A warning names the options for outputs that the parts' run had. */
gv_status gv_part_options_drop_outputs(gv_io *io, const gv_description *own, gv_description *run);

/* An error if a driver option that is not from the command line may name a file to be written, or be a statement. GDAL's drivers must be
 * registered. */
gv_status gv_part_options_check(gv_io *io, const gv_description *description);

#endif
