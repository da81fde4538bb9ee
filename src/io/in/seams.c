/*
 * An edge along the meridian has the inside of its polygon on one side, east or west, which follows from its
 * direction, north or south, and from the orientation of its ring in the coordinates as written. A map that
 * mirrors the globe does so with all rings.
 */
#include "io/in/seams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/grow.h"

static const double tolerance = 1e-5; /* degrees, as the library's (GV_CUT_TOLERANCE) */

/* Latitudes of an edge along the meridian. */
typedef struct seams_stretch {
  double low, high;
} seams_stretch;

typedef struct seam_search {
  gv_shapes *shapes;
  const double *lon, *lat; /* of each vertex; HUGE_VAL = none */
  seams_stretch *list[2];  /* by side */
  int64_t count[2], room[2];
  bool failed;
} seam_search;

static bool is_on_meridian(double lon) {
  return isfinite(lon) && 180.0 - fabs(remainder(lon, 360.0)) <= tolerance;
}

static bool is_at_pole(double lat) {
  return isfinite(lat) && 90.0 - fabs(lat) <= tolerance;
}

/* Twice the area of a ring, above 0 if it is counterclockwise; summed from its first vertex, as coordinates
 * may be large. */
static double ring_area(const gv_shapes *s, int64_t ring) {
  double area = 0.0;
  int64_t first = s->vertex[ring];
  for (int64_t v = first; v + 1 < s->vertex[ring + 1]; v++) {
    area += (s->x[v] - s->x[first]) * (s->y[v + 1] - s->y[first]) -
            (s->x[v + 1] - s->x[first]) * (s->y[v] - s->y[first]);
  }
  return area;
}

typedef void seam_visit(seam_search *search, int64_t v, int side);

/* Calls for each edge of a polygon that lies along the meridian, with its side, and for those at a pole with
 * side -1. */
static void visit_seams(seam_search *search, seam_visit *call) {
  const gv_shapes *s = search->shapes;
  for (int64_t p = 0; p < s->parts; p++) {
    if (s->kind[p] != GV_PART_POLYGON) continue;
    for (int64_t r = s->ring[p]; r < s->ring[p + 1]; r++) {
      int turned = 2; /* unknown yet */
      for (int64_t v = s->vertex[r]; v + 1 < s->vertex[r + 1]; v++) {
        const double *lat = search->lat + v;
        if (is_at_pole(lat[0]) && is_at_pole(lat[1])) {
          call(search, v, -1);
        } else if (is_on_meridian(search->lon[v]) && is_on_meridian(search->lon[v + 1]) && lat[0] != lat[1]) {
          if (turned == 2) turned = (ring_area(s, r) > 0.0) != (r > s->ring[p]);
          call(search, v, (lat[1] > lat[0]) != turned);
        }
      }
    }
  }
}

static void collect_seam(seam_search *search, int64_t v, int side) {
  if (side < 0) return;
  seams_stretch *list =
      gv_grow(search->list[side], &search->room[side], search->count[side] + 1, sizeof *list);
  search->failed |= list == NULL;
  if (list == NULL) return;
  search->list[side] = list;
  const double *lat = search->lat + v;
  list[search->count[side]++] = (seams_stretch){fmin(lat[0], lat[1]), fmax(lat[0], lat[1])};
}

static int by_low(const void *a, const void *b) {
  const seams_stretch *x = a, *y = b;
  return (x->low > y->low) - (x->low < y->low);
}

static int64_t unite_stretches(seams_stretch *list, int64_t count) {
  int64_t kept = 0;
  if (count > 0) qsort(list, (size_t)count, sizeof *list, by_low);
  for (int64_t i = 0; i < count; i++) {
    if (kept > 0 && list[i].low <= list[kept - 1].high + tolerance) {
      list[kept - 1].high = fmax(list[kept - 1].high, list[i].high);
    } else {
      list[kept++] = list[i];
    }
  }
  return kept;
}

static void mark_seam(seam_search *search, int64_t v, int side) {
  const double *lat = search->lat + v;
  double low = fmin(lat[0], lat[1]) + tolerance, high = fmax(lat[0], lat[1]) - tolerance;
  bool cut = side < 0;
  int64_t from = 0, to = side >= 0 ? search->count[1 - side] : 0;
  while (from < to) { /* those that begin at or below `low` */
    int64_t middle = from + (to - from) / 2;
    if (search->list[1 - side][middle].low <= low) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  if (side >= 0) cut = from > 0 && search->list[1 - side][from - 1].high >= high;
  if (cut) search->shapes->cut[v] = 1;
}

static gv_status search_seams(gv_io *io, seam_search *search) {
  visit_seams(search, collect_seam);
  for (int side = 0; side < 2; side++)
    search->count[side] = unite_stretches(search->list[side], search->count[side]);
  if (!search->failed) visit_seams(search, mark_seam);
  free(search->list[0]);
  free(search->list[1]);
  return search->failed ? gv_io_fail_memory(io, "the seeds") : GV_OK;
}

/* --------------------------------------------------------------------------------------------- longitudes */

/* Whether the shapes cover places near the meridian or without a longitude; tests a few hundred places. */
static bool may_have_seams(const gv_shapes *s, gv_operation *operation, bool *failed) {
  enum { SIDE = 17, NEAR = 30 /* degrees */ };
  double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL}, x[SIDE * SIDE], y[SIDE * SIDE];
  for (int64_t v = 0; v < s->vertices; v++) {
    low[0] = fmin(low[0], s->x[v]), high[0] = fmax(high[0], s->x[v]);
    low[1] = fmin(low[1], s->y[v]), high[1] = fmax(high[1], s->y[v]);
  }
  for (int i = 0; i < SIDE * SIDE; i++) {
    x[i] = low[0] + (high[0] - low[0]) * (i % SIDE) / (SIDE - 1);
    y[i] = low[1] + (high[1] - low[1]) * (i / SIDE) / (SIDE - 1.0);
  }
  *failed = gv_operation_apply(x, y, SIDE * SIDE, operation) != 0;
  bool may = false;
  for (int i = 0; i < SIDE * SIDE; i++)
    may = may || !isfinite(x[i]) || 180.0 - fabs(remainder(x[i], 360.0)) <= NEAR || fabs(y[i]) > 80.0;
  return may;
}

/* The places of all vertices on the globe, to be freed; NULL, NULL if seams are impossible. */
static gv_status seams_find_places(gv_io *io, const gv_shapes *s, OGRSpatialReferenceH crs, double **lon,
                                   double **lat) {
  gv_operation *operation = NULL;
  bool failed = false;
  OGRSpatialReferenceH globe = OSRCloneGeogCS(crs);
  if (globe == NULL) return GV_OK; /* a system of no globe */
  gv_status status = gv_operation_to_globe(io, crs, globe, s->x, s->y, s->vertices, &operation);
  OSRRelease(globe);
  if (status != GV_OK)
    return status == GV_ERROR_OUT_OF_MEMORY ? status : GV_OK; /* reported when the seeds are transformed */
  if (may_have_seams(s, operation, &failed) && !failed) {
    size_t bytes = (size_t)s->vertices * sizeof **lon;
    *lon = malloc(bytes);
    *lat = malloc(bytes);
    failed = *lon == NULL || *lat == NULL;
    if (!failed) {
      memcpy(*lon, s->x, bytes);
      memcpy(*lat, s->y, bytes);
      failed = gv_operation_apply(*lon, *lat, s->vertices, operation) != 0;
    }
  }
  gv_operation_destroy(operation);
  return failed ? gv_io_fail_memory(io, "the seeds") : GV_OK;
}

gv_status gv_shapes_find_seams(gv_io *io, gv_shapes *s, OGRSpatialReferenceH crs) {
  if (crs == NULL || s->vertices == 0 || memchr(s->kind, GV_PART_POLYGON, (size_t)s->parts) == NULL)
    return GV_OK;
  double *lon = NULL, *lat = NULL;
  gv_status status = GV_OK;
  bool degrees = gv_crs_is_lonlat(crs) && gv_crs_unit_degrees(crs) == 1.0;
  if (!degrees) status = seams_find_places(io, s, crs, &lon, &lat);
  seam_search search = {.shapes = s, .lon = degrees ? s->x : lon, .lat = degrees ? s->y : lat};
  if (status == GV_OK && search.lon != NULL && search.lat != NULL) status = search_seams(io, &search);
  free(lon);
  free(lat);
  return status;
}
