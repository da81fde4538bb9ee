/* Parts put together without being read: a virtual raster (VRT) that says where their rows are. */
#include "job/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/text.h"

bool gv_merge_is_virtual(const gv_job *j, const char *path) {
  bool asked = j->raster.driver != NULL && EQUAL(j->raster.driver, "VRT");
  return j->merged_count > 0 && (asked || EQUAL(CPLGetExtension(path), "vrt"));
}

static void put_element(gv_text *t, const char *indent, const char *name, const char *value) {
  if (value == NULL || value[0] == '\0') return;
  gv_text_put_string(t, CPLSPrintf("%s<%s>", indent, name));
  gv_text_put_xml(t, value);
  gv_text_put_string(t, CPLSPrintf("</%s>\n", name));
}

/* What all bands have; that of the first part begins where the whole does. */
static void put_head(gv_text *t, GDALDatasetH first, int64_t width, int64_t height) {
  double g[6];
  gv_text_put_string(
      t, CPLSPrintf("<VRTDataset rasterXSize=\"%" PRId64 "\" rasterYSize=\"%" PRId64 "\">\n", width, height));
  OGRSpatialReferenceH crs = GDALGetSpatialRef(first);
  char *wkt = NULL;
  if (crs != NULL && OSRExportToWkt(crs, &wkt) == OGRERR_NONE) {
    int axes = 0;
    const int *mapping = OSRGetDataAxisToSRSAxisMapping(crs, &axes);
    gv_text_put_string(t, CPLSPrintf("  <SRS dataAxisToSRSAxisMapping=\"%d,%d\">", axes > 0 ? mapping[0] : 1,
                                     axes > 1 ? mapping[1] : 2));
    gv_text_put_xml(t, wkt);
    gv_text_put_string(t, "</SRS>\n");
  }
  CPLFree(wkt);
  if (GDALGetGeoTransform(first, g) == CE_None) {
    gv_text_put_string(t, CPLSPrintf("  <GeoTransform>%.17g, %.17g, %.17g, ", g[0], g[1], g[2]));
    gv_text_put_string(t, CPLSPrintf("%.17g, %.17g, %.17g</GeoTransform>\n", g[3], g[4], g[5]));
  }
  gv_text_put_string(t, "  <Metadata>\n");
  for (char **item = GDALGetMetadata(first, NULL); item != NULL && *item != NULL; item++) {
    char *key = NULL;
    const char *value = CPLParseNameValue(*item, &key);
    if (key != NULL && value != NULL) {
      gv_text_put_string(t, "    <MDI key=\"");
      gv_text_put_xml(t, key);
      gv_text_put_string(t, "\">");
      gv_text_put_xml(t, value);
      gv_text_put_string(t, "</MDI>\n");
    }
    CPLFree(key);
  }
  gv_text_put_string(t, "  </Metadata>\n");
}

/* Below the virtual raster's folder by its name from there, as both may move; else by its whole name. */
static void put_source(gv_text *t, const gv_part *part, int raster, const char *folder) {
  char *whole = realpath(part->path, NULL);
  const char *path = whole != NULL ? whole : part->path;
  size_t length = strlen(folder);
  bool below = raster == 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
  char *name = raster > 0 ? gv_part_raster(part, raster, path) : NULL;
  gv_text_put_string(t, CPLSPrintf("      <SourceFilename relativeToVRT=\"%d\">", below));
  t->failed |= raster > 0 && name == NULL;
  gv_text_put_xml(t, name != NULL ? name : below ? path + length + 1 : path);
  gv_text_put_string(t, "</SourceFilename>\n");
  free(name);
  free(whole);
}

static void put_band(gv_text *t, const gv_run *r, GDALDatasetH first, int raster, int number, const char *folder) {
  const gv_merge *m = r->merge;
  GDALRasterBandH band = GDALGetRasterBand(first, number);
  GDALDataType type = GDALGetRasterDataType(band);
  const char *name = GDALGetDataTypeName(type);
  int w = 0, h = 0;
  GDALGetBlockSize(band, &w, &h);
  gv_text_put_string(t, CPLSPrintf("  <VRTRasterBand dataType=\"%s\" band=\"%d\">\n", name, number));
  put_element(t, "    ", "Description", GDALGetDescription(band));
  put_element(t, "    ", "UnitType", GDALGetRasterUnitType(band));
  put_element(t, "    ", "NoDataValue", GDALDataTypeIsInteger(type) ? CPLSPrintf("%" PRId64, r->nodata) : "nan");
  for (int i = 0; i < m->count; i++) {
    const gv_part *part = &m->parts[i];
    int64_t rows = part->end - part->first;
    gv_text_put_string(t, "    <SimpleSource>\n");
    put_source(t, part, raster, folder);
    gv_text_put_string(t, CPLSPrintf("      <SourceBand>%d</SourceBand>\n", number));
    gv_text_put_string(t, CPLSPrintf("      <SourceProperties RasterXSize=\"%" PRId64 "\" RasterYSize=\"%" PRId64
                                     "\" DataType=\"%s\" BlockXSize=\"%d\" BlockYSize=\"%d\" />\n",
                                     part->width, rows, name, w, h));
    gv_text_put_string(t, CPLSPrintf("      <SrcRect xOff=\"0\" yOff=\"0\" xSize=\"%" PRId64 "\" ySize=\"%" PRId64
                                     "\" />\n",
                                     part->width, rows));
    gv_text_put_string(t, CPLSPrintf("      <DstRect xOff=\"0\" yOff=\"%" PRId64 "\" xSize=\"%" PRId64
                                     "\" ySize=\"%" PRId64 "\" />\n    </SimpleSource>\n",
                                     part->first, part->width, rows));
  }
  gv_text_put_string(t, "  </VRTRasterBand>\n");
}

static gv_status write_text(gv_io *io, const gv_place *place, const gv_text *text) {
  if (text->failed) return gv_io_fail_memory(io, "a virtual raster");
  gv_gdal_reset();
  VSILFILE *file = VSIFOpenL(gv_place_work(place), "wb");
  bool written = file != NULL && VSIFWriteL(text->bytes, 1, text->length, file) == text->length;
  if (file != NULL) written &= VSIFCloseL(file) == 0;
  return written ? GV_OK : gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write %s", place->output.path);
}

static gv_status write_one(gv_run *r, int raster) {
  gv_place *place = r->virtuals[raster];
  gv_text text = {0};
  char *folder = realpath(place->output.parent, NULL);
  GDALDatasetH first = NULL;
  gv_status status =
      folder != NULL ? gv_merge_open(r->io, r, 0, raster, &first) : gv_io_fail_memory(r->io, "a file name");
  if (status == GV_OK) status = gv_place_begin(r->io, place);
  if (status == GV_OK) {
    put_head(&text, first, r->width, r->height);
    for (int b = 0; b < gv_run_bands(r, raster); b++)
      put_band(&text, r, first, raster, b + 1, folder);
    gv_text_put_string(&text, "</VRTDataset>\n");
    status = write_text(r->io, place, &text);
  }
  if (first != NULL) GDALClose(first);
  gv_text_free(&text);
  free(folder);
  return status;
}

gv_status gv_run_write_virtuals(gv_run *r) {
  gv_status status = GV_OK;
  for (int i = 0; i < GV_RUN_RASTERS && status == GV_OK; i++)
    if (r->virtuals[i] != NULL) status = write_one(r, i);
  return status;
}
