/*
 * Cells are cut twice. First in longitudes and latitudes, by the mask and by a rectangle somewhat larger than
 * the extent: what the map does not show is gone before it is drawn. Then on the map, by the extent itself,
 * and by a mask that is in the map's system.
 */
#include "job/diagram/windows.h"

#include <math.h>
#include <string.h>

#include "io/geometry/parts.h"
#include "io/geometry/projected.h"
#include "io/geometry/region.h"
#include "io/in/extent.h"
#include "io/overlay/mask_area.h"

/* The polygons of --mask, as they are; *crs: their system, to be released. */
static gv_status windows_read_mask(gv_io *io, const gv_diagram_job *job, OGRSpatialReferenceH crs,
                                   OGRSpatialReferenceH *own, OGRGeometryH *out) {
  const gv_mask_options options = {job->mask, job->mask_layer, NULL};
  gv_mask_layer layer;
  *own = NULL;
  *out = NULL;
  gv_status status = gv_mask_layer_open(io, &options, crs, &layer);
  if (status == GV_OK) status = gv_mask_layer_area(io, &layer, out);
  if (status == GV_OK && *out == NULL) {
    *out = OGR_G_CreateGeometry(wkbMultiPolygon);
    if (*out == NULL) status = gv_io_fail_memory(io, "the mask");
  }
  *own = layer.crs;
  layer.crs = NULL;
  gv_mask_layer_close(&layer);
  return status;
}

/* Replaces *a by its intersection with b, and frees b; NULL means everything, an empty geometry nothing. */
static gv_status windows_both(gv_io *io, OGRGeometryH *a, OGRGeometryH b) {
  OGRGeometryH both = NULL;
  gv_status status = GV_OK;
  if (b == NULL) return GV_OK;
  if (*a == NULL) {
    *a = b;
    return GV_OK;
  }
  if (!OGR_G_IsEmpty(*a) && !OGR_G_IsEmpty(b)) status = gv_parts_intersect(io, *a, b, true, &both);
  OGR_G_DestroyGeometry(b);
  OGR_G_DestroyGeometry(*a);
  *a = both != NULL || status != GV_OK ? both : OGR_G_CreateGeometry(wkbMultiPolygon);
  return status != GV_OK || *a != NULL ? status : gv_io_fail_memory(io, "the mask");
}

/* A region; nothing is an empty geometry. */
static gv_status windows_region(gv_io *io, OGRGeometryH polygons, const gv_region_way *way, double center,
                                bool *complete, OGRGeometryH *out) {
  GV_TRY(gv_region_make(io, polygons, way, center, complete, out));
  if (*out == NULL && (complete == NULL || *complete)) *out = OGR_G_CreateGeometry(wkbMultiPolygon);
  return *out != NULL || (complete != NULL && !*complete) ? GV_OK : gv_io_fail_memory(io, "the mask");
}

/* The mask as a region of degrees from `center`. */
static gv_status windows_mask_region(gv_io *io, OGRGeometryH mask, OGRSpatialReferenceH own,
                                     OGRSpatialReferenceH degrees, const gv_map *map, double tolerance,
                                     OGRGeometryH *out) {
  gv_operation *operation = NULL;
  if (!gv_crs_same(own, degrees))
    GV_TRY(gv_io_of_option(io, gv_operation_to_globe(io, own, degrees, NULL, NULL, 0, &operation), "--mask"));
  const gv_region_way way = {operation, gv_crs_is_lonlat(own) ? gv_crs_unit_degrees(own) : 0.0, map->degree,
                             tolerance};
  gv_status status = windows_region(io, mask, &way, map->center, NULL, out);
  gv_operation_destroy(operation);
  return status == GV_OK ? status : gv_io_within(io, status, "--mask");
}

/* A rectangle of the map, somewhat widened, as a region; *out NULL: parts of it are outside the map. */
static gv_status windows_rectangle_region(gv_io *io, const double e[4], const gv_map *map, double tolerance,
                                          OGRGeometryH *out) {
  static const double widths[] = {0.02, 1e-5, 0.0};
  const gv_region_way way = {map->inverse, 0.0, map->degree, tolerance};
  bool complete = false;
  *out = NULL;
  for (int i = 0; i < 3 && !complete; i++) {
    double across = widths[i] * (e[2] - e[0]), up = widths[i] * (e[3] - e[1]);
    const double wide[4] = {e[0] - across, e[1] - up, e[2] + across, e[3] + up};
    OGRGeometryH rectangle = gv_parts_rectangle(wide);
    if (rectangle == NULL) return gv_io_fail_memory(io, "the extent");
    if (map->period == 0.0)
      gv_operation_check_round_trip(map->inverse, 1e-6 * fmax(e[2] - e[0], e[3] - e[1]) + 1e-3 / map->meter);
    gv_status status = windows_region(io, rectangle, &way, map->center, &complete, out);
    gv_operation_check_round_trip(map->inverse, 0.0);
    OGR_G_DestroyGeometry(rectangle);
    GV_TRY(status);
  }
  return GV_OK;
}

/* Moves the middle of a map without an edge, or with one that repeats, to that of what is drawn. */
static gv_status windows_center(gv_io *io, const double e[4], gv_map *map) {
  double x = 0.5 * (e[0] + e[2]), y = 0.5 * (e[1] + e[3]);
  if (map->period != 0.0) {
    map->center = remainder(map->center + (x - map->origin) / map->period * 360.0, 360.0);
    map->origin = x;
  } else if (!map->cut) {
    if (gv_operation_apply(&x, &y, 1, map->inverse) != 0)
      return gv_io_fail_memory(io, "a coordinate operation");
    map->center = isfinite(x) ? rint(x) : 0.0;
  }
  return GV_OK;
}

/* Latitudes that the map shows, if it does not show the poles. */
static gv_status windows_latitudes(gv_io *io, const gv_map *map, OGRGeometryH *region) {
  const double shown[4] = {-180.0, -map->most, 180.0, map->most};
  if (map->most == 90.0) return GV_OK;
  OGRGeometryH rectangle = gv_parts_rectangle(shown);
  return rectangle != NULL ? windows_both(io, region, rectangle) : gv_io_fail_memory(io, "the extent");
}

/* The rectangle on the map that is drawn: the extent, the default, or that of a mask on the map. */
static gv_status windows_rectangle(gv_io *io, const gv_diagram_job *job, const gv_seed_list *seeds,
                                   const gv_diagram_content *c, double e[4], bool *known) {
  *known = true;
  if (job->has_extent) {
    memcpy(e, job->extent, sizeof job->extent);
    return GV_OK;
  }
  *known = !c->map.world && job->mask == NULL;
  return *known ? gv_extent_of_seeds(io, seeds, c->map.operation, c->crs, e) : GV_OK;
}

/* The region and what is within the map, of a map with projected coordinates. */
static gv_status windows_on_map(gv_io *io, const gv_diagram_job *job, const gv_seed_list *seeds,
                                gv_diagram_content *c, OGRGeometryH mask, OGRGeometryH *region,
                                OGRGeometryH *within) {
  gv_map *map = &c->map;
  double e[4];
  bool known;
  GV_TRY(windows_rectangle(io, job, seeds, c, e, &known));
  if (known) {
    *within = gv_parts_rectangle(e);
    if (*within == NULL) return gv_io_fail_memory(io, "the extent");
  }
  if (mask != NULL) {
    OGRGeometryH copy = OGR_G_Clone(mask);
    if (copy == NULL) return gv_io_fail_memory(io, "the mask");
    GV_TRY(windows_both(io, within, copy));
  }
  if (*within == NULL) return windows_latitudes(io, map, region);
  if (OGR_G_IsEmpty(*within)) return GV_OK;
  OGREnvelope bounds;
  OGR_G_GetEnvelope(*within, &bounds);
  const double box[4] = {bounds.MinX, bounds.MinY, bounds.MaxX, bounds.MaxY};
  GV_TRY(windows_center(io, box, map));
  GV_TRY(windows_rectangle_region(io, box, map, c->tolerance, region));
  if (*region != NULL || map->world) return *region == NULL ? windows_latitudes(io, map, region) : GV_OK;
  return gv_io_fail(io, GV_ERROR_PROJECTION,
                    "%s: part of it is outside the system of --crs; use a smaller %s",
                    job->has_extent ? "--extent"
                    : mask != NULL  ? "--mask"
                                    : "extent of the seeds",
                    mask != NULL && !job->has_extent ? "--mask" : "--extent");
}

/* Of longitudes and latitudes: edges are as they are written, in any turn. */
static gv_status windows_on_lonlat(gv_io *io, const gv_diagram_job *job, gv_diagram_content *c,
                                   OGRGeometryH *region) {
  const gv_region_way way = {c->map.inverse, gv_crs_unit_degrees(c->crs), c->map.degree, c->tolerance};
  if (!job->has_extent) return GV_OK;
  OGRGeometryH rectangle = gv_parts_rectangle(job->extent);
  if (rectangle == NULL) return gv_io_fail_memory(io, "the extent");
  gv_status status = windows_region(io, rectangle, &way, c->map.center, NULL, region);
  OGR_G_DestroyGeometry(rectangle);
  return status == GV_OK ? status : gv_io_within(io, status, "--extent");
}

gv_status gv_diagram_windows_globe(gv_io *io, const gv_diagram_job *job, const gv_seed_list *seeds,
                                   OGRSpatialReferenceH degrees, gv_diagram_content *c) {
  OGRSpatialReferenceH own = NULL;
  OGRGeometryH mask = NULL, region = NULL, within = NULL, part = NULL;
  gv_status status = GV_OK;
  if (job->mask != NULL) status = windows_read_mask(io, job, c->crs, &own, &mask);
  bool on_map = !c->map.lonlat && mask != NULL && gv_crs_same(own, c->crs);
  if (status == GV_OK)
    status = c->map.lonlat ? windows_on_lonlat(io, job, c, &region)
                           : windows_on_map(io, job, seeds, c, on_map ? mask : NULL, &region, &within);
  if (status == GV_OK && mask != NULL && !on_map) {
    status = windows_mask_region(io, mask, own, degrees, &c->map, c->tolerance, &part);
    if (status == GV_OK) status = windows_both(io, &region, part);
  }
  if (status == GV_OK && region != NULL) {
    status = gv_window_make(io, region, &c->region);
    region = NULL;
  }
  if (status == GV_OK && within != NULL) {
    status = gv_window_make(io, within, &c->within);
    within = NULL;
  }
  OGRGeometryH const rest[] = {mask, region, within};
  for (int i = 0; i < 3; i++)
    if (rest[i] != NULL) OGR_G_DestroyGeometry(rest[i]);
  if (own != NULL) OSRRelease(own);
  return status;
}

/* ---------------------------------------------------------------------------------------------- the plane */

/* The rectangle that the library draws, and some more. */
static void windows_plane_box(const gv_diagram_job *job, const gv_seed_list *seeds, double e[4]) {
  if (job->has_extent) {
    memcpy(e, job->extent, sizeof job->extent);
    return;
  }
  e[0] = e[1] = HUGE_VAL, e[2] = e[3] = -HUGE_VAL;
  for (int64_t i = 0; i < seeds->count; i++) {
    e[0] = fmin(e[0], seeds->x[i]), e[2] = fmax(e[2], seeds->x[i]);
    e[1] = fmin(e[1], seeds->y[i]), e[3] = fmax(e[3], seeds->y[i]);
  }
  double wide = 0.12 * fmax(e[2] - e[0], e[3] - e[1]);
  if (wide == 0.0) wide = 2.0;
  e[0] -= wide, e[1] -= wide, e[2] += wide, e[3] += wide;
}

/* A mask of longitudes and latitudes in all turns that the plane has. */
static gv_status windows_turns(gv_io *io, const double box[4], double turn, OGRGeometryH *mask) {
  OGREnvelope e;
  OGR_G_GetEnvelope(*mask, &e);
  OGRGeometryH all = OGR_G_CreateGeometry(wkbMultiPolygon);
  if (all == NULL) return gv_io_fail_memory(io, "the mask");
  int low = (int)fmax(ceil((box[0] - e.MaxX) / turn), -GV_MOST_TURNS),
      high = (int)fmin(floor((box[2] - e.MinX) / turn), GV_MOST_TURNS);
  for (int i = low; i <= high; i++) {
    OGRGeometryH copy = OGR_G_Clone(*mask), parts = copy != NULL ? gv_parts_of(copy, true) : NULL;
    if (parts == NULL) continue;
    gv_parts_shift(parts, i * turn);
    for (int k = 0; k < OGR_G_GetGeometryCount(parts); k++)
      OGR_G_AddGeometry(all, OGR_G_GetGeometryRef(parts, k));
    OGR_G_DestroyGeometry(parts);
  }
  OGRGeometryH united = OGR_G_GetGeometryCount(all) > 0 ? OGR_G_UnionCascaded(all) : OGR_G_Clone(all);
  OGR_G_DestroyGeometry(all);
  if (united == NULL) return gv_io_fail_memory(io, "the mask");
  OGR_G_DestroyGeometry(*mask);
  *mask = united;
  return GV_OK;
}

/* A mask of another system, by way of the globe. */
static gv_status windows_over_globe(gv_io *io, const gv_diagram_job *job, const double box[4],
                                    OGRSpatialReferenceH own, OGRSpatialReferenceH crs, OGRGeometryH *mask) {
  OGRSpatialReferenceH degrees = NULL;
  gv_operation *operation = NULL, *inverse = NULL;
  OGRGeometryH region = NULL, part = NULL, drawn = NULL;
  gv_map map;
  GV_TRY(gv_crs_degrees(io, crs, &degrees));
  gv_status status = gv_operation_between(io, degrees, crs, NULL, NULL, 0, &operation);
  if (status == GV_OK) status = gv_operation_between(io, crs, degrees, NULL, NULL, 0, &inverse);
  if (status == GV_OK) status = gv_map_examine(io, crs, operation, inverse, &map);
  if (status == GV_OK) status = windows_center(io, box, &map);
  if (status == GV_OK) status = windows_mask_region(io, *mask, own, degrees, &map, job->tolerance, &region);
  if (status == GV_OK) status = windows_rectangle_region(io, box, &map, job->tolerance, &part);
  if (status == GV_OK) status = windows_both(io, &region, part);
  if (status == GV_OK && !OGR_G_IsEmpty(region))
    status = gv_map_draw(io, &map, job->tolerance, true, region, &drawn);
  if (status == GV_OK && drawn == NULL) drawn = OGR_G_CreateGeometry(wkbMultiPolygon);
  if (region != NULL) OGR_G_DestroyGeometry(region);
  OSRRelease(degrees);
  gv_operation_destroy(operation);
  gv_operation_destroy(inverse);
  if (status != GV_OK) return status;
  OGR_G_DestroyGeometry(*mask);
  *mask = drawn;
  return drawn != NULL ? GV_OK : gv_io_fail_memory(io, "the mask");
}

gv_status gv_diagram_windows_plane(gv_io *io, const gv_diagram_job *job, const gv_seed_list *seeds,
                                   gv_diagram_content *c) {
  OGRSpatialReferenceH own = NULL;
  OGRGeometryH mask = NULL;
  double box[4];
  if (job->mask == NULL) return GV_OK;
  gv_status status = windows_read_mask(io, job, c->crs, &own, &mask);
  windows_plane_box(job, seeds, box);
  if (status == GV_OK && own != NULL && !gv_crs_same(own, c->crs))
    status = windows_over_globe(io, job, box, own, c->crs, &mask);
  else if (status == GV_OK && gv_crs_is_lonlat(own) && !OGR_G_IsEmpty(mask))
    status = windows_turns(io, box, 360.0 / gv_crs_unit_degrees(own), &mask);
  if (own != NULL) OSRRelease(own);
  if (status == GV_OK) return gv_window_make(io, mask, &c->within);
  if (mask != NULL) OGR_G_DestroyGeometry(mask);
  return status;
}
