/* Pieces of JSON on the standard output. */
#ifndef GV_CLI_JSON_H
#define GV_CLI_JSON_H

/* A string with its quotation marks. */
void cli_print_json_string(const char *text);

/* A number that reads back; null if it is not finite. */
void cli_print_json_number(double value);

#endif
