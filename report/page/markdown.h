/* SPDX-License-Identifier: Apache-2.0 */
/*
 * markdown.h - the document as Markdown, for a pull request: figures become links to their SVG
 * files.
 */
#ifndef REPORT_PAGE_MARKDOWN_H
#define REPORT_PAGE_MARKDOWN_H

#include "report/page/document.h"

#include <stdio.h>

enum { MOST_DETAILS = 8 };

/* Short enough for a comment: of more than MOST_DETAILS details (pages of cases) each is left out
 * up to the next heading of its level, and so are links within the document. Sections after the
 * heading with the place `until` are left out too (NULL: all). svg_folder is how the Markdown file
 * reaches the figures, NULL when none were written. Last, the head of every part that is not of
 * this run (its blocks have a band). */
void markdown_write(const struct document *d, const char *svg_folder, const char *until, FILE *f);

#endif
