/* Inputs from the standard input. */
#ifndef GV_CLI_STANDARD_INPUT_H
#define GV_CLI_STANDARD_INPUT_H

#include <stdbool.h>
#include <stdint.h>

/* Where a source is "-" or "/vsistdin/": reads all of it, CSV, GeoJSON or .npy, and makes the source a file in memory, as sources are read
 * more than once. One source of a command may be so. Signals that are caught end the reading. More than `most` bytes (0: the default
 * of --memory) are an error. EXIT_OK, or another status with the error printed. */
int cli_read_standard_input(const char **source, int64_t most);

/* Whether a source was read from the standard input. */
bool cli_is_standard_input(const char *source);

#endif
