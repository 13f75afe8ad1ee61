/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libharu writes each object apart and a table of twenty bytes for each; here those that are no
 * streams are packed into a few (PDF 32000-1, 7.5.7), and so is the table (7.5.8). It halves what a
 * document holds beside its pages and fonts, and leaves room for its structure. Streams are
 * compressed here, too, on two threads: those of a small document, a book that goes by mail, by
 * zlib, which makes them a twelfth smaller than ISA-L; of a whole atlas that would be a fifth of
 * the time.
 */
#include "report/canvas/pdf.h"

#include "base/two_threads.h"

#include <isa-l/igzip_lib.h>
#include <stdatomic.h>
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

/* A stream that libharu wrote. */
struct stream {
	size_t number;
	const char *keys, *bytes; /* its dictionary, and its (n) bytes */
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
	struct stream *stream; /* (streams) by number */
	size_t streams, streams_room, taken;
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

static size_t deflate_fast(const char *bytes, size_t n, uint8_t *to, size_t room)
{
	struct isal_zstream z;
	isal_deflate_stateless_init(&z);
	z.end_of_stream = 1;
	z.flush = NO_FLUSH;
	z.gzip_flag = IGZIP_ZLIB;
	z.level = LEVEL;
	z.level_buf = xalloc(ISAL_DEF_LVL3_DEFAULT);
	z.level_buf_size = ISAL_DEF_LVL3_DEFAULT;
	z.next_in = (uint8_t *)bytes;
	z.avail_in = (uint32_t)n;
	z.next_out = to;
	z.avail_out = (uint32_t)room;
	int status = isal_deflate_stateless(&z);
	free(z.level_buf);
	return status == COMP_OK ? z.total_out : 0;
}

/* The caller frees what comes. */
static uint8_t *deflate_bytes(const struct saving *s, const char *bytes, size_t n, size_t *packed)
{
	size_t room = n + n / 16 + 256; /* more than stored blocks need */
	uint8_t *to = xalloc(room);
	uLongf small = room;
	if (s->in.n > SMALL)
		*packed = deflate_fast(bytes, n, to, room);
	else
		*packed = compress(to, &small, (const Bytef *)bytes, n) == Z_OK ? small : 0;
	if (!*packed)
		bug("%zu bytes do not fit into %zu packed", n, room);
	return xrealloc(to, *packed, 1);
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
static void put_stream(
	struct saving *s, size_t number, const struct buffer *keys, const char *bytes, size_t n)
{
	size_t packed;
	uint8_t *zipped = deflate_bytes(s, bytes, n, &packed);
	put_packed(s, number, keys, zipped, packed);
	free(zipped);
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
	s->stream[s->streams++] = (struct stream){.number = number,
		.keys = dict,
		.bytes = bytes,
		.n = (size_t)(o.text + o.n - strlen(end) - bytes)};
}

static void compress_streams(void *saving)
{
	struct saving *s = saving;
	for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->streams;) {
		struct stream *one = &s->stream[i];
		one->zipped = deflate_bytes(s, one->bytes, one->n, &one->packed);
	}
}

/* Its length, an object of its own there, is written into its dictionary. */
static void take_stream(struct saving *s, const struct stream *one)
{
	struct buffer keys = {0};
	size_t n = (size_t)(one->bytes - one->keys);
	const char *of = behind(one->keys, n, "/Length ");
	const char *rest = of ? behind(of, (size_t)(one->bytes - of), "\n") : NULL;
	if (!rest)
		bug("object %zu has no length", one->number);
	place_of(s, strtoul(of, NULL, 10))->gone = true;
	buffer_bytes(&keys, one->keys, (size_t)(of - strlen("/Length ") - one->keys));
	buffer_bytes(&keys, rest, (size_t)(one->bytes - strlen(">>\nstream\r\n") - rest));
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
	pack(s, number, from + 2, o.n - (size_t)(from + 2 - o.text));
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
