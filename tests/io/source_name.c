/* Sources are shown as paths or as "DRIVER:***"; secrets of sources and open options are in no message. */
#include "cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/source_name.h"

typedef struct example {
  const char *given, *expected;
} example;

static const example sources[] = {
    /* paths, there or not */
    {"a.csv", "a.csv"},
    {"/data/a b/ü.csv", "/data/a b/ü.csv"},
    {"C:\\data\\a.csv", "C:\\data\\a.csv"},
    {"C:/data/a.csv", "C:/data/a.csv"},
    {"/vsizip/a.zip/b.shp", "/vsizip/a.zip/b.shp"},
    {"/vsizip/{/data/a.zip}/b.shp", "/vsizip/{/data/a.zip}/b.shp"},
    {"/vsicurl/https://h/a.tif", "/vsicurl/https://h/a.tif"},
    {"/vsis3/bucket/a.tif", "/vsis3/bucket/a.tif"},
    {"NETCDF:\"/data/a.nc\":t", "NETCDF:\"/data/a.nc\":t"},
    {"GPKG:/data/a.gpkg:b", "GPKG:/data/a.gpkg:b"},
    {"VORONOI:a.csv", "VORONOI:a.csv"},
    {"", ""},
    /* everything else */
    {"PG:host=h dbname=d password=geheim", "PG:***"},
    {"PG:service=s", "PG:***"},
    {"pg:dbname=a password=geheim", "pg:***"},
    {"dbname=a password=geheim", "***"},
    {"postgresql://me:geheim@h:5432/d", "postgresql:***"},
    {"https://h/a.geojson", "https:***"},
    {"https://me:geheim@h/a.geojson?token=abc", "https:***"},
    {"/vsicurl/https://me:geheim@h/a.tif", "/vsicurl/***"},
    {"/vsicurl/https://h/a.tif?token=geheim", "/vsicurl/***"},
    {"/vsicurl?url=https%3A%2F%2Fme%3Ageheim%40h%2Fa.tif", "/vsicurl?***"},
    {"WFS:https://h/wfs", "WFS:***"},
    {"ODBC:me/geheim@dsn,table", "ODBC:***"},
    {"OCI:me/geheim:table", "OCI:***"},
    {"geor:me,geheim,db,table", "geor:***"},
    {"NETCDF:https://me:geheim@h/a.nc", "NETCDF:***"},
    {"VORONOI:{\"seeds\": \"PG:password=geheim\"}", "VORONOI:***"},
    {"<OGRVRTDataSource><OOI key=\"PASSWORD\">geheim</OOI></OGRVRTDataSource>", "***"},
    {"{\"type\": \"x\", \"password\": \"geheim\"}", "***"},
    {"my password=1.csv", "***"},
};

/* Forms of secrets in connection strings, URLs, JSON and XML: "geheim" is in each. */
static const char *const forms[] = {
    "PG:host=h dbname=d password=geheim",
    "PG:password=geheim host=h",
    "PG:host=h PASSWORD=geheim dbname=d",
    "PG:host=h password = geheim dbname=d",
    "PG:host=h password\t=\tgeheim dbname=d",
    "PG:host=h password=\"geheim\" dbname=d",
    "PG:host=h password=/geheim/x dbname=/d",
    "PG:host=h sslpassword=geheim passfile=/home/me/pw sslmode=require",
    "PG:dbname='a' user='me' password='geheim' tables=a,b(c)",
    "pg:dbname=a password=geheim",
    "dbname=a password=geheim",
    "postgresql://me:geheim@h:5432/d?password=auch&sslmode=require",
    "https://me:geheim@h/a.geojson?token=abc&x=1&X-Amz-Credential=AK%2Fx&X-Amz-Signature=f00#top",
    "http://geheim@h/a.geojson",
    "/vsicurl/https://me:geheim@h/a.tif?access_token=abc",
    "/vsicurl?max_retry=2&url=https%3A%2F%2Fme%3Ageheim%40h%2Fa.tif%3Fa%3D1%26token%3Dabc",
    "/vsicurl?header.Authorization=Bearer%20geheim&url=https%3A%2F%2Fh%2Fa",
    "WFS:https://me:geheim@h/wfs?service=WFS&apikey=abc",
    "ES:http://me:geheim@h:9200",
    "MONGODBV3:mongodb://me:geheim@a:1,b:2/d",
    "MYSQL:db,password=geheim,user=me,tables=a",
    "MSSQL:server=h;database=d;UID=me;PWD=geheim;Trusted_Connection=no",
    "ODBC:me/geheim@dsn,table",
    "ODBC:DRIVER={X};DBQ=/a@b;PWD=geheim;",
    "OCI:me/geheim@//h:1521/d:table",
    "OCI:me/geheim:table",
    "geor:me,geheim,db,table",
    "geor:me/geheim@db,table",
    "AmigoCloud:1234 datasets=5 AUTH_KEY=geheim",
    "CARTO:me CARTO_API_KEY=geheim tables=a",
    "PLMosaic:mosaic=m,api_key=geheim,x=1",
    "<OGRVRTDataSource><OGRVRTLayer name=\"a\"><OpenOptions><OOI key=\"PASSWORD\">geheim</OOI></OpenOptions>"
    "<SrcDataSource>PG:host=h password=geheim</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>",
    "<GDAL_WMS><ServerUrl>https://h/?a=1&amp;token=abc&amp;b=2</ServerUrl><UserPwd>me:geheim</UserPwd></"
    "GDAL_WMS>",
    "<x password=\"geheim\" user=\"me\"/>",
    "{\"source\":\"PG:host=h password=geheim\",\"open_options\":[\"PASSWORD=ge heim\",\"A=1\"]}",
    "{\"header\":\"Authorization: Bearer geheim\",\"a\":1}",
};

static void check(char *got, const char *expected) {
  assert_non_null(got);
  assert_string_equal(got, expected);
  free(got);
}

static void test_sources(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    check(gv_source_name(sources[i].given), sources[i].expected);
}

static void test_titles(void **state) {
  static const example titles[] = {
      {"a.csv", "a.csv"},
      {"/data/a.csv", "a.csv"},
      {"/vsizip/a.zip/b.shp", "b.shp"},
      {"/vsicurl/https://h/a/b.gpkg?token=a/b", "/vsicurl/***"},
      {"PG:host=/run/x dbname=d password=a/b", "PG:***"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    check(gv_source_title(titles[i].given), titles[i].expected);
}

static void test_driver_options(void **state) {
  static const example open_options[] = {
      {"X_POSSIBLE_NAMES=lon", "X_POSSIBLE_NAMES=lon"},
      {"x_possible_names=lon,x", "x_possible_names=lon,x"},
      {"ENCODING=LATIN1", "ENCODING=LATIN1"},
      {"HEADERS=YES", "HEADERS=YES"},
      {"PAGE_SIZE=500", "PAGE_SIZE=500"},
      {"FLAG=no", "FLAG=no"},
      {"EMPTY=", "EMPTY="},
      {"no option", "no option"},
      {"PASSWORD=geheim", "PASSWORD=***"},
      {"password=12345", "password=***"},
      {"API_KEY=12345", "API_KEY=***"},
      {"KEY=12345", "KEY=***"},
      {"PIN=1234", "PIN=***"},
      {"AUTH=geheim", "AUTH=***"},
      {"USERPWD=u:geheim", "USERPWD=***"},
      {"TOKEN=geheim", "TOKEN=***"},
      {"HEADERS=Authorization: Bearer geheim", "HEADERS=***"},
      {"URL=https://u:geheim@h/", "URL=***"},
      {"ANY=geheim", "ANY=***"},
      {"TABLE=a?token=geheim", "TABLE=***"},
  };
  static const example creation_options[] = {
      {"COMPRESS=ZSTD", "COMPRESS=ZSTD"},
      {"TITLE=my map", "TITLE=my map"},
      {"USER_PASSWORD=geheim", "USER_PASSWORD=***"},
      {"LINK=https://u:geheim@h/", "LINK=***"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof open_options / sizeof *open_options; i++)
    check(gv_driver_option_name(open_options[i].given, false), open_options[i].expected);
  for (size_t i = 0; i < sizeof creation_options / sizeof *creation_options; i++)
    check(gv_driver_option_name(creation_options[i].given, true), creation_options[i].expected);
}

/* Sources that a file refers to: the user has not named them. */
static void test_forms_in_foreign_messages(void **state) {
  char text[600];
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    snprintf(text, sizeof text, "Unable to open %s.", forms[i]);
    char *message = gv_clean_foreign_message(text);
    assert_non_null(message);
    if (strstr(message, "geheim") != NULL) fail_msg("%s", message);
    assert_int_equal(strncmp(message, "Unable to open ", 15), 0);
    free(message);
  }
}

static void test_messages(void **state) {
  static const char source[] = "PG:host=h password='ge h%eim' dbname=seeds";
  (void)state;
  gv_source_remember(source);
  gv_source_remember("out.tif");
  gv_source_remember("/vsicurl/https://me:xyzw@h/a.tif?token=q1q1");
  gv_driver_option_remember("ANYTHING=seven sesame", false);
  gv_driver_option_remember("ENCODING=LATIN1", false);
  static const example own[] = {
      {"seeds: cannot read PG:host=h password='ge h%eim' dbname=seeds: no", "seeds: cannot read PG:***: no"},
      {"cannot read PG:host=h password='ge", "cannot read PG:***"}, /* cut short */
      {"--where: invalid condition (token = 5)", "--where: invalid condition (token = 5)"},
      {"cannot write out.tif", "cannot write out.tif"},
      {"the option seven sesame", "the option ***"},
      {"LATIN1 is unknown", "LATIN1 is unknown"},
  };
  static const example foreign[] = {
      {"Unable to open PG:host=h password='ge h%eim' dbname=seeds.", "Unable to open PG:***."},
      {"missing \"=\" after \"h%eim\" in it", "missing \"=\" after \"***\" in it"},
      {"URL https://me:xyzw@h/a.tif?token=q1q1&x=1", "URL https://me:***@h/a.tif?token=***&x=1"},
      {"fetch of ge%20h%25eim failed", "fetch of *** failed"},
      {"cut: ge h%ei", "cut: ***"},
      {"bad sesame", "bad ***"},
      {"HTTP error 403 on https://a:b@c/d?sig=123", "HTTP error 403 on https://a:***@c/d?sig=***"},
      {"password authentication failed for user \"me\"", "password authentication failed for user \"me\""},
      {"connection to server at \"127.0.0.1\", port 1 failed",
       "connection to server at \"127.0.0.1\", port 1 failed"},
  };
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    check(gv_clean_message(own[i].given), own[i].expected);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    check(gv_clean_foreign_message(foreign[i].given), foreign[i].expected);
  gv_source_forget();
  check(gv_clean_foreign_message("fetch of h%eim failed"), "fetch of h%eim failed");
}

/* Each form as a source of the user; GDAL repeats the secret in other words. */
static void test_secrets_of_sources_are_remembered(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    gv_source_remember(forms[i]);
    char *expected = gv_source_name(forms[i]), *alone = gv_clean_message("the server refused 'geheim'");
    check(gv_clean_message(forms[i]), expected);
    bool whole = strstr(forms[i], "/geheim/") == NULL; /* there it is a part of the secret */
    if (whole && strstr(alone, "geheim") != NULL) fail_msg("%s", forms[i]);
    gv_source_forget();
    free(expected);
    free(alone);
  }
}

/* Texts that would be slow if each value were compared with all text after it. */
static void test_long_texts(void **state) {
  enum { VALUES = 4000 };
  char *text = malloc(16 + 6 * VALUES), *end = text;
  (void)state;
  assert_non_null(text);
  end = stpcpy(end, "PG:");
  for (int i = 0; i < VALUES; i++)
    end = stpcpy(end, "pw=a% ");
  gv_source_remember(text);
  char *message = gv_clean_foreign_message(text);
  assert_string_equal(message, "PG:***");
  gv_source_forget();
  free(message);
  free(text);
}

/* Whatever is read, in whole or cut anywhere, is read within its bounds. */
static void test_cut_anywhere(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    for (size_t length = 0; length < strlen(forms[i]); length++) {
      char *cut = strndup(forms[i], length);
      assert_non_null(cut);
      gv_source_remember(cut);
      char *name = gv_source_name(cut), *message = gv_clean_foreign_message(cut);
      assert_true(name != NULL && message != NULL);
      gv_source_forget();
      free(name);
      free(message);
      free(cut);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sources),        cmocka_unit_test(test_titles),
      cmocka_unit_test(test_driver_options), cmocka_unit_test(test_forms_in_foreign_messages),
      cmocka_unit_test(test_messages),       cmocka_unit_test(test_secrets_of_sources_are_remembered),
      cmocka_unit_test(test_long_texts),     cmocka_unit_test(test_cut_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
