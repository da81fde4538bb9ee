/*
 * Names of inputs as they may be shown: without passwords, tokens and signatures.
 *
 * A path is shown unchanged, whether or not the file exists. Paths do not begin with "DRIVER:" and contain
 * none of
 * "://", '@', '?', '{', '<' and '='. Also shown are letters of disks, /vsi paths without '@', '?', '=' and
 * '<', and DRIVER:PATH of drivers for files (NETCDF:"a.nc":t). Every other source is shown as "DRIVER:***":
 * no syntax of a connection string has to be understood.
 *
 * Messages of GDAL may repeat sources in part or rephrased: text after a word like "password" or before '@'
 * in a URL is hidden there, and so are the secrets of remembered sources and open options.
 */
#ifndef GV_IO_SOURCE_NAME_H
#define GV_IO_SOURCE_NAME_H

#include <stdbool.h>

/* The source as it may be shown. All returned strings are the caller's to free; NULL: out of memory. */
char *gv_source_name(const char *source);

/* The same in short: of a path the name without directories. */
char *gv_source_title(const char *source);

/* An open option, "KEY=VALUE", as it may be shown: "KEY=***" unless the key is known to be harmless, or the
 * value is a number, yes or no. Of creation options (`creates`) only values of keys like PASSWORD are
 * hidden. */
char *gv_driver_option_name(const char *option, bool creates);

/* From here on messages are cleaned of this source, or of the value of this option, and of its secrets. */
void gv_source_remember(const char *source);
void gv_driver_option_remember(const char *option, bool creates);

/* Any other text of the user: remembered as a source if it is a connection string or URL with a secret. */
void gv_text_remember(const char *text);

/* Forgets them all: for programs that begin anew, as tests do a million times. */
void gv_source_forget(void);

/* A message of this project without the sources and secrets that were remembered, also where they are cut
 * short. */
char *gv_clean_message(const char *message);

/* A message of GDAL, which may repeat sources in part or in other words, and name sources that files refer
 * to. */
char *gv_clean_foreign_message(const char *message);

#endif
