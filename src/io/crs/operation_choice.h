/* The PROJ operation used between two coordinate systems, and the warnings about it. */
#ifndef GV_IO_OPERATION_CHOICE_H
#define GV_IO_OPERATION_CHOICE_H

#include <proj.h>
#include <stdbool.h>

typedef struct gv_operation_choice {
  char *definition; /* as a PROJ string; NULL = there is none. To be freed */
  double accuracy;  /* meters; 0 = exact, below 0 = unknown */
  bool has_area;
  double area[4]; /* west, south, east, north where it may be used, in degrees */
} gv_operation_choice;

/* PROJ's first choice of those with installed grids; area (west, south, east, north of the positions) may be
 * NULL. */
gv_operation_choice gv_operation_choose(PJ_CONTEXT *context, const PJ *source, const PJ *target,
                                        const double *area);

/* Warns if a grid that is not installed would make positions more accurate; `from` and `to` name the
 * systems. */
void gv_operation_warn_of_grids(PJ_CONTEXT *context, const PJ *source, const PJ *target, const double *area,
                                const gv_operation_choice *choice, const char *from, const char *to);

#endif
