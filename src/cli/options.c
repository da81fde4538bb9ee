/*
 * Options are matched exactly, not by prefix: a script must not change its meaning when an option is added.
 */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "cli/cli.h"
#include "gpuvoronoi.h"
#include "io/out/sync.h"
#include "io/source_name.h"

const cli_choice cli_sync_choices[] = {
    {"auto", GV_SYNC_AUTO}, {"always", GV_SYNC_ALWAYS}, {"never", GV_SYNC_NEVER}, {NULL, 0}};

/* ------------------------------------------------------------------------------------------------- numbers */

static const char *skip_separator(const char *at) {
  while (*at == ' ')
    at++;
  if (*at == ',') at++;
  while (*at == ' ')
    at++;
  return at;
}

bool cli_numbers(const char *text, double *numbers, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    numbers[i] = strtod(text, &end);
    if (end == text) return false;
    text = i + 1 < count ? skip_separator(end) : end;
    if (i + 1 < count && text == end) return false;
  }
  return *text == '\0';
}

bool cli_integers(const char *text, int64_t *numbers, int count) {
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

static int by_value(const void *a, const void *b) {
  int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return p < q ? -1 : p > q;
}

int cli_whole_list(const char *option, const char *value, int64_t **list, int64_t *count) {
  free(*list);
  *list = malloc((strlen(value) / 2 + 1) * sizeof **list);
  *count = 0;
  if (*list == NULL) return cli_fail(EXIT_ERROR, "out of memory");
  for (const char *at = value;; at++) {
    char *end;
    errno = 0;
    (*list)[(*count)++] = strtoll(at, &end, 10);
    if (end == at || errno != 0 || (*end != ',' && *end != '\0'))
      return cli_fail(EXIT_USAGE, "%s: '%s' are not whole numbers like 1,5,7", option, value);
    at = end;
    if (*end == '\0') break;
  }
  qsort(*list, (size_t)*count, sizeof **list, by_value);
  return EXIT_OK;
}

int cli_measures(const char *text, double *numbers, gv_unit *units, int count) {
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

int cli_length_unit(const char *option, const char *value, gv_unit *unit) {
  if (gv_unit_find(value, unit) && unit->kind == GV_UNIT_LENGTH) return EXIT_OK;
  return cli_fail(EXIT_USAGE, "%s: '%s' is no unit of length like m, km, nmi, mi or ft", option, value);
}

int cli_distance(const char *option, const char *value, double *distance, gv_unit *unit) {
  if (cli_measures(value, distance, unit, 1) == 1 && *distance >= 0.0 && unit->kind != GV_UNIT_ANGLE)
    return EXIT_OK;
  return cli_fail(EXIT_USAGE, "%s: '%s' is not a number, 0 or above, with a unit of length or without: %s", option,
                  value, gv_unit_names);
}

/* -------------------------------------------------------------------------------------------------- values */

static int take_whole(const cli_option *o, void *member, const char *value) {
  int64_t number;
  bool any = o->low == o->high;
  if (!cli_integers(value, &number, 1) || (!any && ((double)number < o->low || (double)number > o->high))) {
    if (any) return cli_fail(EXIT_USAGE, "--%s: '%s' is not an integer", o->name, value);
    return cli_fail(EXIT_USAGE, "--%s: '%s' is not a number from %.0f to %.0f", o->name, value, o->low, o->high);
  }
  if (o->kind == CLI_INT) {
    *(int *)member = (int)number;
  } else {
    *(int64_t *)member = number;
  }
  return EXIT_OK;
}

static int take_real(const cli_option *o, void *member, const char *value) {
  double number;
  if (!cli_numbers(value, &number, 1) || !(number >= o->low && number <= o->high)) {
    if (o->high >= DBL_MAX) {
      return cli_fail(EXIT_USAGE, "--%s: '%s' is not a number, %g or above", o->name, value, o->low);
    }
    return cli_fail(EXIT_USAGE, "--%s: '%s' is not a number from %g to %g", o->name, value, o->low, o->high);
  }
  *(double *)member = number;
  return EXIT_OK;
}

static int take_choice(const cli_option *o, void *member, const char *value) {
  char names[512] = "";
  for (const cli_choice *c = o->choices; c->name != NULL; c++) {
    if (strcmp(value, c->name) == 0) {
      memcpy(member, &c->value, sizeof c->value);
      return EXIT_OK;
    }
    size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "", c->name);
  }
  return cli_fail(EXIT_USAGE, "--%s: '%s' is none of %s", o->name, value, names);
}

static int take(const cli_syntax *syntax, const cli_option *o, void *settings, const char *value) {
  char *member = (char *)settings + o->at;
  if (o->given > 0) *(bool *)((char *)settings + o->given - 1) = true;
  switch (o->kind) {
  case CLI_FLAG:
    *(bool *)member = true;
    return EXIT_OK;
  case CLI_TEXT:
    *(const char **)member = value;
    return EXIT_OK;
  case CLI_INT:
  case CLI_LONG:
    return take_whole(o, member, value);
  case CLI_REAL:
    return take_real(o, member, value);
  case CLI_LIST:
    *(char ***)member = CSLAddString(*(char ***)member, value);
    return EXIT_OK;
  case CLI_CHOICE:
    return take_choice(o, member, value);
  case CLI_SET:
    return o->set(settings, value);
  case CLI_HELP:
    (void)setvbuf(stdout, NULL, _IOFBF, 1 << 16); /* one write, whose error cli_answered can tell */
    cli_print_help(syntax, stdout);
    break;
  default:
    printf("gpuvoronoi %s\n", gv_version());
  }
  int status = cli_answered(EXIT_OK);
  return status == EXIT_OK ? CLI_DONE : status;
}

/* ----------------------------------------------------------------------------------------------- arguments */

static const cli_option *find(const cli_syntax *syntax, const char *name, size_t length) {
  for (size_t i = 0; i < syntax->count; i++) {
    const cli_option *o = &syntax->options[i];
    if (o->kind != CLI_HEADING && strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
  }
  return NULL;
}

static bool is_option(const cli_syntax *syntax, const char *argument) {
  if (argument[0] != '-' || argument[1] == '\0') return false;
  return !syntax->negative_numbers || !(isdigit((unsigned char)argument[1]) || argument[1] == '.');
}

int cli_parse(const cli_syntax *syntax, void *settings, int argc, char **argv) {
  bool only_positional = false;
  for (int at = 0; at < argc;) {
    char *argument = argv[at++];
    int status;
    if (!only_positional && strcmp(argument, "--") == 0) {
      only_positional = true;
      continue;
    }
    if (only_positional || !is_option(syntax, argument)) {
      gv_source_remember(argument);
      if (syntax->positional == NULL) {
        return cli_fail(EXIT_USAGE, "%s takes no argument '%s'", syntax->name, argument);
      }
      status = syntax->positional(settings, argument);
      if (status != EXIT_OK) return status;
      continue;
    }
    /* One dash is GDAL's habit ("-co X=Y", "-of COG"); both are understood. */
    const char *name = argument + (argument[1] == '-' ? 2 : 1), *value = NULL;
    size_t length = strcspn(name, "=");
    const cli_option *o = find(syntax, name, length);
    if (o == NULL) {
      return cli_fail(EXIT_USAGE, "unknown option %.*s (gpuvoronoi --help lists them)",
                      (int)(length + (size_t)(name - argument)), argument);
    }
    if (name[length] == '=') value = name + length + 1;
    if (o->metavar == NULL && value != NULL) return cli_fail(EXIT_USAGE, "--%s takes no value", o->name);
    if (o->metavar != NULL && value == NULL) {
      if (at >= argc) return cli_fail(EXIT_USAGE, "--%s needs a value", o->name);
      value = argv[at++];
    }
    if (value != NULL) gv_source_remember(value);
    status = take(syntax, o, settings, value);
    if (status != EXIT_OK) return status;
  }
  return EXIT_OK;
}

/* -------------------------------------------------------------------------------------------------- --help */

/* The text from column `column`, where the line stands already, broken between words. */
static void print_wrapped(const char *text, int column, FILE *out) {
  enum { WIDTH = 110 };
  int at = column;
  while (*text != '\0') {
    int length = (int)strcspn(text, " ");
    if (at > column && at + 1 + length > WIDTH) {
      fprintf(out, "\n%*s", column, "");
      at = column;
    }
    if (at > column) at += fprintf(out, " ");
    at += fprintf(out, "%.*s", length, text);
    text += length;
    text += strspn(text, " ");
  }
  fprintf(out, "\n");
}

void cli_print_help(const cli_syntax *syntax, FILE *out) {
  enum { COLUMN = 24 };
  fputs(syntax->usage, out);
  fputs("\n", out);
  for (size_t i = 0; i < syntax->count; i++) {
    const cli_option *o = &syntax->options[i];
    if (o->kind == CLI_HEADING) {
      fprintf(out, "%s%s\n", i > 0 ? "\n" : "", o->name);
      continue;
    }
    int length = fprintf(out, "  %s%s", o->name[1] == '\0' ? "-" : "--", o->name);
    if (o->metavar != NULL) length += fprintf(out, " %s", o->metavar);
    if (length >= COLUMN) {
      fprintf(out, "\n");
      length = 0;
    }
    fprintf(out, "%*s", COLUMN - length, "");
    char text[2048];
    snprintf(text, sizeof text, "%s", o->help);
    if (o->add_help != NULL) o->add_help(text, sizeof text);
    print_wrapped(text, COLUMN, out);
  }
  if (syntax->examples != NULL) fprintf(out, "\nExamples\n%s", syntax->examples);
}
