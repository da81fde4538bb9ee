/*
 * gpuvoronoi qtm: places to cells of the triangular mesh and back, for people and scripts.
 *
 * Each subcommand handles items, places or ids: those on the command line, or else one a line of standard
 * input. One item gives one line (`info`: one block), so output lines up with input; the first bad item ends
 * the run.
 */
#include "cli/commands.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/fail.h"
#include "gpuvoronoi/cells.h"
#include "gpuvoronoi/gpuvoronoi.h"

typedef struct request request;

/* Handles one item of `count` words. */
typedef int (*item_fn)(const request *r, int count, char **words);

typedef struct subcommand {
  const char *name;
  item_fn run;
  bool places; /* items are two words */
} subcommand;

struct request {
  int level; /* -1: not given */
  bool integer;
  const char *where; /* "line 3: ", or "" for the command line */
  const subcommand *what;
  char **words; /* after the subcommand */
  int count;
};

/* ------------------------------------------------------------------------------------------ reading items */

/* Splits a line into words, separated by blanks or single commas; at most `most`. */
static int split(char *line, char **words, int most) {
  int count = 0;
  for (char *at = line + strspn(line, " \t\r\n"); *at != '\0' && count < most; at += strspn(at, " \t\r\n")) {
    words[count++] = at;
    at += strcspn(at, " \t\r\n,");
    if (*at != '\0') *at++ = '\0';
  }
  return count;
}

static bool qtm_read_number(const char *text, double *number) {
  char *end;
  *number = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*number);
}

static bool read_id(const request *r, const char *text, gv_qtm_id *id) {
  if (!r->integer) return gv_qtm_from_string(text, id) == GV_OK;
  char *end;
  *id = strtoll(text, &end, 10);
  return isdigit((unsigned char)*text) && *end == '\0' && gv_qtm_is_valid(*id);
}

static int fail_id(const request *r, const char *text) {
  if (r->integer) return cli_fail(EXIT_ERROR, "%sinvalid 64-bit QTM id (%s)", r->where, text);
  return cli_fail(EXIT_ERROR,
                  "%sinvalid QTM id (%s); expected the octant (1 to 8), then up to %d digits 0 to 3",
                  r->where, text, GV_QTM_MAX_LEVEL);
}

static void print_id(const request *r, gv_qtm_id id) {
  char text[GV_QTM_STRING_SIZE];
  if (r->integer) {
    printf("%" PRId64, id);
  } else if (gv_qtm_to_string(id, text, sizeof text) == GV_OK) {
    fputs(text, stdout);
  }
}

/* -------------------------------------------------------------------------------------------- subcommands */

static int encode(const request *r, int count, char **words) {
  double longitude, latitude;
  if (count != 2) return cli_fail(EXIT_ERROR, "%sinvalid place; expected two numbers, LON LAT", r->where);
  if (!qtm_read_number(words[0], &longitude)) {
    return cli_fail(EXIT_ERROR, "%sinvalid longitude (%s)", r->where, words[0]);
  }
  if (!qtm_read_number(words[1], &latitude)) {
    return cli_fail(EXIT_ERROR, "%sinvalid latitude (%s)", r->where, words[1]);
  }
  gv_qtm_id id;
  if (gv_qtm_from_lonlat(r->level, longitude, latitude, &id) != GV_OK) {
    return cli_fail(EXIT_ERROR, "%slatitude out of range [-90, 90] (%s)", r->where, words[1]);
  }
  print_id(r, id);
  putchar('\n');
  return EXIT_OK;
}

/* The one id of an item. */
static int item_id(const request *r, int count, char **words, gv_qtm_id *id) {
  if (count != 1) return cli_fail(EXIT_ERROR, "%sinvalid line; expected one id", r->where);
  return read_id(r, words[0], id) ? EXIT_OK : fail_id(r, words[0]);
}

static int decode(const request *r, int count, char **words) {
  gv_qtm_id id = 0;
  double longitude, latitude;
  int status = item_id(r, count, words, &id);
  if (status != EXIT_OK) return status;
  if (gv_qtm_center(id, &longitude, &latitude) != GV_OK) return fail_id(r, words[0]);
  printf("%.12f %.12f\n", longitude, latitude);
  return EXIT_OK;
}

static int neighbors(const request *r, int count, char **words) {
  gv_qtm_id id = 0, near[3];
  int status = item_id(r, count, words, &id);
  if (status != EXIT_OK) return status;
  if (gv_qtm_neighbors(id, near) != GV_OK) return fail_id(r, words[0]);
  for (int i = 0; i < 3; i++) {
    if (i > 0) putchar(' ');
    print_id(r, near[i]);
  }
  putchar('\n');
  return EXIT_OK;
}

static int info(const request *r, int count, char **words) {
  gv_qtm_id id = 0, parent, children[4], near[3];
  double longitude[3], latitude[3], center_longitude, center_latitude;
  int basis[3];
  int status = item_id(r, count, words, &id);
  if (status != EXIT_OK) return status;
  if (gv_qtm_corners(id, longitude, latitude, basis) != GV_OK || gv_qtm_neighbors(id, near) != GV_OK ||
      gv_qtm_center(id, &center_longitude, &center_latitude) != GV_OK) {
    return fail_id(r, words[0]);
  }
  char text[GV_QTM_STRING_SIZE];
  if (gv_qtm_to_string(id, text, sizeof text) != GV_OK) return fail_id(r, words[0]);
  printf("id: %s\ninteger: %" PRId64 "\nlevel: %d\noctant: %d\nnumber: %" PRId64 "\n", text, id,
         gv_qtm_level(id), gv_qtm_octant(id), gv_qtm_number(id));
  printf("center: %.12f %.12f\n", center_longitude, center_latitude);
  for (int i = 0; i < 3; i++)
    printf("corner %d: %.12f %.12f\n", basis[i], longitude[i], latitude[i]);
  /* The mean radius of WGS 84. */
  const double radius_km = 6371.0087714150598;
  printf("area: %.9g km2\n", gv_qtm_area(id) * radius_km * radius_km);
  if (gv_qtm_parent(id, &parent) == GV_OK) {
    printf("parent: ");
    print_id(r, parent);
    putchar('\n');
  }
  if (gv_qtm_children(id, children) == GV_OK) {
    printf("children:");
    for (int i = 0; i < 4; i++) {
      putchar(' ');
      print_id(r, children[i]);
    }
    putchar('\n');
  }
  printf("neighbors:");
  for (int i = 0; i < 3; i++) {
    putchar(' ');
    print_id(r, near[i]);
  }
  putchar('\n');
  return EXIT_OK;
}

static const subcommand subcommands[] = {
    {"encode", encode, true},
    {"decode", decode, false},
    {"neighbors", neighbors, false},
    {"info", info, false},
};

static int run_lines(request *r) {
  char *line = NULL, *words[3], where[40];
  size_t capacity = 0;
  int status = EXIT_OK;
  for (int64_t number = 1; status == EXIT_OK && !ferror(stdout) && getline(&line, &capacity, stdin) != -1;
       number++) {
    snprintf(where, sizeof where, "line %" PRId64 ": ", number);
    r->where = where;
    status = r->what->run(r, split(line, words, 3), words);
  }
  /* getline sets no mark on a stream when it is out of memory for a line. */
  if (status == EXIT_OK && !ferror(stdout) && !feof(stdin)) {
    status = cli_fail(EXIT_ERROR, "standard input: cannot read: %s", strerror(errno != 0 ? errno : EIO));
  }
  free(line);
  return status;
}

typedef request settings;

static const gv_option table[] = {
    {"level", "L", "for encode: level of the cells (0 to 29)", GV_OPTION_RANGE(level, 0, GV_QTM_MAX_LEVEL)},
    {"integer", NULL, "read and write ids as 64-bit integers of the library", GV_OPTION_INTO(integer)},
    GV_OPTION_HELP_ROWS,
};

/* The subcommand, then words of items. */
static int next_word(void *to, char *value) {
  request *r = to;
  if (r->what != NULL) {
    r->words[r->count++] = value;
    return EXIT_OK;
  }
  for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++)
    if (strcmp(value, subcommands[i].name) == 0) r->what = &subcommands[i];
  if (r->what != NULL) return EXIT_OK;
  return cli_fail(EXIT_USAGE, "unknown qtm subcommand (%s); see gpuvoronoi qtm --help", value);
}

const cli_syntax qtm_syntax = {
    .name = "qtm",
    .usage = "Usage: gpuvoronoi qtm encode --level L [LON LAT]\n"
             "       gpuvoronoi qtm decode|neighbors|info [ID...]\n"
             "\n"
             "Cells of Dutton's quaternary triangular mesh (QTM). Without LON LAT or ID, each line of "
             "standard input\n"
             "has one.\n"
             "\n"
             "  encode      the cell of level L at a longitude and latitude in degrees\n"
             "  decode      longitude and latitude of a cell's center\n"
             "  neighbors   the three neighbors across a cell's edges\n"
             "  info        ids, level, center, corners and area of a cell\n"
             "\n"
             "An ID is the octant (1 to 8) and a digit 0 to 3 a level, e.g. 1133013130312011310.\n",
    CLI_ROWS(table),
    .positional = next_word,
    .negative_numbers = true};

int qtm_command(int argc, char **argv) {
  /* Words stay where they are in argv, which has room for all of them. */
  request r = {.level = -1, .where = "", .words = argv};
  int status = cli_parse(&qtm_syntax, &r, argc, argv);
  if (status != EXIT_OK) return status == CLI_DONE ? EXIT_OK : status;
  if (r.what == NULL)
    return cli_fail(EXIT_USAGE,
                    "missing qtm subcommand: encode, decode, neighbors or info; see gpuvoronoi qtm --help");
  bool places = r.what->places;
  if (places && r.level < 0)
    return cli_fail(EXIT_USAGE, "qtm encode: missing --level (0 to %d)", GV_QTM_MAX_LEVEL);
  if (!places && r.level >= 0)
    return cli_fail(EXIT_USAGE, "--level: unsupported for ids; it is for qtm encode");
  if (places && r.count != 0 && r.count != 2) {
    return cli_fail(EXIT_USAGE,
                    "qtm encode: invalid arguments; expected LON LAT, or lines of them on standard input");
  }
  if (r.count == 0) {
    status = run_lines(&r);
  } else {
    int step = places ? 2 : 1;
    for (int i = 0; i < r.count && status == EXIT_OK; i += step)
      status = r.what->run(&r, step, r.words + i);
  }
  return cli_end_output(status);
}
