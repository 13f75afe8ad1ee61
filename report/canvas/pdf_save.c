/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libharu writes each object apart and a table of twenty bytes for each; here those that are no
 * streams are packed into a few (PDF 32000-1, 7.5.7), and so is the table (7.5.8). It halves what a
 * document holds beside its pages and fonts, and leaves room for its structure. Streams are
 * compressed here, too: those of a small document, a book that goes by mail, by zlib, which makes
 * them a twelfth smaller than ISA-L; of a whole atlas that would be a fifth of the time.
 */
#include "report/canvas/pdf.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	PACK = 400, /* objects in one stream: who wants one of them unpacks them all */
	LEVEL = 3, /* ISA-L's best */
	SMALL = 2 << 20 /* bytes, not packed yet, of a small document */
};

struct place {
	size_t at; /* where it begins in the file, or the number of the stream that holds it */
	size_t within; /* its place in that stream */
	bool packed;
	bool gone; /* nothing refers to it any more */
};

struct saving {
	struct pdf *pdf;
	struct buffer in; /* as libharu wrote it */
	struct buffer out;
	struct place *place; /* (n) by number */
	size_t n, room;
	struct buffer head, body; /* of the pack in hand */
	size_t pack, packed; /* its number, and how many it holds */
	uint8_t *work, *zipped; /* (zipped_room) of ISA-L */
	size_t zipped_room;
};

static void read_back(struct saving *s)
{
	HPDF_Stream stream = s->pdf->doc->stream;
	HPDF_UINT n;
	for (HPDF_UINT i = 0; i < HPDF_MemStream_GetBufCount(stream); i++) {
		const HPDF_BYTE *bytes = HPDF_MemStream_GetBufPtr(stream, i, &n);
		buffer_bytes(&s->in, bytes, n);
	}
}

static struct place *place_of(struct saving *s, size_t number)
{
	if (number >= s->room) {
		size_t room = (number + 64) * 2;
		s->place = xrealloc(s->place, room, sizeof *s->place);
		memset(s->place + s->room, 0, (room - s->room) * sizeof *s->place);
		s->room = room;
	}
	if (number >= s->n)
		s->n = number + 1;
	return &s->place[number];
}

static size_t new_number(struct saving *s)
{
	size_t number = s->n;
	place_of(s, number);
	return number;
}

/* Packs n bytes into s->zipped, and returns how many they are there. */
static size_t deflate_stream(struct saving *s, const char *bytes, size_t n)
{
	size_t room = n + n / 16 + 256; /* more than stored blocks need */
	if (room > s->zipped_room)
		s->zipped = xrealloc(s->zipped, s->zipped_room = room, 1);
	if (s->in.n <= SMALL) {
		uLongf packed = room;
		if (compress(s->zipped, &packed, (const Bytef *)bytes, n) != Z_OK)
			bug("%zu bytes do not fit into %zu packed", n, room);
		return packed;
	}
	struct isal_zstream z;
	isal_deflate_stateless_init(&z);
	z.end_of_stream = 1;
	z.flush = NO_FLUSH;
	z.gzip_flag = IGZIP_ZLIB;
	z.level = LEVEL;
	z.level_buf = s->work;
	z.level_buf_size = ISAL_DEF_LVL3_DEFAULT;
	z.next_in = (uint8_t *)bytes;
	z.avail_in = (uint32_t)n;
	z.next_out = s->zipped;
	z.avail_out = (uint32_t)room;
	if (isal_deflate_stateless(&z) != COMP_OK)
		bug("%zu bytes do not fit into %zu packed", n, room);
	return z.total_out;
}

/* A stream of n bytes, compressed, as the object `number`; `keys` are those of its dictionary but
 * for its length and filter. */
static void put_stream(
	struct saving *s, size_t number, const struct buffer *keys, const char *bytes, size_t n)
{
	size_t packed = deflate_stream(s, bytes, n);
	*place_of(s, number) = (struct place){.at = s->out.n};
	buffer_printf(&s->out, "%zu 0 obj\n<<", number);
	buffer_bytes(&s->out, keys->text, keys->n);
	buffer_printf(&s->out, "/Filter/FlateDecode/Length %zu>>\nstream\n", packed);
	buffer_bytes(&s->out, s->zipped, packed);
	buffer_text(&s->out, "\nendstream\nendobj\n");
}

static void end_pack(struct saving *s)
{
	struct buffer keys = {0};
	if (!s->packed)
		return;
	buffer_printf(&keys, "/Type/ObjStm/N %zu/First %zu", s->packed, s->head.n);
	buffer_bytes(&s->head, s->body.text, s->body.n);
	put_stream(s, s->pack, &keys, s->head.text, s->head.n);
	buffer_release(&keys);
	s->head.n = s->body.n = s->packed = 0;
}

static void pack(struct saving *s, size_t number, const char *object, size_t n)
{
	if (s->packed == PACK)
		end_pack(s);
	if (!s->packed)
		s->pack = new_number(s);
	*place_of(s, number) = (struct place){.at = s->pack, .within = s->packed++, .packed = true};
	buffer_printf(&s->head, "%zu %zu ", number, s->body.n);
	buffer_bytes(&s->body, object, n);
	buffer_char(&s->body, '\n');
}

static bool ends_with(const char *text, size_t n, const char *end)
{
	size_t length = strlen(end);
	return n >= length && !memcmp(text + n - length, end, length);
}

/* Behind the first `what` in n bytes, NULL. */
static const char *behind(const char *text, size_t n, const char *what)
{
	size_t length = strlen(what);
	for (const char *end = text + n, *p = text; (p = memchr(p, what[0], (size_t)(end - p)));
		p++)
		if ((size_t)(end - p) >= length && !memcmp(p, what, length))
			return p + length;
	return NULL;
}

/* A stream that libharu wrote, in lines: "7 0 obj", "<<", its dictionary, ">>", "stream". Its
 * length, an object of its own there, is written into it. */
static void take_stream(struct saving *s, size_t number, const char *text, size_t n)
{
	static const char end[] = "\nendstream";
	struct buffer keys = {0};
	const char *dict = behind(text, n, "<<"), *bytes = behind(text, n, ">>\nstream\r\n");
	const char *of = bytes ? behind(text, (size_t)(bytes - text), "/Length ") : NULL;
	const char *rest = of ? behind(of, (size_t)(bytes - of), "\n") : NULL;
	if (!dict || !rest || dict > of)
		bug("object %zu is no stream", number);
	place_of(s, strtoul(of, NULL, 10))->gone = true;
	buffer_bytes(&keys, dict, (size_t)(of - strlen("/Length ") - dict));
	buffer_bytes(&keys, rest, (size_t)(bytes - strlen(">>\nstream\r\n") - rest));
	put_stream(s, number, &keys, bytes, (size_t)(text + n - strlen(end) - bytes));
	buffer_release(&keys);
}

/* What libharu wrote of an object, from its number to where the next begins. */
static void take_object(struct saving *s, size_t number, const char *text, size_t n)
{
	static const char end[] = "endobj";
	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	if (!ends_with(text, n, end))
		bug("object %zu does not end", number);
	size_t body = n - strlen(end);
	while (body && (text[body - 1] == '\n' || text[body - 1] == '\r'))
		body--;
	if (ends_with(text, body, "endstream")) {
		take_stream(s, number, text, body);
		return;
	}
	/* Who wrote a file can be read without unpacking it: --output asks before it overwrites. */
	if (number == pdf_number(s->pdf->doc->info)) {
		*place_of(s, number) = (struct place){.at = s->out.n};
		buffer_bytes(&s->out, text, n);
		buffer_char(&s->out, '\n');
		return;
	}
	const char *from = memchr(text, 'j', body); /* "7 0 obj" */
	if (!from)
		bug("object %zu does not begin", number);
	pack(s, number, from + 2, body - (size_t)(from + 2 - text));
}

static void take_objects(struct saving *s, unsigned structure)
{
	HPDF_Xref xref = s->pdf->doc->xref;
	size_t n = xref->entries->count;
	for (size_t i = 1; i < n; i++) {
		size_t from = HPDF_Xref_GetEntry(xref, (HPDF_UINT)i)->byte_offset;
		size_t to = i + 1 < n ? HPDF_Xref_GetEntry(xref, (HPDF_UINT)i + 1)->byte_offset
				      : xref->addr;
		if (i != structure && !place_of(s, i)->gone)
			take_object(s, i, s->in.text + from, to - from);
	}
}

enum { COLUMNS = 7 };

/* As what differs from the row above, behind the 2 that says so ("Up": 7.4.4.4), since rows are
 * alike: that packs to a third. */
static void put_row(struct buffer *b, uint8_t above[COLUMNS], int kind, size_t at, size_t within)
{
	const uint8_t row[COLUMNS] = {(uint8_t)kind, (uint8_t)(at >> 24), (uint8_t)(at >> 16),
		(uint8_t)(at >> 8), (uint8_t)at, (uint8_t)(within >> 8), (uint8_t)within};
	buffer_char(b, 2);
	for (int i = 0; i < COLUMNS; i++)
		buffer_char(b, (char)(uint8_t)(row[i] - above[i]));
	memcpy(above, row, COLUMNS);
}

/* The table of all objects, itself the last, and where it begins. */
static void put_table(struct saving *s)
{
	struct buffer rows = {0};
	struct buffer keys = {0};
	uint8_t above[COLUMNS] = {0};
	size_t number = new_number(s), start = s->out.n;
	s->place[number].at = start;
	put_row(&rows, above, 0, 0, 0xffff);
	for (size_t i = 1; i < s->n; i++)
		put_row(&rows, above,
			s->place[i].gone	     ? 0
				: s->place[i].packed ? 2
						     : 1,
			s->place[i].at, s->place[i].within);
	buffer_printf(&keys,
		"/Type/XRef/Size %zu/W[1 4 2]/DecodeParms<</Predictor 12/Columns %d>>/Root %u 0 R/Info %u 0 R",
		s->n, COLUMNS, pdf_number(s->pdf->doc->catalog), pdf_number(s->pdf->doc->info));
	put_stream(s, number, &keys, rows.text, rows.n);
	buffer_printf(&s->out, "startxref\n%zu\n%%%%EOF\n", start);
	buffer_release(&rows);
	buffer_release(&keys);
}

static void repack(struct saving *s)
{
	size_t own = s->pdf->doc->xref->entries->count, *at;
	struct buffer text = {0};
	size_t elements = pdf_structure_objects(s->pdf, own, &text, &at);
	unsigned structure = elements ? pdf_number(s->pdf->structure) : 0;
	place_of(s, own + (elements ? elements - 1 : 0) - 1);
	buffer_bytes(&s->out, s->in.text, HPDF_Xref_GetEntry(s->pdf->doc->xref, 1)->byte_offset);
	take_objects(s, structure);
	for (size_t i = 0; i < elements; i++)
		pack(s, i ? own + i - 1 : structure, text.text + at[i],
			(i + 1 < elements ? at[i + 1] : text.n) - at[i] - 1);
	end_pack(s);
	put_table(s);
	buffer_release(&text);
	free(at);
}

void pdf_save(struct pdf *pdf)
{
	struct saving s = {.pdf = pdf};
	s.work = xalloc(ISAL_DEF_LVL3_DEFAULT);
	if (HPDF_SaveToStream(pdf->doc) == HPDF_OK) {
		read_back(&s);
		repack(&s);
		fwrite(s.out.text, 1, s.out.n, pdf->out.f);
	}
	buffer_release(&s.in);
	buffer_release(&s.out);
	buffer_release(&s.head);
	buffer_release(&s.body);
	free(s.place);
	free(s.work);
	free(s.zipped);
}
