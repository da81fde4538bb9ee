/*
 * The spatial index of a GeoPackage's layer, made at once when all features are written.
 *
 * GDAL before 3.8 inserts boxes one by one, in 15 microseconds each: 1.5 of 3.4 s of CPU time of a diagram of
 * 100,000 seeds on the plane, and nothing can be cancelled meanwhile. SQLite has the nodes of the index, an
 * R-tree, in tables of their own, which SQL can fill (sqlite.org/rtree.html): _node with a blob for each
 * node, _rowid and _parent with the node of each feature and node. Here features are sorted by the middles of
 * their boxes, in columns by x and in these by y (Leutenegger, Lopez, Edgington, STR: a simple and efficient
 * algorithm for R-tree packing, 1997), and so are the nodes on each level. Where that fails, GDAL inserts the
 * boxes.
 */
#ifndef GV_IO_BOX_INDEX_H
#define GV_IO_BOX_INDEX_H

#include <gdal.h>
#include <ogr_api.h>

#include "io/io.h"

typedef struct gv_box_index gv_box_index;

/* For a layer that GDAL has created without an index, with a name without quotation marks. *out: to be freed
 * in any case. */
gv_status gv_box_index_make(gv_io *io, GDALDatasetH dataset, OGRLayerH layer, gv_box_index **out);

/* Before the feature is written; the first time the index is created, empty. */
void gv_box_index_begin(gv_box_index *index);

/* After the feature has been written. */
void gv_box_index_add(gv_box_index *index, OGRFeatureH feature);

/* After the last feature. False: GDAL has failed. An error if it was cancelled. */
gv_status gv_box_index_finish(gv_io *io, gv_box_index *index, OGRLayerH layer, bool *made);

/* NULL is allowed. */
void gv_box_index_free(gv_box_index *index);

#endif
