/* Part files: reading returns what was written, and each check rejects a file that only this check can
 * detect. */
#include "cmocka_test.h"
#include "gpuvoronoi/geometries.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gdal.h>

#include "job/description/description.h"
#include "job/raster/parts/part_file.h"

enum { IDS = 5000, RECORDS = 7, RECORD = 24, MAX_JSON = 4096 };

static char folder[] = "/tmp/gpuvoronoi-test-XXXXXX", path[64], other[64];

static int set_up(void **state) {
  (void)state;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/p.tif", folder);
  snprintf(other, sizeof other, "%s/q.tif", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  unlink(path);
  unlink(other);
  return rmdir(folder);
}

static void write_bytes(const char *to, const void *bytes, size_t count) {
  FILE *file = fopen(to, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

/* ----------------------------------------------------------------------------------------- there and back */

static gv_status put_record(gv_io *io, void *user, int64_t record, unsigned char *to) {
  (void)io;
  (void)user;
  memset(to, (int)record, RECORD);
  return GV_OK;
}

static gv_status take_record(gv_io *io, void *user, const unsigned char *record) {
  int *count = user;
  (void)io;
  for (int i = 0; i < RECORD; i++)
    assert_int_equal(record[i], *count);
  ++*count;
  return GV_OK;
}

/* A part file with 5000 bytes for the ids, 300 for the distances, and records. */
static gv_part write_part(void) {
  static unsigned char bytes[IDS];
  gv_io io = {.cancelled = NULL};
  gv_part part = {.path = strdup(path),
                  .number = 2,
                  .parts = 3,
                  .width = 100,
                  .height = 60,
                  .first = 20,
                  .end = 40,
                  .block_rows = 20,
                  .grid = UINT64_C(0x0123456789abcdef),
                  .seeds = UINT64_MAX,
                  .mask_bytes = -1,
                  .empty = 11,
                  .sum_count = 1,
                  .records = RECORDS,
                  .record_bytes = RECORD,
                  .run = strdup("{\"seeds\": \"s.csv\"}")};
  part.sums[0] = (gv_sum_totals){0.1, 1e-300, 3.0};
  const char *const files[GV_RUN_RASTERS] = {path, other, NULL};
  for (int i = 0; i < IDS; i++)
    bytes[i] = (unsigned char)(i * 7);
  write_bytes(path, bytes, IDS);
  write_bytes(other, bytes, 300);
  assert_int_equal(gv_part_write(&io, path, files, &part, put_record, NULL), GV_OK);
  return part;
}

static void a_part_is_read_as_it_was_written(void **state) {
  (void)state;
  gv_part part = write_part(), read = {0};
  gv_io io = {.cancelled = NULL};
  int count = 0;
  assert_int_equal(gv_part_open(&io, path, &read), GV_OK);
  assert_true(read.number == 2 && read.parts == 3 && read.width == 100 && read.height == 60 &&
              read.first == 20);
  assert_true(read.end == 40 && read.block_rows == 20 && read.mask_bytes == -1 && read.empty == 11);
  assert_true(read.grid == part.grid && read.seeds == part.seeds && read.sum_count == 1);
  assert_memory_equal(&read.sums[0], &part.sums[0], sizeof part.sums[0]);
  /* all 64 bits are kept */
  assert_true(read.fingerprints[0] > UINT32_MAX && read.fingerprints[1] > UINT32_MAX);
  assert_true(read.bytes[0] == IDS && read.bytes[1] == 300 && read.bytes[2] == 0 && read.at[1] % 4096 == 0);
  assert_int_equal(gv_part_check(&io, &read, true), GV_OK);
  assert_int_equal(gv_part_records(&io, &read, take_record, &count), GV_OK);
  assert_int_equal(count, RECORDS);
  gv_description description = {0};
  assert_int_equal(gv_part_run(&io, &read, &description), GV_OK);
  assert_int_equal(description.count, 1);
  gv_description_free(&description);
  gv_part_free(&read);
  gv_part_free(&part);
}

/* ------------------------------------------------------------------------------------------- forged parts */

/* What a forged file has otherwise than a good one. */
typedef struct forgery {
  const char *magic;
  int64_t content;  /* start of the description according to the footer */
  int64_t gap;      /* bytes between description and footer */
  uint64_t changed; /* bits of the description's hash */
} forgery;

static gv_status open_with(const char *json, forgery f, gv_io *io) {
  size_t length = strlen(json), size = IDS + length + (size_t)f.gap + 32;
  unsigned char *bytes = calloc(1, size), *footer = bytes + size - 32;
  assert_non_null(bytes);
  memcpy(bytes + IDS, json, length);
  memcpy(footer, f.magic, 8);
  gv_part_put_number(footer + 8, (uint64_t)f.content);
  gv_part_put_number(footer + 16, length);
  gv_part_put_number(footer + 24, gv_part_hash(0, json, length) ^ f.changed);
  write_bytes(path, bytes, size);
  free(bytes);
  gv_part part = {0};
  *io = (gv_io){.cancelled = NULL};
  gv_status status = gv_part_open(io, path, &part);
  gv_part_free(&part);
  return status;
}

/* Bytes, a description and a footer with a valid hash. */
static gv_status open_forged(const char *json, int64_t content, gv_io *io) {
  return open_with(json, (forgery){.magic = "GVPART\r\n", .content = content}, io);
}

static const char *const members[][3] = {{"format", "[3]"},
                                         {"part", "[2, 3]"},
                                         {"size", "[100, 60]"},
                                         {"rows", "[20, 40, 20]"},
                                         {"empty", "[0]"},
                                         {"mask", "[-1]"},
                                         {"at", "[0, 0, 0]"},
                                         {"bytes", "[4000, 0, 0]"},
                                         {"records", "[10, 4000, 100]"},
                                         {"content", "[5000]"},
                                         {"fingerprint", "\"0000000000000000\""},
                                         {"sums' fingerprint", "\"0000000000000000\""},
                                         {"grid", "\"0123456789abcdef\""},
                                         {"seeds", "\"ffffffffffffffff\""},
                                         {"sums", "[\"0x1p0\", \"0x0p0\", \"0x1p-1\"]"},
                                         {"ids", "[\"COMPRESS=ZSTD\"]"},
                                         {"run", "\"{}\""}};

/* The description of a good part, with another value of a member (NULL: without that member). */
static const char *description(const char *changed, const char *value) {
  static char json[MAX_JSON];
  size_t at = 0;
  json[at++] = '{';
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    bool is = changed != NULL && strcmp(members[i][0], changed) == 0;
    if (is && value == NULL) continue;
    at += (size_t)snprintf(json + at, sizeof json - at, "%s\"%s\": %s", at > 1 ? ", " : "", members[i][0],
                           is ? value : members[i][1]);
  }
  snprintf(json + at, sizeof json - at, "}");
  return json;
}

static void each_check_refuses_what_only_it_can(void **state) {
  static const char *const bad[][2] = {/* numbers within the description */
                                       {"part", "[0, 3]"},
                                       {"part", "[4, 3]"},
                                       {"part", "[2, 1000001]"},
                                       {"size", "[0, 60]"},
                                       {"size", "[4294967296, 60]"},
                                       {"size", "[100, 4294967296]"},
                                       {"rows", "[-1, 40, 20]"},
                                       {"rows", "[40, 40, 20]"},
                                       {"rows", "[20, 61, 20]"},
                                       {"rows", "[20, 40, 0]"},
                                       {"empty", "[-1]"},
                                       {"empty", "[2001]"},
                                       /* places within the file */
                                       {"at", "[-1, 0, 0]"},
                                       {"at", "[5001, 0, 0]"},
                                       {"at", "[1001, 0, 0]"},
                                       {"at", "[0, 5001, 0]"},
                                       {"at", "[0, 0, -9]"},
                                       {"bytes", "[0, 0, 0]"},
                                       {"bytes", "[-1, 0, 0]"},
                                       {"bytes", "[5001, 0, 0]"},
                                       {"bytes", "[4000, 5001, 0]"},
                                       {"bytes", "[4000, 0, 9223372036854775807]"},
                                       {"bytes", "[4000, -1, 0]"},
                                       {"records", "[-1, 4000, 100]"},
                                       {"records", "[0, 4000, -100]"},
                                       {"records", "[11, 4000, 100]"},
                                       {"records", "[10, -1, 100]"},
                                       {"records", "[10, 5001, 100]"},
                                       {"records", "[10, 4000, 101]"},
                                       {"records", "[10, 4000, -100]"},
                                       {"records", "[10, 4000, 8]"},
                                       {"records", "[0, 0, 1048576]"},
                                       {"records", "[184467440737095517, 4000, 100]"},
                                       {"content", "[4999]"},
                                       {"content", "[5001]"},
                                       /* kinds of values */
                                       {"format", "[]"},
                                       {"format", "[1]"},
                                       {"format", "[\"3\"]"},
                                       {"part", "[2]"},
                                       {"part", "[2, 3, 4]"},
                                       {"part", "[2.5, 3]"},
                                       {"part", "[2, 1e1]"},
                                       {"empty", "[99999999999999999999]"},
                                       {"mask", "[99999999999999999999]"},
                                       {"run", "[]"},
                                       {"run", "7"},
                                       {"run", "[\"{}\"]"},
                                       {"run", NULL},
                                       {"grid", "\"0123456789abcdeg\""},
                                       {"grid", "\"0\""},
                                       {"grid", "\"0000000000000000 \""},
                                       {"seeds", "[]"},
                                       {"fingerprint", "5"},
                                       {"ids", "[1]"},
                                       {"sums", "[\"0x1p0\", \"0x0p0\"]"},
                                       {"sums", "[\"nan\", \"0x0p0\", \"0x1p0\"]"},
                                       {"sums", "[\"inf\", \"0x0p0\", \"0x1p0\"]"},
                                       {"sums", "[\"0x1p0 \", \"0x0p0\", \"0x1p0\"]"},
                                       {"sums", "[1, 2, 3]"},
                                       {"sums", "[\"\", \"0x0p0\", \"0x1p0\"]"}};
  gv_io io;
  (void)state;
  assert_int_equal(open_forged(description(NULL, NULL), IDS, &io), GV_OK);
  assert_int_equal(open_forged(description("empty", "[2000]"), IDS, &io), GV_OK);
  assert_int_equal(open_forged(description("at", "[1000, 5000, 0]"), IDS, &io), GV_OK);
  assert_int_equal(open_forged(description("records", "[0, 5000, 0]"), IDS, &io), GV_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (open_forged(description(bad[i][0], bad[i][1]), IDS, &io) != GV_OK) {
      assert_true(io.message[0] != '\0' && strchr(io.message, '\n') == NULL);
      continue;
    }
    fail_msg("taken: \"%s\": %s", bad[i][0], bad[i][1] != NULL ? bad[i][1] : "nothing");
  }
}

static void members_that_every_part_has_are_needed(void **state) {
  gv_io io;
  (void)state;
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    bool optional = strcmp(members[i][0], "sums") == 0 || strcmp(members[i][0], "ids") == 0;
    assert_int_equal(open_forged(description(members[i][0], NULL), IDS, &io) == GV_OK, optional);
  }
}

static void sums_beyond_the_most_are_refused(void **state) {
  static char list[MAX_JSON / 2];
  gv_io io;
  (void)state;
  for (int extra = 0; extra < 2; extra++) {
    size_t at = 0;
    for (int i = 0; i < 3 * (GV_JOB_MAX_SUMS + extra); i++)
      at += (size_t)snprintf(list + at, sizeof list - at, "%s\"0\"", i > 0 ? "," : "[");
    assert_true(at + 2 < sizeof list);
    strcpy(list + at, "]");
    assert_int_equal(open_forged(description("sums", list), IDS, &io) == GV_OK, extra == 0);
  }
}

static void footers_must_fit(void **state) {
  static const char magic[] = "GVPART\r\n";
  gv_io io;
  (void)state;
  const int64_t places[] = {0, IDS - 1, IDS + 1, -1, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    assert_int_not_equal(open_forged(description(NULL, NULL), places[i], &io), GV_OK);
  const forgery bad[] = {{.magic = "GVPART\n\n", .content = IDS},
                         {.magic = magic, .content = IDS, .gap = 1},
                         {.magic = magic, .content = IDS, .changed = 1},
                         {.magic = magic, .content = IDS, .changed = UINT64_C(1) << 63}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(open_with(description(NULL, NULL), bad[i], &io), GV_ERROR_IO);
}

/* They may have 16 MiB, with blanks behind the object. */
static void long_descriptions_are_refused(void **state) {
  enum { MOST = 16 << 20 };
  const char *json = description(NULL, NULL);
  char *text = malloc(MOST + 2);
  gv_io io;
  (void)state;
  assert_non_null(text);
  for (int extra = 0; extra < 2; extra++) {
    memset(text, ' ', MOST + 2);
    memcpy(text, json, strlen(json));
    text[MOST + extra] = '\0';
    assert_int_equal(open_forged(text, IDS, &io) == GV_OK, extra == 0);
    if (extra == 1) assert_non_null(strstr(io.message, ": damaged")); /* before it is read as JSON */
  }
  free(text);
}

/* A file that ends within its footer, or has only a footer. */
static void short_files_are_refused(void **state) {
  unsigned char footer[32] = "GVPART\r\n";
  (void)state;
  gv_part_put_number(footer + 24, gv_part_hash(0, footer, 0));
  for (size_t size = 0; size <= sizeof footer; size++) {
    gv_io io = {.cancelled = NULL};
    gv_part part = {0};
    write_bytes(path, footer, size);
    assert_int_equal(gv_part_open(&io, path, &part), GV_ERROR_IO);
    assert_non_null(strstr(io.message, "invalid or truncated part file"));
    gv_part_free(&part);
  }
}

static void every_byte_that_is_read_is_checked(void **state) {
  (void)state;
  gv_part part = write_part();
  const int64_t bytes[] = {0, part.at[1] + 5, part.records_at, part.content - 1};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    FILE *file = fopen(path, "r+b");
    assert_true(file != NULL && fseek(file, (long)bytes[i], SEEK_SET) == 0);
    int byte = fgetc(file);
    assert_true(fseek(file, (long)bytes[i], SEEK_SET) == 0 && fputc(byte ^ 1, file) >= 0 &&
                fclose(file) == 0);
    gv_io io = {.cancelled = NULL};
    assert_int_not_equal(gv_part_check(&io, &part, true), GV_OK);
    bool of_records = bytes[i] >= part.records_at;
    assert_int_equal(gv_part_check(&io, &part, false) != GV_OK, of_records);
    file = fopen(path, "r+b");
    assert_true(file != NULL && fseek(file, (long)bytes[i], SEEK_SET) == 0 && fputc(byte, file) >= 0);
    assert_int_equal(fclose(file), 0);
  }
  gv_part_free(&part);
}

static void only_regular_files_are_read(void **state) {
  gv_io io = {.cancelled = NULL};
  (void)state;
  assert_int_equal(mkfifo(path, 0600), 0);
  const char *const names[] = {path, folder, "/dev/zero"};
  for (int i = 0; i < 3; i++) { /* a pipe without a writer must not be waited for */
    gv_part part = {0};
    assert_int_equal(gv_part_open(&io, names[i], &part), GV_ERROR_IO);
    assert_non_null(strstr(io.message, "not a regular file"));
    gv_part_free(&part);
  }
}

static void checksums_go_on(void **state) {
  (void)state;
  const uint64_t published = UINT64_C(0x85944171f73967e8); /* of FNV-1a in 64 bits */
  assert_true(gv_part_hash(0, "foobar", 6) == published);
  assert_true(gv_part_hash(gv_part_hash(0, "foo", 3), "bar", 3) == published);
  assert_true(gv_part_hash(gv_part_hash(0, "foobar", 6), NULL, 0) == published);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checksums_go_on),
      cmocka_unit_test_setup_teardown(a_part_is_read_as_it_was_written, set_up, tear_down),
      cmocka_unit_test_setup_teardown(each_check_refuses_what_only_it_can, set_up, tear_down),
      cmocka_unit_test_setup_teardown(members_that_every_part_has_are_needed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(sums_beyond_the_most_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(footers_must_fit, set_up, tear_down),
      cmocka_unit_test_setup_teardown(long_descriptions_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(short_files_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_byte_that_is_read_is_checked, set_up, tear_down),
      cmocka_unit_test_setup_teardown(only_regular_files_are_read, set_up, tear_down)};
  CPLSetErrorHandler(gv_io_take_message);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
