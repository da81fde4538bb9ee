#include "job/weights/weights_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/crs/metric.h"
#include "io/out/formats/variables.h"

enum { FILE_XC, FILE_YC, FILE_MASK, FILE_AREA, FILE_FRAC };

static const char *const names[] = {"xc", "yc", "mask", "area", "frac"};
static const char *const units[] = {"degrees", "degrees", "unitless", "square radians", "unitless"};
static const char *const letters[] = {"a", "b"}, *const ends[] = {"src", "dst"};

gv_status gv_weights_file_plan(gv_io *io, const char *path, bool overwrite, gv_writer *writer) {
  const gv_format *netcdf = gv_format_with_arrays(GV_ARRAYS_NETCDF);
  const gv_place_options place = {.option = "OUT", .path = path, .overwrite = overwrite};
  if (gv_format_driver(netcdf) == NULL)
    return gv_io_fail(io, GV_ERROR_UNAVAILABLE, "OUT: missing netCDF driver in this GDAL");
  GV_REQUIRE(io, gv_format_of_path(path) == netcdf, "OUT: invalid extension (%s); use .nc", path);
  return gv_place_plan(io, &writer->place, &place);
}

static bool weights_file_put_global(GDALGroupH root, const char *name, GDALExtendedDataTypeH type,
                                    double value) {
  GDALAttributeH made = GDALGroupCreateAttribute(root, name, 0, NULL, type, NULL);
  const bool good = made != NULL && GDALAttributeWriteDouble(made, value);
  GDALAttributeRelease(made);
  return good;
}

static bool weights_file_describe(gv_weights_file *f, const gv_weights_facts *facts) {
  GDALGroupH root = f->file.root;
  const bool nearest = facts->k == 1;
  return gv_mdarray_put_global(root, "title", "weights of gpuvoronoi") &&
         gv_mdarray_put_global(root, "normalization", "none") &&
         gv_mdarray_put_global(root, "map_method",
                               nearest ? "Nearest source to destination" : "Inverse distance") &&
         gv_mdarray_put_global(root, "metric", gv_metric_name(facts->metric)) &&
         gv_mdarray_put_source(root) &&
         (nearest || (weights_file_put_global(root, "neighbors", f->file.int32, facts->k) &&
                      weights_file_put_global(root, "power", f->file.float64, facts->power)));
}

/* The shape, the fastest dimension first, and the arrays of a side. */
static bool weights_file_make_side(gv_weights_file *f, const gv_weights_side *s, int side,
                                   GDALExtendedDataTypeH integer) {
  const int rank = s->is_raster || s->places.columns > 0 ? 2 : 1;
  const int64_t shape[2] = {s->columns, s->rows};
  char name[32];
  snprintf(name, sizeof name, "%s_grid_rank", ends[side]);
  GDALDimensionH dimension = gv_array_file_dimension(&f->file, name, rank);
  snprintf(name, sizeof name, "%s_grid_dims", ends[side]);
  GDALMDArrayH dims = dimension != NULL
                          ? gv_array_file_keep(&f->file, GDALGroupCreateMDArray(f->file.root, name, 1,
                                                                                &dimension, integer, NULL))
                          : NULL;
  bool good = dims != NULL && gv_mdarray_write(dims, 0, rank, 1, f->file.int64, shape);
  dimension = gv_array_file_dimension(&f->file, side == GV_WEIGHTS_A ? "n_a" : "n_b", s->count);
  good = good && dimension != NULL;
  for (int i = 0; i < 5 && good; i++) {
    const char *const texts[][2] = {{"units", units[i]}};
    snprintf(name, sizeof name, "%s_%s", names[i], letters[side]);
    f->cells[side][i] =
        gv_array_file_keep(&f->file, gv_mdarray_make(f->file.root, name, dimension, NULL,
                                                     i == FILE_MASK ? integer : f->file.float64));
    good = f->cells[side][i] != NULL && gv_array_put_texts(f->cells[side][i], texts, 1);
  }
  return good;
}

static bool weights_file_create(gv_weights_file *f, const gv_weights_facts *facts) {
  static const char *const format[] = {"FORMAT=NC4", NULL};
  gv_array_file *file = &f->file;
  if (!gv_array_file_create(file, gv_format_driver(gv_format_with_arrays(GV_ARRAYS_NETCDF)), format))
    return false;
  const int64_t a = facts->side[GV_WEIGHTS_A]->count, b = facts->side[GV_WEIGHTS_B]->count;
  GDALExtendedDataTypeH integer = a <= INT32_MAX && b <= INT32_MAX ? file->int32 : file->int64;
  GDALDimensionH links = gv_array_file_dimension(file, "n_s", facts->weights);
  if (links == NULL || !weights_file_describe(f, facts)) return false;
  f->col = gv_array_file_keep(file, gv_mdarray_make(file->root, "col", links, NULL, integer));
  f->row = gv_array_file_keep(file, gv_mdarray_make(file->root, "row", links, NULL, integer));
  f->weight = gv_array_file_keep(file, gv_mdarray_make(file->root, "S", links, NULL, file->float64));
  return f->col != NULL && f->row != NULL && f->weight != NULL &&
         weights_file_make_side(f, facts->side[GV_WEIGHTS_A], GV_WEIGHTS_A, integer) &&
         weights_file_make_side(f, facts->side[GV_WEIGHTS_B], GV_WEIGHTS_B, integer);
}

gv_status gv_weights_file_begin(gv_io *io, gv_weights_file *f, const gv_weights_facts *facts) {
  GV_TRY(gv_writer_begin(io, f->file.writer));
  f->numbers = malloc(GV_WEIGHTS_BLOCK * sizeof *f->numbers);
  if (f->numbers == NULL) return gv_io_fail_memory(io, "a block of cells");
  return weights_file_create(f, facts) ? GV_OK : gv_writer_fail(io, f->file.writer);
}

gv_status gv_weights_file_put_cells(gv_io *io, gv_weights_file *f, int side, const gv_weights_block *b,
                                    const bool *reached) {
  GDALMDArrayH *array = f->cells[side];
  const gv_array_file *file = &f->file;
  bool good = true;
  for (int i = 0; i < 5 && good; i++) {
    for (int64_t c = 0; c < b->count; c++) {
      const bool there = isfinite(b->lon[c]);
      f->numbers[c] = i == FILE_AREA                      ? b->area[c]
                      : i == FILE_FRAC && reached != NULL ? reached[c]
                      : i >= FILE_MASK                    ? there
                      : !there                            ? 0.0
                      : i == FILE_XC                      ? b->lon[c]
                                                          : b->lat[c];
    }
    good = gv_mdarray_write(array[i], b->first, b->count, 1, file->float64, f->numbers);
  }
  return good ? GV_OK : gv_writer_fail(io, file->writer);
}

gv_status gv_weights_file_put(gv_io *io, gv_weights_file *f, int64_t first, int64_t count, const int64_t *row,
                              const int64_t *col, const double *weight) {
  const gv_array_file *file = &f->file;
  const bool good = count == 0 || (gv_mdarray_write(f->row, first, count, 1, file->int64, row) &&
                                   gv_mdarray_write(f->col, first, count, 1, file->int64, col) &&
                                   gv_mdarray_write(f->weight, first, count, 1, file->float64, weight));
  return good ? GV_OK : gv_writer_fail(io, file->writer);
}

gv_status gv_weights_file_finish(gv_io *io, gv_weights_file *f, gv_status status) {
  free(f->numbers);
  f->numbers = NULL;
  return gv_array_file_finish(io, &f->file, "src_grid_dims", status);
}
