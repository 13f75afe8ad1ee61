/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outputs.h - what a report is written as: a row for each back-end, with its option.
 *
 * A new one is a name here and a row in outputs.c; --help and which options go with it follow.
 */
#ifndef REPORT_OUTPUTS_H
#define REPORT_OUTPUTS_H

#include "report/overwrite.h"
#include "report/page/layout.h"
#include "report/run/expectations.h"

enum output_kind {
	OUTPUT_PDF,
	OUTPUT_ATLAS,
	OUTPUT_SVG,
	OUTPUT_PNG,
	OUTPUT_MARKDOWN,
	OUTPUT_JSON,
	OUTPUT_CSV,
	OUTPUT_STACKS,
	OUTPUT_HTML,
	OUTPUT_BRIEF,
	OUTPUT_CUT,
	OUTPUTS
};

/* What there is to write, and where to; all of it is lent. */
struct writing {
	const struct input *input;
	const struct expectations *expect;
	const struct texts *texts;
	const struct document *document;
	const struct document *comment; /* what the Markdown holds instead; NULL: the document */
	const struct document *atlas; /* whose the figures are, too; NULL: it is not wanted */
	const char *brief; /* Markdown; NULL: it is not wanted */
	const struct layout *layout, *atlas_layout;
	const char *path[OUTPUTS]; /* file or folder; NULL: it is not wanted */
	struct err *undrawn; /* takes the first file with marks that were left out, for a warning */
};

typedef struct canvas *canvas_opening(
	const char *path, const struct fonts *fonts, const struct canvas_info *info);

struct output {
	const char *option; /* its name; of figures also what their files end with */
	char letter;
	const char *arg, *help; /* as in struct opt */
	const char *uses; /* the options that have an effect on it, as in struct opt_mode */
	bool pages; /* made of the document and its layout; else of the input alone */
	int (*write)(const struct output *o, const struct writing *w, struct err *err);
	canvas_opening *open; /* of one that is drawn, else NULL */
	struct file_mark mark; /* of its files */
	/* Refuses a folder in which a file would be overwritten that is none of ours; NULL: a file
	 * is written, which overwrite_check() has seen. */
	int (*check)(const struct output *o, const struct writing *w, struct err *err);
};

extern const struct output outputs[OUTPUTS];

/* The options that have an effect on what is shown, on the words around it, and on paper. */
#define ABOUT_TRACES "memory from to step range rank"
extern const char about_pages[], about_words[], about_paper[];

/* Is any path set? */
bool outputs_any(const char *const path[OUTPUTS]);

/* A row for each output, for overwrite_check(). */
void outputs_plan(struct planned to[OUTPUTS], const char *const path[OUTPUTS]);

/* Is any of those wanted that are made of pages, or of those that are not? */
bool outputs_wanted(const struct writing *w, bool pages);

/* Refuses, before any is written, a file in a folder that would be overwritten and is none of ours;
 * of pages only where `pages` were made. */
int outputs_check(const struct writing *w, bool pages, struct err *err);

/* Writes them in the order of the table, up to the first that fails. */
int outputs_write(const struct writing *w, bool pages, struct err *err);

#endif
