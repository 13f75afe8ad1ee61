/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_table.h - a table of a document as one of HTML. Private to html*.c.
 */
#ifndef REPORT_PAGE_HTML_TABLE_H
#define REPORT_PAGE_HTML_TABLE_H

#include "report/page/document.h"

#include <stdio.h>

/* Rows with a heading line of their own stand in a <tbody> that begins with it; columns of numbers
 * and bars have the class "n". */
void html_table(FILE *f, const struct document *d, const struct table *t);

#endif
