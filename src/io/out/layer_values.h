/* Values of vector files: what a field does not hold is an error, not another value. */
#ifndef GV_IO_LAYER_VALUES_H
#define GV_IO_LAYER_VALUES_H

#include "io/out/layer_out.h"

/* Fields that the format has left out have the number -1; setting them does nothing. */

/* An error if the field does not hold the value. */
gv_status gv_layer_set_integer(const gv_layer_out *l, OGRFeatureH feature, int field, int64_t value);

/* The type of ids of cells, which may need all 64 bits: text in formats with no integers of all their
 * values. */
OGRFieldType gv_layer_cell_id_type(const gv_layer_out *l);

/* Copies the value of a field of the feature `from`; an error if the field does not hold it. */
gv_status gv_layer_set_attribute(const gv_layer_out *l, OGRFeatureH feature, int field, OGRFeatureH from,
                                 int from_field);

#endif
