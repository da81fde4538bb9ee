/*
 * What runs that were killed have left behind, and that the next run for the same output takes away.
 *
 * A temporary directory is locked while its owner lives, and its name tells the owner's machine: where the lock can be had, on
 * that machine, the owner is dead. If it died while files were being moved, a journal in the directory tells which: all of
 * them are complete by then, so those that are left are moved now. What does not look as the journal says is somebody else's by
 * now and stays.
 */
#ifndef GV_IO_LEFTOVERS_H
#define GV_IO_LEFTOVERS_H

#include <stddef.h>
#include <sys/stat.h>

#include "io/io.h"

/* Of temporary directories: for the journal, and for what an output replaces. */
#define GV_JOURNAL ".moves"
#define GV_BACKUPS ".before"

/* One file put in its place, or one that has to go, as a journal tells of it. */
typedef struct gv_journal_move {
  const char *from; /* NULL: nothing takes its place */
  const char *to;
} gv_journal_move;

/* The name of this machine as it stands in the names of temporary directories. `size` of at least 2 bytes. */
void gv_leftovers_host(char *host, size_t size);

/* Locks a directory just made, for as long as the descriptor is open: -1 where that cannot be, and *lost is true if somebody else
 * has it or has removed it. */
int gv_leftovers_lock(const char *directory, bool *lost);

/* Writes a journal into each of the directories, which go when all is done. Before the first move; `lasting`: onto the disk. 0, or
 * an error's number. */
int gv_journal_write(char *const *directories, int count, const gv_journal_move *moves, int move_count,
                     bool lasting);

/* Before anything is undone. */
void gv_journal_remove(char *const *directories, int count);

/* Removes a temporary directory, what was replaced first: as long as that is there, the journal is, for the next run. False if some
 * of it is left. */
bool gv_leftovers_remove(const char *directory);

/* Finishes and removes what dead owners of directories of that parent have left whose names begin with `prefix`. */
void gv_leftovers_clear(const char *parent, const char *prefix);

#endif
