#include "io/out/style.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>
#include <cpl_vsi.h>

#include "io/path.h"

/* QGIS drops comments when it saves a style. */
static const char mark[] = "<!-- made by gpuvoronoi -->";

/* The style's name for a raster's: without the last ending. */
static char *style_name(const char *path) {
  const char *name = gv_path_name(path), *dot = strrchr(name, '.');
  size_t stem = dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name);
  char *out = malloc(stem + sizeof ".qml");
  if (out == NULL) return NULL;
  memcpy(out, name, stem);
  memcpy(out + stem, ".qml", sizeof ".qml");
  return out;
}

bool gv_qgis_style_is_ours(const char *path) {
  char head[256] = "";
  const char *dot = strrchr(path, '.');
  if (dot == NULL || strcmp(dot, ".qml") != 0) return false;
  VSILFILE *file = VSIFOpenL(path, "rb");
  if (file == NULL) return false;
  size_t size = VSIFReadL(head, 1, sizeof head - 1, file);
  VSIFCloseL(file);
  head[size] = '\0';
  return strstr(head, mark) != NULL;
}

static bool write_entry(VSILFILE *file, const gv_attribute_row *row) {
  char number[24];
  snprintf(number, sizeof number, "%" PRId64, row->id);
  char *label =
      CPLEscapeString(row->name != NULL && row->name[0] != '\0' ? row->name : number, -1, CPLES_XML);
  int written =
      VSIFPrintfL(file, "<paletteEntry value=\"%s\" color=\"#%02x%02x%02x\" alpha=\"255\" label=\"%s\"/>\n",
                  number, row->rgb[0], row->rgb[1], row->rgb[2], label);
  CPLFree(label);
  return written > 0;
}

static bool write_style(VSILFILE *file, const gv_attribute_table *table) {
  bool good = VSIFPrintfL(file,
                          "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n%s\n"
                          "<qgis version=\"3.22\" styleCategories=\"Symbology\">\n<pipe>\n"
                          "<rasterrenderer type=\"paletted\" band=\"1\" opacity=\"1\" alphaBand=\"-1\" "
                          "nodataColor=\"\">\n<rasterTransparency/>\n<colorPalette>\n",
                          mark) > 0;
  for (int64_t i = 0; i < table->count && good; i++)
    good = write_entry(file, &table->rows[i]);
  return good && VSIFPrintfL(file, "</colorPalette>\n</rasterrenderer>\n</pipe>\n</qgis>\n") > 0;
}

gv_status gv_qgis_style_drop(gv_io *io, gv_output *output) {
  char *name = style_name(output->path), *there = name != NULL ? gv_path_join(output->parent, name) : NULL;
  gv_status status = there != NULL ? GV_OK : gv_io_fail_memory(io, "a file name");
  free(name);
  if (status == GV_OK && gv_qgis_style_is_ours(there)) {
    free(output->stale);
    output->stale = there;
  } else {
    free(there);
  }
  return status;
}

gv_status gv_qgis_style_write(gv_io *io, const char *directory, const char *path,
                              const gv_attribute_table *table) {
  char *name = style_name(path), *parent = gv_path_parent(path), *there = NULL, *made = NULL;
  VSIStatBufL found;
  gv_status status = GV_OK;
  if (name != NULL && parent != NULL) {
    there = gv_path_join(parent, name);
    made = gv_path_join(directory, name);
  }
  if (there == NULL || made == NULL) {
    status = gv_io_fail_memory(io, "a file name");
  } else if (VSIStatL(there, &found) != 0 || gv_qgis_style_is_ours(there)) {
    VSILFILE *file = VSIFOpenL(made, "wb");
    bool good = file != NULL && write_style(file, table);
    if (file != NULL && VSIFCloseL(file) != 0) good = false;
    if (!good) status = gv_io_fail(io, GV_ERROR_IO, "cannot write %s, the style for QGIS", there);
  }
  free(name);
  free(parent);
  free(there);
  free(made);
  return status;
}
