/*
 * The raster attribute table: ids, names and colors that keep neighboring regions apart.
 *
 * While blocks are written, pairs of ids that meet are collected; afterwards every region gets, in the order
 * of ids, the color of a fixed palette that is farthest from those of its neighbors. On large rasters only
 * every eighth row is read: regions that touch along fewer cells may be missed, which only lowers their
 * contrast.
 */
#ifndef GV_IO_STYLE_H
#define GV_IO_STYLE_H

#include "core/hash.h"
#include "io/in/seeds.h"
#include "io/out/formats/attribute_table.h"
#include "io/transaction/output.h"

/* Pairs of values that meet; of a block of one value that value with itself. One a thread; merge them
 * afterwards. */
typedef struct gv_adjacency {
  gv_hash pairs; /* the keys */
  int64_t row_step;
} gv_adjacency;

/* width x height: size of the whole raster, which decides how many rows are read. */
void gv_adjacency_init(gv_adjacency *adjacency, int64_t width, int64_t height);
void gv_adjacency_free(gv_adjacency *adjacency);

/* Adds the pairs of a block that begins at row `first_row` of the raster. */
gv_status gv_adjacency_scan(gv_io *io, gv_adjacency *adjacency, const int32_t *block, int64_t width,
                            int64_t height, int64_t stride, int64_t first_row);
/* Adds one of its keys, of another process. */
gv_status gv_adjacency_add(gv_io *io, gv_adjacency *adjacency, uint64_t key);
gv_status gv_adjacency_merge(gv_io *io, gv_adjacency *into, const gv_adjacency *from);

/*
 * Makes the table: one row for each distinct id of the raster, ascending; `all`: for all seeds. `numbers`:
 * the blocks held seed numbers, else ids as Int32. Free it with gv_attribute_table_free, before the seeds,
 * because it uses their names.
 */
gv_status gv_style_table(gv_io *io, const gv_seed_list *seeds, bool numbers, bool all,
                         const gv_adjacency *adjacency, gv_attribute_table *out, int64_t *unseen);

/*
 * Styles for QGIS beside rasters of up to 256 ids (qgis_style.c): regions in the colors of the attribute
 * table, which QGIS does not use before 3.30.
 */
enum { GV_MAX_STYLED = 256 };

/* Writes `directory`/STEM.qml for the raster that is to be `path`, unless people have put a style of theirs
 * there. */
gv_status gv_qgis_style_write(gv_io *io, const char *directory, const char *path,
                              const gv_attribute_table *table);

/* True for an unchanged style made by gv_qgis_style_write. */
bool gv_qgis_style_is_ours(const char *path);

/* Removes such a style beside a replaced raster, unless a new one replaces it. */
gv_status gv_qgis_style_drop(gv_io *io, gv_output *output);

#endif
