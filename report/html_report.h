/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_report.h - the report as one page for a browser: `report --html FILE`.
 *
 * The document of the PDF as a page of HTML (page/html.h): whole without a script. With the
 * one that it holds its tables sort and filter, and timelines open to the single event
 * (html_events.h). Style and script are files of the templates
 * (html/report.css, html/report.js), colours those of theme.json. One file, which asks for nothing:
 * a policy in its head lets in the style and the script by their SHA-256 and nothing else, so that
 * no word of a trace can become live, and no address is asked. It has at most HTML_BYTES.
 */
#ifndef REPORT_HTML_REPORT_H
#define REPORT_HTML_REPORT_H

#include "report/page/document.h"

enum { HTML_BYTES = 5000000 };

/* What tells it from other pages. */
#define HTML_MARK "<!DOCTYPE html>\n<!-- tracebook -->\n"

/* `undrawn`: as of canvas_close_noting(). */
int html_report_write(
	const struct document *d, const char *path, struct err *undrawn, struct err *err);

#endif
