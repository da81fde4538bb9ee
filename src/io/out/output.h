/*
 * Output files that appear together or not at all.
 *
 * Each is made in a temporary directory beside its place, side files (.aux.xml, .shx ...) included. When all are complete
 * they are moved into place; should one of the moves fail, those before it are undone. A run that fails leaves nothing
 * and touches nothing.
 *
 * Links stay, what they lead to is replaced: the place of an output is where its path leads to, on whichever disk, and side
 * files go beside the path, where who opens it by that looks for them. What is replaced hands on its mode and owner.
 */
#ifndef GV_IO_OUTPUT_H
#define GV_IO_OUTPUT_H

#include "io/inputs.h"
#include "io/io.h"
#include "io/out/sync.h"

/* What names of files begin with that are in the temporary directory for a while, and never go into place. */
#define GV_SCRATCH ".gpuvoronoi-"

typedef struct gv_output {
  char *path;      /* where it is to be, as it was given */
  char *target;    /* what that leads to: `path` itself if it is no link */
  char *parent;    /* the directory of `path` */
  char *directory; /* temporary, beside `target`; NULL until begun */
  int lock;        /* on that directory, a descriptor, or -1 (io/out/leftovers.h) */
  char *work;      /* the file in `directory`, with the name of `path` */
  char **
      stale; /* files that are to go when the output is put in its place, unless it brings them; a list of GDAL's */
  char **stages; /* further temporary directories, beside side files that go elsewhere; a list of GDAL's */
  bool overwrite;
  bool kept;   /* the directory has the only copy of what was there before */
  bool amends; /* the work file began as a copy of what is there (io/out/place.h): side files stay, inputs too */
  struct gv_output *next; /* of those begun */
} gv_output;

/* Copies the path. `output` need not be initialised; it must stay where it is until gv_output_clear. */
gv_status gv_output_init(gv_io *io, gv_output *output, const char *path, bool overwrite);

/* Checks that the path can be written to, as far as that is seen from outside, once what killed runs have left for it is taken
 * away. */
gv_status gv_output_check(gv_io *io, const gv_output *output);

/* Makes the temporary directory. */
gv_status gv_output_begin(gv_io *io, gv_output *output);

/*
 * For drivers that ignore failed writes (GeoJSON's, GML's and others of OGR), once the file is closed: an error if any of the
 * output's files cannot grow by a byte. One that was cut short by a full disk, a quota or a limit on sizes ends where that was.
 */
gv_status gv_output_check_written(gv_io *io, const gv_output *output);

/*
 * Moves all into place, or none. Files of an input (`inputs` NULL: there are none) are neither replaced nor removed: an
 * error before anything is moved. What is to last (`sync`) is on the disk before it is moved, and each move before the next,
 * so that a loss of power, too, leaves the files that were there or the new ones.
 */
gv_status gv_outputs_commit(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs, gv_sync sync);

/* Removes the temporary directory (unless the only copy of what was there before is in it) and what is left in it; frees. */
void gv_output_clear(gv_output *output);

/* Removes all temporary directories, without touching anything else: for a process that is about to end in another
 * thread. Waits for gv_outputs_commit if that is moving files. */
void gv_outputs_abandon(void);

#endif
