/*
 * Output files that appear together or not at all.
 *
 * Each is written in a temporary directory beside its path (io/transaction/temporary.h), side files
 * (.aux.xml, .shx ...) included. When all are complete they are moved into place by renames; if one of these
 * fails, those before it are undone. A failed run leaves and changes no files. A process that is killed, or a
 * loss of power, between two renames may leave some of the new files beside some of the old ones, each
 * complete; the old ones that were replaced are then in the temporary directory.
 *
 * An output is written to the target of its path, also through links. Side files are written beside the path;
 * links there are replaced, and followed only if the output is a link into the same directory. The new file
 * gets the mode and owner of the file that it replaces.
 */
#ifndef GV_IO_OUTPUT_H
#define GV_IO_OUTPUT_H

#include "io/inputs.h"
#include "io/io.h"
#include "io/transaction/sync.h"
#include "io/transaction/temporary.h"

typedef struct gv_output {
  char *path;             /* path of the caller */
  char *target;           /* target of that path: `path` itself if it is not a link */
  char *parent;           /* the directory of `path` */
  gv_temporary temporary; /* directory beside `target` */
  gv_temporary stage;     /* directory beside `path`, for side files, if that is another directory */
  const char *directory;  /* the path of the temporary directory; NULL until begun */
  char *work;             /* the file in it, with the name of `path` */
  char *stale; /* a file that is removed when the output is put in place, unless it brings it; may be NULL */
  bool (*owns)(const char *path); /* whether a side file in its place may be replaced; NULL: none */
  bool (*owns_directory)(
      const char *path); /* an output that is a directory: whether one in its place may be; NULL: none */
  bool overwrite;
  bool kept;   /* the temporary directory has the only copy of a replaced file */
  bool placed; /* by gv_outputs_commit */
  bool amends; /* the work file began as a copy of the file in place (io/out/place.h): side files stay, inputs
                  too */
  gv_status (*check)(gv_io *io,
                     /* made once more before the first rename; may be NULL */
                     const struct gv_output *output);
  const void *owner;      /* for it */
  struct gv_output *next; /* of those begun */
} gv_output;

/* Copies the path. `output` need not be initialized; it must stay where it is until gv_output_clear. */
gv_status gv_output_init(gv_io *io, gv_output *output, const char *path, bool overwrite);

/* Checks that the path can be written to, as far as that is seen without writing. */
gv_status gv_output_check(gv_io *io, const gv_output *output);

/* Makes the temporary directory. */
gv_status gv_output_begin(gv_io *io, gv_output *output);

/* Writes the file, once begun, as a whole. */
gv_status gv_output_write(gv_io *io, const gv_output *output, const char *bytes, size_t size);

/*
 * For drivers that ignore failed writes (GeoJSON's, GML's and others of OGR), once the file is closed: an
 * error if any of the output's files cannot grow by a byte. One that was cut short by a full disk, a quota or
 * a limit on sizes ends where that was.
 */
gv_status gv_output_check_written(gv_io *io, gv_output *output);

/* Called with a file of an output; an error ends the calls. */
typedef gv_status gv_output_file_fn(gv_io *io, gv_output *output, const char *file, void *user);

/* Calls `visit` with the name of each file that was written for the output, the output itself first. */
gv_status gv_output_each_file(gv_io *io, gv_output *output, gv_output_file_fn *visit, void *user);

/* Calls `visit` with the path of each side file that would describe the output, and with `stale`. They need
 * not exist. */
gv_status gv_output_each_stale(gv_io *io, gv_output *output, gv_output_file_fn *visit, void *user);

/* Checks that the existing file at `path` may be replaced by the output's file `name`. Side files have
 * derived names (t.shp: t.dbf, out.bin: out.hdr); they must not replace an input or an unrelated file. Files
 * that begin with the output's whole name (.aux.xml, .ovr) belong to it and may be replaced. */
gv_status gv_output_check_replaced(gv_io *io, const gv_output *output, const char *name, const char *path,
                                   gv_inputs *inputs);

/*
 * Moves all into place, or none. It is an error, before any rename, if a file of an input (`inputs` NULL: no
 * inputs) would be replaced or removed. With `sync` the files are on the disk before the first rename, and
 * each rename before the next.
 */
gv_status gv_outputs_commit(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs, gv_sync sync);

/* True from the first rename on, unless the renames are undone: the run can no longer be cancelled. */
bool gv_outputs_renaming(void);

/* Removes the temporary directory (unless the only copy of a replaced file is in it), and frees. */
void gv_output_clear(gv_output *output);

/* Removes all temporary directories and nothing else, for a process that is about to end in another thread.
 * Waits for gv_outputs_commit if that is renaming files. */
void gv_outputs_abandon(void);

/* Only for output.c and commit.c: held while files are renamed and while temporary directories are
 * removed. */
void gv_outputs_lock(void);
void gv_outputs_unlock(void);
void gv_outputs_set_renaming(bool renaming);

#endif
