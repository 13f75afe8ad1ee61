/* SPDX-License-Identifier: Apache-2.0 */
#include "report/canvas/pdf.h"

#include "base/min_max.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX_BYTES = 30000 }; /* libharu: 65,535 bytes a string, two bytes a letter */

/* Letters that are one byte in a PDF's own encoding, and the same as in Unicode (annex D.2). */
static bool is_one_byte(uint32_t code)
{
	return (code >= 0x20 && code < 0x7f) || (code > 0xa0 && code <= 0xff && code != 0xad);
}

static void put_utf16(struct buffer *b, uint32_t code)
{
	if (code == UTF8_BAD)
		code = 0xfffd;
	uint32_t high = 0xd800 + ((code - 0x10000) >> 10), low = 0xdc00 + (code & 0x3ff);
	if (code >= 0x10000) {
		buffer_char(b, (char)(high >> 8));
		buffer_char(b, (char)(high & 0xff));
		code = low;
	}
	buffer_char(b, (char)(code >> 8));
	buffer_char(b, (char)(code & 0xff));
}

bool pdf_text(struct buffer *b, const char *text)
{
	bool bytes = true;
	const char *end = text;
	while (*end && end - text < TEXT_MAX_BYTES)
		bytes &= is_one_byte(utf8_next(&end));
	if (!bytes)
		buffer_bytes(b, "\xfe\xff", 2);
	while (text < end) {
		uint32_t code = utf8_next(&text);
		if (bytes)
			buffer_char(b, (char)code);
		else
			put_utf16(b, code);
	}
	return bytes;
}

/* A string of the PDF: a byte a letter where that will do, else UTF-16 (PDF 32000-1, 7.9.2.2). */
static void *text_object(struct pdf *pdf, const char *text)
{
	struct buffer b = {0};
	void *object;
	if (pdf_text(&b, text)) {
		buffer_char(&b, '\0');
		object = HPDF_String_New(pdf->doc->mmgr, b.text, NULL);
	} else {
		object = HPDF_Binary_New(pdf->doc->mmgr, (HPDF_BYTE *)b.text, (HPDF_UINT)b.n);
	}
	buffer_release(&b);
	return object;
}

/* What is only clicked or scrolled to needs no fractions of a point, each six bytes in the file. */
static HPDF_REAL whole(double pt)
{
	return (HPDF_REAL)round(pt);
}

/* libharu has no way to say "keep the reader's zoom": the array is filled by hand. */
static HPDF_Destination place(struct pdf *pdf, struct box box)
{
	HPDF_Destination to = HPDF_Page_CreateDestination(pdf->page);
	if (!to)
		return NULL;
	HPDF_Array_Clear(to);
	HPDF_Array_Add(to, pdf->page);
	HPDF_Array_AddName(to, "XYZ");
	HPDF_Array_AddReal(to, whole(box.x));
	HPDF_Array_AddReal(to, whole(pdf->page_h - box.y));
	HPDF_Array_AddNumber(to, 0);
	return to;
}

static void add_outline(struct pdf *pdf, struct box box, const char *text, int level)
{
	int depth = min_int(level, pdf->outline_depth);
	if (depth >= OUTLINE_DEPTH)
		depth = OUTLINE_DEPTH - 1;
	HPDF_Outline parent = depth ? pdf->outline[depth - 1] : NULL;
	HPDF_Outline outline = HPDF_CreateOutline(pdf->doc, parent, "-", NULL);
	if (!outline)
		return;
	HPDF_Dict_Add(outline, "Title", text_object(pdf, text));
	HPDF_Outline_SetDestination(outline, place(pdf, box));
	HPDF_Outline_SetOpened(outline, depth == 0);
	pdf->outline[depth] = outline;
	pdf->outline_depth = depth + 1;
}

static name_id target_of(struct pdf *pdf, const char *name)
{
	name_id id = names_add_text(&pdf->targets, name);
	if (id >= pdf->targets_room) {
		size_t room = ((size_t)id + 16) * 2;
		pdf->target = xrealloc(pdf->target, room, sizeof *pdf->target);
		memset(pdf->target + pdf->targets_room, 0,
			(room - pdf->targets_room) * sizeof *pdf->target);
		pdf->targets_room = room;
	}
	return id;
}

static void add_target(struct pdf *pdf, struct box box, const char *name)
{
	name_id id = target_of(pdf, name);
	if (pdf->target[id])
		canvas_fail(&pdf->canvas,
			"canvas: two places are named \"%s\"; the second is on page %zu", name,
			pdf->canvas.pages);
	else
		pdf->target[id] = place(pdf, box);
}

static HPDF_Rect rect_of(const struct pdf *pdf, struct box b)
{
	return (HPDF_Rect){whole(b.x), whole(pdf->page_h - b.y - b.h), whole(b.x + b.w),
		whole(pdf->page_h - b.y)};
}

static void add_link(struct pdf *pdf, struct box box, const char *name)
{
	if (pdf->links == pdf->links_room) {
		pdf->links_room = (pdf->links_room + 16) * 2;
		pdf->link = xrealloc(pdf->link, pdf->links_room, sizeof *pdf->link);
	}
	pdf->link[pdf->links++] = (struct pdf_link){
		pdf->page, rect_of(pdf, box), target_of(pdf, name), pdf->canvas.pages};
}

/* A link that leads to `to` by `key`. It lies in the list of its page: as an object of its own, as
 * libharu makes it, it would take twice the room. */
static void annotate(struct pdf *pdf, HPDF_Page page, HPDF_Rect rect, const char *key, void *to)
{
	HPDF_MMgr memory = pdf->doc->mmgr;
	HPDF_Array all = HPDF_Dict_GetItem(page, "Annots", HPDF_OCLASS_ARRAY);
	HPDF_Dict link = HPDF_Dict_New(memory);
	HPDF_Array box = HPDF_Array_New(memory), border = HPDF_Array_New(memory);
	const HPDF_REAL sides[] = {rect.left, rect.bottom, rect.right, rect.top};
	if (!all) {
		all = HPDF_Array_New(memory);
		HPDF_Dict_Add(page, "Annots", all);
	}
	HPDF_Array_Add(all, link);
	for (int i = 0; i < 4; i++)
		HPDF_Array_AddReal(box, sides[i]);
	for (int i = 0; i < 3; i++)
		HPDF_Array_AddNumber(border, 0);
	HPDF_Dict_AddName(link, "Subtype", "Link");
	HPDF_Dict_Add(link, "Rect", box);
	HPDF_Dict_Add(link, "Border", border);
	HPDF_Dict_Add(link, key, to);
}

static void add_address(struct pdf *pdf, struct box box, const char *text)
{
	HPDF_Dict action = HPDF_Dict_New(pdf->doc->mmgr);
	HPDF_Dict_AddName(action, "S", "URI");
	HPDF_Dict_Add(action, "URI", HPDF_String_New(pdf->doc->mmgr, text, NULL));
	annotate(pdf, pdf->page, rect_of(pdf, box), "A", action);
}

void pdf_mark(struct canvas *c, enum mark_kind kind, struct box box, const char *text, int level)
{
	struct pdf *pdf = (struct pdf *)c;
	switch (kind) {
	case MARK_OUTLINE:
		add_outline(pdf, box, text, level);
		break;
	case MARK_DEST:
		add_target(pdf, box, text);
		break;
	case MARK_LINK:
		add_link(pdf, box, text);
		break;
	case MARK_URI:
		add_address(pdf, box, text);
		break;
	case MARK_TIP:
		break;
	}
}

static void resolve_links(struct pdf *pdf)
{
	for (size_t i = 0; i < pdf->links; i++) {
		const struct pdf_link *link = &pdf->link[i];
		if (!pdf->target[link->target]) {
			canvas_fail(&pdf->canvas,
				"canvas: page %zu has a link to \"%s\", but no place has that name",
				link->page_number, names_text(&pdf->targets, link->target));
			return;
		}
		annotate(pdf, link->page, link->rect, "Dest", pdf->target[link->target]);
	}
}

void pdf_label(struct pdf *pdf, const char *label)
{
	size_t page = pdf->canvas.pages - 1;
	if (page >= pdf->labels_room) {
		pdf->labels_room = (page + 16) * 2;
		pdf->label = xrealloc(pdf->label, pdf->labels_room, sizeof *pdf->label);
		pdf->pages = xrealloc(pdf->pages, pdf->labels_room, sizeof(HPDF_Page));
		pdf->drawn = xrealloc(pdf->drawn, pdf->labels_room, sizeof *pdf->drawn);
		pdf->head_of = xrealloc(pdf->head_of, pdf->labels_room, sizeof *pdf->head_of);
	}
	pdf->page_number = page;
	pdf->pages[page] = pdf->page;
	pdf->drawn[page] = (struct buffer){0};
	pdf->contents = 0;
	pdf->label[page] = label ? arena_strdup(&pdf->canvas.arena, label) : NULL;
}

/* The number that a label spells, 0 for every other label. */
static long plain_number(const char *label)
{
	char *end;
	if (!label || *label < '1' || *label > '9' || strlen(label) > 9)
		return 0;
	long n = strtol(label, &end, 10);
	return *end ? 0 : n;
}

/* Runs of plain numbers are one entry that counts on, each other label an entry of its own
 * (PDF 32000-1, 12.4.2). */
static void add_labels(struct pdf *pdf)
{
	size_t pages = pdf->canvas.pages, labelled = 0;
	for (size_t i = 0; i < pages; i++)
		labelled += pdf->label[i] != NULL;
	if (!labelled)
		return;
	HPDF_Array nums = HPDF_Array_New(pdf->doc->mmgr);
	long next = 0; /* the number that the run in hand gives to this page */
	for (size_t i = 0; i < pages; i++) {
		long n = pdf->label[i] ? plain_number(pdf->label[i]) : (long)i + 1;
		if (n && n == next) {
			next++;
			continue;
		}
		HPDF_Dict entry = HPDF_Dict_New(pdf->doc->mmgr);
		HPDF_Array_AddNumber(nums, (HPDF_INT32)i);
		HPDF_Array_Add(nums, entry);
		if (n) {
			HPDF_Dict_AddName(entry, "S", "D");
			HPDF_Dict_AddNumber(entry, "St", (HPDF_INT32)n);
		} else {
			HPDF_Dict_Add(entry, "P", text_object(pdf, pdf->label[i]));
		}
		next = n ? n + 1 : 0;
	}
	HPDF_Dict labels = HPDF_Dict_New(pdf->doc->mmgr);
	HPDF_Dict_Add(labels, "Nums", nums);
	HPDF_Dict_Add(pdf->doc->catalog, "PageLabels", labels);
}

/* Turns "2026-11-20T10:00:00Z" into "D:20261120100000Z", the form of PDF 32000-1, 7.9.4. */
static bool pdf_date(char *date, size_t size, const char *created)
{
	int y, mo, d, h, mi, s, used = 0;
	if (!created ||
		sscanf(created, "%4d-%2d-%2dT%2d:%2d:%2d%n", &y, &mo, &d, &h, &mi, &s, &used) < 6)
		return false;
	snprintf(date, size, "D:%04d%02d%02d%02d%02d%02dZ", y, mo, d, h, mi, s);
	return created[used] == 'Z' && !created[used + 1];
}

static void add_info(struct pdf *pdf)
{
	const struct canvas_info *info = &pdf->canvas.info;
	const struct {
		const char *key, *text;
	} rows[] = {{"Title", info->title}, {"Author", info->author}, {"Subject", info->subject},
		{"Keywords", info->keywords}};
	/* libharu creates the dictionary only when it sets an attribute itself. */
	HPDF_SetInfoAttr(pdf->doc, HPDF_INFO_CREATOR, "tracebook");
	HPDF_Dict dict = pdf->doc->info;
	if (!dict)
		return;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (*rows[i].text)
			HPDF_Dict_Add(dict, rows[i].key, text_object(pdf, rows[i].text));
	char date[64];
	if (pdf_date(date, sizeof date, info->created)) {
		HPDF_Dict_Add(dict, "CreationDate", text_object(pdf, date));
		HPDF_Dict_Add(dict, "ModDate", text_object(pdf, date));
	}
}

static void add_catalog(struct pdf *pdf)
{
	HPDF_Dict catalog = pdf->doc->catalog;
	if (*pdf->canvas.info.lang)
		HPDF_Dict_Add(catalog, "Lang", text_object(pdf, pdf->canvas.info.lang));
	if (*pdf->canvas.info.title) {
		HPDF_Dict preferences = HPDF_Dict_New(pdf->doc->mmgr);
		HPDF_Dict_AddBoolean(preferences, "DisplayDocTitle", HPDF_TRUE);
		HPDF_Dict_Add(catalog, "ViewerPreferences", preferences);
	}
	if (pdf->outline_depth)
		HPDF_SetPageMode(pdf->doc, HPDF_PAGE_MODE_USE_OUTLINE);
	pdf->doc->pdf_version = HPDF_VER_17;
}

void pdf_finish_doc(struct pdf *pdf)
{
	resolve_links(pdf);
	if (pdf->resources)
		pdf_add_palette(pdf);
	pdf_add_heads(pdf);
	add_labels(pdf);
	add_info(pdf);
	add_catalog(pdf);
	pdf_add_structure(pdf);
}

void pdf_release_doc(struct pdf *pdf)
{
	names_release(&pdf->targets);
	free(pdf->target);
	free(pdf->link);
	free(pdf->label);
	free(pdf->pages);
	for (size_t i = 0; pdf->drawn && i < pdf->canvas.pages; i++)
		buffer_release(&pdf->drawn[i]);
	free(pdf->drawn);
	free(pdf->tag);
}
