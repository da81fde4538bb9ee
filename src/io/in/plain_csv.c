#include "io/in/plain_csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/parallel.h"

enum { MAX_FIELDS = 256, PART = 1 << 16, MAX_PARTS = 1024, MAX_LINE = 1 << 20 };

/* Whole lines of the file. */
typedef struct part {
  const char *start, *end;
  int64_t first_row, rows;
} part;

struct gv_plain_csv {
  char *bytes; /* the file and a 0 */
  size_t size;
  OGRFeatureDefnH definition;
  int fields, threads;
  part parts[MAX_PARTS];
  int part_count;
  int64_t rows;
};

/* The whole file; false if it is none or cannot be read. */
static bool read_all(const char *path, gv_plain_csv *csv) {
  struct stat found;
  if (stat(path, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size <= 0) return false;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool good = file >= 0;
  if (good) {
    csv->size = (size_t)found.st_size;
    csv->bytes = malloc(csv->size + 1);
    good = csv->bytes != NULL;
  }
  for (size_t at = 0; good && at < csv->size;) {
    ssize_t more = pread(file, csv->bytes + at, csv->size - at, (off_t)at);
    if (more < 0 && errno == EINTR) continue;
    good = more > 0;
    if (good) at += (size_t)more;
  }
  if (good) csv->bytes[csv->size] = '\0';
  if (file >= 0) close(file);
  return good;
}

/* No quotation marks, no control characters but tabs and line ends, these being \n or \r\n. */
static bool is_plain(const char *start, const char *end) {
  const unsigned char *c = (const unsigned char *)start;
  size_t n = (size_t)(end - start);
  unsigned char odd = 0; /* compilers make vectors of this */
  for (size_t i = 0; i < n; i++) {
    unsigned char line_end = (unsigned char)((c[i] == '\n') | ((c[i] == '\r') & (c[i + 1] == '\n')));
    unsigned char fine = (unsigned char)((c[i] >= ' ') | (c[i] == '\t') | line_end);
    odd |= (unsigned char)((fine == 0) | (c[i] == '"'));
  }
  return odd == 0;
}

/* The line at `at`, without its end; *next is where the one after it begins. */
static size_t line_length(const char *at, const char *end, const char **next) {
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  *next = stop != NULL ? stop + 1 : end;
  size_t length = (size_t)((stop != NULL ? stop : end) - at);
  return length > 0 && at[length - 1] == '\r' ? length - 1 : length;
}

/* Cuts a line at its commas; false if there is another number of values. */
static bool split(const char *line, size_t length, int fields, gv_plain_value *values) {
  const char *end = line + length;
  for (int f = 0; f + 1 < fields; f++) {
    const char *comma = memchr(line, ',', (size_t)(end - line));
    if (comma == NULL) return false;
    values[f] = (gv_plain_value){line, (size_t)(comma - line)};
    line = comma + 1;
  }
  values[fields - 1] = (gv_plain_value){line, (size_t)(end - line)};
  return memchr(line, ',', (size_t)(end - line)) == NULL;
}

/* Whether the header's values are the names of the layer's fields, so that OGR has taken the same line for the header and the
 * same commas for separators; and whether all are text of any width. */
static bool header_fits(const char *line, size_t length, OGRFeatureDefnH definition, int fields) {
  gv_plain_value names[MAX_FIELDS];
  if (!split(line, length, fields, names)) return false;
  for (int f = 0; f < fields; f++) {
    OGRFieldDefnH field = OGR_FD_GetFieldDefn(definition, f);
    const char *name = OGR_Fld_GetNameRef(field);
    if (strlen(name) != names[f].length || memcmp(name, names[f].text, names[f].length) != 0) return false;
    if (OGR_Fld_GetType(field) != OFTString || OGR_Fld_GetWidth(field) != 0) return false;
  }
  return true;
}

/* Looks through a part; false if it is not plain. */
static bool look_through(part *p) {
  if (!is_plain(p->start, p->end)) return false;
  for (const char *at = p->start, *next; at < p->end; at = next) {
    size_t length = line_length(at, p->end, &next);
    if (length > MAX_LINE) return false;
    p->rows += length > 0;
  }
  return true;
}

/* Any error stands for a file that is not plain. */
static gv_status look_through_some(gv_worker *worker, int64_t first, int64_t end) {
  gv_plain_csv *csv = worker->user;
  bool plain = true;
  for (int64_t i = first; i < end; i++)
    plain = plain && look_through(&csv->parts[i]);
  return plain ? GV_OK : GV_ERROR_UNSUPPORTED;
}

/* Parts of whole lines from `start` on, and what they hold. */
static bool cut(gv_plain_csv *csv, const char *start) {
  const char *end = csv->bytes + csv->size;
  size_t rest = (size_t)(end - start), step = rest / MAX_PARTS + 1;
  if (step < PART) step = PART;
  while (start < end) {
    const char *stop =
        (size_t)(end - start) > step ? memchr(start + step, '\n', (size_t)(end - start) - step) : NULL;
    stop = stop != NULL ? stop + 1 : end;
    csv->parts[csv->part_count++] = (part){.start = start, .end = stop};
    start = stop;
  }
  gv_loop loop = {.threads = csv->threads, .count = csv->part_count, .grain = 1, .user = csv};
  bool plain = gv_parallel_for(&loop, look_through_some) == GV_OK;
  for (int i = 0; i < csv->part_count; i++) {
    csv->parts[i].first_row = csv->rows;
    csv->rows += csv->parts[i].rows;
  }
  return plain && csv->rows > 0;
}

gv_plain_csv *gv_plain_csv_open(const char *path, OGRLayerH layer, int threads) {
  gv_plain_csv *csv = calloc(1, sizeof *csv);
  if (csv == NULL) return NULL;
  csv->threads = threads > 1 ? threads : 1;
  csv->definition = OGR_L_GetLayerDefn(layer);
  OGR_FD_Reference(csv->definition);
  csv->fields = OGR_FD_GetFieldCount(csv->definition);
  if (csv->fields >= 1 && csv->fields <= MAX_FIELDS && read_all(path, csv)) {
    const char *end = csv->bytes + csv->size, *next;
    size_t length = line_length(csv->bytes, end, &next);
    bool plain = is_plain(csv->bytes, next) && header_fits(csv->bytes, length, csv->definition, csv->fields);
    if (plain && cut(csv, next)) return csv;
  }
  gv_plain_csv_close(csv);
  return NULL;
}

OGRFeatureDefnH gv_plain_csv_definition(const gv_plain_csv *csv) {
  return csv->definition;
}

int64_t gv_plain_csv_rows(const gv_plain_csv *csv) {
  return csv->rows;
}

int gv_plain_csv_parts(const gv_plain_csv *csv) {
  return csv->part_count;
}

int64_t gv_plain_csv_part_end(const gv_plain_csv *csv, int index) {
  return csv->parts[index].first_row + csv->parts[index].rows;
}

bool gv_plain_csv_walk_part(const gv_plain_csv *csv, int index, gv_plain_csv_row row, void *user) {
  gv_plain_value values[MAX_FIELDS];
  const part *p = &csv->parts[index];
  int64_t number = p->first_row;
  for (const char *at = p->start, *next; at < p->end; at = next) {
    size_t length = line_length(at, p->end, &next);
    if (length == 0) continue;
    if (!split(at, length, csv->fields, values) || !row(user, number++, values)) return false;
  }
  return true;
}

typedef struct walk {
  const gv_plain_csv *csv;
  gv_plain_csv_row row;
  void *user;
} walk;

static gv_status walk_some(gv_worker *worker, int64_t first, int64_t end) {
  const walk *w = worker->user;
  bool good = true;
  for (int64_t i = first; i < end && good; i++)
    good = gv_plain_csv_walk_part(w->csv, (int)i, w->row, w->user);
  return good ? GV_OK : GV_ERROR_UNSUPPORTED;
}

bool gv_plain_csv_walk(const gv_plain_csv *csv, gv_plain_csv_row row, void *user) {
  walk w = {csv, row, user};
  gv_loop loop = {.threads = csv->threads, .count = csv->part_count, .grain = 1, .user = &w};
  return gv_parallel_for(&loop, walk_some) == GV_OK;
}

void gv_plain_csv_close(gv_plain_csv *csv) {
  if (csv == NULL) return;
  OGR_FD_Release(csv->definition);
  free(csv->bytes);
  free(csv);
}
