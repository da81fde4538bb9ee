/*
 * Coordinate operations by PROJ, with little overhead.
 *
 * PROJ's usual way (proj_create_crs_to_crs) may hold several operations and pick one position by position.
 * Here one operation is chosen and parsed as a PROJ string. The steps of a pipeline before and after the
 * projection itself (swapping axes, converting radians to degrees) are done here, so that an inverse
 * projection runs without a pipeline. Every thread works on its own clone, as PROJ requires.
 */
#include "io/crs/crs.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>
#include <proj.h>

#include "core/angles.h"
#include "gpuvoronoi/crs.h"
#include "io/crs/operation_choice.h"
#include "io/format.h"

/* ------------------------------------------------------------------------------------- coordinate systems */

gv_status gv_crs_parse(gv_io *io, const char *text, const char *option, OGRSpatialReferenceH *out) {
  gv_gdal_reset();
  OGRSpatialReferenceH crs = OSRNewSpatialReference(NULL);
  if (crs == NULL) return gv_io_fail_memory(io, "a coordinate system");
  if (OSRSetFromUserInput(crs, text) != OGRERR_NONE) {
    bool number = text[0] != '\0' && strlen(text) <= 9 && strspn(text, "0123456789") == strlen(text);
    bool meant = number && OSRImportFromEPSG(crs, (int)strtol(text, NULL, 10)) == OGRERR_NONE;
    char name[256];
    if (meant) gv_crs_describe(crs, name, sizeof name);
    OSRRelease(crs);
    if (meant) {
      return gv_io_fail_as(io, GV_CODE_CRS_UNKNOWN, GV_ERROR_INVALID_ARGUMENT,
                           "%s: ambiguous coordinate system (%s); EPSG:%s is %s", option, text, text, name);
    }
    return gv_io_name(
        io, GV_CODE_CRS_UNKNOWN,
        gv_io_fail_gdal(io, GV_ERROR_INVALID_ARGUMENT, "%s: unknown coordinate system (%s)", option, text));
  }
  if (OSRIsVertical(crs) && !OSRIsCompound(crs)) {
    char name[256];
    gv_crs_describe(crs, name, sizeof name);
    OSRRelease(crs);
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: unsupported vertical system (%s); use a coordinate system of a map", option, name);
  }
  OSRSetAxisMappingStrategy(crs, OAMS_TRADITIONAL_GIS_ORDER);
  *out = crs;
  return GV_OK;
}

static bool mapping_swaps(OGRSpatialReferenceH crs) {
  int count = 0;
  const int *mapping = OSRGetDataAxisToSRSAxisMapping(crs, &count);
  return count >= 2 && mapping[0] == 2 && mapping[1] == 1;
}

gv_status gv_crs_copy(gv_io *io, OGRSpatialReferenceH crs, OGRSpatialReferenceH *out, bool *swapped) {
  *out = NULL;
  *swapped = false;
  if (crs == NULL || gv_crs_is_undefined(crs)) return GV_OK;
  OGRSpatialReferenceH copy = OSRClone(crs);
  if (copy == NULL) return gv_io_fail_memory(io, "a coordinate system");
  bool before = mapping_swaps(copy);
  OSRSetAxisMappingStrategy(copy, OAMS_TRADITIONAL_GIS_ORDER);
  *swapped = mapping_swaps(copy) != before;
  *out = copy;
  return GV_OK;
}

gv_status gv_crs_of_layer(gv_io *io, const char *what, const char *source, GDALDatasetH dataset,
                          OGRLayerH layer, OGRSpatialReferenceH *out, bool *swapped) {
  OGRSpatialReferenceH crs = OGR_L_GetSpatialRef(layer);
  if (crs != NULL || !gv_gdal_failed()) {
    GV_TRY(gv_crs_copy(io, crs, out, swapped));
    *swapped = *swapped && !gv_format_of_dataset(dataset)->longitudes_first;
    return GV_OK;
  }
  *out = NULL;
  *swapped = false;
  return gv_io_fail_gdal(io, GV_ERROR_IO, "%s: cannot read the coordinate system of %s", what, source);
}

void gv_crs_describe(OGRSpatialReferenceH crs, char *text, size_t size) {
  if (crs == NULL) {
    snprintf(text, size, "no coordinate system");
    return;
  }
  const char *name = OSRGetName(crs);
  const char *authority = OSRGetAuthorityName(crs, NULL), *code = OSRGetAuthorityCode(crs, NULL);
  if (name == NULL || name[0] == '\0') name = "unnamed";
  if (authority != NULL && code != NULL) {
    snprintf(text, size, "%s (%s:%s)", name, authority, code);
  } else {
    snprintf(text, size, "%s", name);
  }
}

bool gv_crs_is_lonlat(OGRSpatialReferenceH crs) {
  return crs != NULL && OSRIsGeographic(crs) && !OSRIsDerivedGeographic(crs);
}

/* Whether the step "+proj=NAME ..." of a PROJ string has one of these names. */
static bool is_one_of(const char *step, const char *const *names) {
  const char *name = step + strlen("+proj=");
  size_t length = strcspn(name, " ");
  while (*names != NULL && (strlen(*names) != length || strncmp(name, *names, length) != 0))
    names++;
  return *names != NULL;
}

gv_metric gv_crs_default_metric(OGRSpatialReferenceH crs, const char **reason) {
  gv_crs_facts facts;
  gv_crs_facts_init(&facts);
  if (crs == NULL) return gv_default_metric(&facts, reason);
  facts.kind = OSRIsGeographic(crs)  ? GV_CRS_GEOGRAPHIC
               : OSRIsProjected(crs) ? GV_CRS_PROJECTED
                                     : GV_CRS_OTHER;
  char *proj = NULL;
  if (facts.kind == GV_CRS_PROJECTED) {
    CPLPushErrorHandler(CPLQuietErrorHandler); /* not all systems can be expressed by such a string */
    if (OSRExportToProj4(crs, &proj) == OGRERR_NONE) facts.proj = proj;
    CPLPopErrorHandler();
    double west, south, east, north;
    if (OSRGetAreaOfUse(crs, &west, &south, &east, &north, NULL)) {
      facts.west = west;
      facts.east = east;
    }
  }
  gv_metric metric = gv_default_metric(&facts, reason);
  CPLFree(proj);
  return metric;
}

/* A unit in degrees without the rounding of its value in radians: 1, 0.9 (grad) ... */
static double degrees_of_radians(double unit) {
  double degrees = unit * (180.0 / GV_PI);
  char text[40];
  snprintf(text, sizeof text, "%.12g", degrees);
  double rounded = CPLAtof(text);
  return fabs(rounded - degrees) < 1e-13 * degrees ? rounded : degrees;
}

double gv_crs_unit_degrees(OGRSpatialReferenceH crs) {
  return degrees_of_radians(OSRGetAngularUnits(crs, NULL));
}

gv_status gv_check_longitudes(gv_io *io, const char *name, const double g[6], int64_t width, int64_t height,
                              double turn) {
  double across = (double)width * g[1], down = (double)height * g[2];
  double low = g[0] + fmin(across, 0.0) + fmin(down, 0.0), high = g[0] + fmax(across, 0.0) + fmax(down, 0.0);
  if (low >= -turn * GV_MOST_TURNS && high <= turn * GV_MOST_TURNS) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: longitude out of range (%.10g to %.10g); at most %d turns from 0 are supported",
                    name, low, high, GV_MOST_TURNS);
}

bool gv_crs_same(OGRSpatialReferenceH a, OGRSpatialReferenceH b) {
  static const char *const options[] = {"IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES",
                                        "IGNORE_COORDINATE_EPOCH=YES",
                                        "CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS", NULL};
  return OSRIsSameEx(a, b, options) != 0 || gv_crs_same_local(a, b);
}

gv_status gv_crs_require_map(gv_io *io, OGRSpatialReferenceH crs, const char *what) {
  char name[256];
  if (crs == NULL || !OSRIsGeocentric(crs)) return GV_OK;
  gv_crs_describe(crs, name, sizeof name);
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: unsupported geocentric system; %s needs the coordinates of a map", name, what);
}

gv_status gv_crs_ellipsoid(gv_io *io, OGRSpatialReferenceH crs, double *semi_major, double *flattening) {
  OGRErr error = OGRERR_NONE, error2 = OGRERR_NONE;
  char name[256];
  double a = OSRGetSemiMajor(crs, &error), inverse = OSRGetInvFlattening(crs, &error2);
  gv_crs_describe(crs, name, sizeof name);
  if (error != OGRERR_NONE || error2 != OGRERR_NONE || !(a > 0.0) || !isfinite(a)) {
    return gv_io_fail(io, GV_ERROR_PROJECTION, "coordinate system %s: missing ellipsoid", name);
  }
  if (inverse != 0.0 && !(inverse > 1.0)) {
    return gv_io_fail(
        io, GV_ERROR_PROJECTION,
        "coordinate system %s: unsupported ellipsoid (inverse flattening %g); its polar axis must be "
        "above 0 and not longer than the equatorial axis",
        name, inverse);
  }
  *semi_major = a;
  *flattening = inverse == 0.0 ? 0.0 : 1.0 / inverse;
  return GV_OK;
}

/* --------------------------------------------------------------------------------------------- operations */

/* One thread's copy: PROJ needs a context and an operation for each thread. */
typedef struct operation_clone {
  struct operation_clone *next;
  PJ_CONTEXT *context;
  PJ *operation;
} operation_clone;

struct gv_operation {
  char *definition;
  PJ_DIRECTION direction;
  bool swap_in, swap_out;
  bool identity;
  double scale_out; /* 1 = unchanged */
  double turn;      /* added to the first coordinate */
  double tolerance; /* > 0: check the round trip */
  pthread_mutex_t lock;
  operation_clone *idle;
};

static PJ_CONTEXT *new_context(void) {
  PJ_CONTEXT *context = proj_context_create();
  if (context != NULL) proj_log_level(context, PJ_LOG_NONE);
  return context;
}

static void free_clone(operation_clone *one) {
  if (one == NULL) return;
  proj_destroy(one->operation);
  proj_context_destroy(one->context);
  free(one);
}

static operation_clone *new_clone(const gv_operation *operation) {
  operation_clone *one = calloc(1, sizeof *one);
  if (one == NULL) return NULL;
  one->context = new_context();
  one->operation = one->context != NULL ? proj_create(one->context, operation->definition) : NULL;
  if (one->operation == NULL) {
    free_clone(one);
    return NULL;
  }
  return one;
}

static operation_clone *borrow(gv_operation *operation) {
  pthread_mutex_lock(&operation->lock);
  operation_clone *one = operation->idle;
  if (one != NULL) operation->idle = one->next;
  pthread_mutex_unlock(&operation->lock);
  return one != NULL ? one : new_clone(operation);
}

static void crs_return_clone(gv_operation *operation, operation_clone *one) {
  pthread_mutex_lock(&operation->lock);
  one->next = operation->idle;
  operation->idle = one;
  pthread_mutex_unlock(&operation->lock);
}

void gv_operation_destroy(gv_operation *operation) {
  if (operation == NULL) return;
  while (operation->idle != NULL) {
    operation_clone *next = operation->idle->next;
    free_clone(operation->idle);
    operation->idle = next;
  }
  pthread_mutex_destroy(&operation->lock);
  free(operation->definition);
  free(operation);
}

void gv_operation_check_round_trip(gv_operation *operation, double tolerance) {
  operation->tolerance = tolerance;
}

void gv_operation_turn(gv_operation *operation, double degrees) {
  operation->turn = degrees;
}

bool gv_operation_is_cylindrical(const gv_operation *operation) {
  static const char *const names[] = {"merc", "webmerc", "eqc",     "cea",     "mill",
                                      "gall", "longlat", "latlong", "ob_tran", NULL};
  const char *name = strstr(operation->definition, "+proj=");
  if (name != NULL && strncmp(name, "+proj=pipeline", 14) == 0) {
    name = strstr(operation->definition, "+inv +proj=");
    if (name != NULL) name += strlen("+inv ");
  }
  return name != NULL && is_one_of(name, names);
}

static inline PJ_COORD step(const gv_operation *operation, PJ *pj, PJ_DIRECTION direction, double x,
                            double y) {
  PJ_COORD position = {{x, y, 0.0, HUGE_VAL}};
  if (operation->identity) return position;
  return proj_trans(pj, direction, position);
}

/* Carries a result back; true if that returns to where it came from. */
static bool returns(const gv_operation *operation, PJ *pj, PJ_COORD result, double x, double y) {
  PJ_DIRECTION back = operation->direction == PJ_FWD ? PJ_INV : PJ_FWD;
  PJ_COORD again = proj_trans(pj, back, result);
  return fabs(again.xy.x - x) <= operation->tolerance && fabs(again.xy.y - y) <= operation->tolerance;
}

int gv_operation_apply(double *x, double *y, int64_t n, void *user) {
  gv_operation *operation = user;
  operation_clone *one = operation->identity ? NULL : borrow(operation);
  if (one == NULL && !operation->identity) return 1;
  PJ *pj = one != NULL ? one->operation : NULL;
  double out = operation->scale_out;
  for (int64_t i = 0; i < n; i++) {
    double a = operation->swap_in ? y[i] : x[i], b = operation->swap_in ? x[i] : y[i];
    PJ_COORD result = step(operation, pj, operation->direction, a, b);
    bool valid = isfinite(result.xy.x) && isfinite(result.xy.y);
    if (valid && operation->tolerance > 0.0) valid = returns(operation, pj, result, a, b);
    if (!valid) {
      x[i] = y[i] = HUGE_VAL;
      continue;
    }
    a = operation->swap_out ? result.xy.y : result.xy.x;
    b = operation->swap_out ? result.xy.x : result.xy.y;
    if (out != 1.0) a *= out, b *= out;
    x[i] = a + operation->turn;
    y[i] = b;
  }
  if (one != NULL) {
    proj_errno_reset(one->operation);
    crs_return_clone(operation, one);
  }
  return 0;
}

/* --------------------------------------------------------------------- taking an operation's string apart */

/*
 * PROJ runs a pipeline's steps one by one: here axes and units are swapped and scaled, and a projection with
 * units is one step. Gain: unchanged PROJ pipelines take 1.41 times the CPU time in UTM, 1.35 in EPSG:2264
 * (feet), 1.70 in EPSG:3035 (200 seeds, great circles, 2500x2500, one thread).
 */

enum { MAX_STEPS = 32 };

typedef struct steps {
  char *text; /* owns the strings below */
  char *step[MAX_STEPS];
  int first, end;
} steps;

/* Splits "+proj=pipeline +step A +step B" into A, B; any other definition is one step. False if it can't. */
static bool split(const char *definition, steps *s) {
  memset(s, 0, sizeof *s);
  s->text = strdup(definition);
  if (s->text == NULL) return false;
  if (strncmp(s->text, "+proj=pipeline", 14) != 0) {
    s->step[s->end++] = s->text;
    return true;
  }
  char *at = strstr(s->text, "+step");
  /* Options of the pipeline itself, or a pipeline within, are not supported here. */
  if (at == NULL || at != s->text + strlen("+proj=pipeline ")) return false;
  while (at != NULL) {
    if (s->end == MAX_STEPS) return false;
    *at = '\0';
    if (s->end > 0 && at > s->text) at[-1] = '\0';
    char *body = at + strlen("+step");
    while (*body == ' ')
      body++;
    s->step[s->end++] = body;
    at = strstr(body, "+step");
  }
  return true;
}

static bool step_is(const steps *s, int number, const char *text) {
  return number >= s->first && number < s->end && strcmp(s->step[number], text) == 0;
}

/* Removes the steps that this file does itself: axis swaps at both ends, radians to degrees at the end. */
static void lighten(gv_operation *operation, steps *s) {
  static const char swap[] = "+proj=axisswap +order=2,1";
  for (bool changed = true; changed;) {
    changed = false;
    if (step_is(s, s->end - 1, swap)) {
      operation->swap_out = !operation->swap_out;
      s->end--, changed = true;
    } else if (step_is(s, s->first, swap)) {
      operation->swap_in = !operation->swap_in;
      s->first++, changed = true;
    } else if (operation->scale_out == 1.0 &&
               step_is(s, s->end - 1, "+proj=unitconvert +xy_in=rad +xy_out=deg")) {
      operation->scale_out = 180.0 / GV_PI;
      s->end--, changed = true;
    } else if (step_is(s, s->end - 1, "+proj=noop")) {
      s->end--, changed = true;
    }
  }
}

/* "+proj=unitconvert +xy_in=us-ft +xy_out=m", "+inv +proj=lcc ..." is "+proj=lcc ... +units=us-ft" undone.
 * NULL for other pairs of steps. */
static char *fold_units(const steps *s) {
  static const char convert[] = "+proj=unitconvert +xy_in=", meters[] = " +xy_out=m";
  const char *unit = s->step[s->first], *projection = s->step[s->first + 1];
  if (strncmp(unit, convert, strlen(convert)) != 0 || strncmp(projection, "+inv +proj=", 11) != 0)
    return NULL;
  if (strstr(projection, "+units=") != NULL || strstr(projection, "+to_meter=") != NULL) return NULL;
  unit += strlen(convert);
  size_t length = strcspn(unit, " ");
  bool named = length > 0 && strchr("0123456789.", unit[0]) == NULL;
  if (!named || strcmp(unit + length, meters) != 0) return NULL;
  char *text = malloc(strlen(projection) + length + 16);
  if (text != NULL) sprintf(text, "%s +units=%.*s", projection + 5, (int)length, unit);
  return text;
}

static char *join(const steps *s) {
  size_t size = 64;
  for (int i = s->first; i < s->end; i++)
    size += strlen(s->step[i]) + 8;
  char *text = malloc(size);
  if (text == NULL) return NULL;
  char *at = text + sprintf(text, "+proj=pipeline");
  for (int i = s->first; i < s->end; i++)
    at += sprintf(at, " +step %s", s->step[i]);
  return text;
}

/* Sets definition and direction of `operation` from PROJ's own string. */
static gv_status simplify(gv_io *io, gv_operation *operation, const char *definition) {
  steps s;
  gv_status status = GV_OK;
  if (!split(definition, &s)) {
    operation->definition = strdup(definition);
  } else {
    lighten(operation, &s);
    int left = s.end - s.first;
    char *with_units = left == 2 ? fold_units(&s) : NULL;
    if (with_units != NULL) {
      operation->direction = PJ_INV;
      operation->definition = with_units;
    } else if (left == 0) {
      operation->identity = true;
      operation->definition = strdup("+proj=noop");
    } else if (left == 1 && strncmp(s.step[s.first], "+inv ", 5) == 0) {
      operation->direction = PJ_INV;
      operation->definition = strdup(s.step[s.first] + 5);
    } else if (left == 1) {
      operation->definition = strdup(s.step[s.first]);
    } else {
      operation->definition = join(&s);
    }
  }
  if (operation->definition == NULL) status = gv_io_fail_memory(io, "a coordinate operation");
  free(s.text);
  return status;
}

/* --------------------------------------------------------------------------------------- choosing the one */

/* PROJ's object of an OGR coordinate system. */
static PJ *to_proj(PJ_CONTEXT *context, OGRSpatialReferenceH crs) {
  static const char *const options[] = {"FORMAT=WKT2_2019", "MULTILINE=NO", NULL};
  char *wkt = NULL;
  PJ *pj = NULL;
  OGRSpatialReferenceH flat = OSRClone(crs); /* heights play no part */
  if (flat == NULL) return NULL;
  OSRDemoteTo2D(flat, NULL);
  if (OSRExportToWktEx(flat, &wkt, options) == OGRERR_NONE && wkt != NULL) pj = proj_create(context, wkt);
  CPLFree(wkt);
  OSRRelease(flat);
  return pj;
}

/* The horizontal part of a compound system. Takes ownership of pj. */
static PJ *horizontal(PJ_CONTEXT *context, PJ *pj) {
  if (pj != NULL && proj_get_type(pj) == PJ_TYPE_COMPOUND_CRS) {
    PJ *part = proj_crs_get_sub_crs(context, pj, 0);
    proj_destroy(pj);
    pj = part;
  }
  return pj;
}

/* The geographic system that `pj` is built on. Does not take ownership. */
static PJ *geographic_base(PJ_CONTEXT *context, const PJ *pj) {
  PJ *owned = NULL;
  if (proj_get_type(pj) == PJ_TYPE_BOUND_CRS) {
    owned = proj_get_source_crs(context, pj);
    if (owned == NULL) return NULL;
    pj = owned;
  }
  /* A rotated pole is geographic and yet derived from the requested system. */
  PJ_TYPE type = proj_get_type(pj);
  bool rotated = (type == PJ_TYPE_GEOGRAPHIC_2D_CRS || type == PJ_TYPE_GEOGRAPHIC_3D_CRS) &&
                 proj_crs_is_derived(context, pj);
  PJ *base = rotated ? proj_get_source_crs(context, pj) : proj_crs_get_geodetic_crs(context, pj);
  proj_destroy(owned);
  return base;
}

/* True if the first axis points north. */
static bool north_first(PJ_CONTEXT *context, const PJ *crs) {
  PJ *system = proj_crs_get_coordinate_system(context, crs);
  const char *direction = NULL;
  bool north = system != NULL &&
               proj_cs_get_axis_info(context, system, 0, NULL, NULL, &direction, NULL, NULL, NULL, NULL) &&
               direction != NULL && strcmp(direction, "north") == 0;
  proj_destroy(system);
  return north;
}

/* Degrees in one unit of a geographic system's axes. */
static double unit_degrees(PJ_CONTEXT *context, const PJ *crs) {
  PJ *system = proj_crs_get_coordinate_system(context, crs);
  double factor = GV_DEGREE;
  if (system != NULL) proj_cs_get_axis_info(context, system, 0, NULL, NULL, NULL, &factor, NULL, NULL, NULL);
  proj_destroy(system);
  return degrees_of_radians(factor);
}

static gv_operation *new_operation(void) {
  gv_operation *operation = calloc(1, sizeof *operation);
  if (operation == NULL) return NULL;
  operation->direction = PJ_FWD;
  operation->scale_out = 1.0;
  pthread_mutex_init(&operation->lock, NULL);
  return operation;
}

static gv_status make_operation(gv_io *io, const char *definition, bool swap_in, bool swap_out,
                                gv_operation **out) {
  gv_operation *operation = new_operation();
  if (operation == NULL) return gv_io_fail_memory(io, "a coordinate operation");
  operation->swap_in = swap_in;
  operation->swap_out = swap_out;
  gv_status status = simplify(io, operation, definition);
  if (status == GV_OK && !operation->identity) {
    operation_clone *one = new_clone(operation);
    if (one == NULL) {
      status =
          gv_io_fail(io, GV_ERROR_PROJECTION, "PROJ cannot set up the coordinate operation %s", definition);
    } else {
      crs_return_clone(operation, one);
    }
  }
  if (status != GV_OK) {
    gv_operation_destroy(operation);
    return status;
  }
  *out = operation;
  return GV_OK;
}

/* Positions, and the operations to longitudes and latitudes. */
typedef struct crs_places {
  const double *x, *y;
  int64_t count;
  gv_operation *down; /* NULL = no such operation, or no positions */
  double unit;        /* degrees in one of its results */
} crs_places;

static crs_places to_ground(gv_io *io, PJ_CONTEXT *context, OGRSpatialReferenceH source, const PJ *source_pj,
                            const double *x, const double *y, int64_t count) {
  crs_places p = {.x = x, .y = y, .count = count};
  PJ *base = x != NULL && count > 0 ? geographic_base(context, source_pj) : NULL;
  if (base == NULL) return p;
  gv_operation_choice choice = gv_operation_choose(context, source_pj, base, NULL);
  if (choice.definition != NULL && make_operation(io, choice.definition, mapping_swaps(source),
                                                  north_first(context, base), &p.down) != GV_OK) {
    p.down = NULL;
  }
  p.unit = unit_degrees(context, base);
  free(choice.definition);
  proj_destroy(base);
  return p;
}

static bool ground(const crs_places *p, int64_t i, double *lon, double *lat) {
  *lon = p->x[i];
  *lat = p->y[i];
  if (gv_operation_apply(lon, lat, 1, p->down) != 0 || !isfinite(*lon) || !isfinite(*lat)) return false;
  *lon = remainder(*lon * p->unit, 360.0);
  *lat *= p->unit;
  return fabs(*lat) <= 90.0;
}

/* The smallest west, south, east, north box of the positions, for PROJ to choose an operation by. */
static bool area_of(const crs_places *p, double area[4]) {
  bool found = false;
  if (p->down == NULL) return false;
  for (int64_t i = 0; i < p->count; i += 1 + p->count / 10000) {
    double lon, lat;
    if (!ground(p, i, &lon, &lat)) continue;
    area[0] = found ? fmin(area[0], lon) : lon;
    area[1] = found ? fmin(area[1], lat) : lat;
    area[2] = found ? fmax(area[2], lon) : lon;
    area[3] = found ? fmax(area[3], lat) : lat;
    found = true;
  }
  return found;
}

/* An operation between datums is only valid in the area for which it was determined. */
static void warn_of_places(const crs_places *p, const gv_operation_choice *choice, const char *from,
                           const char *to) {
  const double *a = choice->area;
  int64_t outside = 0;
  if (p->down == NULL || !choice->has_area || choice->accuracy <= 0.0) return;
  for (int64_t i = 0; i < p->count; i++) {
    double lon, lat;
    if (!ground(p, i, &lon, &lat)) continue;
    double width = a[2] - a[0] + (a[2] < a[0] ? 360.0 : 0.0);
    double along = lon - a[0] + (lon < a[0] ? 360.0 : 0.0);
    outside += along > width || lat < a[1] || lat > a[3];
  }
  if (outside == 0) return;
  gv_io_warn(
      GV_CODE_OUTSIDE_OPERATION, outside,
      "%lld of %lld positions are outside the area of the operation from %.120s to %.120s (%g,%g,%g,%g in "
      "degrees); they may be inaccurate",
      (long long)outside, (long long)p->count, from, to, a[0], a[1], a[2], a[3]);
}

static gv_status between(gv_io *io, OGRSpatialReferenceH source, OGRSpatialReferenceH target, bool to_globe,
                         const double *x, const double *y, int64_t count, gv_operation **out) {
  gv_status status = GV_OK;
  char from[256], to[256];
  gv_crs_describe(source, from, sizeof from);
  gv_crs_describe(target, to, sizeof to);
  gv_operation_choice choice = {.definition = NULL};
  gv_operation *operation = NULL;
  crs_places at = {.down = NULL};
  PJ_CONTEXT *context = new_context();
  PJ *source_pj = context != NULL ? to_proj(context, source) : NULL;
  PJ *target_pj = context != NULL ? horizontal(context, to_proj(context, target)) : NULL;
  source_pj = horizontal(context, source_pj);
  if (to_globe && target_pj != NULL) {
    PJ *base = geographic_base(context, target_pj);
    proj_destroy(target_pj);
    target_pj = base;
  }
  if (source_pj == NULL || target_pj == NULL) {
    status = gv_io_fail(io, GV_ERROR_PROJECTION, "PROJ cannot use the coordinate system %s",
                        source_pj == NULL ? from : to);
    goto end;
  }
  at = to_ground(io, context, source, source_pj, x, y, count);
  double box[4];
  const double *area = area_of(&at, box) ? box : NULL;
  choice = gv_operation_choose(context, source_pj, target_pj, area);
  if (choice.definition == NULL && area != NULL) {
    choice = gv_operation_choose(context, source_pj, target_pj, area = NULL);
  }
  if (choice.definition == NULL) {
    status = gv_io_fail(io, GV_ERROR_PROJECTION, "PROJ: missing operation from %s to %s%s", from, to,
                        to_globe ? "'s geographic coordinates" : "");
    goto end;
  }
  gv_operation_warn_of_grids(context, source_pj, target_pj, area, &choice, from, to);
  warn_of_places(&at, &choice, from, to);
  bool swap_out = to_globe ? north_first(context, target_pj) : mapping_swaps(target);
  status = make_operation(io, choice.definition, mapping_swaps(source), swap_out, &operation);
  if (operation == NULL) goto end;
  if (to_globe) operation->scale_out *= unit_degrees(context, target_pj);
  *out = operation;
end:
  gv_operation_destroy(at.down);
  free(choice.definition);
  proj_destroy(source_pj);
  proj_destroy(target_pj);
  proj_context_destroy(context);
  return status;
}

gv_status gv_operation_between(gv_io *io, OGRSpatialReferenceH source, OGRSpatialReferenceH target,
                               const double *x, const double *y, int64_t count, gv_operation **out) {
  return between(io, source, target, false, x, y, count, out);
}

gv_status gv_operation_to_globe(gv_io *io, OGRSpatialReferenceH source, OGRSpatialReferenceH globe,
                                const double *x, const double *y, int64_t count, gv_operation **out) {
  return between(io, source, globe, true, x, y, count, out);
}

double gv_ellipsoid_zone(double e2, double latitude) {
  double s = sin(latitude), e = sqrt(fabs(e2));
  if (e < 1e-9) return s;
  double bend = e2 > 0.0 ? atanh(e * s) / e : atan(e * s) / e;
  return 0.5 * (s / (1.0 - e2 * s * s) + bend);
}
