/*
 * A run described: which options were given, with their values, as a command line or as JSON (docs/voronoi.schema.json).
 *
 * In JSON the keys are the options' names; what becomes of the answer (files, formats) is in the object "outputs", OUT being its
 * "raster". Relative names of files are told from the directory of the description.
 */
#ifndef GV_JOB_RASTER_DESCRIPTION_H
#define GV_JOB_RASTER_DESCRIPTION_H

#include "io/out/output.h"
#include "io/text.h"
#include "job/raster/settings.h"

typedef struct gv_given {
  const gv_option *option;
  char *value;      /* NULL if it takes none */
  const char *from; /* the description it is from; NULL = the command line */
} gv_given;

/* Begins as {0}. */
typedef struct gv_description {
  gv_given *list; /* in the order given */
  int64_t count, room;
  char *name; /* of the file */
} gv_description;

void gv_description_free(gv_description *description);

/* Adds an option, in place of what was given of it before unless it may be given several times. */
gv_status gv_description_add(gv_io *io, gv_description *description, const gv_option *option, const char *value);

/* Reads a file into an empty description. Unknown keys and values of wrong types are errors. `outputs` false: what is in the object
 * "outputs" is not looked at. */
gv_status gv_description_read(gv_io *io, const char *path, bool outputs, gv_description *out);

/* The same from memory: `name` is what messages call it, `directory` where relative names of files begin. */
gv_status gv_description_parse(gv_io *io, const char *text, size_t length, const char *name, const char *directory,
                               bool outputs, gv_description *out);

/* Takes out what was given of an option. */
void gv_description_drop(gv_description *description, const gv_option *option);

/* Adds what `base` has of options that are not given, nor replaced by some that are (--res by --size). */
gv_status gv_description_complete(gv_io *io, gv_description *description, const gv_description *base);

/* Sets everything. `settings` borrows values: the description must outlive them. */
gv_status gv_description_apply(gv_io *io, const gv_description *description, gv_job_settings *settings);

/* What a file at `path` has to hold. Passwords are left out, with a warning. */
gv_status gv_description_put(gv_io *io, const gv_description *description, const char *path, gv_text *text);

/* Writes it as an output (io/out/output.h); an existing file is replaced only with `overwrite`. `inputs`: files that are not replaced. */
gv_status gv_description_write(gv_io *io, const gv_description *description, const char *path, bool overwrite,
                               gv_inputs *inputs, gv_sync sync);

#endif
