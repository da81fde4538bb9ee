#include "job/raster/parts/part_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpl_string.h>

#include "core/hash.h"
#include "io/in/json.h"
#include "io/json_writer.h"
#include "io/path.h"
#include "io/retry.h"
#include "io/strings.h"
#include "io/transaction/copy.h"
#include "job/description/description.h"

enum {
  FORMAT = 3,
  CHUNK = 1 << 20,
  ALIGNMENT = 4096,
  MAGIC = 8,
  FOOTER = MAGIC + 3 * 8,
  MOST_JSON = 16 << 20
};
static const char magic[MAGIC + 1] = "GVPART\r\n";
static const char *const raster_names[GV_RUN_RASTERS] = {"ids", "distances", "azimuths"};

/* Members of the JSON object that every part file has, except the format: integers, and numbers as 16
 * digits. */
#define AT(member) offsetof(gv_part, member)
enum { MOST_INTEGERS = 3 };
static const struct {
  const char *name;
  int count;
  size_t at[MOST_INTEGERS];
} members[] = {{"part", 2, {AT(number), AT(parts)}},
               {"size", 2, {AT(width), AT(height)}},
               {"rows", 3, {AT(first), AT(end), AT(block_rows)}},
               {"empty", 1, {AT(empty)}},
               {"mask", 1, {AT(mask_bytes)}},
               {"at", GV_RUN_RASTERS, {AT(at[0]), AT(at[1]), AT(at[2])}},
               {"bytes", GV_RUN_RASTERS, {AT(bytes[0]), AT(bytes[1]), AT(bytes[2])}},
               {"records", 3, {AT(records), AT(records_at), AT(record_bytes)}},
               {"content", 1, {AT(content)}}};
static const struct {
  const char *name;
  size_t at;
} fingerprints[] = {{"fingerprint", AT(fingerprints[0])},
                    {"sums' fingerprint", AT(fingerprints[1])},
                    {"grid", AT(grid)},
                    {"seeds", AT(seeds)}};
#undef AT
#define MEMBERS      (sizeof members / sizeof *members)
#define FINGERPRINTS (sizeof fingerprints / sizeof *fingerprints)

void gv_part_free(gv_part *part) {
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    gv_strings_free(part->creation[i]);
  free(part->path);
  free(part->run);
  *part = (gv_part){0};
}

uint64_t gv_part_hash(uint64_t before, const void *bytes, size_t count) {
  return count > 0 ? gv_hash_bytes(before, bytes, count) : before;
}

/* ------------------------------------------------------------------------------------------------ writing */

typedef struct part_writer {
  gv_io *io;
  const gv_part *part;
  int file;
} part_writer;

static gv_status cannot_write(const part_writer *w, int error) {
  return gv_io_fail(w->io, GV_ERROR_IO, "cannot write %s: %s", w->part->path, strerror(error));
}

static gv_status write_bytes(const part_writer *w, const void *bytes, size_t count) {
  return gv_retry_write_all(w->file, bytes, count) ? GV_OK : cannot_write(w, errno);
}

/* Appends a whole file, at a place where pages begin. */
static gv_status append_file(const part_writer *w, const char *path, int64_t *at, int64_t *bytes) {
  off_t end = lseek(w->file, 0, SEEK_END);
  off_t to = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (end < 0 || gv_retry_truncate(w->file, to) != 0 || lseek(w->file, to, SEEK_SET) != to) {
    return cannot_write(w, errno);
  }
  int from = gv_retry_open(path, O_RDONLY | O_CLOEXEC, 0);
  int error = from < 0 ? errno : gv_copy_bytes(w->io, from, w->file);
  if (from >= 0) close(from);
  if (gv_io_cancelled(w->io)) return gv_io_fail_cancelled(w->io);
  if (error != 0) return cannot_write(w, error);
  *at = (int64_t)to;
  *bytes = (int64_t)lseek(w->file, 0, SEEK_CUR) - *at;
  return GV_OK;
}

static gv_status append_records(const part_writer *w, gv_part *part, gv_part_record_fn record, void *user) {
  int64_t together = part->record_bytes > 0 ? 1 + CHUNK / part->record_bytes : 1;
  part->records_at = (int64_t)lseek(w->file, 0, SEEK_END);
  if (part->records == 0) return GV_OK;
  unsigned char *bytes = malloc((size_t)(together * part->record_bytes));
  if (bytes == NULL) return gv_io_fail_memory(w->io, "the statistics");
  gv_status status = GV_OK;
  for (int64_t i = 0; i < part->records && status == GV_OK; i += together) {
    int64_t count = part->records - i < together ? part->records - i : together;
    for (int64_t k = 0; k < count && status == GV_OK; k++)
      status = record(w->io, user, i + k, bytes + k * part->record_bytes);
    if (status == GV_OK) status = write_bytes(w, bytes, (size_t)(count * part->record_bytes));
  }
  free(bytes);
  return status;
}

/* The fingerprint of bytes [from, end), chunk by chunk. */
static gv_status fingerprint(gv_io *io, const char *path, int file, int64_t from, int64_t end,
                             uint64_t *out) {
  char *chunk = malloc(CHUNK);
  if (chunk == NULL) return gv_io_fail_memory(io, "a part's bytes");
  gv_status status = GV_OK;
  *out = 0;
  for (int64_t at = from; at < end && status == GV_OK;) {
    size_t wanted = end - at < CHUNK ? (size_t)(end - at) : CHUNK, got = 0;
    while (got < wanted) {
      ssize_t more = gv_retry_read_at(file, chunk + got, wanted - got, (off_t)at + (off_t)got);
      if (more <= 0) break;
      got += (size_t)more;
    }
    if (got < wanted) status = gv_io_fail(io, GV_ERROR_IO, "%s: truncated", path);
    *out = gv_part_hash(*out, chunk, got);
    at += (int64_t)got;
    if (status == GV_OK && gv_io_cancelled(io)) status = gv_io_fail_cancelled(io);
  }
  free(chunk);
  return status;
}

/* As texts, so that all doubles read back unchanged. */
static void put_sums(gv_json_writer *json, const gv_part *part) {
  char number[64];
  if (part->sum_count == 0) return;
  gv_json_begin_array(json, "sums", GV_JSON_IN_LINE);
  for (int i = 0; i < 3 * part->sum_count; i++) {
    const gv_sum_totals *s = &part->sums[i / 3];
    snprintf(number, sizeof number, "%a", i % 3 == 0 ? s->total : i % 3 == 1 ? s->inside : s->bound);
    gv_json_put_string(json, NULL, number);
  }
  gv_json_end(json);
}

static void put_options(gv_json_writer *json, const char *name, char **options) {
  if (options == NULL) return;
  gv_json_begin_array(json, name, GV_JSON_IN_LINE);
  for (int i = 0; options[i] != NULL; i++)
    gv_json_put_string(json, NULL, options[i]);
  gv_json_end(json);
}

static void put_part(gv_json_writer *json, const gv_part *p) {
  char digits[24];
  gv_json_begin_object(json, NULL, GV_JSON_IN_LINES);
  gv_json_put_integers(json, "format", (const int64_t[]){FORMAT}, 1);
  gv_json_put_string(json, "version", gv_version());
  for (size_t i = 0; i < MEMBERS; i++) {
    int64_t list[MOST_INTEGERS];
    for (int k = 0; k < members[i].count; k++)
      list[k] = *(const int64_t *)((const char *)p + members[i].at[k]);
    gv_json_put_integers(json, members[i].name, list, members[i].count);
  }
  for (size_t i = 0; i < FINGERPRINTS; i++) {
    const uint64_t *value = (const uint64_t *)(const void *)((const char *)p + fingerprints[i].at);
    snprintf(digits, sizeof digits, "%016" PRIx64, *value);
    gv_json_put_string(json, fingerprints[i].name, digits);
  }
  put_sums(json, p);
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    put_options(json, raster_names[i], p->creation[i]);
  gv_json_put_string(json, "run", p->run != NULL ? p->run : "{}");
  gv_json_end(json);
}

/* Appends everything after the raster of ids; free `json`. */
static gv_status append_all(const part_writer *w, const char *const files[GV_RUN_RASTERS], gv_part *part,
                            gv_part_record_fn record, void *user, gv_json_writer *json) {
  unsigned char footer[FOOTER];
  part->at[0] = 0;
  part->bytes[0] = (int64_t)lseek(w->file, 0, SEEK_END);
  for (int i = 1; i < GV_RUN_RASTERS; i++)
    if (files[i] != NULL) GV_TRY(append_file(w, files[i], &part->at[i], &part->bytes[i]));
  GV_TRY(append_records(w, part, record, user));
  part->content = (int64_t)lseek(w->file, 0, SEEK_END);
  const int64_t ends[] = {0, part->records_at, part->content};
  for (int i = 0; i < 2; i++)
    GV_TRY(fingerprint(w->io, part->path, w->file, ends[i], ends[i + 1], &part->fingerprints[i]));
  put_part(json, part);
  if (json->text.failed) return gv_io_fail_memory(w->io, "a part's description");
  GV_TRY(write_bytes(w, json->text.bytes, json->text.length));
  memcpy(footer, magic, MAGIC);
  gv_part_put_number(footer + MAGIC, (uint64_t)part->content);
  gv_part_put_number(footer + MAGIC + 8, json->text.length);
  gv_part_put_number(footer + MAGIC + 16, gv_part_hash(0, json->text.bytes, json->text.length));
  return write_bytes(w, footer, sizeof footer);
}

gv_status gv_part_write(gv_io *io, const char *path, const char *const files[GV_RUN_RASTERS], gv_part *part,
                        gv_part_record_fn record, void *user) {
  gv_json_writer json = {0};
  const part_writer w = {io, part, gv_retry_open(path, O_RDWR | O_CLOEXEC, 0)};
  if (w.file < 0) return cannot_write(&w, errno);
  gv_status status = append_all(&w, files, part, record, user, &json);
  gv_text_free(&json.text);
  if (close(w.file) != 0 && status == GV_OK) status = cannot_write(&w, errno);
  return status;
}

/* ------------------------------------------------------------------------------------------------ reading */

/* The members of the JSON object. */
typedef struct header {
  gv_part *part;
  int64_t format;
  int needed; /* members that every part file has, of those read */
} header;

/* Integers as written, without fraction or exponent. */
static bool read_integers(const gv_json_member *m, int64_t *list, int count) {
  bool good = m->count == count;
  for (int i = 0; i < count && good; i++) {
    char *end;
    errno = 0;
    list[i] = strtoll(m->items[i].text, &end, 10);
    good = m->items[i].kind == GV_JSON_NUMBER && end != m->items[i].text && *end == '\0' && errno == 0;
  }
  return good;
}

/* The text of a member that is one; NULL if it is not. */
static const char *text_of(const gv_json_member *m) {
  return !m->array && m->items[0].kind == GV_JSON_TEXT ? m->items[0].text : NULL;
}

static bool read_fingerprint(const gv_json_member *m, uint64_t *out) {
  const char *text = text_of(m);
  if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16) return false;
  *out = strtoull(text, NULL, 16);
  return true;
}

static bool read_part_sums(const gv_json_member *m, gv_part *part) {
  if (m->count % 3 != 0 || m->count > 3 * GV_JOB_MAX_SUMS) return false;
  part->sum_count = m->count / 3;
  for (int i = 0; i < m->count; i++) {
    gv_sum_totals *s = &part->sums[i / 3];
    char *end;
    double value = strtod(m->items[i].text, &end);
    if (m->items[i].kind != GV_JSON_TEXT || end == m->items[i].text || *end != '\0' || !isfinite(value))
      return false;
    *(i % 3 == 0 ? &s->total : i % 3 == 1 ? &s->inside : &s->bound) = value;
  }
  return true;
}

static bool read_part_options(const gv_json_member *m, char ***options) {
  for (int i = 0; i < m->count; i++) {
    if (m->items[i].kind != GV_JSON_TEXT) return false;
    if (!gv_strings_add(options, m->items[i].text)) return false;
  }
  return true;
}

static bool read_part_run(const gv_json_member *m, gv_part *part) {
  const char *text = text_of(m);
  if (text == NULL) return false;
  part->run = strdup(text);
  return part->run != NULL;
}

static gv_status read_part_member(gv_io *io, void *user, const gv_json_member *m) {
  header *r = user;
  gv_part *p = r->part;
  const char *name = m->name;
  bool good = true;
  if (m->object != NULL) return GV_OK;
  for (size_t i = 0; i < MEMBERS; i++) {
    int64_t list[MOST_INTEGERS] = {0};
    if (strcmp(name, members[i].name) != 0) continue;
    good = read_integers(m, list, members[i].count);
    r->needed++;
    for (int k = 0; k < members[i].count; k++)
      *(int64_t *)((char *)p + members[i].at[k]) = list[k];
  }
  for (size_t i = 0; i < FINGERPRINTS; i++) {
    if (strcmp(name, fingerprints[i].name) != 0) continue;
    good = read_fingerprint(m, (uint64_t *)(void *)((char *)p + fingerprints[i].at));
    r->needed++;
  }
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    if (strcmp(name, raster_names[i]) == 0) good = read_part_options(m, &p->creation[i]);
  if (strcmp(name, "format") == 0) good = read_integers(m, &r->format, 1);
  if (strcmp(name, "sums") == 0) good = read_part_sums(m, p);
  if (strcmp(name, "run") == 0) good = read_part_run(m, p);
  return good ? GV_OK : gv_io_fail(io, GV_ERROR_IO, "%s: damaged: invalid \"%.40s\"", p->path, name);
}

static bool is_within(int64_t at, int64_t bytes, int64_t end) {
  return at >= 0 && bytes >= 0 && bytes <= end - at;
}

/* Checks that the description is consistent and within the file. */
static bool fits(const gv_part *p) {
  bool raster = p->number >= 1 && p->number <= p->parts && p->parts <= GV_JOB_MOST_PARTS && p->width > 0 &&
                p->width <= INT32_MAX && p->height <= INT32_MAX && p->first >= 0 && p->first < p->end &&
                p->end <= p->height && p->block_rows > 0 && p->run != NULL && p->empty >= 0 &&
                p->empty <= p->width * (p->end - p->first) && p->bytes[0] > 0;
  for (int i = 0; i < GV_RUN_RASTERS; i++)
    raster = raster && is_within(p->at[i], p->bytes[i], p->content);
  bool records = p->records >= 0 && p->record_bytes >= 0 && p->record_bytes < CHUNK &&
                 is_within(p->records_at, 0, p->content) && (p->records == 0 || p->record_bytes > 8);
  return raster && records &&
         (p->records == 0 || p->records <= (p->content - p->records_at) / p->record_bytes);
}

static gv_status read_description(gv_io *io, int file, int64_t size, gv_part *part) {
  unsigned char footer[FOOTER];
  bool complete = size > FOOTER && gv_retry_read_at(file, footer, FOOTER, (off_t)(size - FOOTER)) == FOOTER &&
                  memcmp(footer, magic, MAGIC) == 0;
  if (!complete)
    return gv_io_fail(io, GV_ERROR_IO, "%s: invalid or truncated part file; expected a file of --part",
                      part->path);
  uint64_t content = gv_part_number(footer + MAGIC), length = gv_part_number(footer + MAGIC + 8);
  bool sized =
      length <= MOST_JSON && length <= (uint64_t)size - FOOTER && content == (uint64_t)size - FOOTER - length;
  char *json = sized ? malloc(length + 1) : NULL;
  bool good = json != NULL && gv_retry_read_at(file, json, length, (off_t)content) == (ssize_t)length &&
              gv_part_hash(0, json, length) == gv_part_number(footer + MAGIC + 16);
  header r = {.part = part};
  gv_status status = good ? gv_json_read(io, json, length, part->path, "outputs", read_part_member, &r)
                          : gv_io_fail(io, GV_ERROR_IO, "%s: damaged", part->path);
  free(json);
  GV_TRY(status);
  if (r.format != FORMAT) {
    return gv_io_fail(io, GV_ERROR_UNSUPPORTED,
                      "%s: unsupported version of the part file (format %" PRId64
                      "); use the same version of gpuvoronoi",
                      part->path, r.format);
  }
  good = r.needed >= (int)(MEMBERS + FINGERPRINTS) && (uint64_t)part->content == content && fits(part);
  return good ? GV_OK : gv_io_fail(io, GV_ERROR_IO, "%s: damaged", part->path);
}

static gv_status open_file(gv_io *io, const char *path, int *file, int64_t *size) {
  struct stat found;
  *file = gv_retry_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0); /* a pipe would wait for a writer */
  if (*file < 0) return gv_io_fail(io, GV_ERROR_IO, "part %s: cannot read: %s", path, strerror(errno));
  if (fstat(*file, &found) == 0 && S_ISREG(found.st_mode)) {
    *size = (int64_t)found.st_size;
    return GV_OK;
  }
  close(*file);
  return gv_io_fail(io, GV_ERROR_IO, "part %s: not a regular file", path);
}

gv_status gv_part_open(gv_io *io, const char *path, gv_part *out) {
  int file = -1;
  int64_t size = 0;
  out->path = strdup(path);
  if (out->path == NULL) return gv_io_fail_memory(io, "a file name");
  GV_TRY(open_file(io, path, &file, &size));
  gv_status status = read_description(io, file, size, out);
  close(file);
  return status;
}

gv_status gv_part_run(gv_io *io, const gv_part *part, gv_description *out) {
  char *directory = gv_path_parent(part->path);
  if (directory == NULL) return gv_io_fail_memory(io, "a file name");
  gv_status status = gv_description_parse(io, part->run, strlen(part->run), part->path, directory, true, out);
  free(directory);
  return status;
}

gv_status gv_part_check(gv_io *io, const gv_part *part, bool rasters) {
  const int64_t ends[] = {0, part->records_at, part->content};
  int file = -1;
  int64_t size = 0;
  GV_TRY(open_file(io, part->path, &file, &size));
  gv_status status = GV_OK;
  for (int i = rasters ? 0 : 1; i < 2 && status == GV_OK; i++) {
    uint64_t found = 0;
    status = fingerprint(io, part->path, file, ends[i], ends[i + 1], &found);
    if (status == GV_OK && found != part->fingerprints[i]) {
      status = gv_io_fail(io, GV_ERROR_IO, "%s: damaged: its checksum differs", part->path);
    }
  }
  close(file);
  return status;
}

gv_status gv_part_records(gv_io *io, const gv_part *part, gv_part_take_fn take, void *user) {
  int file = -1;
  int64_t size = 0, together = part->record_bytes > 0 ? 1 + CHUNK / part->record_bytes : 1;
  if (part->records == 0) return GV_OK;
  GV_TRY(open_file(io, part->path, &file, &size));
  unsigned char *bytes = malloc((size_t)(together * part->record_bytes));
  gv_status status = bytes != NULL ? GV_OK : gv_io_fail_memory(io, "the statistics");
  for (int64_t i = 0; i < part->records && status == GV_OK; i += together) {
    int64_t count = part->records - i < together ? part->records - i : together;
    ssize_t wanted = (ssize_t)(count * part->record_bytes);
    off_t at = (off_t)(part->records_at + i * part->record_bytes);
    if (gv_retry_read_at(file, bytes, (size_t)wanted, at) != wanted) {
      status = gv_io_fail(io, GV_ERROR_IO, "%s: truncated", part->path);
    }
    for (int64_t k = 0; k < count && status == GV_OK; k++)
      status = take(io, user, bytes + k * part->record_bytes);
  }
  free(bytes);
  close(file);
  return status;
}

char *gv_part_raster(const gv_part *part, int raster, const char *path) {
  gv_text name = {0};
  char place[80];
  snprintf(place, sizeof place, "/vsisubfile/%" PRId64 "_%" PRId64 ",", part->at[raster],
           part->bytes[raster]);
  gv_text_put_string(&name, place);
  gv_text_put_string(&name, path);
  return gv_text_take(&name);
}
