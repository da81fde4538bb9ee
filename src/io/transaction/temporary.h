/*
 * Temporary directories of outputs.
 *
 * Each is made beside an output, with mode 0700 and the name ".STEM.tmp-HOST-RANDOM", where RANDOM is 32
 * hexadecimal digits of the system's random numbers. It is accessed through descriptors only: other users who
 * may write to its parent directory can rename it or replace it by a link, but no file outside of it is then
 * opened, changed or removed. GDAL gets the path /proc/self/fd/N. If /proc is missing, or if a library
 * resolves that path (SQLite), the named path is used, and only the mode of the directory protects it.
 *
 * While its process runs, a file in the directory is locked. A directory without a locked file is the
 * leftover of a process that was killed. The next run for the same output removes it, except for files that
 * were being replaced (GV_BACKUPS), which it names in a warning, and files of other names than the output's:
 * those stay, and the directory with them.
 */
#ifndef GV_IO_TEMPORARY_H
#define GV_IO_TEMPORARY_H

#include <limits.h>

#include "io/io.h"

/* The prefix of files in a temporary directory that never go into place. */
#define GV_SCRATCH ".gpuvoronoi-"

/* The subdirectory for files that are being replaced. */
#define GV_BACKUPS GV_SCRATCH "before"

typedef struct gv_temporary {
  int parent;    /* O_PATH descriptor of the directory around it; -1 = no temporary directory */
  int directory; /* descriptor of the directory */
  int lock;      /* descriptor of the lock file; -1 where the file system has no locks */
  char name[NAME_MAX + 1];
  char *parent_path; /* of the caller, for messages */
  char *path;        /* /proc/self/fd/N, or the named path */
} gv_temporary;

#define GV_TEMPORARY_NONE                                                                                    \
  { .parent = -1, .directory = -1, .lock = -1 }

/* Makes the directory in `parent` for the output at the path `output`, and removes the leftovers of killed
 * processes for that output first. On error *out is GV_TEMPORARY_NONE. */
gv_status gv_temporary_make(gv_io *io, const char *parent, const char *output, gv_temporary *out);

/* Opens or makes the subdirectory for files that are being replaced: a descriptor, or -1 with errno set. */
int gv_temporary_backups(const gv_temporary *temporary);

/* All new files are in place: the backups may be removed, by the next run if this one cannot. */
void gv_temporary_discard_backups(const gv_temporary *temporary);

/* The path of such a file, for messages: to be freed; NULL = out of memory. */
char *gv_temporary_backup_path(const gv_temporary *temporary, const char *name);

/* Removes the directory with its contents, never through links. Other threads may be making files in it; true
 * once it is removed. */
bool gv_temporary_remove(gv_temporary *temporary);

/* Closes the descriptors and frees; the directory stays if it has not been removed. */
void gv_temporary_close(gv_temporary *temporary);

#endif
