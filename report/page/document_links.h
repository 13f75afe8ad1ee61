/* SPDX-License-Identifier: Apache-2.0 */
/*
 * document_links.h - the links of a document, before it is laid out.
 *
 * A link is markup of rich_text.h, "[label](#place)", in any text of any block. Two documents of
 * one input hold different sections, so that a text may link to a place that only the other one
 * has. Such a label is drawn without its link, and what its sign for a page would have said is said
 * by words of the template: "link.page" is what stands in labels before and around the sign,
 * "link.elsewhere" stands for it then, "link.elsewhere.alone" for a sign alone.
 */
#ifndef REPORT_PAGE_DOCUMENT_LINKS_H
#define REPORT_PAGE_DOCUMENT_LINKS_H

#include "report/page/document.h"

/* A text for a text; the same pointer where nothing changes. */
typedef const char *text_change(const void *data, const char *text);

/* Changes every text of a block that may hold links: its own, its note, heads, groups and cells of
 * its table. Heads and groups are copied before, since they may be const. */
void block_change_texts(struct arena *a, struct block *b, text_change *change, const void *data);

/* The place of a link whose label ends at `p`, "](#place)"; NULL when none does. */
const char *link_place(struct arena *a, const char *p);

/* Is a place that the document lacks one of another document of the same input? */
typedef bool place_is_elsewhere(const void *data, const char *place);

/* Takes the links to such places away; of a whole document also those to places that are nowhere,
 * by a mistake of a template: the first of them is kept as document.lost_link. */
void document_loosen_links(
	struct document *d, place_is_elsewhere *is_elsewhere, const void *data, bool whole);

#endif
