/*
 * Reading seeds. One pass over the layer; columns of a CSV file are opened as text and parsed here, because
 * OGR guesses column types from the beginning of a file only, and converts "007" to 7 and an invalid
 * coordinate to 0.
 */
#include "io/in/seeds.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/in/input_limit.h"
#include "io/in/raster_crs.h"
#include "io/in/seams.h"
#include "io/in/seed_reader.h"

void gv_seeds_free(gv_seed_list *seeds) {
  gv_seed_rows_free(seeds);
  free(seeds->areas);
  free(seeds->source_x);
  free(seeds->source_y);
  gv_shapes_free(seeds->shapes);
  gv_row_texts_free(seeds->texts);
  if (seeds->crs != NULL) OSRRelease(seeds->crs);
  *seeds = (gv_seed_list)GV_SEED_LIST_INIT;
}

gv_status gv_seeds_require_some(gv_io *io, const gv_seed_list *seeds) {
  if (seeds->count > 0) return GV_OK;
  if (seeds->skipped > 0) {
    return gv_io_fail_as(io, GV_CODE_SEEDS_NONE, GV_ERROR_INVALID_ARGUMENT,
                         "seeds: missing; %" PRId64 " were skipped (the first: %s)", seeds->skipped,
                         seeds->skipped_first);
  }
  return gv_io_fail_as(io, GV_CODE_SEEDS_NONE, GV_ERROR_INVALID_ARGUMENT, "seeds: missing; %s",
                       seeds->filtered ? "--where selects none" : "the layer is empty");
}

void gv_warn_of_skipped(const char *source, const char *items, int64_t skipped, int64_t used,
                        const char *first) {
  if (skipped > 0)
    gv_io_warn(GV_CODE_SEEDS_SKIPPED, skipped,
               "%s%s%" PRId64 " %s skipped, %" PRId64 " used; the first skipped: %s",
               source != NULL ? source : "", source != NULL ? ": " : "", skipped, items, used, first);
}

gv_status gv_seeds_check_left_out(gv_io *io, const gv_seed_list *seeds, int64_t left_out, const char *option,
                                  const char *of, const char *where, const char *path) {
  const char *items = of != NULL ? "points of " : "seeds", *source = of != NULL ? of : "";
  GV_REQUIRE(io, left_out < seeds->count, "%s: all %s%s are %s %s", option, items, source, where, path);
  if (left_out > 0)
    gv_io_warn(GV_CODE_SEEDS_SKIPPED, left_out, "%" PRId64 " of %" PRId64 " %s%s are %s %s", left_out,
               seeds->count, items, source, where, path);
  return GV_OK;
}

static gv_status copy_positions(gv_io *io, gv_seed_list *set) {
  size_t bytes = (size_t)set->count * sizeof(double);
  set->source_x = malloc(bytes);
  set->source_y = malloc(bytes);
  if (set->source_x == NULL || set->source_y == NULL) return gv_io_fail_memory(io, "the seeds");
  memcpy(set->source_x, set->x, bytes);
  memcpy(set->source_y, set->y, bytes);
  return GV_OK;
}

/* All steps before features are read. */
static gv_status seeds_in_begin(gv_seed_reader *r, gv_io *io, const gv_seed_options *options,
                                gv_seed_list *out) {
  *r = (gv_seed_reader){.io = io,
                        .options = options,
                        .set = out,
                        .id_field = -1,
                        .name_field = -1,
                        .weight_field = -1,
                        .attribute_field = -1,
                        .z_field = -1};
  out->skip_invalid = options->skip_invalid;
  out->source = options->source;
  out->crs_option = options->crs_option != NULL ? options->crs_option : "--seeds-crs";
  out->filtered = options->where != NULL;
  GV_TRY(gv_seed_open(r));
  GV_TRY(gv_seed_choose_positions(r));
  GV_TRY(gv_seed_choose_id(r));
  GV_TRY(gv_seed_choose_weight(r));
  GV_TRY(gv_seed_choose_height(r));
  return gv_seed_choose_attribute(r);
}

static gv_status seeds_in_read_all(gv_seed_reader *r, gv_io *io, const gv_seed_options *options,
                                   gv_seed_list *out) {
  GV_TRY(seeds_in_begin(r, io, options, out));
  GV_TRY(gv_seed_pick_features(r));
  GV_TRY(gv_seed_read_layer(r));
  if (!options->may_be_empty || out->skipped > 0) GV_TRY(gv_seeds_require_some(io, out));
  if (out->shapes != NULL)
    gv_shapes_warn(out->shapes, options->option != NULL ? options->option : "seeds",
                   gv_crs_is_lonlat(out->crs));
  return options->keep_source ? copy_positions(io, out) : GV_OK;
}

gv_status gv_seeds_read(gv_io *io, const gv_seed_options *options, gv_seed_list *out) {
  gv_seed_reader r;
  gv_status status = seeds_in_read_all(&r, io, options, out);
  if (r.name_field < 0 && out->names != NULL) gv_seed_names_drop(out);
  gv_seed_reader_close(&r);
  return status;
}

gv_status gv_seeds_read_header(gv_io *io, const gv_seed_options *options, gv_seed_list *out, bool *narrow) {
  gv_seed_reader r;
  gv_status status = seeds_in_begin(&r, io, options, out);
  /* A CSV file is read as a whole for its where clause. */
  if (status == GV_OK && !r.is_csv) status = gv_seed_pick_features(&r);
  *narrow = status == GV_OK && gv_seed_ids_are_narrow(&r);
  gv_seed_reader_close(&r);
  return status;
}

void gv_seeds_places(const gv_seed_list *seeds, const double **x, const double **y, int64_t *count) {
  const gv_shapes *shapes = seeds->shapes;
  *x = shapes != NULL ? shapes->x : seeds->x;
  *y = shapes != NULL ? shapes->y : seeds->y;
  *count = shapes != NULL ? shapes->vertices : seeds->count;
}

void gv_seeds_warn_of_degrees(const gv_seed_list *seeds, const char *subject, const char *option) {
  enum { SMALL = 10 };
  bool whole = true;
  const double *x, *y;
  double box[4] = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  int64_t count;
  gv_seeds_places(seeds, &x, &y, &count);
  for (int64_t i = 0; i < count; i++) {
    box[0] = fmin(box[0], x[i]);
    box[1] = fmin(box[1], y[i]);
    box[2] = fmax(box[2], x[i]);
    box[3] = fmax(box[3], y[i]);
    whole = whole && x[i] == rint(x[i]) && y[i] == rint(y[i]);
  }
  bool small = whole && box[2] - box[0] <= SMALL && box[3] - box[1] <= SMALL; /* rather a drawing */
  if (count == 0 || seeds->plane || seeds->crs != NULL || !gv_fits_degrees(box) || small) return;
  gv_io_warn(GV_CODE_DEGREES_ON_PLANE, 0,
             "%s no coordinate system, but coordinates that may be degrees; distances are on the plane; for "
             "longitudes and latitudes, use %s EPSG:4326",
             subject, option);
}

gv_features gv_seeds_features(const gv_seed_list *seeds) {
  const gv_shapes *s = seeds->shapes;
  gv_features features;
  gv_features_init(&features);
  features.count = s->features;
  features.part = s->part;
  features.kind = s->kind;
  features.ring = s->ring;
  features.vertex = s->vertex;
  features.x = s->x;
  features.y = s->y;
  features.edges = s->edges;
  features.boundary = s->boundary;
  features.cut = s->has_cuts ? s->cut : NULL;
  return features;
}

/* ------------------------------------------------------------------------------------------- transforming */

/* The i-th seed as the j-th. Names are moved. */
static void move_seed(gv_seed_list *seeds, int64_t i, int64_t j) {
  if (i == j) return;
  seeds->x[j] = seeds->x[i];
  seeds->y[j] = seeds->y[i];
  seeds->ids[j] = seeds->ids[i];
  seeds->rows[j] = seeds->rows[i];
  seeds->fids[j] = seeds->fids[i];
  if (seeds->weights != NULL) seeds->weights[j] = seeds->weights[i];
  if (seeds->z != NULL) seeds->z[j] = seeds->z[i];
  if (seeds->integers != NULL) seeds->integers[j] = seeds->integers[i];
  if (seeds->reals != NULL) seeds->reals[j] = seeds->reals[i];
  if (seeds->source_x != NULL) {
    seeds->source_x[j] = seeds->source_x[i];
    seeds->source_y[j] = seeds->source_y[i];
  }
  if (seeds->names != NULL) {
    seeds->names[j] = seeds->names[i];
    seeds->names[i] = NULL;
  }
}

static void drop_name(gv_seed_list *seeds, int64_t i) {
  if (seeds->names == NULL) return;
  free(seeds->names[i]);
  seeds->names[i] = NULL;
}

/* Possible cause and remedy of an invalid latitude; "" if unknown. */
static const char *map_hint(const gv_seed_list *seeds, double y, char *text, size_t size) {
  const char *option = seeds->crs_option != NULL ? seeds->crs_option : "--seeds-crs";
  text[0] = '\0';
  if (gv_crs_is_lonlat(seeds->crs) && fabs(y) > 360.0 && *option != '\0')
    snprintf(text, size, "; the coordinates may be those of a map: use %s to set their system", option);
  return text;
}

static gv_status fail_latitude(gv_io *io, gv_seed_list *seeds, int64_t i, double y) {
  char number[32], hint[96];
  snprintf(number, sizeof number, "%.15g", y);
  if (strtod(number, NULL) != y) snprintf(number, sizeof number, "%.17g", y);
  return gv_seed_unusable(io, seeds, seeds->rows[i], seeds->fids[i], "latitude out of range [-90, 90] (%s)%s",
                          number, map_hint(seeds, y, hint, sizeof hint));
}

gv_status gv_seeds_transform_shapes(gv_io *io, gv_seed_list *seeds, gv_operation *operation,
                                    OGRSpatialReferenceH target, bool globe, double scale) {
  gv_shapes *from = seeds->shapes;
  if (from == NULL) return GV_OK;
  for (int64_t v = 0; v < from->vertices && operation == NULL && scale != 1.0; v++) {
    from->x[v] *= scale;
    from->y[v] *= scale;
  }
  gv_shapes *to = NULL;
  gv_shape_transform how = {.operation = operation, .globe = globe, .tolerance = 5e-4};
  gv_status status = gv_shapes_make(io, &to);
  /* Straight edges that stay unchanged on the globe are checked by the library, which also splits them. */
  bool by_library = operation == NULL && globe && from->edges == GV_EDGES_STRAIGHT;
  bool is_plate =
      operation == NULL && !globe && gv_crs_is_lonlat(seeds->crs); /* a plane that ends at 180 degrees */
  if (status == GV_OK && !by_library && !is_plate) status = gv_shapes_find_seams(io, from, seeds->crs);
  if (status == GV_OK && globe) status = gv_crs_ellipsoid(io, target, &how.semi_major, &how.flattening);
  if (!globe && target != NULL && OSRIsProjected(target)) how.tolerance /= OSRGetLinearUnits(target, NULL);
  int64_t kept = 0;
  for (int64_t i = 0; i < seeds->count && status == GV_OK; i++) {
    const char *why;
    bool left_out = false;
    const int64_t room = to->room_x;
    status = gv_shapes_transform(io, from, i, &how, to, &why);
    if (status == GV_OK && to->room_x > room) /* long edges get many vertices */
      status =
          gv_input_fits(io, &(gv_input_data){NULL, seeds->source, "vertices", to->vertices, GV_BYTES_A_SEED});
    for (int64_t v = from->vertex[from->ring[from->part[i]]];
         status == GV_OK && why == NULL && globe && operation == NULL &&
         v < from->vertex[from->ring[from->part[i + 1]]];
         v++) {
      if (!(fabs(from->y[v]) > 90.0)) continue;
      status = fail_latitude(io, seeds, i, from->y[v]);
      gv_shapes_drop_last(to);
      left_out = true;
      break;
    }
    if (status == GV_OK && why != NULL) {
      status = gv_seed_unusable(io, seeds, seeds->rows[i], seeds->fids[i], "%s", why);
      left_out = true;
    }
    if (left_out) {
      drop_name(seeds, i);
    } else if (status == GV_OK) {
      move_seed(seeds, i, kept++);
    }
    if (status == GV_OK && i % 64 == 0 && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  if (status != GV_OK) {
    gv_shapes_free(to);
    return status;
  }
  /* Pieces of lines that were straight elsewhere are geodesics on the globe. */
  to->edges = operation != NULL && globe ? GV_EDGES_GEODESIC : from->edges;
  to->boundary = from->boundary;
  to->has_cuts = !by_library && !is_plate;
  seeds->count = kept;
  seeds->shapes = to;
  gv_shapes_free(from);
  return gv_seeds_require_some(io, seeds);
}

gv_status gv_seeds_transform(gv_io *io, gv_seed_list *seeds, gv_operation *operation, bool globe,
                             double scale) {
  int64_t kept = 0;
  gv_status status = GV_OK;
  int64_t i = 0;
  for (; i < seeds->count && status == GV_OK; i++) {
    double x = seeds->x[i], y = seeds->y[i];
    char hint[96];
    bool usable = true;
    if (operation != NULL) {
      if (gv_operation_apply(&x, &y, 1, operation) != 0) {
        status = gv_io_fail_memory(io, "a coordinate operation");
        break;
      }
      if (!isfinite(x) || !isfinite(y)) {
        status = gv_seed_unusable(
            io, seeds, seeds->rows[i], seeds->fids[i],
            "the position (%.10g, %.10g) cannot be transformed to the grid's coordinate system%s",
            seeds->x[i], seeds->y[i], map_hint(seeds, seeds->y[i], hint, sizeof hint));
        usable = false;
      }
    } else if (scale != 1.0) {
      x *= scale;
      y *= scale;
    }
    /* PROJ converts radians back to degrees with an error of an ulp at the pole. */
    if (usable && globe && operation != NULL && fabs(y) > 90.0 && fabs(y) < 90.0 + 1e-9)
      y = copysign(90.0, y);
    if (usable && globe && fabs(y) > 90.0) {
      status = fail_latitude(io, seeds, i, y);
      usable = false;
    }
    if (status != GV_OK) break;
    if (!usable) {
      drop_name(seeds, i);
      continue;
    }
    seeds->x[i] = x;
    seeds->y[i] = y;
    move_seed(seeds, i, kept++);
    if (i % 4096 == 0 && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  if (status != GV_OK) return status; /* the set can be freed: moved names are NULL */
  seeds->count = kept;
  return gv_seeds_require_some(io, seeds);
}

void gv_seeds_range(const int64_t *values, int64_t count, int64_t *lowest, int64_t *highest) {
  *lowest = *highest = values[0];
  for (int64_t i = 1; i < count; i++) {
    if (values[i] < *lowest) *lowest = values[i];
    if (values[i] > *highest) *highest = values[i];
  }
}
