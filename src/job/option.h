/*
 * Options as data: one row each, of which the command's parser, --help, manual pages, and the descriptions of
 * runs are made.
 *
 * A new option is a row in its command's table, and at most one setter for what the kinds of value do not
 * cover.
 */
#ifndef GV_JOB_OPTION_H
#define GV_JOB_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/crs/units.h"

/* Kind of the value, and type of its member. */
typedef enum gv_option_kind {
  GV_OPTION_HEADING,  /* no option: begins a section of --help */
  GV_OPTION_FLAG,     /* bool, set to true; no value */
  GV_OPTION_TEXT,     /* const char *: the argument itself */
  GV_OPTION_INT,      /* int, within the range */
  GV_OPTION_LONG,     /* int64_t, within the range if there is one */
  GV_OPTION_REAL,     /* double, within the range */
  GV_OPTION_LIST,     /* char **: a list of io/strings.h, one more each time */
  GV_OPTION_CHOICE,   /* an enum or an int: the value of the choice's name */
  GV_OPTION_SET,      /* parsed by `set` */
  GV_OPTION_HELP,     /* prints a line for each option; nothing is left to do */
  GV_OPTION_HELP_ALL, /* prints the whole help */
  GV_OPTION_VERSION
} gv_option_kind;

typedef struct gv_choice {
  const char *name; /* NULL ends a list */
  int value;
} gv_choice;

/* Additional text of --help that the library provides. */
typedef enum gv_option_more {
  GV_MORE_NOTHING,
  GV_MORE_LIMITS_OF_GRIDS,
  GV_MORE_LIMITS_OF_POINTS
} gv_option_more;

/* Place of the option in a run's description. */
typedef enum gv_option_place {
  GV_IN_OPTIONS, /* with the options of the question */
  GV_IN_OUTPUTS, /* with the outputs */
  GV_IN_NOTHING  /* it belongs to one call of the command */
} gv_option_place;

typedef struct gv_option {
  const char *name;    /* without dashes; of a heading its text */
  const char *metavar; /* name of the value in --help; NULL = the option has no value */
  const char *help;    /* its first line for --help; the others are details, for --help-all */
  gv_option_kind kind;
  size_t at;    /* the member's offset in the command's settings */
  size_t given; /* 1 + the offset of a bool that is set, too; 0 = none */
  double low, high;
  const gv_choice *choices;
  gv_option_more more;
  bool rare; /* only in --help-all */
  gv_status (*set)(gv_io *io, void *settings, const char *value);
  /* In descriptions of runs: */
  gv_option_place place;
  int numbers;      /* maximum number of numbers in the value of `set`, at least one; 0 = text */
  bool several;     /* may be repeated; all are used */
  bool once;        /* may not */
  int alternatives; /* bits: options that share a bit are alternatives */
  int belongs_to;   /* bits: has no effect if options with one of these alternatives are replaced */
  bool names_file;  /* or another source that GDAL opens */
  /* Parts of one run must agree in the question and may differ in the outputs; this option is the other way
   * round. */
  bool parts_otherwise;
} gv_option;

/* Rows end with one of these. `settings` is the name of each command's type. */
#define GV_OPTION_INTO(member)                                                                               \
  .kind = _Generic(((settings *)0)->member, bool                                                                   \
                   : GV_OPTION_FLAG, const char *                                                                        \
                   : GV_OPTION_TEXT, int                                                                                 \
                   : GV_OPTION_INT, int64_t                                                                              \
                   : GV_OPTION_LONG, double                                                                              \
                   : GV_OPTION_REAL, char **                                                                             \
                   : GV_OPTION_LIST),                                                                                    \
  .at = offsetof(settings, member)
#define GV_OPTION_RANGE(member, least, most) GV_OPTION_INTO(member), .low = (least), .high = (most)
#define GV_OPTION_ONE_OF(member, list)                                                                       \
  .kind = GV_OPTION_CHOICE, .choices = (list),                                                               \
  .at = offsetof(settings, member) + 0 / (sizeof((settings *)0)->member == sizeof(int))
#define GV_OPTION_BY(setter) .kind = GV_OPTION_SET, .set = (setter)
/* May follow them. */
#define GV_OPTION_AND(member)                                                                                \
  .given = 1 + _Generic(((settings *)0)->member, bool : offsetof(settings, member))

/* Rows that several commands have. */
#define GV_OPTION_SECTION(text)                                                                              \
  { .kind = GV_OPTION_HEADING, .name = (text) }
/* Which positions of a source of seeds are read, and how; `seeds`: a gv_seed_options of the settings. */
#define GV_OPTION_SEEDS_ROWS(seeds)                                                                          \
  {"layer", "NAME", "layer of the source; required if it has several", GV_OPTION_INTO(seeds.layer)},         \
      {"where", "SQL", "use only the features that match this SQL condition", GV_OPTION_INTO(seeds.where)},  \
      {"seeds-crs", "CRS", "coordinate system of the seeds, in place of the source's own",                   \
       GV_OPTION_INTO(seeds.crs)},                                                                           \
      {"x", "FIELD", "column of x or longitude [default: the geometries, or a column with such a name]",     \
       GV_OPTION_INTO(seeds.x_field)},                                                                       \
  {                                                                                                          \
    "y", "FIELD",                                                                                            \
        "column of y or latitude\nWithout --seeds-crs these are plane coordinates, unless the columns are "  \
        "called "                                                                                            \
        "lon and lat.",                                                                                      \
        GV_OPTION_INTO(seeds.y_field)                                                                        \
  }
#define GV_OPTION_THREADS_ROW(member)                                                                        \
  {                                                                                                          \
    "threads", "N", "number of threads [default: one per CPU]", GV_OPTION_RANGE(member, 1, 4096),            \
        .parts_otherwise = true                                                                              \
  }
#define GV_OPTION_PROGRESS_ROW(member)                                                                       \
  {                                                                                                          \
    "progress", NULL, "show a progress bar [default: if stderr is a terminal]", GV_OPTION_INTO(member),      \
        .place = GV_IN_NOTHING                                                                               \
  }
/* Where --memory is for inputs only. */
#define GV_OPTION_MEMORY_ROW(function)                                                                       \
  {                                                                                                          \
    "memory", "SIZE",                                                                                        \
        "memory for the data of an input, e.g. 512M or 4G [default: min(1 GiB, RAM / 4)]\n"                  \
        "Data of a local file may take 16 times the size of the file in addition.",                          \
        GV_OPTION_BY(function), .numbers = 1, .rare = true                                                   \
  }
#define GV_OPTION_QUIET_ROW(member)                                                                          \
  { "quiet", NULL, "no warnings, no summary", GV_OPTION_INTO(member) }
#define GV_OPTION_JSON_ROW(member)                                                                           \
  {                                                                                                          \
    "json", NULL,                                                                                            \
        "print summary, warnings and errors as JSON on standard output\n"                                    \
        "One object; each warning and error has a code.",                                                    \
        GV_OPTION_INTO(member)                                                                               \
  }
#define GV_OPTION_SYNC_ROW(member)                                                                           \
  {                                                                                                          \
    "sync", "WHEN",                                                                                          \
        "wait until outputs are on the disk: auto, always, never [default: auto]\n"                          \
        "After a power loss the old or the new files are there. auto: only if files are replaced.",          \
        GV_OPTION_ONE_OF(member, gv_sync_choices), .place = GV_IN_OUTPUTS, .rare = true                      \
  }
#define GV_OPTION_HELP_ROWS                                                                                  \
  {"help", NULL, "print the most used options", .kind = GV_OPTION_HELP, .place = GV_IN_NOTHING}, {           \
    "help-all", NULL, "print all options with their details", .kind = GV_OPTION_HELP_ALL,                    \
                                                              .place = GV_IN_NOTHING                         \
  }

extern const gv_choice gv_sync_choices[];

/* True for an option with a value that is an input for GDAL, not a file that is written; true for the rows of
 * driver options. */
bool gv_option_is_source(const gv_option *option);
bool gv_option_is_driver_option(const gv_option *option);

/* Writes an option's help on one line: only its first line, or with its details. */
void gv_option_describe(const gv_option *option, bool details, char *text, size_t size);

/* From here on messages are cleaned of the secrets of a value (io/source_name.h). */
void gv_option_remember(const gv_option *option, const char *value);

/* Sets the option's member; `value` must stay valid. Kinds without a value get NULL. Not for GV_OPTION_HELP
 * and GV_OPTION_VERSION. */
gv_status gv_option_set(gv_io *io, const gv_option *option, void *settings, const char *value);

/* The row of that name in a table of `count`; NULL if there is none. */
const gv_option *gv_option_find(const gv_option *table, size_t count, const char *name, size_t length);

/* An option that requires another. */
typedef struct gv_option_rule {
  bool given, has;
  const char *option, *needs;
} gv_option_rule;

/* The first rule that is broken is the error. */
gv_status gv_option_rules_check(gv_io *io, const gv_option_rule *rules, size_t count);

/* An option that another one excludes. */
typedef struct gv_excluded_option {
  bool given;
  const char *name;
} gv_excluded_option;

/* The first of the others that is given is the error: unsupported with `what`, which `option` requests. */
gv_status gv_options_exclude(gv_io *io, const char *option, const char *what,
                             const gv_excluded_option *others, size_t count);

/* Reads exactly `count` numbers separated by commas or blanks; false for other texts. */
bool gv_read_numbers(const char *text, double *numbers, int count);
bool gv_read_integers(const char *text, int64_t *numbers, int count);

/* Any number of integers separated by commas, ascending, for `option`; *list is to be freed, and was so
 * before. */
gv_status gv_read_whole_list(gv_io *io, const char *option, const char *value, int64_t **list,
                             int64_t *count);

/* Reads up to `count` numbers separated by commas, each with or without a unit after it; returns their
 * number, 0 for other texts. */
int gv_read_measures(const char *text, double *numbers, gv_unit *units, int count);

/* The value of --memory: bytes, with k, M, G or T behind them or without, at least 1M. */
gv_status gv_read_memory(gv_io *io, const char *value, int64_t *bytes);

/* Reads a unit of length without a number. */
gv_status gv_read_length_unit(gv_io *io, const char *option, const char *value, gv_unit *unit);

/* A distance, 0 or above, with a unit of length or without. */
gv_status gv_read_distance(gv_io *io, const char *option, const char *value, gv_length *out);

/* What stands before its name on a command line: one dash for a letter, two for a word. */
const char *gv_option_dashes(const gv_option *option);

#endif
