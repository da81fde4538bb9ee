/*
 * The report of a run: lines on stderr that begin with "gpuvoronoi: ", or one JSON object on the standard
 * output.
 */
#ifndef GV_CLI_REPORT_H
#define GV_CLI_REPORT_H

#include "io/json_writer.h"
#include "job/description/job.h"
#include "job/diagram/diagram_job.h"
#include "job/search/search_job.h"
#include "job/weights/weights_job.h"

/* The queued warnings, a line each. */
void cli_print_warnings(void);

/* Warnings and the report of the run, in lines. */
void cli_report_lines(const gv_job_report *report, double seconds);
void cli_report_search_lines(const gv_search_report *report, double seconds);
void cli_report_diagram_lines(const gv_diagram_report *report, double seconds);
void cli_report_weights_lines(const gv_weights_report *report, double seconds);

/* The same as JSON; of a call that ran nothing `report` is NULL. */
void cli_report_json(const gv_job_report *report, double seconds);
void cli_report_search_json(const gv_search_report *report, double seconds);
void cli_report_diagram_json(const gv_diagram_report *report, double seconds);
void cli_report_weights_json(const gv_weights_report *report, double seconds);

/* Prints the JSON text, and frees it. */
void cli_print_json(gv_json_writer *json);

/* An error as JSON, with the warnings so far. */
void cli_report_error(gv_code code, int status, const char *message);

#endif
