/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/pdf.h"

#include <stdlib.h>

/* The standard types (PDF 32000-1, 14.8.4). */
static const char *const types[TAG_KINDS] = {
	[TAG_H1] = "H1",
	[TAG_H2] = "H2",
	[TAG_H3] = "H3",
	[TAG_H4] = "H4",
	[TAG_PARAGRAPH] = "P",
	[TAG_FIGURE] = "Figure",
	[TAG_HEAD_CELL] = "TH",
	[TAG_CELL] = "TD",
	[TAG_TABLE] = "Table",
	[TAG_ROW] = "TR",
};

static bool is_leaf(enum tag_kind kind)
{
	return kind < TAG_TABLE;
}

void pdf_end_content(struct pdf *pdf)
{
	if (pdf->marked)
		buffer_text(&pdf->ops, "EMC\n");
	pdf->marked = false;
}

void pdf_content(struct pdf *pdf)
{
	if (pdf->marked)
		return;
	pdf->marked = true;
	pdf->said = false;
	struct pdf_tag *tag = pdf->tag_in_hand == NO_TAG ? NULL : &pdf->tag[pdf->tag_in_hand];
	if (!tag || !is_leaf(tag->kind)) {
		buffer_text(&pdf->ops, "/Artifact BMC\n");
		return;
	}
	tag->content = pdf->contents++;
	buffer_printf(&pdf->ops, "/%s <</MCID %d>> BDC\n", types[tag->kind], tag->content);
}

void pdf_tag(struct canvas *c, const struct tag *tag)
{
	struct pdf *pdf = (struct pdf *)c;
	pdf_end_content(pdf);
	if (pdf->tags == pdf->tags_room) {
		pdf->tags_room = (pdf->tags_room + 64) * 2;
		pdf->tag = xrealloc(pdf->tag, pdf->tags_room, sizeof *pdf->tag);
	}
	pdf->tag[pdf->tags] = (struct pdf_tag){
		.kind = tag->kind,
		.parent = pdf->tag_in_hand,
		.page = c->pages - 1,
		.content = -1,
		.alt = tag->alt ? arena_strdup(&c->arena, tag->alt) : NULL,
		.columns = tag->columns,
	};
	pdf->tag_in_hand = pdf->tags++;
}

void pdf_untag(struct canvas *c)
{
	struct pdf *pdf = (struct pdf *)c;
	pdf_end_content(pdf);
	pdf->tag_in_hand = pdf->tag[pdf->tag_in_hand].parent;
}

void pdf_add_structure(struct pdf *pdf)
{
	if (!pdf->tags)
		return;
	HPDF_Dict marks = HPDF_Dict_New(pdf->doc->mmgr);
	HPDF_Dict_AddBoolean(marks, "Marked", HPDF_TRUE);
	HPDF_Dict_Add(pdf->doc->catalog, "MarkInfo", marks);
	pdf->structure = HPDF_Dict_New(pdf->doc->mmgr);
	HPDF_Xref_Add(pdf->doc->xref, pdf->structure);
	HPDF_Dict_Add(pdf->doc->catalog, "StructTreeRoot", pdf->structure);
	for (size_t i = 0; i < pdf->canvas.pages; i++) {
		HPDF_Dict_AddNumber(pdf->pages[i], "StructParents", (HPDF_INT32)i);
		HPDF_Dict_AddName(pdf->pages[i], "Tabs", "S"); /* links in the order of reading */
	}
}

/* In brackets, where only brackets, the stroke that hides them, and ends of lines are not
 * themselves (7.3.4.2): hexadecimal digits are twice as many, packed, too. */
static void put_string(struct buffer *b, const char *text)
{
	struct buffer wide = {0};
	const char *bytes = text;
	size_t n = strlen(text);
	if (pdf_utf16(&wide, text)) {
		bytes = wide.text;
		n = wide.n;
	}
	buffer_char(b, '(');
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\r') {
			buffer_text(b, "\\r");
			continue;
		}
		if (strchr("()\\", bytes[i]) && bytes[i])
			buffer_char(b, '\\');
		buffer_char(b, bytes[i]);
	}
	buffer_char(b, ')');
	buffer_release(&wide);
}

static void put_head_cell(struct buffer *b, const struct pdf_tag *tag)
{
	buffer_text(b, "/A<</O/Table/Scope/Column");
	if (tag->columns > 1)
		buffer_printf(b, "/ColSpan %d", tag->columns);
	buffer_text(b, ">>");
}

/* Elements are numbered as they come: `root` first, then the document at `first`, then each tag. */
struct numbers {
	unsigned root;
	size_t first;
};

static size_t element(const struct numbers *n, size_t tag)
{
	return tag == NO_TAG ? n->first : n->first + 1 + tag;
}

/* The next after `i` that lies in `parent`: children follow it up to the first that lies outside.
 */
static void put_children(
	const struct pdf *pdf, struct buffer *b, const struct numbers *n, size_t of)
{
	buffer_text(b, "/K[");
	for (size_t i = of == NO_TAG ? 0 : of + 1; i < pdf->tags; i++) {
		if (of != NO_TAG && (pdf->tag[i].parent == NO_TAG || pdf->tag[i].parent < of))
			break;
		if (pdf->tag[i].parent == of)
			buffer_printf(b, "%zu 0 R ", element(n, i));
	}
	buffer_char(b, ']');
}

static void put_element(const struct pdf *pdf, struct buffer *b, const struct numbers *n, size_t i)
{
	const struct pdf_tag *tag = &pdf->tag[i];
	buffer_printf(b, "<</S/%s/P %zu 0 R", types[tag->kind], element(n, tag->parent));
	if (!is_leaf(tag->kind))
		put_children(pdf, b, n, i);
	else if (tag->content >= 0)
		buffer_printf(
			b, "/Pg %u 0 R/K %d", pdf_number(pdf->pages[tag->page]), tag->content);
	if (tag->alt) {
		buffer_text(b, "/Alt");
		put_string(b, tag->alt);
	}
	if (tag->kind == TAG_HEAD_CELL)
		put_head_cell(b, tag);
	buffer_text(b, ">>\n");
}

/* Which element each content of each page belongs to (PDF 32000-1, 14.7.4.4). */
static void put_root(const struct pdf *pdf, struct buffer *b, const struct numbers *n)
{
	size_t i = 0;
	buffer_printf(b,
		"<</Type/StructTreeRoot/K %zu 0 R/ParentTreeNextKey %zu/ParentTree<</Nums[",
		element(n, NO_TAG), pdf->canvas.pages);
	for (size_t page = 0; page < pdf->canvas.pages; page++) {
		buffer_printf(b, "%zu[", page);
		for (; i < pdf->tags && pdf->tag[i].page == page; i++)
			if (pdf->tag[i].content >= 0)
				buffer_printf(b, "%zu 0 R ", element(n, i));
		buffer_text(b, "]");
	}
	buffer_text(b, "]>>>>\n");
}

size_t pdf_structure_objects(struct pdf *pdf, size_t first, struct buffer *text, size_t **at)
{
	*at = NULL;
	if (!pdf->tags)
		return 0;
	struct numbers n = {pdf_number(pdf->structure), first};
	size_t *starts = *at = xcalloc(pdf->tags + 2, sizeof *starts);
	starts[0] = text->n;
	put_root(pdf, text, &n);
	starts[1] = text->n;
	buffer_printf(text, "<</S/Document/P %u 0 R", n.root);
	put_children(pdf, text, &n, NO_TAG);
	buffer_text(text, ">>\n");
	for (size_t i = 0; i < pdf->tags; i++) {
		starts[i + 2] = text->n;
		put_element(pdf, text, &n, i);
	}
	return pdf->tags + 2;
}
