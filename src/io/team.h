/*
 * Processes that carry out one run together. Work is dealt to them piece by piece, whoever is free gets the next one; each writes its
 * own bytes of the files that all make, at places that follow once the sizes of everything before are known. What goes from one to
 * another is numbers. Who implements it, by MPI, is the command (cli/cluster_team.h).
 *
 * All processes call `agree`, `tell`, `begin` and `end` in the same order, up to the first of them that fails for all. One that cannot
 * go on to the next of them calls `agree` instead.
 */
#ifndef GV_IO_TEAM_H
#define GV_IO_TEAM_H

#include "io/io.h"

enum { GV_TEAM_MOST_FILES = 4 };

/* What is dealt. */
typedef struct gv_team_work {
  int64_t units; /* in the order in which files have them */
  int64_t row;   /* so many of them are what devices compute together, ... */
  bool coarse;   /* ... which is done here: pieces of whole rows, one a process */
  int tiles;     /* of a unit, in all files together */
  /* Of the first process: where the tiles of units first ... first + count - 1 begin in each file, by their sizes. Asked in the order of
   * units. */
  gv_status (*place)(gv_io *io, void *user, int64_t first, int64_t count, const uint64_t *sizes, int64_t *at);
  void *user;
} gv_team_work;

typedef struct gv_team {
  int rank, ranks;
  bool alone; /* set by all where the first must write by itself: nothing has been computed */
  bool done;  /* set by all once the others are no longer needed */
  void *user;
  /* Whether all are well: `status`, or CANCELLED where it is another that is not. */
  gv_status (*agree)(gv_io *io, void *user, gv_status status);
  /* From the first to all others. */
  gv_status (*tell)(gv_io *io, void *user, void *bytes, size_t count);
  /* Where all agree, the work is dealt from here to `end`. */
  gv_status (*begin)(gv_io *io, void *user, const gv_team_work *work);
  /* The next piece; *count 0: there is none left. By one thread at a time, while another may call the next two. */
  gv_status (*next)(gv_io *io, void *user, int64_t *first, int64_t *count);
  /* A piece is complete, and has these sizes. */
  gv_status (*complete)(gv_io *io, void *user, int64_t first, int64_t count, const uint64_t *sizes);
  /* Of this process's complete pieces, one after the other in their order: where it is to be written. *known stays false, unless it waits
   * for that. */
  gv_status (*where)(gv_io *io, void *user, bool wait, bool *known, int64_t *at);
  /* Waits until all have come to it. One that failed ends the work of all. */
  gv_status (*end)(gv_io *io, void *user, gv_status status);
  /* To the first, and there from another. */
  gv_status (*send)(gv_io *io, void *user, const void *bytes, size_t count);
  gv_status (*receive)(gv_io *io, void *user, int from, void *bytes, size_t count);
} gv_team;

#endif
