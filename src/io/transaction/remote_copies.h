/*
 * Outputs in cloud storage (/vsis3/, /vsigs/, /vsiaz/ ...).
 *
 * They are made in a local temporary directory like all outputs and copied at the end: side files first, the
 * output itself last, so that an object with the name of an output is complete and has its side files. An
 * object appears or is replaced as a whole. If a copy fails or is cancelled, new objects are removed; objects
 * that were replaced before stay replaced, which the error reports.
 */
#ifndef GV_IO_REMOTE_COPIES_H
#define GV_IO_REMOTE_COPIES_H

#include "io/transaction/output.h"

typedef enum gv_remote_state { GV_REMOTE_WAITS, GV_REMOTE_BEGUN, GV_REMOTE_COPIED } gv_remote_state;

/* A file to copy: from `source` in a temporary directory to `path`, where an object is replaced or not.
 * Without a source: a side file of a replaced output, which is removed. */
typedef struct gv_remote_object {
  char *source, *path;
  bool replaced;
  gv_remote_state state;
} gv_remote_object;

typedef struct gv_remote_copies {
  gv_remote_object *list;
  int64_t room;
  int count;
} gv_remote_copies;

/* Copies the files of all outputs that are remote. An object that is an input, and side files that belong to
 * something else, are an error before anything is copied. `copies` begins as {0}. */
gv_status gv_remote_copy(gv_io *io, gv_output *const *outputs, int count, gv_inputs *inputs,
                         gv_remote_copies *copies);

/* After all outputs are in place: removes side files of replaced outputs that have no successor. What cannot
 * be removed is a warning. */
void gv_remote_drop_stale(const gv_remote_copies *copies);

/* After an error: removes the new objects. Those that cannot be removed, and the number of objects that were
 * replaced, are added to the error. */
void gv_remote_undo(gv_io *io, gv_status status, const gv_remote_copies *copies);

/* Whether objects were replaced, which cannot be undone. */
bool gv_remote_have_replaced(const gv_remote_copies *copies);

/* True while objects are copied, until the copies are freed: a process should not end meanwhile. */
bool gv_remote_copying(void);

void gv_remote_free(gv_remote_copies *copies);

#endif
