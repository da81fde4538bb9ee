/* The first steps of seeds. */
#ifndef GV_COST_START_H
#define GV_COST_START_H

#include "cost/raster.h"

/* Adds the steps from the position of seed number `seed` to the center of its cell and of those around it.
 * *starts_here: it is in a cell that is not a barrier. */
gv_status gv_cost_start(gv_context *context, gv_cost *cost, double x, double y, int32_t seed,
                        gv_cost_starts *starts, bool *starts_here);

/* Adds a start at cost 0 in a cell, or in that of a position, unless it is a barrier; sets *starts_here if it
 * is not. */
gv_status gv_cost_start_at(gv_context *context, gv_cost *cost, int64_t column, int64_t row, int32_t seed,
                           gv_cost_starts *starts, bool *starts_here);
gv_status gv_cost_start_in(gv_context *context, gv_cost *cost, double x, double y, int32_t seed,
                           gv_cost_starts *starts, bool *starts_here);

/* The cell of a position: its column and row, with fractions also in `from`; false: outside. */
bool gv_cost_cell_of(const gv_cost *cost, double x, double y, double from[2], int64_t *column, int64_t *row);

/* Column and row of a position, with fractions; on the globe any number of turns away. */
void gv_cost_place(const gv_cost_settings *options, double x, double y, double out[2]);

#endif
