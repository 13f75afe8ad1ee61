/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.h - the document as the body of a page of HTML: headings, paragraphs, lists, tables and
 * pictures (SVG inside the page), in the order of the blocks.
 *
 * Nothing in it is live: every text goes through html_text(), links lead to places of the document
 * or to https:// and http:// addresses of the templates, and there is no style, script or handler.
 * What the page's own script may use stands in attributes that begin with "data-".
 */
#ifndef REPORT_PAGE_HTML_H
#define REPORT_PAGE_HTML_H

#include "report/page/document.h"

#include <stdio.h>

/* What stands behind the name of an element, or behind a point; it writes nothing where it knows
 * nothing. */
typedef void html_addition(FILE *f, const struct block *b, const void *data);

struct html_form {
	html_addition *figure_attributes; /* " data-..." of a picture; NULL: none */
	html_addition *behind; /* elements behind what a point says; NULL: none */
	const void *data; /* handed to both */
	size_t most_bytes; /* pictures that would make the body longer are left out, and said so */
	const char *path; /* of the file, for messages */
	struct err *undrawn; /* as of canvas_close_noting() */
};

/* Fails only where a picture cannot be drawn. Errors of the file are those of `f`. */
int html_write(const struct document *d, const struct html_form *form, FILE *f, struct err *err);

/* A text between tags or in an attribute in double quotes. What a screen obeys (utf8.h) and bytes
 * that are no UTF-8 are U+FFFD; breaks and tabs are blanks. */
void html_text(FILE *f, const char *text);

/* Does html_text() write U+FFFD for a sign? */
bool html_is_unseen(uint32_t code);

/* The same of one with the markup of rich_text.h, which becomes elements. */
void html_rich(FILE *f, const struct document *d, const char *text);

#endif
