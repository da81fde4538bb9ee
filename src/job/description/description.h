/*
 * Description of a run: its options with their values, as a command line or as JSON
 * (docs/voronoi.schema.json).
 *
 * In JSON the keys are the options' names; options of outputs (files, formats) are in the object "outputs",
 * OUT is its "raster". Relative file names are resolved against the directory of the description.
 */
#ifndef GV_JOB_DESCRIPTION_H
#define GV_JOB_DESCRIPTION_H

#include "io/text.h"
#include "io/transaction/output.h"
#include "job/description/settings.h"

typedef struct gv_given {
  const gv_option *option;
  char *value;      /* NULL without a value */
  const char *from; /* the description it is from; NULL = the command line */
} gv_given;

/* Begins as {0}. */
typedef struct gv_description {
  gv_given *list; /* in their order */
  int64_t count, room;
  char *name; /* of the file */
} gv_description;

void gv_description_free(gv_description *description);

/* Adds an option; replaces a previous one unless it may be repeated. */
gv_status gv_description_add(gv_io *io, gv_description *description, const gv_option *option,
                             const char *value);

/* Reads a file into an empty description. Unknown keys and values of wrong types are errors. `outputs` false:
 * the object "outputs" is ignored. */
gv_status gv_description_read(gv_io *io, const char *path, bool outputs, gv_description *out);

/* The same from memory: `name` is what messages call it, `directory` where relative names of files begin. */
gv_status gv_description_parse(gv_io *io, const char *text, size_t length, const char *name,
                               const char *directory, bool outputs, gv_description *out);

/* Removes an option. */
void gv_description_drop(gv_description *description, const gv_option *option);

/* Adds the options of `base` that are neither set nor replaced by others (--res by --size). */
gv_status gv_description_complete(gv_io *io, gv_description *description, const gv_description *base);

/* Sets everything. `settings` borrows values: the description must outlive them. */
gv_status gv_description_apply(gv_io *io, const gv_description *description, gv_job_settings *settings);

/* What a file at `path` has to hold. Passwords are left out, with a warning. */
gv_status gv_description_put(gv_io *io, const gv_description *description, const char *path, gv_text *text);

/* Writes it as an output (io/transaction/output.h); an existing file is replaced only with `overwrite`.
 * `inputs`: files that are not replaced. */
gv_status gv_description_write(gv_io *io, const gv_description *description, const char *path, bool overwrite,
                               gv_inputs *inputs, gv_sync sync);

#endif
