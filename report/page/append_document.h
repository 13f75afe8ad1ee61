/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append_document.h - a document appended to another, as a part that keeps its own names.
 *
 * Sections name their places and figures without knowing what else is in the document. Joined, the
 * places and figures of a part get a prefix, and so do its links to them; links to a place that
 * only the whole has, such as the definitions, lead there.
 */
#ifndef REPORT_PAGE_APPEND_DOCUMENT_H
#define REPORT_PAGE_APPEND_DOCUMENT_H

#include "report/page/document.h"

/* A text that links to places of a part, for the document that the part is joined to. */
const char *part_text(
	struct arena *a, const struct document *part, const char *prefix, const char *text);

/* Appends all blocks of `part`, which is empty afterwards; both are of one arena. `band` is printed
 * in the header and footer of every page of the part (document.h). */
void document_join(struct document *d, struct document *part, const char *prefix, const char *band);

#endif
