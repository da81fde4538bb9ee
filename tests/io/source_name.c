/* Connection strings without their secrets; names of files and what GDAL says left as they are. */
#include "cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/source_name.h"

typedef struct example {
  const char *given, *expected;
} example;

static const example sources[] = {
    /* libpq: keywords and values */
    {"PG:host=h dbname=d password=geheim", "PG:host=h dbname=d password=***"},
    {"PG:password=geheim host=h", "PG:password=*** host=h"},
    {"PG:host=h PASSWORD=geheim dbname=d", "PG:host=h PASSWORD=*** dbname=d"},
    {"PG:host=h password = geheim dbname=d", "PG:host=h password = *** dbname=d"},
    {"PG:host=h password\t=\tgeheim dbname=d", "PG:host=h password\t=\t*** dbname=d"},
    {"PG:host=h password='ge heim' dbname=d", "PG:host=h password=*** dbname=d"},
    {"PG:host=h password='ge\\' heim=' dbname=d", "PG:host=h password=*** dbname=d"},
    {"PG:host=h password='ge'' heim=' dbname=d", "PG:host=h password=*** dbname=d"},
    {"PG:host=h password=ge\\ heim dbname=d", "PG:host=h password=*** dbname=d"},
    {"PG:host=h password=ge heim dbname=d", "PG:host=h password=*** dbname=d"},
    {"PG:host=h password='ge heim", "PG:host=h password=***"},
    {"PG:host=h password=ge;h,ei/m&x dbname=d", "PG:host=h password=*** dbname=d"},
    {"PG:host=h password=\"geheim\" dbname=d", "PG:host=h password=*** dbname=d"},
    {"PG:host=h password='' dbname=d", "PG:host=h password=*** dbname=d"},
    {"PG:host=h password=/geheim/x dbname=/d", "PG:host=h password=*** dbname=/d"},
    {"PG:host=h sslpassword=geheim passfile=/home/me/pw sslmode=require",
     "PG:host=h sslpassword=*** passfile=*** sslmode=require"},
    {"PG:dbname='a' user='me' password='geheim' tables=a,b(c)",
     "PG:dbname='a' user='me' password=*** tables=a,b(c)"},
    {"pg:dbname=a password=geheim", "pg:dbname=a password=***"},
    {"dbname=a password=geheim", "dbname=a password=***"},
    {"PG:service=s", "PG:service=s"},
    {"PG:host=h dbname=password", "PG:host=h dbname=password"},
    /* URLs */
    {"postgresql://me:geheim@h:5432/d?password=auch&sslmode=require",
     "postgresql://me:***@h:5432/d?password=***&sslmode=require"},
    {"PG:postgresql://me:ge%20heim@h/d", "PG:postgresql://me:***@h/d"},
    {"PG:postgres://me:ge@heim@h/d", "PG:postgres://me:***@h/d"},
    {"PG:postgres://me:ge/heim@h/d", "PG:postgres://me:***@h/d"},
    {"PG:postgresql://me@h/d", "PG:postgresql://me@h/d"},
    {"PG:postgresql://h:5432/d?application_name=a@b", "PG:postgresql://h:5432/d?application_name=a@b"},
    {"https://me:geheim@h/a.geojson?token=abc&x=1&X-Amz-Credential=AK%2Fx&X-Amz-Signature=f00#top",
     "https://me:***@h/a.geojson?token=***&x=1&X-Amz-Credential=***&X-Amz-Signature=***#top"},
    {"http://geheim@h/a.geojson", "http://***@h/a.geojson"},
    {"https://h:8080/a@b/c.geojson?mail=a@b", "https://h:8080/a@b/c.geojson?mail=a@b"},
    {"https://[::1]/a@b", "https://[::1]/a@b"},
    {"https://h/a.json?key=abc&sv=1&sig=a%2Bb%3D", "https://h/a.json?key=***&sv=1&sig=***"},
    {"/vsicurl/https://me:geheim@h/a.tif?access_token=abc", "/vsicurl/https://me:***@h/a.tif?access_token=***"},
    {"/vsicurl?max_retry=2&url=https%3A%2F%2Fme%3Ageheim%40h%2Fa.tif%3Fa%3D1%26token%3Dabc",
     "/vsicurl?max_retry=2&url=https://me:***@h/a.tif?a=1%26token=***"},
    {"/vsicurl?header.Authorization=Bearer%20geheim&url=https%3A%2F%2Fh%2Fa",
     "/vsicurl?header.Authorization=***&url=https%3A%2F%2Fh%2Fa"},
    {"/vsizip//vsicurl/https://h/a.zip?token=abc/x.shp", "/vsizip//vsicurl/https://h/a.zip?token=***"},
    {"WFS:https://me:geheim@h/wfs?service=WFS&apikey=abc", "WFS:https://me:***@h/wfs?service=WFS&apikey=***"},
    {"ES:http://me:geheim@h:9200", "ES:http://me:***@h:9200"},
    {"MONGODBV3:mongodb://me:geheim@a:1,b:2/d", "MONGODBV3:mongodb://me:***@a:1,b:2/d"},
    /* other databases and services */
    {"MYSQL:db,password=geheim,user=me,tables=a", "MYSQL:db,password=***,user=me,tables=a"},
    {"MYSQL:db,user=me,password=ge heim;x&y", "MYSQL:db,user=me,password=***"},
    {"MSSQL:server=h;database=d;UID=me;PWD=geheim;Trusted_Connection=no",
     "MSSQL:server=h;database=d;UID=me;PWD=***;Trusted_Connection=no"},
    {"MSSQL:server=h;Password={ge;h}}eim};UID=me", "MSSQL:server=h;Password=***;UID=me"},
    {"MSSQL:PWD=ge heim, x;server=h", "MSSQL:PWD=***;server=h"},
    {"ODBC:me/geheim@dsn,table", "ODBC:me/***@dsn,table"},
    {"ODBC:me/ge@heim@dsn", "ODBC:me/***@dsn"},
    {"ODBC:DRIVER={X};DBQ=/a@b;PWD=geheim;", "ODBC:DRIVER={X};DBQ=/a@b;PWD=***;"},
    {"ODBC:dsn,a,b", "ODBC:dsn,a,b"},
    {"OCI:me/geheim@//h:1521/d:table", "OCI:me/***@//h:1521/d:table"},
    {"OCI:me/geheim:table", "OCI:me/***:table"},
    {"OCI:/@db", "OCI:/@db"},
    {"geor:me,geheim,db,table", "geor:me,***,db,table"},
    {"geor:me/geheim@db,table", "geor:me/***@db,table"},
    {"HANA:\"DRIVER=D;HOST=h;PASSWORD=ge heim;SCHEMA=s\"", "HANA:\"DRIVER=D;HOST=h;PASSWORD=***;SCHEMA=s\""},
    {"AmigoCloud:1234 datasets=5 AUTH_KEY=geheim", "AmigoCloud:1234 datasets=5 AUTH_KEY=***"},
    {"CARTO:me CARTO_API_KEY=geheim tables=a", "CARTO:me CARTO_API_KEY=*** tables=a"},
    {"PLMosaic:mosaic=m,api_key=geheim,x=1", "PLMosaic:mosaic=m,api_key=***,x=1"},
    /* data sets as text */
    {"<OGRVRTDataSource><OGRVRTLayer name=\"a\"><OpenOptions><OOI key=\"PASSWORD\">geheim</OOI></OpenOptions>"
     "<SrcDataSource>PG:host=h password=geheim</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>",
     "<OGRVRTDataSource><OGRVRTLayer name=\"a\"><OpenOptions><OOI key=\"PASSWORD\">***</OOI></OpenOptions>"
     "<SrcDataSource>PG:host=h password=***</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"},
    {"<GDAL_WMS><ServerUrl>https://h/?a=1&amp;token=abc&amp;b=2</ServerUrl><UserPwd>me:geheim</UserPwd></GDAL_WMS>",
     "<GDAL_WMS><ServerUrl>https://h/?a=1&amp;token=***&amp;b=2</ServerUrl><UserPwd>***</UserPwd></GDAL_WMS>"},
    {"<S>PG:password=&apos;ge heim&apos; host=h</S>", "<S>PG:password=*** host=h</S>"},
    {"<x password=\"geheim\" user=\"me\"/>", "<x password=*** user=\"me\"/>"},
    {"{\"type\": \"x\", \"password\": \"ge\\\"heim\", \"user\": \"me\"}",
     "{\"type\": \"x\", \"password\": ***, \"user\": \"me\"}"},
    {"{\"source\":\"PG:host=h password=geheim\",\"open_options\":[\"PASSWORD=ge heim\",\"A=1\"]}",
     "{\"source\":\"PG:host=h password=***\",\"open_options\":[\"PASSWORD=***\",\"A=1\"]}"},
    {"{\"header\":\"Authorization: Bearer geheim\",\"a\":1}", "{\"header\":\"Authorization: ***\",\"a\":1}"},
    {"{\"c\":\"PG:password='ge \\\\' heim' host=h\"}", "{\"c\":\"PG:password=*** host=h\"}"},
    /* files, there or not */
    {"a.csv", "a.csv"},
    {"/data/my password=1.csv", "/data/my password=1.csv"},
    {"password=1.csv", "password=1.csv"},
    {"/vsizip/my password=1.zip/a.csv", "/vsizip/my password=1.zip/a.csv"},
    {"C:\\token=1\\a.csv", "C:\\token=1\\a.csv"},
    {"GPKG:/data/a.gpkg:b", "GPKG:/data/a.gpkg:b"},
    {"", ""},
};

static void check(char *got, const char *expected) {
  assert_non_null(got);
  assert_string_equal(got, expected);
  free(got);
}

static void test_sources(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    check(gv_source_name(sources[i].given), sources[i].expected);
    check(gv_source_name(sources[i].expected), sources[i].expected);
  }
}

static void test_titles(void **state) {
  static const example titles[] = {
      {"a.csv", "a.csv"},
      {"/data/my password=1.csv", "my password=1.csv"},
      {"/vsicurl/https://h/a/b.gpkg?token=a/b", "b.gpkg?token=***"},
      {"/vsizip/a.zip/b.shp", "b.shp"},
      {"/vsicurl?url=https%3A%2F%2Fh%2Fa", "/vsicurl?url=https%3A%2F%2Fh%2Fa"},
      {"PG:host=/run/x dbname=d password=a/b", "PG:host=/run/x dbname=d password=***"},
      {"https://h/a/b.geojson?token=a", "https://h/a/b.geojson?token=***"},
      {"<V><S>/a/b.csv</S></V>", "<V><S>/a/b.csv</S></V>"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    check(gv_source_title(titles[i].given), titles[i].expected);
}

/* A file's name is one whatever is around it. */
static void test_files_that_are_there(void **state) {
  char path[] = "/tmp/source name password=ge token=x-XXXXXX", text[200];
  (void)state;
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  static const char *const patterns[] = {"GPKG:%s:a", "NETCDF:\"%s\":a", "/vsizip/{%s}/a", "{\"source\":\"%s\"}"};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    int length = snprintf(text, sizeof text, patterns[i], path);
    assert_true(length > 0 && (size_t)length < sizeof text);
    check(gv_source_name(text), text);
  }
  snprintf(text, sizeof text, "`%s' not recognized as a supported file format", path);
  check(gv_clean_foreign_message(text), text);
  snprintf(text, sizeof text, "GPKG:%s:a", path);
  check(gv_source_title(text), strrchr(text, '/') + 1);
  snprintf(text, sizeof text, "NETCDF:\"%s\":a", path);
  check(gv_source_title(text), strrchr(text, '/') + 1);
  unlink(path);
}

static void test_messages(void **state) {
  static const char source[] = "PG:host=h password='ge h%eim' dbname=seeds";
  (void)state;
  gv_source_remember(source);
  gv_source_remember("out password=3.tif");
  gv_source_remember("/vsicurl/https://me:xyz@h/a.tif?token=q1");
  /* Ours: nothing but the sources. */
  check(gv_clean_message("seeds: cannot read PG:host=h password='ge h%eim' dbname=seeds: no"),
        "seeds: cannot read PG:host=h password=*** dbname=seeds: no");
  check(gv_clean_message("cannot read PG:host=h password='ge: why"),
        "cannot read PG:host=h password=*** dbname=seeds: why");
  check(gv_clean_message("cannot read PG:host=h: why"), "cannot read PG:host=h: why");
  check(gv_clean_message("--where: cannot use 'token = 5'"), "--where: cannot use 'token = 5'");
  check(gv_clean_message("cannot write out password=3.tif"), "cannot write out password=3.tif");
  /* GDAL's: parts of them, too, and what comes from elsewhere. */
  static const example foreign[] = {
      {"Unable to open PG:host=h password='ge h%eim' dbname=seeds.",
       "Unable to open PG:host=h password=*** dbname=seeds."},
      {"missing \"=\" after \"h%eim\" in it", "missing \"=\" after \"***\" in it"},
      {"URL https://me:xyz@h/a.tif?token=q1&x=1", "URL https://me:***@h/a.tif?token=***&x=1"},
      {"fetch of ge%20h%25eim failed", "fetch of *** failed"},
      {"cut: ge h%ei", "cut: ***"},
      {"out password=3.tif: no space", "out password=3.tif: no space"},
      {"PQconnectdb failed: PG:host=other password=geheim user=me",
       "PQconnectdb failed: PG:host=other password=*** user=me"},
      {"HTTP error 403 on https://a:b@c/d?sig=123", "HTTP error 403 on https://a:***@c/d?sig=***"},
      {"password authentication failed for user \"me\"", "password authentication failed for user \"me\""},
      {"connection to server at \"127.0.0.1\", port 1 failed",
       "connection to server at \"127.0.0.1\", port 1 failed"},
  };
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    check(gv_clean_foreign_message(foreign[i].given), foreign[i].expected);
  gv_source_forget();
  check(gv_clean_message("cannot read PG:host=h password='ge: why"), "cannot read PG:host=h password='ge: why");
  check(gv_clean_foreign_message("fetch of h%eim failed"), "fetch of h%eim failed");
}

/* Values in values in values: each would be decoded with all that follow it. */
static void test_values_in_values(void **state) {
  enum { VALUES = 60, DEPTH = 20 };
  char text[64 + 3 * VALUES + 2 * DEPTH] = "/vsicurl/https://h/a";
  (void)state;
  for (int i = 0; i < VALUES; i++)
    strcat(text, "?a=");
  strcat(text, "%");
  for (int i = 0; i < DEPTH; i++)
    strcat(text, "25");
  strcat(text, "x&token=geheim");
  char *name = gv_source_name(text), *message = gv_clean_foreign_message(text);
  assert_non_null(name);
  assert_non_null(message);
  assert_null(strstr(name, "geheim"));
  assert_null(strstr(message, "geheim"));
  free(name);
  free(message);
}

/* Each might be a file's name, in many ways. */
static void test_many_values(void **state) {
  enum { VALUES = 4000 };
  char *text = malloc(16 + 5 * VALUES), *end = text;
  (void)state;
  assert_non_null(text);
  end = stpcpy(end, "PG:");
  for (int i = 0; i < VALUES; i++)
    end = stpcpy(end, "pw=a ");
  char *name = gv_source_name(text);
  assert_non_null(name);
  assert_null(strstr(name, "=a"));
  free(name);
  free(text);
}

/* Whatever is read, in whole or cut anywhere, is read within its bounds. */
static void test_cut_anywhere(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    for (size_t length = 0; length < strlen(sources[i].given); length++) {
      char *cut = strndup(sources[i].given, length);
      assert_non_null(cut);
      char *name = gv_source_name(cut), *message = gv_clean_foreign_message(cut);
      assert_true(name != NULL && message != NULL);
      free(name);
      free(message);
      free(cut);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sources),
      cmocka_unit_test(test_titles),
      cmocka_unit_test(test_files_that_are_there),
      cmocka_unit_test(test_messages),
      cmocka_unit_test(test_values_in_values),
      cmocka_unit_test(test_many_values),
      cmocka_unit_test(test_cut_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
