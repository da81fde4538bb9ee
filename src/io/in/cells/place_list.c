/*
 * Which arrays are longitudes and latitudes: by CF's standard_name and units, or by the names that models
 * use. Which of several pairs places the cells, in this order: UGRID's face_coordinates; the only pair that
 * is not bounds of another; the only one that data variables name as their coordinates; the only one with a
 * name that models use for centers of cells.
 */
#include "io/in/cells/place_list.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_string.h>

#include "io/strings.h"
#include "io/text.h"

enum { MOST_DIMENSIONS = 4, LON = 0, LAT = 1 };

static const char *const standard_names[2] = {"longitude", "latitude"};
static const char *const rotated_names[2] = {"grid_longitude", "grid_latitude"};
static const char *const unit_names[2][4] = {{"degrees_east", "degree_east", "degrees_E", "degree_E"},
                                             {"degrees_north", "degree_north", "degrees_N", "degree_N"}};
static const char *const radian_names[4] = {"radian", "radians", "rad", "rads"};

/* Names for centers of cells. */
static const struct {
  const char *names[2];
  bool is_enough; /* the model's arrays have no standard_name, and units of other words or none */
  bool radians;   /* without units */
} centers[] = {{{"lonCell", "latCell"}, true, true},                  /* MPAS */
               {{"clon", "clat"}, false, false},                      /* ICON */
               {{"grid_center_lon", "grid_center_lat"}, true, false}, /* SCRIP */
               {{"lon_rho", "lat_rho"}, false, false},                /* ROMS */
               {{"XLONG", "XLAT"}, false, false},                     /* WRF */
               {{"XLONG_M", "XLAT_M"}, false, false},
               {{"TLONG", "TLAT"}, false, false},    /* POP */
               {{"TLON", "TLAT"}, false, false},     /* CICE */
               {{"geolon", "geolat"}, false, false}, /* MOM */
               {{"geolon_t", "geolat_t"}, false, false},
               {{"nav_lon", "nav_lat"}, false, false}, /* NEMO */
               {{"glamt", "gphit"}, false, false},
               {{"longitude", "latitude"}, false, false},
               {{"lon", "lat"}, false, false}};

enum { CENTERS = sizeof centers / sizeof *centers };

static int place_center_of(const char *name, int which) {
  for (int i = 0; i < CENTERS; i++)
    if (strcmp(name, centers[i].names[which]) == 0) return i;
  return -1;
}

/* --------------------------------------------------------------------------------------------- attributes */

/* To be freed; NULL of NULL, or if memory runs out, which sets *lacks. */
static char *place_copy(const char *text, bool *lacks) {
  char *copy = text != NULL ? strdup(text) : NULL;
  *lacks = *lacks || (text != NULL && copy == NULL);
  return copy;
}

/* The same of an attribute; NULL: there is none. */
static char *place_text(GDALMDArrayH array, const char *attribute, bool *lacks) {
  GDALAttributeH found = GDALMDArrayGetAttribute(array, attribute);
  char *copy = place_copy(found != NULL ? GDALAttributeReadAsString(found) : NULL, lacks);
  GDALAttributeRelease(found);
  return copy;
}

static bool place_is_one(const char *text, const char *const *texts, int count) {
  for (int i = 0; i < count && text != NULL; i++)
    if (EQUAL(text, texts[i])) return true;
  return false;
}

static char *place_units(GDALMDArrayH array, bool *lacks) {
  const char *unit = GDALMDArrayGetUnit(array);
  return unit != NULL && *unit != '\0' ? place_copy(unit, lacks) : place_text(array, "units", lacks);
}

/* Sets `which` and `radians`; false: the array is another one. */
static bool place_recognize(gv_place_array *one, bool *lacks) {
  char *standard = place_text(one->array, "standard_name", lacks), *units = place_units(one->array, lacks);
  const bool radians = place_is_one(units, radian_names, 4);
  bool is = false;
  for (int w = 0; w < 2 && !is; w++) {
    const int center = place_center_of(one->name, w);
    const bool is_enough = center >= 0 && centers[center].is_enough;
    one->which = w;
    one->radians = radians || (is_enough && centers[center].radians && (units == NULL || *units == '\0'));
    /* Of rotated grids these are degrees of other poles; ICON's are longitudes and latitudes in radians. */
    is = place_is_one(standard, &standard_names[w], 1) || place_is_one(units, unit_names[w], 4) ||
         (radians && place_is_one(standard, &rotated_names[w], 1)) || is_enough;
  }
  free(standard);
  free(units);
  return is;
}

/* --------------------------------------------------------------------------------------------------- list */

static void place_array_free(gv_place_array *one) {
  GDALMDArrayRelease(one->array);
  free(one->name);
  free(one->dimensions);
}

void gv_place_list_free(gv_place_list *list) {
  for (int i = 0; i < list->count; i++)
    place_array_free(&list->arrays[i]);
  free(list->arrays);
  gv_strings_free(list->bounds);
  gv_strings_free(list->coordinates);
  gv_strings_free(list->data);
  free(list->mesh.name);
  free(list->mesh.faces);
  free(list->mesh.nodes);
  free(list->mesh.connectivity);
  *list = (gv_place_list){.count = 0};
}

/* Adds a text once, unless it is NULL. */
static void place_add_text(char ***texts, const char *text, bool *lacks) {
  if (text == NULL || CSLFindStringCaseSensitive(*texts, text) >= 0) return;
  *lacks = !gv_strings_add(texts, text) || *lacks;
}

/* The same of an attribute. */
static void place_add_attribute(char ***texts, GDALMDArrayH array, const char *attribute, bool *lacks) {
  char *text = place_text(array, attribute, lacks);
  place_add_text(texts, text, lacks);
  free(text);
}

static void place_add_mesh(gv_place_list *list, const gv_place_array *one, bool *lacks) {
  char *role = place_text(one->array, "cf_role", lacks);
  if (role != NULL && EQUAL(role, "mesh_topology") && list->mesh.name == NULL) {
    list->mesh =
        (gv_place_mesh){place_copy(one->name, lacks), place_text(one->array, "face_coordinates", lacks),
                        place_text(one->array, "node_coordinates", lacks),
                        place_text(one->array, "face_node_connectivity", lacks)};
  }
  free(role);
}

/* The shape; false: more cells than numbers hold, or too many dimensions. */
static bool place_measure(gv_place_array *one, bool *lacks) {
  size_t dimensions = 0;
  GDALDimensionH *of = GDALMDArrayGetDimensions(one->array, &dimensions);
  gv_text names = {0};
  one->count = 1;
  bool good = dimensions <= MOST_DIMENSIONS;
  for (size_t d = 0; d < dimensions; d++) {
    const GUInt64 size = GDALDimensionGetSize(of[d]);
    gv_text_put_string(&names, "|");
    gv_text_put_string(&names, GDALDimensionGetFullName(of[d]));
    good = good && size > 0 && size <= (GUInt64)(INT64_MAX / one->count);
    if (good) one->count *= (int64_t)size;
  }
  one->dimensions = gv_text_take(&names);
  *lacks = *lacks || one->dimensions == NULL;
  one->rank = (int)dimensions;
  if (of != NULL) GDALReleaseDimensions(of, dimensions);
  return good;
}

/* Adds the data of an array; the list takes the array if it is of coordinates. False: out of memory. */
static bool place_add(gv_place_list *list, GDALMDArrayH array, const char *name) {
  bool lacks = false;
  gv_place_array one = {.array = array, .name = place_copy(name, &lacks)};
  const bool fits = place_measure(&one, &lacks) && !lacks;
  const bool kept = fits && one.rank > 0 && place_recognize(&one, &lacks);
  place_add_attribute(&list->bounds, array, "bounds", &lacks);
  if (!lacks) place_add_mesh(list, &one, &lacks);
  if (!kept) {
    place_add_attribute(&list->coordinates, array, "coordinates", &lacks);
    place_add_text(&list->data, one.dimensions, &lacks);
  }
  gv_place_array *more = kept ? realloc(list->arrays, (size_t)(list->count + 1) * sizeof *more) : NULL;
  if (more == NULL) {
    place_array_free(&one);
    return !kept && !lacks;
  }
  list->arrays = more;
  list->arrays[list->count++] = one;
  return !lacks;
}

gv_status gv_place_list_read(gv_io *io, GDALGroupH root, gv_place_list *out) {
  static const char *const options[] = {"SHOW_ALL=YES", NULL}; /* those that name axes too */
  char **names = GDALGroupGetMDArrayNames(root, (CSLConstList)options);
  bool good = true;
  *out = (gv_place_list){.root = root};
  for (int i = 0; names != NULL && names[i] != NULL && good; i++) {
    GDALMDArrayH array = GDALGroupOpenMDArray(root, names[i], NULL);
    if (array != NULL) good = place_add(out, array, names[i]);
  }
  CSLDestroy(names);
  return good ? GV_OK : gv_io_fail_memory(io, "the names of arrays");
}

/* -------------------------------------------------------------------------------------------------- pairs */

enum { MOST_PAIRS = 64 };

typedef struct place_pairs {
  gv_place_pair pair[MOST_PAIRS];
  int count;
} place_pairs;

/* Whether the names differ only by lon and lat: TLONG and TLAT, lon_u and lat_u. */
static bool place_names_match(const char *lon, const char *lat) {
  static const char *const words[][2] = {{"longi", "lati"}, {"long", "lat"}, {"lon", "lat"}, {"lam", "phi"}};
  for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
    const size_t length = strlen(words[w][0]);
    for (const char *at = lon; *at != '\0'; at++) {
      if (!EQUALN(at, words[w][0], length)) continue;
      if (EQUAL(CPLSPrintf("%.*s%s%s", (int)(at - lon), lon, words[w][1], at + length), lat)) return true;
    }
  }
  return false;
}

/* Whether a list of names separated by blanks has a name. */
static bool place_has_name(const char *list, const char *name) {
  char **names = CSLTokenizeString2(list != NULL ? list : "", " \t\n", 0);
  const bool has = CSLFindStringCaseSensitive(names, name) >= 0;
  CSLDestroy(names);
  return has;
}

static bool place_are_named(const char *list, const gv_place_pair *pair) {
  return place_has_name(list, pair->lon->name) && place_has_name(list, pair->lat->name);
}

static bool place_is_bound(const gv_place_list *list, const gv_place_array *one) {
  return CSLFindStringCaseSensitive(list->bounds, one->name) >= 0;
}

/* Whether an attribute of the file names both as coordinates. */
static bool place_are_together(const gv_place_list *list, const gv_place_pair *pair) {
  const char *const of_mesh[] = {list->mesh.faces, list->mesh.nodes};
  bool together = place_are_named(of_mesh[0], pair) || place_are_named(of_mesh[1], pair);
  for (char **c = list->coordinates; c != NULL && *c != NULL && !together; c++)
    together = place_are_named(*c, pair);
  return together;
}

/* The latitudes of longitudes, of arrays with the same dimensions: those that an attribute names with them,
 * those with the same name, or the only ones. */
static const gv_place_array *place_partner(const gv_place_list *list, const gv_place_array *lon) {
  const gv_place_array *only = NULL, *named = NULL;
  int lons = 0, lats = 0;
  for (int i = 0; i < list->count; i++) {
    const gv_place_array *one = &list->arrays[i];
    if (strcmp(one->dimensions, lon->dimensions) != 0) continue;
    lons += one->which == LON;
    if (one->which == LON) continue;
    if (place_are_together(list, &(gv_place_pair){.lon = lon, .lat = one})) return one;
    if (place_names_match(lon->name, one->name)) named = one;
    only = one;
    lats++;
  }
  return named != NULL ? named : lats == 1 && lons == 1 ? only : NULL;
}

static void place_list_pairs(const gv_place_list *list, place_pairs *out) {
  for (int i = 0; i < list->count && out->count < MOST_PAIRS; i++) {
    const gv_place_array *lon = &list->arrays[i], *lat = lon->which == LON ? place_partner(list, lon) : NULL;
    if (lat != NULL) out->pair[out->count++] = (gv_place_pair){.lon = lon, .lat = lat};
  }
}

/* Where dimensions ("|/y") stand within others ("|/time|/y|/x") as whole names; NULL: they do not. */
static const char *place_dimensions_at(const char *within, const char *dimensions) {
  const size_t length = strlen(dimensions);
  for (const char *at = strstr(within, dimensions); at != NULL; at = strstr(at + 1, dimensions))
    if (at[length] == '|' || at[length] == '\0') return at;
  return NULL;
}

/* Axes of regular grids: arrays along one dimension each, of which data have both. */
static void place_list_products(const gv_place_list *list, place_pairs *out) {
  for (int i = 0; i < list->count; i++) {
    for (int j = 0; j < list->count && out->count < MOST_PAIRS; j++) {
      const gv_place_array *lon = &list->arrays[i], *lat = &list->arrays[j];
      if (lon->which != LON || lat->which != LAT || lon->rank != 1 || lat->rank != 1) continue;
      if (strcmp(lon->dimensions, lat->dimensions) == 0) continue;
      gv_place_pair pair = {.lon = lon, .lat = lat, .product = true};
      bool used = false;
      for (char **d = list->data; d != NULL && *d != NULL && !used; d++) {
        const char *at_lon = place_dimensions_at(*d, lon->dimensions),
                   *at_lat = place_dimensions_at(*d, lat->dimensions);
        used = at_lon != NULL && at_lat != NULL;
        pair.lon_first = used && at_lon < at_lat;
      }
      if (used || list->count == 2) out->pair[out->count++] = pair;
    }
  }
}

/* ----------------------------------------------------------------------------------------------- choosing */

/* The only pair that passes a test; NULL: none, or several. */
typedef bool place_test(const gv_place_list *list, const gv_place_pair *pair);

static const gv_place_pair *place_only(const gv_place_list *list, const place_pairs *all, place_test *test) {
  const gv_place_pair *found = NULL;
  for (int i = 0; i < all->count; i++) {
    if (!test(list, &all->pair[i])) continue;
    if (found != NULL) return NULL;
    found = &all->pair[i];
  }
  return found;
}

static bool place_is_plain(const gv_place_list *list, const gv_place_pair *pair) {
  return !place_is_bound(list, pair->lon) && !place_is_bound(list, pair->lat) &&
         (list->mesh.nodes == NULL || !place_are_named(list->mesh.nodes, pair));
}

static bool place_is_of_data(const gv_place_list *list, const gv_place_pair *pair) {
  for (char **c = list->coordinates; c != NULL && *c != NULL; c++)
    if (place_is_plain(list, pair) && place_are_named(*c, pair)) return true;
  return false;
}

static bool place_is_center(const gv_place_list *list, const gv_place_pair *pair) {
  return place_is_plain(list, pair) && place_center_of(pair->lon->name, LON) >= 0;
}

static bool place_is_face(const gv_place_list *list, const gv_place_pair *pair) {
  return list->mesh.faces != NULL && place_are_named(list->mesh.faces, pair);
}

static bool place_is_node(const gv_place_list *list, const gv_place_pair *pair) {
  return list->mesh.nodes != NULL && place_are_named(list->mesh.nodes, pair);
}

static void place_names(const place_pairs *all, char *text, size_t size) {
  text[0] = '\0';
  for (int i = 0; i < all->count && i < 6; i++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s and %s", i > 0 ? ", " : "", all->pair[i].lon->name,
             all->pair[i].lat->name);
  }
}

static gv_status place_choose_cells(gv_io *io, const char *source, const gv_place_list *list,
                                    const place_pairs *all, gv_place_pair *out) {
  static place_test *const tests[] = {place_is_face, place_is_plain, place_is_of_data, place_is_center};
  const gv_place_pair *found = NULL, *nodes = place_only(list, all, place_is_node);
  char names[600];
  for (size_t i = 0; i < sizeof tests / sizeof *tests && found == NULL; i++) {
    if (i == 1 && nodes != NULL && list->mesh.faces == NULL && list->mesh.connectivity != NULL) {
      *out = *nodes;
      out->connectivity = list->mesh.connectivity;
      return GV_OK;
    }
    found = place_only(list, all, tests[i]);
  }
  place_names(all, names, sizeof names);
  if (found == NULL) {
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: ambiguous coordinates (%s); choose those of a variable: --cells-of FILE:VARIABLE",
                      source, names);
  }
  if (all->count > 1)
    gv_io_warn(GV_CODE_CELLS_CHOSEN, 0,
               "%s: cells are at %s and %s, of %s; for others use --cells-of FILE:VARIABLE", source,
               found->lon->name, found->lat->name, names);
  *out = *found;
  return GV_OK;
}

/* Names of the coordinates of a variable: CF's, or those of its location in a mesh. To be freed; NULL:
 * none. */
static char *place_coordinates_of(const gv_place_list *list, GDALMDArrayH array, const char *variable,
                                  bool *lacks) {
  char *names = place_text(array, "coordinates", lacks);
  char *mesh = place_text(array, "mesh", lacks), *location = place_text(array, "location", lacks);
  const bool is_mesh = list->mesh.name != NULL && strcmp(variable, list->mesh.name) == 0;
  if (names == NULL && (is_mesh || (mesh != NULL && location != NULL))) {
    GDALMDArrayH of = is_mesh ? NULL : GDALGroupOpenMDArray(list->root, mesh, NULL);
    if (is_mesh || of != NULL)
      names =
          place_text(is_mesh ? array : of, CPLSPrintf("%s_coordinates", is_mesh ? "face" : location), lacks);
    GDALMDArrayRelease(of);
  }
  free(mesh);
  free(location);
  return names;
}

/* Whether it is the mesh or a variable of its faces. */
static bool place_is_on_faces(const gv_place_list *list, const gv_place_array *one, bool *lacks) {
  char *mesh = place_text(one->array, "mesh", lacks), *location = place_text(one->array, "location", lacks);
  const char *name = list->mesh.name;
  const bool is = name != NULL && list->mesh.connectivity != NULL &&
                  (strcmp(one->name, name) == 0 ||
                   (mesh != NULL && strcmp(mesh, name) == 0 && location != NULL && EQUAL(location, "face")));
  free(mesh);
  free(location);
  return is;
}

static gv_status place_choose_of(gv_io *io, const char *source, const gv_place_list *list,
                                 const place_pairs *all, const char *variable, gv_place_pair *out) {
  GDALMDArrayH array = GDALGroupOpenMDArray(list->root, variable, NULL);
  char names[600];
  place_names(all, names, sizeof names);
  if (array == NULL) {
    gv_gdal_reset();
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: unknown variable (%s); it has the coordinates %s",
                      source, variable, names);
  }
  bool lacks = false;
  gv_place_array one = {.array = array, .name = place_copy(variable, &lacks)};
  char *coordinates = place_coordinates_of(list, array, variable, &lacks);
  int same = 0;
  (void)place_measure(&one, &lacks);
  out->lon = NULL;
  for (int i = 0; i < all->count && out->lon == NULL; i++) {
    const gv_place_pair *pair = &all->pair[i];
    if (strcmp(pair->lon->name, variable) == 0 || strcmp(pair->lat->name, variable) == 0) *out = *pair;
    if (coordinates != NULL && place_are_named(coordinates, pair)) *out = *pair;
  }
  for (int i = 0; i < all->count && out->lon == NULL && !lacks; i++)
    same += strcmp(all->pair[i].lon->dimensions, one.dimensions) == 0;
  for (int i = 0; i < all->count && out->lon == NULL && !lacks; i++) {
    const gv_place_pair *pair = &all->pair[i];
    if (same == 1 && strcmp(pair->lon->dimensions, one.dimensions) == 0) *out = *pair;
    if (all->count == 1 && pair->product) *out = *pair;
  }
  if (out->lon == NULL && !lacks && place_is_on_faces(list, &one, &lacks)) {
    const gv_place_pair *nodes = place_only(list, all, place_is_node);
    if (nodes != NULL) *out = *nodes;
    out->connectivity = list->mesh.connectivity;
  }
  free(coordinates);
  place_array_free(&one);
  if (lacks) return gv_io_fail_memory(io, "the names of arrays");
  if (out->lon != NULL) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: the variable '%s' has no coordinates; the file has %s", source, variable, names);
}

gv_status gv_place_list_choose(gv_io *io, const char *source, const gv_place_list *list, const char *variable,
                               gv_place_pair *out) {
  place_pairs all = {.count = 0};
  *out = (gv_place_pair){.lon = NULL};
  place_list_pairs(list, &all);
  if (all.count == 0) place_list_products(list, &all);
  if (all.count == 0) {
    int kinds[2] = {0, 0};
    for (int i = 0; i < list->count; i++)
      kinds[list->arrays[i].which]++;
    GV_REQUIRE(io, kinds[LON] == 0 || kinds[LAT] == 0,
               "%s: ambiguous coordinates; no longitudes and latitudes have the same dimensions", source);
    return GV_OK;
  }
  return variable != NULL ? place_choose_of(io, source, list, &all, variable, out)
                          : place_choose_cells(io, source, list, &all, out);
}
