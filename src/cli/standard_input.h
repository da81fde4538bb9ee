/* Inputs from the standard input. */
#ifndef GV_CLI_STANDARD_INPUT_H
#define GV_CLI_STANDARD_INPUT_H

#include <stdbool.h>
#include <stdint.h>

/* If a source is "-" or "/vsistdin/", reads all of it (CSV, GeoJSON or .npy) and replaces the source by a file in
 * memory, because sources are read more than once. Only one source of a command may be the standard input. Caught
 * signals end the reading. More than `most` bytes (0: the default of --memory) are an error. EXIT_OK, or another
 * status with the error printed. */
int cli_read_standard_input(const char **source, int64_t most);

/* Whether a source was read from the standard input. */
bool cli_is_standard_input(const char *source);

#endif
