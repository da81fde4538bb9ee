/*
 * The names of inputs as people may see them: connection strings without their passwords, tokens and signatures.
 *
 * Each secret becomes "***", and what else a connection string says stays: docs/usage.md ("Passwords") tells what counts
 * as a secret. Names of files stay as they are whatever they contain.
 */
#ifndef GV_IO_SOURCE_NAME_H
#define GV_IO_SOURCE_NAME_H

/* The source without its secrets. All returned strings are the caller's to free; NULL: out of memory. */
char *gv_source_name(const char *source);

/* The same in short: of a file its name without directories. */
char *gv_source_title(const char *source);

/* From here on messages are cleaned of this source and its secrets; to be called with whatever the user gives. */
void gv_source_remember(const char *source);

/* Forgets them all: for programs that begin anew, as tests do a million times. */
void gv_source_forget(void);

/* A message of this project without the secrets of the sources that were remembered, cut short as they may be. */
char *gv_clean_message(const char *message);

/* A message of GDAL, which may repeat sources in part or in other words, and name sources that files refer to. */
char *gv_clean_foreign_message(const char *message);

#endif
