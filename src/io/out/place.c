/* Files of several layers: what they hold, and room for one more in them. */
#include "io/out/place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <ogr_api.h>

#include "io/object_name.h"
#include "io/path.h"
#include "io/transaction/zarr_directory.h"

enum { LITTLE_SPACE = 64 << 10 /* bytes */ };

/* --------------------------------------------------------------------------------------- what formats can */

/* When a file of some format gets its layers. */
static GDALDatasetH open_as(GDALDriverH driver, const char *path, unsigned mode) {
  const char *const drivers[] = {GDALGetDriverShortName(driver), NULL};
  return GDALOpenEx(path, mode, drivers, NULL, NULL);
}

static gv_layering layering_of(const gv_place *place) {
  const gv_layering how = place->layer != NULL ? gv_format_of(place->driver)->layers : GV_LAYERS_ONE;
  return how != GV_LAYERS_ONE && gv_path_ends(place->output.path, ".kmz") ? GV_LAYERS_AT_ONCE : how;
}

/* -------------------------------------------------------------------------------------- what a file holds */

/* Index of a vector layer; -1 = none. Names of tables are case-insensitive in databases. */
static int find_layer(GDALDatasetH dataset, const char *name) {
  for (int i = 0; i < GDALDatasetGetLayerCount(dataset); i++)
    if (EQUAL(OGR_L_GetName(GDALDatasetGetLayer(dataset, i)), name)) return i;
  return -1;
}

/* Whether a database's statement returns that name. */
static bool returns_name(GDALDatasetH dataset, const char *statement, const char *name) {
  bool found = false;
  OGRLayerH rows = GDALDatasetExecuteSQL(dataset, statement, NULL, NULL);
  for (OGRFeatureH row; rows != NULL && (row = OGR_L_GetNextFeature(rows)) != NULL;) {
    found = found || EQUAL(OGR_F_GetFieldAsString(row, 0), name);
    OGR_F_Destroy(row);
  }
  if (rows != NULL) GDALDatasetReleaseResultSet(dataset, rows);
  return found;
}

/* Whether a GeoPackage has a raster table of that name. */
static bool has_raster(GDALDatasetH dataset, const char *name) {
  return returns_name(
      dataset, "SELECT table_name FROM gpkg_contents WHERE data_type IN ('tiles', '2d-gridded-coverage')",
      name);
}

/* Whether it has an object of that name, also one of its own tables. */
static bool has_table(GDALDatasetH dataset, const char *name) {
  return returns_name(dataset, "SELECT name FROM sqlite_master", name);
}

/* Whether a file may hold more than GDAL lists. Objects of cloud storage are not read for that. */
static bool place_is_database(const char *path, gv_layering how) {
  return gv_object_is(path) ? how == GV_LAYERS_ANY_TIME : gv_is_sqlite(path);
}

static gv_status place_choose_layering(gv_io *io, gv_place *place, GDALDatasetH dataset, gv_layering how) {
  const char *path = place->output.path;
  bool database = place_is_database(path, how), vector = find_layer(dataset, place->layer) >= 0,
       raster = gv_format_of(place->driver)->raster_tables && has_raster(dataset, place->layer);
  place->layers = GDALDatasetGetLayerCount(dataset);
  bool others = place->layers > (vector ? 1 : 0);
  if (place->raster ? !raster && has_table(dataset, place->layer) : raster) {
    return gv_io_fail(io, GV_ERROR_IO, "%s: %s holds a %s called %s; use another name%s", place->option, path,
                      raster ? "raster" : "table", place->layer,
                      place->raster ? " (--co RASTER_TABLE=NAME)" : "");
  }
  if (how == GV_LAYERS_AT_ONCE && others) {
    return gv_io_fail(io, GV_ERROR_IO,
                      "%s: %s holds other layers; driver %s cannot add a layer to them; use another file",
                      place->option, path, GDALGetDriverShortName(place->driver));
  }
  place->kept = database || others;
  place->replaces = place->raster ? raster : vector;
  if (!place->kept || place->output.overwrite) return GV_OK;
  if (place->replaces) {
    return gv_io_fail_as(io, GV_CODE_OUTPUT_EXISTS, GV_ERROR_IO,
                         "%s: the %s %s of %s exists; use --overwrite to replace it", place->option,
                         gv_place_noun(place), place->layer, path);
  }
  if (database) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO,
                    "%s: driver %s rewrites %s as a whole to add a layer, and loses styles and formulas; use "
                    "--overwrite to allow this",
                    place->option, GDALGetDriverShortName(place->driver), path);
}

/* A file that is not one of its driver's is replaced as a whole, except databases. */
static gv_status inspect_layers(gv_io *io, gv_place *place) {
  const char *path = place->output.path;
  gv_layering how = layering_of(place);
  bool database = place_is_database(path, how);
  if (how == GV_LAYERS_ONE) {
    if (!database || !place->output.overwrite || gv_format_of(place->driver)->replaced_whole) return GV_OK;
    return gv_io_fail(io, GV_ERROR_IO, "output %s: a database may hold other layers; use another name", path);
  }
  GV_TRY(gv_container_check_idle(io, place->output.target));
  gv_gdal_reset();
  GDALDatasetH dataset = open_as(place->driver, path, GDAL_OF_VECTOR | GDAL_OF_READONLY);
  if (dataset == NULL && database) { /* only rasters? */
    gv_gdal_reset();
    dataset = open_as(place->driver, path, GDAL_OF_RASTER | GDAL_OF_READONLY);
  }
  if (dataset == NULL) { /* GDAL opens no empty GeoPackage for reading, without a word */
    place->kept = database && !gv_gdal_failed();
    return database && !place->kept ? gv_io_fail_gdal(io, GV_ERROR_IO, "cannot read %s", path) : GV_OK;
  }
  gv_status status = place_choose_layering(io, place, dataset, how);
  GDALClose(dataset);
  return status;
}

/* Inspects an existing file. GDAL 3.13 writes a side file when it closes a GeoPackage with a raster, though
 * that was only read. */
static gv_status inspect_file(gv_io *io, gv_place *place) {
  static const char side_files[] = "GDAL_PAM_ENABLED";
  CPLSetThreadLocalConfigOption(side_files, "NO");
  gv_status status = inspect_layers(io, place);
  CPLSetThreadLocalConfigOption(side_files, NULL);
  return status;
}

/* As OGR's driver for SQLite names tables. */
static void place_clean_name(char *name) {
  for (char *c = name; *c != '\0'; c++)
    *c = strchr("'-#", *c) != NULL ? '_' : (char)tolower((unsigned char)*c);
}

gv_status gv_place_plan(gv_io *io, gv_place *place, const gv_place_options *options) {
  VSIStatBufL found;
  *place = (gv_place){
      .option = options->option, .driver = options->driver, .raster = options->raster, .first = place};
  gv_status status = gv_output_init(io, &place->output, options->path, options->overwrite);
  if (status == GV_OK && options->layer != NULL) {
    place->layer = strdup(options->layer);
    if (place->layer == NULL) return gv_io_fail_memory(io, "a layer's name");
    if (gv_format_of(place->driver)->lower_names) place_clean_name(place->layer);
  }
  const gv_format *format =
      options->driver != NULL ? gv_format_of(options->driver) : gv_format_of_path(options->path);
  if (format != NULL && format->arrays == GV_ARRAYS_ZARR) place->output.owns_directory = gv_zarr_is_ours;
  place->existed = status == GV_OK && VSIStatL(options->path, &found) == 0;
  bool known = place->existed && place->driver != NULL && VSI_ISREG(found.st_mode);
  if (known && !gv_path_is_foreign_link(place->output.target)) status = inspect_file(io, place);
  if (place->kept) place->output.overwrite = place->output.amends = true;
  return status == GV_OK ? gv_output_check(io, &place->output) : status;
}

static bool may_share(const gv_place *a, const gv_place *b) {
  if (a->layer == NULL || b->layer == NULL || a->driver != b->driver) return false;
  return layering_of(a) == GV_LAYERS_ANY_TIME;
}

gv_status gv_places_join(gv_io *io, gv_place *const *places, int count) {
  for (int i = 0; i < count; i++) {
    gv_place *place = places[i];
    for (int k = 0; k < i; k++) {
      gv_place *other = places[k];
      if (!gv_same_file(place->output.path, other->output.path)) continue;
      if (!may_share(other, place)) {
        return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: %s is the file of another output, too",
                          place->option, place->output.path);
      }
      if (EQUAL(place->layer, other->layer)) {
        return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: layer '%s' of %s is also the layer of %s%s",
                          place->option, place->layer, place->output.path, other->option,
                          other->raster ? "; use another name (--co RASTER_TABLE=NAME)" : "");
      }
      if (other->first != other) continue;
      place->first = other;
      other->shared = true;
      other->kept = other->output.amends = other->kept || place->kept;
      other->output.overwrite = other->output.overwrite || other->kept;
    }
  }
  return GV_OK;
}

/* ---------------------------------------------------------------------------------------------- making it */

bool gv_place_amends(const gv_place *place) {
  return place->first->kept;
}

bool gv_place_has_others(const gv_place *place) {
  return place->kept || place->shared || place->first != place;
}

const char *gv_place_noun(const gv_place *place) {
  return place->raster ? "raster" : "layer";
}

const char *gv_place_work(const gv_place *place) {
  return place->first->output.work;
}

gv_status gv_place_begin(gv_io *io, gv_place *place) {
  gv_place *first = place->first;
  if (first->output.directory != NULL) return GV_OK;
  GV_TRY(gv_output_begin(io, &first->output));
  if (first->kept) GV_TRY(gv_container_copy(io, first->output.target, first->output.work, &first->copied));
  first->made = first->kept;
  return GV_OK;
}

static bool remove_layer(GDALDatasetH dataset, const gv_place *place) {
  if (!place->raster) {
    int index = find_layer(dataset, place->layer);
    return index < 0 || GDALDatasetDeleteLayer(dataset, index) == OGRERR_NONE;
  }
  char *name = CPLEscapeString(place->layer, -1, CPLES_SQLI);
  const char *statement = CPLSPrintf("DROP TABLE \"%s\"", name); /* GDAL then removes all references to it */
  CPLFree(name);
  OGRLayerH rows = GDALDatasetExecuteSQL(dataset, statement, NULL, NULL);
  if (rows != NULL) GDALDatasetReleaseResultSet(dataset, rows);
  return !has_raster(dataset, place->layer);
}

gv_status gv_place_fail(gv_io *io, const gv_place *place, const char *action) {
  const gv_output *output = &place->first->output;
  gv_status status = gv_io_fail_gdal(io, GV_ERROR_IO, "cannot %s %s", action, place->output.path);
  struct statvfs disk;
  if (output->directory == NULL || statvfs(output->directory, &disk) != 0) return status;
  const uint64_t left = (uint64_t)disk.f_bavail * disk.f_frsize;
  char *message = left < LITTLE_SPACE ? strdup(io->message) : NULL;
  if (message != NULL)
    status = gv_io_fail(io, GV_ERROR_IO, "%s (free space on its disk: %" PRIu64 " bytes)", message, left);
  free(message);
  return status;
}

/* Opens the existing file without a layer of that name. */
static gv_status open_made(gv_io *io, const gv_place *place, GDALDatasetH *out) {
  gv_gdal_reset();
  GDALDatasetH dataset = open_as(place->driver, gv_place_work(place), GDAL_OF_VECTOR | GDAL_OF_UPDATE);
  bool good = dataset != NULL && (!place->replaces || remove_layer(dataset, place));
  if (good && !gv_gdal_failed()) {
    *out = dataset;
    return GV_OK;
  }
  gv_status status = gv_place_fail(io, place, "change");
  if (dataset != NULL) GDALClose(dataset);
  return status;
}

gv_status gv_place_open(gv_io *io, gv_place *place, GDALDatasetH *dataset) {
  gv_place *first = place->first;
  if (first->made) return open_made(io, place, dataset);
  first->made = true;
  /* it would name the temporary file */
  char history[] = "WRITE_GDAL_HISTORY=NO", *options[] = {history, NULL};
  *dataset = GDALCreate(place->driver, gv_place_work(place), 0, 0, 0, GDT_Unknown,
                        gv_format_of(place->driver)->drops_history ? options : NULL);
  return *dataset != NULL && !gv_gdal_failed() ? GV_OK : gv_place_fail(io, place, "create");
}

gv_status gv_place_make_room(gv_io *io, gv_place *place, bool *append) {
  gv_place *first = place->first;
  GDALDatasetH dataset = NULL;
  *append = first->made;
  first->made = true;
  if (!*append || !place->replaces) return GV_OK;
  GV_TRY(open_made(io, place, &dataset));
  gv_gdal_reset();
  GDALClose(dataset);
  return gv_gdal_failed() ? gv_place_fail(io, place, "change") : GV_OK;
}

gv_status gv_place_check_written(gv_io *io, const gv_place *place) {
  return gv_output_check_written(io, &place->first->output);
}

/* Changes by other programs are not lost by a move. */
static gv_status check_meanwhile(gv_io *io, const gv_place *place) {
  VSIStatBufL found;
  if (place->kept) return gv_container_check_unchanged(io, place->output.target, &place->copied);
  if (place->existed || !place->output.overwrite || VSIStatL(place->output.path, &found) != 0) return GV_OK;
  if (layering_of(place) == GV_LAYERS_ONE) return GV_OK;
  return gv_io_fail(io, GV_ERROR_IO, "%s: created by another program during this run; it was not replaced",
                    place->output.path);
}

static gv_status check_output(gv_io *io, const gv_output *output) {
  return check_meanwhile(io, output->owner);
}

gv_status gv_places_commit(gv_io *io, gv_place *const *places, int count, gv_inputs *inputs, gv_sync sync) {
  gv_output **outputs = calloc((size_t)count + 1, sizeof(gv_output *));
  gv_status status = outputs != NULL ? GV_OK : gv_io_fail_memory(io, "the outputs' names");
  int files = 0;
  for (int i = 0; i < count && status == GV_OK; i++) {
    if (places[i]->first != places[i]) continue;
    status = check_meanwhile(io, places[i]);
    places[i]->output.owner = places[i];
    places[i]->output.check = check_output;
    outputs[files++] = &places[i]->output;
  }
  if (status == GV_OK) status = gv_outputs_commit(io, outputs, files, inputs, sync);
  free(outputs);
  return status;
}

void gv_place_clear(gv_place *place) {
  gv_output_clear(&place->output);
  free(place->layer);
  place->layer = NULL;
}
