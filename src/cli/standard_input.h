/* Inputs from the standard input. */
#ifndef GV_CLI_STANDARD_INPUT_H
#define GV_CLI_STANDARD_INPUT_H

/* Where a source is "-" or "/vsistdin/": reads all of it, CSV or GeoJSON, and makes the source a file in memory, as sources are read
 * more than once. One source of a command may be so. Once signals are caught they end the reading. EXIT_OK, or another status with the error printed. */
int cli_read_standard_input(const char **source);

#endif
