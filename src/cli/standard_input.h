/* Inputs from the standard input and from pipes. */
#ifndef GV_CLI_STANDARD_INPUT_H
#define GV_CLI_STANDARD_INPUT_H

#include <stdbool.h>
#include <stdint.h>

/* For messages: "standard input" ("-", "/vsistdin/"), or the path of a pipe; NULL for other sources. */
const char *cli_piped_name(const char *source);

/* Reads all of a piped source (CSV, GeoJSON or .npy) and replaces it by a file in memory, because sources are
 * read more than once. Two sources of a command may be piped, one of them from the standard input. Caught
 * signals end the reading. More than `most` bytes (0: the default of --memory) are an error. EXIT_OK, or
 * another status with the error printed. */
int cli_read_standard_input(const char **source, int64_t most);

/* Whether a source was read by it. */
bool cli_is_standard_input(const char *source);

#endif
