/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libharu writes each object apart and a table of twenty bytes for each; here those that are no
 * streams are packed into a few (PDF 32000-1, 7.5.7), and so is the table (7.5.8). It halves what a
 * document holds beside its pages and fonts, and leaves room for its structure. Streams are
 * compressed here, too, on two threads.
 */
#include "report/canvas/pdf.h"

#include "base/two_threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	PACK = 400, /* objects in one stream: who wants one of them unpacks them all */
	EVEN_PACK = 4000, /* those of the structure, which pack to a twentieth */
	/* zlib's. ISA-L takes a third of the time and leaves a twelfth more, and of rows twice as
	 * much. */
	LEVEL = 5,
	LEVEL_OF_ROWS = 6
};

struct place {
	size_t at; /* where it begins in the file, or the number of the stream that holds it */
	size_t within; /* its place in that stream */
	bool packed;
	bool gone; /* nothing refers to it any more */
};

/* A stream that libharu wrote, or what a page shows, whose bytes were kept apart. */
struct stream {
	size_t number;
	const char *keys, *end; /* its dictionary, and where what libharu has of it begins */
	const char *bytes; /* (n) */
	size_t n;
	uint8_t *zipped; /* (packed) */
	size_t packed;
};

struct saving {
	struct pdf *pdf;
	struct buffer in; /* as libharu wrote it */
	struct buffer out;
	struct place *place; /* (n) by number */
	size_t n, room;
	struct buffer head, body; /* of the pack in hand */
	size_t pack, packed; /* its number, and how many it holds */
	size_t columns; /* it holds rows of so many bytes; 0: what comes */
	struct stream *stream; /* (streams) by number */
	size_t streams, streams_room, taken;
	size_t page; /* whose contents come next */
	atomic_size_t next; /* stream that nobody compresses yet */
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

/* The caller frees what comes. */
static uint8_t *deflate_bytes(const char *bytes, size_t n, int level, size_t *packed)
{
	uLongf room = compressBound(n);
	uint8_t *to = xalloc(room);
	if (compress2(to, &room, (const Bytef *)bytes, n, level) != Z_OK)
		bug("%zu bytes do not fit into %zu packed", n, (size_t)room);
	*packed = room;
	return xrealloc(to, room, 1);
}

/* A stream as the object `number`; `keys` are those of its dictionary but for its length and
 * filter. */
static void put_packed(struct saving *s, size_t number, const struct buffer *keys,
	const uint8_t *zipped, size_t packed)
{
	*place_of(s, number) = (struct place){.at = s->out.n};
	buffer_printf(&s->out, "%zu 0 obj\n<<", number);
	buffer_bytes(&s->out, keys->text, keys->n);
	buffer_printf(&s->out, "/Filter/FlateDecode/Length %zu>>\nstream\n", packed);
	buffer_bytes(&s->out, zipped, packed);
	buffer_text(&s->out, "\nendstream\nendobj\n");
}

/* The same of n bytes that are not compressed yet. */
static void put_stream(struct saving *s, size_t number, const struct buffer *keys,
	const char *bytes, size_t n, int level)
{
	size_t packed;
	uint8_t *zipped = deflate_bytes(bytes, n, level, &packed);
	put_packed(s, number, keys, zipped, packed);
	free(zipped);
}

/* Rows as what differs in each from the one above, behind the 2 that says so ("Up": 7.4.4.4): where
 * they are alike little is left. */
static void put_rows(struct saving *s, size_t number, const struct buffer *keys,
	const struct buffer *rows, size_t columns)
{
	struct buffer all = {0};
	size_t n = 0;
	char *up = xalloc(rows->n + rows->n / columns + 1);
	for (size_t at = 0; at < rows->n; at += columns) {
		const char *row = rows->text + at, *above = at ? row - columns : NULL;
		up[n++] = 2;
		for (size_t i = 0; above && i < columns; i++)
			up[n + i] = (char)((uint8_t)row[i] - (uint8_t)above[i]);
		if (!above)
			memcpy(up + n, row, columns);
		n += columns;
	}
	buffer_bytes(&all, keys->text, keys->n);
	buffer_printf(&all, "/DecodeParms<</Predictor 12/Columns %zu>>", columns);
	put_stream(s, number, &all, up, n, LEVEL_OF_ROWS);
	buffer_release(&all);
	free(up);
}

static void end_pack(struct saving *s)
{
	struct buffer keys = {0};
	if (!s->packed)
		return;
	while (s->columns && s->head.n % s->columns)
		buffer_char(&s->head, ' ');
	buffer_printf(&keys, "/Type/ObjStm/N %zu/First %zu", s->packed, s->head.n);
	buffer_bytes(&s->head, s->body.text, s->body.n);
	if (s->columns)
		put_rows(s, s->pack, &keys, &s->head, s->columns);
	else
		put_stream(s, s->pack, &keys, s->head.text, s->head.n, LEVEL);
	buffer_release(&keys);
	s->head.n = s->body.n = s->packed = 0;
}

/* An object's number and its place in the pack; in a pack of rows four of them fill PDF_ROW. */
static void put_in_head(struct saving *s, size_t number, size_t at)
{
	enum { FIELDS = PDF_ROW / 4, NUMBER = FIELDS / 2 + 1 };
	size_t from = s->head.n;
	buffer_units(&s->head, (int64_t)number, GRID_1);
	do
		buffer_char(&s->head, ' ');
	while (s->columns && s->head.n - from < NUMBER);
	buffer_units(&s->head, (int64_t)at, GRID_1);
	do
		buffer_char(&s->head, ' ');
	while (s->columns && s->head.n - from < FIELDS);
}

static void pack(struct saving *s, size_t number, const char *object, size_t n, size_t columns)
{
	if (s->packed == (s->columns ? EVEN_PACK : PACK) || s->columns != columns)
		end_pack(s);
	s->columns = columns;
	if (!s->packed)
		s->pack = new_number(s);
	*place_of(s, number) = (struct place){.at = s->pack, .within = s->packed++, .packed = true};
	put_in_head(s, number, s->body.n);
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

/* What libharu wrote of an object, from its number to behind its body. */
struct object {
	const char *text;
	size_t n;
};

static struct object object_of(const struct saving *s, size_t number)
{
	static const char end[] = "endobj";
	HPDF_Xref xref = s->pdf->doc->xref;
	HPDF_UINT i = (HPDF_UINT)number;
	size_t from = HPDF_Xref_GetEntry(xref, i)->byte_offset;
	size_t to = i + 1 < xref->entries->count ? HPDF_Xref_GetEntry(xref, i + 1)->byte_offset
						 : xref->addr;
	struct object o = {s->in.text + from, to - from};
	while (o.n && (o.text[o.n - 1] == '\n' || o.text[o.n - 1] == '\r'))
		o.n--;
	if (!ends_with(o.text, o.n, end))
		bug("object %zu does not end", number);
	o.n -= strlen(end);
	while (o.n && (o.text[o.n - 1] == '\n' || o.text[o.n - 1] == '\r'))
		o.n--;
	return o;
}

/* The number of what a page shows; their order is that of the pages. */
static size_t contents_of(const struct saving *s, size_t page)
{
	HPDF_PageAttr attr = s->pdf->pages[page]->attr;
	return pdf_number(attr->contents);
}

/* A stream stands there in lines: "7 0 obj", "<<", its dictionary, ">>", "stream". */
static void find_stream(struct saving *s, size_t number)
{
	static const char end[] = "\nendstream";
	struct object o = object_of(s, number);
	if (!ends_with(o.text, o.n, end + 1))
		return;
	const char *dict = behind(o.text, o.n, "<<");
	const char *bytes = behind(o.text, o.n, ">>\nstream\r\n");
	if (!dict || !bytes || dict > bytes)
		bug("object %zu is no stream", number);
	if (s->streams == s->streams_room) {
		s->streams_room = (s->streams_room + 16) * 2;
		s->stream = xrealloc(s->stream, s->streams_room, sizeof *s->stream);
	}
	struct stream *one = &s->stream[s->streams++];
	*one = (struct stream){.number = number,
		.keys = dict,
		.end = bytes,
		.bytes = bytes,
		.n = (size_t)(o.text + o.n - strlen(end) - bytes)};
	if (s->page < s->pdf->canvas.pages && number == contents_of(s, s->page)) {
		const struct buffer *drawn = &s->pdf->drawn[s->page++];
		one->bytes = drawn->text;
		one->n = drawn->n;
	}
}

static void compress_streams(void *saving)
{
	struct saving *s = saving;
	for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->streams;) {
		struct stream *one = &s->stream[i];
		one->zipped = deflate_bytes(one->bytes, one->n, LEVEL, &one->packed);
	}
}

/* Its length, an object of its own there, is written into its dictionary. */
static void take_stream(struct saving *s, const struct stream *one)
{
	struct buffer keys = {0};
	size_t n = (size_t)(one->end - one->keys);
	const char *of = behind(one->keys, n, "/Length ");
	const char *rest = of ? behind(of, (size_t)(one->end - of), "\n") : NULL;
	if (!rest)
		bug("object %zu has no length", one->number);
	place_of(s, strtoul(of, NULL, 10))->gone = true;
	buffer_bytes(&keys, one->keys, (size_t)(of - strlen("/Length ") - one->keys));
	buffer_bytes(&keys, rest, (size_t)(one->end - strlen(">>\nstream\r\n") - rest));
	put_packed(s, one->number, &keys, one->zipped, one->packed);
	buffer_release(&keys);
}

static void take_object(struct saving *s, size_t number)
{
	const struct stream *stream = s->taken < s->streams ? &s->stream[s->taken] : NULL;
	if (stream && stream->number == number) {
		s->taken++;
		take_stream(s, stream);
		return;
	}
	struct object o = object_of(s, number);
	/* Who wrote a file can be read without unpacking it: --output asks before it overwrites. */
	if (number == pdf_number(s->pdf->doc->info)) {
		*place_of(s, number) = (struct place){.at = s->out.n};
		buffer_bytes(&s->out, o.text, o.n);
		buffer_text(&s->out, "\nendobj\n");
		return;
	}
	const char *from = memchr(o.text, 'j', o.n); /* "7 0 obj" */
	if (!from)
		bug("object %zu does not begin", number);
	pack(s, number, from + 2, o.n - (size_t)(from + 2 - o.text), 0);
}

static void take_objects(struct saving *s, unsigned structure)
{
	size_t n = s->pdf->doc->xref->entries->count;
	for (size_t i = 1; i < n; i++)
		if (i != structure)
			find_stream(s, i);
	both(s->streams > 1, compress_streams, s, compress_streams, s);
	for (size_t i = 1; i < n; i++)
		if (i != structure && !place_of(s, i)->gone)
			take_object(s, i);
}

enum { COLUMNS = 7 };

static void put_row(struct buffer *b, int kind, size_t at, size_t within)
{
	const uint8_t row[COLUMNS] = {(uint8_t)kind, (uint8_t)(at >> 24), (uint8_t)(at >> 16),
		(uint8_t)(at >> 8), (uint8_t)at, (uint8_t)(within >> 8), (uint8_t)within};
	buffer_bytes(b, row, COLUMNS);
}

/* The table of all objects, itself the last, and where it begins. */
static void put_table(struct saving *s)
{
	struct buffer rows = {0};
	struct buffer keys = {0};
	size_t number = new_number(s), start = s->out.n;
	s->place[number].at = start;
	put_row(&rows, 0, 0, 0xffff);
	for (size_t i = 1; i < s->n; i++)
		put_row(&rows,
			s->place[i].gone	     ? 0
				: s->place[i].packed ? 2
						     : 1,
			s->place[i].at, s->place[i].within);
	buffer_printf(&keys, "/Type/XRef/Size %zu/W[1 4 2]/Root %u 0 R/Info %u 0 R", s->n,
		pdf_number(s->pdf->doc->catalog), pdf_number(s->pdf->doc->info));
	put_rows(s, number, &keys, &rows, COLUMNS);
	buffer_printf(&s->out, "startxref\n%zu\n%%%%EOF\n", start);
	buffer_release(&rows);
	buffer_release(&keys);
}

static void repack(struct saving *s)
{
	size_t own = s->pdf->doc->xref->entries->count;
	struct buffer text = {0};
	struct pdf_element *element;
	size_t elements = pdf_structure_objects(s->pdf, own, &text, &element);
	unsigned structure = elements ? pdf_number(s->pdf->structure) : 0;
	place_of(s, own + (elements ? elements - 1 : 0) - 1);
	buffer_bytes(&s->out, s->in.text, HPDF_Xref_GetEntry(s->pdf->doc->xref, 1)->byte_offset);
	take_objects(s, structure);
	for (size_t i = 0; i < elements; i++)
		pack(s, element[i].number, text.text + element[i].at, element[i].n,
			element[i].columns);
	end_pack(s);
	put_table(s);
	buffer_release(&text);
	free(element);
}

void pdf_save(struct pdf *pdf)
{
	struct saving s = {.pdf = pdf};
	if (HPDF_SaveToStream(pdf->doc) == HPDF_OK) {
		read_back(&s);
		repack(&s);
		fwrite(s.out.text, 1, s.out.n, pdf->out.f);
	}
	buffer_release(&s.in);
	buffer_release(&s.out);
	buffer_release(&s.head);
	buffer_release(&s.body);
	for (size_t i = 0; i < s.streams; i++)
		free(s.stream[i].zipped);
	free(s.stream);
	free(s.place);
}
