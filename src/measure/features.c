/* Distances and directions to lines and polygons: canonical values, cell by cell. */
#include "measure/features.h"

#include "features/index.h"

static const double degree = 180.0 / 3.14159265358979323846;

/* One cell and its feature. */
typedef struct sight {
  gv_edge_place q;
  double column_lon; /* the longitude that azimuths at a pole are of */
  int32_t feature;
  bool inside;
  gv_edge_foot foot;
} sight;

static bool is_in(void *user, int32_t part) {
  void **what = user;
  const gv_locator *locator = what[0];
  sight *s = what[1];
  s->inside = locator->feature_of[part] == s->feature;
  return !s->inside;
}

static void look(const gv_voronoi *v, sight *s, bool boundary) {
  const gv_feature_index *index = v->state;
  void *what[2] = {(void *)&index->locator, s};
  s->inside = false;
  gv_locate(&index->locator, &s->q, is_in, what);
  s->foot = (gv_edge_foot){.canonical = s->inside ? 0.0 : INFINITY};
  if (s->inside && !boundary) return;
  gv_tree_nearest(&index->tree, s->feature, &s->q, s->q.vector, s->inside, INFINITY, &s->foot);
}

static double distance_of(const gv_voronoi *v, const sight *s) {
  double c = s->foot.canonical;
  if (c == INFINITY) return (double)NAN; /* a polygon without a boundary */
  if (v->cells.metric == GV_EUCLIDEAN) c = sqrt(c);
  if (v->cells.metric == GV_GREAT_CIRCLE) c = gv_arc_of_chord2(gv_globe_radius(&v->cells.ellipsoid), c);
  return s->inside ? 0.0 - c : c;
}

/* Degrees, any turn of them. */
static double azimuth_of(const gv_voronoi *v, const sight *s) {
  const double *at = s->foot.vector, *q = s->q.vector;
  if (v->cells.dim == 2) return atan2(at[0] - q[0], at[1] - q[1]) * degree;
  double azimuth = s->foot.azimuth;
  if (v->cells.metric == GV_GREAT_CIRCLE) {
    const double angles[2] = {s->q.lon, s->q.lat};
    double sine[2], cosine[2];
    gv_sincos_degrees(2, angles, sine, cosine);
    double d[3] = {at[0] - q[0], at[1] - q[1], at[2] - q[2]};
    double east = cosine[0] * d[1] - sine[0] * d[0];
    double north = cosine[1] * d[2] - sine[1] * (cosine[0] * d[0] + sine[0] * d[1]);
    azimuth = atan2(east, north) * degree;
  }
  return azimuth + (s->q.lat == 90.0 ? s->column_lon : s->q.lat == -90.0 ? -s->column_lon : 0.0);
}

static float rounded_azimuth(const gv_voronoi *v, const sight *s) {
  if (s->inside || s->foot.canonical == INFINITY) return NAN;
  if (s->foot.canonical == 0.0) return 0.0F;
  double azimuth = remainder(azimuth_of(v, s), 360.0);
  float rounded = (float)(azimuth < 0.0 ? azimuth + 360.0 : azimuth);
  return rounded >= 360.0F ? 0.0F : rounded + 0.0F;
}

static void put(const gv_voronoi *v, const gv_measure *m, const sight *s, bool there, int64_t at) {
  double distance = there ? distance_of(v, s) : (double)NAN;
  if (m->distance != NULL && m->type == GV_FLOAT64) ((double *)m->distance)[at] = distance;
  if (m->distance != NULL && m->type == GV_FLOAT32) ((float *)m->distance)[at] = (float)distance;
  if (m->azimuth != NULL) m->azimuth[at] = there ? rounded_azimuth(v, s) : NAN;
}

gv_status gv_measure_features(gv_context *context, const gv_voronoi *v, const gv_measure *m, const gv_tile *tile) {
  int64_t columns = tile->c1 - tile->c0;
  bool globe = v->cells.dim == 3, table = v->cells.shape == GV_CELLS_LONLAT;
  const double *g = v->cells.grid.geotransform;
  double *x = gv_allocate(&context->allocator, 5 * columns, sizeof *x), *y = x + columns, *z = y + columns;
  if (x == NULL) return gv_fail_memory(context, "a block's distances");
  double *lon = globe ? z + columns : NULL, *lat = globe ? lon + columns : NULL;
  gv_status status = GV_OK;
  for (int64_t r = tile->r0; r < tile->r1 && status == GV_OK; r++) {
    gv_tile row = {tile->c0, tile->c1, r, r + 1};
    status = gv_cells_positions(context, &v->cells, &row, x, y, z, lon, lat, NULL);
    for (int64_t i = 0; i < columns * m->bands && status == GV_OK; i++) {
      int64_t c = i % columns, band = i / columns, line = r - tile->r0;
      sight s = {.feature = m->seed[band * m->band_stride + line * m->stride + c],
                 .q = {.vector = {x[c], y[c], globe ? z[c] : 0.0}}};
      bool there = s.feature >= 0 && !isnan(x[c]);
      if (s.feature >= v->seeds.total) {
        status = gv_fail(context, GV_ERROR_INVALID_ARGUMENT, "there is no seed %d", (int)s.feature);
        break;
      }
      if (globe) s.q.lon = lon[c], s.q.lat = lat[c];
      if (table) s.column_lon = g[0] + ((double)(tile->c0 + c) + 0.5) * g[1];
      if (there) look(v, &s, m->signed_distance != 0);
      put(v, m, &s, there, band * m->out_band_stride + line * m->out_stride + c);
    }
  }
  gv_release(&context->allocator, x);
  return status;
}
