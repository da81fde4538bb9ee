#include "io/in/seed_share.h"

#include <stdlib.h>
#include <string.h>

#include <cpl_conv.h>
#include <cpl_vsi.h>

enum { ARRAYS = 14 };

/* What is told first, so that all can make room. */
typedef struct told {
  gv_seed_list scalars; /* its pointers mean nothing elsewhere */
  gv_shapes shapes;     /* likewise */
  bool shaped;
  bool there[ARRAYS];
  int64_t crs_bytes; /* 0: none, -1: the source tells */
  double epoch;
} told;

/* An array of a list: where its pointer is, and how many bytes it has. */
typedef struct array {
  void *pointer;
  size_t bytes;
} array;

static void *array_of(const array *a) {
  void *there = NULL;
  if (a->pointer != NULL) memcpy(&there, a->pointer, sizeof there);
  return there;
}

/* In one order. */
static void list_arrays(gv_seed_list *s, array out[ARRAYS]) {
  gv_shapes *h = s->shapes;
  size_t n = (size_t)s->count;
  const array all[] = {{&s->x, n * sizeof *s->x},       {&s->y, n * sizeof *s->y},
                       {&s->ids, n * sizeof *s->ids},   {&s->rows, n * sizeof *s->rows},
                       {&s->fids, n * sizeof *s->fids}, {&s->weights, n * sizeof *s->weights},
                       {&s->z, n * sizeof *s->z}};
  memset(out, 0, ARRAYS * sizeof *out);
  memcpy(out, all, sizeof all);
  if (h == NULL) return;
  const array shapes[] = {{&h->part, (size_t)(h->features + 1) * sizeof *h->part},
                          {&h->ring, (size_t)(h->parts + 1) * sizeof *h->ring},
                          {&h->vertex, (size_t)(h->rings + 1) * sizeof *h->vertex},
                          {&h->kind, (size_t)h->parts * sizeof *h->kind},
                          {&h->x, (size_t)h->vertices * sizeof *h->x},
                          {&h->y, (size_t)h->vertices * sizeof *h->y},
                          {&h->cut, (size_t)h->vertices * sizeof *h->cut}};
  memcpy(out + sizeof all / sizeof *all, shapes, sizeof shapes);
}

/* --------------------------------------------------------------------------------------------- coordinate systems */

static char *write_crs(OGRSpatialReferenceH crs) {
  static const char *const how[] = {"FORMAT=WKT2_2019", NULL};
  char *text = NULL;
  return OSRExportToWktEx(crs, &text, how) == OGRERR_NONE ? text : NULL;
}

static OGRSpatialReferenceH read_crs(const char *text, double epoch) {
  OGRSpatialReferenceH crs = OSRNewSpatialReference(NULL);
  if (crs == NULL) return NULL;
  OSRSetAxisMappingStrategy(crs, OAMS_TRADITIONAL_GIS_ORDER);
  if (OSRSetFromUserInput(crs, text) == OGRERR_NONE) {
    OSRSetCoordinateEpoch(crs, epoch);
    return crs;
  }
  OSRRelease(crs);
  return NULL;
}

/* The text of a system that says all of it; NULL: text cannot. */
static char *describe_crs(OGRSpatialReferenceH crs) {
  char *text = write_crs(crs), *again = NULL;
  OGRSpatialReferenceH other = text != NULL ? read_crs(text, OSRGetCoordinateEpoch(crs)) : NULL;
  if (other != NULL) again = write_crs(other);
  bool same = again != NULL && strcmp(text, again) == 0 && OSRIsSame(crs, other);
  if (other != NULL) OSRRelease(other);
  CPLFree(again);
  if (same) return text;
  CPLFree(text);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------------- sharing */

/* On the others: room for what comes. */
static gv_status make_room(gv_io *io, const told *t, gv_seed_list *s, char **crs) {
  array arrays[ARRAYS];
  bool made = true;
  *s = t->scalars;
  s->x = s->y = s->weights = s->z = s->source_x = s->source_y = NULL;
  s->ids = s->rows = s->fids = NULL;
  s->shapes = NULL;
  s->names = NULL;
  s->crs = NULL;
  if (t->shaped) {
    s->shapes = malloc(sizeof *s->shapes);
    if (s->shapes == NULL) return gv_io_fail_memory(io, "the seeds");
    *s->shapes = t->shapes;
    s->shapes->part = s->shapes->ring = s->shapes->vertex = NULL;
    s->shapes->kind = NULL;
    s->shapes->x = s->shapes->y = NULL;
    s->shapes->room_features = s->shapes->room_parts = s->shapes->room_kinds = s->shapes->room_rings = 0;
    s->shapes->room_x = s->shapes->room_y = 0;
  }
  list_arrays(s, arrays);
  for (int i = 0; i < ARRAYS; i++) {
    void *room = t->there[i] ? malloc(arrays[i].bytes + 1) : NULL;
    if (t->there[i]) memcpy(arrays[i].pointer, &room, sizeof room);
    made = made && (room != NULL || !t->there[i]);
  }
  if (t->crs_bytes > 0) *crs = VSIMalloc((size_t)t->crs_bytes);
  made = made && (*crs != NULL || t->crs_bytes <= 0);
  return made ? GV_OK : gv_io_fail_memory(io, "the seeds");
}

/* The system as the source tells it. */
static gv_status look_for_crs(gv_io *io, const gv_seed_options *options, gv_seed_list *s) {
  gv_seed_list look = GV_SEED_LIST_INIT;
  bool narrow;
  gv_status status = gv_seeds_look(io, options, &look, &narrow);
  s->crs = look.crs;
  look.crs = NULL;
  gv_seeds_free(&look);
  return status;
}

/* What the first has: `s`, and its coordinate system as text. */
static void describe(gv_seed_list *s, told *t, char **crs) {
  array arrays[ARRAYS];
  memset(t, 0, sizeof *t);
  t->scalars = *s;
  t->shaped = s->shapes != NULL;
  if (t->shaped) t->shapes = *s->shapes;
  list_arrays(s, arrays);
  for (int i = 0; i < ARRAYS; i++)
    t->there[i] = array_of(&arrays[i]) != NULL;
  if (s->crs == NULL) return;
  *crs = describe_crs(s->crs);
  t->crs_bytes = *crs != NULL ? (int64_t)strlen(*crs) + 1 : -1;
  t->epoch = OSRGetCoordinateEpoch(s->crs);
}

gv_status gv_seeds_read_together(gv_io *io, gv_team *team, const gv_seed_options *options, gv_seed_list *out) {
  bool first = team->rank == 0;
  array arrays[ARRAYS];
  char *crs = NULL;
  told t;
  gv_status status = first ? gv_seeds_read(io, options, out) : GV_OK;
  if (first && status == GV_OK) describe(out, &t, &crs);
  status = team->agree(io, team->user, status);
  if (status == GV_OK) status = team->tell(io, team->user, &t, sizeof t);
  if (status == GV_OK) status = team->agree(io, team->user, first ? GV_OK : make_room(io, &t, out, &crs));
  if (status == GV_OK) list_arrays(out, arrays);
  for (int i = 0; i < ARRAYS && status == GV_OK; i++)
    if (t.there[i]) status = team->tell(io, team->user, array_of(&arrays[i]), arrays[i].bytes);
  if (status == GV_OK && t.crs_bytes > 0) status = team->tell(io, team->user, crs, (size_t)t.crs_bytes);
  if (status == GV_OK && !first) {
    if (t.crs_bytes > 0) out->crs = read_crs(crs, t.epoch);
    if (t.crs_bytes > 0 && out->crs == NULL) status = gv_io_fail_memory(io, "a coordinate system");
    if (status == GV_OK && t.crs_bytes < 0) status = look_for_crs(io, options, out);
  }
  CPLFree(crs);
  return status;
}
