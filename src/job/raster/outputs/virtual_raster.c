#include "job/raster/outputs/virtual_raster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_minixml.h>
#include <cpl_string.h>

#include "job/raster/parts/merge.h"

static void set_text(CPLXMLNode *node, const char *name, const char *value) {
  CPLAddXMLAttributeAndValue(node, name, value);
}

static void set_number(CPLXMLNode *node, const char *name, int64_t value) {
  set_text(node, name, CPLSPrintf("%" PRId64, value));
}

static void put_element(CPLXMLNode *node, const char *name, const char *value) {
  if (value != NULL && value[0] != '\0') CPLCreateXMLElementAndValue(node, name, value);
}

/* What all bands have; that of the first part begins where the whole does. */
static void put_head(CPLXMLNode *root, GDALDatasetH first, int64_t width, int64_t height) {
  double g[6];
  set_number(root, "rasterXSize", width);
  set_number(root, "rasterYSize", height);
  OGRSpatialReferenceH crs = GDALGetSpatialRef(first);
  char *wkt = NULL;
  if (crs != NULL && OSRExportToWkt(crs, &wkt) == OGRERR_NONE) {
    int axes = 0;
    const int *mapping = OSRGetDataAxisToSRSAxisMapping(crs, &axes);
    set_text(CPLCreateXMLElementAndValue(root, "SRS", wkt), "dataAxisToSRSAxisMapping",
             CPLSPrintf("%d,%d", axes > 0 ? mapping[0] : 1, axes > 1 ? mapping[1] : 2));
  }
  CPLFree(wkt);
  if (GDALGetGeoTransform(first, g) == CE_None)
    put_element(root, "GeoTransform",
                CPLSPrintf("%.17g, %.17g, %.17g, %.17g, %.17g, %.17g", g[0], g[1], g[2], g[3], g[4], g[5]));
  CPLXMLNode *metadata = CPLCreateXMLNode(root, CXT_Element, "Metadata");
  for (char **item = GDALGetMetadata(first, NULL); item != NULL && *item != NULL; item++) {
    char *key = NULL;
    const char *value = CPLParseNameValue(*item, &key);
    if (key != NULL && value != NULL)
      set_text(CPLCreateXMLElementAndValue(metadata, "MDI", value), "key", key);
    CPLFree(key);
  }
}

/* Below the virtual raster's folder by its name from there, as both may move; else by its whole name. */
static gv_status put_source(gv_io *io, CPLXMLNode *source, const gv_part *part, int raster,
                            const char *folder) {
  char *whole = realpath(part->path, NULL);
  const char *path = whole != NULL ? whole : part->path;
  size_t length = strlen(folder);
  bool below = raster == 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
  char *name = raster > 0 ? gv_part_raster(part, raster, path) : NULL;
  gv_status status = raster > 0 && name == NULL ? gv_io_fail_memory(io, "a virtual raster") : GV_OK;
  const char *shown = name != NULL ? name : below ? path + length + 1 : path;
  set_number(CPLCreateXMLElementAndValue(source, "SourceFilename", shown), "relativeToVRT", below);
  free(name);
  free(whole);
  return status;
}

static void put_rectangle(CPLXMLNode *source, const char *name, int64_t row, int64_t width, int64_t rows) {
  CPLXMLNode *rectangle = CPLCreateXMLNode(source, CXT_Element, name);
  set_number(rectangle, "xOff", 0);
  set_number(rectangle, "yOff", row);
  set_number(rectangle, "xSize", width);
  set_number(rectangle, "ySize", rows);
}

static gv_status put_band(gv_io *io, CPLXMLNode *root, const gv_run_work *w, GDALDatasetH first, int raster,
                          int number, const char *folder) {
  const gv_merge *m = w->source.state;
  GDALRasterBandH from = GDALGetRasterBand(first, number);
  GDALDataType type = GDALGetRasterDataType(from);
  int columns = 0, rows = 0;
  GDALGetBlockSize(from, &columns, &rows);
  CPLXMLNode *band = CPLCreateXMLNode(root, CXT_Element, "VRTRasterBand");
  set_text(band, "dataType", GDALGetDataTypeName(type));
  set_number(band, "band", number);
  put_element(band, "Description", GDALGetDescription(from));
  put_element(band, "UnitType", GDALGetRasterUnitType(from));
  put_element(band, "NoDataValue",
              GDALDataTypeIsInteger(type) ? CPLSPrintf("%" PRId64, w->plan->nodata) : "nan");
  for (int i = 0; i < m->count; i++) {
    const gv_part *part = &m->parts[i];
    int64_t height = part->end - part->first;
    CPLXMLNode *source = CPLCreateXMLNode(band, CXT_Element, "SimpleSource");
    GV_TRY(put_source(io, source, part, raster, folder));
    put_element(source, "SourceBand", CPLSPrintf("%d", number));
    CPLXMLNode *properties = CPLCreateXMLNode(source, CXT_Element, "SourceProperties");
    set_number(properties, "RasterXSize", part->width);
    set_number(properties, "RasterYSize", height);
    set_text(properties, "DataType", GDALGetDataTypeName(type));
    set_number(properties, "BlockXSize", columns);
    set_number(properties, "BlockYSize", rows);
    put_rectangle(source, "SrcRect", 0, part->width, height);
    put_rectangle(source, "DstRect", part->first, part->width, height);
  }
  return GV_OK;
}

/* CPLSerializeXMLTreeToFile does not report what closing a file does. */
static gv_status write_tree(gv_io *io, const gv_writer *out, const CPLXMLNode *root) {
  char *text = CPLSerializeXMLTree(root);
  gv_status status = text != NULL ? gv_output_write(io, &out->place.output, text, strlen(text))
                                  : gv_io_fail_memory(io, "a virtual raster");
  CPLFree(text);
  return status;
}

gv_status gv_merge_write_virtual(gv_io *io, const gv_run_work *w, int raster, gv_writer *out) {
  CPLXMLNode *root = CPLCreateXMLNode(NULL, CXT_Element, "VRTDataset");
  char *folder = realpath(out->place.output.parent, NULL);
  GDALDatasetH first = NULL;
  gv_status status =
      folder != NULL ? gv_merge_open_raster(io, w, 0, raster, &first) : gv_io_fail_memory(io, "a file name");
  if (status == GV_OK) status = gv_writer_begin(io, out);
  if (status == GV_OK) put_head(root, first, w->plan->width, w->plan->height);
  for (int b = 0; b < w->plan->bands[raster] && status == GV_OK; b++)
    status = put_band(io, root, w, first, raster, b + 1, folder);
  if (status == GV_OK) status = write_tree(io, out, root);
  status = gv_writer_finish(io, out, status);
  if (first != NULL) GDALClose(first);
  CPLDestroyXMLNode(root);
  free(folder);
  return status;
}
