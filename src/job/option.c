#include "job/option.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/source_name.h"
#include "io/strings.h"
#include "io/transaction/sync.h"

const gv_choice gv_sync_choices[] = {
    {"auto", GV_SYNC_AUTO}, {"always", GV_SYNC_ALWAYS}, {"never", GV_SYNC_NEVER}, {NULL, 0}};

bool gv_option_is_source(const gv_option *o) {
  return o->names_file && (o->place != GV_IN_OUTPUTS || o->several);
}

bool gv_option_is_driver_option(const gv_option *o) {
  return o->kind == GV_OPTION_LIST;
}

void gv_option_remember(const gv_option *o, const char *value) {
  if (gv_option_is_driver_option(o)) {
    gv_driver_option_remember(value, strcmp(o->name, "co") == 0);
  } else if (gv_option_is_source(o) && !o->several) {
    gv_source_remember(value);
  } else {
    gv_text_remember(value);
  }
}

static const char *skip_separator(const char *at) {
  while (*at == ' ')
    at++;
  if (*at == ',') at++;
  while (*at == ' ')
    at++;
  return at;
}

bool gv_read_numbers(const char *text, double *numbers, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    numbers[i] = strtod(text, &end);
    if (end == text) return false;
    text = i + 1 < count ? skip_separator(end) : end;
    if (i + 1 < count && text == end) return false;
  }
  return *text == '\0';
}

bool gv_read_integers(const char *text, int64_t *numbers, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    errno = 0;
    numbers[i] = strtoll(text, &end, 10);
    if (end == text || errno != 0) return false;
    text = i + 1 < count ? skip_separator(end) : end;
    if (i + 1 < count && text == end) return false;
  }
  return *text == '\0';
}

static int option_by_value(const void *a, const void *b) {
  int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return p < q ? -1 : p > q;
}

gv_status gv_read_whole_list(gv_io *io, const char *option, const char *value, int64_t **list,
                             int64_t *count) {
  free(*list);
  *list = malloc((strlen(value) / 2 + 1) * sizeof **list);
  *count = 0;
  if (*list == NULL) return gv_io_fail_memory(io, "a list of numbers");
  for (const char *at = value;; at++) {
    char *end;
    errno = 0;
    (*list)[(*count)++] = strtoll(at, &end, 10);
    if (end == at || errno != 0 || (*end != ',' && *end != '\0'))
      return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: invalid list (%s); expected integers, e.g. 1,5,7",
                        option, value);
    at = end;
    if (*end == '\0') break;
  }
  qsort(*list, (size_t)*count, sizeof **list, option_by_value);
  return GV_OK;
}

int gv_read_measures(const char *text, double *numbers, gv_unit *units, int count) {
  for (int i = 0; i < count; i++) {
    char *end, name[32];
    numbers[i] = strtod(text, &end);
    size_t length = strcspn(end, ",");
    if (end == text || length >= sizeof name) return 0;
    memcpy(name, end, length);
    name[length] = '\0';
    if (!gv_unit_find(name, &units[i])) return 0;
    if (end[length] == '\0') return i + 1;
    text = end + length + 1;
  }
  return 0;
}

gv_status gv_read_memory(gv_io *io, const char *value, int64_t *bytes) {
  char *end;
  double size = strtod(value, &end);
  static const char units[] = "kMGT";
  const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
  for (const char *u = units; unit != NULL && u <= unit; u++)
    size *= 1024.0;
  bool good =
      end != value && (*end == '\0' || (unit != NULL && end[1] == '\0')) && size >= 1e6 && size < 1e18;
  GV_REQUIRE(io, good, "--memory: invalid size (%s); expected at least 1M, e.g. 512M or 4G", value);
  *bytes = (int64_t)size;
  return GV_OK;
}

gv_status gv_read_length_unit(gv_io *io, const char *option, const char *value, gv_unit *unit) {
  if (gv_unit_find(value, unit) && unit->kind == GV_UNIT_LENGTH) return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s: unknown unit (%s); expected a unit of length: %s",
                    option, value, gv_length_names);
}

gv_status gv_read_distance(gv_io *io, const char *option, const char *value, gv_length *out) {
  if (gv_read_measures(value, &out->value, &out->unit, 1) == 1 && out->value >= 0.0 &&
      out->unit.kind != GV_UNIT_ANGLE)
    return GV_OK;
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT,
                    "%s: invalid distance (%s); expected a number of at least 0, optionally with a unit: %s",
                    option, value, gv_length_names);
}

/* ------------------------------------------------------------------------------------------------- values */

const char *gv_option_dashes(const gv_option *option) {
  return option->name[1] == '\0' ? "-" : "--";
}

static gv_status set_integer(gv_io *io, const gv_option *o, void *member, const char *value) {
  int64_t number;
  bool any = o->low == o->high;
  if (!gv_read_integers(value, &number, 1) ||
      (!any && ((double)number < o->low || (double)number > o->high))) {
    GV_REQUIRE(io, !any, "%s%s: invalid integer (%s)", gv_option_dashes(o), o->name, value);
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s%s: out of range [%.0f, %.0f] (%s)",
                      gv_option_dashes(o), o->name, o->low, o->high, value);
  }
  if (o->kind == GV_OPTION_INT) {
    *(int *)member = (int)number;
  } else {
    *(int64_t *)member = number;
  }
  return GV_OK;
}

static gv_status set_real(gv_io *io, const gv_option *o, void *member, const char *value) {
  double number;
  if (!gv_read_numbers(value, &number, 1) || !(number >= o->low && number <= o->high)) {
    GV_REQUIRE(io, o->high < DBL_MAX, "%s%s: out of range [%g, inf] (%s)", gv_option_dashes(o), o->name,
               o->low, value);
    return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s%s: out of range [%g, %g] (%s)", gv_option_dashes(o),
                      o->name, o->low, o->high, value);
  }
  *(double *)member = number;
  return GV_OK;
}

/* Options of GDAL's drivers. */
static gv_status option_add(gv_io *io, const gv_option *o, char ***list, const char *value) {
  const char *equals = strchr(value, '=');
  GV_REQUIRE(io, equals != NULL && equals != value, "%s%s: invalid value (%s); expected NAME=VALUE",
             gv_option_dashes(o), o->name, value);
  return gv_strings_add(list, value) ? GV_OK : gv_io_fail_memory(io, "the options");
}

static gv_status set_choice(gv_io *io, const gv_option *o, void *member, const char *value) {
  char names[512] = "";
  for (const gv_choice *c = o->choices; c->name != NULL; c++) {
    if (strcmp(value, c->name) == 0) {
      memcpy(member, &c->value, sizeof c->value);
      return GV_OK;
    }
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "", c->name);
  }
  return gv_io_fail(io, GV_ERROR_INVALID_ARGUMENT, "%s%s: invalid value (%s); expected one of: %s",
                    gv_option_dashes(o), o->name, value, names);
}

gv_status gv_option_set(gv_io *io, const gv_option *o, void *settings, const char *value) {
  char *member = (char *)settings + o->at;
  if (o->given > 0) *(bool *)((char *)settings + o->given - 1) = true;
  switch (o->kind) {
  case GV_OPTION_FLAG:
    *(bool *)member = true;
    return GV_OK;
  case GV_OPTION_TEXT:
    *(const char **)member = value;
    return GV_OK;
  case GV_OPTION_INT:
  case GV_OPTION_LONG:
    return set_integer(io, o, member, value);
  case GV_OPTION_REAL:
    return set_real(io, o, member, value);
  case GV_OPTION_LIST:
    return option_add(io, o, (char ***)member, value);
  case GV_OPTION_CHOICE:
    return set_choice(io, o, member, value);
  case GV_OPTION_SET:
    return o->set(io, settings, value);
  default:
    return gv_io_fail(io, GV_ERROR_INTERNAL, "%s%s: missing effect", gv_option_dashes(o), o->name);
  }
}

void gv_option_describe(const gv_option *o, bool details, char *text, size_t size) {
  int length = (int)strcspn(o->help, "\n");
  const char *more = o->help[length] == '\n' ? o->help + length + 1 : NULL;
  if (details && more != NULL) {
    snprintf(text, size, "%.*s. %s", length, o->help, more);
  } else {
    snprintf(text, size, "%.*s", length, o->help);
  }
}

const gv_option *gv_option_find(const gv_option *table, size_t count, const char *name, size_t length) {
  for (size_t i = 0; i < count; i++) {
    const gv_option *o = &table[i];
    if (o->kind != GV_OPTION_HEADING && strlen(o->name) == length && strncmp(o->name, name, length) == 0)
      return o;
  }
  return NULL;
}

gv_status gv_options_exclude(gv_io *io, const char *option, const char *what,
                             const gv_excluded_option *others, size_t count) {
  for (size_t i = 0; i < count; i++)
    GV_REQUIRE(io, !others[i].given, "%s: %s is unsupported with %s", option, others[i].name, what);
  return GV_OK;
}

gv_status gv_option_rules_check(gv_io *io, const gv_option_rule *rules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    GV_REQUIRE(io, !rules[i].given || rules[i].has, "%s: missing %s", rules[i].option, rules[i].needs);
  }
  return GV_OK;
}
