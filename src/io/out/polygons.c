/* GDALPolygonize makes a polygon for every connected part; here parts of one id are united. */
#include "io/out/polygons.h"

#include <math.h>
#include <stdlib.h>

#include <gdal_alg.h>
#include <ogr_api.h>

#include "io/geometry/parts.h"
#include "io/in/groups.h"

typedef struct polygon_piece {
  int64_t id;
  int64_t number; /* in the order of GDAL */
  OGRGeometryH polygon;
} polygon_piece;

typedef struct regions {
  polygon_piece *pieces; /* by id */
  int64_t count;
  const gv_seed_list *seeds;
  gv_id_groups groups;
} regions;

static int by_id(const void *a, const void *b) {
  const polygon_piece *p = a, *q = b;
  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  return p->number < q->number ? -1 : p->number > q->number;
}

static gv_status trace(gv_io *io, GDALDatasetH raster, OGRLayerH layer, GDALProgressFunc progress,
                       void *progress_user) {
  GDALRasterBandH band = GDALGetRasterBand(raster, 1);
  OGRFieldDefnH field = OGR_Fld_Create("id", OFTInteger64);
  OGRErr created = OGR_L_CreateField(layer, field, TRUE);
  OGR_Fld_Destroy(field);
  gv_gdal_reset();
  GDALFlushCache(raster);
  if (gv_gdal_failed()) return gv_io_fail_gdal(io, GV_ERROR_IO, "cannot write the raster of the regions");
  CPLErr error = created == OGRERR_NONE
                     ? GDALPolygonize(band, GDALGetMaskBand(band), layer, 0, NULL, progress, progress_user)
                     : CE_Failure;
  if (gv_io_cancelled(io)) return gv_io_fail_cancelled(io);
  return error == CE_None && !gv_gdal_failed()
             ? GV_OK
             : gv_io_fail_gdal(io, GV_ERROR_IO, "--polygons: cannot trace the regions");
}

/* GDALPolygonize passes ids as doubles: wide ones are read from a cell of the polygon, the one below and to
 * the right of the leftmost of its highest vertices. */
static gv_status read_id(gv_io *io, GDALDatasetH raster, const double *inverse, OGRGeometryH polygon,
                         int64_t *id) {
  OGRGeometryH ring = OGR_G_GetGeometryRef(polygon, 0);
  double column = HUGE_VAL, row = HUGE_VAL;
  for (int i = 0; i < OGR_G_GetPointCount(ring); i++) {
    double u, v;
    GDALApplyGeoTransform((double *)inverse, OGR_G_GetX(ring, i), OGR_G_GetY(ring, i), &u, &v);
    u = rint(u);
    v = rint(v);
    if (v > row || (v == row && u >= column)) continue;
    column = u;
    row = v;
  }
  gv_gdal_reset();
  if (isfinite(row) && GDALRasterIO(GDALGetRasterBand(raster, 1), GF_Read, (int)column, (int)row, 1, 1, id, 1,
                                    1, GDT_Int64, 0, 0) == CE_None) {
    return GV_OK;
  }
  return gv_io_fail_gdal(io, GV_ERROR_IO, "--polygons: cannot trace the regions");
}

static gv_status polygons_collect(gv_io *io, GDALDatasetH raster, OGRLayerH layer, regions *r) {
  bool wide = GDALGetRasterDataType(GDALGetRasterBand(raster, 1)) == GDT_Int64;
  double geotransform[6], inverse[6];
  if (wide &&
      (GDALGetGeoTransform(raster, geotransform) != CE_None || !GDALInvGeoTransform(geotransform, inverse))) {
    return gv_io_fail_gdal(io, GV_ERROR_IO, "--polygons: cannot trace the regions");
  }
  int64_t count = OGR_L_GetFeatureCount(layer, TRUE);
  r->pieces = malloc((size_t)(count + 1) * sizeof *r->pieces);
  if (r->pieces == NULL) return gv_io_fail_memory(io, "the polygons");
  OGR_L_ResetReading(layer);
  for (OGRFeatureH feature; r->count < count && (feature = OGR_L_GetNextFeature(layer)) != NULL;) {
    int64_t id = (int64_t)OGR_F_GetFieldAsInteger64(feature, 0);
    r->pieces[r->count] = (polygon_piece){id, r->count, OGR_F_StealGeometry(feature)};
    r->count++;
    OGR_F_Destroy(feature);
    if (!wide) continue;
    polygon_piece *one = &r->pieces[r->count - 1];
    gv_status status = read_id(io, raster, inverse, one->polygon, &one->id);
    if (status != GV_OK) return status;
  }
  qsort(r->pieces, (size_t)r->count, sizeof *r->pieces, by_id);
  return gv_groups_make(io, r->seeds, &r->groups);
}

/* First piece of an id, or where it would be. */
static int64_t polygons_find(const regions *r, int64_t id) {
  int64_t low = 0, high = r->count;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (r->pieces[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void add_polygons(OGRGeometryH to, OGRGeometryH from) {
  OGRwkbGeometryType type = wkbFlatten(OGR_G_GetGeometryType(from));
  if (type == wkbPolygon) {
    OGR_G_AddGeometry(to, from);
  } else if (type == wkbMultiPolygon || type == wkbGeometryCollection) {
    for (int i = 0; i < OGR_G_GetGeometryCount(from); i++)
      add_polygons(to, OGR_G_GetGeometryRef(from, i));
  }
}

/* Regions with holes that meet at a corner are traced as rings that touch themselves. */
static OGRGeometryH make_valid(OGRGeometryH geometry) {
  OGRGeometryH valid = geometry;
  if (!gv_parts_repair(&valid) || valid == geometry) return valid;
  OGRGeometryH made = OGR_G_CreateGeometry(wkbMultiPolygon);
  add_polygons(made, valid);
  OGR_G_DestroyGeometry(valid);
  return made;
}

static gv_status polygons_fill_row(gv_io *io, void *user, int64_t seed, gv_table_row *row) {
  regions *r = user;
  int64_t id = r->seeds->ids[seed], at = polygons_find(r, id);
  row->keep = at < r->count && r->pieces[at].id == id && gv_groups_leads(&r->groups, seed);
  if (!row->keep) return GV_OK;
  OGRGeometryH region = OGR_G_CreateGeometry(wkbMultiPolygon);
  if (region == NULL) return gv_io_fail_memory(io, "a polygon");
  for (; at < r->count && r->pieces[at].id == id; at++) {
    OGR_G_AddGeometryDirectly(region, r->pieces[at].polygon);
    r->pieces[at].polygon = NULL;
  }
  row->geometry = make_valid(region);
  return GV_OK;
}

gv_status gv_polygons_write(gv_io *io, gv_table_out *table, GDALDatasetH raster, OGRSpatialReferenceH crs,
                            const gv_seed_options *source, const gv_seed_list *seeds,
                            GDALProgressFunc progress, void *progress_user) {
  regions r = {.seeds = seeds};
  GDALDriverH driver = gv_format_memory_driver();
  GDALDatasetH memory = driver != NULL ? GDALCreate(driver, "", 0, 0, 0, GDT_Unknown, NULL) : NULL;
  OGRLayerH layer = memory != NULL ? GDALDatasetCreateLayer(memory, "regions", crs, wkbPolygon, NULL) : NULL;
  gv_status status = layer != NULL
                         ? trace(io, raster, layer, progress, progress_user)
                         : gv_io_fail_gdal(io, GV_ERROR_IO, "--polygons: cannot create a layer in memory");
  if (status == GV_OK) status = polygons_collect(io, raster, layer, &r);
  if (memory != NULL) GDALClose(memory);
  if (status == GV_OK) {
    gv_table_content content = {.crs = crs,
                                .geometry = wkbMultiPolygon,
                                .source = source,
                                .seeds = seeds,
                                .row = polygons_fill_row,
                                .user = &r};
    status = gv_table_write(io, table, &content);
  }
  for (int64_t i = 0; i < r.count; i++) {
    if (r.pieces[i].polygon != NULL) OGR_G_DestroyGeometry(r.pieces[i].polygon);
  }
  free(r.pieces);
  gv_groups_free(&r.groups);
  return status;
}
