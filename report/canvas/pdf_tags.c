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

bool pdf_in_lines(const struct pdf *pdf)
{
	if (pdf->tag_in_hand == NO_TAG)
		return false;
	enum tag_kind kind = pdf->tag[pdf->tag_in_hand].kind;
	return is_leaf(kind) && kind != TAG_FIGURE;
}

void pdf_end_content(struct pdf *pdf)
{
	pdf_end_text(pdf);
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
	struct buffer string = {0};
	pdf_text(&string, text);
	const char *bytes = string.text;
	size_t n = string.n;
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
	buffer_release(&string);
}

/* What the elements are written with. */
struct writing {
	const struct pdf *pdf;
	struct buffer *text;
	size_t *number; /* (pdf->tags) of each tag's element */
	size_t root, document, head_cells; /* theirs, and that of what all cells of a head say */
	struct pdf_element *element; /* (n) */
	size_t n;
};

static size_t number_of(const struct writing *w, size_t tag)
{
	return tag == NO_TAG ? w->document : w->number[tag];
}

/* Elements that are alike are written one behind the other, and their rows are as long as most of
 * them. */
enum group { LEAVES, ROWS, TABLES, WITH_WORDS, GROUPS };

static const size_t columns_of[GROUPS] = {
	[LEAVES] = PDF_ROW, [ROWS] = 3 * PDF_ROW, [TABLES] = PDF_ROW};

static enum group group_of(const struct pdf_tag *tag)
{
	if (tag->alt)
		return WITH_WORDS;
	return is_leaf(tag->kind) ? LEAVES : tag->kind == TAG_ROW ? ROWS : TABLES;
}

static void begin_element(struct writing *w, size_t number, size_t columns)
{
	w->element[w->n++] =
		(struct pdf_element){.number = number, .at = w->text->n, .columns = columns};
}

static void fill_up(struct writing *w, size_t n)
{
	while ((w->text->n - w->element[w->n - 1].at) % n)
		buffer_char(w->text, ' ');
}

/* Up to the end of a row; the caller of pdf_structure_objects() ends it. */
static void end_element(struct writing *w)
{
	struct pdf_element *e = &w->element[w->n - 1];
	buffer_text(w->text, ">>");
	buffer_char(w->text, ' ');
	if (e->columns)
		fill_up(w, e->columns);
	w->text->n--;
	e->n = w->text->n - e->at;
}

/* A number on the right of a field, behind at least one space. */
static void put_field(struct buffer *b, size_t number)
{
	buffer_char(b, ' ');
	for (size_t ten = 100000; ten > number && ten > 1; ten /= 10)
		buffer_char(b, ' ');
	buffer_units(b, (int64_t)number, GRID_1);
}

static void put_reference(struct writing *w, const char *key, size_t number)
{
	buffer_text(w->text, key);
	put_field(w->text, number);
	buffer_text(w->text, " 0 R");
}

enum { IN_ARRAY = 12 }; /* a reference with a space and a field: five fill a row */

static void put_in_array(struct writing *w, size_t number)
{
	put_reference(w, "", number);
	fill_up(w, IN_ARRAY);
}

/* The next after `i` that lies in `parent`: children follow it up to the first that lies outside.
 */
static void put_children(struct writing *w, size_t of)
{
	const struct pdf *pdf = w->pdf;
	buffer_text(w->text, "/K[");
	fill_up(w, IN_ARRAY);
	for (size_t i = of == NO_TAG ? 0 : of + 1; i < pdf->tags; i++) {
		if (of != NO_TAG && (pdf->tag[i].parent == NO_TAG || pdf->tag[i].parent < of))
			break;
		if (pdf->tag[i].parent == of)
			put_in_array(w, number_of(w, i));
	}
	buffer_char(w->text, ']');
}

static void put_head_cell(struct writing *w, const struct pdf_tag *tag)
{
	if (tag->columns <= 1)
		put_reference(w, "/A", w->head_cells);
	else
		buffer_printf(w->text, "/A<</O/Table/Scope/Column/ColSpan %d>>", tag->columns);
}

static void put_element(struct writing *w, size_t i)
{
	const struct pdf_tag *tag = &w->pdf->tag[i];
	begin_element(w, w->number[i], columns_of[group_of(tag)]);
	buffer_printf(w->text, "<</S/%s", types[tag->kind]);
	put_reference(w, "/P", number_of(w, tag->parent));
	if (!is_leaf(tag->kind)) {
		put_children(w, i);
	} else if (tag->content >= 0) {
		put_reference(w, "/Pg", pdf_number(w->pdf->pages[tag->page]));
		buffer_text(w->text, "/K");
		put_field(w->text, (size_t)tag->content);
	}
	if (tag->alt) {
		buffer_text(w->text, "/Alt");
		put_string(w->text, tag->alt);
	}
	if (tag->kind == TAG_HEAD_CELL)
		put_head_cell(w, tag);
	end_element(w);
}

/* Which element each content of each page belongs to (PDF 32000-1, 14.7.4.4). */
static void put_root(struct writing *w)
{
	const struct pdf *pdf = w->pdf;
	size_t i = 0;
	begin_element(w, w->root, columns_of[TABLES]);
	buffer_text(w->text, "<</Type/StructTreeRoot");
	put_reference(w, "/K", w->document);
	buffer_printf(w->text, "/ParentTreeNextKey %zu/ParentTree<</Nums[", pdf->canvas.pages);
	for (size_t page = 0; page < pdf->canvas.pages; page++) {
		buffer_printf(w->text, "%zu[", page);
		fill_up(w, IN_ARRAY);
		for (; i < pdf->tags && pdf->tag[i].page == page; i++)
			if (pdf->tag[i].content >= 0)
				put_in_array(w, number_of(w, i));
		buffer_char(w->text, ']');
	}
	buffer_text(w->text, "]>>");
	end_element(w);
}

static void put_document(struct writing *w)
{
	begin_element(w, w->document, columns_of[TABLES]);
	buffer_text(w->text, "<</S/Document");
	put_reference(w, "/P", w->root);
	put_children(w, NO_TAG);
	end_element(w);
	begin_element(w, w->head_cells, columns_of[TABLES]);
	buffer_text(w->text, "<</O/Table/Scope/Column");
	end_element(w);
}

/* Numbered as they are written, so that the numbers go on by one. */
static void number_elements(struct writing *w, size_t first)
{
	const struct pdf *pdf = w->pdf;
	w->number = xcalloc(pdf->tags, sizeof *w->number);
	w->document = first++;
	w->head_cells = first++;
	for (size_t i = 0; i < pdf->tags; i++)
		if (is_leaf(pdf->tag[i].kind))
			w->number[i] = first++;
	for (enum group g = ROWS; g <= TABLES; g++)
		for (size_t i = 0; i < pdf->tags; i++)
			if (group_of(&pdf->tag[i]) == g)
				w->number[i] = first++;
}

size_t pdf_structure_objects(
	struct pdf *pdf, size_t first, struct buffer *text, struct pdf_element **elements)
{
	*elements = NULL;
	if (!pdf->tags)
		return 0;
	struct writing w = {.pdf = pdf, .text = text, .root = pdf_number(pdf->structure)};
	w.element = *elements = xcalloc(pdf->tags + 3, sizeof *w.element);
	number_elements(&w, first);
	put_root(&w);
	put_document(&w);
	for (enum group g = 0; g < GROUPS; g++)
		for (size_t i = 0; i < pdf->tags; i++)
			if (group_of(&pdf->tag[i]) == g)
				put_element(&w, i);
	free(w.number);
	return w.n;
}
