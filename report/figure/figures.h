/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - the room of pictures: each kind says how one is drawn, and where its data say how
 * high it is.
 *
 * In come analyses of cases; out goes a `struct figure` in a document (page/document.h), whose
 * `data` are what its own file planned: a struct timeline, a struct waterfall and so on. All that
 * can fail or be left out is settled by planning, so drawing cannot fail.
 *
 * What a picture shows is found and planned by its own files; once it stands in a document it is
 * only read. A new kind is a file with a `struct figure_kind` at its end: `const struct figure_kind
 * waterfall_figure`.
 */
#ifndef REPORT_FIGURE_FIGURES_H
#define REPORT_FIGURE_FIGURES_H

#include "report/page/document.h"

/* Puts a planned picture at the end of the document; id and alt as in struct figure. The data are
 * lent, and stay as long as the document. A legend that is shared, and the parts of one that may be
 * cut, are left to the caller. */
struct figure *figure_add(struct document *d, const struct figure_kind *kind, const char *id,
	const char *alt, const void *data);

#endif
